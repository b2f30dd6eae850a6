"""The one limiter of a Ray cluster: an actor that every worker of every run finds by its name.

What it keeps is passed in; here is only how it is found, started, asked and let go. It runs
detached, as the run that started it may end before the others, and without a claim on a CPU.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import Any

from ifbench.execution.step import KeeperBuilder

NAMESPACE = "ifbench"
NAME = "limiter"
ANSWER_S = 2.0
"""An answer that takes longer does not come: the node is gone, or the actor restarts."""

START_S = 15.0


class RayLimiter:
    """Asks the cluster's limiter; starts it where there is none."""

    def __init__(self, build: KeeperBuilder) -> None:
        self._build = build
        self._actor: Any = None
        self._was_there = False

    async def __call__(self, request: Any) -> Any:
        """The keeper's reply. Raises `ConnectionError` where none came."""
        from ray.exceptions import RayError

        try:
            if self._actor is None:
                self._actor = await asyncio.wait_for(asyncio.to_thread(self._find), START_S)
            reply = await asyncio.wait_for(self._actor.answer.remote(request), ANSWER_S)
        except (RayError, TimeoutError, ValueError) as error:  # `ValueError`: it has just ended.
            self._actor = None
            raise ConnectionError(f"the limiter does not answer: {error}") from error
        self._was_there = True
        return reply

    def _find(self) -> Any:
        import ray

        return (
            ray.remote(_Host)
            .options(
                name=NAME,
                namespace=NAMESPACE,
                get_if_exists=True,
                lifetime="detached",
                num_cpus=0,
                max_restarts=-1,
                max_concurrency=1000,
            )
            .remote(self._build, self._was_there)
        )


class _Host:
    """The actor."""

    def __init__(self, build: KeeperBuilder, rebuilt: bool) -> None:  # noqa: FBT001
        import ray

        is_restart = ray.get_runtime_context().was_current_actor_reconstructed
        self._keeper = build(time.monotonic(), rebuilt or is_restart)

    async def answer(self, request: Any) -> Any:
        return self._keeper(request, time.monotonic())

    async def leave(self, run: str) -> bool:
        return self._keeper.leave(run, time.monotonic())


def leave_limiter(run: str) -> None:
    """A run is over: give back what its workers held; the last run ends the limiter."""
    import ray
    from ray.exceptions import RayError

    with suppress(RayError, ValueError):  # There is none, or none any more.
        actor: Any = ray.get_actor(NAME, namespace=NAMESPACE)
        is_needed: Any = ray.get(actor.leave.remote(run), timeout=ANSWER_S)
        if not is_needed:
            ray.kill(actor)
