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
from ifbench.execution.model_servers import Finder
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
    spent_usd: float = 0.0
    """On a cluster, what the groups of rows before this one have cost."""
    tally: Tally = field(default_factory=Tally)
    """Where the worker counts what it does; the executor collects it."""
    stopping: Callable[[], bool] = lambda: False
    """True once the run is to end: then no further call begins."""
    commons: Commons = field(default_factory=Commons)
    """What this worker shares with the other workers of its process."""
    servers: Finder | None = None
    """Where the servers of the run's own models are found, if it has any."""


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
    is_light: bool = False
    """Whether it asks nobody and does next to nothing, so that handing rows over to workers of its
    own would cost more than its work: the workers of the step before it do it as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """Rows that wait for each other in the first step, and for no other lane's.

    A sweep has a lane for each candidate: a slow or limited one fills its own lane alone.
    """

    name: str
    rows: Iterable[Trial]
    in_flight: int
    """Rows of this lane that one worker of the first step handles at once."""


Rows: TypeAlias = Iterable[Trial] | tuple[Lane, ...]
"""What goes in: rows in one lane, or several lanes."""


def lanes_of(rows: Rows, first: Step) -> tuple[Lane, ...]:
    """The lanes, at least one; rows without lanes are one lane as wide as the first step."""
    if isinstance(rows, tuple) and rows and all(isinstance(one, Lane) for one in rows):
        return tuple(one for one in rows if isinstance(one, Lane))
    plain = (row for row in rows if not isinstance(row, Lane))
    return (Lane(name="", rows=plain, in_flight=first.in_flight),)


class Executor(Protocol):
    """Runs rows through steps; rows come out as they finish, in no promised order."""

    def run(self, rows: Rows, steps: tuple[Step, ...]) -> Iterator[Trial]: ...

    def stop(self) -> None:
        """Begin no further row; `run` ends once the rows in flight are out. Any thread may call."""
        ...

    def let_go(self) -> None:
        """Stop, and let go of the rows in flight: they come out without a score."""
        ...
