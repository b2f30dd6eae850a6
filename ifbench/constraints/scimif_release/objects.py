"""The JSON object that the release takes out of an answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ifbench.parsing.brackets import balanced_spans
from ifbench.parsing.flaws import Flaw
from ifbench.parsing.json_text import parse_json


def last_object(text: str) -> Mapping[str, Any] | None:
    """The last outermost `{…}` of the text that is JSON; `None` where none is."""
    for start, end in reversed(list(balanced_spans(text, "{"))):
        value = parse_json(text[start:end], unique_keys=False)
        if not isinstance(value, Flaw) and isinstance(value.value, Mapping):
            return value.value
    return None


def texts_in(value: Any) -> Iterator[str]:
    """Every string value of an object, at any depth."""
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            left += reversed([*one.values()])
        elif isinstance(one, list):
            left += reversed(one)
