"""How a run stands, told from its manifest and its last progress alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from ifbench.report.status import run_status, status_text
from ifbench.store.manifest import Calls, Counts, Environment, Invocation, Manifest
from ifbench.store.progress import RunProgress

START = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)
HERE = Environment(ifbench="1", python="3.11", platform="p", host="driver-0")


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def make_manifest(*, counts: Counts | None = None, **last) -> Manifest:
    invocation = replace(Invocation(started_at=START, pid=7, environment=HERE), **last)
    return Manifest(
        run_id="abc123",
        identity={},
        config={"benchmark": {"name": "scimif"}},
        dataset_sha256="d",
        counts=counts or Counts(),
        invocations=(invocation,),
    )


def make_progress(counts=(), recent=(), *, written_s: float = 60, **fields) -> RunProgress:
    plain = {
        "run_id": "abc123",
        "host": "driver-0",
        "pid": 7,
        "started_at": at(1),
        "written_at": at(written_s),
        "planned": 20,
        "candidates": {"a": 10, "b": 10},
        "steps": ("generate", "judge"),
        "counts": tuple(dict(counts).items()),
        "recent": tuple(dict(recent).items()),
        "window_s": 10.0,
    }
    return RunProgress(**{**plain, **fields})


@pytest.mark.parametrize(
    ("written_s", "now_s", "fields", "state"),
    [
        (None, 5, {}, "starting"),
        (None, 31, {}, "silent"),
        (60, 61, {"counts": ()}, "starting"),  # its workers come up
        (60, 61, {}, "running"),
        (60, 90, {}, "running"),
        (60, 90.5, {}, "silent"),
        (60, 50, {}, "running"),  # the reader's clock is behind the driver's
        (60, 300, {"is_over": True}, "finishing"),
        (60, 3600, {"is_over": True}, "silent"),
        (-100, 5, {"started_at": at(-200)}, "starting"),  # an earlier invocation's
        (-100, 40, {"started_at": at(-200)}, "silent"),
    ],
)
def test_a_run_that_has_not_ended_is_known_by_its_last_sign_of_life(
    written_s, now_s, fields, state
):
    fields = {"counts": ((("rows", "generate", "in"), 1.0),), **fields}
    progress = None if written_s is None else replace(make_progress(written_s=written_s), **fields)
    status = run_status(make_manifest(), progress, at(now_s))
    assert status.state == state
    assert status.seen_s == max(0.0, now_s - (written_s if (written_s or 0) > 0 else 0))


@pytest.mark.parametrize("ending", ["complete", "owed", "interrupted", "failed"])
def test_a_run_that_has_ended_tells_its_ending_however_old_it_is(ending):
    calls = Calls(purpose="judge", model="m", cost_usd=1.25)
    counts = Counts(planned=20, complete=17, undecided={"timeout": 3}, calls=(calls,))
    manifest = make_manifest(counts=counts, ending=ending, finished_at=at(120))
    for progress in (None, make_progress(counts={("cost", "judge", "m", "usd"): 0.5})):
        status = run_status(manifest, progress, at(1e6))
        assert status.state == ending
        assert not status.is_going_on
        assert (status.planned, status.complete, status.owed) == (20, 17, 3)
        assert status.undecided == {"timeout": 3}
        assert status.elapsed_s == 120
        assert status.seen_s is None
        assert status.left_s is None
        assert status.cost_usd == 1.25
        text = status_text(status)
        assert ending in text
        assert "17 of 20 trials complete, 3 owed (timeout 3)" in text


def test_steps_have_a_rate_and_the_run_takes_as_long_as_the_slowest():
    counts = {
        ("rows", "generate", "in"): 18,
        ("rows", "generate", "out"): 12,
        ("rows", "judge", "in"): 12,
        ("rows", "judge", "out"): 5,
    }
    recent = {("rows", "generate", "out"): 8, ("rows", "judge", "out"): 3}
    status = run_status(make_manifest(), make_progress(counts, recent), at(61))
    generate, judge = status.steps
    assert (generate.done, generate.in_hand, generate.per_s, generate.left_s) == (12, 6, 0.8, 10.0)
    assert (judge.done, judge.in_hand, judge.per_s) == (5, 7, 0.3)
    assert status.left_s == judge.left_s == pytest.approx(50)


def test_no_time_is_left_out_of_thin_air():
    counts = {("rows", "generate", "out"): 20, ("rows", "judge", "out"): 5}
    status = run_status(make_manifest(), make_progress(counts), at(61))
    assert [step.left_s for step in status.steps] == [0.0, None]
    assert status.left_s is None
    first = run_status(make_manifest(), make_progress(counts, window_s=0.0), at(61))
    assert first.steps[1].per_s == 0.0


def test_each_candidate_has_its_own_figures():
    counts = {
        ("candidates", "a", "generate", "out"): 9,
        ("candidates", "a", "judge", "out"): 8,
        ("candidates", "b", "generate", "out"): 2,
        ("trials", "a", "complete"): 6,
        ("trials", "a", "owed"): 2,
        ("trials", "b", "owed"): 1,
        ("undecided", "a", "timeout"): 2,
        ("undecided", "b", "timeout"): 1,
        ("undecided", "b", "judge_unreadable"): 1,
    }
    status = run_status(make_manifest(), make_progress(counts), at(61))
    a, b = status.candidates
    assert (a.name, a.planned, a.steps, a.complete, a.owed) == (
        "a", 10, {"generate": 9, "judge": 8}, 6, 2,
    )  # fmt: skip
    assert (b.complete, b.owed, b.undecided) == (0, 1, {"timeout": 1, "judge_unreadable": 1})
    assert (status.complete, status.owed) == (6, 3)
    assert status.undecided == {"timeout": 3, "judge_unreadable": 1}
    text = status_text(status)
    assert "6 of 20 trials complete, 3 owed (judge_unreadable 1, timeout 3), 11 to do" in text
    assert any(line.split()[:6] == ["a", "10", "9", "8", "6", "2"] for line in text.splitlines())


LIMITED = ("calls", "judge", "m", "limited")
ANSWERED = ("calls", "candidate", "m", "answered")


@pytest.mark.parametrize(
    ("counts", "recent", "words"),
    [
        ({ANSWERED: 4}, {ANSWERED: 1}, ""),
        (
            {LIMITED: 9},
            {LIMITED: 2},
            "m: rate-limited: 2 turned away in the last minute (9 in all)",
        ),
        ({LIMITED: 9, ANSWERED: 3}, {ANSWERED: 3}, ""),
        ({("calls", "judge", "m", "backing_off"): 3}, {}, "3 backing off"),
        ({("calls", "judge", "m", "waiting"): 3}, {}, "m: at its budget: 3 calls wait their turn"),
        ({("closed", "m", "no credit"): 1}, {}, "m: CLOSED, its calls are owed: no credit"),
        ({("closed", "m", "a\x1b[2Jb"): 1}, {}, r"m: CLOSED, its calls are owed: a\x1b[2Jb"),
        (
            {("closed", "m", "down"): 5, ANSWERED: 9},
            {("closed", "m", "down"): 2, ANSWERED: 1},
            "CLOSED",
        ),
        ({("closed", "m", "down"): 5, ANSWERED: 9}, {ANSWERED: 2}, ""),  # open again
    ],
)
def test_it_is_said_which_endpoint_is_limited_or_closed(counts, recent, words):
    status = run_status(make_manifest(), make_progress(counts, recent), at(61))
    (model,) = status.models
    text = status_text(status)
    assert words in text
    assert bool(model.closed) == ("CLOSED" in words)
    if not words:
        assert not any(word in text for word in ("CLOSED", "rate-limited", "at its budget"))


def test_cost_counts_what_earlier_invocations_spent():
    before = Calls(purpose="candidate", model="m", cost_usd=2.0)
    counts = {("cost", "candidate", "m", "usd"): 0.25, ("cost", "judge", "j", "usd"): 0.5}
    manifest = make_manifest(counts=Counts(calls=(before,)))
    status = run_status(manifest, make_progress(counts), at(61))
    assert status.cost_usd == 2.75
    assert "$2.7500" in status_text(status)


def test_a_silent_run_is_said_to_go_on_with_the_same_command():
    text = status_text(run_status(make_manifest(), make_progress(), at(7200)))
    assert "silent: last seen 2.0 h ago on driver-0, process 7" in text
    assert "The same command goes on with it" in text
