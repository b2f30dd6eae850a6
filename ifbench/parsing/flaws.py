"""What keeps a text from being read as JSON, HTML and the like, and where it stands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Flaw:
    """A reason in words that a writer can act on, and its place (`end` is exclusive)."""

    reason: str
    start: int = 0
    end: int = 0
    """Equal to `start` where no place can be named."""
    is_readable: bool = False
    """True where the text can be read to its end, but as something else."""

    def moved(self, offset: int) -> Self:
        """The same flaw, seen from a text that begins `offset` characters earlier."""
        return replace(self, start=self.start + offset, end=self.end + offset)


def offset_of(text: str, line: int, column: int) -> int:
    """The offset of a place given as line (from 1) and column (from 0), held inside the text."""
    start = 0
    for _ in range(line - 1):
        end_of_line = _LINE_END.search(text, start)
        if end_of_line is None:
            return len(text)
        start = end_of_line.end()
    return min(start + column, len(text))


def excerpt(text: str, limit: int = 40) -> str:
    """The words on one line, shortened, for use inside a reason."""
    words = " ".join(text[: 4 * limit].split())
    return words if len(words) <= limit else words[: limit - 1] + "…"


def counted(number: int, noun: str = "element") -> str:
    """`1 element`, `2 elements`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(names: Sequence[str]) -> str:
    """The names in quotes, the first eight of them."""
    shown = ", ".join(f"“{excerpt(name)}”" for name in names[:8])
    return shown + (f" and {len(names) - 8} more" if len(names) > 8 else "")
