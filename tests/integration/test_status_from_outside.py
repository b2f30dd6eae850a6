"""Another terminal sees a run while it goes on, knows when it was killed, and when it ended."""

from __future__ import annotations

import json
import signal
import time

from running import Place, wait_until

from engines.endpoint import Fault
from ifbench.report.status import SILENT_S


def seen(place: Place) -> dict:
    done = place.run(["status", "--store", place.store, "--format", "json"])
    assert done.code == 0, done.err
    (one,) = json.loads(done.out)
    return one


def test_a_run_is_seen_while_it_goes_on_after_a_kill_and_at_its_end(place):
    place.slow_down(1.0)
    with place.start() as run:
        place.wait_for(20)
        wait_until(lambda: seen(place)["steps"], "a first progress")
        first = seen(place)
        assert first["state"] == "running"
        assert first["pid"] == run.process.pid
        assert first["seen_s"] < SILENT_S
        wait_until(lambda: seen(place)["steps"][0]["done"] > first["steps"][0]["done"], "more rows")
        later = seen(place)
        assert later["left_s"] is None or later["left_s"] > 0
        assert sum(model["in_flight"] for model in later["models"]) > 0
        assert later["candidates"][0]["steps"]["generate"] == later["steps"][0]["done"]
        run.kill(signal.SIGKILL)
        run.wait()
    assert seen(place)["state"] in ("running", "silent")  # Silent only once time has passed.
    place.slow_down(0)
    assert place.evaluate().code == 0
    last = seen(place)
    assert last["state"] == "complete"
    assert last["complete"] == last["planned"] > 0
    assert last["owed"] == 0


def test_a_limited_endpoint_is_said_to_be_limited(place):
    place.behave(Fault(status=429, headers={"retry-after": "2"}))
    with place.start() as run:
        place.wait_for(1)
        deadline = time.monotonic() + 60
        told = False
        while not told and time.monotonic() < deadline and run.process.poll() is None:
            told = any(model["limited"] for model in seen(place)["models"])
            time.sleep(0.2)
        assert told
