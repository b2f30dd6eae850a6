"""The numbers that are read at a glance: `is 4.50 kg`, `<td>8.05</td>`, `= 12 N.`, `H2O`, `S-01`.

Most numbers of an answer stand between harmless neighbours, where none of the rules for
signs, exponents, groups, dates and labels can apply. They are told apart by one pattern and
one look to the left, at a fraction of the time that the rules take. Whatever is not surely
plain is left to the rules; of what is plain they would say the same.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from ifbench.parsing.number_neighbours import Role
from ifbench.parsing.number_roles import (
    DEEP_LABELS,
    LABELS,
    MONTHS,
    YEAR_WORDS,
)

PlainNumber: TypeAlias = tuple[int, int, str, str, str, str, Literal["plain"], Role]
"""The fields of a `Number`, without its sign and exponent: a plain one has none."""

# A number's right neighbours, of which no exponent, group, date or version can come.
_NO_FACTOR = r"(?![\s\\~$×✕⨯xX·⋅∙•*&^"  # Of what may begin `× 10^3`, after a blank.
_AFTER_FRACTION = rf"(?=[,;:?!%°|<\"'\]}}\n)A-DF-WYZa-df-wyz]|\Z|\.(?!\d)|[ ]{_NO_FACTOR}]))"
# After an integer, letters make names (3d); `2 decimals` and `4 May` are no quantities.
_AFTER_INTEGER = rf"(?=[;?!%°|<\]}}\n]|\Z|,(?![\d\\])|\.(?!\d)|[ ]{_NO_FACTOR}(dsoJFMASOND位]))"
_AFTER_NAME = (
    r"(?=[A-DF-WYZa-df-wyz;?!|<\"\]}\n]|\Z|,(?:[^\d\\]|\d{1,2}(?![\d,'′-]))|\.(?!\d)"
    rf"|'(?!,?\d)|\)(?![ \d-])|[ ]{_NO_FACTOR}]))"
)
# Its left ones, each with the first digit behind it, for that has been read by then. A single
# letter names (C2H5OH, S-01), but ends no command of LaTeX.
_NAMING = r"(?:(?<=[\W\d_][A-Z][0-9])(?<!\\.[0-9])|(?<=[\W\d_][A-Z]-[0-9])(?<!\\.-[0-9]))"
_FREE = r"(?:(?<=[|=\[$][0-9])|(?<=[=|<;≈][ ][0-9]))"
_UNSURE = r"(?<=[ >,\"':][0-9])"
_QUANTITY = rf"([0-9]*+)(?:\.([0-9]++){_AFTER_FRACTION}|{_AFTER_INTEGER})"
# It begins with the digit, since a set of first characters is searched for at once.
NEXT_DIGIT = re.compile(
    r"\d(?:(?!(?<=1)0<)"  # `10<sup>3</sup>` is a power.
    rf"(?:{_NAMING}([0-9]*+){_AFTER_NAME}|{_FREE}{_QUANTITY}|{_UNSURE}{_QUANTITY})|)"
)
"""The next digit; where it surely or probably begins a plain number, the number (`plain_at`)."""
_NAME, _FREE_FRACTION, _UNSURE_INTEGER, _UNSURE_FRACTION = 1, 3, 4, 5  # Its last groups.
_AFTER_WORDS = LABELS | {month.lower() for month in MONTHS} | YEAR_WORDS | {"of"}
_WINDOW = 24  # Characters in which the word before is looked for, as the rules do.


def plain_number(text: str, start: int) -> PlainNumber | None:
    """The number whose first digit stands at `start`, where it surely is plain.

    The caller sees to what reaches in from afar: spans of one role, powers of ten shared by a
    group, and lists of labels that go on.
    """
    match = NEXT_DIGIT.match(text, start)
    return plain_at(text, match) if match else None


def plain_at(text: str, match: re.Match[str]) -> PlainNumber | None:
    """The same of a digit that `NEXT_DIGIT` found."""
    kind = match.lastindex
    if kind is None:
        return None
    start, end = match.span()
    if kind == _NAME:
        return start, end, "", text[start:end], "", "", "plain", "symbol"
    if kind >= _UNSURE_INTEGER and not _is_free(
        text, start, end, is_integer=kind == _UNSURE_INTEGER
    ):
        return None
    if kind in {_FREE_FRACTION, _UNSURE_FRACTION}:
        fraction = match[kind]
        integer = text[start : end - len(fraction) - 1]
        return start, end, "", integer, fraction, "", "plain", "quantity"
    return start, end, "", text[start:end], "", "", "plain", "quantity"


def _is_free(text: str, start: int, end: int, *, is_integer: bool) -> bool:
    """True when what stands before, after a blank or a mark, makes no label or the like of it."""
    before = text[start - 1]
    if before == " ":  # Of most numbers.
        last = text[start - 2] if start > 2 else " "
        if last.isalpha():
            return _is_free_after_word(text, start - 1, is_integer=is_integer)
        if last == ",":
            return _is_free_after_word(text, start - 2, is_integer=is_integer)
        return last == ":" and not is_integer
    if before == ",":
        return start > 1 and _is_free_after_word(text, start - 1, is_integer=is_integer)
    if before == ">":  # `> 2. text` is an item of a list inside a quotation.
        return text[end : end + 1] not in {".", ")"}
    return not is_integer


def _is_free_after_word(text: str, end: int, *, is_integer: bool) -> bool:
    """True when no label, month or the like ends at `end`: a harmless word, or none."""
    if not text[end - 1].isalpha():
        return text[end - 1] not in ".,"  # Behind them a word may still end.
    word = text[end - _WINDOW if end > _WINDOW else 0 : end].rpartition(" ")[2]
    if not (word.isascii() and word.isalpha()):
        return False
    return word.lower() not in (_AFTER_WORDS if is_integer else DEEP_LABELS)
