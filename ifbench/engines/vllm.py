"""A model whose server ifbench starts itself, asked as any other endpoint is.

Where the server listens is the registry's to say (`execution/model_servers.py`), which is handed in
as a `Finder`. While the server starts, or starts again, calls wait; a call that breaks off is
tried again by the one layer that retries, once there is a server again.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Protocol

from ifbench.engines.engine import Try, ViewLoader, failed_response
from ifbench.engines.openai_chat import OpenAIChat
from ifbench.engines.stopping import StoppedError, Waits
from ifbench.engines.vllm_command import VllmOptions, server_key, vllm_options
from ifbench.errors import PrerequisiteError
from ifbench.types import FailureKind, ModelConfig, Prompt

_SUSPICIOUS = frozenset({FailureKind.TRANSPORT, FailureKind.TIMEOUT})
REFRESH_S = 15.0
"""How often replicas that are still starting are looked for."""
STOPPED = "the run was stopped while this call waited for its model's server"


class Place(Protocol):
    """Where a server listens."""

    @property
    def url(self) -> str: ...

    @property
    def token(self) -> str: ...


class FindServers(Protocol):
    """From a server's key to where it listens; waits until it does.

    `suspect` failed its caller and is looked at before it is named again. Raises
    `PrerequisiteError` when there will be no server.
    """

    def __call__(self, key: str, suspect: Place | None) -> Awaitable[Sequence[Place]]: ...


def build_vllm(
    config: ModelConfig,
    view_loader: ViewLoader,
    find: FindServers | None,
    stopping: Callable[[], bool] = lambda: False,
) -> Vllm:
    """The engine of a config. Raises `ConfigError`.

    Without `find` it can be built and closed, as for a run whose answers are all stored.
    """
    return Vllm(config, vllm_options(config), view_loader, find or _nobody, stopping)


async def _nobody(key: str, suspect: Place | None) -> Sequence[Place]:
    del key, suspect
    raise PrerequisiteError("no server was started for this model, which was not to be asked")


class Vllm:
    """One user of a model's servers."""

    def __init__(
        self,
        config: ModelConfig,
        options: VllmOptions,
        view_loader: ViewLoader,
        find: FindServers,
        stopping: Callable[[], bool],
    ) -> None:
        self._key = server_key(config)
        self._replicas = options.replicas
        self._view_loader = view_loader
        self._find = find
        self._waits = Waits(stopping)
        self._lock = asyncio.Lock()
        self._chats: dict[Place, OpenAIChat] = {}
        """One for each server there was; calls may still be under way on the older ones."""
        self._up: tuple[Place, ...] = ()
        self._suspect: Place | None = None
        self._found_at = -math.inf
        self._in_flight: Counter[Place] = Counter()

    async def generate(self, prompt: Prompt) -> Try:
        """One try, at the replica with the fewest calls. Waits, without end, for a server."""
        began = time.monotonic()
        try:
            place = await self._waits.unless_stopped(self._ready())
        except StoppedError:
            return Try(response=failed_response(prompt, FailureKind.NOT_RUN, STOPPED))
        except PrerequisiteError as error:
            response = failed_response(prompt, FailureKind.REJECTED, str(error))
            return Try(response=response, hopeless=True)
        waited_s = time.monotonic() - began
        self._in_flight[place] += 1
        try:
            tried = await self._chats[place].generate(prompt)
        finally:
            self._in_flight[place] -= 1
        failure = tried.response.failure
        if failure is None or failure.kind not in _SUSPICIOUS:
            return replace(tried, waited_s=waited_s)
        if place in self._up:  # What breaks off on an older server says nothing.
            self._suspect = place
        is_broken = failure.kind is FailureKind.TRANSPORT
        return replace(tried, waited_s=waited_s, overloaded=is_broken)

    async def aclose(self) -> None:
        for chat in self._chats.values():
            await chat.aclose()

    async def _ready(self) -> Place:
        async with self._lock:
            now = time.monotonic()
            is_short = len(self._up) < self._replicas and now > self._found_at + REFRESH_S
            if self._suspect is not None or not self._up or is_short:
                self._up = tuple(await self._find(self._key, self._suspect))
                self._suspect, self._found_at = None, time.monotonic()
                for place in self._up:
                    if place not in self._chats:
                        self._chats[place] = self._chat(place)
            return min(self._up, key=lambda place: self._in_flight[place])

    def _chat(self, place: Place) -> OpenAIChat:
        return OpenAIChat(
            base_url=f"{place.url}/v1", api_key=place.token, view_loader=self._view_loader
        )
