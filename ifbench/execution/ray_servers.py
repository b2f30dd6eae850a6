"""Servers of models on a cluster: an actor for each, placed by Ray where its GPUs are.

The driver owns the actors, so they end with it; each server's guard (`server_guard.py`) ends the
server with its actor. Workers find them through the directory, one small actor beside the driver.
Ray itself is imported by `ray_start.start_ray`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ifbench.errors import PrerequisiteError
from ifbench.execution.model_server import Address, ModelServer, ServerSpec
from ifbench.execution.model_servers import Finder, Server, first_addresses
from ifbench.execution.ray_start import RayOptions, start_ray


def cluster_gpus(options: RayOptions, wanted: int | None, specs: Iterable[ServerSpec]) -> int:
    """GPUs of the cluster, or `wanted` where it is named: a cluster may grow to that.

    Raises `PrerequisiteError` where no machine there is has enough for a server.
    """
    if wanted is not None:
        start_ray(options)
        return wanted
    ray = start_ray(options)
    on_nodes = [node["Resources"].get("GPU", 0) for node in ray.nodes() if node["Alive"]]
    most = int(max(on_nodes, default=0))
    for spec in specs:
        if spec.gpus > most:
            raise PrerequisiteError(
                f"the server of model {spec.name} takes {spec.gpus} GPUs of one machine; the "
                f"largest of this cluster has {most}. For a cluster that adds machines as it is "
                "asked to, set `execution.gpus` to what it may grow to"
            )
    return int(sum(on_nodes))


class RayLauncher:
    """Has Ray place servers, and enters them in the directory."""

    def __init__(self, options: RayOptions) -> None:
        self._ray = start_ray(options)
        here = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
            self._ray.get_runtime_context().get_node_id(), soft=True
        )
        self._directory: Any = (
            self._ray.remote(num_cpus=0)(_Directory).options(scheduling_strategy=here).remote()
        )

    async def launch(self, spec: ServerSpec) -> Server:
        actor = self._ray.remote(
            num_cpus=0,
            num_gpus=spec.gpus,
            max_restarts=-1,  # A node may go; the server then comes up on another.
            max_task_retries=-1,
        )(_ServerActor).remote(spec)
        try:
            await actor.placed.remote()
        except asyncio.CancelledError:
            self._ray.kill(actor)
            raise
        except self._ray.exceptions.RayError as error:
            raise PrerequisiteError(
                f"Ray cannot place the server of model {spec.name}: {error}"
            ) from error
        await self._directory.enter.remote(spec.key, actor)
        return _RayServer(actor, spec.key, self._directory)

    def finder(self, registry: Finder) -> Finder:
        del registry  # Workers are in other processes.
        return RayFinder(self._directory)


@dataclass(frozen=True, slots=True)
class RayFinder:
    """Finds servers from any process of the cluster."""

    directory: Any

    async def addresses(self, key: str, suspect: object = None) -> tuple[Address, ...]:
        """As of `Finder`."""
        actors = await self.directory.servers.remote(key)
        servers = [_RayServer(actor, key, self.directory) for actor in actors]
        return await first_addresses(servers, suspect)


class _RayServer:
    """A server's actor, as the registry and the workers see it."""

    def __init__(self, actor: Any, key: str, directory: Any) -> None:
        self._actor, self._key, self._directory = actor, key, directory

    async def address(self, suspect: object = None) -> Address:
        # As a value, as Ray puts a traceback into the words of what an actor raises.
        found = await self._actor.address.remote(suspect)
        if isinstance(found, str):
            raise PrerequisiteError(found)
        assert isinstance(found, Address)
        return found

    async def close(self) -> None:
        ray = start_ray(RayOptions())
        try:
            await self._directory.strike.remote(self._key, self._actor)
            await self._actor.close.remote()
        except ray.exceptions.RayError:  # Its node is gone, and the server with it.
            pass
        finally:
            ray.kill(self._actor)


class _ServerActor:
    """One server on the GPUs that Ray gives this actor; Ray sets `CUDA_VISIBLE_DEVICES`."""

    def __init__(self, spec: ServerSpec) -> None:
        self._spec = spec
        self._server: ModelServer | None = None
        self._life: asyncio.Future[None] | None = None

    async def placed(self) -> None:
        """Answers once the actor has its GPUs."""
        self._begun()

    async def address(self, suspect: object) -> Address | str:
        """Where the server is up, or why it never will be."""
        try:
            return await self._begun().address(suspect)
        except PrerequisiteError as error:
            return str(error)

    async def close(self) -> None:
        """End the server's processes."""
        self._begun()
        if self._life is not None:
            self._life.cancel()
            await asyncio.wait([self._life])

    def _begun(self) -> ModelServer:
        """The supervisor, begun at the first call: this actor's loop runs by then."""
        if self._server is None:
            host = start_ray(RayOptions()).util.get_node_ip_address()
            self._server = ModelServer(self._spec, host=host)
            self._life = asyncio.ensure_future(self._server.run())
        return self._server


class _Directory:
    """Which actors serve a model. One small actor."""

    def __init__(self) -> None:
        self._actors: dict[str, list[Any]] = {}
        self._changed = asyncio.Condition()

    async def enter(self, key: str, actor: Any) -> None:
        async with self._changed:
            self._actors.setdefault(key, []).append(actor)
            self._changed.notify_all()

    async def strike(self, key: str, actor: Any) -> None:
        async with self._changed:
            left = [one for one in self._actors.get(key, ()) if one != actor]
            self._actors[key] = left

    async def servers(self, key: str) -> list[Any]:
        """The actors of a model; waits for the first."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._actors.get(key))
            return self._actors[key]
