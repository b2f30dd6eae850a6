"""Where a model answers and where a store lies: the keys that may read the environment.

A cluster hands out addresses as environment variables, so `${oc.env:NAME,default}` may
stand in a `base_url` and in `store.uri`. What comes out is stored with the run, hence no
passwords in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from ifbench.config.secrets import ADVICE, STORE_ADVICE, find_secret
from ifbench.errors import ConfigError

_VARIABLE = re.compile(r"\$\{oc\.env:\s*([A-Za-z_]\w*)\s*(?:,([^{}]*))?\}")


def read_address(written: str, environment: Mapping[str, str], origin: str) -> str:
    """The address, with environment variables filled in. Raises ConfigError."""
    address = _filled(written, environment, f"{origin}: `base_url`", "http://…")
    if find_secret({"base_url": address}):
        raise ConfigError(
            f"{origin}: `base_url` holds a password or key, and addresses are stored with a "
            f"run; {ADVICE}"
        )
    if "${" in address or not _is_http(address):
        raise ConfigError(
            f"{origin}: `base_url` must be an http:// or https:// address, perhaps with "
            f"`${{oc.env:NAME,default}}` in it, got {address!r}"
        )
    return address


def read_store_uri(written: str, environment: Mapping[str, str], origin: str) -> str:
    """The store's URI, with environment variables filled in. Raises ConfigError."""
    uri = _filled(written, environment, f"{origin}: `store.uri`", "s3://…")
    if find_secret({"uri": uri}):
        raise ConfigError(
            f"{origin}: `store.uri` holds a password or key, and it is stored with each run; "
            f"{STORE_ADVICE}"
        )
    return uri


def _filled(written: str, environment: Mapping[str, str], where: str, example: str) -> str:
    def fill(match: re.Match[str]) -> str:
        name, default = match.groups()
        value = environment.get(name) or default
        if value is None:
            raise ConfigError(
                f"{where} wants the environment variable {name}, which is not "
                f"set; set it, or write a default: `${{oc.env:{name},{example}}}`"
            )
        return value.strip()

    return _VARIABLE.sub(fill, written)


def _is_http(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.netloc)


def interpolated(tree: Any, path: tuple[str | int, ...] = ()) -> tuple[str | int, ...] | None:
    """Path of the first `${…}` in a model's tree that is no address."""
    if isinstance(tree, Mapping):
        pairs: list[tuple[str | int, Any]] = [(str(key), value) for key, value in tree.items()]
    elif isinstance(tree, list):
        pairs = list(enumerate(tree))
    else:
        return path if isinstance(tree, str) and "${" in tree and path != ("base_url",) else None
    for key, value in pairs:
        found = interpolated(value, (*path, key))
        if found:
            return found
    return None
