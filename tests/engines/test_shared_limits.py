"""Workers over one keeper of budgets, on this event loop: what they share and what it costs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from engines.engine_factories import chat_model
from ifbench.engines.budget import BEAT_S
from ifbench.engines.budgets import Budgets, Reply, Request, build_budgets, client_of
from ifbench.engines.limits import ClosedError, Limiter
from ifbench.engines.shared_limits import shared_limiters
from ifbench.types import Limits


class Keeper:
    """The budgets behind a wire that can be cut before or after a request has arrived."""

    def __init__(self) -> None:
        self.budgets = Budgets(time.monotonic())
        self.requests: list[Request] = []
        self.is_away = False
        self.replies_lost = 0

    async def __call__(self, request: Request) -> Reply:
        await asyncio.sleep(0.002)
        if self.is_away:
            raise ConnectionError
        self.requests.append(request)
        reply = self.budgets(request, time.monotonic())
        if self.replies_lost:
            self.replies_lost -= 1
            raise ConnectionError
        return reply

    def rebuild(self) -> None:
        self.budgets = build_budgets(time.monotonic(), True)


@asynccontextmanager
async def workers(keeper: Keeper, count: int, **limits) -> AsyncIterator[list[Limiter]]:
    model = chat_model(limits=Limits(**limits))
    async with AsyncExitStack() as stack:
        yield [
            (await stack.enter_async_context(shared_limiters([model], keeper, "run"))).limiters[
                client_of(model)
            ]
            for _ in range(count)
        ]


class Traffic:
    """Calls of `latency_s` through a limiter, `width` at a time, until cancelled."""

    def __init__(self) -> None:
        self.sent: dict[int, list[float]] = {}
        self.in_flight = self.most = 0

    async def flow(self, name: int, limiter: Limiter, width: int, latency_s: float) -> None:
        self.sent[name] = []

        async def calls() -> None:
            while True:
                permit = await limiter.acquire(10)
                self.sent[name].append(time.monotonic())
                self.in_flight += 1
                self.most = max(self.most, self.in_flight)
                await asyncio.sleep(latency_s)
                self.in_flight -= 1
                permit.release(10)

        await asyncio.gather(*(calls() for _ in range(width)))

    async def during(self, limiters, seconds: float, width=20, latency_s=0.01, then=None) -> None:
        flows = [self.flow(i, one, width, latency_s) for i, one in enumerate(limiters)]
        tasks = [asyncio.create_task(flow) for flow in flows]
        await asyncio.sleep(seconds)
        if then is not None:
            await then()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def count(self, since: float = 0.0) -> int:
        return sum(moment >= since for moments in self.sent.values() for moment in moments)


async def test_workers_share_a_rate():
    keeper, traffic, began = Keeper(), Traffic(), time.monotonic()
    async with workers(keeper, 2, requests_per_minute=6050, concurrency=100) as limiters:
        await traffic.during(limiters, 2.0)
    steady_s = time.monotonic() - began - 0.5
    steady = traffic.count(since=began + 0.5)
    assert steady <= 100 * steady_s + 25
    assert steady >= 85 * steady_s
    counts = [len(sent) for sent in traffic.sent.values()]
    # How even it is: `test_shared_rates`, in simulated time.
    assert min(counts) > 0.4 * max(counts)


async def test_workers_share_the_calls_in_flight():
    keeper, traffic = Keeper(), Traffic()
    async with workers(keeper, 3, concurrency=6) as limiters:
        await traffic.during(limiters, 2.0, latency_s=0.05)
    assert traffic.most <= 6
    assert min(len(sent) for sent in traffic.sent.values()) > 20


async def test_workers_that_outnumber_the_places_take_turns():
    keeper, traffic = Keeper(), Traffic()
    async with workers(keeper, 3, concurrency=1) as limiters:
        await traffic.during(limiters, 4.5)
    assert traffic.most == 1
    assert min(len(sent) for sent in traffic.sent.values()) > 5


async def test_a_busy_worker_asks_a_few_times_a_second():
    keeper, traffic, began = Keeper(), Traffic(), time.monotonic()
    async with workers(keeper, 1, requests_per_minute=30_000, concurrency=100) as limiters:
        await traffic.during(limiters, 2.0, width=200, latency_s=0.1)
        elapsed_s = time.monotonic() - began
        assert len(keeper.requests) / elapsed_s < 1.6 / BEAT_S
    assert traffic.count() > 300 * elapsed_s


async def test_without_rates_a_call_needs_no_message():
    keeper = Keeper()
    async with workers(keeper, 1, concurrency=5) as (limiter,):
        (await limiter.acquire(1)).release(1)
        before = len(keeper.requests)
        for _ in range(1000):
            (await limiter.acquire(1)).release(1)
        assert len(keeper.requests) - before <= 2


async def test_a_refusal_of_one_stops_the_other():
    keeper, traffic = Keeper(), Traffic()
    async with workers(keeper, 2, concurrency=100) as limiters:

        async def refuse() -> None:
            limiters[0].pause(5.0)
            await asyncio.sleep(2 * BEAT_S)
            refused_at = time.monotonic()
            await asyncio.sleep(0.5)
            assert traffic.count(since=refused_at) == 0

        await traffic.during(limiters, 0.6, then=refuse)


async def test_tokens_that_were_not_used_come_back():
    keeper = Keeper()
    async with workers(keeper, 1, tokens_per_minute=60_500, concurrency=9) as (limiter,):
        began = time.monotonic()
        for _ in range(6):
            (await limiter.acquire(1000)).release(1)
        assert time.monotonic() - began < 3.0  # By the estimates it would be five.


async def test_while_the_keeper_is_away_workers_go_on_with_what_they_have():
    keeper, traffic = Keeper(), Traffic()
    async with workers(keeper, 2, concurrency=8) as limiters:

        async def lose_it() -> None:
            keeper.is_away, gone_at = True, time.monotonic()
            await asyncio.sleep(0.6)
            assert traffic.count(since=gone_at + 0.3) > 20
            keeper.rebuild()
            keeper.is_away, back_at = False, time.monotonic()
            await asyncio.sleep(0.6)
            assert traffic.count(since=back_at + 0.3) > 20

        await traffic.during(limiters, 1.0, then=lose_it)
    assert traffic.most <= 8


async def test_without_a_keeper_nothing_is_booked():
    keeper, traffic = Keeper(), Traffic()
    async with workers(keeper, 1, requests_per_minute=6000, concurrency=100) as limiters:

        async def lose_it() -> None:
            keeper.is_away = True
            await asyncio.sleep(0.8)
            late = time.monotonic()
            await asyncio.sleep(0.5)
            assert traffic.count(since=late) == 0
            keeper.is_away = False

        await traffic.during(limiters, 0.5, then=lose_it)


async def test_a_reply_that_is_lost_is_given_again():
    keeper = Keeper()
    keeper.replies_lost = 1
    async with workers(keeper, 1, requests_per_minute=60, concurrency=1) as (limiter,):
        began = time.monotonic()
        await limiter.acquire(1)
        assert time.monotonic() - began < 0.8  # A second booking would come a second later.
    assert [request.serial for request in keeper.requests[:2]] == [1, 1]


async def test_a_worker_that_leaves_gives_its_places_back():
    keeper = Keeper()
    async with workers(keeper, 1, concurrency=1) as (other,):
        async with workers(keeper, 1, concurrency=1) as (gone,):
            await gone.acquire(1)
            waiting = asyncio.create_task(other.acquire(1))
            await asyncio.sleep(0.1)
            assert not waiting.done()
        await asyncio.wait_for(waiting, 1.0)


async def test_cancelled_waiters_leave_no_place_behind():
    keeper = Keeper()
    async with workers(keeper, 1, concurrency=1) as (limiter,):
        first = await limiter.acquire(0)
        waiters = [asyncio.create_task(limiter.acquire(0)) for _ in range(3)]
        await asyncio.sleep(0)
        waiters[0].cancel()
        first.release(0)
        waiters[1].cancel()  # It has just been let through.
        second = await asyncio.wait_for(waiters[2], 1)
        second.release(0)
        await asyncio.wait_for(limiter.acquire(0), 1)


async def test_refused_key_is_known_to_all_workers_of_the_run():
    keeper = Keeper()
    async with workers(keeper, 2, concurrency=1) as (one, other):
        await one.acquire(1)
        waiting = asyncio.create_task(other.acquire(1))
        await asyncio.sleep(0.05)
        one.refuse("HTTP 401: no such key")
        with pytest.raises(ClosedError, match="HTTP 401: no such key"):
            await asyncio.wait_for(waiting, 1.0)
        for limiter in (one, other):
            with pytest.raises(ClosedError):
                await limiter.acquire(1)
