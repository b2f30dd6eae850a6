"""Counts of what happens while a run goes on: the numbers behind the live progress.

Names are short tuples. Calls: `("calls", PURPOSE, MODEL, EVENT)` with the events `stored`,
`answered`, `retried`, `failed:KIND`, and the gauges `in_flight`, `waiting` and `backing_off`
(added to and taken from). Tokens: `("tokens", PURPOSE, MODEL, "input" | "output")`. Rows:
`("rows", STEP, "in" | "out")`. Calls that a closed endpoint was spared: `("closed", MODEL, REASON)`.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TypeAlias

Counts: TypeAlias = dict[tuple[str, ...], float]


class Tally:
    """A set of counters that any thread may add to."""

    def __init__(self) -> None:
        self._counts: Counts = {}
        self._lock = threading.Lock()

    def add(self, *name: str, amount: float = 1.0) -> None:
        """Add to one counter."""
        with self._lock:
            self._counts[name] = self._counts.get(name, 0.0) + amount

    def merge(self, counts: Mapping[tuple[str, ...], float]) -> None:
        """Add another tally's counts to this one."""
        for name, amount in counts.items():
            self.add(*name, amount=amount)

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
