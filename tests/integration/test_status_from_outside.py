"""Another process sees a run while it goes on, knows when it was killed, and when it ended."""

from __future__ import annotations

import signal
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from running import Place, wait_until

from engines.endpoint import Fault
from ifbench.commands.status import chosen
from ifbench.report.status import SILENT_S, RunStatus, run_status
from ifbench.store import Store
from ifbench.store.progress import load_progress


def seen(place: Place) -> RunStatus:
    (status,) = chosen(Store(place.store), ())
    return status


def wait_for_progress(place: Place) -> None:
    wait_until(lambda: [*Path(place.store).glob("runs/*/progress.json")], "a first progress")


@pytest.mark.soak
def test_a_run_is_seen_while_it_goes_on_after_a_kill_and_at_its_end(place):
    place.slow_down(5.0)
    with place.start() as run:
        wait_for_progress(place)
        wait_until(lambda: seen(place).state == "running", "rows")  # At first it is starting.
        first = seen(place)
        assert first.pid == run.process.pid
        assert first.seen_s < SILENT_S
        wait_until(lambda: seen(place).steps[0].done > first.steps[0].done, "more rows")
        wait_until(lambda: sum(model.in_flight for model in seen(place).models) > 0, "calls")
        later = seen(place)
        assert later.candidates[0].steps["generate"] == later.steps[0].done
        assert 0 < later.steps[0].done < later.planned
        run.kill(signal.SIGKILL)
        run.wait()
    (manifest,) = Store(place.store).list_runs()
    progress = load_progress(place.store, manifest.run_id)
    soon = datetime.now(UTC) + timedelta(seconds=SILENT_S + 1)
    assert run_status(manifest, progress, soon).state == "silent"
    assert "killed: its process has ended" in place.run(["status", "--store", place.store]).out
    place.slow_down(0)
    assert place.evaluate().code == 0
    told = place.run(["status", "--store", place.store])
    assert told.code == 0
    assert f"{later.planned} of {later.planned} trials complete, 0 owed" in told.out


def test_a_limited_endpoint_is_said_to_be_limited(place):
    place.behave(Fault(status=429, headers={"retry-after": "30"}))
    with place.start():
        wait_for_progress(place)
        wait_until(lambda: seen(place).models and seen(place).models[0].limited, "a 429")
        (model,) = seen(place).models
        assert model.limited_lately == model.limited > 0
        wait_until(lambda: seen(place).models[0].backing_off > 0, "a back-off")
