"""The prompts of judges, extractors and graders: Jinja2 templates, rendered without any choice of ours.

What a candidate wrote is data to them. A template puts it between markers that carry
`nonce(answer)`, a word that the answer provably does not hold, so that no answer can close
its own fence and speak as the prompt; `system_text` says so once more, in the system's place.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, Literal, TypeAlias

from jinja2 import Environment, PackageLoader, StrictUndefined

Kind: TypeAlias = Literal["judge", "extract", "grade", "transcribe"]
"""A folder below `ifbench/prompts/`."""

_SYSTEM = "system.j2"
HASH_LENGTH = 12
"""Hexadecimal digits of a template's hash and of a nonce."""


def render(kind: Kind, name: str, **values: Any) -> str:
    """A template with its values put in; a value that it needs and does not get is an error.

    A lone surrogate, which no endpoint takes, is shown as U+FFFD.
    """
    words = _environment().get_template(f"{kind}/{name}.j2").render(values)
    return words.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@cache
def system_text() -> str:
    """What goes out as the system's part with every template: data are data."""
    return _folder().joinpath(_SYSTEM).read_text(encoding="utf-8").strip()


def nonce(text: str) -> str:
    """A short word that depends on the text alone and does not stand in it."""
    word = _digest(text)
    while word in text:
        word = _digest(word + text)
    return word


@cache
def template_hash(kind: Kind, name: str) -> str:
    """The start of the SHA-256 of a template's text and of the system's: its version in graders
    and manifests.
    """
    return _digest(system_text() + _folder().joinpath(kind, f"{name}.j2").read_text("utf-8"))


def all_template_hashes() -> Mapping[str, str]:
    """The hash of each template, by `KIND/NAME`."""
    kinds: tuple[Kind, ...] = ("judge", "extract", "grade", "transcribe")
    names = {
        (kind, file.name.removesuffix(".j2"))
        for kind in kinds
        for file in _folder().joinpath(kind).iterdir()
        if file.name.endswith(".j2")
    }
    return {f"{kind}/{name}": template_hash(kind, name) for kind, name in sorted(names)}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_LENGTH]


def _folder() -> resources.abc.Traversable:
    return resources.files(__name__)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("ifbench", "prompts"),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701  (Prompts are plain text; escaping would alter answers.)
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters["nonce"] = nonce
    return environment
