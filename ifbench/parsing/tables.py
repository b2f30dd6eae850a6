"""Comma-separated values out of a text, read strictly (RFC 4180), with the line of each row."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

from ifbench.parsing.flaws import Flaw, offset_of


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvTable:
    """Rows of fields as written, without the blank rows at the end."""

    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    """The line, from 1, at which each row begins."""

    @property
    def columns(self) -> int:
        """Fields of the first row; 0 where there is no row."""
        return len(self.rows[0]) if self.rows else 0


def parse_csv(text: str, *, delimiter: str = ",") -> CsvTable | Flaw:
    """Read every row. A quote that is left open, or is followed by text, is a flaw."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[tuple[str, ...]] = []
    lines: list[int] = []
    line = 1
    try:
        for row in reader:
            rows.append(tuple(row))
            lines.append(line)
            line = reader.line_num + 1
    except csv.Error as error:
        start = offset_of(text, line, 0)
        return Flaw(
            reason=f"the row at line {line} cannot be read: {_in_words(error)}",
            start=start,
            end=min(start + 80, len(text)),
        )
    while rows and is_blank(rows[-1]):
        rows.pop()
        lines.pop()
    return CsvTable(rows=tuple(rows), lines=tuple(lines))


def is_blank(row: tuple[str, ...]) -> bool:
    """True for a line that holds nothing but white space."""
    return len(row) <= 1 and not "".join(row).strip()


def first_unquoted_line(text: str, *, delimiter: str = ",") -> int | None:
    """The line, from 1, of the first row with a field outside quotes; `None` where there is none.

    The text must be one that `parse_csv` reads.
    """
    # With this setting the reader turns fields outside quotes into numbers, or refuses them.
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=delimiter,
        strict=True,
        quoting=csv.QUOTE_NONNUMERIC,
    )
    line = 1
    try:
        for row in reader:
            if any(not isinstance(field, str) for field in row):
                return line
            line = reader.line_num + 1
    except ValueError:
        return line
    return None


def _in_words(error: csv.Error) -> str:
    message = str(error)
    if "unexpected end of data" in message:
        return "a quote is opened and never closed"
    if "expected after" in message:
        return "text follows a closing quote (a quote inside a field is doubled)"
    return message
