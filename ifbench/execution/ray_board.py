"""The board of a run: a small actor beside the driver, which all workers report to."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from enum import IntEnum

from ifbench.execution.crashes import Ledger, RowId
from ifbench.tally import Tally


class Order(IntEnum):
    """What the driver has its workers do."""

    GO_ON = 0
    STOP = 1
    """Begin no further call."""
    LET_GO = 2
    """Wait for no call either."""


class Board:
    """One small actor: gathers the workers' counts and what they have in hand, and tells them to
    stop.
    """

    def __init__(self) -> None:
        self._tally = Tally()
        self._order = Order.GO_ON
        self._ledger = Ledger()
        self._lock = threading.Lock()

    def report(
        self, counts: dict[tuple[str, ...], float], ended: tuple[str, str] | None = None
    ) -> Order:
        """Take counts, and perhaps a worker and the name of what it has just handed on."""
        self._tally.merge(counts)
        if ended is not None:
            with self._lock:
                self._ledger.end(*ended)
        return self._order

    def start(self, worker: str, step: str) -> None:
        """A worker is there, for the first time or after it has died."""
        with self._lock:
            lost = self._ledger.begin_worker(worker)
        if lost:
            self._tally.merge({("workers", step, "died"): 1, ("workers", step, "rows"): lost})

    def begin_block(self, worker: str, name: str, rows: Sequence[RowId]) -> tuple[int, ...]:
        """See `Ledger.begin_block`."""
        with self._lock:
            return self._ledger.begin_block(worker, name, rows)

    def begin_row(self, worker: str, row: RowId) -> None:
        """See `Ledger.begin_row`."""
        with self._lock:
            self._ledger.begin_row(worker, row)

    def excuse(self, worker: str) -> None:
        """See `Ledger.excuse`."""
        with self._lock:
            self._ledger.excuse(worker)

    def collect(self, order: Order) -> dict[tuple[str, ...], float]:
        self._order = max(self._order, order)
        return self._tally.drain()
