"""Which general constraints fit a seed, and which do not fit each other.

Two tables with reasons. An offer must leave the reference sufficient (SciMIF, B.5: equal after
rounding, change of case or formatting is enough), and two chosen constraints must be
satisfiable by one answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from types import MappingProxyType
from typing import Any, TypeAlias

from ifbench.benchmarks.scimif.sources.source import AnswerKind, Seed
from ifbench.benchmarks.scimif.taxonomy import category_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A constraint that fits a seed, with parameters as plain JSON."""

    constraint_id: str
    params: Mapping[str, Any] = field(default_factory=dict)


Offers: TypeAlias = Callable[[Seed], Sequence[Mapping[str, Any]]]
"""The parameter sets under which a constraint fits; empty where it does not fit."""


def compatible(seed: Seed) -> tuple[Offer, ...]:
    """Every general constraint that fits the seed, once for each fitting set of parameters."""
    return tuple(
        Offer(constraint_id=f"general:{name}", params=params)
        for name, offers in _FITS.items()
        for params in offers(seed)
    )


TRIES = 3  # k in SciMIF, 4.1
"""How many constraints of a category are tried before it is skipped. With more, Markdown, which
clashes with little, would crowd out the other formats."""


def select(offers: Sequence[Offer], count: int, rng: Random) -> tuple[Offer, ...]:
    """At most `count` offers, one a category, none against another.

    As in the paper: categories at random, then a constraint of the category at random; one that
    clashes with what is chosen already is replaced by another of its category.
    """
    by_category: dict[str, list[str]] = {}
    for name in sorted({offer.constraint_id for offer in offers}):
        by_category.setdefault(category_of(name), []).append(name)
    chosen: list[str] = []
    for members in _in_random_order(by_category, rng):
        tried = rng.sample(members, min(TRIES, len(members)))
        fitting = [name for name in tried if not any(clash(name, other) for other in chosen)]
        chosen += fitting[: min(1, count - len(chosen))]
    # The parameters come last: many sets of them give a constraint no more weight.
    return tuple(rng.choice([o for o in offers if o.constraint_id == name]) for name in chosen)


def _in_random_order(by_category: Mapping[str, list[str]], rng: Random) -> list[list[str]]:
    """Categories at random, those with more members rather earlier.

    Seven formats clash with the one box: drawn alike, the box would come first in half of all
    samples and the formats hardly ever. The weight is the root of the number of members.
    """
    draws = {name: rng.random() ** len(by_category[name]) ** -0.5 for name in sorted(by_category)}
    return [by_category[name] for name in sorted(draws, key=lambda name: -draws[name])]


# ── What fits which answer ───────────────────────────────────────────────────────────


def _always(*kinds: AnswerKind, **params: Any) -> Offers:
    return lambda seed: [params] if seed.answer in kinds else []


def _decimal_number(seed: Seed) -> list[dict[str, Any]]:
    """Numbers only, and only so few places as keep the reference within 5 % of itself."""
    return [{"places": places} for places in range(1, 5) if _survives_rounding(seed, places)]


def _survives_rounding(seed: Seed, places: int) -> bool:
    if seed.answer is not AnswerKind.NUMBER or not isinstance(seed.reference, float):
        return False
    return abs(round(seed.reference, places) - seed.reference) <= 0.05 * abs(seed.reference)


def _scientific_annotation(seed: Seed) -> list[dict[str, Any]]:
    """Numbers only; zero has no normalized form."""
    return [{}] if seed.answer is AnswerKind.NUMBER and seed.reference else []


def _all_lowercase(seed: Seed) -> list[dict[str, Any]]:
    """Names that hold capitals (NaC, CYP2B6) would be other names; units (eV) other units."""
    if seed.answer is AnswerKind.YES_NO:
        return [{}]
    words = "".join(_strings(seed))
    return [{}] if words and words == words.lower() else []


def _json_constraint(seed: Seed) -> list[dict[str, Any]]:
    return [{"required_keys": [seed.answer_name]}]


def _tuple_constraint(seed: Seed) -> list[dict[str, Any]]:
    """At least two parts: a tuple of one needs a comma that says nothing about the science."""
    return [{}] if len(_strings(seed)) > 1 else []


def _csv_constraint(seed: Seed) -> list[dict[str, Any]]:
    """One number fills one line; names have one column, relations are asked for in brackets."""
    return [{"header": ["property", "value"]}] if seed.answer is AnswerKind.NUMBER else []


def _number_response(seed: Seed) -> list[dict[str, Any]]:
    """Exactly as many as the reference holds; the release wants more than two."""
    count = len(set(_strings(seed)))
    return [{"n": count}] if 3 <= count <= 8 else []


def _strings(seed: Seed) -> list[str]:
    reference = seed.reference
    return [str(part) for part in reference] if isinstance(reference, list) else []


_YES_NO, _NUMBER = AnswerKind.YES_NO, AnswerKind.NUMBER
_NAMES, _RELATIONS = AnswerKind.NAMES, AnswerKind.RELATIONS
_ALL = tuple(AnswerKind)


def _response_structure(seed: Seed) -> list[dict[str, Any]]:
    """One result that an explanation leads to; a list has no one place."""
    if seed.answer not in (_YES_NO, _NUMBER):
        return []
    return [
        {"position": position, "answer_marker": "Final answer:"}
        for position in ("beginning", "middle", "end")
    ]


_FITS: Mapping[str, Offers] = MappingProxyType(
    {
        "decimal_number": _decimal_number,
        "scientific_annotation": _scientific_annotation,
        # In capitals, names of substances and symbols of units change their meaning.
        "all_uppercase": _always(_YES_NO),
        "all_lowercase": _all_lowercase,
        "json_constraint": _json_constraint,
        "list_constraint": _always(*_ALL),
        "tuple_constraint": _tuple_constraint,
        # A mapping needs something to map: a property to its value, a question to its answer.
        "dictionary_constraint": _always(*_ALL),
        "markdown_constraint": _always(*_ALL),
        "html_constraint": _always(*_ALL),
        "xml_constraint": _always(*_ALL, root="answer"),
        "csv_constraint": _csv_constraint,
        # Only questions that a closed set answers.
        "choose_from": _always(_YES_NO, options=["Yes", "No"]),
        "judge": _always(_YES_NO),
        "wrap_up": _always(*_ALL),
        "number_response": _number_response,
        "response_structure": _response_structure,
    }
)


# ── What clashes ─────────────────────────────────────────────────────────────────────

_KEYED = ("json_constraint", "dictionary_constraint", "html_constraint", "xml_constraint")
_WHOLE = (*_KEYED, "list_constraint", "tuple_constraint", "csv_constraint")
_FORMATS = (*_WHOLE, "markdown_constraint")
_LETTERS = ("all_uppercase", "all_lowercase")


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """Each constraint of one side clashes with each of the other."""

    these: tuple[str, ...]
    those: tuple[str, ...]
    reason: str


CLASHES = (
    Clash(
        these=_WHOLE,
        those=("wrap_up",),
        reason="a box inside or around the structure breaks it",
    ),
    Clash(
        these=_WHOLE,
        those=("response_structure",),
        reason="the structure leaves no room for an explanation before or after the answer",
    ),
    Clash(
        these=("judge", "choose_from"),
        those=(*_FORMATS, "wrap_up", "response_structure", "number_response"),
        reason="one word and nothing else cannot also be structured, boxed or explained",
    ),
    Clash(
        these=("choose_from",),
        those=_LETTERS,
        reason="an option is copied as it is written",
    ),
    Clash(
        these=("all_uppercase",),
        those=(*_KEYED, "csv_constraint"),
        reason="keys, tags and headers are given in lower case",
    ),
    Clash(
        these=_LETTERS,
        those=("response_structure",),
        reason="the answer's marker has capitals and small letters",
    ),
    Clash(
        these=("number_response",),
        those=("response_structure",),
        reason="an explanation beside the items would be counted with them",
    ),
)


def clash(one: str, other: str) -> str:
    """Why no answer can obey both constraints; empty when one can."""
    a, b = one.removeprefix("general:"), other.removeprefix("general:")
    return next(
        (
            row.reason
            for row in CLASHES
            if (a in row.these and b in row.those) or (b in row.these and a in row.those)
        ),
        "",
    )


def clashes() -> Iterator[tuple[str, str, str]]:
    """Every pair of the table, for documentation and tests."""
    return ((a, b, row.reason) for row in CLASHES for a in row.these for b in row.those)
