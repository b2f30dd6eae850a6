"""CSV is read strictly, row by row."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ifbench.parsing.flaws import Flaw
from ifbench.parsing.tables import CsvTable, first_unquoted_line, parse_csv


@given(st.lists(st.lists(st.text(alphabet='ab",\n ;é'), min_size=2, max_size=4), min_size=1))
def test_what_is_written_as_csv_is_read_back(rows: list[list[str]]) -> None:
    file = io.StringIO()
    csv.writer(file).writerows(rows)
    table = parse_csv(file.getvalue())
    assert isinstance(table, CsvTable)
    assert [list(row) for row in table.rows] == rows


@pytest.mark.parametrize(
    ("text", "rows", "lines"),
    [
        ("a,b\n1,2", [("a", "b"), ("1", "2")], [1, 2]),
        ("a,b\r\n1,2\r\n\r\n \r\n", [("a", "b"), ("1", "2")], [1, 2]),
        ('a,"x\ny"\n1,2', [("a", "x\ny"), ("1", "2")], [1, 3]),
        ('a,"x ""y"""\n', [("a", 'x "y"')], [1]),
        ("a,b\n\n1,2", [("a", "b"), (), ("1", "2")], [1, 2, 3]),
        ("a,\n", [("a", "")], [1]),
        ("", [], []),
        ("\n\n", [], []),
    ],
)
def test_rows_come_with_their_lines(
    text: str, rows: list[tuple[str, ...]], lines: list[int]
) -> None:
    assert parse_csv(text) == CsvTable(rows=tuple(rows), lines=tuple(lines))


@pytest.mark.parametrize(
    ("text", "words", "place"),
    [
        ('a,b\n"1,2', "never closed", '"1,2'),
        ('a,b\n"1"x,2', "follows a closing quote", '"1"x,2'),
        ('"a "b" c",d', "follows a closing quote", '"a "b"'),
        ("a," + "x" * 200_000, "line 1", "a,xx"),
    ],
)
def test_broken_quotes_are_flaws(text: str, words: str, place: str) -> None:
    flaw = parse_csv(text)
    assert isinstance(flaw, Flaw)
    assert words in flaw.reason
    assert text[flaw.start :].startswith(place)


def test_delimiter_may_be_another() -> None:
    table = parse_csv("a;b,c\n1;2", delimiter=";")
    assert isinstance(table, CsvTable)
    assert table.rows == (("a", "b,c"), ("1", "2"))
    assert table.columns == 2


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('"a","b"\n"1","2"', None),
        ('"a","b"\n1,"2"', 2),
        ('"a","b"\nx,"2"', 2),
        ('"a",""\n"1",', 2),
        ('a,"b"', 1),
        ('"a","x\ny"\n"1",2', 3),
    ],
)
def test_fields_outside_quotes_are_found(text: str, line: int | None) -> None:
    assert first_unquoted_line(text) == line
