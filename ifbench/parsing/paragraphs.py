"""The blocks of an answer between blank lines, and its titles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ifbench.parsing.fences import fences_in
from ifbench.parsing.list_items import list_items
from ifbench.parsing.visible_text import visible_line

BlockKind: TypeAlias = Literal["text", "heading", "list", "rule", "code"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """`text[start:end]`, a run of lines without a blank one."""

    kind: BlockKind
    start: int
    end: int


_RULE = re.compile(r"[ \t]{0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})\Z")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}(?:[ \t]+\S|[ \t]*\Z)")
_BOLD_LINE = re.compile(r"[ \t]*(?:\*\*[^*\n]{1,200}\*\*|__[^_\n]{1,200}__)[:：]?[ \t]*\Z")


def blocks_in(text: str, separator: str = "") -> tuple[Block, ...]:
    """The blocks, in order. A rule (`***`, `* * *`, `---`) is a block of its own kind.

    With a separator the text is cut at lines that are it, and blank lines cut nothing; `***`
    and `* * *` are one separator.
    """
    return tuple(_joined(text, _cut(text, separator)))


def _cut(text: str, separator: str) -> Iterator[tuple[int, int, bool]]:
    """Start, end and whether it is a rule, of each run of lines."""
    wanted = separator.replace(" ", "")
    fences = [(fence.start, fence.end) for fence in fences_in(text)]
    start: int | None = None
    end = position = 0
    for line in text.splitlines(keepends=True):
        here, position = position, position + len(line)
        words = line.strip()
        while fences and fences[0][1] <= here:
            fences.pop(0)
        is_code = bool(fences) and fences[0][0] <= here < fences[0][1]
        is_cut = not is_code and (
            (bool(words) and words.replace(" ", "") == wanted) if wanted else not words
        )
        is_rule = not is_code and not is_cut and _RULE.match(line.rstrip()) is not None
        is_setext = is_rule and start is not None and "-" in words and " " not in words
        if (is_cut or (is_rule and not is_setext)) and start is not None:
            yield start, end, False
            start = None
        if is_rule and not is_setext:
            yield here, here + len(line.rstrip()), True
        elif not is_cut and (words or start is not None):
            start = here if start is None else start
            end = here + len(line.rstrip()) if words else end
    if start is not None:
        yield start, end, False


def _joined(text: str, runs: Iterator[tuple[int, int, bool]]) -> Iterator[Block]:
    item_starts = {item.start for item in list_items(text)}
    for start, end, is_rule in runs:
        words = text[start:end]
        kind: BlockKind = "text"
        if is_rule:
            kind = "rule"
        elif start in item_starts:
            kind = "list"
        elif words.lstrip().startswith(("```", "~~~")):
            kind = "code"
        elif is_title_line(words):
            kind = "heading"
        yield Block(kind=kind, start=start, end=end)


def is_title_line(words: str) -> bool:
    """Whether a block is one heading, or one line that is bold from end to end."""
    lines = words.strip("\n").split("\n")
    if len(lines) == 2 and re.fullmatch(r"[ \t]{0,3}(?:=+|-+)[ \t]*", lines[1]):
        return True
    return len(lines) == 1 and bool(_HEADING.match(lines[0]) or _BOLD_LINE.match(lines[0]))


def paragraphs_in(
    text: str,
    *,
    separator: str = "",
    count_headings: bool = False,
    lists_as_one: bool = True,
) -> tuple[Block, ...]:
    """The blocks that count as paragraphs: those with words, rules left out.

    Headings count only where asked; a list whose items stand apart is one block unless each is
    to count.
    """
    found: list[Block] = []
    before: BlockKind | None = None
    for block in blocks_in(text, separator):
        is_blank = not any(c.isalnum() for c in text[block.start : block.end])
        if block.kind == "rule" or is_blank or (block.kind == "heading" and not count_headings):
            before = block.kind
            continue
        if lists_as_one and block.kind == "list" and before == "list" and found:
            found[-1] = Block(kind="list", start=found[-1].start, end=block.end)
        else:
            found.append(block)
        before = block.kind
    return tuple(found)


# ── Titles ───────────────────────────────────────────────────────────────────────────

TitleStyle: TypeAlias = Literal["any", "heading", "bold", "label", "wrapped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Title:
    """A title's words, how it is marked, and its place."""

    words: str
    style: TitleStyle
    start: int
    end: int


_LABEL = re.compile(
    r"[ \t]{0,3}(?:#{1,6}[ \t]+)?[*_]{0,3}(?:title|标题|題目|题目|標題)[*_]{0,3}[ \t]?[:：][*_ \t]{0,6}(?P<words>[^\n]*)",
    re.IGNORECASE,
)


def titles_in(text: str, *, opening: str = "<<", closing: str = ">>") -> tuple[Title, ...]:
    """Every line that is a title of some style, in order, titles without words left out.

    `#Title` is no heading (CommonMark wants the blank), and `**bold** words` is no title.
    """
    found: list[Title] = []
    fences = [(fence.start, fence.end) for fence in fences_in(text)]
    position, before = 0, (0, 0)
    for line in text.splitlines(keepends=True):
        start, position = position, position + len(line)
        while fences and fences[0][1] <= start:
            fences.pop(0)
        if fences and fences[0][0] <= start:
            continue
        words = line.rstrip()
        found += _titles_of_line(words, start, opening, closing)
        if re.fullmatch(r"[ \t]{0,3}(?:={2,}|-{2,})", words) and text[slice(*before)].strip():
            found.append(_title(text[slice(*before)], "heading", *before))
        before = (start, start + len(words))
    return tuple(title for title in found if any(c.isalnum() for c in title.words))


def _titles_of_line(line: str, start: int, opening: str, closing: str) -> Iterator[Title]:
    end = start + len(line)
    label = _LABEL.match(line)
    if label:
        yield _title(label["words"], "label", start, end)
    elif _HEADING.match(line):
        yield _title(line, "heading", start, end)
    elif _BOLD_LINE.match(line):
        yield _title(line, "bold", start, end)
    if opening in line:
        left = line.find(opening)
        right = line.find(closing, left + len(opening))
        if right > left:
            yield _title(
                line[left + len(opening) : right],
                "wrapped",
                start if label else start + left,  # `Title: <<…>>` is a title with its label.
                start + right + len(closing),
            )


def _title(words: str, style: TitleStyle, start: int, end: int) -> Title:
    return Title(words=visible_line(words).strip(), style=style, start=start, end=end)
