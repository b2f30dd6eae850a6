"""Who was in hand when a worker died: narrowed down from all to one, which is set apart."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from ifbench.execution.crashes import Ledger, Places, places_for, row_id, row_name, set_apart
from ifbench.types import (
    Blame,
    FailureKind,
    ModelConfig,
    Purpose,
    Response,
    Sample,
    Stop,
    Trial,
    WorkItem,
)

MODEL = ModelConfig(name="m", engine="scripted", model="m-1")


def trial(name: str = "s") -> Trial:
    sample = Sample(id=name, benchmark="scimif", instruction="?")
    return Trial(item=WorkItem(sample=sample, candidate=MODEL))


A, B, C = (row_id("generate", trial(name)) for name in "abc")


def test_a_death_is_counted_for_what_was_in_hand_and_for_nothing_else():
    ledger = Ledger()
    assert ledger.begin_worker("w") == 0
    assert ledger.begin_block("w", "1", [A]) == (0,)
    assert ledger.begin_block("w", "2", [B]) == (0,)
    ledger.begin_block("other", "3", [C])
    ledger.end("w", "1")
    assert ledger.begin_worker("w") == 1
    assert ledger.begin_block("w", "4", [A, B, C]) == (0, 1, 0)


def test_rows_that_a_worker_died_with_are_in_hand_only_while_it_is_their_turn():
    ledger = Ledger()
    ledger.begin_block("w", "1", [A, B])
    ledger.begin_worker("w")
    assert ledger.begin_block("w", "2", [A, B, C]) == (1, 1, 0)
    ledger.begin_row("w", A)
    assert ledger.begin_worker("w") == 2  # A and C, as B had not begun.
    assert ledger.begin_block("w", "3", [A, B, C]) == (2, 1, 1)


def test_a_row_whose_turn_ends_well_starts_afresh():
    ledger = Ledger()
    ledger.begin_block("w", "1", [A, B])
    ledger.begin_worker("w")
    ledger.begin_block("w", "2", [A, B])
    ledger.begin_row("w", A)
    ledger.end("w", row_name(A))
    ledger.begin_worker("w")
    assert ledger.begin_block("w", "3", [A, B]) == (0, 1)


def test_what_a_worker_took_without_asking_is_in_hand_whoever_died_with_it_before():
    ledger = Ledger()
    ledger.enter_block("w", "1", [A, B])
    assert not ledger.has_deaths
    assert ledger.begin_worker("w") == 2
    assert ledger.has_deaths
    ledger.enter_block("other", "2", [A, C])  # It had not heard of the death yet.
    assert ledger.begin_worker("other") == 2
    assert ledger.begin_block("w", "3", [A, B, C]) == (2, 1, 1)


def test_deaths_are_forgotten_once_every_row_has_ended_well():
    ledger = Ledger()
    ledger.enter_block("w", "1", [A, B])
    ledger.begin_worker("w")
    for row in (A, B):
        assert ledger.has_deaths
        ledger.begin_row("w", row)
        ledger.end("w", row_name(row))
    assert not ledger.has_deaths


def test_a_machine_that_has_said_that_it_goes_is_no_rows_fault():
    ledger = Ledger()
    ledger.begin_block("w", "1", [A, B])
    ledger.excuse("w")
    ledger.end("w", "1")
    assert ledger.begin_worker("w") == 0
    assert ledger.begin_block("w", "2", [A, B]) == (0, 0)


def test_a_row_is_another_one_in_another_step_attempt_or_run():
    again = trial()
    again = replace(again, item=replace(again.item, attempt=1))
    other = replace(trial(), run="r2")
    keys = (("x", trial()), ("y", trial()), ("x", again), ("x", other))
    names = {row_name(row_id(*key)) for key in keys}
    assert len(names) == 4


@pytest.mark.parametrize(
    ("most", "width", "expected"),
    [
        (3, 256, [256, 16, 1]),
        (3, 8, [8, 3, 1]),
        (2, 256, [256, 1]),
        (5, 16, [16, 8, 4, 2, 1]),
        (3, 1, [1, 1, 1]),
        (1, 64, [1]),
    ],
)
def test_each_death_narrows_by_the_same_ratio_down_to_one(most, width, expected):
    assert [places_for(deaths, width, most) for deaths in range(most)] == expected


async def test_few_are_in_work_of_those_that_a_worker_died_with_and_others_go_on_beside_them():
    places, now, most = Places(16, 3), {0: 0, 1: 0}, {0: 0, 1: 0}

    async def work(deaths: int) -> None:
        async with places.place(deaths):
            now[deaths] += 1
            most[deaths] = max(most[deaths], now[deaths])
            await asyncio.sleep(0.01)
            now[deaths] -= 1

    await asyncio.gather(*(work(number % 2) for number in range(64)))
    assert most[1] == 4
    assert most[0] >= 12


async def test_the_last_time_a_row_is_alone_and_nobody_waits_for_ever():
    places, in_work, beside_alone = Places(8, 3), 0, []

    async def work(deaths: int) -> None:
        nonlocal in_work
        async with places.place(deaths):
            in_work += 1
            if deaths == 2:
                beside_alone.append(in_work)
            await asyncio.sleep(0.001)
            if deaths == 2:
                beside_alone.append(in_work)
            in_work -= 1

    every = [work((0, 1, 0, 2)[number % 4]) for number in range(80)]
    await asyncio.wait_for(asyncio.gather(*every), 30)
    assert beside_alone == [1] * 40


async def test_a_row_that_is_cancelled_gives_its_place_back():
    places = Places(2, 3)
    async with places.place(0):
        waiting = asyncio.ensure_future(enter(places, 2))
        await asyncio.sleep(0)
        waiting.cancel()
    await asyncio.wait_for(enter(places, 0), 5)
    await asyncio.wait_for(enter(places, 2), 5)


async def enter(places: Places, deaths: int) -> None:
    async with places.place(deaths):
        pass


def test_a_row_that_is_set_apart_is_nobodys_fault_and_keeps_what_it_cost():
    answer = Response(
        key="k", purpose=Purpose.CANDIDATE, model="m-1", text="four", stop=Stop.STOP, seconds=2
    )
    for row, key in ((trial(), ""), (replace(trial(), response=answer), "k")):
        response = set_apart(row, "verify", 3).response
        assert (response.key, response.text) == (key, "")
        assert (response.failure.kind, response.failure.blame) == (
            FailureKind.CRASH,
            Blame.INFRASTRUCTURE,
        )
        assert response.failure.message == (
            "the worker of step verify died 3 times with this sample in hand"
        )
        assert not response.is_answered
