"""The board of a run: a small actor beside the driver, which all workers report to."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

from ifbench.execution.crashes import Ledger, RowId
from ifbench.tally import Counts, Tally


class Order(IntEnum):
    """What the driver has its workers do."""

    GO_ON = 0
    STOP = 1
    """Begin no further call."""
    LET_GO = 2
    """Wait for no call either."""


class Told(NamedTuple):
    """What a worker is told when it reports."""

    order: Order
    have_died: bool
    """Whether there are rows that workers have died with: then each block is asked about."""


class Heard(NamedTuple):
    """What the driver is told when it collects."""

    counts: Counts
    failures: tuple[str, ...]
    """Why workers cannot store what they are answered, in the words of each; none while they can."""


class Board:
    """Gathers the workers' counts and what they have in hand, and tells them to stop.

    It does one thing at a time, and what one worker sends in the order in which it was sent: a
    block is never ended before it was entered.
    """

    def __init__(self) -> None:
        self._tally = Tally()
        self._order = Order.GO_ON
        self._ledger = Ledger()
        self._failures: dict[str, str] = {}

    def report(self, counts: Counts, ended: tuple[str, str] | None = None) -> Told:
        """Take counts, and perhaps a worker and the name of what it has just handed on."""
        self._tally.merge(counts)
        if ended is not None:
            self._ledger.end(*ended)
        return Told(self._order, self._ledger.has_deaths)

    def start(self, worker: str, step: str) -> Told:
        """A worker is there, for the first time or after it has died."""
        lost = self._ledger.begin_worker(worker)
        if lost:
            self._tally.merge({("workers", step, "died"): 1, ("workers", step, "rows"): lost})
        return Told(self._order, self._ledger.has_deaths)

    def enter_block(self, worker: str, name: str, rows: Sequence[RowId]) -> None:
        """See `Ledger.enter_block`."""
        self._ledger.enter_block(worker, name, rows)

    def begin_block(self, worker: str, name: str, rows: Sequence[RowId]) -> tuple[int, ...]:
        """See `Ledger.begin_block`."""
        return self._ledger.begin_block(worker, name, rows)

    def begin_row(self, worker: str, row: RowId) -> None:
        """See `Ledger.begin_row`."""
        self._ledger.begin_row(worker, row)

    def excuse(self, worker: str) -> None:
        """See `Ledger.excuse`."""
        self._ledger.excuse(worker)

    def fail(self, worker: str, words: str) -> None:
        """A worker's store takes no more answers: nobody is to ask any more. The last words count."""
        self._failures[worker] = words
        self._order = max(self._order, Order.STOP)

    def collect(self, order: Order) -> Heard:
        """What has been counted since the last time; the order is told to those who report."""
        self._order = max(self._order, order)
        return Heard(self._tally.drain(), tuple(dict.fromkeys(self._failures.values())))
