"""Single values with their units out of a short text, and when two of them are the same.

Made for comparing an answer with a reference, where saying nothing is always allowed: what does
not read as one value alone is `None`, and two values may be neither surely equal nor surely
different. Units are read by `units` and compared by their symbols; nothing is converted.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import islice

from ifbench.parsing.numbers import Number, numbers_in
from ifbench.parsing.unit_table import BASES, Powers
from ifbench.parsing.units import unit_at, unit_form

# ── Units ────────────────────────────────────────────────────────────────────────────

_WORD = re.compile(r"[^\W\d_]+")


def _unit_or_word(form: str, start: int) -> tuple[Powers, int] | None:
    """The unit that begins at a place of a unit form, or else the word, as a unit of its own."""
    found = unit_at(form, start)
    if found is not None:
        return found[0].powers, found[1]
    word = _WORD.match(form, start)
    return None if word is None else (((word[0], Fraction(1)),), word.end())


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a question says of units."""

    words: frozenset[Powers] = frozenset()
    """Every unit in it, and every word read as one."""
    units: frozenset[Powers] = frozenset()
    """Those that it asks for: behind "in" and "how many"."""


@lru_cache(maxsize=256)
def asked_in(question: str) -> Asked:
    """The units of a question, of which the first 20,000 characters are read."""
    form = unit_form(question[:_QUESTION])
    starts = islice(_WORD_START.finditer(form), _MOST_WORDS)
    words = (_unit_or_word(form, match.start()) for match in starts)
    units = (_unit_or_word(form, match.end()) for match in _ASKS.finditer(form))
    return Asked(
        words=frozenset(one[0] for one in words if one is not None),
        units=frozenset(one[0] for one in units if one is not None),
    )


_QUESTION = 20_000
_MOST_WORDS = 4_000
_WORD_START = re.compile(r"(?<![\w/·^°-])[%‰°A-Za-zμΩÅ]")
_ASKS = re.compile(r"\b(?:[Ii]n (?:units? of )?|[Hh]ow many )(?:\( ?)?")

# ── Values ───────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One value, as precise as it is written, with its unit."""

    value: float
    half_digit: float
    """Half a unit of the last written digit: how far a rounded value may be off."""
    is_integer: bool
    """Written without a point and without an exponent."""
    digits: int = 0
    """Significant digits as written."""
    unit: Powers = ()
    """Symbols with their exponents; a word that is no unit stands for itself."""
    words: str = ""
    """As it stands in the text."""
    side: str = ""
    """Of an angle on the Earth its hemisphere, `N`, `S`, `E` or `W`, where it is written."""


_ASSERTION = re.compile(
    r"(?:\A|[=≈≃~:]|\\approx|\\simeq|\\sim|\b(?:is|are|was|be|equals?|equal to|gives?|about|"
    r"approximately|approx\.|roughly|around|ca\.))[\s$*_({\[\"'`\\]*\Z"
)
_DRESS = re.compile(r"[\s$*_(){}\[\]\"'`,;.:!\\]*")
_IN_WORDS = re.compile(
    r"\b(?:zero|none|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half|third|"
    r"quarter|once|twice|thrice|double|dozen|hundred|thousand|million|billion)s?\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\bnot\b|n['’]t\b|\bor equal|\bless\b|\bmore\b|\bgreater\b|\bat (?:least|most)\b|"
    r"[<>≤≥≠]|\\(?:leq?|geq?|lt|gt|neq?)(?![a-z])|\bbetween\b",
    re.IGNORECASE,
)
_CONNECTIVE = re.compile(
    r"(?:for|at|when|where|if|in|on|to|from|with|as|and|which|since|because|by|using|so|after|"
    r"rounded|approximately|due|between|under|that|the)\b"
)
_PLUS_MINUS = re.compile(r"\s?(?:±|\\pm|\+/-)\s?$")
_FRACTION = re.compile(
    r"\s*([-−+]?)\s*(?:\\[dt]?frac\s?\{\s?)?(\d{1,9})(?:\s*/\s*|(?<=\d)\s?\}\s?\{\s?)(\d{1,9})(?:\s|\})*"
)


def read_measure(text: str, asked: Asked = Asked()) -> Measure | None:
    """The one value that a short text states, if it surely does.

    It stands first or behind an assertion ("v =", "is about"), alone or behind the last `=`,
    and no word follows it but its unit, words of the question, and what a connective opens.
    """
    fraction = _FRACTION.fullmatch(text)
    if fraction is not None and int(fraction[3]):
        sign = -1 if fraction[1] in {"-", "−"} else 1
        value = sign * int(fraction[2]) / int(fraction[3])
        return Measure(value=value, half_digit=0.0, is_integer=False, words=text.strip())
    number = _one_number(text)
    if number is None or not math.isfinite(number.value) or _IN_WORDS.search(text):
        return None
    before = text[: number.start]
    if not _ASSERTION.search(before[-60:]) or _DENIES.search(before) or _is_open(before):
        return None
    tail = _tail_unit(text[number.end :], asked.words)
    if tail is None or _FACTORIAL.match(text, number.end):
        return None
    side = _SIDE.match(text, number.end)
    measure = measure_of(number, text, tail)
    return replace(measure, side=side[1][0].upper()) if side else measure


_FACTORIAL = re.compile(r"!(?!\w)")  # Or only joy: `5!` is for a reader.
_SIDE = re.compile(
    r"[\s$*]{0,3}(?:°|º|˚|\^\s?\{?\s?\\circ\s?\}?|\\degree|deg(?:ree)?s?(?![a-z]))(?:[\s$*{~]|\\[,; ]){0,5}"
    r"(?:\\?(?:text|mathrm)\{\s?)?([NSEW]|[Nn]orth|[Ss]outh|[Ee]ast|[Ww]est)(?![^\W_])"
)


def measure_of(number: Number, text: str, unit: Powers = ()) -> Measure:
    """A number as a measure."""
    exponent = min(max(int(number.exponent or 0), -400), 400)
    return Measure(
        value=number.value,
        half_digit=0.5 * 10.0 ** max(exponent - number.decimals, -320),
        is_integer=number.form == "plain" and not number.fraction,
        digits=len((number.integer + number.fraction).lstrip("0")),
        unit=unit,
        words=text[number.start : number.end],
    )


def _one_number(text: str) -> Number | None:
    """The number that a text states: the only one, or the only one behind its last `=`."""
    numbers = _without_uncertainties(text, [n for n in numbers_in(text) if n.is_quantity])
    if len(numbers) > 1:
        last_sign = max(text.rfind(sign) for sign in ("=", "≈", "\\approx"))
        chain = text[numbers[0].start : max(last_sign, 0)]
        # "x = 3, y = 4" and "51 km (scale: 1 cm = 17 km)" are no chains of equations.
        if _SEVERAL.search(text, 0, max(last_sign, 0)) or _WORDY.search(chain) or _is_open(chain):
            return None
        numbers = [number for number in numbers if number.start > last_sign >= 0]
    return numbers[0] if len(numbers) == 1 else None


_SEVERAL = re.compile(r"[;\n]|,\s|\b(?:and|or)\b")

_WORDY = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3,}")


def _is_open(text: str) -> bool:
    """True in the middle of an aside; a bracket around everything is none."""
    inner = text.lstrip(" \n$*([{\\")
    return inner.count("(") > inner.count(")")


def _without_uncertainties(text: str, numbers: list[Number]) -> list[Number]:
    return [
        number
        for number in numbers
        if not _PLUS_MINUS.search(text[max(0, number.start - 5) : number.start])
    ]


def _tail_unit(tail: str, known: frozenset[Powers]) -> Powers | None:
    """The unit behind a number, `()` for none; `None` when words follow that may change it."""
    form = unit_form(_UNCERTAINTY.sub("", tail))
    start = _begin(form, 0)
    unit: Powers = ()
    while start < len(form) and not _CONNECTIVE.match(form, start):
        found = _unit_or_word(form, start)
        if found is None or (unit and found[0] not in known):
            return None
        unit = unit or found[0]
        start = _begin(form, found[1])
    return unit


_UNCERTAINTY = re.compile(r"\s?(?:±|\\pm|\+/-)[\s$]?[\d.]+")


def _begin(form: str, start: int) -> int:
    """Where the next words begin behind marks and brackets; those of `(m)/(s)` are a unit's."""
    dress = _DRESS.match(form, start)
    end = dress.end() if dress else start
    bracket = form.find("(", start, end)
    return bracket if bracket >= 0 and unit_at(form, bracket) else end


# ── Equality ─────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerance:
    """When two values are surely equal, and when surely different."""

    equal: float = 0.01
    """Relative. 1 % covers another rounding on the way and another digit of a constant
    (g = 9.8 or 9.81), which no grader would hold against an answer."""
    different: float = 0.05
    """Relative. Between the two nothing is decided: 3 % may be a slip or a cruder constant."""


def same_value(one: float, other: Measure, tolerance: Tolerance, half_digit: float) -> bool | None:
    """Compare a value with a reference; `None` where neither answer is sure.

    A value that rounds to the other one's digits is equal, unless that rounding is coarser than
    what `tolerance` calls different. Not sure are also a factor of a power of ten (a prefix, a
    percent sign) and a changed sign (a convention).
    """
    reference = other.value
    gap = abs(one - reference)
    relative = gap / abs(reference) if reference else (0.0 if not gap else math.inf)
    half = max(half_digit, other.half_digit) * (1 + 1e-9)
    rounds = gap <= half
    if relative <= max(tolerance.equal, 1e-9):
        return True
    # Two digits at least: 5.1 rounds to 5, but 5 may be a count.
    if rounds and relative <= tolerance.different and abs(reference) >= 19 * half:
        return True
    if relative <= tolerance.different or rounds or _is_shifted(one, reference, tolerance):
        return None
    return False


def _is_shifted(one: float, reference: float, tolerance: Tolerance) -> bool:
    if not one or not reference:
        return False
    ratio = one / reference
    power = math.log10(abs(ratio))
    is_power = abs(power - round(power)) <= math.log10(1 + tolerance.different)
    return is_power and (ratio < 0 or round(power) != 0)


def same_measure(
    answer: Measure, reference: Measure, asked: Asked, tolerance: Tolerance
) -> bool | None:
    """Compare two values with their units, in the light of the units that the question asks for.

    References often have no unit. The answer's is then taken for right if the question asks for
    it; if the question asks for none, three equal digits of a unit without prefix outweigh that it cannot be checked.
    Whole numbers on both sides are counts: then nearly equal is not sure to be equal. Two
    hemispheres are two places; south or west on one side alone leaves the sign open.
    """
    if answer.side and reference.side and answer.side != reference.side:
        return False if {answer.side, reference.side} in _OPPOSITE else None
    is_one_signed = bool(answer.side) != bool(reference.side)
    if is_one_signed and (answer.side or reference.side) in _NEGATIVE:
        return None  # `40.7` may mean north, or the sign be left out.
    same = same_value(answer.value, reference, tolerance, answer.half_digit)
    if same and answer.is_integer and reference.is_integer and answer.value != reference.value:
        same = None
    if answer.unit == reference.unit or not answer.unit:
        return same
    if reference.unit:
        return None
    if answer.unit in asked.units:
        return same
    if answer.unit == _PERCENT:
        share = same_value(answer.value / 100, reference, tolerance, answer.half_digit / 100)
        return True if share else None
    is_free = not asked.units and reference.digits >= _TELLING_DIGITS
    is_free = is_free and not any(_is_prefixed(symbol) for symbol, _ in answer.unit)
    return True if same and is_free else None


_NEGATIVE = frozenset("SW")
_OPPOSITE = ({"N", "S"}, {"E", "W"})
_PERCENT: Powers = (("%", Fraction(1)),)
_TELLING_DIGITS = 3


def _is_prefixed(symbol: str) -> bool:
    return symbol != "kg" and BASES.get(symbol, symbol) != symbol


# ── Ranges ───────────────────────────────────────────────────────────────────────────

_BETWEEN = re.compile(r"\s*(?:to|TO|-|–|—|−|~|\s:\s|and|\\sim|\\text\{\s?to\s?\})\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """Two bounds, the lower one first."""

    low: Measure
    high: Measure


def read_range(text: str) -> Range | None:
    """A text that is two numbers with `to`, a dash or a lone colon between: `4232 to 4249`."""
    text = text.strip()
    numbers = numbers_in(text)
    if len(numbers) != 2 or numbers[0].start or text[numbers[1].end :].strip(" $.*"):
        return None
    first, second = numbers
    between = text[first.end : second.start]
    if second.sign and not between.strip():  # `3 -5`: the sign is the dash.
        return None
    if not _BETWEEN.fullmatch(between) or first.value >= second.value:
        return None
    if ":" in between and second.value > 1.5 * first.value:  # A ratio, a time.
        return None
    return Range(low=measure_of(first, text), high=measure_of(second, text))


def in_range(answer: Measure, reference: Range, tolerance: Tolerance) -> bool | None:
    """Whether a value lies within; `None` where it misses a bound by little, or by a prefix."""
    low, high = reference.low.value, reference.high.value
    if low <= answer.value <= high:
        return True
    nearest = reference.low if answer.value < low else reference.high
    same = same_value(answer.value, nearest, tolerance, 0.0)
    return False if same is False else None
