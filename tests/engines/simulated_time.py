"""An event loop whose clock jumps to the next timer: minutes of waiting cost what happens in them."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import TypeVar

T = TypeVar("T")


TURN_S = 1e-6
"""What a turn of the loop takes; without it a wait that rounds to nothing would never end."""


class _Clock(selectors.DefaultSelector):
    """Nothing is waited for: the time that a loop would sleep has passed."""

    now = 0.0

    def select(self, timeout: float | None = None):
        assert timeout is not None, "everybody waits, and nothing is going to happen"
        self.now += max(TURN_S, timeout)
        return super().select(0)


def _new_loop() -> asyncio.AbstractEventLoop:
    clock = _Clock()
    loop = asyncio.SelectorEventLoop(clock)
    loop.time = lambda: clock.now  # type: ignore[method-assign]
    return loop


def run_simulated(main: Coroutine[object, object, T]) -> T:
    """Run a coroutine to its end on a loop whose time is simulated and starts at 0."""
    with asyncio.Runner(loop_factory=_new_loop) as runner:
        return runner.run(main)
