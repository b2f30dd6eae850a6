"""Parameters of a checklist item, from plain JSON to the constraint's typed `Params`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from ifbench.constraints import all_constraints
from ifbench.constraints.constraint import Params
from ifbench.errors import DatasetError


def bind_params(constraint_id: str, params: Mapping[str, Any]) -> Params:
    """The typed parameters of a constraint.

    Types are not bent: `"2"` and `true` are no number. Raises `DatasetError`, whose message
    names the constraint, each wrong key, what was found and what is known instead.
    """
    constraint = all_constraints().get(constraint_id)
    if constraint is None:
        raise DatasetError(unknown_name("constraint", constraint_id, all_constraints()))
    try:
        # Through JSON, because only there does strict reading take lists for tuples.
        return constraint.params.model_validate_json(json.dumps(params), strict=True)
    except ValidationError as error:
        raise DatasetError(
            f"{constraint_id}: " + "; ".join(describe(error, constraint.params))
        ) from error


def unknown_name(
    kind: str, name: str, known: Iterator[str] | Sequence[str] | Mapping[str, Any]
) -> str:
    """A sentence about a name that does not exist, with those that look like it."""
    close = _close(name, list(known))
    hint = f"; did you mean {' or '.join(f'`{word}`' for word in close)}?" if close else ""
    return f"unknown {kind} `{name}`{hint}"


def _close(name: str, known: Sequence[str]) -> list[str]:
    """Names that look like one, whatever its case; else those that hold it, or a part of it.

    `GENERAL:DECIMAL_NUMBER` is `general:decimal_number`, and `decimal` is a part of it.
    """
    folded: dict[str, str] = {}
    for one in known:
        folded.setdefault(one.casefold(), one)
    word = name.casefold()
    if word in folded:
        return [folded[word]]
    close = get_close_matches(word, folded, n=3, cutoff=0.6)
    if not close and len(word) >= _TELLING:
        close = [one for one in folded if word in one][:3]
    return [folded[one] for one in close]


_TELLING = 3
"""Characters that a part of a name must have, so that it tells names apart."""


def describe(error: ValidationError, model: type[BaseModel]) -> list[str]:
    """What is wrong, one sentence an error: where, what was found, what was expected."""
    return [_sentence(entry, model) for entry in error.errors(include_url=False)]


def _sentence(entry: Any, model: type[BaseModel]) -> str:
    location: tuple[str | int, ...] = entry["loc"]
    *parents, last = location or ("",)
    inside = _place(parents)
    if entry["type"] == "extra_forbidden":
        known = list(_model_at(model, parents).model_fields)
        sentence = unknown_name("key", str(last), known)
        if "did you mean" not in sentence:
            sentence += f"; known: {', '.join(known) or 'none'}"
        return f"{inside}: {sentence}" if inside else sentence
    if entry["type"] == "missing":
        sentence = f"the key `{last}` is missing"
        return f"{inside}: {sentence}" if inside else sentence
    words = entry["msg"].removeprefix("Value error, ")  # Our own sentences need no heading.
    if entry["type"] == "string_pattern_mismatch":
        pattern = entry["ctx"]["pattern"]
        words = _WORDS.get(pattern, f"a text that matches `{pattern}` is expected")
    elif entry["type"] == "string_type":
        words = "a text is expected"
    return f"{_place(location) or 'the record'}: {words}, found {_shorten(entry['input'])}"


_WORDS: Mapping[str, str] = MappingProxyType({
    r"\S": "a text that is not empty is expected",
    r"\w": "a text with a letter or digit in it is expected",
    r"[^\W_]": "a text with a letter or digit in it is expected",
    r"^([0-9a-f]{64})?$": "64 hexadecimal digits, in small letters, or an empty text are expected",
})  # fmt: skip
"""What each pattern of our forms means, to whoever writes a file."""


def _place(location: Sequence[str | int]) -> str:
    words = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return words.removeprefix(".")


def _model_at(model: type[BaseModel], location: Sequence[str | int]) -> type[BaseModel]:
    for part in location:
        field = model.model_fields.get(part) if isinstance(part, str) else None
        if field is not None:
            model = next(_models_in(field.annotation), model)
    return model


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)


def _shorten(value: Any, limit: int = 60) -> str:
    words = json.dumps(value, ensure_ascii=False, default=repr)
    return words if len(words) <= limit else words[: limit - 1] + "…"
