"""The metrics on hand-computed cases, and their bounds over incomplete samples."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ifbench.metrics import (
    all_tasks_passed,
    bounded,
    csr,
    drfr,
    isr,
    macro_mean,
    restrict,
    task_pass_rate,
    tcsr,
    tisr,
)
from ifbench.types import Score


def make_score(*parts: tuple[bool | None, ...], ids: tuple[str, ...] = ()) -> Score:
    """A score whose items have the given requirements; an item passes when all of them do."""
    satisfied = tuple(None if None in p else all(p) for p in parts)
    return Score(
        sample_id="s",
        benchmark="scimif",
        candidate="m",
        judge="",
        extractor="",
        grader="",
        constraints=ids or tuple(f"c{i}" for i in range(len(parts))),
        satisfied=satisfied,
        requirements=parts,
    )


A = make_score((True,), (False,))  # half of its items, 1 of 2 requirements
B = make_score((True, True, False), (True,))  # half of its items, 3 of 4 requirements
C = make_score((True,))  # all of it


def test_csr_averages_the_share_of_items_over_samples():
    assert csr([A, B, C]) == pytest.approx((0.5 + 0.5 + 1) / 3)


def test_isr_counts_samples_with_every_item_satisfied():
    assert isr([A, B, C]) == pytest.approx(1 / 3)


def test_drfr_counts_requirements_over_all_samples():
    assert drfr([A, B, C]) == pytest.approx(5 / 7)


def test_a_sample_without_items_has_no_share_in_any_metric():
    assert [metric([make_score(), C]) for metric in (csr, isr, drfr)] == [1, 1, 1]


def test_metrics_over_nothing_are_missing_and_not_zero():
    assert [metric([]) for metric in (csr, isr, drfr)] == [None, None, None]


def test_undecided_samples_widen_the_bounds_and_leave_the_value_alone():
    undecided = make_score((True,), (None,))
    figure = bounded(csr, [C, undecided])
    assert (figure.value, figure.low, figure.high) == (1.0, 0.75, 1.0)
    assert (figure.complete, figure.total, figure.is_partial) == (1, 2, True)


def test_bounds_of_drfr_count_each_undecided_requirement():
    undecided = make_score((None, None, None))
    figure = bounded(drfr, [A, undecided])
    assert (figure.value, figure.low, figure.high) == (0.5, 1 / 5, 4 / 5)


def test_with_everything_undecided_there_is_no_value_but_there_are_bounds():
    figure = bounded(isr, [make_score((None,))])
    assert (figure.value, figure.low, figure.high) == (None, 0.0, 1.0)


def test_complete_scores_have_bounds_equal_to_the_value():
    figure = bounded(csr, [A, B])
    assert figure.low == figure.high == figure.value == 0.5


def test_the_overall_is_the_unweighted_mean_of_its_figures():
    # GPT-5.2's row of SciMIF's Table 3.
    rows = [46.33, 61.57, 72.82, 78.07, 69.56]
    figures = [bounded(lambda _, v=v: v / 100, [C]) for v in rows]
    assert round(100 * macro_mean(figures).value, 2) == 65.67


def test_the_overall_is_missing_while_one_part_is():
    assert macro_mean([bounded(isr, [C]), bounded(isr, [])]).value is None


def test_a_score_cut_to_a_group_keeps_only_its_items():
    score = make_score((True,), (False, True), ids=("g:a", "g:b"))
    assert restrict(score, {"g:b"}).requirements == ((False, True),)
    assert isr([restrict(score, {"g:a"})]) == 1


# ── Video-IFBench: gated by tasks ────────────────────────────────────────────────────


def gated(score: Score, *done: bool | None, **changed: str) -> Score:
    return replace(score, tasks_done=done, **changed)


def test_gated_metrics_are_those_of_equation_1():
    half = gated(make_score((True,), (False,)), True, True)
    whole = gated(make_score((True,), (True,)), True)
    left_out = gated(make_score((True,), (True,), (True,)), True, False)
    assert tcsr([half, whole, left_out]) == pytest.approx((0.5 + 1 + 0) / 3)
    assert tisr([half, whole, left_out]) == pytest.approx(1 / 3)


def test_task_pass_rate_counts_tasks_and_its_neighbour_samples():
    scores = [gated(make_score((True,)), True, True, True), gated(make_score((True,)), False)]
    assert task_pass_rate(scores) == pytest.approx(3 / 4)
    assert all_tasks_passed(scores) == pytest.approx(1 / 2)


def test_a_sample_without_tasks_has_nothing_to_miss():
    assert tcsr([make_score((True,), (False,))]) == 0.5
    assert tisr([make_score((True,))]) == 1
    assert task_pass_rate([make_score((True,))]) is None
    assert all_tasks_passed([make_score((True,))]) is None


@pytest.mark.parametrize(("rules", "expected"), [("paper", 1.0), ("release", 0.0)])
def test_a_sample_without_items_is_all_satisfied_but_in_the_releases_tcsr(rules, expected):
    nothing_asked = gated(make_score(), True, rules=rules)
    assert tcsr([nothing_asked]) == expected
    assert tisr([nothing_asked]) == 1


def test_an_undecided_task_widens_the_bounds():
    figure = bounded(tisr, [gated(make_score((True,)), True), gated(make_score((True,)), None)])
    assert (figure.value, figure.low, figure.high) == (1, 0.5, 1)
    assert (figure.complete, figure.total) == (1, 2)
