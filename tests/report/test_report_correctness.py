"""The tables of correctness: who decided what, and nothing where nobody graded."""

from __future__ import annotations

from factories import make_score
from ifbench.report.correctness import correctness_tables
from ifbench.types import Cause


def test_nothing_is_shown_where_nobody_graded():
    assert correctness_tables({"m": [make_score(correct=None)]}) == []


def test_cells_are_percentages_of_what_is_decided():
    scores = [
        make_score(correct=True),
        make_score((False,), correct=True),
        make_score(correct=False, graded_by="model"),
        make_score((False,), correct=False, grade="C"),
        make_score((None,), correct=True),
        make_score(correct=None, ungraded=Cause.NO_GRADER),
    ]
    cells, association = correctness_tables({"m": scores})
    row = dict(zip(cells.columns, cells.texts[0], strict=True))
    assert row == {
        "model": "m",
        "decided/total": "4/6",
        "CF": "25.00",
        "CV": "25.00",
        "IF": "25.00",
        "IV": "25.00",
        "correct": "50.00",
        "C, invalid": "25.00",
        "by script": "4",
        "by model": "1",
        "undecided by cause": "no_grader 1",
    }
    assert association.texts == (("m", "4", "0.0000", "0.3333", "1", "1", "no"),)


def test_a_model_with_nothing_decided_has_dashes_and_no_figures():
    (cells,) = correctness_tables({"m": [make_score(correct=None, ungraded=Cause.TIMEOUT)]})
    assert cells.texts[0][1:7] == ("0/1", "–", "–", "–", "–", "–")


def test_the_threshold_is_that_of_the_models_tested():
    varied = [make_score((f,), correct=c) for c in (True, False) for f in (True, False)] * 30
    uniform = [make_score(correct=True)] * 5
    _, association = correctness_tables({"a": varied, "b": varied, "c": uniform})
    assert any("p < 0.025, which is 0.05 over 2 models" in note for note in association.notes)
    assert [row[-1] for row in association.texts] == ["no", "no", "–"]
