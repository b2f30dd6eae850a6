"""Intervals: as wide as they should be, and never narrower for samples that are alike."""

from __future__ import annotations

import pytest

from factories import make_score
from ifbench.analysis.intervals import (
    FEWEST,
    difference_interval,
    interval,
    macro_interval,
    question_of,
)
from ifbench.metrics import csr, drfr, isr
from ifbench.types import Score


def scores(passes: int, total: int, *, of_one: int = 1) -> list[Score]:
    """`of_one` samples for each question, all alike."""
    return [
        make_score(
            (at // of_one < passes // of_one,), sample_id=f"s{at}", question=f"q{at // of_one}"
        )
        for at in range(total)
    ]


def width(found: tuple[float, float] | None) -> float:
    assert found is not None
    return found[1] - found[0]


def test_the_interval_of_a_share_is_that_of_the_textbook():
    found = interval(isr, scores(200, 400))
    assert found == pytest.approx((0.451, 0.549), abs=0.008)  # 0.5 ± 1.96 · sqrt(0.25 / 400)


def test_samples_of_one_question_count_as_one():
    apart, alike = interval(isr, scores(200, 400)), interval(isr, scores(200, 400, of_one=4))
    assert width(alike) == pytest.approx(2 * width(apart), rel=0.15)


def test_it_holds_the_figure_and_is_the_same_each_time():
    some = scores(30, 100)
    for metric in (csr, isr, drfr):
        low, high = interval(metric, some) or (1, 0)
        assert low < (metric(some) or 0) < high
        assert interval(metric, some) == (low, high)


def test_few_questions_give_no_interval():
    assert interval(isr, scores(3, FEWEST - 1)) is None
    assert interval(isr, scores(5, FEWEST)) is not None
    assert interval(isr, scores(40, 80, of_one=10)) is None
    assert interval(isr, []) is None


def test_a_mean_over_groups_is_as_sure_as_its_parts_together():
    one = width(interval(isr, scores(200, 400)))
    five = macro_interval(isr, [scores(200, 400)] * 5)
    assert width(five) == pytest.approx(one / 5**0.5, rel=0.15)
    assert macro_interval(isr, [scores(200, 400), scores(1, 2)]) is None


def test_a_difference_over_the_same_samples_is_surer_than_over_others():
    first = scores(200, 400)
    second = scores(220, 400)  # all that pass on one side pass on the other
    found = difference_interval(isr, list(zip(first, second, strict=True)))
    assert found is not None
    assert found[0] > 0
    assert found == pytest.approx((0.029, 0.071), abs=0.006)  # 0.05 ± 1.96 · sqrt(0.05·0.95/400)
    same = difference_interval(isr, list(zip(first, first, strict=True)))
    assert same == (0, 0)


def test_without_a_named_question_each_sample_is_its_own():
    assert question_of(make_score(sample_id="x")) == "x"
