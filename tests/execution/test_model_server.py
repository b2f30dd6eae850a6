"""One server, with a stand-in in the place of `vllm serve`: started, watched, ended."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from ifbench.errors import PrerequisiteError
from ifbench.execution import model_server
from ifbench.execution.model_server import ModelServer, ServerSpec
from ifbench.health import is_healthy

STAND_IN = Path(__file__).with_name("stand_in_server.py")


def spec(*flags: str, **fields) -> ServerSpec:
    def command(host: str, port: int) -> tuple[str, ...]:
        return (sys.executable, str(STAND_IN), "org/m", "--host", host, "--port", str(port), *flags)

    return ServerSpec(**{"key": "k", "name": "m", "command": command, "start_s": 30, **fields})


@asynccontextmanager
async def running(given: ServerSpec, **fields) -> AsyncIterator[ModelServer]:
    server = ModelServer(given, **fields)
    life = asyncio.ensure_future(server.run())
    try:
        yield server
    finally:
        life.cancel()
        with suppress(asyncio.CancelledError):
            await life


def lines(log: Path) -> list[dict]:
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def group(pid: int) -> list[int]:
    """The living processes of a group."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, pgrp = path.read_text().rpartition(")")[2].split()[:3]
            if int(pgrp) == pid and state != "Z":
                found.append(int(path.parent.name))
    return found


def wait_until(holds, seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


async def test_address_waits_for_health_and_closing_ends_the_whole_group(tmp_path):
    log = tmp_path / "log"
    given = spec("--log", str(log), "--slow-start", "1", "--child", token_variable="TOKEN")
    began = time.monotonic()
    async with running(given, environment={"CUDA_VISIBLE_DEVICES": "3,5"}) as server:
        address = await server.address()
        assert time.monotonic() - began >= 1
        assert address.token
        assert await server.address() == address
        assert await server.address(suspect=address) == address
        [start] = lines(log)
        assert start["gpus"] == "3,5"
        assert len(group(start["pid"])) == 2
    assert group(start["pid"]) == []


async def test_server_that_dies_is_started_again_and_the_dead_one_is_not_named(tmp_path):
    log = tmp_path / "log"
    async with running(spec("--log", str(log), "--child")) as server:
        first = await server.address()
        os.kill(lines(log)[0]["pid"], 9)
        second = await server.address(suspect=first)
        assert second != first
        assert is_healthy("127.0.0.1", int(second.url.rpartition(":")[2]), timeout_s=10)
        one, two = lines(log)
        assert group(one["pid"]) == []
        assert server.starts == 2
    assert not is_alive(two["pid"])


async def test_restarts_are_bounded(tmp_path):
    log = tmp_path / "log"
    async with running(spec("--log", str(log), restarts=1)) as server:
        for _ in range(2):
            address = await server.address()
            os.kill(lines(log)[-1]["pid"], 9)
            wait_until(lambda: not is_alive(lines(log)[-1]["pid"]))
            with suppress(PrerequisiteError):
                await server.address(suspect=address)
        with pytest.raises(PrerequisiteError, match="model m was ended by signal 9, at start 2"):
            await server.address()
    assert len(lines(log)) == 2


@pytest.mark.soak
async def test_server_that_hangs_is_started_again(tmp_path, monkeypatch):
    monkeypatch.setattr(model_server, "HEALTH_INTERVAL_S", 0.3)
    monkeypatch.setattr(model_server, "HEALTH_S", 0.5)
    log = tmp_path / "log"
    async with running(spec("--log", str(log))) as server:
        first = await server.address()
        os.kill(lines(log)[0]["pid"], signal.SIGSTOP)
        assert await server.address(suspect=first) != first
        assert not is_alive(lines(log)[0]["pid"])


FAILURES = [
    (("--fail", "CUDA out of memory"), {}, "ended with code 3 while it started.*CUDA out of mem"),
    (("--never-healthy",), {"start_s": 1.5}, r"was not healthy 1\.5 s after its start"),
]


@pytest.mark.parametrize(("flags", "fields", "message"), FAILURES)
async def test_server_that_never_gets_healthy_is_an_error_with_command_and_log(
    flags, fields, message
):
    async with running(spec(*flags, **fields)) as server:
        with pytest.raises(PrerequisiteError, match=f"(?s)model m {message}") as caught:
            await server.address()
        assert f"command: {sys.executable} {STAND_IN} org/m --host" in str(caught.value)
        assert server.starts == 1


async def test_command_that_is_not_there_is_named():
    missing = ServerSpec(key="k", name="m", command=lambda *_: ("no-such-vllm", "serve"))
    async with running(missing) as server:
        with pytest.raises(PrerequisiteError, match=r"cannot be started.*no-such-vllm"):
            await server.address()


OWNER = """
import asyncio, sys
sys.path[:0] = {path!r}
from test_model_server import spec, ModelServer
async def main():
    server = ModelServer(spec("--log", {log!r}, "--child", {slow!r}, {seconds!r}))
    await server.run()
asyncio.run(main())
"""


@pytest.mark.parametrize("seconds", ["0", "60"], ids=["up", "starting"])
def test_owner_that_is_killed_leaves_nothing_behind(tmp_path, seconds):
    log = tmp_path / "log"
    code = OWNER.format(
        path=[str(Path(__file__).parent)], log=str(log), slow="--slow-start", seconds=seconds
    )
    owner = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    try:
        wait_until(lambda: [len(group(line["pid"])) for line in lines(log)] == [2])
    finally:
        os.killpg(owner.pid, 9)
        owner.wait(10)
    wait_until(lambda: not group(lines(log)[0]["pid"]))


async def test_cancelled_while_it_starts_leaves_nothing_behind(tmp_path):
    log = tmp_path / "log"
    async with running(spec("--log", str(log), "--slow-start", "60")):
        await asyncio.sleep(0)
    async with running(spec("--log", str(log), "--slow-start", "60")):
        await asyncio.to_thread(wait_until, lambda: lines(log))
    assert all(not group(line["pid"]) for line in lines(log))
