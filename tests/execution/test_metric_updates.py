"""What a worker's counts come to as metrics, worked out without Ray."""

from __future__ import annotations

import pytest

from ifbench.execution.metric_updates import METRICS, Update, exported_names, levels, updates
from ifbench.tally import LATENCY_BOUNDS_S, Tally, latency_bucket


def changes(counts) -> dict[tuple[str, ...], tuple[float, int]]:
    return {(u.metric, *u.tags): (u.amount, u.times) for u in updates(counts)}


@pytest.mark.parametrize(
    ("words", "series"),
    [
        (("calls", "judge", "m", "answered"), ("ifbench_calls", "judge", "m", "answered")),
        (("calls", "judge", "m", "stored"), ("ifbench_calls", "judge", "m", "stored")),
        (
            ("calls", "judge", "m", "failed:timeout"),
            ("ifbench_calls", "judge", "m", "failed:timeout"),
        ),
        (("calls", "judge", "m", "retried"), ("ifbench_retries", "judge", "m")),
        (("calls", "judge", "m", "limited"), ("ifbench_limited", "judge", "m")),
        (("calls", "judge", "m", "waiting"), ("ifbench_calls_now", "judge", "m", "waiting")),
        (("tokens", "judge", "m", "input"), ("ifbench_tokens", "judge", "m", "input")),
        (("cost", "judge", "m", "usd"), ("ifbench_cost_usd", "judge", "m")),
        (("closed", "m", "a long reason, 17"), ("ifbench_closed", "m")),
        (("trials", "c", "owed"), ("ifbench_trials", "c", "owed")),
        (("undecided", "c", "timeout"), ("ifbench_undecided_trials", "c", "timeout")),
        (("verdicts", "c", "pass", ""), ("ifbench_verdicts", "c", "pass", "")),
    ],
)
def test_a_counter_becomes_a_change_of_one_series(words, series):
    assert changes({words: 3.0}) == {series: (3.0, 1)}
    assert changes({words: 0.0}) == {}


def test_rows_are_held_from_the_way_in_to_the_way_out():
    counts = {("candidates", "c", "judge", "in"): 5.0, ("candidates", "c", "judge", "out"): 3.0}
    found = list(updates(counts))
    assert Update(metric="ifbench_rows", tags=("judge", "c"), amount=3.0) in found
    assert levels({}, found) == {("ifbench_rows_in_hand", "judge", "c"): 2.0}


def test_rows_by_step_alone_are_not_counted_twice():
    assert changes({("rows", "judge", "in"): 5.0, ("rows", "judge", "out"): 3.0}) == {}


def test_levels_go_up_and_down_over_several_reports():
    name = ("calls", "judge", "m", "in_flight")
    series = ("ifbench_calls_now", "judge", "m", "in_flight")
    now: dict = {("ifbench_calls_now", "judge", "other", "waiting"): 9.0}
    for growth, level in ((4.0, 4.0), (-1.0, 3.0), (-3.0, 0.0)):
        after = levels(now, updates({name: growth}))
        assert after == {series: level}
        now |= after


def observed(seconds: list[float]) -> list[Update]:
    tally = Tally()
    for one in seconds:
        bucket = latency_bucket(one)
        tally.merge(
            {
                ("latency", "judge", "m", bucket, "tries"): 1.0,
                ("latency", "judge", "m", bucket, "seconds"): one,
            }
        )
    return list(updates(tally.drain()))


def test_latencies_keep_their_count_in_each_bucket_and_their_sum():
    seconds = [0.0, 0.05, 0.1, 0.1001, 0.6, 1.0, 1.0, 59.0, 61.0, 600.0, 600.5, 5000.0]
    found = observed(seconds)
    assert sum(u.times for u in found) == len(seconds)
    assert sum(u.times * u.amount for u in found) == pytest.approx(sum(seconds))
    for bound in LATENCY_BOUNDS_S:
        below = sum(u.times for u in found if u.amount <= bound)
        assert below == sum(one <= bound for one in seconds), bound


@pytest.mark.parametrize("bound", LATENCY_BOUNDS_S)
def test_many_equal_latencies_on_a_bound_stay_in_its_bucket(bound):
    (update,) = observed([bound] * 997)
    assert update.times == 997
    assert update.amount <= bound


def test_metrics_are_declared_once_and_each_change_has_all_tags():
    assert len({name for metric in METRICS.values() for name in exported_names(metric)}) == sum(
        len(exported_names(metric)) for metric in METRICS.values()
    )
    counts = {
        ("calls", "p", "m", "answered"): 1.0,
        ("calls", "p", "m", "in_flight"): 1.0,
        ("calls", "p", "m", "limited"): 1.0,
        ("calls", "p", "m", "retried"): 1.0,
        ("latency", "p", "m", "inf", "tries"): 1.0,
        ("closed", "m", "r"): 1.0,
        ("tokens", "p", "m", "output"): 1.0,
        ("cost", "p", "m", "usd"): 1.0,
        ("candidates", "c", "s", "out"): 1.0,
        ("trials", "c", "owed"): 1.0,
        ("undecided", "c", "x"): 1.0,
        ("verdicts", "c", "pass", ""): 1.0,
    }
    found = list(updates(counts))
    assert {update.metric for update in found} == METRICS.keys()
    assert all(len(update.tags) == len(METRICS[update.metric].tags) for update in found)


def test_no_tag_grows_with_the_run():
    assert {tag for metric in METRICS.values() for tag in metric.tags} == {
        "purpose", "model", "candidate", "step", "outcome", "cause", "state", "direction",
    }  # fmt: skip
