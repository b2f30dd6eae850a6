"""Breakdowns: who counts where, and what is shown beside a score."""

from __future__ import annotations

from factories import make_score
from ifbench.analysis.breakdown import MISSING, answers, breakdown, constraint_breakdown
from ifbench.types import Cause, FailureKind, Stop


def test_named_values_come_first_and_unnamed_ones_are_kept():
    scores = [make_score(discipline=name) for name in ("physics", "alchemy", "chemistry")]
    lines = breakdown(
        scores, "discipline", orders={"discipline": ("chemistry", "biology", "physics")}
    )
    assert [line.label for line in lines] == ["chemistry", "physics", "alchemy"]


def test_a_score_without_the_facet_has_a_row_of_its_own():
    lines = breakdown([make_score(discipline="physics"), make_score()], "discipline")
    assert {line.label: line.total for line in lines} == {"physics": 1, MISSING: 1}


def test_a_group_counts_only_samples_that_hold_one_of_its_items():
    scores = [
        make_score((True, False), constraints=("g:a", "g:b")),
        make_score((True,), constraints=("g:a",)),
    ]
    a, b = constraint_breakdown(scores, {"A": {"g:a"}, "B": {"g:b"}, "C": {"g:c"}})
    assert (a.label, a.total, a.figures["ISR"].value) == ("A", 2, 1.0)
    assert (b.label, b.total, b.figures["ISR"].value) == ("B", 1, 0.0)


def test_a_sample_incomplete_elsewhere_is_complete_for_a_group_that_is_decided():
    score = make_score((True, None), constraints=("g:a", "g:b"), causes=(Cause.TIMEOUT,))
    a, b = constraint_breakdown([score], {"A": {"g:a"}, "B": {"g:b"}})
    assert (a.complete, b.complete) == (1, 0)


def test_answers_are_told_apart_by_what_became_of_them():
    scores = [
        make_score(),
        make_score(stop=Stop.LENGTH),
        make_score((False,), failure=FailureKind.REFUSAL),
        make_score((False,), failure=FailureKind.CONTENT_FILTER),
        make_score((False,), failure=FailureKind.CONTEXT_OVERFLOW),
        make_score((False,), failure=FailureKind.EMPTY),
        make_score((None,), failure=FailureKind.TIMEOUT, causes=(Cause.TIMEOUT,)),
        make_score((None,), causes=(Cause.NOT_RUN,), response_key=""),
    ]
    counted = answers(scores)
    assert (counted.planned, counted.answered, counted.missing) == (8, 6, 2)
    assert (counted.truncated, counted.refused, counted.filtered) == (1, 1, 1)
    assert (counted.overflowed, counted.empty) == (1, 1)
    assert counted.causes == {Cause.TIMEOUT: 1, Cause.NOT_RUN: 1}
