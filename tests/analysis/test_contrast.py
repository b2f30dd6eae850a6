"""Two sides over the same samples: what differs, and how far the graders agree."""

from __future__ import annotations

import pytest

from factories import make_score
from ifbench.analysis.contrast import (
    Agreement,
    agreement,
    agreements,
    differences,
    paired,
    together,
)

P, F, U = True, False, None


def test_only_what_stands_on_both_sides_is_paired_by_candidate_sample_and_attempt():
    first = [make_score(sample_id="a"), make_score(sample_id="b"), make_score(sample_id="c")]
    second = [
        make_score(sample_id="b", candidate="other"),
        make_score(sample_id="c", attempt=1),
        make_score((F,), sample_id="a"),
    ]
    assert paired(first, second) == [(first[0], second[2])]


def test_differences_are_over_what_both_decided():
    first = [make_score((P,)), make_score((F,)), make_score((U,)), make_score((P,))]
    second = [make_score((P,)), make_score((P,)), make_score((P,)), make_score((U,))]
    found = differences(list(zip(first, second, strict=True)))["ISR"]
    assert (found.first, found.second, found.value) == (0.5, 1.0, 0.5)
    assert (found.pairs, found.total) == (2, 4)
    assert found.interval is None
    assert not found.is_resolved


def test_a_difference_that_is_no_chance_is_resolved():
    first = [make_score((n < 10,), sample_id=f"s{n}") for n in range(100)]
    second = [make_score((n < 60,), sample_id=f"s{n}") for n in range(100)]
    assert differences(list(zip(first, second, strict=True)))["CSR"].is_resolved


# The worked example of two raters: 20 both yes, 15 both no, 5 and 10 apart; kappa 0.4.
COUNTED = Agreement(both_pass=20, both_fail=15, only_first=5, only_second=10)


def test_kappa_takes_chance_out():
    assert COUNTED.share == pytest.approx(0.7)
    assert COUNTED.kappa == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("counts", "share", "kappa"),
    [
        ({"both_pass": 5, "both_fail": 5}, 1.0, 1.0),
        ({"only_first": 5, "only_second": 5}, 0.0, -1.0),
        ({"both_pass": 9}, 1.0, None),  # one verdict throughout: 0/0
        ({"both_pass": 9, "only_first": 1}, 0.9, 0.0),
        ({"undecided": 3}, None, None),
        ({}, None, None),
    ],
)
def test_kappa_at_its_ends(counts, share, kappa):
    found = Agreement(**counts)
    assert found.share == share
    assert found.kappa == (None if kappa is None else pytest.approx(kappa))


def test_items_are_compared_constraint_by_constraint_and_undecided_ones_apart():
    first = [make_score((P, F), constraints=("a", "b")), make_score((U, P), constraints=("a", "b"))]
    second = [
        make_score((P, P), constraints=("a", "b")),
        make_score((P, P), constraints=("a", "b")),
    ]
    found = agreements(list(zip(first, second, strict=True)))
    assert found["a"] == Agreement(both_pass=1, undecided=1)
    assert found["b"] == Agreement(only_second=1, both_pass=1)
    assert together(list(found.values())) == agreement([(P, P), (U, P), (F, P), (P, P)])


def test_two_checklists_under_one_id_are_not_compared():
    pair = (make_score(constraints=("a",)), make_score(constraints=("b",)))
    with pytest.raises(ValueError, match="two different checklists"):
        agreements([pair])
