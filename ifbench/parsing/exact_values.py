r"""Values that are written exactly: multiples of π and LaTeX fractions (`2π`, `\frac{3}{4}`).

`numbers` reads digits, and takes those before a letter for a symbol's: rightly so where decimals
are counted, for the 2 of `2π` has none. Who asks for the quantity itself asks here as well.
Nothing is computed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ifbench.parsing.units import unit_at, unit_form


@dataclass(frozen=True, slots=True)
class ExactValue:
    """`text[start:end]` is the value, without its unit."""

    start: int
    end: int


_BLANKS = r"(?:[ \u00a0]|\\[,;:! ]){0,3}"
_DIGITS = r"\d{1,9}(?:\.\d{1,9})?"
_PI = r"(?:π|𝜋|\\{1,2}pi(?![A-Za-z])|(?<![A-Za-z\\])pi(?![A-Za-z]))"
_TIMES = rf"(?:{_BLANKS}(?:[·⋅×*]|\\{{1,2}}(?:cdot|times)(?![A-Za-z])))?{_BLANKS}"
_TERM = rf"[-−+]?{_BLANKS}(?:{_DIGITS}(?:{_TIMES}{_PI})?|{_PI})"
_FRACTION = (
    rf"\\{{1,2}}[dt]?frac{_BLANKS}"
    rf"\{{{_BLANKS}{_TERM}{_BLANKS}\}}{_BLANKS}\{{{_BLANKS}{_TERM}{_BLANKS}\}}"
)
_COEFFICIENT = rf"(?:\({_BLANKS}{_DIGITS}/{_DIGITS}{_BLANKS}\)|{_DIGITS}(?:/{_DIGITS})?)"
_VALUE = re.compile(
    rf"(?<![\w\\^.πΠ])[-−]?(?:(?:{_DIGITS}{_BLANKS})?{_FRACTION}(?:{_TIMES}{_PI})?"
    rf"|(?:{_COEFFICIENT}{_TIMES})?{_PI}(?:{_BLANKS}/{_BLANKS}{_DIGITS})?)(?![\d^_'’]|\s?\()"
)
# A value is stated where the statement ends behind it or behind its unit; before a sign of
# relation or a letter it is a factor of a formula: `2πr`, `\frac{1}{2} m v^2`, `2π = …`.
_GAP = re.compile(r"(?:[ \u00a0$)}\]*_~]|\\[,;:! )]){0,12}(?:-(?=[A-Za-z]))?")
_TAIL = re.compile(r"[^\n,;!?=<>≈|，。；！？]{0,64}")
_STATEMENT_ENDS = re.compile(
    r"[\s$)}\]*_\"'`\\]*(?:\Z|[\n.,;:!?|，。；：！？]|(?<=[\s(])(?:[A-Za-z]{2,}|\())"
)
# `\frac{1}{2} C V^2` is a formula, though coulombs and volts can be read in it.
_PRODUCT = re.compile(r"[A-Za-z](?:\^\{?\d\}?)?(?: [A-Za-z](?:\^\{?\d\}?)?){1,9}(?![A-Za-z/])")
_PRODUCT_UNIT = re.compile(r"(?:N m|J s|[AW] [hs]|V [As]|C m|m K)(?![\^{\d]| [A-Za-z](?![A-Za-z]))")
_RELATION = re.compile(r"[\s$)}\]\\]*(?:[=<>≈≤≥]|\\(?:approx|simeq|le|ge|to)(?![A-Za-z]))")
_ASSERTED = re.compile(r"(?:\A|[=≈:]|\\approx|\bis)[\s$*_({\[\\\"'`]{0,8}\Z")


def exact_values_in(text: str, start: int = 0, end: int | None = None) -> Iterator[ExactValue]:
    """The exact values within `text[start:end]` that are stated as quantities, in order.

    Stated is one with a unit behind it, and one that stands alone behind "=", "is" or nothing.
    """
    last = len(text) if end is None else end
    if not any(mark in text for mark in ("π", "𝜋", "pi", "frac")):
        return
    for match in _VALUE.finditer(text, start, last):
        if _is_stated(text, start, match):
            yield ExactValue(*match.span())


def _is_stated(text: str, start: int, match: re.Match[str]) -> bool:
    gap = _GAP.match(text, match.end())
    begin = gap.end() if gap else match.end()
    tail = _TAIL.match(text, begin)
    words = tail[0] if tail else ""
    if _RELATION.match(text, begin + len(words)):
        return False
    form = unit_form(words)
    lead = len(form) - len(form.lstrip())
    found = unit_at(form, lead)
    if _PRODUCT.match(words) and not _PRODUCT_UNIT.match(words):
        return False
    if found is not None and not found[0].is_dimensionless:
        return _STATEMENT_ENDS.match(form, found[1]) is not None
    before = text[max(start, match.start() - 24) : match.start()]
    return (
        _STATEMENT_ENDS.match(text, match.end()) is not None
        and _ASSERTED.search(before) is not None
    )
