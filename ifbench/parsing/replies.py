"""Structured replies of judges and extractors: a validated value, or the reason why not.

Nothing is ever searched for in prose. "CORRECT" stands inside "INCORRECT", and one public
scorer read 77 of 100 verdicts where 33 were meant; here a reply that is no JSON object of the
asked shape is unreadable, which is the judge's failure and never the candidate's.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from ifbench.parsing.flaws import Flaw
from ifbench.parsing.json_text import parse_json
from ifbench.types import Json

MAX_CHARACTERS = 1_000_000
MAX_DEPTH = 64
"""Open braces at one time; the replies that we ask for need three."""
MAX_OBJECTS = 64
"""Objects of a reply that are looked at, the last ones."""

_YES = frozenset({"yes", "true", "pass"})
_NO = frozenset({"no", "false", "fail"})


def _flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    token = value.strip().casefold() if isinstance(value, str) else ""
    if token in _YES:
        return True
    if token in _NO:
        return False
    raise ValueError("expected true or false")


Flag: TypeAlias = Annotated[bool, BeforeValidator(_flag)]
"""A yes or no: a JSON boolean, or exactly one of the words yes, no, true, false, pass, fail."""


class Reply(BaseModel):
    """What a model is asked to reply; `read_reply` takes exact types and ignores further keys."""

    model_config = ConfigDict(frozen=True, extra="ignore")


R = TypeVar("R", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A reply from which nothing can be taken; the reason names what was found instead."""

    reason: str


def read_reply(text: str, shape: type[R], *, about: str = "") -> R | Unreadable:
    """Read a final text (reasoning removed) as one JSON object of the given shape.

    The whole text is tried first (or the one fence that it is), then the last balanced object in
    it: models put sentences around what they were asked for. `about` is the answer that the reply
    is about. An object that stands among sentences and in the answer is quoted from there, and a
    second verdict may be one that the answer dictated: neither is taken for the reply.
    """
    if not text.strip():
        return Unreadable(reason="the reply is empty")
    if len(text) > MAX_CHARACTERS:
        return Unreadable(reason=f"the reply has {len(text):,} characters")
    fence = _FENCE.fullmatch(text)
    whole = parse_json(fence["body"] if fence else text)
    if not isinstance(whole, Flaw):
        return _shaped(whole.value, shape)
    objects = _objects(text)
    if not objects:
        return Unreadable(reason=f"the reply is no JSON object: {whole.reason}")
    if about and _unspaced(objects[-1]) in _unspaced(about):
        return Unreadable(reason="the object in the reply is quoted from the answer")
    *others, last = [_read(words, shape) for words in objects]
    if isinstance(last, Unreadable):
        return last
    if any(not isinstance(other, Unreadable) and other != last for other in others):
        return Unreadable(reason="the reply holds two objects that say different things")
    return last


def _read(words: str, shape: type[R]) -> R | Unreadable:
    parsed = parse_json(words)
    if isinstance(parsed, Flaw):
        return Unreadable(reason=f"the reply is no JSON object: {parsed.reason}")
    return _shaped(parsed.value, shape)


def _shaped(value: Json, shape: type[R]) -> R | Unreadable:
    if not isinstance(value, dict):
        return Unreadable(reason=f"the reply is a {type(value).__name__} and no JSON object")
    try:
        return shape.model_validate_json(json.dumps(value), strict=True)
    except ValidationError as error:
        return Unreadable(reason=_first_error(error))


_FENCE = re.compile(r"\s*(?P<mark>```|~~~)[\w-]*\n(?P<body>.*)\n\s*(?P=mark)\s*", re.DOTALL)


def _unspaced(text: str) -> str:
    return "".join(text.split())


@lru_cache(maxsize=256)
def strict_schema(shape: type[BaseModel]) -> Mapping[str, Any]:
    """The JSON Schema to send out, as the strict mode of structured output wants it.

    Each object is closed and all of its keys are required. Titles and descriptions are left
    out: they come from our docstrings, and an edit there must not change a prompt's key.
    """
    return _strict(_schema(shape))


@lru_cache(maxsize=256)
def _schema(shape: type[BaseModel]) -> Mapping[str, Any]:
    """Pydantic makes it anew each time it is asked, which takes longer than all else of a prompt."""
    return shape.model_json_schema()


def numbered_schema(
    shape: type[BaseModel], field: str, numbers: Sequence[str]
) -> Mapping[str, Any]:
    """The schema of a reply whose `field` maps numbers to entries, with every number exactly once:
    a model that is held to it leaves none out and doubles none.
    """
    schema = dict(strict_schema(shape))
    entry = _schema(shape)["properties"][field]["additionalProperties"]
    numbered = {
        "type": "object",
        "properties": dict.fromkeys(numbers, entry),
        "required": list(numbers),
        "additionalProperties": False,
    }
    return {**schema, "properties": {**schema["properties"], field: numbered}}


_STRUCTURE = re.compile(r'["{}]|\\.', re.DOTALL)


def _objects(text: str) -> list[str]:
    """The balanced `{…}` in a text that stand in no other, found in one pass, in order; the last
    `MAX_OBJECTS` of them.

    Quotation marks count only between braces: those of prose need not come in pairs.
    """
    opened: list[int] = []
    spans: deque[tuple[int, int]] = deque(maxlen=MAX_OBJECTS)
    in_string = False
    for match in _STRUCTURE.finditer(text):
        token = match.group()
        if in_string:
            in_string = token != '"'
        elif token == '"':
            in_string = bool(opened)
        elif token == "{":
            opened.append(match.start())
            if len(opened) > MAX_DEPTH:
                return []
        elif token == "}" and opened:
            start = opened.pop()
            while spans and spans[-1][0] > start:
                spans.pop()  # A part of this one.
            spans.append((start, match.end()))
    return [text[start:end] for start, end in spans]


def _first_error(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"the reply does not fit at {where or 'its top'}: {first['msg']}"


_NAMED = frozenset({"properties", "$defs"})
_PROSE = frozenset({"title", "description", "default"})


def _strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    strict: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _PROSE:
            continue
        strict[key] = (
            {name: _strict(inner) for name, inner in value.items()}
            if key in _NAMED
            else _strict_value(value)
        )
    if strict.get("type") == "object":
        strict["required"] = list(strict.get("properties", {}))
        strict["additionalProperties"] = False
    return strict


def _strict_value(value: object) -> object:
    if isinstance(value, dict):
        return _strict(value)
    if isinstance(value, list):
        return [_strict_value(entry) for entry in value]
    return value
