"""A server is well when it says so in time, and in no other case."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ifbench.health import is_healthy


@contextmanager
def server(answer: bytes | None) -> Iterator[int]:
    """Takes one connection and sends the bytes; with none it says nothing. The port."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(4096)
                if answer is not None:
                    connection.sendall(answer)
                else:
                    connection.recv(4096)  # Until the asker has given up.

        thread = threading.Thread(target=serve)
        thread.start()
        yield listening.getsockname()[1]
        thread.join()


@pytest.mark.parametrize(
    ("answer", "is_well"),
    [
        (b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", True),
        (b"HTTP/1.1 503 Loading\r\ncontent-length: 0\r\n\r\n", False),
        (b"a page of another program\r\n\r\n", False),
        (b"", False),
        (None, False),
    ],
)
def test_only_a_server_that_answers_200_in_time_is_healthy(answer: bytes | None, is_well: bool):
    with server(answer) as port:
        assert is_healthy("127.0.0.1", port, timeout_s=0.2) is is_well


def test_a_port_at_which_nobody_listens_is_not_healthy():
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    assert not is_healthy("127.0.0.1", port, timeout_s=0.2)
