"""The *terminology* group, materials: which characterisation techniques an answer names (Table 9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from ifbench.constraints.constraint import Check, Example, Params, failed, passed, quote, scripted
from ifbench.parsing.answers import final_answer
from ifbench.parsing.denials import is_denied
from ifbench.parsing.techniques import (
    NamedTechnique,
    Technique,
    is_form_of,
    technique_called,
    techniques_in,
)

_SHOWN = 10  # Techniques that a verdict lists.


class TechniqueParams(Params):
    """Which techniques an answer may name, where, and how."""

    allowed: tuple[Annotated[str, Field(min_length=1, pattern=r"[^\W_]")], ...] = ()
    """Names or acronyms; empty allows every technique of `parsing/techniques.py`. A technique
    that the table lacks is looked for as it is written here."""
    scope: Literal["final", "all"] = "final"
    """The stated answer where there is one, or all of the text."""
    form: Literal["any", "acronym", "name"] = "any"
    """How each technique is to be called; one without an acronym keeps its name."""
    ignore_case: bool = False
    """Whether `xrd` is an acronym too, for answers that may not use capitals."""

    @property
    def techniques(self) -> tuple[Technique, ...]:
        return tuple(technique_called(words.strip()) for words in self.allowed)


@scripted(
    "material:characterization_technique",
    group="terminology",
    params=TechniqueParams,
    version=2,
    example=Example(
        params={"allowed": ["TEM", "SAED"]},
        instruction="Name the technique that took this image.",
        passing="The technique is high-resolution transmission electron microscopy (HRTEM).",
        failing="The technique is STEM, as the semantic labels show.",
    ),
)
def characterization_technique(text: str, params: TechniqueParams) -> Check:
    """The answer names a characterization technique, and none beside the allowed ones.

    A narrower form counts as what it is a form of: HRTEM where TEM is allowed.
    """
    start, end = _span(text, params)
    allowed = params.techniques
    named = [
        place
        for place in techniques_in(text[start:end], allowed, ignore_case=params.ignore_case)
        if not is_denied(text, start + place.start, start + place.end)
    ]
    labels = list(dict.fromkeys(place.technique.label for place in named))[:_SHOWN]
    details = {
        "evidence": tuple(
            quote(text, start + place.start, start + place.end) for place in named[:_SHOWN]
        ),
        "found": {"techniques": labels},
        "extracted": ", ".join(labels) or None,
    }
    flaw = _flaw(named, allowed, params)
    if flaw:
        return failed(flaw, **details)
    return passed(f"names {', '.join(labels)}", **details)


def _span(text: str, params: TechniqueParams) -> tuple[int, int]:
    region = final_answer(text) if params.scope == "final" else None
    return (region.start, region.end) if region and region.is_stated else (0, len(text))


def _flaw(
    named: Sequence[NamedTechnique], allowed: Sequence[Technique], params: TechniqueParams
) -> str:
    if not named:
        wanted = ", ".join(params.allowed[:_SHOWN])
        return "no technique is named" + (f"; allowed: {wanted}" if wanted else "")
    wrong = [
        place.technique.label
        for place in named
        if allowed and not any(is_form_of(place.technique, one) for one in allowed)
    ]
    if wrong:
        listed = ", ".join(list(dict.fromkeys(wrong))[:_SHOWN])
        return f"names {listed}; allowed: {', '.join(params.allowed[:_SHOWN])}"
    return _wrong_form(named, params.form)


def _wrong_form(named: Sequence[NamedTechnique], form: str) -> str:
    """What is never called as it should be; in "X-ray diffraction (XRD)" either form is met."""
    if form == "any":
        return ""
    met = {p.technique.label for p in named if p.is_acronym == (form == "acronym")}
    for place in named:
        technique = place.technique
        spellings = technique.acronyms if form == "acronym" else technique.names
        if technique.label not in met and spellings:
            return f"{technique.label} is not called by its {form}"
    return ""
