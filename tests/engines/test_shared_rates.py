"""Rates that workers share, over whole minutes of simulated time: never exceeded, nearly all used."""

from __future__ import annotations

import asyncio
import bisect
import random
from collections.abc import Sequence
from contextlib import suppress

import pytest

from engines.engine_factories import chat_model
from engines.simulated_time import run_simulated
from ifbench.engines.budget import TTL_S
from ifbench.engines.budgets import Budgets, Reply, Request
from ifbench.engines.shared_limits import shared_limiters
from ifbench.types import Limits

MINUTES = 4


class Wire:
    """The keeper of budgets behind a wire that takes its time, another each time."""

    def __init__(self, seconds: tuple[float, float], seed: int = 0) -> None:
        self._budgets = Budgets(0.0)
        self._seconds, self._random = seconds, random.Random(seed)
        self.requests = 0
        self.dead: set[str] = set()

    async def __call__(self, request: Request) -> Reply:
        self.requests += 1
        if request.worker in self.dead:
            await asyncio.Event().wait()
        await asyncio.sleep(self._random.uniform(*self._seconds) / 2)
        reply = self._budgets(request, asyncio.get_running_loop().time())
        await asyncio.sleep(self._random.uniform(*self._seconds) / 2)
        return reply


class Crew:
    """Workers that send through one budget, and the moments at which they did."""

    def __init__(self, wire: Wire, per_minute: float, concurrency: int = 400) -> None:
        self._wire = wire
        self._model = chat_model(
            limits=Limits(requests_per_minute=per_minute, concurrency=concurrency)
        )
        self.sent: dict[int, list[float]] = {}
        self.answered: dict[int, int] = {}

    async def work(self, name: int, width: int, latency_s: float, until: float) -> None:
        """`width` calls at a time, each of `latency_s`, until a moment."""
        loop, sent = asyncio.get_running_loop(), self.sent.setdefault(name, [])

        async def calls() -> None:
            while True:
                permit = await limiter.acquire(100)
                sent.append(loop.time())
                await asyncio.sleep(latency_s)
                permit.release(100)

        async with shared_limiters([self._model], self._wire, f"run{name}") as shared:
            limiter = shared.limiters["m"]
            tasks = [asyncio.create_task(calls()) for _ in range(width)]
            await asyncio.sleep(until - loop.time())
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

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


QUICK, SLOW = (0.001, 0.01), (0.02, 0.3)


@pytest.mark.parametrize("seconds", [QUICK, SLOW], ids=["quick", "slow"])
@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("per_minute", [60, 600, 6000])
def test_workers_use_a_rate_and_never_exceed_it(per_minute, count, seconds):
    crew = Crew(Wire(seconds), per_minute)

    async def minutes() -> None:
        await asyncio.gather(
            *(crew.work(name, 400 // count, 1.0, until=60.0 * MINUTES) for name in range(count))
        )

    run_simulated(minutes())
    assert most_within(crew.moments, 60.0) <= per_minute
    assert used(crew.moments, 60.0, 60.0 * MINUTES, per_minute) >= 0.97
