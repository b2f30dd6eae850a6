"""Python's collector of cycles, in processes that handle rows by the thousand.

By default it looks at young objects every 700 allocations, and now and then at all that there is:
with Ray and its libraries imported that stops the event loop for a tenth of a second, while calls
wait to be sent and answers to be read.
"""

from __future__ import annotations

import gc


def spare_what_is_there() -> None:
    """Leave what is imported and opened out of every later collection, and collect less often.

    Rows leave few cycles. Once a process is enough; a second call does nothing.
    """
    if gc.get_freeze_count() == 0:
        gc.collect()
        gc.freeze()
        gc.set_threshold(20_000, 10, 10)
