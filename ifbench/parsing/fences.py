"""Fenced code blocks, read as CommonMark does: by line, marker and length.

Splitting at the first three backticks goes wrong as soon as a string holds some. Fences
inside quotes and list items that are indented by more than three blanks are not looked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_MARKER_LINE = re.compile(r"^ {0,3}(?P<marker>`{3,}|~{3,})(?P<rest>[^\n]*)\n?", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence:
    """One block: `text[start:end]` with its markers, `text[body_start:body_end]` without."""

    info: str
    start: int
    end: int
    body_start: int
    body_end: int
    is_closed: bool
    """False when the text ends inside the block: the answer was cut off."""

    @property
    def language(self) -> str:
        """First word of the info string, in lower case; empty where there is none."""
        return self.info.partition(" ")[0].strip("{}.").lower()


def fences_in(text: str) -> tuple[Fence, ...]:
    """Every fenced block, in order."""
    if "```" not in text and "~~~" not in text:  # As in most texts; the pattern looks at each line.
        return ()
    found: list[Fence] = []
    opening: re.Match[str] | None = None
    for line in _MARKER_LINE.finditer(text):
        if opening is None:
            opening = line if _opens(line) else None
        elif _closes(line, opening):
            found.append(_fence(opening, body_end=line.start(), end=line.end(), is_closed=True))
            opening = None
    if opening is not None:
        found.append(_fence(opening, body_end=len(text), end=len(text), is_closed=False))
    return tuple(found)


def fence_around(text: str) -> Fence | None:
    """The one closed block that, blanks aside, is the whole text; `None` where none is."""
    lead = len(text) - len(text.lstrip())
    fences = fences_in(text[lead:])
    if not fences or fences[0].start != 0 or not fences[0].is_closed:
        return None
    if text[lead + fences[0].end :].strip():
        return None
    return _moved(fences[0], lead)


def fences_of(text: str, languages: Iterable[str]) -> tuple[Fence, ...]:
    """The closed blocks that say they hold one of these languages."""
    wanted = frozenset(languages)
    return tuple(fence for fence in fences_in(text) if fence.is_closed and fence.language in wanted)


def _opens(line: re.Match[str]) -> bool:
    # A backtick in the info string would make inline code of it (CommonMark, 4.5).
    return line["marker"][0] == "~" or "`" not in line["rest"]


def _closes(line: re.Match[str], opening: re.Match[str]) -> bool:
    marker, opened = line["marker"], opening["marker"]
    return marker[0] == opened[0] and len(marker) >= len(opened) and not line["rest"].strip()


def _fence(opening: re.Match[str], *, body_end: int, end: int, is_closed: bool) -> Fence:
    return Fence(
        info=opening["rest"].strip(),
        start=opening.start(),
        end=end,
        body_start=opening.end(),
        body_end=body_end,
        is_closed=is_closed,
    )


def _moved(fence: Fence, offset: int) -> Fence:
    return Fence(
        info=fence.info,
        start=fence.start + offset,
        end=fence.end + offset,
        body_start=fence.body_start + offset,
        body_end=fence.body_end + offset,
        is_closed=fence.is_closed,
    )
