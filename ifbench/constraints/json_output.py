"""What a JSON answer has to be, shared by the benchmarks' constraints on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any, Literal, Self

from pydantic import ConfigDict, Field, field_validator, model_validator

from ifbench.constraints.constraint import Check
from ifbench.constraints.enclosure import Enclosure, Form, concluded, take
from ifbench.keys import canonical_json
from ifbench.parsing.brackets import balanced_spans
from ifbench.parsing.flaws import counted, listed
from ifbench.parsing.json_schemas import check_schema, schema_violation
from ifbench.parsing.json_text import JsonText, parse_json
from ifbench.types import Json


class JsonParams(Enclosure):
    """What the JSON has to be."""

    model_config = ConfigDict(serialize_by_alias=True)

    top_level: Literal["object", "array", "any"] = "object"
    required_keys: tuple[str, ...] = ()
    """Names that the object holds, or each object of the array."""
    extra_keys: bool = True
    """False: no names beside the required ones."""
    json_schema: Mapping[str, Any] | None = Field(default=None, alias="schema")
    """A JSON Schema (2020-12) that refers to nothing outside itself."""
    unique_keys: bool = True
    """A name that stands twice in one object breaks the answer."""
    length: int | None = Field(default=None, ge=0)
    """Number of elements of the array, or of names of the object."""

    @field_validator("json_schema")
    @classmethod
    def _is_a_schema(cls, schema: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        if schema is not None:
            check_schema(schema)
        return schema

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if not self.extra_keys and not self.required_keys:
            raise ValueError("extra_keys: false needs required_keys, or no name would be allowed")
        return self


def check_json(
    text: str, params: JsonParams, further: Callable[[Json], str] = lambda _: ""
) -> Check:
    """Whether the answer is, or holds, JSON that meets every demand.

    `further` says what else is wrong with the value, in words; empty where nothing is.
    """
    taken = take(text, params, _json_form(params.top_level, unique_keys=params.unique_keys))
    if isinstance(taken, Check):
        return taken
    value = taken.value.value
    problem = (
        _wrong_top_level(value, params.top_level)
        or _wrong_keys(value, params)
        or _wrong_length(value, params.length)
        or _against_schema(value, params.json_schema)
        or further(value)
    )
    return concluded(text, taken, problem, "one JSON value that meets every demand")


@cache
def _json_form(top_level: str, *, unique_keys: bool) -> Form[JsonText]:
    openings = {"object": "{", "array": "["}.get(top_level, "{[")
    name = {"object": "a JSON object", "array": "a JSON array"}.get(top_level, "JSON")
    return Form(
        name=name,
        languages=frozenset({"json", "json5", "jsonc"}),
        read=partial(parse_json, unique_keys=unique_keys),
        spans=partial(balanced_spans, openings=openings),
    )


def _wrong_top_level(value: object, top_level: str) -> str:
    if top_level == "any" or isinstance(value, dict if top_level == "object" else list):
        return ""
    return f"the top level is {_json_type(value)}, not an {top_level}"


def _json_type(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case str():
            return "a string"
        case int() | float():
            return "a number"
        case dict():
            return "an object"
        case _:
            return "an array"


def _wrong_keys(value: object, params: JsonParams) -> str:
    if not params.required_keys:
        return ""
    objects = value if isinstance(value, list) else [value]
    for index, entry in enumerate(objects):
        where = f" in element {index + 1}" if isinstance(value, list) else ""
        if not isinstance(entry, dict):
            return f"{_json_type(entry)} stands{where or ' there'}, not an object with keys"
        missing = [key for key in params.required_keys if key not in entry]
        if missing:
            return f"these keys are missing{where}: {listed(missing)}"
        extra = [key for key in entry if key not in params.required_keys]
        if extra and not params.extra_keys:
            return f"these keys were not asked for{where}: {listed(extra)}"
    return ""


def _wrong_length(value: object, length: int | None) -> str:
    if length is None:
        return ""
    if not isinstance(value, list | dict):
        return f"{_json_type(value)} has no number of elements"
    return "" if len(value) == length else f"it holds {counted(len(value))}, not {length}"


def _against_schema(value: Any, schema: Mapping[str, Any] | None) -> str:
    return schema_violation(value, canonical_json(schema)) if schema is not None else ""
