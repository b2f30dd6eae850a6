"""The rows that a worker has in hand, so that they can be let go where a drain takes too long."""

from __future__ import annotations

import asyncio
from typing import Any

from ifbench.execution.step import Work
from ifbench.types import Trial


class InHand:
    """Rows in work on one event loop, each in a task of its caller's."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self._gone: set[asyncio.Task[Any]] = set()
        self._is_let_go = False

    async def carry(self, work: Work, row: Trial) -> Trial:
        """The finished row; the row as it came in where it was let go."""
        if self._is_let_go:
            return row
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            return await work(row)
        except asyncio.CancelledError:
            if task not in self._gone or task.cancelling() > 1:  # The caller was cancelled, too.
                raise
            return row
        finally:
            self._tasks.discard(task)
            if task in self._gone:
                self._gone.discard(task)
                task.uncancel()

    def let_go(self) -> None:
        """Cancel what is in work and begin nothing more. Called on the event loop."""
        self._is_let_go = True
        self._gone |= self._tasks
        for task in self._tasks:
            task.cancel()
