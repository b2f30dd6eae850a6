"""What a run may spend, shared by its workers: pure arithmetic, like `budget.py`.

A worker holds an *allowance*: dollars that it may commit to calls in flight, by an estimate at
their longest. What a call has really cost is taken from it, the rest is there for the next. The
sum of what is spent and held never exceeds the cap.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ifbench.engines.budget import TTL_S

AHEAD = 4.0
"""How many times what it has committed a worker may hold, so that it need not ask for each call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PurseReport:
    """What a worker has spent, and what it wants. Dollars throughout."""

    run: str = ""
    cap: float
    spent: float = 0.0
    """By this worker, since it began."""
    gone: float = 0.0
    """By workers that are no more, as this one was told."""
    held: float = 0.0
    """What the worker may commit, in flight or not, by its last grant."""
    committed: float = 0.0
    """For calls in flight."""
    next: float = 0.0
    """For the first call that waits for money; 0 where none does."""
    wanted: float = 0.0
    """For all calls that wait for money."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PurseGrant:
    """What a worker may hold from now on, and what all have spent."""

    held: float
    spent: float
    gone: float = 0.0
    is_empty: bool = False
    """True when the run can afford no further call of what was wanted."""


@dataclass(slots=True)
class _Holder:
    seen_at: float
    report: PurseReport
    held: float


@dataclass(slots=True)
class Purse:
    """The money of one run. Nothing more is given out before `learning_until`: an earlier purse
    has died, and its workers are yet to say what they hold.
    """

    learning_until: float
    is_empty: bool = False
    _holders: dict[str, _Holder] = field(default_factory=dict)
    _gone: float = 0.0
    """Spent by workers that are gone; of the dead, what they had committed too."""
    _left: dict[str, float] = field(default_factory=dict)
    """What of it each of them left, for one that was only cut off comes back."""

    @property
    def spent(self) -> float:
        return self._gone + sum(holder.report.spent for holder in self._holders.values())

    def report(self, name: str, report: PurseReport, now: float) -> PurseGrant:
        """Settle what a worker spent and grant what it may hold."""
        for silent in [n for n, one in self._holders.items() if now - one.seen_at > TTL_S]:
            self.drop(silent)
        if name in self._left:
            self._gone -= self._left.pop(name)
        elif name not in self._holders:  # Of a time before this purse, perhaps.
            self._gone = max(self._gone, report.gone)
        holder = self._holders.setdefault(name, _Holder(now, report, 0.0))
        holder.seen_at, holder.report = now, report
        granted = self._granted(holder, now)
        holder.held = max(report.held, granted)
        return PurseGrant(held=granted, spent=self.spent, gone=self._gone, is_empty=self.is_empty)

    def drop(self, name: str) -> None:
        """A worker is gone. Its calls in flight may have been paid for."""
        holder = self._holders.pop(name, None)
        if holder is not None:
            self._left[name] = holder.report.spent + holder.report.committed
            self._gone += self._left[name]

    def excuse(self, seconds: float) -> None:
        """Nobody could be heard for so long: that counts as no silence."""
        for holder in self._holders.values():
            holder.seen_at += seconds

    def _granted(self, holder: _Holder, now: float) -> float:
        report = holder.report
        others = [one for one in self._holders.values() if one is not holder]
        free = max(0.0, report.cap - self.spent - sum(one.held for one in others))
        if now < self.learning_until:
            return min(report.held, free)
        if report.next and report.committed + report.next > free:
            # The rest goes back, so that others may come to theirs; it is the end once nobody
            # holds anything that could come back.
            self.is_empty |= report.committed <= 0 and not any(one.held > 0 for one in others)
            return min(report.committed, free)
        share = free / (1 + sum(one.report.wanted > 0 for one in others))
        needed = report.committed + report.next
        return min(free, max(needed, min(AHEAD * (report.committed + report.wanted), share)))
