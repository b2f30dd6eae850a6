"""Leaves a run's progress in its store every few seconds, so that another terminal can see it.

A thread of its own, apart from the one that draws the screen: a store that answers slowly must
hold up nothing. What cannot be written is warned of once, and the run goes on.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Self, TypeAlias

import pyarrow as pa

from ifbench.store.location import Location
from ifbench.store.progress import Counted, RunProgress, save_progress, sign_of_life

_log = logging.getLogger(__name__)

Counts: TypeAlias = Mapping[tuple[str, ...], float]

LOCAL_INTERVAL_S = 2.0
REMOTE_INTERVAL_S = 10.0
"""On an object store each write is a request that may be paid for."""
WINDOW_S = 60.0
"""Rates are told over the last minute: the mean since the start says little after a resume."""
LAST_WRITE_S = 10.0


def interval_s(store: Location) -> float:
    """How often a run's progress is written to this store."""
    return LOCAL_INTERVAL_S if store.is_local else REMOTE_INTERVAL_S


@dataclass(kw_only=True)
class ProgressFile:
    """Writes `counts()` until it is left, and once more then."""

    store: Location
    run_id: str
    counts: Callable[[], Counts]
    steps: tuple[str, ...]
    planned: int
    candidates: Mapping[str, int]
    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    clock: Callable[[], float] = time.monotonic
    save: Callable[[Location, RunProgress], None] = save_progress
    _machine: str = field(default="", init=False)

    def __enter__(self) -> Self:
        self._started_at = self.now()
        self._seen: deque[tuple[float, Counts]] = deque()
        self._is_warned = False
        self._life = sign_of_life(self.store, self.run_id)
        self._machine = self._life.__enter__()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._go_on, daemon=True, name="ifbench-status")
        self._thread.start()
        return self

    def end(self) -> None:
        """Write for the last time; leaving waits until that is done."""
        self._ended.set()

    def __exit__(self, *_: object) -> None:
        self.end()
        self._thread.join(timeout=LAST_WRITE_S)
        self._life.__exit__(None, None, None)

    def progress(self, *, is_over: bool = False) -> RunProgress:
        """What stands now. Each call adds to what the rates are taken from."""
        counts, moment = dict(self.counts()), self.clock()
        self._seen.append((moment, counts))
        while len(self._seen) > 1 and self._seen[1][0] <= moment - WINDOW_S:
            self._seen.popleft()
        first, before = self._seen[0]
        return RunProgress(
            run_id=self.run_id,
            host=socket.gethostname(),
            pid=os.getpid(),
            machine=self._machine,
            started_at=self._started_at,
            written_at=self.now(),
            is_over=is_over,
            planned=self.planned,
            candidates=dict(self.candidates),
            steps=self.steps,
            counts=tuple(sorted(counts.items())),
            recent=grown(before, counts),
            window_s=moment - first,
        )

    def _go_on(self) -> None:
        while True:
            is_over = self._ended.is_set()
            self._write(self.progress(is_over=is_over))
            if is_over:
                return
            self._ended.wait(interval_s(self.store))

    def _write(self, progress: RunProgress) -> None:
        try:
            self.save(self.store, progress)
        except (OSError, pa.ArrowException) as error:
            if not self._is_warned:
                self._is_warned = True
                _log.warning(
                    "`ifbench status` will not see this run: its progress cannot be written: %s",
                    error,
                )
        else:
            self._is_warned = False


def grown(before: Counts, after: Counts) -> Counted:
    """How much each counter has grown, those that have."""
    return tuple(
        (name, amount - before.get(name, 0.0))
        for name, amount in sorted(after.items())
        if amount > before.get(name, 0.0)
    )
