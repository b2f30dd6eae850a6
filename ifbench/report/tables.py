"""Tables as plain values, and the forms in which they are shown."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from ifbench.report.cells import Cell, Value
from ifbench.visible import visible


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A title, a head and rows of cells, a plain text where that is all; `notes` stand below."""

    name: str = "table"
    """One short word, for files and for who chooses among tables."""
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | Cell, ...], ...]
    notes: tuple[str, ...] = ()

    @property
    def texts(self) -> tuple[tuple[str, ...], ...]:
        """The rows as they are shown."""
        return tuple(
            tuple(cell.text if isinstance(cell, Cell) else cell for cell in row)
            for row in self.rows
        )

    @property
    def data(self) -> tuple[dict[str, Value], ...]:
        """The rows as programs read them: the values behind the texts, by the same names in each."""
        rows = [_values(self.columns, row) for row in self.rows]
        names = dict.fromkeys(name for row in rows for name in row)
        return tuple({name: row.get(name) for name in names} for row in rows)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of `data`."""
        return tuple(self.data[0]) if self.rows else self.columns


def _values(columns: Sequence[str], row: Sequence[str | Cell]) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for column, cell in zip(columns, row, strict=True):
        found |= cell.data if isinstance(cell, Cell) else {column: cell}
    return found


_NUMERIC = re.compile(r"[≤$–\d]")


def to_terminal(table: Table, *, width: int | None = None) -> str:
    """Lines for a terminal, columns aligned, without colour."""
    from rich.box import SIMPLE_HEAD
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table as RichTable

    # On a pipe a table has what it needs; rich would assume 80 columns there and fold cells.
    width = width or shutil.get_terminal_size(fallback=(200, 24)).columns
    # A name may hold `:car:`, and means no picture by it.
    console = Console(file=io.StringIO(), no_color=True, highlight=False, emoji=False)
    texts = [tuple(map(visible, row)) for row in table.texts]
    rich = RichTable(
        title=_plain(table.title), title_justify="left", box=SIMPLE_HEAD, title_style="bold"
    )
    for index, column in enumerate(map(visible, table.columns)):
        is_text = index == 0 or not all(_NUMERIC.match(row[index]) for row in texts)
        words = " ".join([column, *(row[index] for row in texts)]).split()
        rich.add_column(
            _plain(column),
            justify="left" if is_text else "right",
            min_width=max(map(cell_len, words), default=1),
        )
    for row in texts:
        rich.add_row(*(_plain(cell) for cell in row))
    # Cells fold between words; a window too narrow for that shows long lines, never cut words.
    console.width = max(width, console.measure(rich).minimum)
    console.print(rich)
    for note in table.notes:
        console.print(_plain(note))
    text = console.file.getvalue()  # type: ignore[attr-defined]  # the StringIO from above
    return "\n".join(line.rstrip() for line in text.splitlines()).rstrip() + "\n"


def to_markdown(table: Table) -> str:
    """A GitHub-flavoured Markdown table under a heading."""
    head = f"| {' | '.join(map(_cell, table.columns))} |"
    rule = f"| {' | '.join(['---', *['---:'] * (len(table.columns) - 1)])} |"
    rows = [f"| {' | '.join(map(_cell, row))} |" for row in table.texts]
    notes = [f"\n{visible(note)}" for note in table.notes]
    return "\n".join([f"### {visible(table.title)}", "", head, rule, *rows, *notes]) + "\n"


def to_csv(table: Table) -> str:
    """Comma-separated values with a head, the columns of `Table.data`; title and notes are left out.

    What is not known is empty, yes and no are `true` and `false`, and counts by kind are JSON.
    """
    lines = _Lines()
    writer = csv.writer(lines, lineterminator="\r\n")
    writer.writerow(table.names)
    writer.writerows([_csv_value(value) for value in row.values()] for row in table.data)
    return "".join(lines)


class _Lines(list[str]):
    """Takes rows that end in two characters, so that either of them is quoted in a text."""

    def write(self, row: str) -> None:
        self.append(row.removesuffix("\r\n") + "\n")


def _csv_value(value: Value) -> str | int | float | None:
    if isinstance(value, bool | Mapping):
        return json.dumps(dict(value) if isinstance(value, Mapping) else value, ensure_ascii=False)
    return value


def to_json(table: Table) -> str:
    """One JSON object: name, title, rows as objects by the columns of `Table.data`, notes."""
    return json.dumps(
        {
            "name": table.name,
            "title": table.title,
            "rows": table.data,
            "notes": table.notes,
        },
        ensure_ascii=False,
    )


def to_latex(table: Table) -> str:
    """A `tabular` with booktabs rules, the notes below it as comments."""
    columns = "l" + "r" * (len(table.columns) - 1)
    rows = [_latex_row(row) for row in (table.columns, *table.texts)]
    return (
        "\n".join(
            [
                f"% {_one_line(table.title)}",
                rf"\begin{{tabular}}{{{columns}}}",
                r"\toprule",
                rows[0],
                r"\midrule",
                *rows[1:],
                r"\bottomrule",
                r"\end{tabular}",
                *(f"% {_one_line(note)}" for note in table.notes),
            ]
        )
        + "\n"
    )


def _latex_row(row: Sequence[str]) -> str:
    words = " & ".join(map(_latex, row))
    # Behind the `\\` of the row before, `[` or `*` would be an argument of that.
    return (r"{}" if words.startswith(("[", "*")) else "") + words + r" \\"


_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "%": r"\%", "&": r"\&", "#": r"\#",
        "_": r"\_", "$": r"\$", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
        "≤": r"$\leq$", "–": "--", "—": "---", "φ": r"$\phi$", "χ": r"$\chi$", "²": r"$^2$", "κ": r"$\kappa$",
    }
)  # fmt: skip


def _latex(text: str) -> str:
    return _one_line(text).translate(_LATEX)


def _one_line(text: str) -> str:
    return visible(" ".join(text.split()))


FORMATS: Mapping[str, Callable[[Table], str]] = MappingProxyType(
    {
        "terminal": to_terminal,
        "markdown": to_markdown,
        "csv": to_csv,
        "json": to_json,
        "latex": to_latex,
    }
)


def render(tables: Sequence[Table], form: str) -> str:
    """All tables in one form; JSON is one object a line."""
    return "\n".join(FORMATS[form](table) for table in tables)


def _cell(text: str) -> str:
    words = visible(text.replace("\n", " "))
    # `\\|` is a backslash and the end of a cell.
    return _BEFORE_BAR.sub(r"\\\\", words).replace("|", "\\|")


_BEFORE_BAR = re.compile(r"\\(?=\\*+\|)")


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(visible(text))
