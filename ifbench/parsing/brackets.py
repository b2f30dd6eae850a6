"""Brackets outside quoted strings: how deep they nest, and which spans they balance."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

MAX_NESTING: Final = 200
"""Deeper structures are not read: parsers recurse, and no answer needs it."""

MAX_OPENINGS = 200
"""Brackets at which a balanced span is tried for, so that a row of them costs no quadratic time."""

_CLOSING = {"{": "}", "[": "]", "(": ")"}
# Possessive quantifiers: a string of a million characters leaves nothing to go back to.
_TOKEN = re.compile(
    r"""'''(?:[^'\\]++|\\.|'(?!''))*+''' | \"""(?:[^"\\]++|\\.|"(?!""))*+\"""
      | "(?:[^"\\\n]++|\\.)*+" | '(?:[^'\\\n]++|\\.)*+' | [][(){}]""",
    re.DOTALL | re.VERBOSE,
)


def nests_too_deeply(text: str, limit: int = MAX_NESTING) -> bool:
    """True when brackets outside strings nest deeper than `limit`."""
    if sum(text.count(bracket) for bracket in _CLOSING) <= limit:
        return False
    depth = 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        depth += (token in _CLOSING) - (token in "])}")
        if depth > limit:
            return True
    return False


def balanced_spans(text: str, openings: str) -> Iterator[tuple[int, int]]:
    """Spans from one of the `openings` to its partner, in order, none inside another.

    Strings are recognised only inside a span, for prose is full of apostrophes.
    """
    pattern = re.compile("[" + re.escape(openings) + "]")
    position = 0
    for _ in range(MAX_OPENINGS):
        opening = pattern.search(text, position)
        if opening is None:
            return
        end = _partner(text, opening.start())
        if end is not None:
            yield opening.start(), end
        position = opening.end() if end is None else end


def _partner(text: str, start: int) -> int | None:
    """The end of the span that opens at `start`; `None` when it is never closed."""
    expected: list[str] = []
    for match in _TOKEN.finditer(text, start):
        token = match[0]
        if token in _CLOSING:
            expected.append(_CLOSING[token])
        elif len(token) == 1:
            if token != expected.pop():
                return None
            if not expected:
                return match.end()
    return None
