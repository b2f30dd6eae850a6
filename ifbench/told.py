"""Says how far a long reading is, so that silence never looks like a hang."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

EVERY_S = 5.0


def told(
    rows: Iterable[T], what: str, total: int | None = None, *, every_s: float = EVERY_S
) -> Iterator[T]:
    """The same rows; on standard error their number so far, of all where that is known, every few
    seconds.
    """
    last = time.monotonic()
    for count, row in enumerate(rows):
        if time.monotonic() - last >= every_s:
            last = time.monotonic()
            of = "" if total is None else f" of {total:,}"
            sys.stderr.write(f"ifbench: {what}: {count:,}{of} so far\n")
            sys.stderr.flush()
        yield row
