"""Repeated attempts on hand-computed cases."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import pytest

from ifbench.analysis.attempts import attempts
from ifbench.metrics import csr, isr
from tests.factories import make_score


def tries(sample_id, *rows):
    """One score for each attempt, each of two items."""
    ids = ("g:a", "g:b")
    return [
        make_score(row, sample_id=sample_id, attempt=attempt, constraints=ids)
        for attempt, row in enumerate(rows)
    ]


BOTH, ONE, NONE = (True, True), (True, False), (False, False)


def test_pass_at_1_is_the_mean_and_pass_at_k_what_any_attempt_reaches():
    scores = [*tries("a", BOTH, ONE), *tries("b", NONE, BOTH), *tries("c", BOTH, BOTH)]
    scores += tries("d", ONE, NONE)
    found = attempts(scores, isr)
    assert found.by_attempt == (0.5, 0.5)
    assert (found.mean, found.any_passed, found.all_passed) == (0.5, 0.75, 0.25)
    assert found.spread == 0
    assert (found.count, found.samples, found.total) == (2, 4, 4)


def test_the_spread_is_over_attempts():
    found = attempts([*tries("a", BOTH, ONE, ONE), *tries("b", BOTH, ONE, NONE)], csr)
    assert found.by_attempt == (1, 0.5, 0.25)
    assert found.mean == pytest.approx(7 / 12)
    deviations = [(value - 7 / 12) ** 2 for value in (1, 0.5, 0.25)]
    assert found.spread == pytest.approx(sqrt(sum(deviations) / 2))


def test_a_sample_that_is_undecided_or_missing_in_one_attempt_does_not_count():
    scores = [*tries("a", BOTH, ONE), *tries("b", BOTH, (True, None)), *tries("c", BOTH)]
    found = attempts(scores, isr)
    assert (found.samples, found.total) == (1, 3)
    assert (found.any_passed, found.all_passed) == (1, 0)


@pytest.mark.parametrize("scores", [[], tries("a", BOTH), tries("a", BOTH, (True, None))])
def test_with_nothing_to_compare_there_is_no_figure(scores):
    assert attempts(scores, isr) is None


def test_the_order_of_the_scores_does_not_count():
    scores = [*tries("a", BOTH, ONE), *tries("b", NONE, ONE)]
    assert attempts(scores[::-1], csr) == replace(attempts(scores, csr))
