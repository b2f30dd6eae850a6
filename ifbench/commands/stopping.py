"""Clean stops: the first Ctrl-C or SIGTERM drains up to a deadline, the second ends at once."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from ifbench.cli import EXIT_INTERRUPTED
from ifbench.execution.step import Executor

DRAIN_S = 15.0
"""Time for the answers in flight; a pre-empted pod is killed 30 s after SIGTERM."""
LET_GO_S = 5.0
"""Time to let go of those that did not come; the rest is for results, and for Ray to end."""


class Stopper:
    """Turns signals into a stop of the executor, and lets go of calls that take too long.

    Whatever was answered is in the journal by then, so even ending at once loses nothing but
    the calls in flight.
    """

    def __init__(self, resume: str, drain_s: float = DRAIN_S) -> None:
        self._resume = resume
        self._drain_s = drain_s
        self.is_stopped = False

    @contextmanager
    def listening(self, executor: Executor) -> Iterator[None]:
        """Handle SIGINT and SIGTERM while the block runs."""
        ended = threading.Event()

        def handle(number: int, _: FrameType | None) -> None:
            if self.is_stopped:
                self._end_now("stopped at once")
            self.is_stopped = True
            name = signal.Signals(number).name
            self._say(
                f"{name}: no new calls; waiting up to {self._drain_s:.0f} s for those in flight"
            )
            executor.stop()
            threading.Thread(target=give_up, daemon=True).start()

        def give_up() -> None:
            if ended.wait(self._drain_s):
                return
            self._say(f"letting go of the calls that took more than {self._drain_s:.0f} s")
            executor.let_go()
            if not ended.wait(LET_GO_S):
                self._end_now("gave up on what is left")

        before = {
            number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            ended.set()
            for number, handler in before.items():
                signal.signal(number, handler)

    def _end_now(self, words: str) -> None:
        try:
            self._say(f"{words}; what was answered is stored.")
            # On standard output: while Ray starts, what goes to the other one is held back.
            print(f"To go on: {self._resume}", flush=True)
        finally:  # Also where nobody reads any more.
            os._exit(EXIT_INTERRUPTED)

    @staticmethod
    def _say(words: str) -> None:
        print(f"\n{words}", file=sys.stderr, flush=True)
