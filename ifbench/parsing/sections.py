"""Sections of an answer: labels at the beginning of a line, or headings, and what they hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from ifbench.parsing.text_forms import fold, lowered


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """`text[start:content_start]` is the label's line as far as it is label."""

    label: str
    start: int
    content_start: int
    end: int


def sections_in(text: str, labels: tuple[str, ...]) -> tuple[Section, ...]:
    """The asked sections that the text has, each where it begins last, by their place.

    A label opens a section when it begins its line (a list marker, a number, emphasis and `#`
    aside) and is followed by a colon or dash, or stands alone, or is a heading. A mention in
    the middle of a line opens none. Each goes on to the next one found. Case does not count.
    """
    plain = lowered(fold(text))
    last = {match["label"]: match for match in _opening(labels).finditer(plain)}
    places = sorted(last.values(), key=lambda match: match.start())
    ends = [*(match.start() for match in places[1:]), len(text)]
    names = {_comparable(label): label for label in labels}
    return tuple(
        Section(
            label=names[re.sub(r"\s+", " ", match["label"])],
            start=match.start(),
            content_start=match.end(),
            end=end,
        )
        for match, end in zip(places, ends, strict=False)
    )


def _comparable(label: str) -> str:
    return " ".join(lowered(fold(label)).strip(" :").split())


_NUMBER = (  # `1.`, `(1)`, `IV.`, `一、` and `Step 1:`, in the form that is searched.
    r"(?:\(?\d{1,3}[.),]|[ivx]{1,4}[.)]|\(?[一二三四五六七八九十]{1,3}[,.)]"
    r"|(?:step|part|section)[ ]\d{1,2}[ ]?[.:)-])"
)
_DRESS = r"(?:[*_]{1,3})?(?(heading)(?:[^\w\s*_\[#]{1,3}[ ])?)"


@lru_cache(maxsize=128)
def _opening(labels: tuple[str, ...]) -> re.Pattern[str]:
    forms = sorted(map(_comparable, labels), key=len, reverse=True)
    names = "|".join(r"[ ]".join(map(re.escape, form.split(" "))) for form in forms)
    return re.compile(
        rf"^[ \t>]*+(?:(?P<heading>#{{1,6}}[ \t]*+)|[-+•][ \t]++|\*[ \t]++)?{_DRESS}(?:{_NUMBER}[ \t]*+)?"
        rf"[*_\[【]{{0,4}}(?P<label>{names})(?![^\W_])[*_\]】]{{0,4}}"
        rf"(?:[ \t]*+(?:[:]|[-–—](?=[ \t]))[*_]{{0,4}}|(?<=】)|[ \t]*+(?=$)|(?(heading)[ \t.]|(?!)))",
        re.MULTILINE,
    )


_HEADING = re.compile(r"[ \t>]*(?:#{1,6}[ \t]|`{3,}|~{3,})")


def content_lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Spans of the lines that say something: no headings, rules, fence marks or bare signs."""
    position = start
    while position < end:
        line_end = text.find("\n", position, end)
        line_end = end if line_end < 0 else line_end
        is_heading = _HEADING.match(text, position, line_end) and _begins_line(text, position)
        if not is_heading and _SAYS.search(text, position, line_end):
            yield position, line_end
        position = line_end + 1


_SAYS = re.compile(r"[^\W_]")


def _begins_line(text: str, position: int) -> bool:
    return position == 0 or text[position - 1] == "\n"
