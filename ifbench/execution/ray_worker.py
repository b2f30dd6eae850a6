"""A worker on Ray: an actor that owns an event loop, and does the work of its steps on it.

It is a plain class that owns its event loop in a thread, since an async class shares one loop with
whatever Ray fuses into it and hands rows back in input order. It may run a block twice after a
crash: what it had been answered is in the journal by then, so nothing is paid twice.
"""

from __future__ import annotations

import asyncio
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import Any

import pyarrow as pa

from ifbench.errors import StoreError
from ifbench.execution.collector import spare_what_is_there
from ifbench.execution.crashes import Places, row_id, row_name, set_apart
from ifbench.execution.handling import handled
from ifbench.execution.in_hand import InHand
from ifbench.execution.leaving import is_leaving
from ifbench.execution.model_servers import Finder
from ifbench.execution.ray_blocks import block_of, trials_of
from ifbench.execution.ray_board import Order, Told
from ifbench.execution.ray_limiter import RayLimiter
from ifbench.execution.ray_metrics import open_metrics
from ifbench.execution.step import Seat, Step, Work
from ifbench.logs import Logging, start_logging
from ifbench.tally import Tally, over_runs
from ifbench.types import Trial

REPORT_INTERVAL_S = 0.5


class Worker:
    """One actor of a pool: an event loop in a thread, and on it the work of a step, and of those
    that follow it and take no pool of their own.
    """

    def __init__(
        self,
        steps: tuple[Step, ...],
        board: Any,
        run: str,
        spent_usd: float,
        logs: Logging,
        servers: Finder | None,
        most_crashes: int,
    ) -> None:
        import ray

        start_logging(logs)  # To this process's file in Ray's session folder.
        self._ray, self._board = ray, board
        self._name, self._most_crashes = steps[0].name, most_crashes
        here = ray.get_runtime_context()
        self._id = here.get_actor_id()  # The same after a restart.
        told = self._ask_board("start", self._id, self._name)
        # A worker that takes the place of a dead one asks of each block, whatever the board knows:
        # of a row that kills at once nobody may have heard.
        self._is_successor: bool = here.was_current_actor_reconstructed
        self._asks_first = self._is_successor or bool(told and told.have_died)
        self._tally, self._metrics = Tally(), open_metrics()
        self._stopping = threading.Event()
        self._in_hand = InHand()
        self._failure = ""
        """Why answers can no longer be stored."""
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._open = AsyncExitStack()
        seat = Seat(
            run=run,
            spent_usd=spent_usd,
            find_limiter=RayLimiter,
            tally=self._tally,
            stopping=self._stopping.is_set,
            servers=servers,
        )
        self._works: tuple[tuple[str, Work], ...] = self._on_loop(self._open_all(steps, seat))
        self._places: Places = self._on_loop(self._make_places(steps))
        self._staying: asyncio.Event = self._on_loop(self._make_staying())
        spare_what_is_there()
        threading.Thread(target=self._report, daemon=True).start()

    def __call__(self, block: pa.Table) -> pa.Table:
        rows, name = trials_of(block), uuid.uuid4().hex
        # Told before anything is done, for what is done may be the end of this process.
        ids = [row_id(self._name, row) for row in rows]
        if self._asks_first:
            deaths = self._ask_board("begin_block", self._id, name, ids) or (0,) * len(rows)
            done = self._on_loop(self._all(rows, deaths, _nothing))
        else:
            enter = _Once(partial(self._board.enter_block.remote, self._id, name, ids))
            done = self._on_loop(self._all(rows, (0,) * len(rows), enter))
        # Sent before the block is: an actor may be let go right after its last block.
        if self._failure:
            self._board.fail.remote(self._id, self._failure)
        self._board.report.remote(self._counts(), (self._id, name))
        return block_of(done)

    def _ask_board(self, what: str, *words: Any) -> Any:
        """`None` where it restarts, or its node has gone: then it has forgotten everything."""
        try:
            return self._ray.get(getattr(self._board, what).remote(*words), timeout=10)
        except self._ray.exceptions.RayError:
            return None

    def _counts(self) -> dict[tuple[str, ...], float]:
        """What has been counted since the last time, told to Ray's metrics as well."""
        counts = self._tally.drain()
        if self._metrics is not None:
            self._metrics.add(over_runs(counts))
        return counts

    async def _open_all(self, steps: tuple[Step, ...], seat: Seat) -> tuple[tuple[str, Work], ...]:
        opening = [
            (step.name, await self._open.enter_async_context(step.build(seat))) for step in steps
        ]
        return tuple(opening)

    async def _make_places(self, steps: tuple[Step, ...]) -> Places:
        return Places(max(step.in_flight for step in steps), self._most_crashes)

    async def _make_staying(self) -> asyncio.Event:
        staying = asyncio.Event()
        staying.set()
        return staying

    async def _all(
        self, rows: Sequence[Trial], deaths: Sequence[int], enter: Callable[[], None]
    ) -> list[Trial]:
        pairs = zip(rows, deaths, strict=True)
        done = await asyncio.gather(*(self._tried(row, times, enter) for row, times in pairs))
        return [row for row in done if row is not None]

    async def _tried(self, row: Trial, deaths: int, enter: Callable[[], None]) -> Trial | None:
        """The row; `None` where its answer cannot be stored. Then this worker asks no more, and the
        rows in flight come in: raised here, they would die with the pools, though they are paid for.
        """
        try:
            return await self._one(row, deaths, enter)
        except StoreError as error:
            self._failure = str(error)  # The last one knows what has become of the answers before.
            self._stopping.set()
            return None

    async def _one(self, row: Trial, deaths: int, enter: Callable[[], None]) -> Trial:
        if deaths >= self._most_crashes:
            row, deaths = set_apart(row, self._name, deaths), 0
        if deaths:
            return await self._watched(row, deaths, enter)
        await self._places.take()
        try:
            return await self._through(row, enter)
        finally:
            self._places.give_back()

    async def _watched(self, row: Trial, deaths: int, enter: Callable[[], None]) -> Trial:
        """A row that workers have died with is entered by itself; others stand with their block."""
        name = row_id(self._name, row)
        async with self._places.place(deaths):
            await self._staying.wait()
            await asyncio.to_thread(self._ask_board, "begin_row", self._id, name)
            row = await self._through(row, enter)
            self._board.report.remote({}, (self._id, row_name(name)))
            return row

    async def _through(self, row: Trial, enter: Callable[[], None]) -> Trial:
        # On a node that goes, a row that has not begun stays until Ray gives it to another.
        await self._staying.wait()
        enter()
        for step, work in self._works:
            row = await handled(row, work, step, self._in_hand, self._tally)
        return row

    def _on_loop(self, coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    def _report(self) -> None:
        while True:
            time.sleep(REPORT_INTERVAL_S)
            held = is_leaving() and not self._stopping.is_set()
            self._loop.call_soon_threadsafe(self._staying.clear if held else self._staying.set)
            if held:
                self._board.excuse.remote(self._id)
            if self._failure:  # Time and again: the board may have been lost.
                self._board.fail.remote(self._id, self._failure)
            try:
                told: Told = self._ray.get(self._board.report.remote(self._counts()), timeout=10)
            except self._ray.exceptions.RayError:
                continue
            self._asks_first = self._is_successor or told.have_died
            if told.order >= Order.STOP:
                self._stopping.set()
            if told.order is Order.LET_GO:
                self._loop.call_soon_threadsafe(self._in_hand.let_go)


class _Once:
    """Enters a block with the board as the first of its rows begins: none has done harm before.

    While no worker has died nobody waits for the reply, which would cost a twentieth of a call.
    What is sent takes less than a millisecond; a death before that is not counted, and the worker
    that comes next asks.
    """

    def __init__(self, enter: Callable[[], object]) -> None:
        self._enter: Callable[[], object] = enter

    def __call__(self) -> None:
        enter, self._enter = self._enter, _nothing
        enter()


def _nothing() -> None:
    """The board knows already."""
