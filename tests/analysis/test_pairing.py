"""Which trials of two runs are compared, and which stand alone."""

from __future__ import annotations

from factories import make_score
from ifbench.analysis.pairing import Alone, pair_up

P, F = True, False


def test_what_has_no_partner_is_counted_by_why():
    first = [
        make_score(sample_id="a"),
        make_score(sample_id="a", attempt=1),
        make_score(sample_id="b"),
        make_score(sample_id="a", candidate="n"),
    ]
    second = [make_score(sample_id="a"), make_score(sample_id="c"), make_score(sample_id="c")]
    found = pair_up(first, second)
    assert found.shared == [(first[0], second[0])]
    assert found.alone == (Alone(models=1, samples=1, attempts=1), Alone(samples=2))


def test_two_single_candidates_are_paired_by_sample_and_attempt():
    first, second = [make_score(candidate="m")], [make_score(candidate="n")]
    found = pair_up(first, second)
    assert found.shared == [(first[0], second[0])]
    assert not found.has_unequal_attempts


def test_evened_pairs_hold_each_attempt_of_a_side_equally_often():
    first = [make_score((one,), attempt=n) for n, one in enumerate((P, F, F))]
    second = [make_score((one,), attempt=n) for n, one in enumerate((P, F))]
    found = pair_up(first, second)
    pairs = found.evened()
    assert found.has_unequal_attempts
    assert len(pairs) == 6
    assert sum(one.satisfied == (P,) for one, _ in pairs) == 2
    assert sum(two.satisfied == (P,) for _, two in pairs) == 3


def test_evened_pairs_of_equal_attempts_are_the_shared_ones():
    first = [make_score(sample_id=s, attempt=n) for s in "ab" for n in range(2)]
    found = pair_up(first, list(first))
    assert found.evened() == found.shared
    assert found.alone == (Alone(), Alone())
