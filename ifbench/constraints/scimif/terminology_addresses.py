"""The *terminology* group, geography: addresses that follow a spatial hierarchy (Table 7)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from ifbench.constraints.constraint import Check, Example, Params, failed, passed, quote, scripted
from ifbench.parsing.addresses import (
    Level,
    Order,
    address_levels,
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
    order: Order = "large_to_small"
    """How an address in a row runs. The release's addresses are continent, country, city."""
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
    is_row = not levels and params.form != "keys"
    levels = levels or (address_levels(text, params.separator) if is_row else ())
    if not levels:
        return failed(f"the answer gives no address of {params.count} levels")
    details = {
        "evidence": tuple(quote(text, level.start, level.end) for level in levels[:12]),
        "extracted": " > ".join(level.name[:60] for level in levels[:12]),
        "found": {"levels": len(levels)},
    }
    flaw = next(_flaws([level.name for level in levels], params, is_row=is_row), "")
    return failed(flaw, **details) if flaw else passed(f"{len(levels)} levels as asked", **details)


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


def _flaws(names: Sequence[str], params: AddressParams, *, is_row: bool) -> Iterator[str]:
    for name in names:
        if len(name.split()) > _MOST_WORDS or _SENTENCE.search(name):
            yield f"`{name[:60]}` is no name of a place"
        elif comparable(name) in _UNSTATED or not re.search(r"\w", name):
            yield "a level is left open"
    if len(names) != params.count:
        yield f"{len(names)} levels, asked for {params.count}: {' > '.join(names)[:200]}"
    flaw = order_flaw(names, params.order) if is_row else ""
    if flaw:
        yield f"the address does not run {params.order.replace('_', ' ')}: {flaw}"
    inward = list(reversed(names)) if is_row and params.order == "small_to_large" else names
    if country := misplaced_country(inward, params.level_names):
        yield f"the country `{country[:40]}` stands at another level"
    for name, wanted in zip_longest(inward, params.reference, fillvalue=""):
        if params.reference and place_form(name) != place_form(wanted):
            yield f"`{name[:60]}` stands where `{wanted[:60]}` belongs"
