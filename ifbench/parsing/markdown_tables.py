r"""Tables of GitHub's Markdown in a text, as a CommonMark parser reads them.

One-dash delimiter rows and missing outer pipes are legal, `\|` stays in its cell, a short row is
padded, and a line right below joins the table: a pattern gets each of these wrong.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ifbench.parsing.visible_text import visible_line

MAX_CHARACTERS = 200_000
"""Tables are looked for in no more than this; see `markup.MAX_MARKDOWN_CHARACTERS`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkdownTable:
    """One table; lines are counted from 0, `end_line` is exclusive."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    start_line: int
    end_line: int

    @property
    def columns(self) -> int:
        return len(self.header)


@lru_cache(maxsize=8)
def markdown_tables(text: str) -> tuple[MarkdownTable, ...]:
    """Every table, in order; those inside a fence are code, and none."""
    if "|" not in text:
        return ()
    source = text[:MAX_CHARACTERS].replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    parser = _parser()
    tokens: list[Token] = []
    parser.block.parse(source, parser, {}, tokens)
    opened = [index for index, token in enumerate(tokens) if token.type == "table_open"]
    closed = [index for index, token in enumerate(tokens) if token.type == "table_close"]
    return tuple(_table(tokens[start : end + 1]) for start, end in zip(opened, closed, strict=True))


def header_above(text: str, position: int) -> str:
    """The header of the column in whose body the position stands; empty outside of tables.

    Linear over all the positions of a text.
    """
    tables = markdown_tables(text)
    if not tables or position >= MAX_CHARACTERS:
        return ""
    starts = _line_starts(text)
    line = bisect_right(starts, position) - 1
    # Header and rule come first: the body begins two lines below a table's start.
    index = bisect_right(tables, line - 2, key=lambda table: table.start_line) - 1
    if index < 0 or line >= tables[index].end_line:
        return ""
    row = text[starts[line] : position].lstrip().removeprefix("|")
    column = len(_PIPE.findall(row))
    return tables[index].header[column] if column < tables[index].columns else ""


_PIPE = re.compile(r"(?<!\\)\|")
_LINE_END = re.compile(r"\r\n|\r|\n")


@lru_cache(maxsize=8)
def _line_starts(text: str) -> tuple[int, ...]:
    return (0, *(match.end() for match in _LINE_END.finditer(text)))


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table")


def _table(tokens: Sequence[Token]) -> MarkdownTable:
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(visible_line(token.content.replace("|", "/")).strip())
    lines = tokens[0].map or [0, 0]
    return MarkdownTable(
        header=tuple(rows[0]),
        rows=tuple(tuple(row) for row in rows[1:]),
        start_line=lines[0],
        end_line=lines[1],
    )
