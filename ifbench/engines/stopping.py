"""Waits that end early when the run is to stop.

`stopping` is a flag to be polled: it may live in another process. One timer polls it for all
waits of an asker, so that a call that waits minutes for its quota goes away at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

POLL_S = 0.1

T = TypeVar("T")


class StoppedError(Exception):
    """The run is to end; what was waited for is given up."""


class Waits:
    """The waits of one event loop that a stop interrupts."""

    def __init__(self, stopping: Callable[[], bool]) -> None:
        self._stopping = stopping
        self._scopes: set[asyncio.Timeout] = set()
        self._is_polling = False

    async def unless_stopped(self, awaited: Awaitable[T]) -> T:
        """Wait; raises `StoppedError` as soon as the run is to stop, and cancels the wait."""
        scope = asyncio.timeout(None)
        try:
            async with scope:
                self._scopes.add(scope)
                self._poll_soon()
                return await awaited
        except TimeoutError:
            if scope.expired():
                raise StoppedError from None
            raise
        finally:
            self._scopes.discard(scope)

    def _poll_soon(self) -> None:
        if not self._is_polling:
            self._is_polling = True
            asyncio.get_running_loop().call_later(POLL_S, self._poll)

    def _poll(self) -> None:
        self._is_polling = False
        if self._scopes and self._stopping():
            now = asyncio.get_running_loop().time()
            for scope in self._scopes:
                if not scope.expired():
                    scope.reschedule(now)
            self._scopes.clear()
        if self._scopes:
            self._poll_soon()
