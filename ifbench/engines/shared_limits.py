"""A worker's side of budgets that many share: limiters that report in bulk and go on meanwhile.

One `SharedLimits` a worker sends one request for all its budgets, a few times a second. While
the keeper of the budgets is away, a worker goes on with the places that it has and books nothing.
"""

from __future__ import annotations

import asyncio
import logging
import math
import uuid
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from ifbench.engines.budget import (
    ALONE_BEAT_S,
    BEAT_S,
    IDLE_BEAT_S,
    MOST_COSTS,
    Grant,
    Report,
)
from ifbench.engines.budgets import (
    BudgetId,
    ClientId,
    Reply,
    Request,
    budget_of,
    client_of,
    limits_of,
)
from ifbench.engines.limits import ClosedError, Limiter, Permit
from ifbench.engines.spending import Spending
from ifbench.types import Limits, ModelConfig

_log = logging.getLogger(__name__)

Keeper: TypeAlias = Callable[[Request], Awaitable[Reply]]
"""Puts a request to the keeper of the budgets. Raises `ConnectionError` while it is away."""
SPACING_S = 0.05
"""Requests of one worker are at least so far apart."""
RETRY_S = 0.25
AHEAD = 1.25
"""Calls of so many beats are booked before they come."""
TICK_S = 0.01
"""Calls whose moments are no further apart go together, at the last of them: to wake up for each
costs more."""
STALE_S = 0.25
"""A booking that is so late is given back."""


@asynccontextmanager
async def shared_limiters(
    models: Iterable[ModelConfig], keeper: Keeper, run: str, cap: float | None = None
) -> AsyncIterator[SharedLimits]:
    """What a worker of `run` needs to ask `models`, all of whose workers may spend `cap` dollars."""
    models = tuple(models)
    reporter = _Reporter(keeper, asyncio.get_running_loop().time)
    spending = None if cap is None else Spending(cap, run, reporter.report_now)
    limiters = {
        name: SharedLimiter(limits, run, reporter.report_by, reporter.now)
        for name, limits in limits_of(models).items()
    }
    async with reporter.running(limiters, spending):
        yield SharedLimits(
            limiters={client_of(model): limiters[budget_of(model)] for model in models},
            spending=spending,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedLimits:
    """A limiter for each model's client; models of one budget share the limiter."""

    limiters: Mapping[ClientId, Limiter]
    spending: Spending | None
    """`None` where the run may spend what it likes."""


class SharedLimiter:
    """One worker's part of one budget. Used from one event loop."""

    def __init__(
        self,
        limits: Limits,
        run: str,
        report_by: Callable[[float], None],
        now: Callable[[], float],
    ) -> None:
        self._limits, self._run = limits, run
        self._report_by, self._now = report_by, now
        self._queue: deque[tuple[asyncio.Future[_SharedPermit], int]] = deque()
        self._in_flight = 0
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = math.inf
        # What was granted.
        self._places = 0
        self._is_metered = True
        self._beat_s = BEAT_S
        self._bookings: deque[tuple[float, int]] = deque()
        self._paused_until = -math.inf
        self._closed = ""
        # What was asked for in the last report.
        self._asked: tuple[int, ...] = ()
        self._asked_at = now()
        self._wanted = 0
        self._is_short = False
        self._is_asking = False
        # What has happened since.
        self._unused = self._tokens = self._sent = self._booked_sent = self._denied = 0
        self._mean_tokens = 0.0
        self._rate = 0.0
        """Booked requests a second, of late."""
        self._pause_s: float | None = None
        self._answered, self._failures, self._words, self._refused = False, 0, "", ""

    # ── The limiter ──────────────────────────────────────────────────────────────────

    async def acquire(self, tokens: int) -> Permit:
        if self._closed:
            self._denied += 1
            raise ClosedError(self._closed)
        self._mean_tokens += 0.1 * (tokens - self._mean_tokens)
        has_place = not self._queue and self._in_flight < self._places
        if has_place and self._opens_at(now := self._now()) <= now:
            return self._let_go(tokens)
        ticket: asyncio.Future[_SharedPermit] = asyncio.get_running_loop().create_future()
        self._queue.append((ticket, tokens))
        self._serve()
        if not (ticket.done() or self._is_asking):  # Else what comes may be enough.
            self._report_if_needed()
        try:
            return await ticket
        except asyncio.CancelledError:
            if ticket.done() and not ticket.cancelled() and ticket.exception() is None:
                ticket.result().release(0)
            raise

    def _report_if_needed(self) -> None:
        """Report at once where calls wait for what the next report might bring."""
        if self._queue and not (self._is_short or self._is_provided):
            self._report_by(self._now())

    @property
    def _is_provided(self) -> bool:
        """True where all who wait have bookings and places."""
        waiting = len(self._queue)
        has_places = self._in_flight + waiting <= self._places
        return self._is_metered and has_places and waiting <= len(self._bookings)

    def pause(self, seconds: float) -> None:
        now = self._now()
        self._paused_until = max(self._paused_until, now + seconds)
        self._pause_s = max(seconds, self._pause_s or 0.0)
        self._is_metered = True
        self._void_bookings()
        self._report_by(now)

    def answered(self) -> None:
        self._answered, self._failures = True, 0

    def failed(self, words: str) -> None:
        self._failures += 1
        self._words = words

    def refuse(self, words: str) -> None:
        self._refused = words
        self.close(f"not asked, as an earlier call was refused: {words}")
        self._report_by(self._now())

    # ── Reports and grants ───────────────────────────────────────────────────────────

    def report(self) -> Report:
        """What has happened since the last report, and what is wanted; told once."""
        now = self._now()
        while self._queue and self._queue[0][0].done():
            self._queue.popleft()
        self._void_bookings(before=now - STALE_S)
        waiting = sum(not ticket.done() for ticket, _ in self._queue)
        self._asked = self._costs(waiting, now)
        self._wanted = self._in_flight + waiting + bool(self._denied)
        report = Report(
            limits=self._limits,
            run=self._run,
            places=max(self._places, self._in_flight),
            wanted=self._wanted,
            costs=self._asked,
            unused=self._unused,
            tokens=self._tokens,
            sent=self._sent,
            pause_s=self._pause_s,
            answered=self._answered,
            failures=self._failures,
            words=self._words,
            refused=self._refused,
        )
        self._asked_at, self._is_asking = now, True
        self._unused = self._tokens = self._sent = self._booked_sent = self._denied = 0
        self._pause_s = None
        self._answered, self._failures = False, 0
        return report

    def follow(self, grant: Grant) -> None:
        """Go on as granted."""
        now = self._now()
        self._places, self._is_metered = grant.places, grant.is_metered
        self._beat_s = min(max(grant.again_s, BEAT_S), ALONE_BEAT_S)
        if grant.pause_s > 0:
            self._paused_until = max(self._paused_until, now + grant.pause_s)
            self._void_bookings()
        booked = zip(grant.bookings, self._asked, strict=False)
        self._bookings.extend((now + delay, tokens) for delay, tokens in booked)
        self._is_short = grant.places < self._wanted or (
            grant.is_metered and len(grant.bookings) < len(self._asked)
        )
        if grant.closed:
            self.close(grant.closed)
        elif not self._refused:
            self._closed = ""
        self._is_asking = False
        self._serve()
        self._report_if_needed()

    def _costs(self, waiting: int, now: float) -> tuple[int, ...]:
        """What to book: calls that wait and could go, and those that will come until the next
        grant, as many as of late.
        """
        if not self._is_metered or self._closed:
            return ()
        # Of a report that came early the share of a beat counts, or it would ask for too little,
        # and so bring about the next early one.
        elapsed_s = max(now - self._asked_at, SPACING_S)
        share = min(1.0, elapsed_s / self._beat_s)
        self._rate += share * (self._booked_sent / elapsed_s - self._rate)
        expected = 0
        if self._rate * self._beat_s > 1:
            expected = 1 + math.ceil(AHEAD * self._beat_s * self._rate)
        free = max(0, self._places - self._in_flight) if self._places else waiting
        count = min(MOST_COSTS, min(waiting, free) + expected) - len(self._bookings)
        costs = [tokens for ticket, tokens in self._queue if not ticket.done()]
        costs = costs[len(self._bookings) :][: max(0, count)]
        return (*costs, *[round(self._mean_tokens)] * (count - len(costs)))

    def close(self, reason: str) -> None:
        """Let no more calls go; `reason` says why."""
        self._closed = reason
        self._void_bookings()
        queue, self._queue = self._queue, deque()
        for ticket, _ in queue:
            if not ticket.done():
                self._denied += 1
                ticket.set_exception(ClosedError(reason))

    def _void_bookings(self, before: float = math.inf) -> None:
        while self._bookings and self._bookings[0][0] < before:
            self._unused += 1
            self._tokens += self._bookings.popleft()[1]

    # ── Letting calls go ─────────────────────────────────────────────────────────────

    def _serve(self) -> None:
        """Let go whoever may go, in order."""
        now = self._now()
        while self._queue:
            ticket, tokens = self._queue[0]
            if ticket.done():
                self._queue.popleft()
                continue
            if self._in_flight >= self._places:
                return
            if (opens_at := self._opens_at(now)) > now:
                self._serve_at(self._last_within_a_tick(opens_at), now)
                return
            self._queue.popleft()
            ticket.set_result(self._let_go(tokens))

    def _opens_at(self, now: float) -> float:
        """When the next call may go that has a place; infinite while there is no booking for it."""
        return max(self._paused_until, self._next_booking(now))

    def _last_within_a_tick(self, opens_at: float) -> float:
        """When the first of the queue may go, and those whose bookings follow right behind."""
        last = opens_at
        for moment, _ in islice(self._bookings, len(self._queue)):
            if moment > opens_at + TICK_S:
                break
            last = max(last, moment)
        return last

    def _let_go(self, tokens: int) -> _SharedPermit:
        self._in_flight += 1
        return _SharedPermit(self, self._take(tokens))

    def _next_booking(self, now: float) -> float:
        if not self._is_metered:
            return now
        self._void_bookings(before=now - STALE_S)
        return self._bookings[0][0] if self._bookings else math.inf

    def _take(self, tokens: int) -> int | None:
        """Use a booking, and settle what it says against what the call takes."""
        if not self._is_metered:
            self._sent += 1
            return None
        self._booked_sent += 1
        self._tokens += self._bookings.popleft()[1] - tokens
        return tokens

    def _serve_at(self, moment: float, now: float) -> None:
        if moment == self._timer_at:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at, self._timer = moment, None
        if moment < math.inf:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(moment - now, self._wake)

    def _wake(self) -> None:
        # A loop may be a little early, by its own clock; the same moment is waited for again then.
        self._timer_at, self._timer = math.inf, None
        self._serve()

    def _released(self, taken: int | None, used: int) -> None:
        self._in_flight -= 1
        if taken is not None:
            self._tokens += taken - used
        self._serve()


class _SharedPermit:
    __slots__ = ("_limiter", "_taken")

    def __init__(self, limiter: SharedLimiter, taken: int | None) -> None:
        self._limiter = limiter
        self._taken = taken

    def release(self, tokens: int) -> None:
        self._limiter._released(self._taken, tokens)  # noqa: SLF001 (two halves of one thing)


class _Reporter:
    """Sends what the limiters of one worker report, as soon as one of them needs it."""

    def __init__(self, keeper: Keeper, now: Callable[[], float]) -> None:
        self._keeper, self.now = keeper, now
        self._worker = uuid.uuid4().hex
        self._serial = 0
        self._limiters: Mapping[BudgetId, SharedLimiter] = {}
        self._spending: Spending | None = None
        self._due = now()
        self._woken = asyncio.Event()
        self._has_failed = False

    def report_by(self, moment: float) -> None:
        """Report no later than at a moment."""
        if moment < self._due:
            self._due = moment
            self._woken.set()

    def report_now(self) -> None:
        """Report as soon as may be."""
        self.report_by(self.now())

    @asynccontextmanager
    async def running(
        self, limiters: Mapping[BudgetId, SharedLimiter], spending: Spending | None
    ) -> AsyncIterator[None]:
        self._limiters, self._spending = limiters, spending
        task = asyncio.create_task(self._run())
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            if not self._has_failed:
                with suppress(ConnectionError):
                    await self._keeper(self._request(is_last=True))

    async def _run(self) -> None:
        try:
            await self._report_on()
        # Whatever it is, those who wait would wait for ever: their calls are owed instead.
        except Exception as error:  # noqa: BLE001
            words = f"not asked, as its limiter failed: {type(error).__name__}: {error}"
            _log.warning("%s", words)
            self._has_failed = True
            for limiter in self._limiters.values():
                limiter.close(words)

    async def _report_on(self) -> None:
        while True:
            await self._wait()
            began = self.now()
            self._due = began + IDLE_BEAT_S
            request = self._request()
            reply = await self._put(request)
            for name, grant in reply.grants.items():
                self._limiters[name].follow(grant)
            soonest = min((grant.again_s for grant in reply.grants.values()), default=IDLE_BEAT_S)
            if self._spending and request.purse and reply.purse:
                self._spending.follow(reply.purse, request.purse)
                soonest = BEAT_S if request.purse.wanted else soonest
            self._due = max(began + SPACING_S, min(self._due, began + soonest))

    async def _wait(self) -> None:
        while (left := self._due - self.now()) > 0:
            self._woken.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), left)

    async def _put(self, request: Request) -> Reply:
        """The very same request until it is answered: the keeper counts it once."""
        while True:
            try:
                return await self._keeper(request)
            except ConnectionError:
                await asyncio.sleep(RETRY_S)

    def _request(self, *, is_last: bool = False) -> Request:
        self._serial += 1
        return Request(
            worker=self._worker,
            serial=self._serial,
            reports={name: limiter.report() for name, limiter in self._limiters.items()},
            purse=self._spending.report() if self._spending else None,
            is_last=is_last,
        )
