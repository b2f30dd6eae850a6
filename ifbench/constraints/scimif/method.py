"""The *method* group: which formulas and laws an answer applies (SciMIF, Tables 6 to 10)."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Literal

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

    Then the extractor says which methods the answer applies, and its words are matched alike.
    """
    shown = _passages((text,), params.methods)
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


def _passages(texts: Sequence[str], methods: Sequence[AskedMethod]) -> Mapping[str, str]:
    """The first passage that shows each method, by the method's name."""
    composed = [unicodedata.normalize("NFC", text) for text in texts]
    found = {method.name: _passage(composed, method) for method in methods}
    return {name: passage for name, passage in found.items() if passage is not None}


def _passage(texts: Sequence[str], method: AskedMethod) -> str | None:
    searches = (
        *((find_name, name) for name in (method.name, *method.aliases)),
        *((find_formula, pattern) for pattern in method.formula_patterns),
    )
    for find, wanted in searches:
        for text in texts:
            span = find(text, wanted)
            if span is not None:
                return _cut(text, span, find, wanted)
    return None


def _cut(
    text: str,
    span: tuple[int, int],
    find: Callable[[str, str], tuple[int, int] | None],
    wanted: str,
) -> str:
    r"""The shortest piece that shows by itself what was found: the span, its line, or all.

    The span of `a/b` in `\frac{a}{b}` is `a}{b`, which alone is no fraction.
    """
    start = text.rfind("\n", 0, span[0]) + 1
    end = text.find("\n", span[1])
    line = (start, end if end >= 0 else len(text))
    pieces = (text[slice(*piece)] for piece in (span, line))
    return next((piece for piece in pieces if find(piece, wanted)), text)
