"""The servers of a run's models: placed in order as GPUs are free, found by name, let go.

The registry lives in the driver, on an event loop in a thread of its own. Who needs a model holds
it under a name of its own; the last to let go ends the server, and the next in line is placed. A
`Launcher` says where servers are placed: on this machine's GPUs (here) or by Ray
(`ray_servers.py`).
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

from ifbench.errors import PrerequisiteError
from ifbench.execution.model_server import Address, ModelServer, ServerSpec

TOGETHER_S = 0.1

T = TypeVar("T")


class Server(Protocol):
    """A server that has its GPUs."""

    async def address(self, suspect: object = None) -> Address:
        """As of `ModelServer`."""
        ...

    async def close(self) -> None:
        """End it and free its GPUs."""
        ...


class Finder(Protocol):
    """How a worker finds the servers of a model. Picklable on Ray."""

    async def addresses(self, key: str, suspect: object = None) -> tuple[Address, ...]:
        """Where the replicas that are up listen; waits for one at least.

        `suspect` is an address that failed its caller; it is looked at before it is named again.
        Raises `PrerequisiteError` when there will be no server.
        """
        ...


class Launcher(Protocol):
    """Where servers are placed."""

    async def launch(self, spec: ServerSpec) -> Server:
        """Wait for GPUs and begin to start a server on them. Calls never overlap.

        Raises `PrerequisiteError` where there will never be as many.
        """
        ...

    def finder(self, registry: Finder) -> Finder:
        """What workers find servers by, be they in this process or not."""
        ...


@dataclass
class _Entry:
    """A model's servers and who holds them."""

    spec: ServerSpec
    holders: set[str]
    servers: list[Server] = field(default_factory=list)
    placed: asyncio.Event = field(default_factory=asyncio.Event)
    failure: str = ""


class ModelServers:
    """The registry. Any thread may call; closing ends every server."""

    def __init__(self, launcher: Launcher) -> None:
        self._launcher = launcher
        self._entries: dict[str, _Entry] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, daemon=True, name="ifbench-servers"
        )
        self._thread.start()
        self._line: asyncio.Queue[_Entry] = asyncio.Queue()
        self._ending: set[asyncio.Future[Any]] = set()
        self._placer = self._wait(self._begin())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def hold(self, specs: Iterable[ServerSpec], holder: str) -> None:
        """Keep servers for these models until `holder` lets go; placed in this order."""
        self._wait(self._hold(tuple(specs), holder))

    def let_go(self, key: str, holder: str) -> None:
        """The holder's work with a model is done. Returns at once."""
        asyncio.run_coroutine_threadsafe(self._let_go(key, holder), self._loop)

    async def addresses(self, key: str, suspect: object = None) -> tuple[Address, ...]:
        """As of `Finder`, from any event loop of this process."""
        return await asyncio.wrap_future(
            asyncio.run_coroutine_threadsafe(self._addresses(key, suspect), self._loop)
        )

    @property
    def finder(self) -> Finder:
        """What workers are given."""
        return self._launcher.finder(self)

    def close(self) -> None:
        """End every server and the registry."""
        if not self._loop.is_running():
            return
        self._wait(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    # ── On the registry's own loop ───────────────────────────────────────────────────

    def _wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    async def _begin(self) -> asyncio.Task[None]:
        return asyncio.create_task(self._place())

    async def _hold(self, specs: tuple[ServerSpec, ...], holder: str) -> None:
        for spec in specs:
            entry = self._entries.get(spec.key)
            if entry is not None:
                entry.holders.add(holder)
                continue
            self._entries[spec.key] = entry = _Entry(spec=spec, holders={holder})
            for _ in range(spec.replicas):
                self._line.put_nowait(entry)

    async def _place(self) -> None:
        """Place servers one after the other: who is first in line is never overtaken."""
        while True:
            entry = await self._line.get()
            if not entry.holders:
                continue
            try:
                server = await self._launcher.launch(entry.spec)
            except PrerequisiteError as error:
                entry.failure = str(error)
                entry.placed.set()
                continue
            if entry.holders:
                entry.servers.append(server)
                entry.placed.set()
            else:
                await server.close()

    async def _let_go(self, key: str, holder: str) -> None:
        entry = self._entries.get(key)
        if entry is None:
            return
        entry.holders.discard(holder)
        if not entry.holders:
            del self._entries[key]
            entry.failure = f"the server of model {entry.spec.name} was let go"
            entry.placed.set()
            ending = asyncio.gather(*(server.close() for server in entry.servers))
            self._ending.add(ending)
            ending.add_done_callback(self._ending.discard)
            await ending

    async def _addresses(self, key: str, suspect: object) -> tuple[Address, ...]:
        entry = self._entries.get(key)
        if entry is None:
            raise PrerequisiteError("nobody holds a server of this model")
        await entry.placed.wait()
        if not entry.servers:
            raise PrerequisiteError(entry.failure)
        return await first_addresses(entry.servers, suspect)

    async def _close(self) -> None:
        self._placer.cancel()
        await asyncio.wait([self._placer])
        for key in tuple(self._entries):
            for holder in tuple(self._entries[key].holders):
                await self._let_go(key, holder)
        await asyncio.gather(*self._ending, return_exceptions=True)


async def first_addresses(servers: Sequence[Server], suspect: object) -> tuple[Address, ...]:
    """The addresses of the servers that are up, as soon as one is.

    Raises `PrerequisiteError` when none will be.
    """
    asked = [asyncio.ensure_future(server.address(suspect)) for server in servers]
    waiting: set[asyncio.Future[Address]] = set(asked)
    try:
        while waiting and not any(_is_up(one) for one in asked):
            _, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        if waiting:  # Those that are up as well need a moment to say so.
            await asyncio.wait(waiting, timeout=TOGETHER_S)
        found = tuple(one.result() for one in asked if _is_up(one))
        if found:
            return found
        raise PrerequisiteError(str(asked[0].exception()))
    finally:
        for one in waiting:
            one.cancel()


def _is_up(asked: asyncio.Future[Address]) -> bool:
    return asked.done() and not asked.cancelled() and asked.exception() is None


# ── This machine's GPUs ──────────────────────────────────────────────────────────────


class LocalLauncher:
    """Servers on this machine, each on GPUs of its own."""

    def __init__(self, gpus: Sequence[str]) -> None:
        """`gpus` are names as `CUDA_VISIBLE_DEVICES` takes them."""
        self._all = len(gpus)
        self._free = list(gpus)
        self._freed = asyncio.Condition()

    async def launch(self, spec: ServerSpec) -> Server:
        if spec.gpus > self._all:
            raise PrerequisiteError(
                f"the server of model {spec.name} takes {spec.gpus} GPUs; this machine has "
                f"{self._all}"
            )
        async with self._freed:
            await self._freed.wait_for(lambda: len(self._free) >= spec.gpus)
            taken, self._free = self._free[: spec.gpus], self._free[spec.gpus :]
        return _LocalServer(spec, tuple(taken), self)

    def finder(self, registry: Finder) -> Finder:
        return registry

    async def give_back(self, gpus: Iterable[str]) -> None:
        """Free GPUs of a server that has ended."""
        async with self._freed:
            self._free += gpus
            self._freed.notify_all()


class _LocalServer:
    """A supervisor as a task of the registry's loop."""

    def __init__(self, spec: ServerSpec, gpus: tuple[str, ...], launcher: LocalLauncher) -> None:
        self._gpus, self._launcher = gpus, launcher
        seen = {"CUDA_VISIBLE_DEVICES": ",".join(gpus)} if gpus else {}
        self._server = ModelServer(spec, environment=seen)
        self._life = asyncio.ensure_future(self._server.run())

    async def address(self, suspect: object = None) -> Address:
        return await self._server.address(suspect)

    async def close(self) -> None:
        self._life.cancel()
        with suppress(asyncio.CancelledError):
            await self._life
        await self._launcher.give_back(self._gpus)


def local_gpus(
    wanted: int | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    driver: Path = Path("/proc/driver/nvidia/gpus"),
) -> tuple[str, ...]:
    """The GPUs that this process may use; the first `wanted` where a number is named.

    What `CUDA_VISIBLE_DEVICES` names, else all that NVIDIA's driver lists.
    """
    visible = (os.environ if environment is None else environment).get("CUDA_VISIBLE_DEVICES")
    if visible is not None:
        names = [name.strip() for name in visible.split(",") if name.strip()]
    else:
        names = [str(index) for index in range(len(list(driver.glob("*"))))]
    if wanted is None:
        return tuple(names)
    return tuple(names[:wanted]) or tuple(str(index) for index in range(wanted))
