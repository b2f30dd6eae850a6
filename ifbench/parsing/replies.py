"""Structured replies of judges and extractors: a validated value, or the reason why not.

Nothing is ever searched for in prose. "CORRECT" stands inside "INCORRECT", and one public
scorer read 77 of 100 verdicts where 33 were meant; here a reply that is no JSON object of the
asked shape is unreadable, which is the judge's failure and never the candidate's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from ifbench.parsing.flaws import Flaw
from ifbench.parsing.json_text import parse_json
from ifbench.types import Json

MAX_CHARACTERS = 1_000_000
MAX_DEPTH = 64
"""Open braces at one time; the replies that we ask for need three."""

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


def read_reply(text: str, shape: type[R]) -> R | Unreadable:
    """Read a final text (reasoning removed) as one JSON object of the given shape.

    The whole text is tried first, then the last balanced object in it: models put fences and
    sentences around what they were asked for.
    """
    if not text.strip():
        return Unreadable(reason="the reply is empty")
    if len(text) > MAX_CHARACTERS:
        return Unreadable(reason=f"the reply has {len(text):,} characters")
    value = _parse(text)
    if isinstance(value, Flaw):
        return Unreadable(reason=f"the reply is no JSON object: {value.reason}")
    if not isinstance(value, dict):
        return Unreadable(reason=f"the reply is a {type(value).__name__} and no JSON object")
    try:
        return shape.model_validate_json(json.dumps(value), strict=True)
    except ValidationError as error:
        return Unreadable(reason=_first_error(error))


def strict_schema(shape: type[BaseModel]) -> Mapping[str, Any]:
    """The JSON Schema to send out, as the strict mode of structured output wants it.

    Each object is closed and all of its keys are required. Titles and descriptions are left
    out: they come from our docstrings, and an edit there must not change a prompt's key.
    """
    return _strict(shape.model_json_schema())


def _parse(text: str) -> Json | Flaw:
    whole = parse_json(text)
    if not isinstance(whole, Flaw):
        return whole.value
    found = _last_object(text)
    last = whole if found is None else parse_json(found)
    return last if isinstance(last, Flaw) else last.value


_STRUCTURE = re.compile(r'["{}]|\\.', re.DOTALL)


def _last_object(text: str) -> str | None:
    """The balanced `{…}` that closes last, in one pass.

    Quotation marks count only between braces: those of prose need not come in pairs.
    """
    opened: list[int] = []
    last = (0, 0)
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
                return None
        elif token == "}" and opened:
            last = (opened.pop(), match.end())
    return text[slice(*last)] or None


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
