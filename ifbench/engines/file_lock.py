"""Locks that the kernel keeps: they end with the process that holds them, even by `kill -9`.

`flock` belongs to an open file, not to a process, so a lock can be handed to a child and two
engines of one process hold two.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

POLL_S = 0.1


@contextmanager
def locked(path: Path, on_wait: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold the file for ourselves; `on_wait` is called once if another process has it first.

    Raises OSError when the file cannot be opened for writing.
    """
    file = open_for_lock(path)
    try:
        if not try_lock(file, fcntl.LOCK_EX):
            on_wait()
            while not try_lock(file, fcntl.LOCK_EX):
                time.sleep(POLL_S)
        yield
    finally:
        os.close(file)


def is_held(path: Path) -> bool:
    """True when some process holds the file. Two who ask at once may see each other."""
    file = open_for_lock(path)
    try:
        return not try_lock(file, fcntl.LOCK_EX)
    finally:
        os.close(file)


def open_for_lock(path: Path) -> int:
    """A descriptor to lock; closing it is letting go."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def try_lock(file: int, how: int) -> bool:
    """Take the lock (`LOCK_EX`, or `LOCK_SH` beside others) unless it is held against us."""
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
