"""Futures that another thread ends, waited for on an event loop.

A loop is woken once for all that have ended together: to wake it for each, as `asyncio.wrap_future`
does, costs a system call and a fight over the interpreter's lock each time.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from contextlib import suppress
from functools import partial


class Landings:
    """Waits of one event loop."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._landed: list[tuple[asyncio.Future[None], concurrent.futures.Future[None]]] = []

    def of(self, flight: concurrent.futures.Future[None]) -> asyncio.Future[None]:
        """Ends as `flight` does. Who no longer waits for it does not cancel the flight."""
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[None] = loop.create_future()
        flight.add_done_callback(partial(self._note, loop, waiter))
        return waiter

    def _note(
        self,
        loop: asyncio.AbstractEventLoop,
        waiter: asyncio.Future[None],
        flight: concurrent.futures.Future[None],
    ) -> None:
        """In whatever thread ends the flight."""
        with self._lock:
            is_first = not self._landed
            self._landed.append((waiter, flight))
        if is_first:
            with suppress(RuntimeError):  # The loop has ended, and whoever waited.
                loop.call_soon_threadsafe(self._settle)

    def _settle(self) -> None:
        with self._lock:
            landed, self._landed = self._landed, []
        for waiter, flight in landed:
            if waiter.done():  # Cancelled.
                continue
            error = flight.exception()
            if error is None:
                waiter.set_result(None)
            else:
                waiter.set_exception(error)
