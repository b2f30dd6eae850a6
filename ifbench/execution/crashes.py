"""Samples that take their worker down: who was in hand when one died, and what becomes of them.

A worker that dies (memory, a native crash in a decoder, a node that goes) is started anew and
gets the same rows again, for ever if one of them is why it died. The ledger counts for each row
how many workers have died with it in hand. The more they are, the fewer of such rows a worker
takes at once: all at first, then few, the last time one alone, so that it is known which it was.
That one is set apart; its neighbours have passed. The loss of a node counts like any other death,
as a row that eats all memory may take its node along, unless the node has said that it goes.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import TypeAlias

from ifbench.types import Failure, FailureKind, Purpose, Response, Trial

RowId: TypeAlias = tuple[str, str, str, str, int]
"""Step, run, sample, candidate, attempt."""


def row_id(step: str, row: Trial) -> RowId:
    """What tells a row of a step from every other, in every worker alike."""
    return (step, row.run, row.item.sample.id, row.item.candidate.name, row.item.attempt)


def row_name(row: RowId) -> str:
    """The name under which a row is entered by itself."""
    return "/".join(map(str, row))


class Ledger:
    """Which rows each worker has in hand, and how many deaths each row was there at.

    A block is entered as a whole, since a message for each row would cost as much as its call. Rows
    that a worker has died with wait in their block until it is their turn: they are entered one by
    one then.
    """

    def __init__(self) -> None:
        self._in_hand: dict[str, dict[str, tuple[RowId, ...]]] = {}
        self._deaths: Counter[RowId] = Counter()

    def begin_block(self, worker: str, name: str, rows: Sequence[RowId]) -> tuple[int, ...]:
        """Enter the rows that nobody died with, and tell of each how many did."""
        deaths = tuple(self._deaths[row] for row in rows)
        fresh = tuple(row for row, times in zip(rows, deaths, strict=True) if not times)
        self._in_hand.setdefault(worker, {})[name] = fresh
        return deaths

    def enter_block(self, worker: str, name: str, rows: Sequence[RowId]) -> None:
        """Enter all rows: the worker takes them at once, as it knows of no death."""
        self._in_hand.setdefault(worker, {})[name] = tuple(rows)

    @property
    def has_deaths(self) -> bool:
        """Whether there is a row that a worker has died with and that has not ended well since."""
        return bool(self._deaths)

    def begin_row(self, worker: str, row: RowId) -> None:
        """Enter a row that workers died with, as its turn comes."""
        self._in_hand.setdefault(worker, {})[row_name(row)] = (row,)

    def end(self, worker: str, name: str) -> None:
        """A block has been handed on, or a row's turn is over: the worker lives."""
        for row in self._in_hand.get(worker, {}).pop(name, ()):
            self._deaths.pop(row, None)

    def excuse(self, worker: str) -> None:
        """The worker's machine has said that it goes: its end will be no row's fault."""
        self._in_hand.pop(worker, None)

    def begin_worker(self, worker: str) -> int:
        """A worker starts: what it had in hand before, it died with. Returns how many rows."""
        lost = [row for rows in self._in_hand.pop(worker, {}).values() for row in rows]
        self._deaths.update(lost)
        return len(lost)


class Places:
    """The rows that a worker has in work at once. Used on one event loop."""

    def __init__(self, width: int, most_deaths: int) -> None:
        self._width = width
        self._most = most_deaths
        self._all = asyncio.Semaphore(width)
        self._few: dict[int, asyncio.Semaphore] = {}
        self._alone = asyncio.Lock()
        self._want_alone = 0
        self._open = _event(is_set=True)
        self._empty = _event(is_set=True)
        self._in_work = 0

    @asynccontextmanager
    async def place(self, deaths: int) -> AsyncIterator[None]:
        """A place for a row that so many workers died with."""
        if 0 < deaths == self._most - 1:
            async with self._by_itself():
                self._begin()
                try:
                    yield
                finally:
                    self._leave()
            return
        async with AsyncExitStack() as stack:
            if deaths:
                await stack.enter_async_context(self._few_of(deaths))
            await self.take()
            stack.callback(self.give_back)
            yield

    async def take(self) -> None:
        """A place for a row that nobody died with; a context for each would cost more than this."""
        await self._all.acquire()
        try:
            while not self._open.is_set():
                await self._open.wait()
        except BaseException:
            self._all.release()
            raise
        self._begin()

    def give_back(self) -> None:
        """The row that took a place has ended."""
        self._leave()
        self._all.release()

    def _begin(self) -> None:
        self._in_work += 1
        self._empty.clear()

    def _leave(self) -> None:
        self._in_work -= 1
        if not self._in_work:
            self._empty.set()

    @asynccontextmanager
    async def _by_itself(self) -> AsyncIterator[None]:
        """No other row begins, and those in work have ended."""
        self._want_alone += 1
        self._open.clear()
        try:
            async with self._alone:
                await self._empty.wait()
                yield
        finally:
            self._want_alone -= 1
            if not self._want_alone:
                self._open.set()

    def _few_of(self, deaths: int) -> asyncio.Semaphore:
        if deaths not in self._few:
            self._few[deaths] = asyncio.Semaphore(places_for(deaths, self._width, self._most))
        return self._few[deaths]


def places_for(deaths: int, width: int, most_deaths: int) -> int:
    """Rows at once of those that so many workers died with: from all to one, by equal ratios.

    Each death then narrows down as much as any other which row it is.
    """
    share: float = max(0, most_deaths - 1 - deaths) / max(1, most_deaths - 1)
    return max(1, round(math.pow(width, share)))


def set_apart(row: Trial, step: str, deaths: int) -> Trial:
    """The row as one that no worker is given any more: its candidate's failure, nobody's fault.

    Steps settle such a row without looking at what may be wrong with it. Nothing is stored, so
    the next run tries it again.
    """
    response = row.response or Response(
        key="", purpose=Purpose.CANDIDATE, model=row.item.candidate.model
    )
    times = "once" if deaths == 1 else f"{deaths} times"
    failure = Failure(
        kind=FailureKind.CRASH,
        message=f"the worker of step {step} died {times} with this sample in hand",
    )
    return replace(row, response=replace(response, text="", reasoning="", failure=failure))


def _event(*, is_set: bool) -> asyncio.Event:
    event = asyncio.Event()
    if is_set:
        event.set()
    return event
