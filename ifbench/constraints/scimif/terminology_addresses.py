"""The *terminology* group, geography: addresses that follow a spatial hierarchy (Table 7)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, zip_longest
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from ifbench.constraints.constraint import Check, Example, Params, failed, passed, quote, scripted
from ifbench.parsing.addresses import (
    Level,
    Order,
    address_levels,
    largest_first,
    misplaced_country,
    order_flaw,
    place_form,
)
from ifbench.parsing.fields import fields_in
from ifbench.parsing.text_forms import comparable

Name = Annotated[str, Field(min_length=1, pattern=r"\w")]


class AddressParams(Params):
    """The levels of an address. One of `levels`, `level_names` and `reference` is needed."""

    levels: int | None = Field(default=None, ge=1, le=12)
    """How many levels; `None`: as many as there are names, or as the reference has."""
    level_names: tuple[Name, ...] = ()
    """Names of the levels, the largest first; with them an object or lines of `name: value` are
    an address too."""
    reference: tuple[Name, ...] = ()
    """The places, the largest first whatever the order of the answer; empty: none is compared."""
    order: Order | None = None
    """How the address runs, be it a row or keys: `large_to_small` or `small_to_large`. `None`: a
    row runs from large to small, as the hierarchy does; keys (`city: …`) say themselves which
    level they are and may come in any order."""
    separator: str = ""
    """What alone parts the levels; empty: any of `, / > |`, arrows and line ends."""
    form: Literal["any", "row", "keys"] = "any"
    """A row of places, the named levels as keys, or either."""

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        counts = {self.levels, len(self.level_names) or None, len(self.reference) or None} - {None}
        if not counts:
            raise ValueError("one of `levels`, `level_names` and `reference` is needed")
        if len(counts) > 1:
            raise ValueError(
                f"levels, level_names and reference disagree: {sorted(counts, key=str)}"
            )
        if len({comparable(name) for name in self.level_names}) < len(self.level_names):
            raise ValueError("two levels have one name")
        if self.form == "keys" and not self.level_names:
            raise ValueError("form `keys` needs `level_names`")
        return self

    @property
    def count(self) -> int:
        return self.levels or len(self.level_names) or len(self.reference)


@scripted(
    "geography:address_hierarchy",
    group="terminology",
    params=AddressParams,
    version=2,
    example=Example(
        params={"level_names": ["continent", "country", "city"]},
        instruction="Give the address as continent, country, city.",
        passing="Europe, Portugal, Porto",
        failing="Porto, Portugal, Europe",
    ),
)
def address_hierarchy(text: str, params: AddressParams) -> Check:
    """The answer gives an address with the asked levels, in the order of the hierarchy.

    That each place lies in the next larger one is a question of geography; a reference answers it.
    """
    levels = _keyed(text, params) if params.form != "row" else ()
    if not levels and params.form != "keys":
        row = address_levels(text, params.separator)
        by_size = largest_first(row) if params.form == "any" and not params.level_names else None
        levels, is_keyed = by_size or row, by_size is not None
    else:
        is_keyed = True
    if not levels:
        return failed(f"the answer gives no address of {params.count} levels")
    details = {
        "evidence": tuple(quote(text, level.start, level.end) for level in levels[:12]),
        "extracted": " > ".join(level.name[:60] for level in levels[:12]),
        "found": {"levels": len(levels)},
    }
    flaw = next(_flaws(levels, params, is_keyed=is_keyed), "")
    return (
        failed(flaw, **details) if flaw else passed(f"{_counted(len(levels))} as asked", **details)
    )


def _keyed(text: str, params: AddressParams) -> tuple[Level, ...]:
    """The last value of each named level; nothing where no name stands at all."""
    if not params.level_names:
        return ()
    found = fields_in(text, params.level_names)
    if not any(found.values()):
        return ()
    last = (found[name][-1] if found[name] else None for name in params.level_names)
    return tuple(
        Level(name=one.value, start=one.start, end=one.end)
        if one
        else Level(name="", start=0, end=0)
        for one in last
    )


_UNSTATED = frozenset({"", "unknown", "null", "none", "n/a", "not specified", "unspecified"})
_SENTENCE = re.compile(
    r"\b(?:is|are|was|which|that|this|it|shows?|shown|located|lies|because|based|appears?|likely)\b",
    re.IGNORECASE,
)
_MOST_WORDS = 8
"""Words that the name of a place has at most; more are a sentence."""


def _flaws(levels: Sequence[Level], params: AddressParams, *, is_keyed: bool) -> Iterator[str]:
    """What is wrong. Levels with keys come the largest first, wherever they stand."""
    names = [level.name for level in levels]
    for name in names:
        if len(name.split()) > _MOST_WORDS or _SENTENCE.search(name):
            yield f"`{name[:60]}` is no name of a place"
        elif comparable(name) in _UNSTATED or not re.search(r"\w", name):
            yield "a level is left open"
    if len(names) != params.count:
        yield f"{_counted(len(names))}, asked for {params.count}: {' > '.join(names)[:200]}"
    order = params.order or "large_to_small"
    if is_keyed:
        flaw = _misplaced_key(levels, params.order) if params.order else ""
    else:
        flaw = order_flaw(names, order)
    if flaw:
        yield f"the address does not run {order.replace('_', ' ')}: {flaw}"
    inward = names if is_keyed or order == "large_to_small" else names[::-1]
    if country := misplaced_country(inward, params.level_names):
        yield f"the country `{country[:40]}` stands at another level"
    for name, wanted in zip_longest(inward, params.reference, fillvalue=""):
        if params.reference and place_form(name) != place_form(wanted):
            yield f"`{name[:60]}` stands where `{wanted[:60]}` belongs"


def _misplaced_key(levels: Sequence[Level], order: Order) -> str:
    """The first key that stands before one it should follow; or nothing."""
    asked = levels if order == "large_to_small" else levels[::-1]
    for one, following in pairwise(asked):
        if one.start > following.start:
            return f"`{following.name[:40]}` stands before `{one.name[:40]}`"
    return ""


def _counted(levels: int) -> str:
    return "1 level" if levels == 1 else f"{levels} levels"
