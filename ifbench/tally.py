"""Counts of what happens while a run goes on: the numbers behind the live progress.

Names are short tuples of which each word is one of few, so that a tally stays small however
long a run is:

    ("calls", PURPOSE, MODEL, EVENT)       stored, answered, retried, failed:KIND, limited (a try
                                           that the endpoint turned away, as by a 429), and the
                                           gauges in_flight, waiting, backing_off (added to and
                                           taken from)
    ("tokens", PURPOSE, MODEL, "input" | "output")
    ("cost", PURPOSE, MODEL, "usd")        where the model has a price
    ("latency", PURPOSE, MODEL, BUCKET, "tries" | "seconds")
    ("closed", MODEL, REASON)              an endpoint that is not asked any more
    ("rows", STEP, "in" | "out")           and ("candidates", CANDIDATE, STEP, "in" | "out")
    ("workers", STEP, "died")              and the rows that they had in hand: ("workers", STEP, "rows")
    ("trials", CANDIDATE, "complete" | "owed")
    ("undecided", CANDIDATE, CAUSE)        trials that are owed; one may have several causes
    ("verdicts", CANDIDATE, OUTCOME, CAUSE)  of constraints and tasks; the cause may be empty

Several runs in one pipeline count into one tally, each name behind the run's own mark,
`("run", RUN, *NAME)`: `of_run` takes one run's counts out, `over_runs` adds all of them up.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

Counts: TypeAlias = dict[tuple[str, ...], float]

LATENCY_BOUNDS_S = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0, 60.0, 120.0, 300.0, 600.0)
"""Upper bounds of the buckets in which tries are counted by how long they took."""


def latency_bucket(seconds: float) -> str:
    """The bucket of a try: its upper bound, which still belongs to it, or `inf`."""
    at = bisect_left(LATENCY_BOUNDS_S, seconds)
    return f"{LATENCY_BOUNDS_S[at]:g}" if at < len(LATENCY_BOUNDS_S) else "inf"


class Tally:
    """A set of counters that any thread may add to."""

    def __init__(self) -> None:
        self._counts: Counts = {}
        self._lock = threading.Lock()

    def add(self, *name: str, amount: float = 1.0) -> None:
        """Add to one counter."""
        with self._lock:
            self._counts[name] = self._counts.get(name, 0.0) + amount

    def of(self, run: str) -> RunTally:
        """The part of one run; of rows that belong to no run (`""`) the tally itself."""
        return RunTally(whole=self, run=run)

    def merge(self, counts: Mapping[tuple[str, ...], float]) -> None:
        """Add another tally's counts to this one."""
        with self._lock:  # At once: what belongs together is drained together.
            for name, amount in counts.items():
                self._counts[name] = self._counts.get(name, 0.0) + amount

    def snapshot(self) -> Counts:
        """The counts as they stand."""
        with self._lock:
            return dict(self._counts)

    def drain(self) -> Counts:
        """Take the counts away, so that a worker sends each only once."""
        with self._lock:
            counts = dict(self._counts)
            self._counts.clear()
            return counts


_RUN = "run"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTally:
    """One run's part of a tally that several runs count into."""

    whole: Tally
    run: str

    def add(self, *name: str, amount: float = 1.0) -> None:
        """Add to one counter."""
        self.whole.add(*self._marked(name), amount=amount)

    def merge(self, counts: Mapping[tuple[str, ...], float]) -> None:
        """Add to several counters at once."""
        self.whole.merge({self._marked(name): amount for name, amount in counts.items()})

    def _marked(self, name: tuple[str, ...]) -> tuple[str, ...]:
        return (_RUN, self.run, *name) if self.run else name


def of_run(counts: Mapping[tuple[str, ...], float], run: str) -> Counts:
    """What one run has counted, by the plain names."""
    mark = (_RUN, run)
    return {name[2:]: amount for name, amount in counts.items() if name[:2] == mark}


def over_runs(counts: Mapping[tuple[str, ...], float]) -> Counts:
    """What all runs have counted together, by the plain names."""
    found: Counts = {}
    for name, amount in counts.items():
        plain = name[2:] if name[0] == _RUN else name
        found[plain] = found.get(plain, 0.0) + amount
    return found


def spent_usd(counts: Mapping[tuple[str, ...], float]) -> float:
    """What the calls of all runs have cost, as it was counted."""
    return sum(amount for name, amount in over_runs(counts).items() if name[0] == "cost")
