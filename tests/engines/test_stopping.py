"""Waits that end when the run is to stop."""

from __future__ import annotations

import asyncio
import time

import pytest

from ifbench.engines.stopping import StoppedError, Waits


async def test_wait_that_ends_by_itself_gives_its_result():
    waits = Waits(lambda: False)

    async def value() -> int:
        await asyncio.sleep(0)
        return 4

    assert await waits.unless_stopped(value()) == 4


async def test_stop_ends_all_waits_soon():
    flag = False
    waits = Waits(lambda: flag)
    tasks = [asyncio.create_task(waits.unless_stopped(asyncio.sleep(60))) for _ in range(50)]
    await asyncio.sleep(0.15)
    assert not any(task.done() for task in tasks)
    flag = True
    began = time.monotonic()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert time.monotonic() - began < 2
    assert {type(result) for result in results} == {StoppedError}


async def test_waits_that_begin_after_a_stop_end_too():
    waits = Waits(lambda: True)
    for _ in range(2):
        with pytest.raises(StoppedError):
            await waits.unless_stopped(asyncio.sleep(60))


async def test_cancellation_is_not_a_stop():
    waits = Waits(lambda: False)
    task = asyncio.create_task(waits.unless_stopped(asyncio.sleep(60)))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_time_out_from_inside_stays_what_it_is():
    async def times_out() -> None:
        raise TimeoutError("inner")

    with pytest.raises(TimeoutError, match="inner"):
        await Waits(lambda: False).unless_stopped(times_out())
