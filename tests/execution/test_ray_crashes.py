"""A row that kills its worker each time, on Ray: set apart, and its neighbours come out."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
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


def test_a_row_that_kills_its_worker_each_time_is_set_apart_and_alone(tmp_path, caplog):
    ray = pytest.importorskip("ray")
    from ifbench.execution.ray_data import RayExecutor, RayOptions

    ray.shutdown()
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    executor = RayExecutor(RayOptions(num_cpus=2, rows_per_block=4))
    step = Step(name="answer", build=partial(deadly, tmp_path), in_flight=16)
    try:
        rows = list(executor.run(trials(), (step,)))
    finally:
        ray.shutdown()
    assert sorted(row.item.sample.id for row in rows) == sorted(f"s{n}" for n in range(ROWS))
    apart = [row for row in rows if row.response.failure is not None]
    assert [row.item.sample.id for row in apart] == [POISON]
    assert apart[0].response.failure.kind is FailureKind.CRASH
    begun = {f"s{n}": len(list(tmp_path.glob(f"s{n}-*"))) for n in range(ROWS)}
    assert begun.pop(POISON) == 3
    assert max(begun.values()) <= 3
    assert executor.counts()["workers", "answer", "died"] == 3
    assert "1 worker(s) of step answer died" in caplog.text
