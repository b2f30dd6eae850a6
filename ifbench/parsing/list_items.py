"""The items of lists in an answer, as they are written: marker, number, depth, words.

Read from the source by line, not from a renderer: Markdown shows any run of numbers as 1, 2, 3,
and a reader takes `•` for a bullet although Markdown does not. A rule (`---`), a line in italics
(`*so*`) and `-5 °C` are no items; nothing inside a fence is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from ifbench.parsing.fences import fences_in
from ifbench.parsing.visible_text import visible_line

Marker: TypeAlias = Literal["bullet", "numbered", "lettered"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListItem:
    """One item; `text[start:end]` is its first line."""

    marker: Marker
    number: int | None
    """What a numbered or lettered item says, `a` as 1."""
    depth: int
    """0 for the items of an outermost list."""
    words: str
    """The first line as a reader sees it, without its marker."""
    start: int
    end: int


_ITEM = re.compile(
    r"(?P<indent>[ \t]{0,80})(?:>[ \t]?){0,10}(?P<inner>[ \t]{0,80})[*_]{0,3}"
    r"(?:(?P<bullet>[-*+–](?=[ \t])|[•‣◦・▪●○■□](?=[^•‣◦・▪●○■□\n]))"
    r"|\(?(?P<number>\d{1,4})(?:[.)）](?=[ \t*_]|[\u3040-\u9fff])|、|．(?!\d))"
    r"|(?P<circled>[①-⑳])|(?P<han>[一二三四五六七八九十])、"
    r"|\(?(?P<letter>[A-Za-z])[.)](?=[ \t]))"
    r"[*_]{0,3}[ \t]*(?:\[[ xX]\][ \t]+)?(?=\S)"
)
_RULE = re.compile(r"[ \t]{0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})\r?\Z")
_HAN = {character: value for value, character in enumerate("一二三四五六七八九十", start=1)}
_INLINE = re.compile(r"(?:(?<=\s)|\A)\(?(?P<number>\d{1,3})[.)](?=\s+\S)")


@lru_cache(maxsize=8)
def list_items(text: str) -> tuple[ListItem, ...]:
    """Every item of the lists of an answer, in order.

    Letters are markers only in a row that begins with A and goes on by one: "A. Smith" is a name.
    """
    items: list[ListItem] = []
    indents: list[int] = []
    for start, line in lines_outside_fences(text):
        if not line.strip():
            continue
        match = None if _RULE.match(line) else _ITEM.match(line)
        if match is None or _is_emphasis(line, match):
            if len(line) - len(line.lstrip()) == 0 and not items_go_on(line):
                indents.clear()
            continue
        indent = len((match["indent"] + match["inner"]).expandtabs(4))
        # CommonMark nests from the column of the item's words on, two for a bullet at least.
        while indents and indent < indents[-1]:
            indents.pop()
        if not indents or indent >= indents[-1] + 2:
            indents.append(indent)
        items.append(_item(match, line, start, depth=len(indents) - 1))
    return tuple(_without_initials(items))


def items_go_on(line: str) -> bool:
    """A lazy continuation keeps a list open; a heading does not."""
    return not line.startswith("#")


def inline_items(text: str) -> tuple[ListItem, ...]:
    """The items of a list in running text: "1. … 2. … 3. …", counted from 1."""
    found: list[ListItem] = []
    for match in _INLINE.finditer(text):
        if int(match["number"]) == len(found) + 1:
            found.append(
                ListItem(
                    marker="numbered", number=len(found) + 1, depth=0, words="",
                    start=match.start(), end=match.end(),
                )
            )  # fmt: skip
    return tuple(found) if len(found) > 1 else ()


def lines_outside_fences(text: str) -> Iterator[tuple[int, str]]:
    """Start and words of each line that stands in no fenced block, the fences' marks left out."""
    blocks = iter(fences_in(text))
    block = next(blocks, None)
    position = 0
    while position <= len(text):
        if block is not None and position >= block.start:
            position = max(block.end, position)
            block = next(blocks, None)
            if position >= len(text):
                return
            continue
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        yield position, text[position:end]
        position = end + 1


def _is_emphasis(line: str, match: re.Match[str]) -> bool:
    """`**1.** x` is an item; `**Note**` never gets here, but `* x*` alone is text in stars."""
    rest = line[match.end() :].rstrip()
    return match["bullet"] == "*" and rest.endswith("*") and rest.count("*") == 1


def _item(match: re.Match[str], line: str, start: int, *, depth: int) -> ListItem:
    marker: Marker = "numbered"
    number: int | None = None
    if match["bullet"]:
        marker = "bullet"
    elif match["letter"]:
        marker, number = "lettered", ord(match["letter"].lower()) - ord("a") + 1
    elif match["circled"]:
        number = ord(match["circled"]) - ord("①") + 1
    elif match["han"]:
        number = _HAN[match["han"]]
    else:
        number = int(match["number"])
    return ListItem(
        marker=marker,
        number=number,
        depth=depth,
        words=visible_line(line[match.end() :]).strip(),
        start=start,
        end=start + len(line.rstrip("\r")),
    )


def _without_initials(items: Sequence[ListItem]) -> Iterator[ListItem]:
    """Lettered items only where they count up from A and are two at least."""
    kept: set[int] = set()
    for depth in {item.depth for item in items}:
        row: list[int] = []
        for index, item in enumerate(items):
            if item.depth != depth or item.marker != "lettered":
                continue
            if item.number != len(row) + 1:
                kept.update(row if len(row) > 1 else ())
                row = []
            if item.number == len(row) + 1:
                row.append(index)
        kept.update(row if len(row) > 1 else ())
    for index, item in enumerate(items):
        if item.marker != "lettered" or index in kept:
            yield item
