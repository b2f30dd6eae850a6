"""SciMIF's Format group, geography: one option for each field of a scene (Table 7)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Annotated, Self

from pydantic import Field, model_validator

from ifbench.constraints.constraint import Check, Example, Params, failed, passed, quote, scripted
from ifbench.parsing.answers import final_answer
from ifbench.parsing.fields import NamedValue, fields_in
from ifbench.parsing.option_words import Options
from ifbench.parsing.options import read_choice
from ifbench.parsing.text_forms import bare_span, comparable

Name = Annotated[str, Field(min_length=1, pattern=r"\w")]


class SceneOptions(Params):
    """The fields of a scene and the options of each."""

    fields: Mapping[str, tuple[Name, ...]] = Field(min_length=1)
    """Options by the field's name. A single field may be called `""`: then the answer is one
    option and no name stands beside it."""
    allow_explanation: bool = False
    """Whether text may stand beside the option of an unnamed field. Text around named values
    never matters: what else an answer holds is for the general format constraints."""

    @model_validator(mode="after")
    def _options_can_be_told_apart(self) -> Self:
        if len(self.fields) > 1 and not all(name.strip() for name in self.fields):
            raise ValueError("only a single field may go without a name")
        for name, options in self.fields.items():
            if len({comparable(option) for option in options}) < max(len(options), 2):
                raise ValueError(f"field `{name}` needs two options at least, all different")
        return self


@scripted(
    "geography:scene_option_constraint",
    group="format",
    params=SceneOptions,
    example=Example(
        params={"fields": {"weather": ["clear", "rainy"], "light": ["day", "dusk/dawn", "night"]}},
        instruction="Give weather (clear, rainy) and light (day, dusk/dawn, night).",
        passing='{"weather": "clear", "light": "dusk/dawn"}',
        failing='{"weather": "sunny", "light": "dawn"}',
    ),
)
def scene_option(text: str, params: SceneOptions) -> Check:
    """The answer gives one value for each field, exactly one of the field's own options."""
    if list(params.fields) == [""]:
        return _one_option(text, params)
    found = fields_in(text, tuple(params.fields))
    if not any(found.values()):
        found = _in_row(text, params)
    values = [value for place in found.values() for value in place]
    details = {
        "evidence": tuple(quote(text, value.start, value.end) for value in values[:20]),
        "found": {name: [one.value[:60] for one in place[:5]] for name, place in found.items()},
    }
    flaws = [flaw for name in params.fields for flaw in _field_flaws(name, found[name], params)]
    if flaws:
        return failed("; ".join(flaws)[:500], **details)
    return passed(f"all {len(params.fields)} fields hold one of their options", **details)


def _one_option(text: str, params: SceneOptions) -> Check:
    options = Options(texts=params.fields[""])
    choice = read_choice(text, options, "exact", allow_explanation=params.allow_explanation)
    evidence = tuple(quote(text, one.start, one.end) for one in choice.mentions)
    if choice.option is None:
        return failed(f"{choice.problem}; the options are {_listed(params.fields[''])}"[:500])
    name = options.name(choice.option)
    return passed(f"the answer chooses `{name}`", evidence=evidence, extracted=name)


_MOST_BORDERS = 1000  # No scene has so many fields.
_BETWEEN = re.compile(r"[,;|\n，；、]")


def _in_row(text: str, params: SceneOptions) -> Mapping[str, tuple[NamedValue, ...]]:
    """The values alone, as in `['clear', 'day']`, in the order of the fields."""
    region = final_answer(text)
    span = (region.start, region.end) if region and region.is_stated else (0, len(text))
    start, end = bare_span(text, *span)
    if text[start : start + 1] in {"[", "("} and text[end - 1 : end] in {"]", ")"}:
        start, end = start + 1, end - 1
    borders = list(islice(_BETWEEN.finditer(text, start, end), _MOST_BORDERS))
    starts = (start, *(border.end() for border in borders))
    ends = (*(border.start() for border in borders), end)
    spans = [bare_span(text, *piece) for piece in zip(starts, ends, strict=True)]
    filled = [(a, b) for a, b in spans if a < b]
    if len(filled) != len(params.fields):
        return dict.fromkeys(params.fields, ())
    return {
        name: (NamedValue(name=name, value=text[a:b], start=a, end=b),)
        for name, (a, b) in zip(params.fields, filled, strict=True)
    }


def _field_flaws(name: str, values: Sequence[NamedValue], params: SceneOptions) -> Iterator[str]:
    options = params.fields[name]
    if not values:
        yield f"`{name}` has no value"
        return
    forms = dict.fromkeys(comparable(one.value) for one in values)
    if len(forms) > 1:
        yield f"`{name}` has {len(forms)} values"
    allowed = {comparable(option) for option in options}
    wrong = next((form for form in forms if form not in allowed), None)
    if wrong is not None:
        yield f"`{name}` is `{wrong[:40]}`, not one of {_listed(options)}"


def _listed(options: Sequence[str]) -> str:
    return ", ".join(f"`{option}`" for option in options)
