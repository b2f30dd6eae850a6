"""Rates that workers share, over whole minutes of simulated time: never exceeded, nearly all used."""

from __future__ import annotations

import asyncio
import bisect
import random
from collections.abc import Coroutine, Sequence
from itertools import pairwise

import pytest

from engines.engine_factories import chat_model
from engines.simulated_time import run_simulated
from ifbench.engines.budget import Grant
from ifbench.engines.budgets import Budgets, Reply, Request, client_of
from ifbench.engines.limits import ClosedError
from ifbench.engines.shared_limits import SharedLimiter, shared_limiters
from ifbench.types import Limits

QUICK, SLOW = (0.001, 0.01), (0.02, 0.3)


class Wire:
    """The keeper of budgets behind a wire that takes its time, another each time."""

    def __init__(self, seconds: tuple[float, float]) -> None:
        self._budgets = Budgets(0.0)
        self._seconds, self._random = seconds, random.Random(0)
        self.dead: set[str] = set()
        """Runs whose workers are cut off."""
        self.requests = 0

    async def __call__(self, request: Request) -> Reply:
        if any(report.run in self.dead for report in request.reports.values()):
            raise ConnectionError
        self.requests += 1
        await asyncio.sleep(self._random.uniform(*self._seconds) / 2)
        reply = self._budgets(request, asyncio.get_running_loop().time())
        await asyncio.sleep(self._random.uniform(*self._seconds) / 2)
        return reply


class LossyWire(Wire):
    """Loses each reply between some moments; a worker finds out two seconds later."""

    def __init__(self, *between: tuple[float, float]) -> None:
        super().__init__(QUICK)
        self._between = between

    async def __call__(self, request: Request) -> Reply:
        reply = await super().__call__(request)
        now = asyncio.get_running_loop().time()
        if any(start <= now < end for start, end in self._between):
            await asyncio.sleep(2.0)
            raise ConnectionError
        return reply


class StandingWire(Wire):
    """The keeper's process stands still for a while; who waits two seconds for it asks again."""

    def __init__(self, since: float, until: float) -> None:
        super().__init__(QUICK)
        self._since, self._until = since, until

    async def __call__(self, request: Request) -> Reply:
        arriving = asyncio.ensure_future(self._arrive(request))
        try:
            return await asyncio.wait_for(asyncio.shield(arriving), 2.0)
        except TimeoutError as error:
            raise ConnectionError from error

    async def _arrive(self, request: Request) -> Reply:
        now = asyncio.get_running_loop().time()
        if self._since <= now < self._until:
            await asyncio.sleep(self._until - now)
        return await super().__call__(request)


class Crew:
    """Workers that send through one budget, and the moments at which they did."""

    def __init__(
        self,
        per_minute: float,
        seconds: tuple[float, float] = QUICK,
        limits: Limits | None = None,
    ) -> None:
        self.wire = Wire(seconds)
        own = Limits(requests_per_minute=per_minute, concurrency=400)
        self._model = chat_model(limits=limits or own)
        self.sent: dict[str, list[float]] = {}
        self.waited: dict[str, list[float]] = {}

    async def work(
        self,
        name: str,
        until: float,
        *,
        since: float = 0.0,
        width: int = 100,
        pause_s: float = 0.0,
        late_s: float = 0.0,
        dies: bool = False,
    ) -> None:
        """`width` calls at a time, each of a second and a `pause_s` before the next."""
        loop, late = asyncio.get_running_loop(), random.Random(name)
        sent, waited = self.sent.setdefault(name, []), self.waited.setdefault(name, [])
        await asyncio.sleep(since)

        async def calls() -> None:
            while True:
                began = loop.time()
                permit = await limiter.acquire(100)
                waited.append(loop.time() - began)
                await asyncio.sleep(late.uniform(0, late_s))
                sent.append(loop.time())
                await asyncio.sleep(1.0)
                permit.release(100)
                await asyncio.sleep(pause_s)

        async with shared_limiters([self._model], self.wire, name) as shared:
            limiter = shared.limiters[client_of(self._model)]
            tasks = [asyncio.create_task(calls()) for _ in range(width)]
            await asyncio.sleep(until - loop.time())
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            if dies:
                self.wire.dead.add(name)

    @property
    def moments(self) -> list[float]:
        return sorted(moment for own in self.sent.values() for moment in own)


def most_within(moments: Sequence[float], seconds: float) -> int:
    """Requests in the fullest window, whichever it is."""
    return max(bisect.bisect_left(moments, m + seconds) - i for i, m in enumerate(moments))


def used(moments: Sequence[float], start: float, end: float, per_minute: float) -> float:
    """Requests between two moments over what is allowed for so long."""
    count = bisect.bisect_left(moments, end) - bisect.bisect_left(moments, start)
    return count / (per_minute * (end - start) / 60)


async def together(*workers: Coroutine[object, object, None]) -> None:
    await asyncio.gather(*workers)


@pytest.mark.parametrize(("per_minute", "seconds", "minutes"), [
    (60, QUICK, 4), (60, SLOW, 4), (600, QUICK, 3), (600, SLOW, 3), (6000, QUICK, 2),
])  # fmt: skip
@pytest.mark.parametrize("count", [1, 2, 4])
def test_workers_use_a_rate_and_never_exceed_it(per_minute, seconds, minutes, count):
    crew, end = Crew(per_minute, seconds), 60.0 * minutes
    run_simulated(together(*(crew.work(f"w{n}", end, width=400 // count) for n in range(count))))
    assert most_within(crew.moments, 60.0) <= per_minute
    assert used(crew.moments, 60.0, end, per_minute) >= 0.97


@pytest.mark.parametrize("per_minute", [60, 600])
@pytest.mark.parametrize("count", [2, 4])
def test_requests_that_set_out_late_exceed_no_rate(per_minute, count):
    crew = Crew(per_minute)
    run_simulated(together(*(crew.work(f"w{n}", 180.0, late_s=0.2) for n in range(count))))
    assert most_within(crew.moments, 60.0) <= per_minute
    assert used(crew.moments, 60.0, 180.0, per_minute) >= 0.97


@pytest.mark.parametrize("per_minute", [60, 600])
def test_a_rate_is_used_where_some_want_much_and_some_little(per_minute):
    crew = Crew(per_minute)
    run_simulated(
        together(
            crew.work("greedy", 240.0, width=200),
            crew.work("modest", 240.0, width=1, pause_s=19.0),
            crew.work("passing", 120.0, since=70.0, width=50),
        )
    )
    assert most_within(crew.moments, 60.0) <= per_minute
    assert used(crew.moments, 60.0, 240.0, per_minute) >= 0.97
    assert max(crew.waited["modest"]) < 600 / per_minute + 1.0


@pytest.mark.parametrize("per_minute", [60, 600])
@pytest.mark.parametrize("count", [2, 4])
def test_what_a_dead_worker_had_is_used_by_the_others(per_minute, count):
    crew = Crew(per_minute)
    others = (crew.work(f"w{n}", 240.0) for n in range(count - 1))
    run_simulated(together(crew.work("dead", 90.0, dies=True), *others))
    assert most_within(crew.moments, 60.0) <= per_minute
    assert used(crew.moments, 90.0, 240.0, per_minute) >= 0.97
    assert crew.sent["dead"]


@pytest.mark.parametrize("count", [1, 4])
def test_bookings_whose_reply_was_lost_do_not_come_on_top_of_later_ones(count):
    crew = Crew(600)
    crew.wire = LossyWire((20.0, 20.6))
    run_simulated(together(*(crew.work(f"w{n}", 90.0, width=400 // count) for n in range(count))))
    assert most_within(crew.moments, 60.0) <= 600
    assert used(crew.moments, 10.0, 90.0, 600) >= 0.95  # Nobody booked anything for two seconds.


def test_nobody_is_taken_for_dead_because_the_keeper_stood_still():
    """Its places would be used twice."""
    crew = Crew(0, limits=Limits(concurrency=20))
    crew.wire = StandingWire(10.0, 15.0)
    run_simulated(together(*(crew.work(f"w{n}", 20.0, width=40) for n in range(2))))
    assert most_within(crew.moments, 0.999) <= 20  # A call takes a second.


def test_calls_do_not_wait_for_a_limiter_that_failed():
    async def failing(_: Request) -> Reply:
        raise KeyError("odd")

    async def calls() -> None:
        model = chat_model()
        async with shared_limiters([model], failing, "run") as shared:
            for _ in range(2):
                with pytest.raises(ClosedError, match="its limiter failed: KeyError: 'odd'"):
                    await asyncio.wait_for(shared.limiters[client_of(model)].acquire(1), 5.0)

    run_simulated(calls())


def test_a_loop_that_wakes_a_moment_early_loses_no_time():
    """The timers of some loops are a little early; 600 a minute go one by one."""
    sent: list[float] = []

    async def calls() -> None:
        loop, early = asyncio.get_running_loop(), 0.0
        limiter = SharedLimiter(
            Limits(requests_per_minute=600), "run", lambda moment: None, lambda: loop.time() - early
        )
        waiting = asyncio.create_task(limiter.acquire(1))
        await asyncio.sleep(0)
        limiter.report()
        limiter.follow(Grant(places=1, bookings=(0.1,), is_metered=True))
        early = 1e-6
        await asyncio.wait_for(waiting, 0.2)
        sent.append(loop.time())

    run_simulated(calls())
    assert sent == [pytest.approx(0.1, abs=0.001)]


def test_bookings_that_several_give_back_in_turn_make_no_burst():
    """At first one worker has all places, and what the others booked goes from hand to hand."""
    crew = Crew(60)
    run_simulated(together(*(crew.work(f"w{n}", 10.0) for n in range(4))))
    assert all(later - earlier > 0.7 for earlier, later in pairwise(crew.moments))


def test_requests_at_a_low_rate_set_out_evenly():
    """An endpoint may refuse the second of two that are not a whole second apart."""
    crew = Crew(60)
    run_simulated(together(crew.work("w", 60.0)))
    assert all(later - earlier > 1.0 for earlier, later in pairwise(crew.moments))


def test_calls_that_come_in_bunches_below_the_rate_wait_little_and_need_few_messages():
    """500 a second, five at a time: their bookings are asked for before they come."""
    wire, waited = Wire((0.004, 0.02)), []
    model = chat_model(limits=Limits(requests_per_minute=40_000, concurrency=200))

    async def seconds() -> None:
        loop = asyncio.get_running_loop()
        async with shared_limiters([model], wire, "run") as shared:

            async def call() -> None:
                began = loop.time()
                permit = await shared.limiters[client_of(model)].acquire(100)
                waited.append(loop.time() - began)
                await asyncio.sleep(0.2)
                permit.release(100)

            async with asyncio.TaskGroup() as calls:
                for _ in range(1000):
                    for _ in range(5):
                        calls.create_task(call())
                    await asyncio.sleep(0.01)

    run_simulated(seconds())
    assert wire.requests < 40  # In ten seconds.
    assert sum(waited) / len(waited) < 0.0005


@pytest.mark.parametrize(("limits", "width", "most"), [
    ({"concurrency": 5}, 0, 32),  # Nobody asks.
    ({"concurrency": 5}, 20, 85),  # Calls wait for places.
    ({"concurrency": 400, "requests_per_minute": 60}, 20, 85),  # They wait for bookings.
])  # fmt: skip
def test_who_waits_for_what_no_report_can_bring_does_not_ask_for_it(limits, width, most):
    crew = Crew(0, limits=Limits(**limits))
    run_simulated(together(crew.work("w", 30.0, width=width)))
    assert crew.wire.requests < most  # In half a minute.
