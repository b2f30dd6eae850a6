"""Buckets and pace, on plain moments."""

from __future__ import annotations

import pytest

from ifbench.engines.rates import Buckets, Pace


def sends(pace: Pace, start: float, end: float) -> list[float]:
    """Send as fast as the pace allows."""
    moment, sent = start, []
    while True:
        moment += pace.wait_s(moment)
        if moment >= end:
            return sent
        pace.admit(moment)
        sent.append(moment)
        moment += 0.001


def test_bucket_holds_a_quarter_seconds_worth():
    buckets = Buckets(requests_per_s=40.0, tokens_per_s=None, now=0.0)
    for _ in range(10):
        assert buckets.wait_s(0, 100.0) == 0
        buckets.take(0, 100.0)
    assert buckets.wait_s(0, 100.0) == pytest.approx(1 / 40)


def test_slow_bucket_still_holds_one_request():
    buckets = Buckets(requests_per_s=0.1, tokens_per_s=None, now=0.0)
    assert buckets.wait_s(0, 0.0) == 0
    buckets.take(0, 0.0)
    assert buckets.wait_s(0, 0.0) == pytest.approx(10.0)


def test_request_larger_than_the_bucket_waits_for_a_full_one_and_then_goes():
    buckets = Buckets(requests_per_s=None, tokens_per_s=100.0, now=0.0)
    assert buckets.wait_s(5000, 0.0) == 0
    buckets.take(5000, 0.0)
    assert buckets.wait_s(1, 0.0) == pytest.approx(49.76)
    assert buckets.wait_s(5000, 0.0) == pytest.approx(50.0)


def test_tokens_that_were_not_used_come_back():
    buckets = Buckets(requests_per_s=None, tokens_per_s=100.0, now=0.0)
    buckets.take(25, 0.0)
    buckets.correct(15)
    assert buckets.wait_s(15, 0.0) == 0
    assert buckets.wait_s(16, 0.0) > 0


def test_tokens_beyond_the_estimate_are_taken_too():
    buckets = Buckets(requests_per_s=None, tokens_per_s=100.0, now=0.0)
    buckets.take(10, 0.0)
    buckets.correct(-115)
    assert buckets.wait_s(1, 0.0) == pytest.approx(1.01)


def test_no_limits_never_wait():
    buckets = Buckets(requests_per_s=None, tokens_per_s=None, now=0.0)
    for _ in range(1000):
        buckets.take(10**9, 0.0)
    assert buckets.wait_s(10**9, 0.0) == 0


def test_pause_does_not_end_in_a_burst():
    buckets = Buckets(requests_per_s=10.0, tokens_per_s=None, now=0.0)
    buckets.empty_until(5.0)
    assert buckets.wait_s(0, 0.0) == pytest.approx(5.1)
    assert buckets.wait_s(0, 5.0) == pytest.approx(0.1)


def test_pace_is_free_before_the_first_refusal():
    pace = Pace()
    for _ in range(1000):
        assert pace.wait_s(0.0) == 0
        pace.admit(0.0)


def test_traffic_comes_back_gradually():
    pace = Pace()
    for i in range(100):
        pace.admit(i / 100)
    pace.pause(2.0, 1.0)
    sent = sends(pace, 1.0, 7.0)
    by_second = [sum(3 + k <= moment < 4 + k for moment in sent) for k in range(4)]
    assert min(sent) >= 3.0
    assert by_second == sorted(by_second)
    assert by_second[0] < 20
    assert by_second[3] == pytest.approx(70, abs=5)


def test_refusals_of_one_burst_cut_the_pace_once():
    one, many = Pace(), Pace()
    for pace, refusals in ((one, 1), (many, 50)):
        for i in range(100):
            pace.admit(i / 100)
        for i in range(refusals):
            pace.pause(1.0, 1.0 + i / 1000)
    assert len(sends(many, 1.1, 10.0)) == pytest.approx(len(sends(one, 1.1, 10.0)), rel=0.02)


def test_longest_pause_holds():
    pace = Pace()
    pace.pause(10.0, 0.0)
    pace.pause(1.0, 2.0)
    assert pace.wait_s(2.0) == pytest.approx(8.0)


@pytest.mark.parametrize("per_s", [2.0, 20.0, 200.0])
def test_unknown_rate_limit_is_found_and_mostly_used(per_s):
    """The endpoint grants `per_s` and asks refused requests to wait a second."""
    pace, level, filled_at = Pace(), per_s, 0.0
    moment, granted, refused = 0.0, 0, 0
    while moment < 300:
        moment += pace.wait_s(moment)
        pace.admit(moment)
        level, filled_at = min(per_s, level + (moment - filled_at) * per_s), moment
        if level >= 1:
            level, granted = level - 1, granted + 1
        else:
            refused += 1
            pace.pause(1.0, moment)
        moment += 0.002
    assert granted / (300 * per_s) > 0.75
    assert refused / (granted + refused) < 0.1
