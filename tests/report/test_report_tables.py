"""Tables as text: nothing is lost or altered on the way."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace

import pytest

from factories import make_score
from ifbench.benchmarks import get_benchmark
from ifbench.metrics import Figure
from ifbench.report import cells
from ifbench.report.arrow import save_arrow
from ifbench.report.cells import Cell, percent
from ifbench.report.progress import call_lines, duration, step_line
from ifbench.report.tables import Table, render
from ifbench.report.views import view_table
from ifbench.types import Price

TABLE = Table(
    title="By discipline",
    columns=("model", "complete/total", "CSR"),
    rows=(("a|b [red]x[/red]", "1/2", "50.00 [25.0..75.0]"), ("ü, \n数", "2/2", "–")),
    notes=("a note [x]",),
)


def make_figure(value, low, high, complete=1, total=2):
    return Figure(value=value, low=low, high=high, complete=complete, total=total)


def test_a_complete_figure_stands_alone_and_a_partial_one_with_its_bounds():
    assert percent(make_figure(0.5, 0.5, 0.5, 2, 2)) == "50.00"
    assert percent(make_figure(0.5, 0.25, 0.75)) == "50.00 [25.0..75.0]"
    assert percent(make_figure(None, 0.0, 1.0, 0, 2)) == "– [0.0..100.0]"
    assert percent(make_figure(None, None, None, 0, 0)) == "–"


def test_the_terminal_shows_cells_as_they_are():
    text = render([TABLE], "terminal")
    assert "a|b [red]x[/red]" in text
    assert "50.00 [25.0..75.0]" in text
    assert "a note [x]" in text
    assert "\x1b" not in text


def test_markdown_keeps_bars_and_lines_inside_their_cells():
    lines = render([TABLE], "markdown").splitlines()
    assert lines[2] == "| model | complete/total | CSR |"
    assert lines[4] == "| a\\|b [red]x[/red] | 1/2 | 50.00 [25.0..75.0] |"
    assert lines[5].startswith("| ü,  数 |")


def test_csv_reads_back():
    rows = list(csv.reader(io.StringIO(render([TABLE], "csv"))))
    assert rows == [list(TABLE.columns), *(list(row) for row in TABLE.rows)]


def test_json_reads_back():
    (line,) = render([TABLE], "json").splitlines()
    assert json.loads(line)["rows"][0]["CSR"] == "50.00 [25.0..75.0]"


MEASURED = Table(
    name="measured",
    title="t",
    columns=("model", "complete/total", "ISR", "by cause", "same"),
    rows=(
        (
            Cell(text="m, text", data={"model": "m", "modality": "text"}),
            cells.part(1, 2),
            cells.figure("ISR", make_figure(0.069, 0.065, 0.092)),
            cells.tallies("by_cause", {"media": 1}),
            Cell(text="yes", data={"same": True}),
        ),
        (
            Cell(text="n", data={"model": "n"}),
            cells.part(None, None),
            cells.figure("ISR", make_figure(None, None, None, 0, 0)),
            cells.tallies("by_cause", {}),
            Cell(text="no", data={"same": False}),
        ),
    ),
)


def test_json_holds_the_numbers_behind_the_cells():
    (line,) = render([MEASURED], "json").splitlines()
    known, unknown = json.loads(line)["rows"]
    assert known == {
        "model": "m", "modality": "text", "complete": 1, "total": 2,
        "ISR": pytest.approx(6.9), "ISR_low_95": None, "ISR_high_95": None,
        "ISR_if_failed": pytest.approx(6.5), "ISR_if_passed": pytest.approx(9.2),
        "by_cause": {"media": 1}, "same": True,
    }  # fmt: skip
    assert list(unknown) == list(known)
    assert unknown["modality"] is None
    assert unknown["ISR"] is None
    assert unknown["same"] is False


def test_csv_holds_them_too_with_nothing_for_what_is_not_known():
    known, unknown = csv.DictReader(io.StringIO(render([MEASURED], "csv")))
    assert float(known["ISR"]) == pytest.approx(6.9)
    assert float(known["ISR_if_passed"]) == pytest.approx(9.2)
    assert (known["complete"], known["total"]) == ("1", "2")
    assert (known["by_cause"], known["same"]) == ('{"media": 1}', "true")
    assert (unknown["ISR"], unknown["complete"], unknown["same"]) == ("", "", "false")


def test_csv_gives_each_table_a_block_of_its_own():
    blocks = render([TABLE, MEASURED], "csv").split("\n\n")
    assert [block.splitlines()[0].split(",")[:3] for block in blocks] == [
        ["model", "complete/total", "CSR"],
        ["model", "modality", "complete"],
    ]


def test_text_for_people_keeps_the_cells():
    assert "6.90 [6.5..9.2]" in render([MEASURED], "markdown")
    assert "complete/total" in render([MEASURED], "latex")


def test_progress_shows_rate_time_left_and_what_is_in_hand():
    counts = {("rows", "generate", "in"): 30.0, ("rows", "generate", "out"): 20.0}
    assert step_line("generate", counts, 100, 10.0) == (
        "generate 20/100  2.0/s  40 s left  10 in hand"
    )


def test_progress_shows_waiting_as_waiting_and_failures_by_kind():
    counts = {
        ("calls", "candidate", "m", "answered"): 5.0,
        ("calls", "candidate", "m", "waiting"): 3.0,
        ("calls", "candidate", "m", "failed:timeout"): 2.0,
        ("calls", "candidate", "m", "in_flight"): 0.0,
        ("tokens", "candidate", "m", "input"): 1_000_000.0,
        ("tokens", "candidate", "m", "output"): 500_000.0,
    }
    prices = {"m": Price(input_per_million=2, output_per_million=10)}
    (line,) = call_lines(counts, prices)
    assert line == (
        "candidate m: 5 answered  3 waiting for budget  2 failed (timeout)"
        "  tokens 1,000,000 in, 500,000 out  $7.0000"
    )


def test_a_narrow_window_folds_between_words_and_cuts_none(monkeypatch):
    table = Table(
        title="t", columns=("model", "what there is"), rows=(("candidate", "some words to fold"),)
    )
    monkeypatch.setenv("COLUMNS", "20")
    narrow = render([table], "terminal")
    assert "…" not in narrow
    assert {"candidate", "some", "words", "to", "fold"} <= set(narrow.split())
    assert max(map(len, narrow.splitlines())) <= 22
    monkeypatch.setenv("COLUMNS", "80")
    assert "candidate   some words to fold" in render([table], "terminal")


def test_latex_takes_every_character_that_means_something_to_it():
    table = Table(
        title="50 %\nof it",
        columns=("model_a & b", "CSR"),
        rows=(("x^2 {y} \\ #1 ~ $", "≤ 5 – 6 %"),),
        notes=("n%",),
    )
    assert render([table], "latex").splitlines() == [
        "% 50 % of it",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"model\_a \& b & CSR \\",
        r"\midrule",
        r"x\textasciicircum{}2 \{y\} \textbackslash{} \#1 \textasciitilde{} \$ & $\leq$ 5 -- 6 \% \\",
        r"\bottomrule",
        r"\end{tabular}",
        "% n%",
    ]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (89.4, "89 s"),
        (119.9, "1 min 59 s"),
        (130, "2 min 10 s"),
        (599.9, "9 min 59 s"),
        (600, "10 min"),
        (7200, "2.0 h"),
    ],
)
def test_a_duration_is_as_exact_as_a_reader_wants(seconds, words):
    assert duration(seconds) == words


ODD = ("a|b", "back\\|slash", "end\\", "car\rriage", "line\nbreak", "x:car:y", "[58]", "*", '"', "")


def odd_table() -> Table:
    return Table(title="Odd :car:", columns=("name", "n"), rows=tuple((name, "1") for name in ODD))


def test_csv_reads_back_whatever_stands_in_a_name():
    rows = list(csv.reader(io.StringIO(render([odd_table()], "csv"), newline="")))
    assert [row[0] for row in rows[1:]] == list(ODD)


def test_terminal_makes_no_pictures_of_colons():
    text = render([odd_table()], "terminal")
    assert "x:car:y" in text
    assert "Odd :car:" in text


def test_markdown_row_keeps_its_cells_whatever_stands_in_them():
    lines = render([odd_table()], "markdown").splitlines()[4:]
    # As cmark-gfm splits a row: a backslash takes the next character along, a bar ends a cell.
    cells_of = [re.findall(r"(?:\\.|[^|\\])+", line[2:-2]) for line in lines if line]
    assert [len(row) for row in cells_of] == [2] * len(ODD)
    assert cells_of[1][0].strip() == r"back\\\|slash"


def test_latex_row_never_begins_with_what_the_row_before_would_take():
    rows = render([odd_table()], "latex").splitlines()
    assert r"{}[58] & 1 \\" in rows
    assert r"{}* & 1 \\" in rows


def test_arrow_files_of_two_tables_of_one_name_are_two(tmp_path):
    tables = [replace(TABLE, name=name) for name in ("a", "a", "a", "b")]
    written = save_arrow(tables, tmp_path / "out.arrow", {})
    assert [path.name for path in written] == [
        "out.a.arrow",
        "out.a.2.arrow",
        "out.a.3.arrow",
        "out.b.arrow",
    ]


@pytest.mark.parametrize("facet", ["model", "total", "CSR", "ISR_low_95"])
def test_facet_that_is_called_like_a_column_keeps_its_values(facet):
    scores = [make_score(sample_id=value, **{facet: value}) for value in ("p", "q")]
    (first, second) = view_table(facet, get_benchmark("scimif"), {"m": scores}).data
    assert (first[f"facet_{facet}"], second[f"facet_{facet}"]) == ("p", "q")
    assert (first["model"], first["total"], first["CSR"]) == ("m", 1, 100.0)
