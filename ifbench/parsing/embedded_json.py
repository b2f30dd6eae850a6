"""JSON objects and arrays that stand in a text, with their places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ifbench.parsing.brackets import balanced_spans
from ifbench.parsing.fences import fences_of
from ifbench.parsing.flaws import Flaw
from ifbench.parsing.json_text import parse_json
from ifbench.types import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedJson:
    """A value and its place."""

    value: Json
    start: int
    end: int


def json_values_in(text: str) -> Iterator[EmbeddedJson]:
    """Every object or array that reads as JSON, in order, none inside another.

    Only the last fence that says it is JSON is looked at, where there is one. What cannot be
    read is left out.
    """
    fences = fences_of(text, ("json", "jsonl"))
    base, end = (fences[-1].body_start, fences[-1].body_end) if fences else (0, len(text))
    for start, stop in balanced_spans(text[base:end], "{["):
        read = parse_json(text[base + start : base + stop], unique_keys=False)
        if not isinstance(read, Flaw):
            yield EmbeddedJson(value=read.value, start=base + start, end=base + stop)
