"""What a run that is stopped leaves behind."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest

from ifbench.config import load_points
from ifbench.execution.local import LocalExecutor
from ifbench.pipeline import Evaluation, evaluate
from ifbench.runs import ready
from ifbench.store import read_scores

PLANNED = 3


def go(store: Path, *, stopped: bool) -> Evaluation:
    points = load_points(
        [
            "execution=local",
            f"store.uri={store}",
            "candidates=[scripted]",
            "judge=null",
            "correctness=none",
            f"benchmark.limit={PLANNED}",
            "benchmark.where.modality=text",
            "max_owed=100",
        ],
        is_sweep=False,
    )
    executor = LocalExecutor()
    if stopped:
        executor.stop()
    (evaluation,) = evaluate(
        ready(points), executor, lambda *_: nullcontext(), is_interrupted=lambda: stopped
    )
    return evaluation


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> tuple[Path, Evaluation]:
    store = tmp_path_factory.mktemp("whole")
    return store, go(store, stopped=False)


def test_a_repeat_that_is_stopped_leaves_what_was_complete(whole):
    store, first = whole
    before = read_scores(str(store)).to_pylist()
    again = go(store, stopped=True)
    assert (again.ending, again.keeps_earlier) == ("interrupted", True)
    assert read_scores(str(store)).to_pylist() == before
    counts, earlier = again.manifest.counts, first.manifest.counts
    assert (counts.planned, counts.complete) == (earlier.planned, earlier.complete)
    assert counts.undecided == earlier.undecided
    assert earlier.complete > 0


def test_a_first_try_that_is_stopped_leaves_what_it_has(tmp_path):
    stopped = go(tmp_path, stopped=True)
    assert (stopped.ending, stopped.keeps_earlier) == ("interrupted", False)
    assert stopped.manifest.counts.complete == 0
    assert len(read_scores(str(tmp_path)).to_pylist()) == PLANNED


def test_results_that_were_deleted_are_not_counted_on(tmp_path):
    go(tmp_path, stopped=False)
    for file in (tmp_path / "results").rglob("*.parquet"):
        file.unlink()
    stopped = go(tmp_path, stopped=True)
    assert not stopped.keeps_earlier
    assert stopped.manifest.counts.complete == 0
    assert len(read_scores(str(tmp_path)).to_pylist()) == PLANNED
