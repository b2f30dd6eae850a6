"""CPU of a call on the client's side: ours next to the bare SDK and to a bare aiohttp loop.

    python benchmarks/client_cpu.py [--calls 400] [--rounds 5]

The endpoint runs in a process of its own. The clients take turns, round by round, so that a
busy machine slows all of them; the table shows medians of `time.process_time` and their ratios.
"""

from __future__ import annotations

import argparse
import asyncio
import concurrent.futures
import json
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import aiohttp
import openai

from ifbench.engines.build import open_asker
from ifbench.engines.engine import no_media
from ifbench.types import Limits, ModelConfig, Prompt, Purpose, Response, Sampling, Text

WORDS = "A beam of length 2.5 m carries 300 N at its middle. Give each support's load in N. " * 12
REFERENCE = "SDK, aiohttp transport"

Call = Callable[[int], Awaitable[object]]


class MemoryJournal:
    """A journal that is durable at once: what is measured is the client, not the disk."""

    def __init__(self) -> None:
        self.rows: dict[str, Response] = {}

    def lookup(self, keys: Sequence[str]) -> Mapping[str, Response]:
        return {key: self.rows[key] for key in keys if key in self.rows}

    def append_soon(self, response: Response) -> concurrent.futures.Future[None]:
        self.rows[response.key] = response
        done: concurrent.futures.Future[None] = concurrent.futures.Future()
        done.set_result(None)
        return done


async def bare_aiohttp(stack: AsyncExitStack, url: str) -> Call:
    session = await stack.enter_async_context(aiohttp.ClientSession())

    async def call(seed: int) -> object:
        body = {"model": "m", "messages": [{"role": "user", "content": WORDS}], "seed": seed}
        async with session.post(f"{url}/chat/completions", json=body) as answer:
            return json.loads(await answer.read())

    return call


async def bare_sdk(stack: AsyncExitStack, url: str, *, aiohttp_transport: bool) -> Call:
    client = await stack.enter_async_context(
        openai.AsyncOpenAI(
            base_url=url,
            api_key="none",
            max_retries=0,
            http_client=openai.DefaultAioHttpClient() if aiohttp_transport else None,
        )
    )

    async def call(seed: int) -> object:
        return await client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": WORDS}], seed=seed
        )

    return call


async def ifbench_ask(stack: AsyncExitStack, url: str) -> Call:
    model = ModelConfig(
        name="m",
        engine="openai_chat",
        model="m",
        base_url=url,
        limits=Limits(concurrency=10_000, requests_per_minute=6e6, tokens_per_minute=6e12),
    )
    ask = await stack.enter_async_context(open_asker([model], MemoryJournal(), no_media))

    async def call(seed: int) -> object:
        response = await ask(
            Prompt(
                purpose=Purpose.CANDIDATE,
                model=model,
                parts=(Text(text=WORDS),),
                sampling=Sampling(seed=seed),
            )
        )
        assert response.failure is None, response.failure
        return response

    return call


async def cpu_ms_a_call(call: Call, seeds: range, in_flight: int) -> float:
    slots = asyncio.Semaphore(in_flight)

    async def one(seed: int) -> None:
        async with slots:
            await call(seed)

    began = time.process_time()
    await asyncio.gather(*(one(seed) for seed in seeds))
    return (time.process_time() - began) * 1000 / len(seeds)


async def measure(url: str, calls: int, rounds: int, in_flight: int) -> dict[str, list[float]]:
    async with AsyncExitStack() as stack:
        clients = {
            "bare aiohttp loop": await bare_aiohttp(stack, url),
            "SDK, default transport": await bare_sdk(stack, url, aiohttp_transport=False),
            REFERENCE: await bare_sdk(stack, url, aiohttp_transport=True),
            "ifbench ask": await ifbench_ask(stack, url),
        }
        for call in clients.values():  # Imports, connections and caches are not measured.
            await cpu_ms_a_call(call, range(-2 * in_flight, 0), in_flight)
        found: dict[str, list[float]] = {name: [] for name in clients}
        for turn in range(rounds):
            seeds = range(turn * calls, (turn + 1) * calls)
            for name, call in clients.items():
                found[name].append(await cpu_ms_a_call(call, seeds, in_flight))
        return found


def table(found: Mapping[str, Sequence[float]]) -> str:
    reference = statistics.median(found[REFERENCE])
    lines = ["| client | CPU ms a call (median; lowest to highest) | ratio |", "|---|---|---|"]
    for name, values in found.items():
        middle = statistics.median(values)
        spread = f"{middle:.2f} ({min(values):.2f} to {max(values):.2f})"
        lines.append(f"| {name} | {spread} | {middle / reference:.2f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=400, help="calls of each client a round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--in-flight", type=int, default=32)
    options = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).parent.parent))  # For the tests' endpoint.
    from tests.engines.endpoint import EndpointProcess

    with EndpointProcess(latency_s=0.02) as endpoint:
        found = asyncio.run(measure(endpoint.url, options.calls, options.rounds, options.in_flight))
    print(table(found))
    print(f"\n{options.rounds} rounds of {options.calls} calls, {options.in_flight} in flight")


if __name__ == "__main__":
    main()
