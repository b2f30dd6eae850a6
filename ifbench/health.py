"""Whether a server of a model on this machine or cluster is well, by its `/health`."""

from __future__ import annotations

import http.client


def is_healthy(host: str, port: int, *, timeout_s: float) -> bool:
    """True when `/health` answers 200. `http.client` asks no proxy, `urllib` might. Blocks."""
    connection = http.client.HTTPConnection(host, port, timeout=timeout_s)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
