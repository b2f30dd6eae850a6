"""Keeps secrets out of configuration: a key is named, never written.

A config ends up in manifests, logs and error messages, so a value that looks like a key is
refused wherever it stands, and no message repeats it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

_SECRET_NAMES = frozenset(
    [
        "accesskey", "accesstoken", "apikey", "apitoken", "authorization", "authtoken",
        "bearer", "bearertoken", "clientsecret", "credential", "credentials", "passwd",
        "password", "privatekey", "secret", "secretkey", "token", "xapikey",
    ]
)  # fmt: skip
_KEY_SHAPES = re.compile(
    r"(?<![A-Za-z0-9])"
    r"(?:sk-[\w-]{12,}|xai-\w{12,}|AIza[\w-]{20,}|hf_\w{16,}|gh[pousr]_\w{16,}|github_pat_\w{16,}"
    r"|gsk_\w{16,}|nvapi-[\w-]{16,}|xox[abprs]-[\w-]{10,}|eyJ[\w-]{10,}\.[\w-]{10,}"
    r"|AKIA[0-9A-Z]{16}|[Bb]earer\s+\S{8,})"
)
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,63}")

ADVICE = (
    "put it into an environment variable and give the variable's name: "
    "`api_key_env: OPENAI_API_KEY`"
)

STORE_ADVICE = "for s3:// set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment"


def is_secret_name(key: str) -> bool:
    """True for keys under which people write secrets: `api_key`, `Authorization`, `token`."""
    return re.sub(r"[^a-z]", "", key.lower()) in _SECRET_NAMES


def looks_secret(text: str) -> bool:
    """True where a text holds what has the shape of some provider's key."""
    return _KEY_SHAPES.search(text) is not None


def find_secret(tree: Any, path: tuple[str | int, ...] = ()) -> tuple[str | int, ...] | None:
    """Path of the first secret in a tree: by its name, by its shape, or inside an address."""
    if isinstance(tree, Mapping):
        pairs: list[tuple[str | int, Any]] = [(str(key), value) for key, value in tree.items()]
    elif isinstance(tree, list | tuple):
        pairs = list(enumerate(tree))
    else:
        return path if isinstance(tree, str) and _text_is_secret(tree, path) else None
    for key, value in pairs:
        here = (*path, key)
        if isinstance(key, str) and is_secret_name(key) and value not in (None, ""):
            return here
        found = find_secret(value, here)
        if found:
            return found
    return None


def _text_is_secret(text: str, path: tuple[str | int, ...]) -> bool:
    if path and path[-1] == "api_key_env":
        return _VARIABLE.fullmatch(text) is None
    return looks_secret(text) or ("://" in text and _has_password(text))


def _has_password(address: str) -> bool:
    try:
        parts = urlsplit(address)
        names = [name for name, value in parse_qsl(parts.query) if value]
        return parts.password is not None or any(map(_names_a_key, names))
    except ValueError:  # Not an address at all; its own check says so.
        return False


def _names_a_key(name: str) -> bool:
    """True for a query's `api_key`, `token`, `key`, `subscription-key`, `X-Amz-Signature`."""
    return is_secret_name(name) or re.split(r"[-_]", name.lower())[-1] in _LAST_WORDS


_LAST_WORDS = frozenset(
    ["credential", "key", "password", "sas", "secret", "sig", "signature", "token"]
)


_ADDRESS = re.compile(r"[A-Za-z][\w+.-]{0,20}://[^\s'\"\],}]+")


def _addresses_hold_one(text: str) -> bool:
    """True where an address in a text brings a password or a key along."""
    return any(_has_password(found) for found in _ADDRESS.findall(text))


def display(value: Any, key: str = "") -> str:
    """A value as a message may show it: short, as JSON, and never a secret."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    if (
        key == "api_key_env"
        or is_secret_name(key)
        or looks_secret(text)
        or _addresses_hold_one(text)
    ):
        return "(hidden)"
    return text if len(text) <= 60 else text[:59] + "…"


def display_override(text: str) -> str:
    """An override as a message may show it."""
    key, equals, value = text.partition("=")
    names = key.split(".")
    hide = any(is_secret_name(name) or name == "api_key_env" for name in names)
    inner = any(is_secret_name(word) for word in re.findall(r"[\w-]+(?=\s*:)", value))
    in_address = ("@" in value and "://" in value) or _addresses_hold_one(value)
    if equals and (hide or inner or looks_secret(value) or in_address):
        return f"{key}=(hidden)"
    return text if len(text) <= 100 else text[:99] + "…"
