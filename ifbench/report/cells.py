"""What stands in a cell: a text for people, and the named values behind it for programs.

A table to be read shows `text`; its Arrow, CSV and JSON forms have a column for every name in
`data`, typed by its values. Percentages are in percent on both sides.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ifbench.metrics import Figure

Value: TypeAlias = str | int | float | bool | Mapping[str, int] | None
"""`None` is a number that is not known; a text always says something."""

NONE = "–"
PAPER = "(paper)"
"""Follows the name of a model in a row of a paper's own figures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell: how it is shown, and its values by column of the forms for programs."""

    text: str
    data: Mapping[str, Value]


FIGURE_ENDS = ("", "_low_95", "_high_95", "_if_failed", "_if_passed")
"""What follows a metric's name in the columns of its values."""


def facet_column(facet: str, taken: Collection[str]) -> str:
    """The column of a facet: by its own name, unless another column has that."""
    return f"facet_{facet}" if facet in taken else facet


def file_word(name: str) -> str:
    """A name as it can stand in that of a file."""
    return re.sub(r"[^\w+-]+", "_", name)


def count(name: str, number: int) -> Cell:
    """A whole number."""
    return Cell(text=str(number), data={name: number})


def part(
    done: int | None, total: int | None, names: tuple[str, str] = ("complete", "total")
) -> Cell:
    """`3/4`: so many of so many; nothing known is a dash."""
    text = NONE if done is None or total is None else f"{done}/{total}"
    return Cell(text=text, data=dict(zip(names, (done, total), strict=True)))


def number(name: str, value: float | None, form: str) -> Cell:
    """A number in a format of Python's, `.4f`."""
    return Cell(text=NONE if value is None else format(value, form), data={name: value})


def share(name: str, value: float | None, *, form: str = ".2f") -> Cell:
    """A share of 0..1, in percent."""
    return number(name, None if value is None else 100 * value, form)


def probability(name: str, value: float | None) -> Cell:
    """A p-value: three digits, in powers of ten below a thousandth."""
    return number(name, value, ".2e" if value is not None and value < 0.001 else ".3g")


def tallies(name: str, counts: Mapping[str, int]) -> Cell:
    """Counts by kind: `timeout 3, media 1`."""
    words = ", ".join(f"{kind} {amount}" for kind, amount in counts.items())
    return Cell(text=words or "none", data={name: dict(counts)})


def figure(name: str, found: Figure) -> Cell:
    """A metric with its 95 % interval, and its bounds where samples are incomplete."""
    low, high = found.interval or (None, None)
    return Cell(
        text=percent(found),
        data={
            name: _percent(found.value),
            f"{name}_low_95": _percent(low),
            f"{name}_high_95": _percent(high),
            f"{name}_if_failed": _percent(found.low),
            f"{name}_if_passed": _percent(found.high),
        },
    )


def printed_figure(name: str, value: float | None) -> Cell:
    """A figure as a paper prints it, in percent."""
    blank: dict[str, Value] = dict.fromkeys(f"{name}{end}" for end in FIGURE_ENDS[1:])
    return Cell(text=NONE if value is None else f"{value:.2f}", data={name: value, **blank})


def percent(found: Figure) -> str:
    """A figure in percent, `61.50 (58.12–64.77)` with its interval.

    Over incomplete samples with its bounds, `61.50 [58.0..70.2]`.
    """
    if found.value is None and found.low is None:
        return NONE
    value = NONE if found.value is None else f"{100 * found.value:.2f}"
    if found.interval is not None and found.interval[0] < found.interval[1]:
        value += " ({:.2f}–{:.2f})".format(*(100 * end for end in found.interval))
    if not found.is_partial:
        return value
    low = NONE if found.low is None else f"{100 * found.low:.1f}"
    high = NONE if found.high is None else f"{100 * found.high:.1f}"
    return f"{value} [{low}..{high}]"


def _percent(value: float | None) -> float | None:
    return None if value is None else 100 * value
