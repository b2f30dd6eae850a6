"""A worker that sends as fast as the cluster's limiter lets it: in an actor, or as a driver.

As a driver of its own: `python limiter_traffic.py CLUSTER URL RUN SECONDS LIMITS_JSON`.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from typing import Any


async def send(url: str, run: str, seconds: float, limits: dict[str, Any], width: int = 16) -> None:
    """`width` loops over one shared limiter; each call is a GET of `url/RUN`."""
    import aiohttp

    from ifbench.engines.budgets import build_budgets, client_of
    from ifbench.engines.shared_limits import shared_limiters
    from ifbench.execution.ray_limiter import RayLimiter
    from ifbench.types import Limits, ModelConfig

    model = ModelConfig(name="m", engine="openai_chat", model="m", limits=Limits(**limits))
    keeper = RayLimiter(build_budgets)
    client = client_of(model)
    async with (
        shared_limiters([model], keeper, run) as shared,
        aiohttp.ClientSession() as session,
    ):

        async def calls() -> None:
            while True:
                permit = await shared.limiters[client].acquire(10)
                async with session.get(f"{url}/{run}") as response:
                    await response.read()
                permit.release(10)

        tasks = [asyncio.create_task(calls()) for _ in range(width)]
        await asyncio.wait(tasks, timeout=seconds)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Sender:
    """An actor whose loop runs in a thread, like that of a step's worker."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    def send(self, *args: Any) -> None:
        asyncio.run_coroutine_threadsafe(send(*args), self.loop).result()


def main() -> None:
    from ifbench.execution.ray_start import RayOptions, start_ray

    cluster, url, run, seconds, limits = sys.argv[1:]
    start_ray(RayOptions(address=cluster))
    asyncio.run(send(url, run, float(seconds), json.loads(limits)))


if __name__ == "__main__":
    main()
