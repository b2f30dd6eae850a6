"""The limiter of one process: order, places, rates and pauses; which models share a budget."""

from __future__ import annotations

import asyncio
import bisect

import pytest

from engines.engine_factories import FakeTime, chat_model
from ifbench.engines.budgets import client_of
from ifbench.engines.limits import LocalLimiter, local_limiters
from ifbench.types import Limits


async def turns(limiter: LocalLimiter, time: FakeTime, count: int, tokens: int = 0) -> list[float]:
    """When each of `count` requests was let through, each released at once."""
    moments = []
    for _ in range(count):
        permit = await limiter.acquire(tokens)
        moments.append(time.now)
        permit.release(tokens)
    return moments


@pytest.mark.parametrize("per_minute", [6, 60, 100, 600, 6000])
async def test_no_minute_has_more_requests_than_are_allowed_and_nearly_all_are_used(per_minute):
    time = FakeTime()
    limiter = LocalLimiter(Limits(requests_per_minute=per_minute), clockwork=time.clockwork)
    moments = await turns(limiter, time, per_minute * 3)
    most = max(bisect.bisect_left(moments, m + 60) - i for i, m in enumerate(moments))
    assert most <= per_minute
    assert len(moments) / (moments[-1] / 60) >= 0.97 * per_minute


async def test_tokens_a_minute_are_kept():
    time = FakeTime()
    limiter = LocalLimiter(Limits(tokens_per_minute=6050), clockwork=time.clockwork)
    moments = await turns(limiter, time, 21, tokens=50)
    assert moments[-1] == pytest.approx(10.0)  # 100 a second, the first 50 at once.


async def test_real_usage_replaces_the_estimate():
    time = FakeTime()
    limiter = LocalLimiter(Limits(tokens_per_minute=6000), clockwork=time.clockwork)
    for _ in range(20):
        (await limiter.acquire(1000)).release(1)
    assert time.now < 0.5  # By the estimates it would have been 190 s.


async def test_places_bound_the_calls_in_flight_and_are_given_in_order():
    limiter = LocalLimiter(Limits(concurrency=2))
    order: list[int] = []
    running = most = 0

    async def call(number: int) -> None:
        nonlocal running, most
        permit = await limiter.acquire(0)
        running += 1
        most = max(most, running)
        order.append(number)
        await asyncio.sleep(0.002)
        running -= 1
        permit.release(0)

    await asyncio.gather(*(call(number) for number in range(12)))
    assert most == 2
    assert order == list(range(12))


async def test_cancelled_waiters_leave_no_place_behind():
    limiter = LocalLimiter(Limits(concurrency=1))
    first = await limiter.acquire(0)
    waiters = [asyncio.create_task(limiter.acquire(0)) for _ in range(3)]
    await asyncio.sleep(0)
    waiters[0].cancel()
    waiters[1].cancel()
    await asyncio.sleep(0)
    first.release(0)
    second = await asyncio.wait_for(waiters[2], 1)
    second.release(0)
    assert waiters[0].cancelled()
    assert waiters[1].cancelled()
    await asyncio.wait_for(limiter.acquire(0), 1)


async def test_pause_holds_everyone():
    time = FakeTime()
    limiter = LocalLimiter(Limits(), clockwork=time.clockwork)
    await turns(limiter, time, 1)
    limiter.pause(5.0)
    assert (await turns(limiter, time, 1))[0] == pytest.approx(5.0)


async def test_pause_reaches_those_who_wait_for_a_place():
    time = FakeTime()
    limiter = LocalLimiter(Limits(concurrency=1), clockwork=time.clockwork)
    held = await limiter.acquire(0)
    waiter = asyncio.create_task(limiter.acquire(0))
    await asyncio.sleep(0)
    limiter.pause(3.0)
    held.release(0)
    await waiter
    assert time.now == pytest.approx(3.0)


def test_models_of_one_endpoint_key_and_id_share_a_budget():
    one = chat_model(name="plain")
    two = chat_model(name="thinking")
    other = chat_model(name="other-key", api_key_env="OTHER_KEY")
    limiters = local_limiters([one, two, other])
    assert limiters[client_of(one)] is limiters[client_of(two)]
    assert limiters[client_of(one)] is not limiters[client_of(other)]


async def test_shared_budget_keeps_the_lower_limit():
    one = chat_model(name="one", limits=Limits(concurrency=5))
    two = chat_model(name="two", limits=Limits(concurrency=1))
    limiter = local_limiters([one, two])[client_of(one)]
    await limiter.acquire(0)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(limiter.acquire(0), 0.01)
