"""The numbers that are read at a glance: `is 4.50 kg`, `<td>8.05</td>`, `= 12 N.`, `H2O`, `S-01`.

Most numbers of an answer stand between harmless neighbours, where none of the rules for
signs, exponents, groups, dates and labels can apply. They are told apart by one pattern and
one look to the left, at a fraction of the time that the rules take. Whatever is not surely
plain is left to the rules; of what is plain they would say the same.
"""

from __future__ import annotations

import re
from typing import TypeAlias

from ifbench.parsing.number_roles import (
    DEEP_LABELS,
    LABELS,
    MONTHS,
    YEAR_WORDS,
    Role,
    touching_left,
)

PlainNumber: TypeAlias = tuple[int, str, str, Role]
"""End, integer, fraction and role."""

_NO_FACTOR = r"(?![\s\\~$×✕⨯xX·⋅∙•*&^"  # Of what may begin `× 10^3`, after a blank.
_PLAIN = re.compile(
    # Digits that no mark of an exponent, a group, a date or a version follows.
    r"(?!10<)([0-9]++)(?:"  # `10<sup>3</sup>` is a power.
    rf"\.([0-9]++)(?=[,;:?!%°|<\"'\]}}\n)A-DF-WYZa-df-wyz]|\Z|\.(?!\d)|[ ]{_NO_FACTOR}]))"
    # After an integer, letters make names (3d); `2 decimals` and `4 May` are no quantities.
    rf"|(?=[;?!%°|<\]}}\n]|\Z|,(?![\d\\])|\.(?!\d)|[ ]{_NO_FACTOR}(dsoJFMASOND位])))"
)
_NAME = re.compile(
    r"(?!10<)([0-9]++)(?=[A-DF-WYZa-df-wyz;?!|<\"\]}\n]|\Z|,(?:[^\d\\]|\d{1,2}(?![\d,'′-]))|\.(?!\d)"
    rf"|'(?!,\d)|\)(?![ \d-])|[ ]{_NO_FACTOR}]))"
)
_TOUCHING = frozenset("|=[$>,\"':")
"""Marks right before a number that leave it a quantity; signs and brackets do not."""
_BEFORE_BLANK = frozenset("=|<;≈:")
"""Marks that, before a blank, name nothing and open no list."""
_AFTER_WORDS = LABELS | {month.lower() for month in MONTHS} | YEAR_WORDS | {"of"}
_WINDOW = 24  # Characters in which the word before is looked for, as the rules do.


def plain_number(text: str, start: int) -> PlainNumber | None:
    """The number whose first digit stands at `start`, where it surely is plain.

    The caller sees to what reaches in from afar: spans of one role, powers of ten shared by a
    group, and lists of labels that go on.
    """
    if start == 0:
        return None
    before = text[start - 1]
    if before.isalpha() or before == "-":
        return _plain_name(text, start)
    match = _PLAIN.match(text, start)
    if match is None:
        return None
    integer, fraction = match.groups()
    is_free = (
        _is_free_after_blank(text, start, is_integer=fraction is None)
        if before == " "
        else _is_free_after(text, start, match.end(), is_integer=fraction is None)
    )
    return (match.end(), integer, fraction or "", "quantity") if is_free else None


def _plain_name(text: str, start: int) -> PlainNumber | None:
    match = _NAME.match(text, start)
    if match is None:
        return None
    if touching_left(text, start, match.end(), is_integer=True) != "symbol":
        return None
    return match.end(), match[1], "", "symbol"


def _is_free_after_blank(text: str, start: int, *, is_integer: bool) -> bool:
    last = text[start - 2] if start > 1 else " "
    if last == "," and start > 2:
        return _is_free_after_word(text, start - 2, is_integer=is_integer)
    if last.isalpha():
        return _is_free_after_word(text, start - 1, is_integer=is_integer)
    return last in _BEFORE_BLANK and not (last == ":" and is_integer)


def _is_free_after_word(text: str, end: int, *, is_integer: bool) -> bool:
    """True when no label, month or the like ends at `end`: a harmless word, or none."""
    if not text[end - 1].isalpha():
        return text[end - 1] not in ".,"  # Behind them a word may still end.
    word = text[end - _WINDOW if end > _WINDOW else 0 : end].rpartition(" ")[2]
    if not (word.isascii() and word.isalpha()):
        return False
    return word.lower() not in (_AFTER_WORDS if is_integer else DEEP_LABELS)


def _is_free_after(text: str, start: int, end: int, *, is_integer: bool) -> bool:
    before = text[start - 1]
    if before not in _TOUCHING or (is_integer and before in "\"':"):
        return False
    if before == ">":  # `> 2. text` is an item of a list inside a quotation.
        return text[end : end + 1] not in {".", ")"}
    return before != "," or (
        start > 1 and _is_free_after_word(text, start - 1, is_integer=is_integer)
    )
