"""The way out is closed, loopback is open."""

from __future__ import annotations

import socket

import pytest

from network_guard import OutboundRefusedError, is_loopback


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        (("127.0.0.1", 80), True),
        (("127.9.9.9", 80), True),
        (("::1", 80, 0, 0), True),
        (("localhost", 80), True),
        ("/tmp/a.socket", True),
        (("192.0.2.1", 80), False),
        (("10.0.0.1", 80), False),
        (("0.0.0.0", 80), False),
        (("example.org", 443), False),
        (("localhost.example.org", 443), False),
    ],
)
def test_only_this_machine_counts_as_loopback(address: object, expected: bool) -> None:
    assert is_loopback(address) is expected


def test_a_connection_elsewhere_is_refused() -> None:
    with socket.socket() as sock, pytest.raises(OutboundRefusedError):
        sock.connect(("192.0.2.1", 80))


def test_a_name_elsewhere_is_not_looked_up() -> None:
    with pytest.raises(OutboundRefusedError):
        socket.create_connection(("example.org", 443), timeout=1)


def test_a_connection_to_this_machine_works() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        with socket.create_connection(server.getsockname(), timeout=5) as client:
            assert client.getpeername() == server.getsockname()
