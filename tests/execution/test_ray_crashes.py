"""A row that kills its worker each time, on Ray: set apart, and its neighbours come out."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from ifbench.execution.step import Seat, Step, Work
from ifbench.types import FailureKind, ModelConfig, Purpose, Response, Sample, Trial, WorkItem

pytestmark = [pytest.mark.ray, pytest.mark.timeout(300)]

MODEL = ModelConfig(name="m", engine="scripted", model="m")
ROWS = 60
POISON = "s17"


def note(folder: Path, name: str) -> None:
    """Another time that a row has begun."""
    (folder / f"{name}-{len(list(folder.glob(f'{name}-*')))}").touch()


@asynccontextmanager
async def deadly(folder: Path, seat: Seat) -> AsyncIterator[Work]:
    """Answers; with one sample it dies, once the rows beside it have begun."""

    async def work(row: Trial) -> Trial:
        if row.response is not None:
            return row
        name = row.item.sample.id
        note(folder, name)
        await asyncio.sleep(0.05)
        if name == POISON:
            os.kill(os.getpid(), signal.SIGKILL)
        return replace(row, response=Response(key="", purpose=Purpose.CANDIDATE, model="m"))

    yield work


def trials() -> list[Trial]:
    samples = (
        Sample(id=f"s{number}", benchmark="scimif", instruction="?") for number in range(ROWS)
    )
    return [Trial(item=WorkItem(sample=sample, candidate=MODEL)) for sample in samples]


@pytest.fixture
def ray():
    found = pytest.importorskip("ray")
    found.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    return found


def test_a_row_that_kills_its_worker_each_time_is_set_apart_and_alone(ray, tmp_path, caplog):
    from ifbench.execution.ray_data import RayExecutor
    from ifbench.execution.ray_start import RayOptions

    executor = RayExecutor(RayOptions(num_cpus=2, rows_per_block=4))
    step = Step(name="answer", build=partial(deadly, tmp_path), in_flight=16)
    rows = list(executor.run(trials(), (step,)))
    assert sorted(row.item.sample.id for row in rows) == sorted(f"s{n}" for n in range(ROWS))
    apart = [row for row in rows if row.response.failure is not None]
    assert [row.item.sample.id for row in apart] == [POISON]
    assert apart[0].response.failure.kind is FailureKind.CRASH
    begun = {f"s{n}": len(list(tmp_path.glob(f"s{n}-*"))) for n in range(ROWS)}
    assert begun.pop(POISON) == 3
    assert max(begun.values()) <= 4  # Three deaths; in a run the stored answers are found.
    assert executor.counts()["workers", "answer", "died"] == 3
    assert "1 worker(s) of step answer died" in caplog.text


@asynccontextmanager
async def echo(seat: Seat) -> AsyncIterator[Work]:
    async def work(row: Trial) -> Trial:
        await asyncio.sleep(0.02)
        return row

    yield work


@pytest.mark.soak
def test_what_is_left_of_an_earlier_cluster_takes_no_row_from_the_next_one(ray):
    """References have numbers, which begin anew with each cluster; letting go of an old one frees
    the object of its number.
    """
    from ifbench.execution.ray_data import RayExecutor
    from ifbench.execution.ray_start import RayOptions, start_ray

    options = RayOptions(num_cpus=2, rows_per_block=4)
    ray.shutdown()
    start_ray(options)
    gc.disable()
    try:
        garbage: dict[str, object] = {"refs": [ray.put(number) for number in range(200)]}
        garbage["itself"] = garbage
        del garbage
        ray.shutdown()
        rows: list[Trial] = []

        def run() -> None:
            for row in RayExecutor(options).run(trials(), (Step(name="echo", build=echo),)):
                rows.append(row)
                gc.collect()

        later = threading.Thread(target=run)  # Whoever starts Ray has the numbers from 1.
        later.start()
        later.join(120)
    finally:
        gc.enable()
        ray.shutdown()
    assert len(rows) == ROWS
