"""What holds for all tests: they talk to this machine alone, and leave nothing running on it."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import tempfile
import time
import uuid
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from network_guard import OutboundRefusedError, is_loopback

os.environ.pop("COLUMNS", None)
"""Commands print as on a pipe, also where pytest's own workers are told a width."""

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
"""Hundreds of tests start a process: compiled once, ours costs a quarter less."""
os.environ["IFBENCH_SPILL"] = tempfile.mkdtemp(prefix="ifbench-spill-")
"""What a store does not take in a test is never kept in the user's own folder."""

SESSION = f"IFBENCH_TEST_SESSION={os.environ.setdefault('IFBENCH_TEST_SESSION', uuid.uuid4().hex)}"
"""Stands in the environment of every process that a test starts, and of those that it starts."""
END_S = 60.0
"""Models' servers and Ray's workers end by themselves, some seconds after their last user."""

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
"""No test is timed: on a busy machine an example takes what it takes."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A captured line may hold half a character, which no report can be sent with."""
    report = yield
    report.sections = [
        (name, text.encode("utf-8", "backslashreplace").decode()) for name, text in report.sections
    ]
    return report


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Wait for what the tests have started; what does not end is shown, and killed."""
    if hasattr(session.config, "workerinput"):  # One of several: their controller waits.
        return
    deadline = time.monotonic() + END_S
    while (left := list(_started_here())) and time.monotonic() < deadline:
        time.sleep(0.2)
    for process in left:
        with contextlib.suppress(OSError):
            words = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            print(f"\nstill running after {END_S:.0f} s, so killed: {process.name} {words[:200]}")
            os.kill(int(process.name), signal.SIGKILL)


def _started_here() -> Iterator[Path]:
    """The processes of this session below `/proc`; none without `/proc`.

    Left out are pytest's own and its children, which end with it.
    """
    for process in Path("/proc").glob("[0-9]*"):
        # Gone by now, of another user, or a zombie, whose environment is empty.
        with contextlib.suppress(OSError):
            environment = (process / "environ").read_bytes().split(b"\0")
            parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
            if SESSION.encode() in environment and os.getpid() not in {
                int(process.name),
                int(parent),
            }:
                yield process


@pytest.fixture(autouse=True)
def no_network(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection but loopback.

    Ray finds its own address by connecting to one outside, and the embedded model is fetched
    once: tests that are marked `ray` or `model` keep their sockets.
    """
    if any(request.node.get_closest_marker(name) for name in ("ray", "model")):
        return
    look_up, connect, connect_ex = (
        socket.getaddrinfo,
        socket.socket.connect,
        socket.socket.connect_ex,
    )

    def refuse(address: object) -> None:
        if not is_loopback(address):
            raise OutboundRefusedError(f"tests reach only this machine, not {address!r}")

    def guarded_look_up(host: object, *args: object, **options: object) -> object:
        refuse((host.decode() if isinstance(host, bytes) else host or "",))
        return look_up(host, *args, **options)

    def guarded_connect(sock: socket.socket, address: object) -> None:
        refuse(address)
        connect(sock, address)

    def guarded_connect_ex(sock: socket.socket, address: object) -> int:
        refuse(address)
        return connect_ex(sock, address)

    monkeypatch.setattr(socket, "getaddrinfo", guarded_look_up)
    monkeypatch.setattr(socket.socket, "connect", guarded_connect)
    monkeypatch.setattr(socket.socket, "connect_ex", guarded_connect_ex)
