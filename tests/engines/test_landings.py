"""Futures of another thread, waited for on an event loop."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future

import pytest

from ifbench.engines.landings import Landings


async def test_each_waiter_gets_what_its_own_flight_came_to():
    landings, good, bad = Landings(), Future(), Future()
    waiters = [landings.of(good), landings.of(bad)]

    def land() -> None:
        bad.set_exception(OSError("full"))
        good.set_result(None)

    threading.Thread(target=land).start()
    assert await waiters[0] is None
    with pytest.raises(OSError, match="full"):
        await waiters[1]


async def test_flights_that_ended_before_anyone_waited_are_told():
    flight: Future[None] = Future()
    flight.set_result(None)
    assert await Landings().of(flight) is None


async def test_who_gives_up_neither_cancels_the_flight_nor_holds_up_the_others():
    landings, first, second = Landings(), Future(), Future()
    given_up, kept = landings.of(first), landings.of(second)
    given_up.cancel()
    assert not first.cancelled()
    first.set_exception(OSError("nobody hears of it"))
    second.set_result(None)
    assert await asyncio.wait_for(kept, 1) is None


async def test_a_loop_is_woken_once_for_all_that_land_together():
    landings, flights = Landings(), [Future() for _ in range(50)]
    waiters = [landings.of(flight) for flight in flights]
    woken, loop = [], asyncio.get_running_loop()
    wake, loop.call_soon_threadsafe = loop.call_soon_threadsafe, lambda *a: woken.append(a)
    for flight in flights:
        flight.set_result(None)
    loop.call_soon_threadsafe = wake
    assert len(woken) == 1
    woken[0][0]()
    await asyncio.gather(*waiters)


def test_a_flight_that_lands_after_the_loop_has_ended_is_nobodys():
    flight: Future[None] = Future()

    async def wait_briefly() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(Landings().of(flight), 0.01)

    asyncio.run(wait_briefly())
    flight.set_result(None)
