"""What an executor runs: a function over rows, with the resources that it asks for.

A step knows nothing of Ray. `build` runs once a worker and returns a coroutine function
from row to row; it never raises for a row (what went wrong is in the row that it returns).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from ifbench.execution.commons import Commons
from ifbench.tally import Tally
from ifbench.types import Trial

Work: TypeAlias = Callable[[Trial], Awaitable[Trial]]


class Keeper(Protocol):
    """Keeps something for all workers of all runs on a cluster: called by one at a time."""

    def __call__(self, request: Any, now: float) -> Any: ...

    def leave(self, run: str, now: float) -> bool:
        """A run is over. True while another one needs the keeper."""
        ...


KeeperBuilder: TypeAlias = Callable[[float, bool], Keeper]
"""Builds a keeper at a moment; told whether an earlier one has died with all that it knew."""
AskKeeper: TypeAlias = Callable[[Any], Awaitable[Any]]
"""Asks a keeper from an event loop. Raises `ConnectionError` while there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """A worker's place: what it is given by the executor."""

    run: str = ""
    """Tells this run from the others on its cluster."""
    find_limiter: Callable[[KeeperBuilder], AskKeeper] | None = None
    """Finds the one limiter of the cluster, or starts it; `None` where one process does all."""
    tally: Tally = field(default_factory=Tally)
    """Where the worker counts what it does; the executor collects it."""
    stopping: Callable[[], bool] = lambda: False
    """True once the run is to end: then no further call begins."""
    commons: Commons = field(default_factory=Commons)
    """What this worker shares with the other workers of its process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One stage of the flow, ready to be placed on workers."""

    name: str
    build: Callable[[Seat], AbstractAsyncContextManager[Work]]
    """Picklable (a partial of a module's function). Entered once a worker, inside the
    worker's event loop; left when the worker ends, so that files and children are closed."""
    workers: int = 1
    in_flight: int = 16
    """Rows that one worker handles at once."""
    cpus: float = 0.25
    gpus: float = 0.0


class Executor(Protocol):
    """Runs rows through steps; rows come out as they finish, in no promised order."""

    def run(self, rows: Iterable[Trial], steps: tuple[Step, ...]) -> Iterator[Trial]: ...

    def stop(self) -> None:
        """Begin no further row; `run` ends once the rows in flight are out. Any thread may call."""
        ...

    def let_go(self) -> None:
        """Stop, and let go of the rows in flight: they come out without a score."""
        ...
