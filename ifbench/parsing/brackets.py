"""Brackets outside quoted strings: how deep they nest, and which spans they balance."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

MAX_NESTING: Final = 200
"""Deeper structures are not read: parsers recurse, and no answer needs it."""

MAX_TOKENS = 100_000
"""Brackets and strings that one search for balanced spans looks at: a row of brackets that
nothing closes would else cost quadratic time."""

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
    position, left = 0, MAX_TOKENS
    while left > 0 and (opening := pattern.search(text, position)):
        end, seen = _partner(text, opening.start(), left)
        left -= seen
        if end is not None:
            yield opening.start(), end
        position = opening.end() if end is None else end


def _partner(text: str, start: int, limit: int) -> tuple[int | None, int]:
    """The end of the span that opens at `start`, `None` when it is never closed; and the
    number of tokens looked at.
    """
    expected: list[str] = []
    seen = 0
    for seen, match in enumerate(islice(_TOKEN.finditer(text, start), limit), start=1):
        token = match[0]
        if token in _CLOSING:
            expected.append(_CLOSING[token])
        elif len(token) == 1:
            if token != expected.pop():
                return None, seen
            if not expected:
                return match.end(), seen
    return None, max(seen, 1)
