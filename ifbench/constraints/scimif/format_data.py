"""SciMIF's Format group, data: JSON, Python lists, tuples and dictionaries, CSV (Table 11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Literal, Self, cast

from pydantic import Field, model_validator

from ifbench.constraints.constraint import Check, Example, scripted
from ifbench.constraints.enclosure import Enclosure, Form, concluded, take
from ifbench.constraints.json_output import JsonParams, check_json
from ifbench.parsing.brackets import balanced_spans
from ifbench.parsing.flaws import Flaw, counted, excerpt, listed, offset_of
from ifbench.parsing.literals import PythonLiteral, joins_strings, parse_literal
from ifbench.parsing.tables import CsvTable, first_unquoted_line, is_blank, parse_csv

# ── JSON ─────────────────────────────────────────────────────────────────────────────


@scripted(
    "general:json_constraint",
    group="format",
    category="C2",
    params=JsonParams,
    example=Example(
        params={"required_keys": ["mass_kg"]},
        instruction="Format the output answer strictly as a JSON object with the key mass_kg.",
        passing='{"mass_kg": 4.50}',
        failing="{'mass_kg': 4.50}",
    ),
)
def json_constraint(text: str, params: JsonParams) -> Check:
    """Format the output answer strictly as a JSON object."""
    return check_json(text, params)


# ── Python literals ──────────────────────────────────────────────────────────────────

_ELEMENT_TYPES: Mapping[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (float,),
    "number": (int, float),
    "bool": (bool,),
    "list": (list,),
    "tuple": (tuple,),
    "dict": (dict,),
}


class LiteralParams(Enclosure):
    """What the collection has to hold."""

    length: int | None = Field(default=None, ge=0)
    """Exact number of elements (of a dictionary: of keys)."""
    min_length: int | None = Field(default=None, ge=0)
    element_type: (
        Literal["str", "int", "float", "number", "bool", "list", "tuple", "dict"] | None
    ) = None
    """Type of every element (of a dictionary: of every value); a bool is no number."""
    allow_assignment: bool = False
    """Let `name = […]` pass."""

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if (
            self.length is not None
            and self.min_length is not None
            and self.length < self.min_length
        ):
            raise ValueError("length is below min_length: no answer could pass")
        return self


@scripted(
    "general:list_constraint",
    group="format",
    category="C2",
    params=LiteralParams,
    example=Example(
        params={"length": 3},
        instruction="Format the output answer strictly as a Python list of three elements.",
        passing="['XRD', 'SEM', 'TEM']",
        failing="- XRD\n- SEM\n- TEM",
    ),
)
def list_constraint(text: str, params: LiteralParams) -> Check:
    """Format the output answer strictly as a Python list."""
    return _collection(text, params, list)


@scripted(
    "general:tuple_constraint",
    group="format",
    category="C2",
    params=LiteralParams,
    example=Example(
        params={"length": 1},
        instruction="Format the output answer strictly as a Python tuple with one element.",
        passing="(9.81,)",
        failing="(9.81)",
    ),
)
def tuple_constraint(text: str, params: LiteralParams) -> Check:
    """Format the output answer strictly as a Python tuple."""
    return _collection(text, params, tuple)


@scripted(
    "general:dictionary_constraint",
    group="format",
    category="C2",
    params=LiteralParams,
    example=Example(
        params={"min_length": 1},
        instruction="Format the output answer strictly as a Python dictionary.",
        passing="{'stable': True, 'band_gap_eV': 1.12}",
        failing='{"stable": true, "band_gap_eV": 1.12}',
    ),
)
def dictionary_constraint(text: str, params: LiteralParams) -> Check:
    """Format the output answer strictly as a Python dictionary."""
    return _collection(text, params, dict)


_KINDS: Mapping[type, tuple[str, str]] = {
    list: ("a Python list", "["),
    tuple: ("a Python tuple", "("),
    dict: ("a Python dictionary", "{"),
}


def _collection(text: str, params: LiteralParams, kind: type) -> Check:
    taken = take(text, params, _literal_form(kind, allow_assignment=params.allow_assignment))
    if isinstance(taken, Check):
        return taken
    value = taken.value.value
    elements = tuple(value.values() if isinstance(value, dict) else cast("Sequence[object]", value))
    source = text[taken.start : taken.end]
    problem = _wrong_size(len(elements), params, source) or _wrong_type(elements, params)
    return concluded(text, taken, problem, f"{_KINDS[kind][0]} of {counted(len(elements))}")


@cache
def _literal_form(kind: type, *, allow_assignment: bool) -> Form[PythonLiteral]:
    name, opening = _KINDS[kind]
    return Form(
        name=name,
        languages=frozenset({"python", "python3", "py"}),
        read=partial(_of_kind, kind=kind, allow_assignment=allow_assignment),
        spans=partial(balanced_spans, openings=opening),
    )


def _of_kind(text: str, *, kind: type, allow_assignment: bool) -> PythonLiteral | Flaw:
    literal = parse_literal(text, allow_assignment=allow_assignment)
    if isinstance(literal, Flaw) or type(literal.value) is kind:
        return literal
    found = type(literal.value).__name__
    hint = (
        " (a tuple of one element ends with a comma)" if kind is tuple and text[:1] == "(" else ""
    )
    return Flaw(reason=f"it is of the type {found}{hint}", start=0, end=len(text), is_readable=True)


def _wrong_size(size: int, params: LiteralParams, source: str) -> str:
    if params.length is not None and size != params.length:
        problem = f"it holds {counted(size)}, not {params.length}"
    elif params.min_length is not None and size < params.min_length:
        problem = f"it holds {counted(size)}, fewer than {params.min_length}"
    else:
        return ""
    hint = " (two strings side by side are one; is a comma missing?)"
    return problem + (hint if joins_strings(source) else "")


def _wrong_type(elements: Sequence[object], params: LiteralParams) -> str:
    if params.element_type is None:
        return ""
    wanted = _ELEMENT_TYPES[params.element_type]
    for index, element in enumerate(elements, start=1):
        if type(element) not in wanted:  # Identity: True is an int to isinstance.
            shown = excerpt(repr(element))
            return f"element {index} ({shown}) is not of the type {params.element_type}"
    return ""


# ── CSV ──────────────────────────────────────────────────────────────────────────────


class CsvParams(Enclosure):
    """What the table has to be."""

    delimiter: str = Field(default=",", min_length=1, max_length=1)
    header: tuple[str, ...] | None = None
    """The fields of the first row, compared without blanks around them."""
    rows: int | None = Field(default=None, ge=1)
    """Exact number of rows, the header not counted where `header` is given."""
    columns: int | None = Field(default=None, ge=1)
    """Exact number of columns; without it there are at least two."""
    quote_all: bool = False
    """Every field stands in double quotes."""

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if self.delimiter in '"\r\n':
            raise ValueError("delimiter: a quote or a line end cannot separate fields")
        if self.header is not None and self.columns not in {None, len(self.header)}:
            raise ValueError(f"header has {len(self.header)} fields, columns is {self.columns}")
        return self


@scripted(
    "general:csv_constraint",
    group="format",
    category="C2",
    params=CsvParams,
    example=Example(
        params={"header": ["element", "percent"]},
        instruction="Format the output answer as CSV with the header element,percent.",
        passing='element,percent\nFe,"69.9"\nO,"30.1"',
        failing="element,percent\nFe,69,9\nO,30,1",
    ),
)
def csv_constraint(text: str, params: CsvParams) -> Check:
    """Format the output answer as Comma-Separated Values (CSV)."""
    taken = take(text, params, _csv_form(params.delimiter, params.columns))
    if isinstance(taken, Check):
        return taken
    table = taken.value
    problem = _wrong_header(table, params) or _wrong_rows(table, params)
    if not problem and params.quote_all:
        line = first_unquoted_line(text[taken.start : taken.end], delimiter=params.delimiter)
        problem = f"line {line} has a field outside quotes" if line is not None else ""
    return concluded(
        text, taken, problem, f"{len(table.rows)} rows of {table.columns} columns, all alike"
    )


@cache
def _csv_form(delimiter: str, columns: int | None) -> Form[CsvTable]:
    return Form(
        name="CSV",
        languages=frozenset({"csv", "tsv"}),
        read=partial(_rectangle, delimiter=delimiter, columns=columns),
        spans=_paragraphs,
        blank=" \t\r\n".replace(delimiter, ""),
    )


def _rectangle(text: str, *, delimiter: str, columns: int | None) -> CsvTable | Flaw:
    """A table of at least two rows, each as wide as the first."""
    table = parse_csv(text, delimiter=delimiter)
    if isinstance(table, Flaw):
        return table
    if len(table.rows) < 2:
        return Flaw(reason=f"a header and at least one row are wanted, {len(table.rows)} found")
    if columns is None and table.columns < 2:
        return Flaw(reason=f"the first row is not split by “{delimiter}”: one column")
    width = table.columns if columns is None else columns
    for row, line in zip(table.rows, table.lines, strict=True):
        if len(row) != width:
            start = offset_of(text, line, 0)
            found = (
                "is blank" if is_blank(row) else f"has {counted(len(row), 'field')}, not {width}"
            )
            hint = " (a blank before an opening quote?)" if _has_late_quote(row) else ""
            end = start + len(text[start:].partition("\n")[0])
            return Flaw(reason=f"line {line} {found}{hint}", start=start, end=end)
    return table


def _has_late_quote(row: Sequence[str]) -> bool:
    return any(field.startswith(" ") and field.lstrip().startswith('"') for field in row)


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Spans of lines without a blank line between them."""
    position = 0
    for block in text.split("\n\n"):
        yield position, position + len(block)
        position += len(block) + 2


def _wrong_header(table: CsvTable, params: CsvParams) -> str:
    if params.header is None:
        return ""
    found = tuple(field.strip() for field in table.rows[0])
    if found == tuple(field.strip() for field in params.header):
        return ""
    return f"the header is {listed(found)}, not {listed(params.header)}"


def _wrong_rows(table: CsvTable, params: CsvParams) -> str:
    rows = len(table.rows) - (params.header is not None)
    if params.rows is None or rows == params.rows:
        return ""
    beside = " beside the header" if params.header is not None else ""
    return f"it holds {counted(rows, 'row')}{beside}, not {params.rows}"
