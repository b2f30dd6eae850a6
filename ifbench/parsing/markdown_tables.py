r"""Tables of GitHub's Markdown in a text, as a CommonMark parser reads them.

One-dash delimiter rows and missing outer pipes are legal, `\|` stays in its cell, a short row is
padded, and a line right below joins the table: a pattern gets each of these wrong.
"""

from __future__ import annotations

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
