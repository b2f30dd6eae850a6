"""Intervals: as wide as they should be, and never narrower for samples that are alike."""

from __future__ import annotations

import numpy as np
import pytest

from factories import make_score
from ifbench.analysis.intervals import (
    DRAWS,
    FEWEST,
    SEED,
    difference_interval,
    difference_intervals,
    interval,
    intervals,
    macro_interval,
    mean_intervals,
    mean_macro_interval,
    question_of,
)
from ifbench.metrics import METRICS, Ratio, csr, drfr, isr
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


# ── Several metrics, several models ──────────────────────────────────────────────────


def uneven(seed: int, count: int = 120) -> list[Score]:
    """Samples of one to six items, three to a question."""
    generator = np.random.default_rng(seed)
    return [
        make_score(
            tuple(bool(value) for value in generator.random(generator.integers(1, 7)) < 0.6),
            sample_id=f"s{at}",
            question=f"q{at // 3}",
        )
        for at in range(count)
    ]


def drawn_by_itself(metric: Ratio, some: list[Score]) -> tuple[float, float]:
    """The definition, for one metric: draw the questions, divide the sums, take percentiles."""
    places = {name: at for at, name in enumerate(dict.fromkeys(map(question_of, some)))}
    sums = np.zeros((len(places), 2))
    for score in some:
        sums[places[question_of(score)]] += metric.parts(score)
    generator = np.random.default_rng(SEED)
    shares = np.full(len(places), 1 / len(places))
    drawn = generator.multinomial(len(places), shares, size=DRAWS) @ sums
    low, high = np.percentile(drawn[:, 0] / drawn[:, 1], [2.5, 97.5])
    return float(low), float(high)


def test_draws_that_metrics_share_give_the_same_bits_as_draws_of_their_own():
    some = uneven(1)
    found = intervals(METRICS, some)
    assert found == {name: drawn_by_itself(metric, some) for name, metric in METRICS.items()}
    pairs = list(zip(some, uneven(2), strict=True))
    assert difference_intervals(METRICS, pairs) == {
        name: difference_interval(metric, pairs) for name, metric in METRICS.items()
    }


def test_a_mean_over_models_draws_each_question_for_all_of_them():
    some = uneven(1)
    assert mean_intervals(METRICS, [some, some]) == intervals(METRICS, some)
    other = [
        make_score((not s.satisfied[0],), sample_id=s.sample_id, question=question_of(s))
        for s in some
    ]
    opposite = [
        make_score((s.satisfied[0],), sample_id=s.sample_id, question=question_of(s)) for s in some
    ]
    low, high = mean_intervals({"ISR": isr}, [opposite, other])["ISR"] or (0, 1)
    assert low == high == 0.5  # where one fails the other passes: nothing varies


def test_a_mean_over_models_of_unlike_size_gives_each_the_same_weight():
    large, small = scores(400, 400), scores(0, 40)
    low, high = mean_intervals({"ISR": isr}, [large, small])["ISR"] or (0, 1)
    assert low == high == 0.5
    assert mean_macro_interval(isr, [[large, small]] * 2) == (0.5, 0.5)
    assert mean_macro_interval(isr, [[large], [scores(1, 2)]]) is None
