"""A worker's side of a run's purse: money is set aside before a call and settled after it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from ifbench.engines.purse import Purse, PurseGrant, PurseReport


class SpentError(Exception):
    """The run's spending cap leaves no room for the call."""


class Spending:
    """What one worker holds of a run's money. Used from one event loop.

    `ask_soon` has a report sent to whoever keeps the purse; `follow` takes its answer.
    """

    def __init__(self, cap: float, run: str, ask_soon: Callable[[], None]) -> None:
        self._cap, self._run, self._ask_soon = cap, run, ask_soon
        self._queue: deque[tuple[asyncio.Future[None], float]] = deque()
        self._spent = self._gone = self._all = self._held = self._committed = 0.0
        self._is_empty = False

    async def reserve(self, usd: float) -> None:
        """Wait until the money for a call is there. Raises `SpentError` where it never will be."""
        if usd <= 0:
            return
        if self._is_empty:
            raise SpentError(self._words(usd))
        ticket: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.append((ticket, usd))
        self._serve()
        if not ticket.done():
            self._ask_soon()
        try:
            await ticket
        except asyncio.CancelledError:
            if ticket.done() and not ticket.cancelled() and ticket.exception() is None:
                self.settle(usd, 0.0)
            raise

    def settle(self, reserved: float, used: float) -> None:
        """A call for which `reserved` was set aside has cost `used`."""
        self._committed = max(0.0, self._committed - reserved)
        self._spent += used
        self._held = max(0.0, self._held - used)
        self._serve()
        if self._queue:
            self._ask_soon()

    def report(self) -> PurseReport:
        """What has been spent and what is wanted."""
        while self._queue and self._queue[0][0].done():
            self._queue.popleft()
        return PurseReport(
            run=self._run,
            cap=self._cap,
            spent=self._spent,
            gone=self._gone,
            held=self._held,
            committed=self._committed,
            next=self._queue[0][1] if self._queue else 0.0,
            wanted=sum(usd for ticket, usd in self._queue if not ticket.done()),
        )

    def follow(self, grant: PurseGrant, asked: PurseReport) -> None:
        """Go on as granted in answer to `asked`; what was spent meanwhile is taken off."""
        self._held = max(0.0, grant.held - (self._spent - asked.spent))
        self._all, self._gone = grant.spent, grant.gone
        self._is_empty = grant.is_empty
        self._serve()

    def _words(self, usd: float) -> str:
        left = max(0.0, self._cap - self._all)
        why = (
            f"a call may cost ${usd:,.4f} at its longest"
            if usd > left
            else "that was too little for a call before this one"
        )
        return f"${left:,.4f} of max_usd is left, and {why}"

    def _serve(self) -> None:
        while self._queue:
            ticket, usd = self._queue[0]
            if not ticket.done():
                if self._is_empty:
                    ticket.set_exception(SpentError(self._words(usd)))
                elif self._committed + usd <= self._held + 1e-12:
                    self._committed += usd
                    ticket.set_result(None)
                else:
                    return
            self._queue.popleft()


def local_spending(cap: float) -> Spending:
    """The money of a run that one process spends."""
    purse = Purse(learning_until=0.0)

    def ask() -> None:
        asked = spending.report()
        spending.follow(purse.report("", asked, 0.0), asked)

    spending = Spending(cap, "", ask)
    return spending
