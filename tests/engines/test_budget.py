"""A shared budget as arithmetic: places, bookings, pauses, dead workers and a rebuilt keeper."""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ifbench.engines.breaker import Breaker
from ifbench.engines.budget import (
    ALONE_BEAT_S,
    BEAT_S,
    HORIZON_S,
    TTL_S,
    Budget,
    Grant,
    Report,
    lowest,
    shares,
)
from ifbench.types import Limits


class Worker:
    """A worker that keeps to what it is granted; `sent` holds the moments of its requests."""

    def __init__(self, name: str, budget: Budget, limits: Limits) -> None:
        self.name, self.budget, self.limits = name, budget, limits
        self.places = self.in_flight = 0
        self.sent: list[float] = []

    def report(self, now: float, *, waiting: int = 0, costs=(), **fields) -> Grant:
        grant = self.budget.report(
            self.name,
            Report(
                limits=self.limits,
                places=max(self.places, self.in_flight),
                wanted=self.in_flight + waiting,
                costs=costs,
                **fields,
            ),
            now,
        )
        self.places = grant.places
        self.sent += [now + delay for delay in grant.bookings]
        return grant

    def fill(self) -> None:
        """Begin as many calls as the places allow."""
        self.in_flight = max(self.in_flight, self.places)

    @property
    def may_have(self) -> int:
        return max(self.places, self.in_flight)


def workers(count: int, limits: Limits, budget: Budget | None = None) -> list[Worker]:
    budget = budget or Budget(0.0)
    return [Worker(f"w{i}", budget, limits) for i in range(count)]


def busy(crew: list[Worker], end: float, step: float = 0.2) -> Iterator[float]:
    """All of a crew want as much as they can get, out of step with each other; yields moments."""
    moments = [
        (index * step / len(crew) + turn * step, worker)
        for turn in range(int(end / step))
        for index, worker in enumerate(crew)
    ]
    for now, worker in moments:
        worker.report(now, waiting=100, costs=(10,) * 100)
        yield now


def most_within(moments: list[float], seconds: float) -> int:
    ordered = sorted(moments)
    return max(bisect.bisect_left(ordered, m + seconds) - i for i, m in enumerate(ordered))


# ── Places ───────────────────────────────────────────────────────────────────────────


def test_lone_worker_has_all_places():
    (worker,) = workers(1, Limits(concurrency=10))
    assert worker.report(0.0, waiting=1).places == 10


def test_worker_that_wants_nothing_has_none():
    one, other = workers(2, Limits(concurrency=10))
    assert one.report(0.0).places == 0
    assert other.report(0.0, waiting=3).places == 10


def test_second_worker_gets_its_half_once_the_first_has_heard():
    one, other = workers(2, Limits(concurrency=10))
    one.report(0.0, waiting=50)
    one.fill()
    assert other.report(0.1, waiting=50).places == 0
    assert one.report(0.2, waiting=50).places == 5
    assert other.report(0.3, waiting=50).places == 0  # The first still has ten in flight.
    one.in_flight = 5
    one.report(0.4, waiting=50)
    assert other.report(0.5, waiting=50).places == 5


def test_worker_that_is_to_give_idle_places_back_says_soon_that_it_has():
    one, other = workers(2, Limits(concurrency=10))
    one.report(0.0, waiting=2)
    other.report(0.1, waiting=50)
    assert one.report(0.2, waiting=2).again_s <= 0.05
    assert one.report(0.25, waiting=2).again_s == BEAT_S


@pytest.mark.parametrize("per_minute", [None, 600])
def test_a_lone_worker_reports_half_as_often(per_minute):
    one, other = workers(2, Limits(concurrency=10, requests_per_minute=per_minute))
    assert one.report(0.0, waiting=20, costs=(10, 10)).again_s == ALONE_BEAT_S
    other.report(0.1, waiting=20, costs=(10, 10))
    assert one.report(0.2, waiting=20, costs=(10, 10)).again_s == BEAT_S
    assert ALONE_BEAT_S < HORIZON_S  # Else its bookings would end before its next report.


def test_what_one_does_not_need_is_the_others():
    one, other = workers(2, Limits(concurrency=10))
    one.report(0.0, waiting=2)
    other.report(0.1, waiting=50)
    one.report(0.2, waiting=2)
    one.report(0.3, waiting=2)
    assert other.report(0.4, waiting=50).places == 8


@pytest.mark.parametrize(
    ("wanted", "most", "given_"),
    [
        ({"a": 5, "b": 5}, 10, {"a": 5, "b": 5}),
        ({"a": 1, "b": 50}, 10, {"a": 1, "b": 9}),
        ({"a": 50, "b": 50, "c": 50}, 10, {"a": 4, "b": 3, "c": 3}),
        ({"a": 1, "b": 1}, 10, {"a": 5, "b": 5}),
        ({"a": 9, "b": 9}, 1, {"a": 1, "b": 0}),
        ({}, 10, {}),
    ],
)
def test_places_are_shared_by_need(wanted, most, given_):
    assert shares(wanted, most) == given_


def test_remainder_goes_round():
    found = [shares({"a": 9, "b": 9, "c": 9}, 2, turn=turn) for turn in range(3)]
    assert {name: sum(one[name] for one in found) for name in "abc"} == {"a": 2, "b": 2, "c": 2}


@given(st.dictionaries(st.text(max_size=2), st.integers(0, 60), max_size=6), st.integers(0, 50))
def test_shares_give_everything_and_no_more(wanted, most):
    found = shares(wanted, most)
    assert sum(found.values()) == (most if wanted else 0)
    hungry = [found[name] for name in wanted if found[name] < wanted[name]]
    sated = [wanted[name] for name in wanted if found[name] >= wanted[name]]
    if hungry:
        assert max(hungry) - min(hungry) <= 1
        assert max(sated, default=0) <= min(hungry) + 1


EVENTS = st.lists(
    st.tuples(
        st.integers(0, 3),  # who
        st.integers(0, 30),  # how many wait
        st.integers(0, 12),  # how many calls end
        st.floats(0, 1.0),  # how much later
        st.booleans(),  # whether it dies
    ),
    max_size=60,
)


@given(EVENTS, st.integers(1, 12), st.booleans())
@settings(max_examples=300)
def test_calls_in_flight_never_exceed_the_limit_but_for_the_dead(events, most, rebuilt):
    crew = workers(4, Limits(concurrency=most), Budget(0.0, rebuilt))
    now, heard_at, dead = 0.0, dict.fromkeys(range(4), 0.0), set()
    for who, waiting, ended, later, dies in events:
        now += later
        worker = crew[who]
        if who in dead or now - heard_at[who] > TTL_S:
            dead.add(who)
            continue
        worker.in_flight = max(0, worker.in_flight - ended)
        worker.report(now, waiting=waiting)
        worker.fill()
        heard_at[who] = now
        if dies:
            dead.add(who)
        living = [crew[i].may_have for i in range(4) if now - heard_at[i] <= TTL_S]
        assert sum(living) <= most


def test_places_of_a_silent_worker_come_back_after_its_time():
    dead, other = workers(2, Limits(concurrency=4))
    dead.report(0.0, waiting=9)
    assert other.report(0.1, waiting=9).places == 0
    assert other.report(TTL_S, waiting=9).places == 0
    assert other.report(TTL_S + 0.01, waiting=9).places == 4


def test_places_of_a_worker_that_takes_its_leave_come_back_at_once():
    gone, other = workers(2, Limits(concurrency=4))
    gone.report(0.0, waiting=9)
    gone.budget.drop("w0")
    assert other.report(0.1, waiting=9).places == 4


def test_lowest_limits_of_those_present_hold():
    budget = Budget(0.0)
    (low,) = workers(1, Limits(concurrency=2, requests_per_minute=60), budget)
    high = Worker("high", budget, Limits(concurrency=9))
    assert high.report(0.0, waiting=9).places == 9
    low.report(0.1, waiting=9)
    assert high.report(0.2, waiting=9).places == 1
    budget.drop("w0")
    assert not high.report(0.3, waiting=9).is_metered
    assert high.places == 9


def test_lowest_takes_each_limit_by_itself():
    found = lowest(Limits(concurrency=3), Limits(concurrency=5, tokens_per_minute=9))
    assert (found.concurrency, found.tokens_per_minute) == (3, 9)


# ── Bookings ─────────────────────────────────────────────────────────────────────────


def test_without_rates_nothing_is_booked():
    (worker,) = workers(1, Limits())
    grant = worker.report(0.0, waiting=5, costs=(1,) * 5)
    assert grant.bookings == ()
    assert not grant.is_metered


@pytest.mark.parametrize("per_minute", [6, 60, 100, 600, 6000])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_no_minute_has_more_requests_than_are_allowed_and_nearly_all_are_used(per_minute, count):
    crew = workers(count, Limits(requests_per_minute=per_minute, concurrency=1000))
    for _ in busy(crew, 200.0):
        pass
    moments = [moment for worker in crew for moment in worker.sent]
    assert most_within(moments, 60.0) <= per_minute
    steady = [moment for moment in moments if 20 <= moment < 200]
    assert len(steady) >= 0.97 * per_minute * 3


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("per_minute", [60, 600, 6000])
def test_rates_are_shared_evenly(per_minute, count):
    crew = workers(count, Limits(requests_per_minute=per_minute, concurrency=1000))
    for _ in busy(crew, 300.0):
        pass
    counts = [len(worker.sent) for worker in crew]
    assert min(counts) >= 0.8 * max(counts)


def test_worker_that_wants_little_gets_it_beside_one_that_wants_all():
    small, large = workers(2, Limits(requests_per_minute=605, concurrency=1000))
    for turn in range(100):
        small.report(turn * 0.2, waiting=1, costs=(10,) if turn % 5 == 0 else ())
        large.report(turn * 0.2 + 0.1, waiting=100, costs=(10,) * 100)
    assert len(small.sent) == 20
    assert len(large.sent) == pytest.approx(10 * 20 - 20, abs=6)


def test_tokens_are_booked_by_what_they_cost():
    (worker,) = workers(1, Limits(tokens_per_minute=6050, concurrency=1000))
    for turn in range(50):
        worker.report(turn * 0.2, waiting=10, costs=(50,) * 10)
    assert len(worker.sent) == pytest.approx(20, abs=1)  # 100 tokens a second for 10 s.


def test_tokens_that_were_not_used_can_be_booked_again():
    (worker,) = workers(1, Limits(tokens_per_minute=6050, concurrency=1000))
    worker.report(0.0, waiting=1, costs=(1000,))
    assert worker.report(0.1, waiting=1, costs=(10,)).bookings == ()
    assert worker.report(0.2, waiting=1, costs=(10,), tokens=995).bookings == (0.0,)


def test_bookings_let_pass_can_be_booked_again():
    (worker,) = workers(1, Limits(requests_per_minute=605, concurrency=1000))
    first = worker.report(0.0, waiting=9, costs=(1,) * 9).bookings
    assert worker.report(0.0, waiting=9, costs=(1,) * 9).bookings == ()
    again = worker.report(0.0, waiting=9, costs=(1,) * 9, unused=len(first), tokens=len(first))
    assert again.bookings == pytest.approx(first)


def test_worker_without_a_place_books_nothing():
    one, other = workers(2, Limits(requests_per_minute=600, concurrency=4))
    one.report(0.0, waiting=9)
    one.fill()
    assert other.report(0.1, waiting=9, costs=(1,) * 9).bookings == ()


BOOKINGS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 40), st.floats(0, 0.6)), max_size=60
)


@given(BOOKINGS, st.sampled_from([30.0, 300.0, 3000.0, 30000.0]))
@settings(max_examples=300)
def test_however_workers_report_no_window_has_more_than_its_flow_and_a_burst(reports, per_minute):
    crew = workers(3, Limits(requests_per_minute=per_minute, concurrency=10_000))
    now = 0.0
    for who, count, later in reports:
        now += later
        grant = crew[who].report(now, waiting=count, costs=(1,) * count)
        assert all(0 <= delay <= HORIZON_S for delay in grant.bookings)
        assert list(grant.bookings) == sorted(grant.bookings)
    moments = sorted(moment for worker in crew for moment in worker.sent)
    per_s = per_minute / 60.5
    for window in (0.1, 1.0, 10.0):
        if moments:
            assert most_within(moments, window) <= max(1.0, 0.25 * per_s) + per_s * window + 1e-6


# ── Pauses ───────────────────────────────────────────────────────────────────────────


def test_a_refusal_holds_everyone():
    one, other = workers(2, Limits(requests_per_minute=6000, concurrency=1000))
    one.report(0.0, waiting=9, costs=(1,) * 9)
    one.report(1.0, pause_s=5.0)
    grant = other.report(1.1, waiting=9, costs=(1,) * 9)
    assert grant.pause_s == pytest.approx(4.9)
    assert grant.bookings == ()


def test_after_a_refusal_traffic_grows_from_a_part_of_what_it_was():
    (worker,) = workers(1, Limits(concurrency=1000))
    for turn in range(10):
        worker.report(turn * 0.1, waiting=9, sent=10)  # A hundred a second, without a limit.
    worker.report(1.0, waiting=99, pause_s=1.0)
    for turn in range(100):
        grant = worker.report(1.0 + turn * 0.2, waiting=100, costs=(1,) * 100)
        assert grant.is_metered
    seconds = [sum(2 + k <= moment < 3 + k for moment in worker.sent) for k in range(18)]
    assert seconds[0] < 30
    assert seconds[4] == pytest.approx(70, abs=8)
    growth = [later - sooner for sooner, later in pairwise(seconds[5:])]
    assert sum(growth) / len(growth) == pytest.approx(3.5, abs=1)  # A twentieth of 70 each second.


def test_refusals_of_one_second_cut_once():
    one, many = (workers(1, Limits(concurrency=1000))[0] for _ in range(2))
    for worker, refusals in ((one, 1), (many, 20)):
        for turn in range(10):
            worker.report(turn * 0.1, waiting=9, sent=10)
        for turn in range(refusals):
            worker.report(1.0 + turn / 100, pause_s=1.0)
        for turn in range(50):
            worker.report(2.2 + turn * 0.2, waiting=100, costs=(1,) * 100)
    assert len(many.sent) == pytest.approx(len(one.sent), rel=0.1)


# ── A keeper that was rebuilt ────────────────────────────────────────────────────────


def test_rebuilt_budget_gives_out_nothing_before_it_knows_who_holds_what():
    limits = Limits(concurrency=10, requests_per_minute=6000)
    new, old = workers(2, limits, Budget(100.0, rebuilt=True))
    old.places = old.in_flight = 7
    assert new.report(100.1, waiting=9).places == 0
    assert old.report(100.2, waiting=9).places == 7
    assert new.report(102.0, waiting=9).places == 0
    assert old.report(102.5, waiting=9).places == 7
    assert old.report(103.1, waiting=9).places == 5
    old.in_flight = 5
    assert old.report(103.2, waiting=9).places == 5
    assert new.report(103.3, waiting=9).places == 5


def test_rebuilt_budget_starts_without_a_burst():
    limits = Limits(concurrency=1000, requests_per_minute=6050)
    (worker,) = workers(1, limits, Budget(0.0, rebuilt=True))
    worker.places = 200  # As the keeper before had granted.
    bookings = worker.report(0.0, waiting=200, costs=(1,) * 200).bookings
    assert bookings[0] == pytest.approx(0.01)
    assert len(bookings) == pytest.approx(100 * HORIZON_S, abs=1)


# ── An endpoint that is closed ───────────────────────────────────────────────────────


def test_refused_key_closes_the_endpoint_for_its_run_alone():
    budget = Budget(0.0)
    one, other = workers(2, Limits(), budget)
    one.report(0.0, waiting=1, run="a", refused="HTTP 401")
    assert "HTTP 401" in other.report(0.1, waiting=1, run="a").closed
    assert other.report(0.2, waiting=1, run="b").closed == ""
    budget.drop_run("a")
    assert one.report(0.3, waiting=1, run="a").closed == ""


def test_one_worker_finds_out_whether_an_outage_is_over():
    breaker = Breaker(failures_needed=3, outage_s=1.0, probe_after_s=10.0, probe_s=5.0)
    one, other = workers(2, Limits(concurrency=8), Budget(0.0, breaker=breaker))
    one.report(0.0, waiting=4, failures=1, words="ConnectionRefusedError")
    one.report(0.5, waiting=4, failures=1, words="ConnectionRefusedError")
    closed = other.report(1.5, waiting=4, failures=1, words="ConnectionRefusedError")
    assert "ConnectionRefusedError" in closed.closed
    assert closed.places == 0
    for moment in (2.0, 5.0, 8.0):
        assert one.report(moment, waiting=1).closed
        assert other.report(moment, waiting=1).closed
    assert one.report(11.6).closed  # It wants nothing, so another is to try.
    assert other.report(11.7, waiting=4).closed == ""
    assert other.places == 1
    assert one.report(11.8, waiting=4).closed
    assert other.report(11.9, answered=True).closed == ""
    assert one.report(12.0, waiting=4).closed == ""
