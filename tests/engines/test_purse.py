"""A run's money, shared by its workers, and a worker's side of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ifbench.engines.budget import TTL_S
from ifbench.engines.purse import Purse, PurseReport
from ifbench.engines.spending import Spending, SpentError, local_spending

CAP = 10.0


def spenders(count: int, purse: Purse) -> list[tuple[Spending, Callable[[float], None]]]:
    """Workers, each with what reports for it at a moment."""
    found = []
    for index in range(count):
        spending = Spending(CAP, "run", lambda: None)

        def beat(now: float, spending=spending, name=f"w{index}") -> None:
            asked = spending.report()
            spending.follow(purse.report(name, asked, now), asked)

        found.append((spending, beat))
    return found


async def test_calls_are_made_until_the_next_might_pass_the_cap():
    spending = local_spending(CAP)
    for _ in range(4):
        await spending.reserve(3.0)
        spending.settle(3.0, 2.0)
    with pytest.raises(SpentError, match=r"\$2.0000 of max_usd .* may cost \$3.0000"):
        await spending.reserve(3.0)
    with pytest.raises(SpentError, match=r"\$2.0000 of max_usd .* for a call before this one"):
        await spending.reserve(1.0)


async def test_what_is_in_flight_is_waited_for_before_it_is_the_end():
    spending = local_spending(CAP)
    await spending.reserve(8.0)
    waiting = asyncio.create_task(spending.reserve(8.0))
    await asyncio.sleep(0)
    assert not waiting.done()
    spending.settle(8.0, 1.0)
    await waiting
    last = asyncio.create_task(spending.reserve(8.0))
    await asyncio.sleep(0)
    spending.settle(8.0, 8.0)
    with pytest.raises(SpentError):
        await last


async def test_free_calls_go_on_when_the_money_is_spent():
    spending = local_spending(1.0)
    with pytest.raises(SpentError):
        await spending.reserve(2.0)
    await spending.reserve(0.0)


async def test_cancelled_wait_sets_nothing_aside():
    spending = local_spending(CAP)
    await spending.reserve(8.0)
    waiting = asyncio.create_task(spending.reserve(8.0))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.sleep(0)
    spending.settle(8.0, 0.0)
    await asyncio.wait_for(spending.reserve(10.0), 1)


def test_silent_worker_has_spent_what_it_had_in_flight():
    purse = Purse(learning_until=0.0)
    purse.report("dead", PurseReport(cap=CAP, spent=1.0, held=3.0, committed=2.0), 0.0)
    grant = purse.report("other", PurseReport(cap=CAP, next=7.5, wanted=7.5), TTL_S + 0.1)
    assert grant.spent == 3.0
    assert grant.is_empty
    assert purse.report("third", PurseReport(cap=CAP, gone=5.0), TTL_S + 0.2).spent == 5.0


def test_what_a_worker_spent_that_was_cut_off_and_comes_back_counts_once():
    purse = Purse(learning_until=0.0)
    purse.report("cut off", PurseReport(cap=CAP, spent=4.0, held=1.0, committed=1.0), 0.0)
    told = purse.report("other", PurseReport(cap=CAP, spent=2.0), TTL_S + 0.1)
    assert (told.spent, told.gone) == (7.0, 5.0)
    grant = purse.report("cut off", PurseReport(cap=CAP, spent=4.5), TTL_S + 0.2)
    assert grant.spent == 6.5
    wanting = PurseReport(cap=CAP, spent=2.0, gone=told.gone, next=3.5, wanted=3.5)
    assert purse.report("other", wanting, TTL_S + 0.3).held == pytest.approx(3.5)


def test_rebuilt_purse_gives_out_nothing_before_it_knows_who_holds_what():
    purse = Purse(learning_until=3.0)
    assert purse.report("new", PurseReport(cap=CAP, next=2.0, wanted=2.0), 0.1).held == 0.0
    assert not purse.is_empty
    assert purse.report("old", PurseReport(cap=CAP, spent=4.0, held=5.0), 0.2).held == 5.0
    assert purse.report("new", PurseReport(cap=CAP, next=2.0, wanted=2.0), 3.1).held == 0.0
    purse.report("old", PurseReport(cap=CAP, spent=4.0), 3.2)
    assert purse.report("new", PurseReport(cap=CAP, next=2.0, wanted=2.0), 3.3).held >= 2.0


EVENTS = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from(["ask", "end", "beat"]), st.floats(0.1, 4.0)),
    max_size=80,
)


@given(EVENTS)
@settings(max_examples=200)
def test_what_is_spent_and_in_flight_never_passes_the_cap(events):
    async def play() -> None:
        crew = spenders(3, Purse(learning_until=0.0))
        waiting: list[list[tuple[asyncio.Task, float]]] = [[], [], []]
        spent, now = 0.0, 0.0
        for who, what, usd in events:
            now += 0.1
            spending = crew[who][0]
            if what == "ask":
                waiting[who].append((asyncio.create_task(spending.reserve(usd)), usd))
            elif what == "beat":
                for _, each in crew:  # All live.
                    each(now)
            for task, cost in waiting[who][:1]:
                if what == "end" and task.done() and task.exception() is None:
                    spending.settle(cost, cost / 2)
                    spent += cost / 2
                    waiting[who].pop(0)
            await asyncio.sleep(0)
            in_flight = sum(
                cost
                for calls in waiting
                for task, cost in calls
                if task.done() and task.exception() is None
            )
            assert spent + in_flight <= CAP + 1e-6
        for calls in waiting:
            for task, _ in calls:
                task.cancel()
            await asyncio.gather(*(task for task, _ in calls), return_exceptions=True)

    asyncio.run(play())
