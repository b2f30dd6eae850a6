"""What counts as this machine: the rule behind the guard in `conftest.py`."""

from __future__ import annotations

import ipaddress


class OutboundRefusedError(OSError):
    """A test tried to reach another machine."""


def is_loopback(address: object) -> bool:
    """True for addresses of this machine; sockets of other families (unix) are local too."""
    if not isinstance(address, tuple):
        return True
    host = str(address[0])
    if host in {"", "localhost"}:
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False  # A name, which only a look-up outside could resolve.
