"""One budget of requests, tokens and calls in flight, shared by workers who report now and then.

Pure arithmetic: no clock, no network. A worker's `Report` settles what it has done and says what
it wants, and the `Grant` answers both.

Calls in flight are *places*. A worker may use its places again and again without asking. They
are counted as its own until it has reported fewer, so that the sum never exceeds the limit, and
are shared out by need, evenly where there are too few. Requests a minute are *bookings*:
moments, up to `HORIZON_S` ahead, at which the worker may send. So a worker that reports a few
times a second sends at an even pace, and nobody waits for a message.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from ifbench.engines.breaker import Breaker
from ifbench.engines.rates import Buckets, Pace, per_second
from ifbench.types import Limits

TTL_S = 3.0
"""A worker that is silent for so long is dead, and what it had goes to the others."""
BEAT_S = 0.2
"""How often a worker reports while it works."""
ALONE_BEAT_S = 0.4
"""The same, where nobody else needs what it has: a message costs more than all else here."""
IDLE_BEAT_S = 1.0
SOON_S = 0.05
"""How soon a worker reports that it has heard that others need its places."""
NEAR_S = 0.3
"""So far ahead anyone may book: enough until the next report."""
HORIZON_S = 0.5
"""So far ahead those may book who have had less than their share."""
MOST_COSTS = 512
"""Requests that one report may ask for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a worker did since its last report, and what it wants."""

    limits: Limits
    run: str = ""
    places: int = 0
    """Calls that the worker may have in flight, by its last grant or as they stand."""
    wanted: int = 0
    """Calls in flight and calls that wait."""
    costs: tuple[int, ...] = ()
    """Tokens of each request to be booked."""
    unused: int = 0
    """Bookings that were let pass."""
    tokens: int = 0
    """Tokens that were taken and not used, those of `unused` too; negative where it took more."""
    sent: int = 0
    """Requests sent without a booking, where none were needed."""
    pause_s: float | None = None
    """The endpoint asked for less: the longest pause that it asked for."""
    answered: bool = False
    """The endpoint has answered something."""
    failures: int = 0
    """Requests without an answer, after the last answer."""
    words: str = ""
    """What came instead of an answer."""
    refused: str = ""
    """Why no request of the run can succeed; empty where it may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What a worker may do until it is told otherwise."""

    places: int
    bookings: tuple[float, ...] = ()
    """Seconds from now at which each of the first `costs` may be sent; below 0 where it is late."""
    is_metered: bool = False
    """True where each request needs a booking."""
    pause_s: float = 0.0
    """Nothing is to be sent for so long, and bookings are void."""
    again_s: float = IDLE_BEAT_S
    """When to report again, at the latest."""
    closed: str = ""
    """Why nothing is to be asked at all; empty while the endpoint is asked."""

    def later(self, seconds: float) -> Grant:
        """The same, told so much later."""
        return replace(
            self,
            bookings=tuple(delay - seconds for delay in self.bookings),
            pause_s=max(0.0, self.pause_s - seconds),
        )


@dataclass(slots=True, kw_only=True)
class _Worker:
    seen_at: float
    limits: Limits
    run: str
    places: int = 0
    wanted: int = 0
    is_short: bool = False
    """True while it wants more bookings than it got."""
    credit_s: float = 0.0
    """How much less of the flow than its share it has had, in seconds of the whole flow."""


@dataclass(slots=True)
class Budget:
    """The budget, kept by whoever hears all reports. `rebuilt`: an earlier keeper has died.

    Then nothing is given out that was not held before until each worker has had the time to
    report, and the buckets start empty, so that there is no burst.
    """

    now: float
    rebuilt: bool = False
    breaker: Breaker = field(default_factory=Breaker)
    _workers: dict[str, _Worker] = field(default_factory=dict)
    _buckets: Buckets = field(init=False)
    _pace: Pace = field(default_factory=Pace)
    _limits: Limits | None = None
    _learning_until: float = field(init=False)

    def __post_init__(self) -> None:
        self._buckets = Buckets(requests_per_s=None, tokens_per_s=None, now=self.now)
        self._learning_until = self.now + TTL_S if self.rebuilt else self.now

    @property
    def places(self) -> Mapping[str, int]:
        """Calls that each worker may have in flight, by name."""
        return {name: worker.places for name, worker in self._workers.items()}

    def report(self, name: str, report: Report, now: float) -> Grant:
        """Settle what a worker did and grant what it may do."""
        self._drop_silent(now)
        worker = self._workers.get(name)
        if worker is None:
            worker = self._workers[name] = _Worker(
                seen_at=now, limits=report.limits, run=report.run
            )
        elapsed_s = now - worker.seen_at
        worker.seen_at, worker.limits, worker.run = now, report.limits, report.run
        worker.places, worker.wanted = report.places, report.wanted
        self._follow_limits(now)
        self._settle(report, now)
        closed = self._closed(name, report, now)
        granted = self._grant_places(name, now)
        if closed:
            granted = 0
        elif self.breaker.reason(report.run):  # It is the one that tries again.
            granted = min(granted, 1)
        worker.places = max(report.places, granted)
        self._accrue(worker, elapsed_s)
        # One without a place could not use a booking, and would keep it from the others.
        bookings = self._book(worker, report.costs, now) if granted else ()
        worker.is_short = len(bookings) < len(report.costs) and not closed
        return Grant(
            places=granted,
            bookings=bookings,
            is_metered=self._is_metered,
            pause_s=self._pace.paused_s(now),
            # What it holds and does not want may be used by others once it has reported it.
            again_s=SOON_S
            if granted < report.places and report.wanted < report.places
            else self._again_s(worker, now),
            closed=closed,
        )

    def drop(self, name: str) -> None:
        """A worker is gone; its places are free."""
        self._workers.pop(name, None)

    def drop_run(self, run: str) -> None:
        """A run is over."""
        for name in [name for name, worker in self._workers.items() if worker.run == run]:
            self.drop(name)
        self.breaker.forget(run)

    def excuse(self, seconds: float) -> None:
        """Nobody could be heard for so long: that counts as no silence."""
        for worker in self._workers.values():
            worker.seen_at += seconds

    def is_used(self, now: float) -> bool:
        """False when all workers are gone."""
        self._drop_silent(now)
        return bool(self._workers)

    def _drop_silent(self, now: float) -> None:
        for name in [n for n, worker in self._workers.items() if now - worker.seen_at > TTL_S]:
            self.drop(name)

    def _follow_limits(self, now: float) -> None:
        """Keep the lowest limits of those who are there."""
        limits = lowest(*(worker.limits for worker in self._workers.values()))
        if limits == self._limits:
            return
        is_first = self._limits is None and not self.rebuilt
        self._limits = limits
        rates = (per_second(limits.requests_per_minute), per_second(limits.tokens_per_minute))
        if is_first:
            self._buckets = Buckets(requests_per_s=rates[0], tokens_per_s=rates[1], now=now)
        else:
            self._buckets.set_rates(*rates, now)

    def _settle(self, report: Report, now: float) -> None:
        self._buckets.correct(report.tokens, report.unused)
        self._pace.saw(report.sent, now)
        if report.pause_s is not None:
            self._pace.pause(report.pause_s, now)
            self._buckets.empty_until(now + report.pause_s)
        if report.answered:
            self.breaker.answered()
        self.breaker.failed(report.failures, report.words, now)
        if report.refused:
            self.breaker.give_up(report.run, report.refused)

    def _closed(self, name: str, report: Report, now: float) -> str:
        reason = self.breaker.reason(report.run)
        if reason and report.wanted and self.breaker.may_probe(name, report.run, now):
            return ""
        return reason

    def _grant_places(self, name: str, now: float) -> int:
        assert self._limits is not None
        most = self._limits.concurrency
        free = max(0, most - sum(w.places for n, w in self._workers.items() if n != name))
        if now < self._learning_until:
            return min(self._workers[name].places, free)
        wanted = {n: worker.wanted for n, worker in self._workers.items() if worker.wanted}
        return min(shares(wanted, most, turn=int(now)).get(name, 0), free)

    # ── Bookings ─────────────────────────────────────────────────────────────────────

    @property
    def _is_metered(self) -> bool:
        return self._buckets.is_limited or self._pace.is_slowed

    def _wait_s(self, tokens: int, now: float) -> float:
        return max(self._pace.wait_s(now), self._buckets.wait_s(tokens, now))

    def _rivals(self, worker: _Worker) -> int:
        return sum(one.is_short for one in self._workers.values() if one is not worker)

    def _accrue(self, worker: _Worker, elapsed_s: float) -> None:
        rivals = self._rivals(worker)
        worker.credit_s = min(HORIZON_S, worker.credit_s + elapsed_s / (rivals + 1))
        if not rivals:
            worker.credit_s = max(0.0, worker.credit_s)

    def _reach_s(self, worker: _Worker) -> float:
        """How far ahead a worker may book. What is spent on one is missing for its rivals."""
        return NEAR_S if worker.credit_s < 0 and self._rivals(worker) else HORIZON_S

    def _book(self, worker: _Worker, costs: tuple[int, ...], now: float) -> tuple[float, ...]:
        """Moments for the first of `costs`, in order, as far ahead as this worker may reach."""
        if not self._is_metered:
            return ()
        bookings: list[float] = []
        ahead_s = self._ahead_s(now)
        for tokens in costs[:MOST_COSTS]:
            wait_s = self._wait_s(tokens, now)
            if wait_s > NEAR_S and wait_s > self._reach_s(worker):
                break
            self._buckets.take(tokens, now)
            self._pace.admit(now + wait_s)
            before_s, ahead_s = ahead_s, self._ahead_s(now)
            worker.credit_s -= ahead_s - before_s
            bookings.append(wait_s)
        return tuple(bookings)

    def _ahead_s(self, now: float) -> float:
        return max(self._pace.wait_s(now), self._buckets.ahead_s(now))

    def _again_s(self, worker: _Worker, now: float) -> float:
        beat_s = ALONE_BEAT_S if len(self._workers) == 1 else BEAT_S
        if worker.is_short:  # With nothing to be had before, there is no need to ask before.
            far_s = self._wait_s(0, now) - self._reach_s(worker)
            return min(IDLE_BEAT_S, max(beat_s, far_s))
        return beat_s if worker.wanted or worker.places else IDLE_BEAT_S


def shares(wanted: Mapping[str, int], most: int, *, turn: int = 0) -> dict[str, int]:
    """`most` places shared out by need; what nobody needs is shared out on top.

    Where there are too few, everyone gets the same or all that it wants. A remainder goes to
    others as `turn` goes on, so that nobody waits for ever where workers outnumber places.
    """
    left, names = most, sorted(wanted, key=lambda name: (wanted[name], name))
    given: dict[str, int] = {}
    for index, name in enumerate(names):
        if wanted[name] > left // (len(names) - index):
            break
        given[name] = wanted[name]
        left -= wanted[name]
    rest = [name for name in sorted(names) if name not in given] or sorted(names)
    for index in range(len(rest)):
        name = rest[(index + turn) % len(rest)]
        given[name] = given.get(name, 0) + left // len(rest) + (index < left % len(rest))
    return given


def lowest(*limits: Limits) -> Limits:
    """The lower of each limit that a budget is held to."""
    return replace(
        limits[0],
        requests_per_minute=_least(one.requests_per_minute for one in limits),
        tokens_per_minute=_least(one.tokens_per_minute for one in limits),
        concurrency=min(one.concurrency for one in limits),
    )


def _least(values: Iterable[float | None]) -> float | None:
    return min((value for value in values if value is not None), default=None)
