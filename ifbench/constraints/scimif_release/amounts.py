"""Numbers in words and figures, as the release reads them out of parameters and questions."""

from __future__ import annotations

import re

_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
)  # fmt: skip
AMOUNT = rf"(?<![\w.])(?P<amount>[0-9]{{1,4}}|{'|'.join(_WORDS)})(?!\w)"
"""A pattern for one amount; `value_of` reads what its group `amount` holds."""

_READ = 20_000  # Characters of a question or a parameter that are searched; none is longer.


def value_of(word: str) -> int:
    """The amount that a word or figure stands for."""
    return int(word) if word.isdecimal() else _WORDS.index(word.lower())


def first_amount(before: str, after: str, *texts: str) -> int | None:
    """The first amount between two patterns, in the first text that has one."""
    pattern = re.compile(before + AMOUNT + after, re.IGNORECASE)
    for text in texts:
        if found := pattern.search(text[:_READ]):
            return value_of(found["amount"])
    return None
