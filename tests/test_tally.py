"""Counters that any thread adds to; what belongs together is taken away together."""

from __future__ import annotations

import threading

import pytest

from ifbench.tally import Tally, latency_bucket, of_run, over_runs


def test_counts_are_taken_away_once():
    tally = Tally()
    tally.add("a", "b", amount=2.0)
    tally.merge({("a", "b"): 1.0, ("c",): 1.0})
    assert tally.snapshot() == {("a", "b"): 3.0, ("c",): 1.0}
    assert tally.drain() == {("a", "b"): 3.0, ("c",): 1.0}
    assert tally.drain() == {}


def test_what_is_merged_at_once_is_drained_at_once():
    tally, is_over = Tally(), threading.Event()
    pair = {("tries",): 1.0, ("seconds",): 1.0}

    def merge() -> None:
        while not is_over.is_set():
            tally.merge(pair)

    threads = [threading.Thread(target=merge) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(2000):
            counts = tally.drain()
            assert counts.get(("tries",), 0.0) == counts.get(("seconds",), 0.0)
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


@pytest.mark.parametrize(
    ("seconds", "bucket"),
    [(0.0, "0.1"), (0.1, "0.1"), (0.11, "0.25"), (1, "1"), (600, "600"), (601, "inf")],
)
def test_a_bound_belongs_to_its_bucket(seconds, bucket):
    assert latency_bucket(seconds) == bucket


def test_runs_that_share_a_tally_are_told_apart_and_added_up():
    tally = Tally()
    tally.of("one").add("calls", "judge")
    tally.of("two").merge({("calls", "judge"): 2.0, ("rows",): 1.0})
    tally.of("").add("calls", "judge", amount=4.0)
    counts = tally.snapshot()
    assert of_run(counts, "one") == {("calls", "judge"): 1.0}
    assert of_run(counts, "two") == {("calls", "judge"): 2.0, ("rows",): 1.0}
    assert of_run(counts, "three") == {}
    assert over_runs(counts) == {("calls", "judge"): 7.0, ("rows",): 1.0}
