"""The file behind `ifbench status` is written while a run goes on, and never ends it."""

from __future__ import annotations

import logging
import time
from datetime import UTC, datetime

import pyarrow as pa
import pytest

from ifbench.report import progress_file
from ifbench.report.progress_file import ProgressFile, grown, interval_s
from ifbench.store.location import Location, resolve
from ifbench.store.progress import load_progress

ROWS = ("rows", "judge", "out")


def make_file(store: Location, **fields) -> ProgressFile:
    plain = {"store": store, "run_id": "run1", "counts": dict, "steps": ("judge",)}
    return ProgressFile(**{**plain, "planned": 4, "candidates": {"a": 4}, **fields})


def until(is_so, patience_s=10.0):
    deadline = time.monotonic() + patience_s
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.01)
    return is_so()


def test_it_is_there_at_once_and_says_at_the_end_that_all_rows_are_out(tmp_path, monkeypatch):
    monkeypatch.setattr(progress_file, "LOCAL_INTERVAL_S", 0.02)
    store, counts = resolve(str(tmp_path)), {ROWS: 1.0}
    with make_file(store, counts=lambda: counts):
        assert until(lambda: load_progress(store, "run1") is not None)
        assert not load_progress(store, "run1").is_over
        counts[ROWS] = 3.0
        assert until(lambda: dict(load_progress(store, "run1").counts) == {ROWS: 3.0})
        counts[ROWS] = 4.0
    last = load_progress(store, "run1")
    assert last.is_over
    assert dict(last.counts) == {ROWS: 4.0}
    assert last.candidates == {"a": 4}


@pytest.mark.parametrize("error", [OSError("no space left"), pa.ArrowInvalid("access denied")])
def test_a_store_that_takes_nothing_is_told_once_and_the_run_goes_on(
    tmp_path, monkeypatch, caplog, error
):
    monkeypatch.setattr(progress_file, "LOCAL_INTERVAL_S", 0.01)
    tries = []

    def refuse(store, progress):
        tries.append(progress)
        raise error

    with caplog.at_level(logging.WARNING, logger="ifbench"):
        with make_file(resolve(str(tmp_path)), save=refuse):
            assert until(lambda: len(tries) > 3)
    assert tries[-1].is_over
    assert len(caplog.records) == 1
    assert str(error) in caplog.text


def test_rates_are_told_over_the_last_minute_only(tmp_path):
    moments = iter([0.0, 30.0, 90.0, 100.0])
    counts = {ROWS: 0.0}
    file = make_file(resolve(str(tmp_path)), counts=lambda: counts, clock=lambda: next(moments))
    file._started_at = datetime.now(UTC)
    file._seen = progress_file.deque()
    seen = []
    for rows in (10.0, 20.0, 50.0, 60.0):
        counts[ROWS] = rows
        progress = file.progress()
        seen.append((progress.window_s, dict(progress.recent).get(ROWS, 0.0)))
    assert seen == [(0.0, 0.0), (30.0, 10.0), (60.0, 30.0), (70.0, 40.0)]


def test_only_what_has_grown_is_recent():
    before = {("a",): 1.0, ("b",): 2.0, ("gauge",): 5.0}
    after = {("a",): 1.0, ("b",): 4.5, ("c",): 1.0, ("gauge",): 3.0}
    assert dict(grown(before, after)) == {("b",): 2.5, ("c",): 1.0}


def test_an_object_store_is_written_less_often(tmp_path):
    objects = Location(object(), "bucket", "s3://bucket")
    assert interval_s(resolve(str(tmp_path))) == 2.0
    assert interval_s(objects) >= 5.0
