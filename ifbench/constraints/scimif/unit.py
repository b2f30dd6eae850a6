"""SciMIF's group *unit* (Tables 6 to 10): the final quantity is given in the asked unit.

A unit is compared by its symbols, never by its dimension unless `convertible` says so: who is
asked for kJ/mol and writes kcal/mol has not done what was asked. A number without a unit fails.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from ifbench.constraints.constraint import (
    Check,
    Constraint,
    Example,
    Params,
    failed,
    passed,
    quote,
    scripted,
)
from ifbench.parsing.answers import Region, final_answer
from ifbench.parsing.exact_values import ExactValue, exact_values_in
from ifbench.parsing.markdown_tables import header_above
from ifbench.parsing.numbers import DecimalMark, Number, quantities_in, unit_text_at
from ifbench.parsing.units import Unit, leading_unit, parse_unit
from ifbench.types import Evidence

UnitText = Annotated[str, Field(min_length=1, max_length=60, pattern=r"\S")]


class UnitParams(Params):
    """Which unit is asked for, and of which numbers."""

    unit: UnitText | None = None
    """The unit, as a symbol (`kJ/mol`), in LaTeX or by name; "dimensionless" and "pH" ask for a
    number alone."""
    units: tuple[UnitText, ...] = ()
    """In place of `unit`: several, each quantity in one of them (nm for lengths, ° for angles)."""
    scope: Literal["final", "all"] = "final"
    """The final answer, or every quantity of the answer."""
    convertible: bool = False
    """Whether another unit of the same dimension will do."""
    aliases: Mapping[UnitText, UnitText] = Field(default={}, max_length=20)
    """Further spellings and what they mean here, before all else: `{"m": "molal"}` where m is no
    metre, `{"C": "°C"}` where C is no coulomb. A meaning that is no known unit is its own."""
    decimal_mark: DecimalMark = "."

    @model_validator(mode="after")
    def _units_can_be_read(self) -> Self:
        if (self.unit is None) == (not self.units):
            raise ValueError("one of `unit` and `units` is needed")
        for text in self.asked:
            if parse_unit(text, self.aliases) is None:
                raise ValueError(f"no unit is read in {text!r}; `aliases` can say what it means")
        return self

    @property
    def asked(self) -> tuple[str, ...]:
        return self.units if self.unit is None else (self.unit,)


@dataclass(frozen=True, slots=True)
class _Quantity:
    """A number and its unit; `None` where it has none that can be read."""

    number: Number | ExactValue
    unit: Unit | None
    end: int
    """Where the words end in which the unit stands."""


def unit_consistency(discipline: str, example: Example) -> Constraint:
    """The discipline's unit constraint; all five are decided alike."""
    return scripted(
        f"{discipline}:unit_consistency",
        group="unit",
        params=UnitParams,
        example=example,
        version=5,
    )(uses_asked_unit)


def uses_asked_unit(text: str, params: UnitParams) -> Check:
    """The final numerical result is given in the asked unit.

    In scope `final` the answer may name further quantities of another kind (a temperature at
    which it holds); one that could be converted to the asked unit and was not breaks the rule,
    unless it only restates the result (`2.5 m (250 cm)`). In scope `all` each quantity counts.
    """
    asked = tuple(filter(None, (parse_unit(unit, params.aliases) for unit in params.asked)))
    quantities = _quantities(text, params, asked)
    where = "in the final answer" if params.scope == "final" else "in the answer"
    wanted = " or ".join(params.asked)
    if not quantities:
        return failed(f"there is no number {where}; {wanted} is asked for", found={"numbers": 0})
    right = [_is_right(quantity, asked, convertible=params.convertible) for quantity in quantities]
    wrong = _wrong(text, quantities, right, asked, params)
    found = {
        "numbers": len(quantities),
        "units": sorted({str(q.unit) for q in quantities if q.unit is not None})[:_SHOWN],
        "rule": "dimension" if params.convertible else "symbols",
    }
    if wrong:
        first = wrong[0]
        more = f", and {len(wrong) - 1} more are wrong" if len(wrong) > 1 else ""
        return failed(
            f"{_described(text, first)}; {wanted} is asked for{more}",
            evidence=tuple(_place(text, quantity) for quantity in wrong[:_SHOWN]),
            found=found,
            extracted=_written(text, wrong),
        )
    carrying = [quantity for quantity, is_right in zip(quantities, right, strict=True) if is_right]
    return passed(
        f"`{_shown(text, carrying[-1].number)}` {where} is {_in_unit(carrying[-1])}, as asked",
        evidence=tuple(_place(text, quantity) for quantity in carrying[-_SHOWN:]),
        found=found,
        extracted=_written(text, carrying),
    )


_SHOWN = 10  # Places quoted in a verdict; the counts are in `found`.


def _is_right(quantity: _Quantity, asked: Sequence[Unit], *, convertible: bool) -> bool:
    if quantity.unit is None:  # A bare number is right where a bare number is asked for.
        return any(unit.is_dimensionless for unit in asked)
    if quantity.unit in asked:
        return True
    return convertible and _can_convert(quantity.unit, asked)


def _can_convert(unit: Unit, asked: Sequence[Unit]) -> bool:
    from ifbench.parsing.dimensions import is_convertible

    return any(is_convertible(unit, other) for other in asked)


def _wrong(
    text: str,
    quantities: Sequence[_Quantity],
    right: Sequence[bool],
    asked: Sequence[Unit],
    params: UnitParams,
) -> list[_Quantity]:
    """The quantities that break the rule; all of them where none is in the asked unit."""
    others = [index for index, is_right in enumerate(right) if not is_right]
    if params.scope == "final" and any(right):
        others = [
            index
            for index in others
            if (unit := quantities[index].unit) is not None
            and not _is_restatement(text, quantities, right, index)
            and _can_convert(unit, asked)
        ]
    return [quantities[index] for index in others]


_RESTATED = re.compile(r"[^,;\n]{0,80}(?:\(|=|≈|≅|\\approx|\\simeq|(?<!\w)or)[\s~$*\\,]{0,8}")


def _is_restatement(
    text: str, quantities: Sequence[_Quantity], right: Sequence[bool], index: int
) -> bool:
    """True beside the result itself in other words: `2.5 m (250 cm)`, `250 cm = 2.5 m`."""
    for first, second in ((index - 1, index), (index, index + 1)):
        if first >= 0 and second < len(right) and (right[first] or right[second]):
            gap = text[quantities[first].number.end : quantities[second].number.start]
            if _RESTATED.fullmatch(gap[:_FAR]):
                return True
    return False


_FAR = 120  # Two numbers further apart are not parts of one statement.


def _described(text: str, quantity: _Quantity) -> str:
    shown = _shown(text, quantity.number)
    if quantity.unit is None:
        return f"`{shown}` has no unit that can be read"
    return f"`{shown}` is {_in_unit(quantity)}"


def _in_unit(quantity: _Quantity) -> str:
    return f"in {quantity.unit}" if quantity.unit and quantity.unit.powers else "a bare number"


def _shown(text: str, number: Number | ExactValue) -> str:
    return text[number.start : number.end][:40]


def _written(text: str, quantities: Sequence[_Quantity]) -> str:
    return ", ".join(
        f"{_shown(text, q.number)} {q.unit or ''}".strip() for q in quantities[:_SHOWN]
    )


def _place(text: str, quantity: _Quantity) -> Evidence:
    return quote(text, quantity.number.start, quantity.end)


# ── Numbers with their units ─────────────────────────────────────────────────────────


def _quantities(text: str, params: UnitParams, asked: Sequence[Unit]) -> list[_Quantity]:
    """The quantities in scope, in order, each with the unit that holds for it."""
    if params.scope == "all":
        return _read(text, 0, len(text), params)
    region = final_answer(text)
    if region is None:
        return []
    region = _with_exact_value(text, region)
    if region.found_by != "number":
        return _read(text, region.start, region.end, params)
    # The last number may be the end of a longer one: `40° 42′ 46″`, `1,5` with a comma.
    last = _read(text, max(region.start - _BEFORE, 0), region.end, params)
    while len(last) > 1 and _is_condition(text, last[-2], last[-1], asked):
        last.pop()
    return last[_first_of_value(text, last) :]


def _first_of_value(text: str, quantities: Sequence[_Quantity]) -> int:
    """Where the last value begins, which may be in two units, and may be another one restated."""
    last = first = max(len(quantities) - 1, 0)
    while first and _goes_on(text, quantities[first - 1], quantities[first]):
        first -= 1
    if first and first < last:
        gap = text[quantities[first - 1].number.end : quantities[first].number.start]
        first -= _RESTATED.fullmatch(gap[:_FAR]) is not None
    return first


def _goes_on(text: str, before: _Quantity, last: _Quantity) -> bool:
    """True for the parts of one value in two units: `1 min 30 s`, "5 feet and 6 inches"."""
    if before.unit is None or last.unit in {None, before.unit}:
        return False
    words = text[before.number.end : last.number.start]
    if len(words) > _FAR or parse_unit(words.removesuffix("and ")) != before.unit:
        return False
    return _can_convert(before.unit, tuple(filter(None, (last.unit,))))


def _with_exact_value(text: str, region: Region) -> Region:
    """The region, or the exact value behind the last number: `r = 2 m turns by 2π rad`."""
    if region.is_stated:
        return region
    begin = region.start if region.found_by == "line" else max(region.start - _BEFORE, 0)
    last = deque(exact_values_in(text, begin), maxlen=1)
    if not last or last[0].end <= region.end:
        return region
    return region._replace(start=last[0].start, end=last[0].end, found_by="number")


_SENTENCE_ENDS = re.compile(r"[.!?。]\s|\n")
_CONDITION = re.compile(
    r"\b(?:at|under|for|in|within|over|after|during|when|if|from|with)\b|\(|\s(?:and|,)\s*\Z"
)


def _is_condition(text: str, before: _Quantity, last: _Quantity, asked: Sequence[Unit]) -> bool:
    """True for the 298 K of `12.5 kJ/mol at 298 K.`, and the 45 km/h of `12.5 m/s (45 km/h)`."""
    gap = text[before.number.end : last.number.start]
    if last.unit is None or last.unit in asked or _SENTENCE_ENDS.search(gap):
        return False
    if _can_convert(last.unit, asked):
        return before.unit in asked and gap.rstrip(" $*~").endswith("(")
    return _CONDITION.search(gap) is not None


_BEFORE = 120


def _read(text: str, start: int, end: int, params: UnitParams) -> list[_Quantity]:
    numbers = _numbers(text, start, end, params)
    found: list[_Quantity] = []
    for number in reversed(numbers):  # A list shares the unit of its last number.
        follower = found[-1] if found else None
        found.append(_quantity(text, number, follower, params.aliases))
    found.reverse()
    return _joined(text, found)


def _numbers(text: str, start: int, end: int, params: UnitParams) -> list[Number | ExactValue]:
    """The quantities in digits and the exact values, which hold some of the digits, in order."""
    exact = tuple(exact_values_in(text, start, end))
    covered = iter(exact)
    current = next(covered, None)
    numbers: list[Number | ExactValue] = []
    for number in quantities_in(text, start, end, decimal_mark=params.decimal_mark):
        while current is not None and current.end <= number.start:
            current = next(covered, None)
        if current is None or number.end <= current.start:
            numbers.append(number)
    return sorted((*numbers, *exact), key=lambda number: number.start)


def _quantity(
    text: str, number: Number | ExactValue, follower: _Quantity | None, aliases: Mapping[str, str]
) -> _Quantity:
    window, end = _window(text, number)
    unit = leading_unit(window, aliases)
    if unit is not None:
        return _Quantity(number, unit, end)
    gap = text[number.end : follower.number.start] if follower else ""
    if follower and len(gap) <= _FAR and _SHARING.fullmatch(gap):
        return _Quantity(number, follower.unit, number.end)
    return _Quantity(number, _beside(text, number, aliases), number.end)


_SUPERSCRIPT_TAG = re.compile(r"<sup>([^<]{1,8})</sup>")
_ABBREVIATED_SHARE = re.compile(r"\s?(?:wt|vol|at|mol)\. (?:\\?%|per ?cent)")
_AFTER_TAG = re.compile(r"[^\n,;:!?=<>|\"\[\]，。；：！？]{0,32}")


def _window(text: str, number: Number | ExactValue) -> tuple[str, int]:
    """What stands right of a number and where it ends; `m<sup>2</sup>` and `wt. %` included."""
    words = unit_text_at(text, number.end)
    end = number.end + len(words)
    if share := _ABBREVIATED_SHARE.match(text, number.end):
        return share[0], share.end()
    for _ in range(4):
        tag = _SUPERSCRIPT_TAG.match(text, end)
        after = _AFTER_TAG.match(text, tag.end()) if tag else None
        if tag is None or after is None:
            break
        words, end = f"{words}^{{{tag[1]}}}{after[0]}", after.end()
    return words, end - (len(words) - len(words.rstrip()))


_SHARING = re.compile(
    r"[\s$(){}\[\]\\,;~*]{0,8}(?:±|\\pm|\+/[-−]|[,;–—−/×~-]|\\times|\\to|to|and|or|through|x"
    r"|\\text\{ ?to ?\}|至|到|和)?[\s$(){}\[\]\\,;~*]{0,8}"
)
_PLUS_MINUS = re.compile(r"(?:±|\\pm|\+/[-−])[\s$\\,;~]{0,6}\Z")
_SEXAGESIMAL = re.compile(r"\s{0,3}(?:[°º˚′'’]|\^\s?\{?\\circ\}?)[\s$]{0,3}")


def _joined(text: str, quantities: Sequence[_Quantity]) -> list[_Quantity]:
    """`12.5 kJ ± 0.3` has one unit, and `40° 42′ 46″` is one angle in degrees."""
    joined: list[_Quantity] = []
    last_end = -1
    for quantity in quantities:
        number = quantity.number
        gap = text[last_end : number.start] if 0 <= last_end >= number.start - _FAR else "\n"
        last_end = number.end
        if joined and joined[-1].unit is not None and _SEXAGESIMAL.fullmatch(gap):
            continue
        is_uncertainty = quantity.unit is None and _PLUS_MINUS.search(gap)
        shared = joined[-1].unit if joined and is_uncertainty else quantity.unit
        joined.append(_Quantity(number, shared, quantity.end))
    return joined


_SIBLING = re.compile(r"[\"']units?[\"']\s{0,4}:\s{0,4}[\"']([^\"'\n]{1,60})[\"']", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"[\s~]{0,4}\[([^\[\]\n]{1,40})\]")
_ELEMENT = re.compile(r"\s{0,4}</\w{1,40}>\s{0,40}<units?>([^<\n]{1,60})</units?>", re.IGNORECASE)
_CELL = re.compile(
    r"[\"']?\s{0,4}[,|]\s{0,4}[\"']?([^\"',;|\n\])}]{1,40})[\"']?\s{0,4}(?:[\])}|]|\n|\Z)"
)
_LABEL = re.compile(
    r"[(\[]\s?(?:in )?((?:[^()\[\]\n]|\([^()\n]{0,30}\)){1,50})[)\]][\"'*_`]{0,4}\s{0,4}[:=≈：|]"
    r"[\s\"'*_$`]{0,6}\Z"
)
_HEADER = re.compile(r"(?:[(\[](?: ?in )?|\bin | / )([^()\[\]]{1,40})[)\]]?\s?\Z")
_OBJECT = 300  # Characters on either side in which the rest of an object is looked for.


def _beside(text: str, number: Number | ExactValue, aliases: Mapping[str, str]) -> Unit | None:
    """The unit where it stands apart: another key, the next cell, or a label's or header's brackets.

    `{"value": 12.5, "unit": "kJ/mol"}`, `[12.5, "kJ/mol"]`, `5 [m/s]`, `Density (g/cm³): 2.70`.
    """
    start, end = number.start, number.end
    opens = text.rfind("{", max(start - _OBJECT, 0), start)
    closes = text.find("}", end, end + _OBJECT)
    candidates = (
        _SIBLING.search(text, opens, closes) if opens >= 0 and closes >= 0 else None,
        _IN_BRACKETS.match(text, end),
        _ELEMENT.match(text, end),
        _CELL.match(text, end),
        _LABEL.search(text[max(start - 90, 0) : start]),
    )
    for candidate in candidates:
        unit = parse_unit(candidate[1], aliases) if candidate else None
        if unit is not None:
            return unit
    header = _HEADER.search(header_above(text, start))
    return parse_unit(header[1], aliases) if header else None


# ── The five constraints ─────────────────────────────────────────────────────────────

chemistry_unit = unit_consistency(
    "chemistry",
    Example(
        params={"unit": "kJ/mol"},
        instruction="Give the enthalpy of reaction in kJ/mol.",
        passing="The reaction enthalpy is −92.4 kJ mol⁻¹ at 298 K.",
        failing="The reaction enthalpy is −22.1 kcal/mol.",
    ),
)

geography_unit = unit_consistency(
    "geography",
    Example(
        params={"unit": "km²"},
        instruction="Give the catchment's area in square kilometres.",
        passing="Final answer: 412.5 square kilometers",
        failing="Final answer: 41250 ha",
    ),
)

biology_unit = unit_consistency(
    "biology",
    Example(
        params={"unit": "bp"},
        instruction="Give the length of the fragment in base pairs.",
        passing="The fragment is 1250 bp long.",
        failing="The fragment is 1.25 kb long.",
    ),
)

material_unit = unit_consistency(
    "material",
    Example(
        params={"unit": "MPa"},
        instruction="Give the yield strength in MPa.",
        passing=r"\boxed{250\ \mathrm{MPa}}",
        failing=r"\boxed{250\ \mathrm{mPa}}",
    ),
)

physics_unit = unit_consistency(
    "physics",
    Example(
        params={"unit": "m/s^2"},
        instruction="Give the acceleration in metres per second squared.",
        passing="The acceleration is $9.81\\ \\mathrm{m\\,s^{-2}}$.",
        failing="The acceleration is 9.81.",
    ),
)
