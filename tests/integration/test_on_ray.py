"""The same promises on Ray, where workers die one by one and the driver is not their parent.

A start of Ray takes seconds, so each test is a story of several events.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pyarrow as pa
import pytest
from running import (
    SETTLE_S,
    Finished,
    Place,
    Running,
    alive,
    assert_paid_once,
    descendants,
    ray_workers,
    wait_until,
)

from engines.endpoint import EndpointProcess, Fault
from ifbench.cli import EXIT_OWED

pytestmark = [pytest.mark.ray, pytest.mark.timeout(900)]

LATENCY_S = 0.4
MOST_IN_FLIGHT = 32
"""Eight calls for each of two models, and as many that are answered and on their way to the disk."""
STOP_S = 20.0
"""Ray takes seconds to end on a machine that is busy."""


@pytest.fixture
def place(judged_run: object, endpoint: EndpointProcess, log: Path, tmp_path: Path) -> Place:
    return Place(folder=tmp_path, endpoint=endpoint, log=log, execution="ray")


def test_workers_that_are_killed_cost_their_calls_in_flight_and_the_run_goes_on(
    place, judged_data, judged_run
):
    results, wanted = judged_run
    place.behave(Fault(match='"model":"judge"', latency_s=1), Fault(latency_s=LATENCY_S))
    with place.start(f"benchmark.data={judged_data}") as run:
        # The candidate is that far ahead, so that the judge is at work while it starts anew.
        kills = [kill_worker(place, run, "candidate", 24), kill_worker(place, run, "judge", 12)]
        ended = run.wait(240)
    assert ended.code == 0, ended.out
    assert place.preflights() == 2
    assert_paid_once(place.prompts(), wanted, sum(kills))
    assert place.results() == results


def kill_worker(place: Place, run: Running, purpose: str, answers: int) -> int:
    """Kill the process that has stored most answers for a purpose, once there are so many.

    Returns how many calls were asked and not stored at that instant, over all workers.
    """
    what = f"answers for the {purpose}"
    wait_until(lambda: len(writers(place, purpose)) >= answers, what, every_s=0.1)
    pid = max(set(pids := writers(place, purpose)), key=pids.count)
    workers = [one for one, title in descendants(run.process.pid).items() if "MapWorker" in title]
    assert pid in workers
    with frozen(workers):
        time.sleep(SETTLE_S)  # for what is on its way to the endpoint
        in_flight = place.prompts().total() - place.stored()
        os.kill(pid, signal.SIGKILL)
    assert 0 < in_flight <= MOST_IN_FLIGHT
    wait_until(lambda: not alive([pid]), "the worker to die")
    return in_flight


@contextmanager
def frozen(pids: Sequence[int]) -> Iterator[None]:
    """Hold processes still, so that nothing is asked or stored."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def writers(place: Place, purpose: str) -> list[int]:
    """The process behind each stored answer for a purpose; writers are named for theirs."""
    found: list[int] = []
    for path in Path(place.store).glob("responses/journal/*.arrow"):
        pid = int(path.stem.split("-")[-2])
        found += [pid for row in stream_rows(path) if row == purpose]
    return found


def stream_rows(path: Path) -> Iterator[str]:
    """The purposes in a journal file that somebody may be writing."""
    try:
        with pa.ipc.open_stream(path) as stream:
            for batch in stream:
                yield from batch["purpose"].to_pylist()
    except (pa.ArrowInvalid, OSError):
        return


@pytest.mark.soak
def test_a_run_that_is_killed_and_stopped_again_and_again_pays_for_each_prompt_once(
    place, judged_data, judged_run
):
    results, wanted = judged_run
    place.slow_down(2 * LATENCY_S)
    with started(place, judged_data) as run:
        run.process.kill()  # the driver alone; its workers go on until they notice
        run.process.wait(10)
    lost = lost_in_flight(place)

    place.slow_down(LATENCY_S)
    with started(place, judged_data) as run:
        ended = stop(run, lambda: run.process.send_signal(signal.SIGTERM))
    assert lost_in_flight(place) == lost
    assert set(place.causes()) == {"not_run"}
    assert place.stored() < len(wanted)

    done = place.run_line(ended.last_line.removeprefix("To go on: "))
    assert done.code == 0, done.err
    assert_paid_once(place.prompts(), wanted, lost)
    assert place.results() == results


@pytest.mark.soak
def test_an_endpoint_that_misbehaves_in_every_way_is_paid_once_for_each_prompt(
    place, judged_data, judged_run
):
    results, wanted = judged_run
    for name in ("candidate", "judge"):
        place.write_model(name, limits={"timeout_s": 5})
    cut = Fault(mode="cut", times=5)
    place.behave(
        Fault(status=429, headers={"retry-after": "1"}, times=3),
        Fault(body="<html><body>Bad gateway</body></html>", times=5),
        Fault(body={"data": []}, times=5),
        Fault(body='{"choices": [{"mess', times=5),
        Fault(mode="hang", times=3),
        cut,
        Fault(status=503, times=10),
        Fault(mode="drop", every=2, times=60),
    )
    done = place.evaluate(f"benchmark.data={judged_data}")
    if done.code == EXIT_OWED:  # A call may have met with a fault at each of its tries.
        done = place.evaluate(f"benchmark.data={judged_data}")
    assert done.code == 0, done.err
    assert place.results() == results
    paid = Counter(line["digest"] for line in place.answered())
    assert set(paid) == wanted
    assert paid.total() - len(paid) == cut.times  # Paid for, and cannot be read.


@pytest.mark.soak
def test_a_second_ctrl_c_ends_at_once_and_loses_what_is_in_flight(place, judged_data, judged_run):
    place.slow_down(2 * LATENCY_S)
    with started(place, judged_data) as run:
        end_at_once(place, run)
    lost = lost_in_flight(place)
    place.slow_down(0)
    done = place.evaluate(f"benchmark.data={judged_data}")
    assert done.code == 0, done.err
    assert_paid_once(place.prompts(), judged_run[1], lost)
    assert place.results() == judged_run[0]


def lost_in_flight(place: Place) -> int:
    """Calls whose answers nobody stored; at each kill no more than were under way at once."""
    lost = place.prompts().total() - place.stored()
    assert lost <= 2 * place.endpoint.counts()["most_in_flight"]
    return lost


@contextmanager
def started(place: Place, judged_data: Path) -> Iterator[Running]:
    """A run that has begun to ask; once it has ended, its workers end by themselves."""
    before = place.prompts().total()
    with place.start(f"benchmark.data={judged_data}") as run:
        place.wait_for(before + 12)
        ours = ray_workers(run.process.pid)
        assert len(ours) >= 4
        yield run
        run.process.wait(60)
        wait_until(lambda: not alive(ours), "the workers to end", 30)


def stop(run: Running, send: Callable[[], None]) -> Finished:
    """Stop a run in order; it drains soon and says how to go on."""
    sent = time.monotonic()
    send()
    ended = run.wait(60)
    assert ended.code == 130, ended.out
    assert time.monotonic() - sent < STOP_S
    assert ended.last_line.startswith("To go on: ifbench evaluate ")
    return ended


def end_at_once(place: Place, run: Running) -> None:
    """A second Ctrl-C, before the first has drained."""
    place.slow_down(20)
    time.sleep(2 * LATENCY_S)
    run.kill(signal.SIGINT)
    time.sleep(1)
    assert run.process.poll() is None
    run.kill(signal.SIGINT)
    ended = run.wait(10)
    assert ended.code == 130, ended.out
    assert ended.last_line.startswith("To go on: ifbench evaluate ")


@pytest.mark.soak
def test_a_disk_that_fills_up_loses_no_answer_and_says_what_is_wrong(
    place, judged_data, judged_run
):
    place.slow_down(LATENCY_S)
    with small_disk(Path(place.store), kib=90) as grow:
        full = place.evaluate(f"benchmark.data={judged_data}")
        assert full.code == 2
        assert "answers can no longer be stored" in full.err
        assert "No space left on device" in full.err
        assert "are kept in" in full.err
        assert "Traceback" not in full.err
        assert len(place.settled()) < len(judged_run[1])
        grow()
        done = place.evaluate(f"benchmark.data={judged_data}")
        assert done.code == 0, done.err
        assert_paid_once(place.prompts(), judged_run[1], 0)
        assert place.results() == judged_run[0]


@contextmanager
def small_disk(folder: Path, *, kib: int) -> Iterator[Callable[[], None]]:
    """A file system of a few KiB; what it yields makes room on it."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kib}k", "none", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a file system")
    try:
        yield lambda: subprocess.run(["mount", "-o", "remount,size=200m", str(folder)], check=True)
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
