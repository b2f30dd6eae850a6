"""Ctrl-C and SIGTERM: the answers in flight are kept, and the last line says how to go on."""

from __future__ import annotations

import signal
import time

import pytest
from running import PREFLIGHT, Place, Running, assert_paid_once, wait_until

from engines.endpoint import Fault

FEW_S = 20.0
"""Half a second for the calls in flight, the rest for a machine that is busy."""


@pytest.mark.parametrize(
    ("to_all", "number"),
    [pytest.param(True, signal.SIGINT, marks=pytest.mark.soak), (False, signal.SIGTERM)],
    ids=["ctrl-c reaches the whole group", "SIGTERM reaches the driver alone"],
)
def test_a_stop_keeps_what_is_in_flight_and_its_last_line_completes_the_run(
    place, undisturbed, wanted, to_all, number
):
    place.slow_down(0.5)
    with place.start() as run:
        place.wait_for(len(wanted) // 2)
        stopped = stop(run, number, to_all=to_all)
    assert stopped.code == 130
    asked = place.prompts()
    assert 0 < len(asked) < len(wanted)
    assert place.stored() == len(asked)
    assert_partial(place, undisturbed)
    place.slow_down(0)
    line = stopped.last_line
    assert line.startswith("To go on: ifbench evaluate ")
    resumed = place.run_line(line.removeprefix("To go on: "))
    assert resumed.code == 0
    assert_paid_once(place.prompts(), wanted, allowed=0)
    assert place.results() == undisturbed


def stop(run: Running, number: int, *, to_all: bool, within_s: float = FEW_S):
    """Send one signal, and see that the command ends soon."""
    sent = time.monotonic()
    if to_all:
        run.kill(number)
    else:
        run.process.send_signal(number)
    ended = run.wait(60)
    assert time.monotonic() - sent < within_s
    return ended


def assert_partial(place: Place, undisturbed) -> None:
    """Every trial has a row; what was decided agrees with the undisturbed run."""
    scores = place.results().scores
    assert len(scores) == len(undisturbed.scores)
    whole = {row["sample_id"]: row for row in undisturbed.scores}
    done = [row for row in scores if not row["causes"]]
    assert 0 < len(done) < len(scores)
    assert all(row == whole[row["sample_id"]] for row in done)
    assert set(place.causes()) == {"not_run"}
    reported = place.run(["report", "--store", place.store])
    assert reported.code == 0
    assert f"{len(done)}/{len(scores)}" in reported.out
    assert f"not_run {len(scores) - len(done)}" in reported.out


def test_a_second_ctrl_c_ends_at_once(place):
    place.slow_down(20)
    with place.start() as run:
        place.wait_for(8)
        run.kill(signal.SIGINT)
        time.sleep(0.5)
        assert run.process.poll() is None  # it waits for the calls in flight
        sent = time.monotonic()
        run.kill(signal.SIGINT)
        ended = run.wait(20)
    assert time.monotonic() - sent < 3
    assert ended.code == 130
    assert ended.last_line.startswith("To go on: ifbench evaluate ")
    assert "Traceback" not in ended.out
    assert len(place.prompts()) == 8


def test_ctrl_c_before_the_first_call_spends_nothing(place):
    place.endpoint.behave(Fault(match=PREFLIGHT, latency_s=10))
    with place.start() as run:
        place.wait_for_preflight()
        run.kill(signal.SIGINT)
        ended = run.wait(90)
    assert ended.code == 130
    assert "Traceback" not in ended.out
    assert not place.prompts()


def test_calls_that_never_end_are_let_go_and_the_rest_is_published(place, undisturbed):
    """As `ifbench evaluate` does it, with less patience than 15 s."""
    place.behave(Fault(mode="hang", match="decimal"))
    arguments = [*place.command("execution.in_flight=92")[3:]]
    script = (
        "import sys; from pathlib import Path; from ifbench.config import load_config;"
        " from ifbench.commands.evaluate import run_points; from ifbench.config import Point;"
        f" config = load_config({arguments!r}, config_dir=Path('conf'));"
        " sys.exit(run_points([Point(config=config)], 'ifbench evaluate', drain_s=6))"
    )
    place.write_model("candidate", limits={"concurrency": 64})
    with place.start_program("-c", script) as run:
        wait_until(lambda: place.stored() >= 40, "the answers that come")
        ended = stop(run, signal.SIGINT, to_all=True, within_s=30)
    assert ended.code == 130
    assert "letting go of the calls" in ended.out
    assert_partial(place, undisturbed)
    assert {row["ending"] for row in place.invocations()} == {"interrupted"}
