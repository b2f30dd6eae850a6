"""The numbers of a text, as they are written: one tokenizer for all that reads numbers.

A number keeps its digits as the writer put them (`1.50` has two decimals, whatever its
value), and its role says whether it is a quantity at all (`number_roles`). Digits of any
script count (`٣`, `３`). A full stop without a digit after it ends a sentence. A comma is a
decimal mark only for who asks so. Time is linear in the text's length.
"""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal, NamedTuple, TypeAlias

from ifbench.parsing.number_neighbours import Role
from ifbench.parsing.number_roles import RoleReader
from ifbench.parsing.plain_numbers import NEXT_DIGIT, plain_at

Form: TypeAlias = Literal["plain", "e", "sci", "power"]
"""`1500`, `1.5e3`, `1.5 × 10^3` and `10^3`; the last has the unwritten mantissa 1."""
DecimalMark: TypeAlias = Literal[".", ","]

_SIGNS = "+＋−－–-"  # An en dash is a sign only where it can be nothing else.
_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_PLAIN_EXPONENT = str.maketrans(_SUPERSCRIPTS + "⁺⁻−－–＋", "0123456789+----+")


class Number(NamedTuple):
    """One number; `text[start:end]` holds sign, mantissa and exponent, but no unit.

    A named tuple, for a text may hold thousands: a frozen dataclass takes thrice the time to build.
    """

    start: int
    end: int
    sign: str
    """"", "+" or "-"."""
    integer: str
    """ASCII digits before the point, group marks taken out; empty in `.5`, 1 in a bare power."""
    fraction: str
    exponent: str
    """Sign and ASCII digits of the power of ten; empty in the plain form."""
    form: Form
    role: Role

    @property
    def decimals(self) -> int:
        """Digits after the point, those of the mantissa where there is an exponent."""
        return len(self.fraction)

    @property
    def is_quantity(self) -> bool:
        return self.role == "quantity"

    @property
    def is_scientific(self) -> bool:
        return self.form != "plain"

    @property
    def is_zero(self) -> bool:
        return not (self.integer + self.fraction).strip("0")

    @property
    def is_normalized(self) -> bool:
        """True when 1 <= |mantissa| < 10, as scientific notation wants it; zero may have any."""
        return self.is_zero or (len(self.integer) == 1 and self.integer != "0")

    @property
    def value(self) -> float:
        """The nearest float; infinite when it is too large."""
        mantissa = f"{self.sign}{self.integer or '0'}.{self.fraction or '0'}"
        return float(f"{mantissa}e{self.exponent or '0'}")

    def unit_text(self, text: str) -> str:
        """The words right of the number in which a unit would stand; see `unit_text_at`.

        `text` is the text that the number was read from.
        """
        return unit_text_at(text, self.end)


def unit_text_at(text: str, end: int) -> str:
    """The words behind a value that ends here, in which its unit would stand, as written.

    They end with the line, at punctuation (a full stop before a blank included), at a bracket
    that opens a list or a relation, and after 64 characters.
    """
    match = _UNIT_TEXT.match(text, end)
    return match[0] if match else ""


_UNIT_TEXT = re.compile(r"(?:\\[,;:! ]|(?!\.(?:\s|$))[^\n,;:!?=<>|\"\[\]，。；：！？]){0,64}")


@lru_cache(maxsize=32)
def numbers_in(text: str, decimal_mark: DecimalMark = ".") -> tuple[Number, ...]:
    """Every number, in order, with its role; a product such as `3 × 10` makes two."""
    return tuple(_numbers(text, decimal_mark))


def numbers_by_rules(text: str) -> tuple[Number, ...]:
    """The same as `numbers_in`, with no number read at a glance: what that is held to."""
    return tuple(_numbers(text, ".", at_a_glance=False))


def quantities_in(
    text: str, start: int = 0, end: int | None = None, decimal_mark: DecimalMark = "."
) -> tuple[Number, ...]:
    """The quantities that lie within `text[start:end]`, read in the light of the whole text."""
    numbers = numbers_in(text, decimal_mark)
    if start == 0 and end is None:
        return tuple([number for number in numbers if number.role == "quantity"])
    return _quantities_within(numbers, start, len(text) if end is None else end)


def quantities_of_part(
    text: str, start: int, end: int, decimal_mark: DecimalMark = "."
) -> tuple[Number, ...]:
    """The same, for who asks about one part alone: the numbers before and behind are not read.

    What is kept of `quantities_in` is not kept here: it is for one part, not for one after another.
    """
    place = _place_near(text, start)
    if not place:
        return quantities_in(text, start, end, decimal_mark)
    return _quantities_within(_numbers(text, decimal_mark, place, end), start, end)


def _quantities_within(numbers: Sequence[Number], start: int, end: int) -> tuple[Number, ...]:
    return tuple(
        [  # A list, for a generator takes twice as long.
            number
            for number in numbers
            if number.role == "quantity" and start <= number.start and number.end <= end
        ]
    )


def last_quantity(text: str) -> Number | None:
    """The last of the quantities; most texts need not be read from their beginning for it."""
    if place := _place_near(text, len(text) - _TAIL):
        for number in reversed(_numbers(text, ".", place)):
            if number.role == "quantity":
                return number
    for number in reversed(numbers_in(text)):
        if number.role == "quantity":
            return number
    return None


# ── Reading a part ───────────────────────────────────────────────────────────────────

_TAIL = 250
"""Characters at the end of a text in which its last quantity is looked for first."""
_NEAR = 120
_LETTERS = re.compile(r"[a-z]{6}")
"""No number and no list of labels goes on over so many letters: LaTeX's `\\times`, `to` and
`and` are shorter. What follows them is read as if all before had been."""


def _place_near(text: str, position: int) -> int:
    """A place shortly before the position from which numbers can be read; 0, the beginning."""
    if position <= _NEAR:
        return 0
    ends = [match.end() for match in _LETTERS.finditer(text, position - _NEAR, position)]
    return ends[-1] if ends else 0


# ── Reading ──────────────────────────────────────────────────────────────────────────

_DIGITS = re.compile(r"\d++")
# In LaTeX, blanks have many names; formulas may close and open between the factors.
_BLANKS = r"(?:[^\S\n]|\\[,;:! ()]|[~$])*+"
_TIMES_TEN = re.compile(
    _BLANKS
    + r"(?:[×✕⨯xX·⋅∙•]|\\?\*(?!\*)|\\times(?![A-Za-z])|\\cdot(?![A-Za-z])|&times;)"
    + _BLANKS
    + r"(?:10|\{10\}|１０)"
)
_POWER = re.compile(
    rf"""{_BLANKS}(?:\^|\*\*){_BLANKS}
        (?: \{{\s*+(?P<braced>[{_SIGNS}]?\s*+\d++)\s*+\}}
          | \(\s*+(?P<round>[{_SIGNS}]?\s*+\d++)\s*+\)
          | (?P<bare>[{_SIGNS}]?\d++)(?!\.\d) )
      | (?P<raised>[⁺⁻]?[{_SUPERSCRIPTS}]++)
      | <sup>\s*+(?P<html>[{_SIGNS}]?\s*+\d++)\s*+</sup>""",
    re.VERBOSE,
)


# All mantissas have four groups: integer, group mark, fraction, `e` exponent.
_UNGROUPED = re.compile(r"(\d++)()()()")
_LEADING_POINT = re.compile(r"()()\.(\d++)(?:[eE]([+\-−]?\d++))?")


@cache
def _mantissas(decimal_mark: DecimalMark) -> re.Pattern[str]:
    point, group = (r"[.．٫]", ",") if decimal_mark == "." else (",", r"\.")
    return re.compile(
        rf"""( (?!0)\d{{1,3}} ([{group}'’\u00a0\u202f\u2009]|\\,|\{{,\}}|,\\!)
                \d{{3}} (?:\2\d{{3}})*+ (?!\d)
              | \d++)
            (?:{point}(\d++))?
            (?:[eE]([+\-−]?\d++))?""",
        re.VERBOSE,
    )


_new = tuple.__new__


def _numbers(
    text: str,
    decimal_mark: DecimalMark,
    position: int = 0,
    end: int | None = None,
    *,
    at_a_glance: bool = True,
) -> list[Number]:
    """The numbers that begin from a position on, up to an end that may lie within the last."""
    found: list[Number] = []
    roles = RoleReader(text)
    mantissas = _mantissas(decimal_mark)
    groups = deque(_groups_of(text))
    # A power of ten may be shared, and a decimal comma may stand anywhere.
    may_be_plain = at_a_glance and decimal_mark == "." and not groups
    last = len(text) if end is None else end
    is_read = False
    while not is_read:
        is_read = True
        for digit in NEXT_DIGIT.finditer(text, position):
            start = digit.start()
            if start >= last:
                break
            plain = plain_at(text, digit) if may_be_plain else None
            # Only an integer may go on with a list of labels, or with a date.
            if plain and (plain[4] or plain[-1] != "quantity" or not roles.may_go_on(start)):
                if roles.has_spans and (role := roles.role_of_span(start)):
                    plain = (*plain[:-1], role)
                found.append(_new(Number, plain))  # What `Number(…)` does, in half the time.
                continue
            while groups and groups[0].power_end <= start:
                groups.popleft()
            number = _by_rules(text, start, roles, mantissas, groups[0] if groups else None)
            found.append(number)
            position, is_read = number.end, False
            break
    return found


def _by_rules(
    text: str,
    start: int,
    roles: RoleReader,
    mantissas: re.Pattern[str],
    group: _Group | None,
) -> Number:
    """The number whose first digit stands at `start`, as all the rules together read it."""
    digits = _DIGITS.match(text, start)
    assert digits is not None
    compound = roles.compound_at(start, digits.end())
    if compound is None:
        return _number(text, _mantissa(text, start, mantissas), roles, group)
    number_end, role = compound  # A date, a version, a phone number: one token, no quantity.
    return Number(start, number_end, "", _ascii_digits(digits[0]), "", "", "plain", role)


_IN_GROUP = rf"[{_SIGNS}]?\d++(?:\.\d++)?"
_GROUP = re.compile(
    rf"""\({_BLANKS}{_IN_GROUP}
        (?:{_BLANKS}(?:±|\\pm|\+/[-−]|[,;~–−-]|to|\\text\{{\ ?to\ ?\}}){_BLANKS}{_IN_GROUP}){{1,4}}
        {_BLANKS}(?:\\right)?\)""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class _Group:
    """Numbers that share a power of ten, as in `(1.50 ± 0.05) × 10^3`."""

    start: int
    power_start: int
    power_end: int
    exponent: str


def _groups_of(text: str) -> Iterator[_Group]:
    if ")" not in text or not ("10" in text or "１０" in text):
        return
    for match in _GROUP.finditer(text):
        times_ten = _TIMES_TEN.match(text, match.end())
        power = _POWER.match(text, times_ten.end()) if times_ten else None
        if times_ten and power and power.lastgroup:
            exponent = _ascii_digits(power[power.lastgroup])
            yield _Group(match.start(), times_ten.end() - 3, power.end(), exponent)


def _mantissa(text: str, digit: int, mantissas: re.Pattern[str]) -> re.Match[str]:
    """The mantissa, with its `e` exponent, around the first digit found."""
    if text[digit - 1 : digit] == "." and (match := _leading_point(text, digit)):
        return match
    match = mantissas.match(text, digit)
    if match is not None and match[2] == "," and _is_in_list(text, match):
        match = _UNGROUPED.match(text, digit)
    assert match is not None  # There is a digit at this place.
    return match


def _leading_point(text: str, digit: int) -> re.Match[str] | None:
    """`.5`, where it follows neither a word, a closing bracket nor another full stop."""
    before = text[digit - 2] if digit > 1 else " "
    if before.isalnum() or before in ".)]}":
        return None
    return _LEADING_POINT.match(text, digit - 1)


def _is_in_list(text: str, match: re.Match[str]) -> bool:
    """True for `[100,200]`: next to a square bracket a comma parts two numbers."""
    start, end = match.span()
    return text[max(start - 1, 0) : start] == "[" or text[end : end + 1] == "]"


def _number(text: str, mantissa: re.Match[str], roles: RoleReader, group: _Group | None) -> Number:
    start, end = mantissa.span()
    integer, _, fraction, exponent = mantissa.groups()
    form: Form = "plain"
    if exponent:
        form, exponent = "e", _ascii_digits(exponent)
    elif power := _power_after(text, mantissa):
        end, form, exponent = power
    elif fraction and (concise := _CONCISE.match(text, end)):
        end = concise.end()
    role = roles.role_of(start, end, is_integer=form == "plain" and not fraction)
    if group is not None and start >= group.power_start:
        role = "index"
    elif group is not None and group.start < start and form == "plain":
        form, exponent = "sci", group.exponent
    sign = _sign_before(text, start)
    return Number(
        start - len(sign),
        end,
        sign,
        "1" if form == "power" else _ascii_digits(integer),
        _ascii_digits(fraction or ""),
        exponent or "",
        form,
        role,
    )


_CONCISE = re.compile(r"\(\d{1,3}\)")  # The uncertainty of the last digits: 6.62607015(81).
# `1.5×10−3` as it is copied from print. With a hyphen it may be a range: 3 × 10-15 mL.
_FLAT_POWER = re.compile(r"(?P<flat>−\d{1,2})(?![\d.,]\d|\d|%)")


def _power_after(text: str, mantissa: re.Match[str]) -> tuple[int, Form, str] | None:
    """End, form and exponent of a power of ten after a mantissa, or after a bare `10`."""
    end, form, power = mantissa.end(), "sci", None
    concise = _CONCISE.match(text, end) if mantissa[3] else None
    if times_ten := _TIMES_TEN.match(text, concise.end() if concise else end):
        power = _POWER.match(text, times_ten.end()) or _FLAT_POWER.match(text, times_ten.end())
    if power is None and mantissa[0] in {"10", "１０"}:
        form, power = "power", _POWER.match(text, end)
    if power is None:
        return None
    assert power.lastgroup is not None
    return power.end(), "sci" if form == "sci" else "power", _ascii_digits(power[power.lastgroup])


def _sign_before(text: str, start: int) -> str:
    """The sign that stands right before, if no operand stands before it: `3-5` is a range."""
    sign = text[start - 1] if start else ""
    if sign not in _SIGNS or not sign:
        return ""
    before = text[start - 2] if start > 1 else " "
    if before.isalnum() or before in ")]}_^%°′″" or before in _SIGNS:
        return ""
    if sign == "–" and text[max(start - 8, 0) : start - 1].rstrip()[-1:].isdigit():
        return ""
    return "+" if sign in "+＋" else "-"


def _ascii_digits(written: str) -> str:
    """Digits and signs alone, without group marks and blanks, in ASCII whatever their script."""
    if written.isascii() and (written.isdigit() or not written):
        return written
    return "".join(
        character if character in "+-" else str(unicodedata.decimal(character))
        for character in written.translate(_PLAIN_EXPONENT)
        if character.isdecimal() or character in "+-"
    )
