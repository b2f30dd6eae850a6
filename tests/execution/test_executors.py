"""One contract for every executor: the same steps give the same rows."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from ifbench.errors import IfbenchError, StoreError
from ifbench.execution.local import LocalExecutor
from ifbench.execution.ray_data import pools, turns
from ifbench.execution.step import Lane, Seat, Step, Work
from ifbench.types import ModelConfig, Purpose, Response, Sample, Trial, WorkItem

MODEL = ModelConfig(name="m", engine="scripted", model="m")


def trials(count: int) -> Iterator[Trial]:
    for i in range(count):
        sample = Sample(id=f"s{i}", benchmark="scimif", instruction=str(i))
        yield Trial(item=WorkItem(sample=sample, candidate=MODEL))


def texts(rows: list[Trial]) -> dict[str, str]:
    return {row.item.sample.id: row.response.text for row in rows}


@asynccontextmanager
async def answer(seat: Seat) -> AsyncIterator[Work]:
    """Answers `N!`, the later rows sooner."""

    async def work(row: Trial) -> Trial:
        await asyncio.sleep(0.001 * (int(row.item.sample.instruction) % 3))
        text = row.item.sample.instruction + "!"
        return replace(
            row, response=Response(key="", purpose=Purpose.CANDIDATE, model="m", text=text)
        )

    yield work


@asynccontextmanager
async def double(seat: Seat) -> AsyncIterator[Work]:
    async def work(row: Trial) -> Trial:
        if seat.stopping():
            return row
        return replace(row, response=replace(row.response, text=row.response.text * 2))

    yield work


@asynccontextmanager
async def slow(seat: Seat) -> AsyncIterator[Work]:
    async def work(row: Trial) -> Trial:
        for _ in range(200):
            if seat.stopping():
                return row
            await asyncio.sleep(0.05)
        return row

    yield work


@asynccontextmanager
async def stuck(seat: Seat) -> AsyncIterator[Work]:
    async def work(row: Trial) -> Trial:
        await asyncio.Event().wait()
        return row

    yield work


@asynccontextmanager
async def unready(seat: Seat) -> AsyncIterator[Work]:
    raise ValueError("the judge's key is missing")
    yield


@asynccontextmanager
async def sign(seat: Seat) -> AsyncIterator[Work]:
    """Adds the process that did it."""

    async def work(row: Trial) -> Trial:
        return replace(row, response=replace(row.response, model=f"{os.getpid()}"))

    yield work


ANSWER = Step(name="answer", build=answer, in_flight=4)
STEPS = (
    ANSWER,
    Step(name="double", build=double, workers=2, in_flight=3),
    Step(name="sign", build=sign, workers=2, is_light=True),
)
"""On Ray each worker of each pool is a process that takes seconds to start: most tests need one."""


@pytest.fixture(params=["local", pytest.param("ray", marks=pytest.mark.ray)])
def make_executor(request):
    return LocalExecutor if request.param == "local" else ray_executor


def ray_executor(**options):
    from ray import cloudpickle

    from ifbench.execution.ray_data import RayExecutor
    from ifbench.execution.ray_start import RayOptions

    cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import tests
    return RayExecutor(RayOptions(num_cpus=2, rows_per_block=4, **options))


def test_every_row_passes_every_step_once_and_is_counted(make_executor):
    executor = make_executor()
    rows = list(executor.run(trials(50), STEPS))
    assert texts(rows) == {f"s{i}": f"{i}!{i}!" for i in range(50)}
    assert len(rows) == 50
    assert 1 <= len({row.response.model for row in rows}) <= 2  # It took no further process.
    counts = executor.counts()
    names = [(step.name, way) for step in STEPS for way in ("in", "out")]
    assert {counts["rows", *name] for name in names} == {50.0}


@asynccontextmanager
async def waiting_for_the_others(folder: Path, seat: Seat) -> AsyncIterator[Work]:
    """The candidate `late` answers once the 30 rows of the other are through the next step."""

    async def work(row: Trial) -> Trial:
        deadline = time.monotonic() + 60
        while row.item.candidate.name == "late" and _count_files(folder) < 30:
            if time.monotonic() > deadline:
                return row
            await asyncio.sleep(0.05)
        return replace(row, response=Response(key="", purpose=Purpose.CANDIDATE, model="m"))

    yield work


def _count_files(folder: Path) -> int:
    return sum(1 for _ in folder.iterdir())


@asynccontextmanager
async def noting(folder: Path, seat: Seat) -> AsyncIterator[Work]:
    async def work(row: Trial) -> Trial:
        if row.item.candidate.name != "late":
            (folder / f"{row.item.candidate.name}-{row.item.sample.id}").touch()
        return row

    yield work


def of_model(name: str, count: int) -> list[Trial]:
    model = replace(MODEL, name=name)
    return [replace(row, item=replace(row.item, candidate=model)) for row in trials(count)]


def test_a_slow_candidate_fills_its_own_lane_alone(make_executor, tmp_path):
    lanes = (
        Lane(name="late", rows=of_model("late", 40), in_flight=4),
        Lane(name="empty", rows=(), in_flight=2),
        Lane(name="early", rows=of_model("early", 30), in_flight=2),
    )
    steps = (
        Step(name="ask", build=partial(waiting_for_the_others, tmp_path), in_flight=8),
        Step(name="note", build=partial(noting, tmp_path)),
    )
    rows = list(make_executor().run(lanes, steps))
    names = [row.item.candidate.name for row in rows]
    assert sorted(names) == ["early"] * 30 + ["late"] * 40
    assert all(row.response is not None for row in rows)  # None had to give up waiting.


def test_one_group_of_rows_runs_after_the_other(make_executor):
    executor = make_executor()
    groups = [list(executor.run(trials(count), (ANSWER,))) for count in (4, 0, 6)]
    assert [len(rows) for rows in groups] == [4, 0, 6]
    assert all(row.response is not None for rows in groups for row in rows)
    assert executor.counts()["rows", "answer", "out"] == 10


@pytest.mark.parametrize(
    ("lanes", "most", "expected"),
    [
        (["abc"], 10, [["abc"]]),
        (["abc"], 3, [["abc"]]),
        (["abcde"], 2, [["ab"], ["cd"], ["e"]]),
        (["abcde", "x"], 4, [["ab", "x"], ["cde"]]),
        (["ab", "xyz"], 1, [["a", "x"], ["b", "y"], ["z"]]),
        ([""], 5, [[""]]),
        (["", "ab"], 4, [["", "ab"]]),
    ],
)
def test_lanes_are_cut_into_turns(lanes, most, expected):
    whole = tuple(Lane(name=rows, rows=rows, in_flight=1) for rows in lanes)
    found = [["".join(lane.rows) for lane in turn] for turn in turns(whole, most)]
    assert found == expected


@pytest.mark.ray
def test_rows_that_are_too_many_for_ray_at_once_go_through_in_turns():
    rows = list(trials(25))
    lanes = (
        Lane(name="a", rows=rows[:5], in_flight=4),
        Lane(name="b", rows=rows[5:], in_flight=4),
    )
    executor = ray_executor(rows_at_once=16)
    found = list(executor.run(lanes, (ANSWER,)))
    assert texts(found) == {f"s{i}": f"{i}!" for i in range(25)}
    assert len(found) == 25
    assert executor.counts()["rows", "answer", "out"] == 25


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("a", ["a"]),
        ("a b", ["a", "b"]),
        ("a b c*", ["a", "bc"]),
        ("a b* c*", ["abc"]),
        ("a* b", ["a", "b"]),
        ("a b2 c*", ["a", "b", "c"]),
        ("a b2 c*2", ["a", "bc"]),
    ],
)
def test_a_light_step_shares_the_workers_of_the_one_before_it(steps, expected):
    made = tuple(
        Step(
            name=word[0],
            build=double,
            workers=int(word.strip("abc*") or 1),
            is_light="*" in word,
        )
        for word in steps.split()
    )
    assert ["".join(step.name for step in pool) for pool in pools(made)] == expected


def test_a_worker_that_cannot_start_ends_the_run_with_its_reason(make_executor):
    with pytest.raises(Exception, match="the judge's key is missing"):
        list(make_executor().run(trials(3), (Step(name="judge", build=unready),)))


def test_after_stop_no_row_begins_and_rows_in_hand_come_out(make_executor):
    executor = make_executor()
    threading.Timer(1.5, executor.stop).start()
    started = time.monotonic()
    rows = list(executor.run(trials(40), (Step(name="slow", build=slow, in_flight=4),)))
    assert time.monotonic() - started < 60  # the whole would take 100 s
    assert len(rows) <= 40


def test_rows_that_never_end_come_out_as_they_went_in_once_they_are_let_go(make_executor):
    executor = make_executor()
    threading.Timer(1.5, executor.let_go).start()
    rows = list(executor.run(trials(6), (Step(name="stuck", build=stuck, in_flight=2),)))
    assert all(row.response is None for row in rows)
    assert len(rows) <= 6


@asynccontextmanager
async def over_a_full_store(folder: Path, seat: Seat) -> AsyncIterator[Work]:
    """The first row cannot be stored; the three beside it are in flight then, and come in late."""

    async def work(row: Trial) -> Trial:
        name = row.item.sample.id
        if seat.stopping():
            return row
        (folder / f"begun-{name}").touch()
        await asyncio.sleep(0.2)  # All four are in flight.
        if name == "s0":
            raise StoreError("the disk is full; 0 kept")
        await asyncio.sleep(0.5)
        (folder / f"ended-{name}").touch()
        raise StoreError("the disk is full; 3 kept")

    yield work


@pytest.mark.parametrize(
    "make_executor",
    ["local", pytest.param("ray", marks=[pytest.mark.ray, pytest.mark.soak])],
    indirect=True,
)
def test_the_rows_in_flight_come_in_when_the_store_takes_no_more(make_executor, tmp_path, caplog):
    steps = (Step(name="one", build=partial(over_a_full_store, tmp_path), in_flight=4),)
    with pytest.raises(StoreError) as caught:
        list(make_executor().run(trials(50), steps))
    begun = {path.name for path in tmp_path.glob("begun-*")}
    ended = {path.name for path in tmp_path.glob("ended-*")}
    assert begun == {f"begun-s{n}" for n in range(4)}
    assert ended == {f"ended-s{n}" for n in range(1, 4)}
    assert str(caught.value) == "the disk is full; 3 kept"  # What has become of the last of them.
    assert caplog.text.count("the store takes no more answers") <= 1


@asynccontextmanager
async def with_a_bug(seat: Seat) -> AsyncIterator[Work]:
    async def work(row: Trial) -> Trial:
        raise LookupError("no such thing")

    yield work


@pytest.mark.ray
@pytest.mark.soak
def test_a_bug_in_a_worker_is_told_by_its_name_and_not_by_advice_on_ray():
    with pytest.raises(IfbenchError, match=r"LookupError: no such thing$"):
        list(ray_executor().run(trials(5), (Step(name="one", build=with_a_bug),)))


def test_local_hands_on_the_first_row_before_the_last_begins():
    begun: list[str] = []

    @asynccontextmanager
    async def build(seat: Seat) -> AsyncIterator[Work]:
        async def work(row: Trial) -> Trial:
            begun.append(row.item.sample.id)
            await asyncio.sleep(0.005)
            return row

        yield work

    rows = LocalExecutor().run(trials(200), (Step(name="one", build=build, in_flight=2),))
    next(rows)
    assert len(begun) < 200
    rows.close()


def test_local_reads_its_input_only_as_far_as_it_can_work():
    read: list[int] = []

    def source() -> Iterator[Trial]:
        for i, row in enumerate(trials(1000)):
            read.append(i)
            yield row

    rows = LocalExecutor().run(source(), (Step(name="slow", build=slow, in_flight=2),))
    thread = threading.Thread(target=lambda: next(rows, None), daemon=True)
    thread.start()
    time.sleep(0.3)
    assert len(read) < 20
