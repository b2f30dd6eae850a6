"""Python collections that are read without a syntax tree: brackets, plain strings, plain numbers.

`ast` builds objects for every node of a literal and takes many times as long as the few steps
here; a list or dictionary that would be JSON under other quotes is read by `json`, in C. Whatever may not be so plain (escapes, prefixes, strings side by side, sums, sets,
comments, brackets that only group) is left to it, and so is all that is not Python at all.
Of what is read here it would say the same.
"""

from __future__ import annotations

import json
import re
from typing import Final

MAX_DEPTH: Final = 20
"""Deeper nesting is left to Python's parser, which has bounds of its own."""

_BLANKS = r"[ \t\n]*+"
_PLAIN = r"\\\x00-\x1f\ud800-\udfff"  # What a plain string does not hold; nor its own quotes.
# An element and the mark behind it, or a bracket where an element might stand.
_STEP = re.compile(
    rf"{_BLANKS}(?:"
    rf"(?:'([^'{_PLAIN}]*+)'|\"([^\"{_PLAIN}]*+)\"|(True|False|None)"
    r"|(-?(?:0|[1-9][0-9]{0,300}+))(\.[0-9]++)?([eE][+-]?[0-9]{1,9}+)?)"  # Python bounds integers.
    rf"{_BLANKS}([\]),:}}])|([\[({{\])}}]))"
)
_BEHIND = re.compile(rf"{_BLANKS}([\]),:}}])")  # The mark behind a collection.
_CLOSING: Final = {"[": "]", "(": ")", "{": "}"}
_WORDS: Final[dict[str, object]] = {"True": True, "False": False, "None": None}


class NotPlainError(ValueError):
    """Something stands there that only Python's parser can judge."""


def read_plain(source: str) -> object:
    """The list, tuple or dictionary that is the whole source. Raises `NotPlainError`."""
    if source[:1] not in _CLOSING:
        raise NotPlainError
    found = _read_as_json(source) if len(source) > _SHORT else None
    return _read_in_steps(source) if found is None else found


_SHORT = 80
"""Characters that a few steps read as quickly as a try with JSON."""


_NOT_ALIKE = ("\\", "\r", "true", "false", "null", "NaN", "Infinity")
"""What JSON and Python read differently, or only one of them reads."""


def _read_as_json(source: str) -> object:
    """The collection, where JSON has the same; `None` where it may have not."""
    if any(mark in source for mark in _NOT_ALIKE):
        return None
    if "'" in source:
        if '"' in source:
            return None
        source = source.replace("'", '"')
    if not source.isascii() and _HALF.search(source):
        return None
    has_tuples = "(" in source or ")" in source
    if has_tuples:  # A bracket inside a string ends that string: then it is no JSON.
        source = source.replace("(", '["(",').replace(")", ',")"]')
    try:
        read = json.loads(source)
        return _with_tuples(read) if has_tuples else read
    except (ValueError, RecursionError):  # It may be Python all the same.
        return None


def _with_tuples(read: object) -> object:
    """The value with a tuple for each list that begins and ends with a mark of one."""
    if isinstance(read, dict):
        return {key: _with_tuples(value) for key, value in read.items()}
    if not isinstance(read, list):
        return read
    items = [_with_tuples(item) for item in read]
    is_opened, is_closed = items[:1] == ["("], items[-1:] == [")"]
    if is_opened != is_closed:
        raise NotPlainError  # Brackets that are no pair.
    if not is_opened:
        return items
    if len(items) == 3:
        raise NotPlainError  # Brackets around one element only group.
    return tuple(items[1:-1])


_HALF = re.compile("[\ud800-\udfff]")


def _read_in_steps(source: str) -> object:
    items: list[object] = []  # Of the innermost open collection: a dictionary's keys and values.
    closing = ""
    around: list[tuple[list[object], str]] = []
    position, step = 0, _STEP.match
    while match := step(source, position):
        position = match.end()
        single, double, word, integer, fraction, exponent, mark, bracket = match.groups()
        if bracket is None:
            if integer is None:
                items.append(_WORDS[word] if word else double if single is None else single)
            elif fraction is None and exponent is None:
                items.append(int(integer))
            else:
                items.append(float(f"{integer}{fraction or ''}{exponent or ''}"))
        elif bracket in _CLOSING:
            if len(around) == MAX_DEPTH:
                break
            around.append((items, closing))
            items, closing = [], _CLOSING[bracket]
            continue
        else:
            mark = bracket
        ends_with_comma = bracket is not None
        while mark == closing:
            value = _collection(items, closing, ends_with_comma=ends_with_comma)
            items, closing = around.pop()
            if not around:
                if position == len(source):
                    return value
                raise NotPlainError  # Something follows the whole: a tuple without brackets, say.
            items.append(value)
            behind = _BEHIND.match(source, position)
            if behind is None:
                raise NotPlainError
            position, mark, ends_with_comma = behind.end(), behind[1], False
        if mark != (":" if closing == "}" and len(items) % 2 else ","):
            break
    raise NotPlainError


def _collection(items: list[object], closing: str, *, ends_with_comma: bool) -> object:
    if closing == "]":
        return items
    if closing == ")":
        if len(items) == 1 and not ends_with_comma:  # Brackets that only group.
            raise NotPlainError
        return tuple(items)
    if len(items) % 2:
        raise NotPlainError
    try:
        return dict(zip(items[::2], items[1::2], strict=True))
    except TypeError as error:  # A list is no key; the other reader has the words for it.
        raise NotPlainError from error
