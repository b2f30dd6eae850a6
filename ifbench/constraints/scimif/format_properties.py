"""SciMIF's Format group, materials: a property as a label, a number or JSON (Table 9)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from ifbench.constraints.constraint import Check, Example, Params, failed, passed, quote, scripted
from ifbench.parsing.answers import final_answer, sentence_around
from ifbench.parsing.denials import is_denied
from ifbench.parsing.embedded_json import json_values_in
from ifbench.parsing.fields import fields_in
from ifbench.parsing.numbers import Number, quantities_in
from ifbench.parsing.option_words import Options
from ifbench.parsing.options import read_choice
from ifbench.parsing.text_forms import comparable, fold
from ifbench.types import Json

Name = Annotated[str, Field(min_length=1, pattern=r"\w")]

JsonType = Literal["number", "integer", "boolean", "string"]


class PropertyType(Params):
    """How a material's property is written."""

    kind: Literal["label", "number", "json"]
    """`label`: one of a closed set. `number`: exactly one finite number. `json`: a field of a
    JSON object, with the right type."""
    key: str = ""
    """The property's name: a JSON key, or the label of a line; needed by `json`."""
    labels: tuple[Name, ...] = ()
    """The closed set (`Direct`, `Indirect`); case does not count, `_` is a blank."""
    aliases: Mapping[str, tuple[Name, ...]] = {}
    """Other words for a label. True and False take yes and no without being told."""
    unit: str = ""
    """What has to follow the number; empty asks for none."""
    json_type: JsonType | None = None

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if self.kind == "label" and len({comparable(label) for label in self.labels}) < 2:
            raise ValueError("kind `label` needs two different labels at least")
        if self.kind == "json" and not (self.key and self.json_type):
            raise ValueError("kind `json` needs `key` and `json_type`")
        if self.kind != "json" and self.json_type:
            raise ValueError("`json_type` belongs to kind `json`")
        if self.kind != "number" and self.unit:
            raise ValueError("`unit` belongs to kind `number`")
        if self.labels and (self.kind == "number" or self.json_type not in {None, "string"}):
            raise ValueError("only labels and JSON strings have a closed set")
        unknown = sorted(set(self.aliases) - set(self.labels))
        if unknown:
            raise ValueError(f"`aliases` names {', '.join(unknown)}, which is no label")
        return self

    @property
    def spellings(self) -> Mapping[str, str]:
        """Every word for a label, to the label."""
        known = {word: label for label in self.labels for word in _OTHER.get(label.lower(), ())}
        given = {word: label for label, words in self.aliases.items() for word in words}
        return {**known, **given, **{label: label for label in self.labels}}


_OTHER: Mapping[str, tuple[str, ...]] = {"true": ("yes",), "false": ("no",)}


@scripted(
    "material:property_type",
    group="format",
    params=PropertyType,
    version=3,
    example=Example(
        params={"kind": "label", "labels": ["Direct", "Indirect"]},
        instruction="Say if the band gap is Direct or Indirect.",
        passing="The band gap is indirect.",
        failing="The band gap is 1.12 eV.",
    ),
)
def property_type(text: str, params: PropertyType) -> Check:
    """The property is given in its own format: a label of a closed set, a number, or JSON."""
    match params.kind:
        case "label":
            return _check_label(text, params)
        case "number":
            return _check_number(text, params)
        case "json":
            return _check_json(text, params)


def _span(text: str, key: str) -> tuple[int, int] | None:
    """The key's last value, or the stated answer; `None` where a key has no value."""
    if key:
        values = fields_in(text, (key,))[key]
        return (values[-1].start, values[-1].end) if values else None
    region = final_answer(text)
    return (region.start, region.end) if region and region.is_stated else (0, len(text))


def _check_label(text: str, params: PropertyType) -> Check:
    span = _span(text, params.key)
    if span is None:
        return failed(f"no value stands under {params.key}")
    spellings = params.spellings
    options = Options(texts=tuple(spellings))
    words = text[slice(*span)]
    choice = read_choice(words, options, "contains", allow_explanation=True)
    denied = [one for one in choice.mentions if is_denied(words, one.start, one.end)]
    said = [one for one in choice.mentions if one not in denied]
    named = {spellings[options.texts[one.option]]: one for one in reversed(said or denied)}
    evidence = tuple(quote(text, span[0] + one.start, span[0] + one.end) for one in named.values())
    if len(named) != 1:
        found = f"names {', '.join(sorted(named))}" if named else "names no label"
        return failed(
            f"the answer {found}; one of {_listed(params.labels)} is asked for", evidence=evidence
        )
    (label,) = named
    if not said:
        return failed(f"the answer says what it is not: {label}", evidence=evidence)
    return passed(f"the label is `{label}`", evidence=evidence, extracted=label)


# ── Numbers ──────────────────────────────────────────────────────────────────────────


def _check_number(text: str, params: PropertyType) -> Check:
    numbers = _numbers(text, params.key)
    evidence = tuple(quote(text, one.start, one.end) for one in numbers[:10])
    if len(numbers) != 1:
        written = ", ".join(text[one.start : one.end][:20] for one in numbers[:5]) or "none"
        return failed(f"exactly one number is asked for, found {written}", evidence=evidence)
    number = numbers[0]
    shown = text[number.start : number.end][:40]
    if not math.isfinite(number.value):
        return failed(f"`{shown}` is too large a number", evidence=evidence)
    if params.unit and not _has_unit(number.unit_text(text), params.unit):
        return failed(f"`{params.unit}` does not follow the number `{shown}`", evidence=evidence)
    return passed(f"the value is one number, `{shown}`", evidence=evidence, extracted=shown)


def _numbers(text: str, key: str) -> Sequence[Number]:
    """The quantities under the key, in the stated answer, or in the last sentence that has some."""
    span = _span(text, key)
    region = final_answer(text)
    if span is None or region is None:
        return ()
    if not key and not region.is_stated:
        if region.found_by != "number":
            return ()
        span = sentence_around(text, region.start, region.end)
    return quantities_in(text, *span)


def _has_unit(written: str, unit: str) -> bool:
    wanted, found = _unit_form(unit), _unit_form(written)
    return found.startswith(wanted) and not found[len(wanted) : len(wanted) + 1].isalnum()


_DRESS = re.compile(r"\\(?:text|mathrm|rm|,|;|!)|[\s{}$^~\\*_`\"'·⋅]")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−µ", "0123456789--μ")


def _unit_form(words: str) -> str:
    """A unit without blanks, LaTeX and superscripts; case counts (mPa is not MPa)."""
    return _DRESS.sub("", fold(words).translate(_SUPERSCRIPTS))


# ── JSON ─────────────────────────────────────────────────────────────────────────────


def _check_json(text: str, params: PropertyType) -> Check:
    objects = [one for one in json_values_in(text) if isinstance(one.value, dict)]
    if not objects:
        return failed("no JSON object stands in the answer")
    wanted = comparable(params.key)
    for one in reversed(objects):
        assert isinstance(one.value, Mapping)
        fields = {comparable(str(name)): value for name, value in one.value.items()}
        if wanted in fields:
            flaw = _type_flaw(fields[wanted], params)
            evidence = (quote(text, one.start, one.end),)
            if flaw:
                return failed(f"“{params.key}” {flaw}", evidence=evidence)
            return passed(f"“{params.key}” is a {params.json_type}", evidence=evidence)
    return failed(f"no JSON object has the name “{params.key}”")


_TYPES: Mapping[JsonType, tuple[type, ...]] = {
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "string": (str,),
}


def _type_flaw(value: Json, params: PropertyType) -> str:
    assert params.json_type is not None
    is_typed = isinstance(value, _TYPES[params.json_type])
    if not is_typed or (isinstance(value, bool) and params.json_type != "boolean"):
        return f"is no {params.json_type}"
    if isinstance(value, float) and not math.isfinite(value):
        return "is too large a number"
    if isinstance(value, str) and not value.strip():
        return "is blank"
    allowed = {comparable(word) for word in params.spellings}
    if isinstance(value, str) and allowed and comparable(value) not in allowed:
        return f"is `{value[:40]}`, not one of {_listed(params.labels)}"
    return ""


def _listed(options: Sequence[str]) -> str:
    return ", ".join(f"`{option}`" for option in options)
