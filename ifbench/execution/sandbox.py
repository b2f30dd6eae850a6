"""Runs checks in a process of their own, so that one that hangs or eats memory can be killed.

A check has `time_s` seconds of processor time (and four times that on the clock, for one
that waits) and `memory_mb` megabytes. One that exceeds a bound is *undecided*: its process is
replaced, and its neighbours finish. One that runs out of memory in a process that has done
others before is tried again in a new one, so that no text is held against the next. A process
costs its imports once, not once a check.
"""

from __future__ import annotations

import asyncio
import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from itertools import islice
from types import TracebackType
from typing import NamedTuple, Self, TypeAlias

from ifbench.constraints.constraint import MAX_CHARACTERS, Check, undecided
from ifbench.constraints.running import CheckCall
from ifbench.errors import PrerequisiteError
from ifbench.execution.check_frames import MEMORY, EncodedCall, decode_check, encode_call
from ifbench.execution.check_process import CheckProcess, ProcessEndedError
from ifbench.types import Cause

WALL_FACTOR = 4
"""A check that waits rather than works is given this many times its processor time."""
MAX_BATCH_CALLS = 512
MAX_BATCH_CHARACTERS = 4_000_000
STARTS = 3
"""Tries to get calls into a process before they are given up."""

Results: TypeAlias = list[Check | None]


class Sandbox:
    """Owns one child process and the thread that talks to it; any thread or loop may ask.

    Close it, or use it as a context manager. The child also ends when this process does.
    """

    def __init__(
        self,
        *,
        time_s: float = 5.0,
        memory_mb: int = 1024,
        catalogue: str = "ifbench.constraints:all_constraints",
    ) -> None:
        """`catalogue` names the function (`module:function`) that returns the constraints."""
        self._runner = _Runner(time_s=time_s, memory_mb=memory_mb, catalogue=catalogue)
        self._changed = threading.Condition()
        self._waiting: list[_Request] = []
        self._is_closed = False
        # One thread starts every process: Linux ends a child with the *thread* that started it.
        self._thread = threading.Thread(target=self._serve, name="ifbench-sandbox", daemon=True)
        self._thread.start()

    def start(self) -> None:
        """Start the process now. Raises `PrerequisiteError` when it cannot be started."""
        started: Future[Results] = Future()
        self._submit(_Request((), started))
        started.result()

    def run(self, calls: Sequence[CheckCall]) -> Results:
        """Every call's check, in order; `None` where the extractor must be asked.

        Never raises for what a check does. Blocks: a coroutine uses `check`.
        """
        if not calls:
            return []
        waiter: Future[Results] = Future()
        self._submit(_Request(tuple(calls), waiter))
        return waiter.result()

    async def check(self, calls: Sequence[CheckCall]) -> Results:
        """As `run`; what concurrent rows ask for goes to the process in one batch."""
        if not calls:
            return []
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[Results] = loop.create_future()
        self._submit(_Request(tuple(calls), waiter))
        return await waiter

    def close(self) -> None:
        """End the process and the thread. Calls that still wait are undecided, cause *not run*."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        self._runner.stop()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _submit(self, request: _Request) -> None:
        with self._changed:
            if self._is_closed:
                raise RuntimeError("the sandbox is closed")
            self._waiting.append(request)
            self._changed.notify()

    def _serve(self) -> None:
        while requests := self._take():
            for calls, waiter in requests:
                if not calls and isinstance(waiter, Future):
                    self._runner.start(waiter)
            asking = [request for request in requests if request.calls]
            results = iter(self._run([call for request in asking for call in request.calls]))
            _deliver([(request, list(islice(results, len(request.calls)))) for request in asking])
        self._runner.drop()

    def _run(self, calls: Sequence[CheckCall]) -> Results:
        """Every call's check. Whatever goes wrong here, nobody is left to wait for ever."""
        try:
            return self._runner.run(calls)
        except Exception as error:  # noqa: BLE001  # The thread's death would leave all waiting.
            self._runner.drop()
            return [_no_process(call, error) for call in calls]

    def _take(self) -> Sequence[_Request]:
        """All that waits, as soon as something does; nothing once the sandbox is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_closed)
            requests, self._waiting = self._waiting, []
        return requests


# ── Requests ─────────────────────────────────────────────────────────────────────────


class _Request(NamedTuple):
    """What one caller waits for, in its loop or in its thread. No calls: only start."""

    calls: tuple[CheckCall, ...]
    waiter: asyncio.Future[Results] | Future[Results]


_Answer: TypeAlias = tuple["asyncio.Future[Results]", Results]


def _deliver(answers: Sequence[tuple[_Request, Results]]) -> None:
    by_loop: defaultdict[asyncio.AbstractEventLoop, list[_Answer]] = defaultdict(list)
    for request, results in answers:
        waiter = request.waiter
        if isinstance(waiter, Future):
            waiter.set_result(results)
        else:
            by_loop[waiter.get_loop()].append((waiter, results))
    for loop, settled in by_loop.items():
        with suppress(RuntimeError):  # The loop is closed, and nobody waits on it.
            # One call a loop: waking it up is what costs.
            loop.call_soon_threadsafe(_settle, settled)


def _settle(answers: Sequence[_Answer]) -> None:
    for waiter, results in answers:
        if not waiter.done():  # The row may have been cancelled.
            waiter.set_result(results)


# ── Running, on the sandbox's own thread ─────────────────────────────────────────────


class Deaths:
    """The deaths of processes over one batch, and whether they show who is to blame.

    A process that a signal ends dies in the call in work. One that ends by itself may have ended
    because it could not tell a result, and so may one that dies again: then each of the calls that
    are left is told at once, so that the next death can be one call's alone.
    """

    def __init__(self) -> None:
        self._count = 0
        self.are_doubtful = False
        """Whether calls are to be told singly from now on."""

    def show(self, error: TimeoutError | ProcessEndedError, *, untold: int) -> bool:
        """Note a death with so many results untold; whether the call in work is to blame."""
        by_itself = isinstance(error, ProcessEndedError) and not error.by_signal
        is_shown = not (by_itself and untold)
        self._count += 1
        self.are_doubtful = self.are_doubtful or not is_shown or self._count > 1
        return is_shown


class _Runner:
    """Puts calls through a process, and replaces the process when a check breaks it."""

    def __init__(self, *, time_s: float, memory_mb: int, catalogue: str) -> None:
        self._time_s = time_s
        self._memory_mb = memory_mb
        self._catalogue = catalogue
        self._process: CheckProcess | None = None
        self._is_stopping = False

    def start(self, waiter: Future[Results]) -> None:
        """Start the process and settle the future, with the error where it does not start."""
        try:
            self._started()
        except PrerequisiteError as error:
            waiter.set_exception(error)
        else:
            waiter.set_result([])

    def run(self, calls: Sequence[CheckCall]) -> Results:
        """Every call's check, in order."""
        results: Results = []
        for batch in _batches(calls):
            first, *others = batch
            if not others and len(first.text) > MAX_CHARACTERS:
                results.append(_too_long(first))
            else:
                results.extend(self._run_batch(batch))
        return results

    def stop(self) -> None:
        """Kill the process and start no other. Any thread may call."""
        self._is_stopping = True
        if (process := self._process) is not None:
            process.end()

    def drop(self) -> None:
        """Kill the process, if there is one; the next call starts another."""
        if self._process is not None:
            self._process.kill()
            self._process = None

    def _run_batch(self, calls: Sequence[CheckCall]) -> Results:
        """Every call's check. What a broken process had done and not told is done again."""
        found: dict[int, Check | None] = {}
        encoded: dict[int, EncodedCall] = {}
        for index, call in enumerate(calls):
            try:
                encoded[index] = encode_call(call)
            except ValueError as error:
                found[index] = _not_sendable(call, error)
        failures, deaths = 0, Deaths()
        while owed := [index for index in range(len(calls)) if index not in found]:
            if self._is_stopping:
                found.update((index, _not_run(calls[index])) for index in owed)
                break
            try:
                process = self._started()
                process.send([encoded[index] for index in owed], singly=deaths.are_doubtful)
            except PrerequisiteError as error:  # The next try would end alike.
                found.update((index, _no_process(calls[index], error)) for index in owed)
            except (ProcessEndedError, TimeoutError) as error:
                self.drop()
                failures += 1
                if failures == STARTS:
                    found.update((index, _no_process(calls[index], error)) for index in owed)
            else:
                found.update(self._collect(process, calls, owed, deaths))
        return [found[index] for index in range(len(calls))]

    def _collect(
        self,
        process: CheckProcess,
        calls: Sequence[CheckCall],
        owed: Sequence[int],
        deaths: Deaths,
    ) -> Iterator[tuple[int, Check | None]]:
        """Results as they come, ending with the call that broke the process, if it is known."""
        done, is_used = 0, process.batches > 1
        while done < len(owed):
            try:
                kind, results = process.receive(self._time_s * WALL_FACTOR)
            except (TimeoutError, ProcessEndedError) as error:
                place = max(process.place, done)
                self.drop()
                if deaths.show(error, untold=place - done) or self._is_stopping:
                    yield owed[place], self._broken(calls[owed[place]], error)
                return
            # Texts before may have left the process too little memory: a new one tries it again.
            is_owed = kind == MEMORY and (is_used or done + len(results) > 1)
            for values in results[:-1] if is_owed else results:
                yield owed[done], decode_check(values)
                done += 1
            if kind == MEMORY:  # What is left of the process's memory is in pieces.
                self.drop()
                return

    def _started(self) -> CheckProcess:
        if self._process is None:
            self._process = CheckProcess(
                catalogue=self._catalogue, time_s=self._time_s, memory_mb=self._memory_mb
            )
        return self._process

    def _broken(self, call: CheckCall, error: TimeoutError | ProcessEndedError) -> Check:
        if self._is_stopping:
            return _not_run(call)
        if isinstance(error, TimeoutError):
            return undecided(
                Cause.VERIFIER_TIMEOUT,
                f"{call.constraint_id} did not finish within {self._time_s * WALL_FACTOR:g} s",
            )
        if error.by_clock:
            return undecided(
                Cause.VERIFIER_TIMEOUT,
                f"{call.constraint_id} ran past its time bound of {self._time_s:g} s",
            )
        return undecided(
            Cause.VERIFIER_ERROR,
            f"{call.constraint_id}: {error} in the middle of the check"
            f" (its memory bound is {self._memory_mb} MB)",
        )


def _batches(calls: Sequence[CheckCall]) -> Iterator[Sequence[CheckCall]]:
    """Runs of calls that fit a frame; a call that is too long for a check stands alone."""
    batch: list[CheckCall] = []
    size = 0
    for call in calls:
        length = len(call.text)
        if batch and (len(batch) == MAX_BATCH_CALLS or size + length > MAX_BATCH_CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(call)
        size += length
    if batch:
        yield batch


def _too_long(call: CheckCall) -> Check:
    return undecided(
        Cause.VERIFIER_ERROR,
        f"the answer has {len(call.text):,} characters; checks read at most {MAX_CHARACTERS:,}",
    )


def _no_process(call: CheckCall, error: Exception) -> Check:
    return undecided(Cause.VERIFIER_ERROR, f"{call.constraint_id} could not be run: {error}")


def _not_sendable(call: CheckCall, error: Exception) -> Check:
    reason = f"the parameters of {call.constraint_id} cannot be sent to a process: {error}"
    return undecided(Cause.VERIFIER_ERROR, reason[:500])


def _not_run(call: CheckCall) -> Check:
    return undecided(Cause.NOT_RUN, f"{call.constraint_id}: the run ended before it was checked")
