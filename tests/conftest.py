"""Closes the way out: a test talks to this machine alone."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

from network_guard import OutboundRefusedError, is_loopback

os.environ.pop("COLUMNS", None)
"""Commands print as on a pipe, also where pytest's own workers are told a width."""

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ.setdefault("PYTHONPYCACHEPREFIX", str(Path(sys.prefix) / "pycache"))
"""Hundreds of tests start a process: compiled once, ours costs a quarter less. Not in the tree."""
os.environ["IFBENCH_SPILL"] = tempfile.mkdtemp(prefix="ifbench-spill-")
"""What a store does not take in a test is never kept in the user's own folder."""

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
