"""The *method* group: which formulas and laws an answer applies (SciMIF, Tables 6 to 10)."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, Field

from ifbench.constraints.constraint import (
    Check,
    Constraint,
    Example,
    Params,
    extracted,
    failed,
    passed,
)
from ifbench.parsing.denials import is_denied
from ifbench.parsing.formulas import find_formula, find_name, formula_tokens


def _is_formula(pattern: str) -> str:
    if len(formula_tokens(pattern).signs) < 2:
        raise ValueError(f"{pattern!r} is too little of a formula to look for")
    return pattern


Name = Annotated[str, Field(min_length=1, pattern=r"\S")]


class AskedMethod(Params):
    """One method, by the names and formulas that show its use."""

    name: Name
    aliases: tuple[Name, ...] = ()
    formula_patterns: tuple[Annotated[str, AfterValidator(_is_formula)], ...] = ()
    """Formulas in LaTeX or plain text, compared token by token (`parsing/formulas.py`)."""


class MethodParams(Params):
    """The methods that are asked for, and whether one or all of them."""

    methods: tuple[AskedMethod, ...] = Field(min_length=1)
    match: Literal["any", "all"] = "any"


def locate_methods(text: str, params: MethodParams) -> tuple[str, ...] | None:
    """The passages that name or write the methods; `None` where they do not suffice.

    A name that the text denies ("instead of the ideal gas law", "non-ideal") shows no use. Then the extractor says which methods the answer applies, and its words are matched alike.
    """
    shown = _passages((text,), params.methods, is_used=True)
    needed = len(params.methods) if params.match == "all" else 1
    return tuple(shown.values()) if len(shown) >= needed else None


def applies_methods(quotations: tuple[str, ...], params: MethodParams) -> Check:
    """The answer applies the asked formulas or laws, by name or by formula."""
    shown = _passages(quotations, params.methods)
    missing = [method.name for method in params.methods if method.name not in shown]
    found = {"methods": shown}
    extraction = "; ".join(quotations) or None
    if shown and (params.match == "any" or not missing):
        reason = f"applies {', '.join(shown)}"
        return passed(reason, found=found, extracted=extraction)
    return failed(
        f"does not apply {(' or ' if params.match == 'any' else ', ').join(missing)}",
        found=found,
        extracted=extraction,
    )


def method_constraint(discipline: str, example: Example) -> Constraint:
    """The discipline's method constraint; all five are decided alike."""
    return extracted(
        f"{discipline}:method_constraint",
        group="method",
        params=MethodParams,
        locate=locate_methods,
        template="method",
        example=example,
        version=3,
    )(applies_methods)


chemistry_method = method_constraint(
    "chemistry",
    Example(
        params={
            "methods": [
                {
                    "name": "ideal gas law",
                    "aliases": ["ideal gas equation"],
                    "formula_patterns": ["pV = nRT", "PV = nRT"],
                }
            ]
        },
        instruction="Use the ideal gas law.",
        passing="From $pV = nRT$ the amount is n = 0.041 mol.",
        failing="Using Boyle's law, $p_1 V_1 = p_2 V_2$, the volume halves.",
    ),
)

geography_method = method_constraint(
    "geography",
    Example(
        params={
            "methods": [
                {
                    "name": "haversine formula",
                    "formula_patterns": [r"d = 2 R \arcsin(\sqrt{a})"],
                },
                {"name": "spherical law of cosines"},
            ]
        },
        instruction="Compute the distance with the haversine formula or the spherical law of cosines.",
        passing="By the spherical law of cosines the two ports lie 1,240 km apart.",
        failing="A degree is 111 km, so by Pythagoras the two ports lie 1,300 km apart.",
    ),
)

biology_method = method_constraint(
    "biology",
    Example(
        params={
            "methods": [
                {
                    "name": "Hardy-Weinberg principle",
                    "aliases": ["Hardy-Weinberg equilibrium", "Hardy-Weinberg law"],
                    "formula_patterns": ["p^2 + 2pq + q^2 = 1"],
                }
            ]
        },
        instruction="Use the Hardy-Weinberg principle.",
        passing="From $p^2 + 2pq + q^2 = 1$ with q = 0.1, a share of 0.18 are carriers.",
        failing="By Mendel's law of segregation, half of the children are carriers.",
    ),
)

material_method = method_constraint(
    "material",
    Example(
        params={
            "methods": [
                {
                    "name": "Hall-Petch relation",
                    "aliases": ["Hall-Petch equation"],
                    "formula_patterns": [r"\sigma_y = \sigma_0 + k / \sqrt{d}"],
                }
            ]
        },
        instruction="Use the Hall-Petch relation.",
        passing="The Hall-Petch relation gives a yield strength of 210 MPa for 10 µm grains.",
        failing="By the rule of mixtures the yield strength is 210 MPa.",
    ),
)

physics_method = method_constraint(
    "physics",
    Example(
        params={
            "methods": [
                {
                    "name": "conservation of momentum",
                    "aliases": ["momentum conservation"],
                    "formula_patterns": ["m_1 v_1 + m_2 v_2 = (m_1 + m_2) v"],
                },
                {"name": "work-energy theorem"},
            ],
            "match": "all",
        },
        instruction="Use the conservation of momentum and then the work-energy theorem.",
        passing=(
            "Conservation of momentum gives 2 m/s after the impact; by the work-energy theorem the "
            "pair then slides 0.4 m."
        ),
        failing="Conservation of momentum gives 2 m/s after the impact, so the pair slides 0.4 m.",
    ),
)


def _passages(
    texts: Sequence[str], methods: Sequence[AskedMethod], *, is_used: bool = False
) -> Mapping[str, str]:
    """The first passage that shows each method, by the method's name; with `is_used` no denial."""
    composed = [unicodedata.normalize("NFC", text) for text in texts]
    find = _find_used_name if is_used else find_name
    found = {method.name: _passage(composed, method, find) for method in methods}
    return {name: passage for name, passage in found.items() if passage is not None}


_Find: TypeAlias = Callable[[str, str], tuple[int, int] | None]


def _passage(texts: Sequence[str], method: AskedMethod, find_named: _Find) -> str | None:
    searches = (
        *((find_named, name) for name in (method.name, *method.aliases)),
        *((find_formula, pattern) for pattern in method.formula_patterns),
    )
    for find, wanted in searches:
        for text in texts:
            span = find(text, wanted)
            if span is not None:
                return _cut(text, span, find, wanted)
    return None


_TRIES = 20  # Places of one name that are read before the extractor is asked.


def _find_used_name(text: str, name: str) -> tuple[int, int] | None:
    """The first place that names the method and does not deny its use."""
    offset = 0
    for _ in range(_TRIES):
        found = find_name(text[offset:], name)
        if found is None:
            return None
        start, end = found[0] + offset, found[1] + offset
        if not is_denied(text, start, end):
            return start, end
        offset = end
    return None


def _cut(text: str, span: tuple[int, int], find: _Find, wanted: str) -> str:
    r"""The shortest piece that shows by itself what was found: the span, its line, or all.

    The span of `a/b` in `\frac{a}{b}` is `a}{b`, which alone is no fraction.
    """
    start = text.rfind("\n", 0, span[0]) + 1
    end = text.find("\n", span[1])
    line = (start, end if end >= 0 else len(text))
    pieces = (text[slice(*piece)] for piece in (span, line))
    return next((piece for piece in pieces if find(piece, wanted)), text)
