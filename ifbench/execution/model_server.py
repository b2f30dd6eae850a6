"""One server of a model: started, watched, started again when it dies, ended with its owner.

    placed ─► starting ─► up ─► (died, or hangs) ─► starting ─► …  ─► failed
                 └── never healthy, or `restarts` used up ──────────────┘

Knows nothing of Ray or vLLM: a command, a port and `/health`. `server_guard.py` is the process
that makes sure that nothing is left behind.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shlex
import socket
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ifbench.errors import PrerequisiteError
from ifbench.health import is_healthy

POLL_S = 0.2
HEALTH_INTERVAL_S = 5.0
HEALTH_S = 10.0
HEALTH_TRIES = 3
"""A server that lives but fails so many looks in a row hangs, and is started again."""
LAST_LINES = 15
LAST_BYTES = 64 * 1024
BACK_OFF_S = 1.0
MOST_BACK_OFF_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSpec:
    """What is to be served, and how. Equal keys are one server, whatever the configs' names."""

    key: str
    name: str
    """The config's name, for messages."""
    command: Callable[[str, int], tuple[str, ...]]
    """The command line for a host and a port. Picklable."""
    gpus: int = 1
    replicas: int = 1
    port: int = 0
    """0 takes a free one, anew at each start."""
    start_s: float = 1800.0
    restarts: int = 3
    environment: Mapping[str, str] = field(default_factory=dict)
    """What the server's environment holds unless the user has set it."""
    token_variable: str | None = None
    """The variable in which the server is given the key that it is to ask for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a server listens. The token keeps other users of the network out."""

    url: str
    token: str


class ModelServer:
    """The supervisor of one server, on one event loop.

    `run` is the whole life of the server and is to be made a task; `address` waits for it.
    """

    def __init__(
        self,
        spec: ServerSpec,
        *,
        host: str = "127.0.0.1",
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """`environment` comes on top of this process's own: the GPUs that the server may see."""
        self._spec = spec
        self._host = host
        self._environment = environment or {}
        self._token = secrets.token_urlsafe(24)
        self._address: Address | None = None
        self._failure = ""
        self._changed = asyncio.Condition()
        self._child: asyncio.Future[_Child] | None = None
        self._command: tuple[str, ...] = ()
        self._port = 0
        self._was_up = False
        self.starts = 0

    async def run(self) -> None:
        """Serve until cancelled or failed for good; ends the server's processes in either case."""
        try:
            while True:
                self.starts += 1
                words, log = await self._serve_once()
                await self._end_child()
                if not self._was_up or self.starts > self._spec.restarts:
                    await self._set(address=None, failure=self._told(words, log))
                    return
                await self._set(address=None)
                await asyncio.sleep(min(MOST_BACK_OFF_S, BACK_OFF_S * 2 ** (self.starts - 1)))
        finally:
            await asyncio.shield(asyncio.ensure_future(self._end_child()))
            if not self._failure:
                words = f"the server of model {self._spec.name} was let go"
                await self._set(address=None, failure=words)

    async def address(self, suspect: object = None) -> Address:
        """Where the server is up; waits while it starts.

        One that failed its caller (`suspect`) is looked at before it is named again. Raises
        `PrerequisiteError`, with the last lines of the log, once there will be no server.
        """
        while True:
            async with self._changed:
                await self._changed.wait_for(lambda: self._address or self._failure)
                if self._failure:
                    raise PrerequisiteError(self._failure)
                found = self._address
            assert found is not None
            if found != suspect or await self._is_healthy():
                return found
            await asyncio.sleep(POLL_S)

    # ── One start ────────────────────────────────────────────────────────────────────

    async def _serve_once(self) -> tuple[str, str]:
        """Start the command and watch it; how it ended, and its last lines."""
        child = await self._start_child()
        words = await self._until_healthy(child)
        if words is None:
            self._was_up = True
            where = f"http://{_bracketed(self._host)}:{self._port}"
            await self._set(address=Address(url=where, token=self._token))
            words = await self._until_dead(child)
            await self._set(address=None)
        return words, child.log()

    async def _start_child(self) -> _Child:
        self._port = self._spec.port or free_port(self._host)
        self._command = self._spec.command(self._host, self._port)
        environment = {**self._spec.environment, **os.environ, **self._environment}
        if self._spec.token_variable:
            environment[self._spec.token_variable] = self._token
        starting = asyncio.to_thread(_Child, self._command, environment)
        self._child = asyncio.ensure_future(starting)
        return await asyncio.shield(self._child)  # Cancelled or not, it is there to be ended.

    async def _until_healthy(self, child: _Child) -> str | None:
        """Wait for health; what came in its place, in words, or `None`."""
        deadline = asyncio.get_running_loop().time() + self._spec.start_s
        while not await self._is_healthy():
            ending = child.ending()
            if ending is not None:
                return f"{ending} while it started"
            if asyncio.get_running_loop().time() > deadline:
                return f"was not healthy {self._spec.start_s:g} s after its start"
            await asyncio.sleep(POLL_S)
        return None

    async def _until_dead(self, child: _Child) -> str:
        """Watch the server; how it died, in words."""
        loop = asyncio.get_running_loop()
        misses, next_look = 0, loop.time() + HEALTH_INTERVAL_S
        while (ending := child.ending()) is None:
            await asyncio.sleep(POLL_S)
            if loop.time() >= next_look:
                misses = 0 if await self._is_healthy() else misses + 1
                if misses == HEALTH_TRIES:
                    return "stopped answering"
                next_look = loop.time() + HEALTH_INTERVAL_S
        return ending

    async def _is_healthy(self) -> bool:
        return await asyncio.to_thread(is_healthy, self._host, self._port, timeout_s=HEALTH_S)

    async def _end_child(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            await asyncio.to_thread((await child).close)

    def _told(self, words: str, log: str) -> str:
        times = f", at start {self.starts}" if self.starts > 1 else ""
        return (
            f"the server of model {self._spec.name} {words}{times}\n"
            f"command: {shlex.join(self._command)}\n"
            f"its last lines:\n{log or '(it wrote nothing)'}"
        )

    async def _set(self, *, address: Address | None, failure: str = "") -> None:
        async with self._changed:
            self._address, self._failure = address, failure
            self._changed.notify_all()


class _Child:
    """A guard and its command. Made and closed in a thread: both wait for a process."""

    def __init__(self, command: tuple[str, ...], environment: Mapping[str, str]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="ifbench-server-")
        self._log = Path(self._folder.name) / "server.log"
        lifeline, self._lifeline = os.pipe()
        self._status, status = os.pipe()
        os.set_blocking(self._status, False)
        # By its path and by itself: the command may live in an environment of its own, which
        # nothing of ours may get into.
        guard = (sys.executable, "-P", str(Path(__file__).with_name("server_guard.py")))
        try:
            with self._log.open("wb") as log:
                subprocess.run(  # Returns at once: the guard that is to stay has been forked off.
                    (*guard, str(lifeline), str(status), "--", *command),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    pass_fds=(lifeline, status),
                    env=dict(environment),
                    check=False,
                )
        finally:
            os.close(lifeline)
            os.close(status)
        self._heard = b""
        self._is_over = False

    def ending(self) -> str | None:
        """How the command ended, in words; `None` while it runs."""
        self._listen()
        for line in self._heard.splitlines():
            told: dict[str, Any] = json.loads(line)
            if "error" in told:
                return f"cannot be started ({told['error']})"
            if "code" in told:
                return _code_words(int(told["code"]))
        return "was lost with its guard" if self._is_over else None

    def log(self) -> str:
        """The last lines that the command wrote."""
        with self._log.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - LAST_BYTES))
            text = file.read().decode("utf-8", errors="replace")
        lines = deque((line for line in text.splitlines() if line.strip()), maxlen=LAST_LINES)
        return "\n".join(lines)

    def close(self) -> None:
        """End the command and all that it started; returns once the guard is gone."""
        os.close(self._lifeline)
        os.set_blocking(self._status, True)
        while os.read(self._status, 4096):
            pass
        os.close(self._status)
        self._folder.cleanup()

    def _listen(self) -> None:
        with suppress(BlockingIOError):
            while told := os.read(self._status, 4096):
                self._heard += told
            self._is_over = True


def free_port(host: str) -> int:
    """A port that nobody listens on now. Somebody may take it first: then the start fails."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.bind((host, 0))
        port: int = probe.getsockname()[1]
    return port


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _code_words(code: int) -> str:
    return f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
