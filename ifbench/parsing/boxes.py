r"""Boxes: pieces of a text between an opening and a closing mark, such as `\boxed{…}`.

Positions are code points of the given text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple, TypeAlias

Wrapper: TypeAlias = tuple[str, str]
"""An opening and a closing mark, as in `("\\boxed{", "}")`, `("<answer>", "</answer>")`."""

LATEX_BOXES: tuple[Wrapper, ...] = ((r"\boxed{", "}"), (r"\fbox{", "}"))


class Box(NamedTuple):
    """A wrapper in the text. An unclosed one (a truncated answer) runs to the end."""

    kind: str
    """The opening mark as the wrapper spells it, whatever blanks or slashes the text adds."""
    start: int
    end: int
    inner_start: int
    inner_end: int
    depth: int = 0
    """Number of wrappers around this one."""
    is_closed: bool = True

    def content(self, text: str) -> str:
        """What stands inside."""
        return text[self.inner_start : self.inner_end]


@lru_cache(maxsize=32)
def boxes_in(text: str, wrappers: tuple[Wrapper, ...] = LATEX_BOXES) -> tuple[Box, ...]:
    r"""Every wrapper, in the order of their openings, nested and unclosed ones included.

    A wrapper of braces knows `\{`, `\}` and inner groups, takes a blank before its brace and
    a doubled backslash (the command inside a JSON string). The bare command without its brace
    is no box. Marks that open and close alike (`**`) pair up in turn. Linear time.
    """
    found = [
        (start, end, inner_start, inner_end, opening)
        for opening, closing, name in _named(wrappers)
        if name in text
        for start, inner_start, inner_end, end in _pairs(text, opening, closing)
    ]
    found.sort(key=lambda pair: (pair[0], -pair[1]))
    around: list[int] = []  # Ends of the boxes that are open at this point.
    boxes = []
    for start, end, inner_start, inner_end, opening in found:
        while around and around[-1] <= start:
            around.pop()
        is_closed = inner_end < end
        boxes.append(Box(opening, start, end, inner_start, inner_end, len(around), is_closed))
        around.append(end)
    return tuple(boxes)


@lru_cache(maxsize=32)
def _named(wrappers: tuple[Wrapper, ...]) -> tuple[tuple[str, str, str], ...]:
    """The different wrappers, each with a name that stands in every text that holds one."""
    for opening, closing in wrappers:
        if not opening or not closing:
            raise ValueError(f"a wrapper needs two marks, got {opening!r} and {closing!r}")
    return tuple(
        (opening, closing, opening.rstrip("{").lstrip("\\"))
        for opening, closing in dict.fromkeys(wrappers)
    )


def _pairs(text: str, opening: str, closing: str) -> Iterator[tuple[int, int, int, int]]:
    """Start, inner start, inner end and end of one wrapper's boxes; a stack, so linear.

    The two ends are one and the same where the closing mark is missing.
    """
    stack: list[tuple[int, int] | None] = []  # None stands for a group that is no box.
    for match in _marks(opening, closing).finditer(text):
        mark = match.lastgroup
        if mark == "open" or (mark == "both" and not stack):
            stack.append(match.span())
        elif mark == "group":
            stack.append(None)
        elif mark is not None and stack:  # A closing mark; a stray one closes nothing.
            span = stack.pop()
            if span is not None:
                yield (*span, match.start(), match.end())
    if opening != closing:  # A lone `**` opens nothing.
        yield from ((*span, len(text), len(text)) for span in stack if span)


@lru_cache(maxsize=32)
def _marks(opening: str, closing: str) -> re.Pattern[str]:
    if opening == closing:
        return re.compile(rf"(?P<both>{_unescaped(opening)})")
    if opening.endswith("{") and closing == "}":
        return _braces(opening[:-1])
    return re.compile(rf"(?P<open>{_unescaped(opening)})|(?P<close>{_unescaped(closing)})")


def _braces(name: str) -> re.Pattern[str]:
    """Braces and escapes, and the command that opens a box.

    Where all begin with one set of characters, the search for it is several times as quick.
    """
    if not name.startswith("\\"):
        return re.compile(
            rf"(?P<open>{re.escape(name)}\s*+\{{)|(?<!\\)(?:\\\\)*+\\[{{}}]"
            r"|(?P<group>\{)|(?P<close>\})"
        )
    command = re.escape(name.lstrip("\\"))
    return re.compile(
        r"[\\{}](?:(?<=\{)(?P<group>)|(?<=\})(?P<close>)"
        # A mark may start with several backslashes; each run of them is read once.
        rf"|\\*+{command}\s*+\{{(?P<open>)|(?:\\\\)*+[{{}}]|\\*+)"
    )


def _unescaped(mark: str) -> str:
    r"""A mark that is not written `\[`, unless it is a LaTeX mark itself."""
    return re.escape(mark) if mark.startswith("\\") else rf"(?<!\\){re.escape(mark)}"
