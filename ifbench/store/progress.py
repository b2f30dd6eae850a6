"""How far a run is, for whoever looks at its store while it goes on.

runs/RUN/progress.json     replaced as a whole every few seconds by the run's driver

It is told, not kept: nothing is decided by it, and a run whose file is lost loses nothing.
"""

from __future__ import annotations

import errno
import fcntl
import json
import logging
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final, TypeAlias

import pyarrow as pa
from pydantic import TypeAdapter, ValidationError

from ifbench.store.location import Location, resolve
from ifbench.store.manifest import fault_of
from ifbench.store.results import checked_run_id

_log = logging.getLogger(__name__)

PROGRESS_VERSION: Final = 1
_NAME = "progress.json"

Counted: TypeAlias = tuple[tuple[tuple[str, ...], float], ...]
"""Counters of a tally with their names; JSON has no keys of several words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProgress:
    """What a run's driver knew at one moment."""

    version: int = PROGRESS_VERSION
    run_id: str
    host: str
    pid: int
    machine: str = ""
    """Where the driver shows that it lives by a lock (see `sign_of_life`): the start of the machine
    on which it can be seen. Empty where it cannot."""
    started_at: datetime
    """When this invocation began to work on rows."""
    written_at: datetime
    is_over: bool = False
    """True once every row is out: results are being written."""
    planned: int
    """Trials of the whole run."""
    candidates: Mapping[str, int] = field(default_factory=dict)
    """Planned trials of each candidate."""
    steps: tuple[str, ...] = ()
    counts: Counted = ()
    """The tally of this invocation (see `tally.py` for the names)."""
    recent: Counted = ()
    """How much each counter has grown within the last `window_s`; those that have not are left
    out."""
    window_s: float = 0.0


_PROGRESS = TypeAdapter(RunProgress)


def save_progress(uri: str | Location, progress: RunProgress) -> None:
    """Write a run's progress as a whole. Raises OSError or an Arrow error where it cannot be."""
    folder = resolve(uri).child("runs", checked_run_id(progress.run_id))
    text = json.dumps(_PROGRESS.dump_python(progress, mode="json"), ensure_ascii=True) + "\n"
    folder.write_whole(_NAME, text.encode())


def load_progress(uri: str | Location, run_id: str) -> RunProgress | None:
    """A run's last progress; `None` where there is none that this version reads."""
    folder = resolve(uri).child("runs", checked_run_id(run_id))
    try:
        content = json.loads(folder.read_whole(_NAME))
        if not isinstance(content, dict) or content.get("version") != PROGRESS_VERSION:
            return None
        return _PROGRESS.validate_python(content, strict=False)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, pa.ArrowException) as error:
        reason = fault_of(error) if isinstance(error, ValidationError) else error
        _log.warning("%s/%s: the progress cannot be read: %s", folder.uri, _NAME, reason)
        return None


# ── Whether the driver lives, for who asks on the same machine ───────────────────────


@contextmanager
def sign_of_life(uri: str | Location, run_id: str) -> Iterator[str]:
    """Hold a lock on a run's folder, which ends with this process however that ends.

    Yields what stands in `RunProgress.machine`. Several drivers of one run may hold it at once.
    """
    folder = resolve(uri).child("runs", checked_run_id(run_id))
    machine = _machine()
    if not machine or not folder.is_local:
        yield ""
        return
    try:
        handle = os.open(folder.path, os.O_RDONLY)
    except OSError:
        yield ""
        return
    try:
        yield machine if _takes(handle, fcntl.LOCK_SH) else ""
    finally:
        os.close(handle)


def has_died(uri: str | Location, progress: RunProgress) -> bool:
    """Whether the driver that left this has ended; False, too, where nobody here can tell."""
    folder = resolve(uri).child("runs", checked_run_id(progress.run_id))
    if not folder.is_local or not progress.machine or progress.machine != _machine():
        return False
    try:
        handle = os.open(folder.path, os.O_RDONLY)
    except OSError:
        return False
    try:
        return _takes(handle, fcntl.LOCK_EX)
    finally:
        os.close(handle)


def _takes(handle: int, kind: int) -> bool:
    """Take a lock; False where others hold it, also after a moment, or where there are none."""
    for _ in range(_TRIES):  # Another reader may hold it for an instant.
        try:
            fcntl.flock(handle, kind | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno != errno.EWOULDBLOCK:
                return False
            time.sleep(0.01)
        else:
            return True
    return False


_TRIES = 5


def _machine() -> str:
    """One machine from one start to the next, in all of its containers; empty where not known."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""
