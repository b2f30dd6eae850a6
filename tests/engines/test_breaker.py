"""When an endpoint is asked no more, and who finds out whether it is back."""

from __future__ import annotations

from ifbench.engines.breaker import Breaker


def out(**fields) -> Breaker:
    """An endpoint that has been out for a second, closed until 11."""
    breaker = Breaker(
        **{"failures_needed": 4, "outage_s": 1.0, "probe_after_s": 10.0, "probe_s": 5.0, **fields}
    )
    breaker.failed(3, "refused", 0.0)
    breaker.failed(1, "reset", 1.0)
    return breaker


def test_many_failures_over_some_time_are_an_outage():
    assert out().reason("run") == (
        "not asked, as 4 calls in a row had no answer; the last one: reset"
    )


def test_failures_of_one_moment_are_none():
    breaker = Breaker(failures_needed=4, outage_s=1.0)
    breaker.failed(1000, "refused", 0.0)
    breaker.failed(1000, "refused", 0.9)
    assert breaker.reason("run") == ""


def test_few_failures_over_a_long_time_are_none():
    breaker = Breaker(failures_needed=4, outage_s=1.0)
    breaker.failed(1, "refused", 0.0)
    breaker.failed(2, "refused", 100.0)
    assert breaker.reason("run") == ""


def test_an_answer_in_between_begins_the_count_anew():
    breaker = Breaker(failures_needed=4, outage_s=1.0)
    breaker.failed(3, "refused", 0.0)
    breaker.answered()
    breaker.failed(3, "refused", 2.0)
    assert breaker.reason("run") == ""


def test_nobody_probes_before_its_time_and_then_one_at_a_time():
    breaker = out()
    assert not breaker.may_probe("a", "run", 10.9)
    assert breaker.may_probe("a", "run", 11.0)
    assert not breaker.may_probe("b", "run", 12.0)
    assert breaker.may_probe("a", "run", 12.0)
    assert breaker.may_probe("b", "run", 16.0)  # The first had its time.


def test_probe_that_fails_closes_the_endpoint_again():
    breaker = out()
    assert breaker.may_probe("a", "run", 11.0)
    breaker.failed(1, "refused", 12.0)
    assert breaker.reason("run")
    assert not breaker.may_probe("a", "run", 21.9)
    assert breaker.may_probe("b", "run", 22.0)


def test_probe_that_is_answered_opens_it():
    breaker = out()
    assert breaker.may_probe("a", "run", 11.0)
    breaker.answered()
    assert breaker.reason("run") == ""


def test_refused_key_is_final_for_its_run():
    breaker = Breaker()
    breaker.give_up("run", "HTTP 401")
    breaker.answered()
    assert breaker.reason("run") == "not asked, as an earlier call was refused: HTTP 401"
    assert not breaker.may_probe("a", "run", 1e9)
    assert breaker.reason("other") == ""
    breaker.forget("run")
    assert breaker.reason("run") == ""
