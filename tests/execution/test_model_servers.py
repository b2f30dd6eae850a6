"""The registry on one machine: who waits for GPUs, who is let go, what is named to workers."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path

import pytest

from ifbench.errors import PrerequisiteError
from ifbench.execution.model_server import ServerSpec
from ifbench.execution.model_servers import LocalLauncher, ModelServers, local_gpus

STAND_IN = Path(__file__).with_name("stand_in_server.py")


@pytest.fixture
def log(tmp_path):
    return tmp_path / "log"


def spec(name: str, log: Path, *flags: str, **fields) -> ServerSpec:
    def command(host: str, port: int) -> tuple[str, ...]:
        flagged = ("--host", host, "--port", str(port), "--log", str(log), *flags)
        return (sys.executable, str(STAND_IN), name, *flagged)

    return ServerSpec(**{"key": name, "name": name, "command": command, "start_s": 30, **fields})


def starts(log: Path) -> list[tuple[str, str | None]]:
    """Which model's servers began, in order, and the GPUs that they see."""
    lines = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    return [(line["model"], line["gpus"]) for line in lines if line["event"] == "start"]


async def test_the_next_in_line_starts_when_the_last_holder_lets_go(log):
    with ModelServers(LocalLauncher(["0"])) as servers:
        servers.hold([spec("a", log)], "one run")
        servers.hold([spec("a", log)], "another run")
        servers.hold([spec("b", log)], "one run")
        await servers.addresses("a")
        waiting = asyncio.ensure_future(servers.addresses("b"))
        servers.let_go("a", "one run")
        await asyncio.sleep(1)
        assert not waiting.done()
        assert starts(log) == [("a", "0")]
        servers.let_go("a", "another run")
        await waiting
        assert starts(log) == [("a", "0"), ("b", "0")]


async def test_nobody_overtakes_a_server_that_waits_for_more_gpus(log):
    with ModelServers(LocalLauncher(["4", "5"])) as servers:
        servers.hold([spec("a", log), spec("b", log, gpus=2), spec("c", log)], "run")
        await servers.addresses("a")
        await asyncio.sleep(1)
        assert starts(log) == [("a", "4")]
        servers.let_go("a", "run")
        await servers.addresses("b")
        assert starts(log) == [("a", "4"), ("b", "5,4")]


async def test_replicas_are_named_as_they_come_up(log):
    with ModelServers(LocalLauncher(["0", "1"])) as servers:
        servers.hold([spec("a", log, replicas=2)], "run")
        deadline = time.monotonic() + 20
        while len(await servers.addresses("a")) < 2:
            assert time.monotonic() < deadline
            await asyncio.sleep(0.1)
        assert sorted(starts(log)) == [("a", "0"), ("a", "1")]


async def test_a_server_without_gpus_starts_at_once_and_sees_what_we_see(log, monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    with ModelServers(LocalLauncher([])) as servers:
        servers.hold([spec("a", log, gpus=0)], "run")
        await servers.addresses("a")
        assert starts(log) == [("a", None)]


async def test_who_waits_for_a_server_that_is_let_go_is_told(log):
    with ModelServers(LocalLauncher(["0"])) as servers:
        servers.hold([spec("a", log, "--slow-start", "60"), spec("b", log)], "run")
        waiting = [asyncio.ensure_future(servers.addresses(key)) for key in "ab"]
        await asyncio.sleep(0.5)
        servers.close()
        for one in waiting:
            with pytest.raises(PrerequisiteError, match="let go"):
                await one


async def test_a_server_that_can_never_be_placed_is_an_error(log):
    with ModelServers(LocalLauncher(["0"])) as servers:
        servers.hold([spec("a", log, gpus=2)], "run")
        with pytest.raises(PrerequisiteError, match="takes 2 GPUs; this machine has 1"):
            await servers.addresses("a")
        with pytest.raises(PrerequisiteError, match="nobody holds"):
            await servers.addresses("b")


def test_gpus_of_this_machine(tmp_path):
    (tmp_path / "0000:17:00.0").mkdir()
    (tmp_path / "0000:18:00.0").mkdir()
    seen = {"CUDA_VISIBLE_DEVICES": "3, 5,7"}
    assert local_gpus(environment={}, driver=tmp_path) == ("0", "1")
    assert local_gpus(environment=seen, driver=tmp_path) == ("3", "5", "7")
    assert local_gpus(2, environment=seen, driver=tmp_path) == ("3", "5")
    assert local_gpus(environment={"CUDA_VISIBLE_DEVICES": ""}, driver=tmp_path) == ()
    assert local_gpus(environment={}, driver=tmp_path / "none") == ()
    assert local_gpus(2, environment={}, driver=tmp_path / "none") == ("0", "1")
    assert local_gpus(0, environment={}, driver=tmp_path) == ()
