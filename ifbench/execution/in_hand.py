"""The rows that a worker has in hand, so that they can be let go where a drain takes too long."""

from __future__ import annotations

import asyncio

from ifbench.execution.step import Work
from ifbench.types import Trial


class InHand:
    """Rows in work on one event loop."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Future[Trial]] = set()
        self._gone: set[asyncio.Future[Trial]] = set()
        self._is_let_go = False

    async def carry(self, work: Work, row: Trial) -> Trial:
        """The finished row; the row as it came in where it was let go."""
        if self._is_let_go:
            return row
        task = asyncio.ensure_future(work(row))
        self._tasks.add(task)
        try:
            return await task
        except asyncio.CancelledError:
            if task not in self._gone:  # Then it is this very coroutine that was cancelled.
                raise
            return row
        finally:
            self._tasks.discard(task)

    def let_go(self) -> None:
        """Cancel what is in work and begin nothing more. Called on the event loop."""
        self._is_let_go = True
        self._gone |= self._tasks
        for task in self._tasks:
            task.cancel()
