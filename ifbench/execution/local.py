"""The executor of this process: the same steps on one event loop, bounded, without Ray.

Rows stream from step to step. Each step has `workers * in_flight` rows in hand at most and
hands on whatever finishes first, so a slow row holds back nobody. In the first step each lane has
hands of its own, so a slow candidate holds back no other.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack, suppress
from typing import TypeAlias

from ifbench.errors import StoreError
from ifbench.execution.collector import spare_what_is_there
from ifbench.execution.commons import Commons
from ifbench.execution.handling import STORE_IS_FULL, handled
from ifbench.execution.in_hand import InHand
from ifbench.execution.model_servers import Finder
from ifbench.execution.step import Lane, Rows, Seat, Step, Work, lanes_of
from ifbench.tally import Tally
from ifbench.types import Trial

_log = logging.getLogger(__name__)

_Belt: TypeAlias = "asyncio.Queue[Trial | None]"


class LocalExecutor:
    """Runs steps on an event loop in a thread of its own."""

    def __init__(self, tally: Tally | None = None) -> None:
        self.tally = tally or Tally()
        self.servers: Finder | None = None
        self._stopping = threading.Event()
        self._in_hand = InHand()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._failure: StoreError | None = None

    def stop(self) -> None:
        """Begin no further row; the rows in flight go on to the end. Any thread may call."""
        self._stopping.set()

    def let_go(self) -> None:
        """Stop, and cancel the rows in flight; they come out as they went in."""
        self.stop()
        if self._loop is None:
            self._in_hand.let_go()
            return
        with suppress(RuntimeError):  # The loop has ended, and with it every row.
            self._loop.call_soon_threadsafe(self._in_hand.let_go)

    def counts(self) -> dict[tuple[str, ...], float]:
        """What has happened so far."""
        return self.tally.snapshot()

    def run(self, rows: Rows, steps: tuple[Step, ...]) -> Iterator[Trial]:
        """Yield finished rows. An exception of a step's `build` ends the run and is raised here.

        So does a store that takes no more answers, once the rows in flight have come in: what they
        were answered is paid for, and is set aside.
        """
        finished: queue.Queue[Trial | BaseException | None] = queue.Queue(maxsize=1024)
        gone = threading.Event()  # set when the caller stops reading
        thread = threading.Thread(
            target=self._drive,
            args=(rows, steps, finished, gone),
            daemon=True,
            name="ifbench-local",
        )
        thread.start()
        try:
            while (row := finished.get()) is not None:
                if isinstance(row, BaseException):
                    raise row
                yield row
        finally:
            gone.set()  # Ends this run alone: another group of rows may follow.
            while thread.is_alive():
                _drain(finished)
                thread.join(timeout=0.05)

    def _drive(
        self,
        rows: Rows,
        steps: tuple[Step, ...],
        finished: queue.Queue[Trial | BaseException | None],
        gone: threading.Event,
    ) -> None:
        try:
            asyncio.run(self._flow(lanes_of(rows, steps[0]), steps, finished, gone))
        except BaseException as error:  # noqa: BLE001 - handed to the caller's thread, raised there
            finished.put(_first(error))
        else:
            finished.put(None)

    async def _flow(
        self,
        lanes: tuple[Lane, ...],
        steps: tuple[Step, ...],
        finished: queue.Queue[Trial | BaseException | None],
        gone: threading.Event,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        async with AsyncExitStack() as stack:
            commons = await stack.enter_async_context(Commons())
            seat = Seat(
                tally=self.tally,
                stopping=lambda: self._is_over(gone),
                commons=commons,
                servers=self.servers,
            )
            works = [await stack.enter_async_context(step.build(seat)) for step in steps]
            spare_what_is_there()
            # A belt before each lane of the first step and before each further step, and one out.
            widths = [max(1, steps[0].workers * lane.in_flight) for lane in lanes]
            starts: list[_Belt] = [asyncio.Queue(maxsize=width) for width in widths]
            belts: list[_Belt] = [asyncio.Queue(maxsize=_width(step)) for step in steps[1:]]
            belts.append(asyncio.Queue(maxsize=64))
            async with asyncio.TaskGroup() as tasks:
                for lane, belt, width in zip(lanes, starts, widths, strict=True):
                    tasks.create_task(self._feed(iter(lane.rows), belt, width, gone))
                for i, (step, work) in enumerate(zip(steps, works, strict=True)):
                    next_width = _width(steps[i + 1]) if i + 1 < len(steps) else 1
                    sources = starts if i == 0 else belts[i - 1 : i]
                    readers = widths if i == 0 else [_width(step)]
                    tasks.create_task(
                        self._station(
                            step,
                            work,
                            tuple(zip(sources, readers, strict=True)),
                            belts[i],
                            next_width,
                        )
                    )
                tasks.create_task(_deliver(belts[-1], finished, gone))
            if self._failure is not None:
                raise self._failure

    def _is_over(self, gone: threading.Event) -> bool:
        return self._stopping.is_set() or gone.is_set() or self._failure is not None

    async def _feed(
        self, rows: Iterator[Trial], belt: _Belt, readers: int, gone: threading.Event
    ) -> None:
        for row in rows:
            if self._is_over(gone):
                break
            await belt.put(row)
        for _ in range(readers):
            await belt.put(None)

    async def _station(
        self,
        step: Step,
        work: Work,
        sources: tuple[tuple[_Belt, int], ...],
        target: _Belt,
        next_readers: int,
    ) -> None:
        """Carry what comes over each belt, with so many hands; the next step ends after the last."""
        async with asyncio.TaskGroup() as tasks:
            for source, readers in sources:
                for _ in range(readers):
                    tasks.create_task(self._carry(step.name, work, source, target))
        for _ in range(next_readers):
            await target.put(None)

    async def _carry(self, name: str, work: Work, source: _Belt, target: _Belt) -> None:
        while (row := await source.get()) is not None:
            try:
                done = await handled(row, work, name, self._in_hand, self.tally)
            except StoreError as error:
                if self._failure is None:
                    _log.warning(STORE_IS_FULL)
                self._failure = (
                    error  # The last one knows what has become of the answers before it.
                )
                continue
            await target.put(done)


async def _deliver(
    belt: _Belt, finished: queue.Queue[Trial | BaseException | None], gone: threading.Event
) -> None:
    """Pass rows to the caller's thread without blocking the loop on a slow reader."""
    while (row := await belt.get()) is not None:
        while not gone.is_set():
            try:
                finished.put_nowait(row)
                break
            except queue.Full:
                await asyncio.sleep(0.01)


def _first(error: BaseException) -> BaseException:
    """The error that a user can act on, out of the groups that task groups wrap it in."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _width(step: Step) -> int:
    return max(1, step.workers * step.in_flight)


def _drain(finished: queue.Queue[Trial | BaseException | None]) -> None:
    while True:
        try:
            finished.get_nowait()
        except queue.Empty:
            return
