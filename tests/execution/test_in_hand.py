from __future__ import annotations

import asyncio

import pytest

from factories import make_sample
from ifbench.execution.in_hand import InHand
from ifbench.types import ModelConfig, Trial, WorkItem

ROW = Trial(
    item=WorkItem(
        sample=make_sample(), candidate=ModelConfig(name="m", engine="scripted", model="m")
    )
)
DONE = Trial(item=ROW.item, verdicts=())


async def quick(row: Trial) -> Trial:
    return DONE


async def endless(row: Trial) -> Trial:
    await asyncio.Event().wait()
    return DONE


async def broken(row: Trial) -> Trial:
    raise ValueError("a bug")


async def test_a_row_that_is_not_let_go_comes_out_finished():
    assert await InHand().carry(quick, ROW) is DONE


async def test_rows_in_work_and_rows_that_come_later_come_out_as_they_went_in():
    in_hand = InHand()
    waiting = asyncio.ensure_future(in_hand.carry(endless, ROW))
    await asyncio.sleep(0)
    in_hand.let_go()
    assert await waiting is ROW
    assert await in_hand.carry(quick, ROW) is ROW


async def test_a_cancel_from_elsewhere_and_an_error_pass_through():
    in_hand = InHand()
    waiting = asyncio.ensure_future(in_hand.carry(endless, ROW))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    with pytest.raises(ValueError, match="a bug"):
        await in_hand.carry(broken, ROW)


async def test_a_task_whose_row_was_let_go_goes_on_with_other_things():
    in_hand = InHand()

    async def two_things() -> str:
        assert await in_hand.carry(endless, ROW) is ROW
        async with asyncio.timeout(5):
            await asyncio.sleep(0)
        return "done"

    task = asyncio.create_task(two_things())
    await asyncio.sleep(0)
    in_hand.let_go()
    assert await task == "done"
    assert not task.cancelling()


async def test_a_caller_that_is_cancelled_as_its_row_is_let_go_ends():
    in_hand = InHand()
    task = asyncio.create_task(in_hand.carry(endless, ROW))
    await asyncio.sleep(0)
    in_hand.let_go()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
