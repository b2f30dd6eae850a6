"""When, how often and for how long a call is tried again."""

from __future__ import annotations

from email.utils import formatdate

import pytest

from engines.engine_factories import FakeTime, failed_try, make_try
from ifbench.engines.engine import Try
from ifbench.engines.retry import backoff_s, parse_retry_after, parse_span, retried
from ifbench.types import FailureKind, Limits, Response

NOW = 1_800_000_000.0


class Script:
    """Hands out tries in order; each takes `takes_s`."""

    def __init__(self, time: FakeTime, *tries: Try, takes_s: float = 0.0) -> None:
        self.left = list(tries)
        self.made = 0
        self._time, self._takes_s = time, takes_s

    async def __call__(self) -> Try:
        self.made += 1
        self._time.now += self._takes_s
        return self.left.pop(0) if len(self.left) > 1 else self.left[0]


async def run(time: FakeTime, script: Script, limits: Limits) -> Response:
    async def wait(_: Try, seconds: float) -> bool:
        await time.clockwork.sleep(seconds)
        return True

    return await retried(script, limits, wait, time.clockwork)


async def test_answer_after_two_failures_counts_three_tries():
    time = FakeTime()
    response = await run(time, Script(time, failed_try(), failed_try(), make_try()), Limits())
    assert (response.text, response.tries, response.failure) == ("four", 3, None)
    assert time.slept == [0.25, 0.5]  # Half of 0.5 s, then half of 1 s.


async def test_what_may_not_be_retried_is_tried_once():
    time = FakeTime()
    script = Script(time, failed_try(FailureKind.REJECTED, retry=False))
    response = await run(time, script, Limits())
    assert (script.made, response.tries, time.slept) == (1, 1, [])


async def test_attempts_bound_the_tries():
    time = FakeTime()
    script = Script(time, failed_try())
    response = await run(time, script, Limits(attempts=4))
    assert (script.made, response.tries) == (4, 4)
    assert response.failure is not None


async def test_no_try_begins_after_the_elapsed_time():
    time = FakeTime()
    script = Script(time, failed_try(), takes_s=40.0)
    await run(time, script, Limits(attempts=1000, elapsed_s=100.0))
    assert script.made == 3  # At 0 s, about 40 s and about 81 s; the fourth would begin past 100 s.


async def test_retry_after_wins_over_back_off():
    time = FakeTime()
    await run(time, Script(time, failed_try(retry_after_s=7.5), make_try()), Limits())
    assert time.slept == [7.5]


async def test_retry_after_is_cut_to_the_time_that_is_left():
    time = FakeTime()
    script = Script(time, failed_try(retry_after_s=86_400.0))
    await run(time, script, Limits(elapsed_s=20.0))
    assert time.slept == [20.0]
    assert script.made == 2


async def test_a_wait_that_is_called_off_ends_the_call_with_its_last_failure():
    time = FakeTime()
    script = Script(time, failed_try())

    async def wait(_: Try, seconds: float) -> bool:
        return False

    response = await retried(script, Limits(), wait, time.clockwork)
    assert (script.made, response.failure.kind) == (1, FailureKind.TRANSPORT)


@pytest.mark.parametrize(
    ("tries", "draw", "seconds"),
    [
        (1, 0.0, 0.0),
        (1, 1.0, 0.5),
        (2, 1.0, 1.0),
        (5, 0.5, 4.0),
        (8, 1.0, 60.0),
        (10**6, 1.0, 60.0),
    ],
)
def test_back_off_doubles_up_to_a_minute_and_draws_from_nothing(tries, draw, seconds):
    assert backoff_s(tries, draw) == seconds


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": " 0.25 "}, 0.25),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "30s"}, 30.0),
        ({"retry-after": formatdate(NOW + 90, usegmt=True)}, 90.0),
        ({"retry-after": "Fri, 15 Jan 2027 08:01:30 -0000"}, 90.0),
        ({"retry-after": formatdate(NOW - 90, usegmt=True)}, 0.0),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after-ms": "x", "retry-after": "1"}, 1.0),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1s"}, 1.0),
        ({"x-ratelimit-remaining-requests": "9", "x-ratelimit-reset-requests": "1s"}, None),
        (
            {
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-requests": "20ms",
                "x-ratelimit-remaining-tokens": "0",
                "x-ratelimit-reset-tokens": "6m0s",
            },
            360.0,
        ),
    ],
)
def test_retry_after_is_read_in_all_its_forms(headers, seconds):
    found = parse_retry_after(headers, lambda: NOW)
    assert found == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1s", 1.0),
        ("20ms", 0.02),
        ("6m0s", 360.0),
        ("1h2m3.5s", 3723.5),
        ("1d", 86_400.0),
        ("", None),
        ("1", None),
        ("s", None),
        ("1s!", None),
        ("1 s", None),
    ],
)
def test_spans_are_read_whole_or_not_at_all(text, seconds):
    assert parse_span(text) == (None if seconds is None else pytest.approx(seconds))
