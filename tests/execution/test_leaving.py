"""A node that goes: no row begins on it, what is in flight comes in, and a stop still ends it."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from ifbench.execution.leaving import VARIABLE, drivers, is_leaving, leave
from ifbench.execution.step import Seat, Step, Work
from ifbench.types import ModelConfig, Purpose, Response, Sample, Trial, WorkItem

MODEL = ModelConfig(name="m", engine="scripted", model="m")
ROW_S = 0.2


def process(folder: Path, pid: int, *words: str) -> None:
    """A process as Linux shows it."""
    (folder / str(pid)).mkdir(parents=True)
    (folder / str(pid) / "cmdline").write_bytes(b"".join(w.encode() + b"\0" for w in words))


def test_nothing_is_read_without_the_variable(monkeypatch, tmp_path):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert not is_leaving()
    monkeypatch.setenv(VARIABLE, str(tmp_path / "note"))
    assert not is_leaving()
    (tmp_path / "note").touch()
    assert is_leaving()


def test_drivers_are_told_from_shells_and_from_what_talks_of_them(tmp_path):
    process(tmp_path, 11, "python", "/app/jobs/evaluate.py", "judge=x")
    process(tmp_path, 12, "/bin/sh", "-c", "python /app/jobs/evaluate.py judge=x")
    process(tmp_path, 13, "ray::MapWorker(generate)")
    process(tmp_path, 14)
    (tmp_path / "15").mkdir()
    (tmp_path / "self").mkdir()
    assert drivers(tmp_path) == [11]


def test_an_idle_node_is_not_waited_for_and_a_busy_one_no_longer_than_told(monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "note"))
    process(tmp_path / "idle", 1, "ray", "start")
    process(tmp_path / "busy", 1, "ray::MapWorker(generate)")
    started = time.monotonic()
    leave(30, tmp_path / "idle")
    assert time.monotonic() - started < 5
    assert (tmp_path / "note").exists()
    started = time.monotonic()
    leave(0.5, tmp_path / "busy")
    assert 0.5 <= time.monotonic() - started < 5


def test_a_driver_is_stopped_in_order_and_waited_for(tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    script = tmp_path / "jobs" / "evaluate.py"
    script.parent.mkdir()
    script.write_text(
        "import signal, sys, time\n"
        "def end(*_):\n    time.sleep(0.5); print('drained', flush=True); sys.exit(130)\n"
        "signal.signal(signal.SIGTERM, end); print('up', flush=True); time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as one:
        try:
            assert one.stdout.readline() == "up\n"
            seen = tmp_path / "proc"  # this process alone, of all that may run here
            seen.mkdir()
            (seen / str(one.pid)).symlink_to(f"/proc/{one.pid}")
            threading.Thread(target=one.wait, daemon=True).start()
            leave(30, seen)
            assert one.wait(5) == 130
            assert one.stdout.read() == "drained\n"
        finally:
            one.kill()


# ── On Ray ───────────────────────────────────────────────────────────────────────────


@asynccontextmanager
async def noting(seat: Seat) -> AsyncIterator[Work]:
    """Notes each row as it begins."""
    folder = Path(os.environ["IFBENCH_TEST_FOLDER"])

    async def work(row: Trial) -> Trial:
        if seat.stopping():
            return row
        (folder / f"began-{row.item.sample.id}").touch()
        await asyncio.sleep(ROW_S)
        text = row.item.sample.instruction
        return replace(
            row, response=Response(key="", purpose=Purpose.CANDIDATE, model="m", text=text)
        )

    yield work


def trials(count: int) -> Iterator[Trial]:
    for i in range(count):
        sample = Sample(id=f"s{i}", benchmark="scimif", instruction=str(i))
        yield Trial(item=WorkItem(sample=sample, candidate=MODEL))


@pytest.mark.ray
@pytest.mark.soak
def test_a_worker_begins_no_row_once_its_node_goes_and_ends_when_it_is_stopped(
    tmp_path, monkeypatch
):
    ray = pytest.importorskip("ray")
    from ifbench.execution.ray_data import RayExecutor
    from ifbench.execution.ray_start import RayOptions

    if ray.is_initialized():
        ray.shutdown()
    monkeypatch.setenv(VARIABLE, str(tmp_path / "note"))  # before the nodes start
    monkeypatch.setenv("IFBENCH_TEST_FOLDER", str(tmp_path))
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    executor = RayExecutor(RayOptions(num_cpus=2, rows_per_block=4))
    rows: list[Trial] = []
    step = Step(name="note", build=noting, in_flight=4)
    run = threading.Thread(target=lambda: rows.extend(executor.run(trials(400), (step,))))
    try:
        run.start()
        wait_for(lambda: began(tmp_path) >= 8)
        (tmp_path / "note").touch()
        time.sleep(1.0 + ROW_S)  # the note is looked for twice a second
        held = began(tmp_path)
        time.sleep(2.0)
        assert began(tmp_path) == held < 400
        executor.stop()
        run.join(60)
        assert not run.is_alive()
    finally:
        executor.let_go()
        run.join(60)
        ray.shutdown()
    answered = [row for row in rows if row.response is not None]
    assert len(rows) == 400
    assert len(answered) == held


def began(folder: Path) -> int:
    return sum(1 for _ in folder.glob("began-*"))


def wait_for(condition, seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
