"""Passages that an answer puts into quotation marks.

An apostrophe is no quotation mark: single quotes count only around a passage whose outer sides
are no letters. Corner brackets, guillemets and curly quotes are marks as the straight ones are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_QUOTED = re.compile(
    r"\"(?P<a>[^\"\n]{1,500})\"|“(?P<b>[^”\n]{1,500})”|„(?P<c>[^“”\n]{1,500})[“”]"
    r"|«(?P<d>[^»\n]{1,500})»|「(?P<e>[^」\n]{1,500})」|『(?P<f>[^』\n]{1,500})』"
    r"|(?<!\w)'(?P<g>[^'\n]{1,500}(?:(?<=\w)'(?=\w)[^'\n]{1,500}){0,3})'(?!\w)"
    r"|(?<!\w)‘(?P<h>[^‘\n]{1,500}?)’(?!\w)"
)
MAX_PASSAGES = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedPassage:
    """The words between the marks, and their place."""

    words: str
    start: int
    end: int


def quoted_passages(text: str) -> tuple[QuotedPassage, ...]:
    """Every quoted passage, in order, none inside another, none over a line end."""
    found: list[QuotedPassage] = []
    for match in _QUOTED.finditer(text):
        name = match.lastgroup or "a"
        start, end = match.span(name)
        if match[name].strip():
            found.append(QuotedPassage(words=match[name], start=start, end=end))
        if len(found) == MAX_PASSAGES:
            break
    return tuple(found)
