"""The limiter of a cluster: how exactly it keeps a rate, and what it costs.

    python benchmarks/limiter.py [--rates 60,600,6000] [--nodes 1,2,4] [--seconds 70]

Accuracy: 1, 2 and 4 workers send all they may through one keeper of budgets, which is a Ray actor,
to an endpoint of 0.2 s that answers 429 above the rate. Each worker is an actor in a process of its
own and stands for a node: workers of one node and of several share nothing but the keeper. Shown
are the most requests within any minute and the steady rate, both over what is allowed, requests
over answers, and the keeper's messages for each request. The baseline is what the endpoint allows.

Cost: one process makes 500 calls a second of 0.2 s each, once with a limiter of its own and once
with the cluster's; shown is the processor time of both, the keeper's own included, beside that of
a bare loop. On Ray a call of a real model costs ifbench some 5 ms (`throughput.py`); the share of a
limiter is told of that.
"""

from __future__ import annotations

import argparse
import asyncio
import bisect
import os
import resource
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

CALL_MS = 5.0
WARM_S = 2.0
"""Calls before the cost is measured: a limiter first learns how many there are."""
MOST, LEAST, MOST_ASKED, MOST_COST = 1.0, 0.97, 1.02, 0.02


class Done(NamedTuple):
    """What one worker did."""

    moments: list[float]
    refused: int
    messages: int
    cpu_s: float


class Counted:
    """Counts what is asked of the keeper."""

    def __init__(self, keeper: Any) -> None:
        self.keeper, self.messages = keeper, 0

    async def __call__(self, request: Any) -> Any:
        self.messages += 1
        return await self.keeper(request)


def model_of(limits: dict[str, Any]) -> Any:
    from ifbench.types import Limits, ModelConfig

    return ModelConfig(name="m", engine="scripted", model="m", limits=Limits(**limits))


async def send(limits: dict[str, Any], seconds: float, width: int, url: str) -> Done:
    """As many calls as the cluster's limiter grants."""
    import aiohttp

    from ifbench.engines.budgets import build_budgets, client_of
    from ifbench.engines.shared_limits import shared_limiters
    from ifbench.execution.ray_limiter import RayLimiter

    keeper = Counted(RayLimiter(build_budgets))
    moments: list[float] = []
    refused = 0
    asked = {"model": "m", "messages": [{"role": "user", "content": "How many?"}]}
    async with (
        shared_limiters([model_of(limits)], keeper, "bench") as shared,
        aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session,
    ):
        limiter = shared.limiters[client_of(model_of(limits))]

        async def calls() -> None:
            nonlocal refused
            while True:
                permit = await limiter.acquire(100)
                moments.append(time.monotonic())
                async with session.post(f"{url}/chat/completions", json=asked) as response:
                    await response.read()
                    refused += response.status == 429
                permit.release(100)

        before = time.process_time()
        tasks = [asyncio.create_task(calls()) for _ in range(width)]
        await asyncio.wait(tasks, timeout=seconds)
        used = time.process_time() - before
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return Done(moments, refused, keeper.messages, used)


class Node:
    """An actor whose loop runs in a thread, like that of a step's worker."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    def send(self, *args: Any) -> Done:
        return asyncio.run_coroutine_threadsafe(send(*args), self.loop).result()


# ── Accuracy ─────────────────────────────────────────────────────────────────────────


def accuracy(ray: Any, per_minute: int, count: int, seconds: float) -> str:
    from tests.engines.endpoint import EndpointProcess

    nodes = [ray.remote(num_cpus=0.1)(Node).remote() for _ in range(count)]
    ray.get([node.__ray_ready__.remote() for node in nodes])
    limits = {"requests_per_minute": per_minute, "concurrency": 200}
    width = max(4, 200 // count)
    with EndpointProcess(latency_s=0.2, requests_per_s=per_minute / 60) as endpoint:
        done = ray.get([node.send.remote(limits, seconds, width, endpoint.url) for node in nodes])
    for node in nodes:
        ray.kill(node)
    moments = sorted(moment for one in done for moment in one.moments)
    most = max(bisect.bisect_left(moments, m + 60) - i for i, m in enumerate(moments)) / per_minute
    steady = [m for m in moments if m > moments[0] + 2]
    rate = 60 * (len(steady) - 1) / (steady[-1] - steady[0]) / per_minute
    asked = len(moments) / (len(moments) - sum(one.refused for one in done))
    share = min(len(one.moments) for one in done) / max(len(one.moments) for one in done)
    messages = sum(one.messages for one in done) / len(moments)
    is_met = most <= MOST and rate >= LEAST and asked <= MOST_ASKED
    return (
        f"| {per_minute} | {count} | {most:.3f} | {rate:.3f} | {asked:.3f} | {share:.2f} "
        f"| {messages:.2f} | {'pass' if is_met else 'SHORT'} |"
    )


# ── Cost ─────────────────────────────────────────────────────────────────────────────


async def paced(acquire: Any, seconds: float, per_s: float, latency_s: float) -> int:
    """Calls that set out evenly; returns how many."""
    calls: set[asyncio.Task] = set()

    async def call() -> None:
        permit = await acquire(100)
        await asyncio.sleep(latency_s)
        permit.release(100)

    began, count = time.monotonic(), 0
    while (elapsed := time.monotonic() - began) < seconds:
        while count < elapsed * per_s:
            task = asyncio.create_task(call())
            calls.add(task)
            task.add_done_callback(calls.discard)
            count += 1
        await asyncio.sleep(0.01)
    await asyncio.gather(*calls)
    return count


class Free:
    def release(self, tokens: int) -> None: ...


async def free(_: int) -> Free:
    return Free()


@asynccontextmanager
async def arm_of(name: str, limits: dict[str, Any]) -> Any:
    from ifbench.engines.budgets import build_budgets, client_of
    from ifbench.engines.limits import local_limiters
    from ifbench.engines.shared_limits import shared_limiters
    from ifbench.execution.ray_limiter import RayLimiter

    if name == "bare loop":
        yield free
    elif name == "own limiter":
        yield local_limiters([model_of(limits)])[client_of(model_of(limits))].acquire
    else:
        keeper = RayLimiter(build_budgets)
        async with shared_limiters([model_of(limits)], keeper, "bench") as shared:
            (await shared.limiters[client_of(model_of(limits))].acquire(1)).release(
                1
            )  # The keeper has started.
            yield shared.limiters[client_of(model_of(limits))].acquire


def keeper_cpu_s(ray: Any) -> float:
    """Processor time of the keeper's process."""
    from ifbench.execution.ray_limiter import NAME, NAMESPACE

    try:
        actor = ray.get_actor(NAME, namespace=NAMESPACE)
    except ValueError:
        return 0.0
    return ray.get(actor.__ray_call__.remote(lambda _: time.process_time()))


def own_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def cost(ray: Any, arm: str, limits: dict[str, Any], seconds: float) -> float:
    """Processor ms for each of 500 calls a second."""

    async def run() -> tuple[int, float]:
        async with arm_of(arm, limits) as acquire:
            await paced(acquire, WARM_S, 500.0, 0.2)
            before = own_cpu_s() + await asyncio.to_thread(keeper_cpu_s, ray)
            count = await paced(acquire, seconds, 500.0, 0.2)
            return count, own_cpu_s() + await asyncio.to_thread(keeper_cpu_s, ray) - before

    count, used = asyncio.run(run())
    return 1000 * used / count


def numbers(text: str) -> list[int]:
    return [int(one) for one in text.split(",") if one]


def print_accuracy(ray: Any, rates: Sequence[int], nodes: Sequence[int], seconds: float) -> None:
    print(f"| a minute | workers | most in a minute (at most {MOST:.2f}) "
          f"| steady rate (at least {LEAST}) | requests / answers (at most {MOST_ASKED}) "
          "| least / most of a worker | messages | target |")  # fmt: skip
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for per_minute in rates:
        for count in nodes:
            print(accuracy(ray, per_minute, count, seconds), flush=True)


def print_cost(ray: Any, seconds: float) -> None:
    print(
        "\n| 500 calls a second through | limits | CPU ms a call | above the loop, of 5 ms (under 2 %) |"
    )
    print("|---|---|---|---|", flush=True)
    bare = cost(ray, "bare loop", {}, seconds)
    print(f"| bare loop | none | {bare:.3f} | |", flush=True)
    places = {"concurrency": 200}
    for words, limits in (
        ("in flight", places),
        ("in flight, requests, tokens", {**places, **LARGE}),
    ):
        for arm in ("own limiter", "cluster's limiter"):
            ms = cost(ray, arm, limits, seconds)
            share = (ms - bare) / CALL_MS
            told = "" if arm.startswith("own") else "pass" if share < MOST_COST else "SHORT"
            print(f"| {arm} | {words} | {ms:.3f} | {100 * share:.1f} % {told} |", flush=True)


LARGE = {"requests_per_minute": 40_000, "tokens_per_minute": 40_000_000}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rates", type=numbers, default=[60, 600, 6000])
    parser.add_argument("--nodes", type=numbers, default=[1, 2, 4])
    parser.add_argument("--seconds", type=float, default=70, help="for each row of the first table")
    parser.add_argument("--cost-seconds", type=float, default=20)
    parser.add_argument("--small", action="store_true", help="600 a minute, 2 workers, 10 s")
    options = parser.parse_args()
    if options.small:
        options.rates, options.nodes, options.seconds, options.cost_seconds = [600], [2], 10, 5
    sys.path.insert(0, str(Path(__file__).parent.parent))  # For the tests' endpoint.
    from ifbench.execution.ray_start import RayOptions, start_ray

    ray = start_ray(RayOptions(num_cpus=2))
    print_cost(ray, options.cost_seconds)
    print_accuracy(ray, options.rates, options.nodes, options.seconds)
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"load of the machine at the end: {load}; {os.cpu_count()} CPUs")
    ray.shutdown()


if __name__ == "__main__":
    main()
