"""The tables of correctness: who decided what, and nothing where nobody graded."""

from __future__ import annotations

from ifbench.report.correctness import correctness_tables
from ifbench.types import Cause, Score


def make_score(correct, satisfied=(True,), **fields):
    grade = {True: "A", False: "B", None: None}[correct]
    by = None if correct is None else "script"
    given = {"grade": grade, "graded_by": by, **fields}
    return Score(
        sample_id="s",
        benchmark="scimif",
        candidate="m",
        judge="",
        extractor="",
        grader="",
        constraints=("g:a",) * len(satisfied),
        satisfied=satisfied,
        requirements=tuple((value,) for value in satisfied),
        correct=correct,
        **given,
    )


def test_nothing_is_shown_where_nobody_graded():
    assert correctness_tables({"m": [make_score(None)]}) == []


def test_cells_are_percentages_of_what_is_decided():
    scores = [
        make_score(True),
        make_score(True, (False,)),
        make_score(False, graded_by="model"),
        make_score(False, (False,), grade="C"),
        make_score(True, (None,)),
        make_score(None, ungraded=Cause.NO_GRADER),
    ]
    cells, association = correctness_tables({"m": scores})
    row = dict(zip(cells.columns, cells.rows[0], strict=True))
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
    assert association.rows == (("m", "4", "0.0000", "0.3333", "1", "1", "no"),)


def test_a_model_with_nothing_decided_has_dashes_and_no_figures():
    (cells,) = correctness_tables({"m": [make_score(None, ungraded=Cause.TIMEOUT)]})
    assert cells.rows[0][1:7] == ("0/1", "–", "–", "–", "–", "–")


def test_the_threshold_is_that_of_the_models_tested():
    varied = [make_score(c, (f,)) for c in (True, False) for f in (True, False)] * 30
    uniform = [make_score(True)] * 5
    _, association = correctness_tables({"a": varied, "b": varied, "c": uniform})
    assert any("p < 0.025, which is 0.05 over 2 models" in note for note in association.notes)
    assert [row[-1] for row in association.rows] == ["no", "no", "–"]
