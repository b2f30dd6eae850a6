"""Comma-separated values out of a text, read strictly (RFC 4180), with the line of each row."""

from __future__ import annotations

import csv
import io
import re
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
    """The line, from 1, of the first field outside quotes; `None` where there is none.

    The text must be one that `parse_csv` reads, without blank lines at its end.
    """
    # The reader does not tell; with QUOTE_NONNUMERIC it would, but for an empty last field.
    quoted = re.compile(rf'"(?:[^"]++|"")*+"(?:{re.escape(delimiter)}|\r\n|\r|\n|(?P<end>\Z))')
    position = 0
    while field := quoted.match(text, position):
        if field["end"] is not None:
            return None
        position = field.end()
    return len(re.findall(r"\r\n|\r|\n", text[:position])) + 1


def _in_words(error: csv.Error) -> str:
    message = str(error)
    if "unexpected end of data" in message:
        return "a quote is opened and never closed"
    if "expected after" in message:
        return "text follows a closing quote (a quote inside a field is doubled)"
    return message
