"""A worker of a step on Ray: an actor that owns an event loop, and does the step's work on it.

It is a plain class that owns its event loop in a thread, since an async class shares one loop with
whatever Ray fuses into it and hands rows back in input order. It may run a block twice after a
crash: what it had been answered is in the journal by then, so nothing is paid twice.
"""

from __future__ import annotations

import asyncio
import threading
import time
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pyarrow as pa

from ifbench.constraints import all_constraints
from ifbench.execution.crashes import Places, row_id, row_name, set_apart
from ifbench.execution.handling import handled
from ifbench.execution.in_hand import InHand
from ifbench.execution.leaving import is_leaving
from ifbench.execution.model_servers import Finder
from ifbench.execution.ray_blocks import block_of, trials_of
from ifbench.execution.ray_board import Order
from ifbench.execution.ray_limiter import RayLimiter
from ifbench.execution.ray_metrics import open_metrics
from ifbench.execution.step import Seat, Step, Work
from ifbench.logs import Logging, start_logging
from ifbench.tally import Tally, over_runs
from ifbench.types import Trial

REPORT_INTERVAL_S = 0.5


class Worker:
    """One actor of a step's pool: an event loop in a thread, and the step's work on it."""

    def __init__(
        self,
        step: Step,
        board: Any,
        run: str,
        logs: Logging,
        servers: Finder | None,
        most_crashes: int,
    ) -> None:
        import ray

        start_logging(logs)  # To this process's file in Ray's session folder.
        all_constraints()  # Before there are threads; see `ray_blocks`.
        self._ray, self._board, self._step = ray, board, step
        self._most_crashes = most_crashes
        self._id = ray.get_runtime_context().get_actor_id()  # The same after a restart.
        self._ask_board("start", self._id, step.name)
        self._tally, self._metrics = Tally(), open_metrics()
        self._stopping = threading.Event()
        self._in_hand = InHand()
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._context: AbstractAsyncContextManager[Work] = step.build(
            Seat(
                run=run,
                find_limiter=RayLimiter,
                tally=self._tally,
                stopping=self._stopping.is_set,
                servers=servers,
            )
        )
        self._work: Work = self._on_loop(self._context.__aenter__())
        self._places: Places = self._on_loop(self._make_places())
        self._staying: asyncio.Event = self._on_loop(self._make_staying())
        threading.Thread(target=self._report, daemon=True).start()

    def __call__(self, block: pa.Table) -> pa.Table:
        rows, name = trials_of(block), uuid.uuid4().hex
        # Told before anything is done, for what is done may be the end of this process.
        ids = [row_id(self._step.name, row) for row in rows]
        deaths = self._ask_board("begin_block", self._id, name, ids) or (0,) * len(rows)
        done = self._on_loop(self._all(rows, deaths))
        # Sent before the block is: an actor may be let go right after its last block.
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

    async def _make_places(self) -> Places:
        return Places(self._step.in_flight, self._most_crashes)

    async def _make_staying(self) -> asyncio.Event:
        staying = asyncio.Event()
        staying.set()
        return staying

    async def _all(self, rows: Sequence[Trial], deaths: Sequence[int]) -> list[Trial]:
        pairs = zip(rows, deaths, strict=True)
        return await asyncio.gather(*(self._one(row, times) for row, times in pairs))

    async def _one(self, row: Trial, deaths: int) -> Trial:
        if deaths >= self._most_crashes:
            row, deaths = set_apart(row, self._step.name, deaths), 0
        async with self._places.place(deaths):
            # On a node that goes, a row that has not begun stays until Ray gives it to another.
            await self._staying.wait()
            async with self._watched(row, deaths):
                return await handled(row, self._work, self._step.name, self._in_hand, self._tally)

    @asynccontextmanager
    async def _watched(self, row: Trial, deaths: int) -> AsyncIterator[None]:
        """Enter a row by itself that workers have died with; others stand with their block."""
        if not deaths:
            yield
            return
        name = row_id(self._step.name, row)
        await asyncio.to_thread(self._ask_board, "begin_row", self._id, name)
        yield
        self._board.report.remote({}, (self._id, row_name(name)))

    def _on_loop(self, coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    def _report(self) -> None:
        while True:
            time.sleep(REPORT_INTERVAL_S)
            held = is_leaving() and not self._stopping.is_set()
            self._loop.call_soon_threadsafe(self._staying.clear if held else self._staying.set)
            if held:
                self._board.excuse.remote(self._id)
            try:
                order = self._ray.get(self._board.report.remote(self._counts()), timeout=10)
            except self._ray.exceptions.RayError:
                continue
            if order >= Order.STOP:
                self._stopping.set()
            if order is Order.LET_GO:
                self._loop.call_soon_threadsafe(self._in_hand.let_go)
