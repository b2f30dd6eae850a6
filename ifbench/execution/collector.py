"""Python's collector of cycles, and what the C library keeps, in processes that handle many rows.

By default it looks at young objects every 700 allocations, and now and then at all that there is:
with Ray and its libraries imported that stops the event loop for a tenth of a second, while calls
wait to be sent and answers to be read.

What many threads have freed stays with the process, in pieces that another thread seldom fits into:
after a run of 400,000 trials a sixth of its memory.
"""

from __future__ import annotations

import ctypes
import gc


def spare_what_is_there() -> None:
    """Leave what is imported and opened out of every later collection, and collect less often.

    Rows leave few cycles. Once a process is enough; a second call does nothing.
    """
    if gc.get_freeze_count() == 0:
        gc.collect()
        gc.freeze()
        gc.set_threshold(20_000, 10, 10)


def give_back_memory() -> None:
    """Return to the system what this process has freed, before it asks for much else.

    Nothing but cycles goes where the C library has no `malloc_trim` (it is glibc's).
    """
    import pyarrow as pa  # Here, for the servers of checks have no other use for it.

    gc.collect()
    pa.default_memory_pool().release_unused()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
