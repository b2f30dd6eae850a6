"""What an endpoint breaks is owed and never failed; a healthy one completes it, for nothing more."""

from __future__ import annotations

import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from urllib.parse import urlsplit

import pytest
from running import REPLIES, Place, Results, assert_paid_once

from engines.endpoint import EndpointProcess, Fault

BROKEN: dict[str, tuple[Fault, str]] = {
    "decimal": (Fault(status=500), "transport"),
    "molecule": (Fault(mode="hang"), "timeout"),
    "lowercase": (Fault(mode="drop"), "transport"),
    "JSON": (Fault(mode="cut"), "transport"),
    "circuit": (Fault(status=404), "transport"),
}
"""A word of an instruction, what befalls prompts that hold it, and the cause it must leave."""


def test_an_outage_owes_its_samples_and_a_healthy_endpoint_completes_them(
    place, undisturbed, wanted
):
    place.write_model("candidate", limits={"attempts": 2, "timeout_s": 3})
    place.behave(
        *(replace(fault, match=word) for word, (fault, _) in BROKEN.items()),
        Fault(status=500, match='"model":"judge"'),
    )
    place.write_model("judge", limits={"attempts": 1})
    broken = place.evaluate()
    assert broken.code == 3
    assert "Traceback" not in broken.err
    assert_owed(place, undisturbed)
    assert broken.last_line.startswith("To ask for what is missing: ifbench evaluate ")
    settled = place.settled()
    place.forget()
    place.behave()
    mended = place.run_line(broken.last_line.removeprefix("To ask for what is missing: "))
    assert mended.code == 0
    assert sorted(settled & set(place.prompts())) == []
    assert settled | set(place.prompts()) == wanted
    assert_paid_once(place.prompts(), wanted - settled, allowed=0)
    assert place.results() == undisturbed


def assert_owed(place: Place, undisturbed: Results) -> None:
    """What could not be decided has its cause, and nothing else differs."""
    causes = place.causes()
    assert set(causes) == {"transport", "timeout"}
    verdicts = {item(row): row for row in place.results().verdicts}
    whole = {item(row): row for row in undisturbed.verdicts}
    assert set(verdicts) == set(whole)
    outcomes = Counter(row["outcome"] for row in verdicts.values())
    assert min(outcomes.values()) > 0
    for key, row in verdicts.items():
        if row["outcome"] == "undecided" and row["cause"] != "no_grader":
            assert row["cause"] in {"transport", "timeout"}
        else:
            assert row == whole[key]
    timed_out = {sample for (sample, _, _), row in verdicts.items() if row["cause"] == "timeout"}
    assert timed_out == set(place.samples_with("molecule")) - set(place.samples_with("decimal"))


def item(row: dict) -> tuple[str, str, int]:
    return row["sample_id"], row["aspect"], row["item"]


@pytest.mark.soak
def test_an_endpoint_that_stutters_is_asked_until_every_prompt_is_answered_once(
    place, undisturbed, wanted
):
    place.behave(
        Fault(status=429, headers={"retry-after": "1"}, times=3),
        Fault(status=500, times=10),
        Fault(mode="drop", times=5),
        Fault(mode="cut", times=5),
    )
    assert place.evaluate().code == 0
    assert place.prompts().total() == len(wanted) + 23
    assert place.results() == undisturbed
    paid = Counter(line["digest"] for line in place.answered())
    # A body that was cut off was paid for and cannot be read; nothing else is paid twice.
    assert paid.total() - len(wanted) == 5


NONSENSE = (
    Fault(body="<html><body>Bad gateway</body></html>", times=6),
    Fault(body={"data": [], "object": "list"}, times=6),
    Fault(body='{"id": "chatcmpl-1", "choices": [{"mess', times=6),
    Fault(mode="hang", times=2),
)
"""What gateways say instead of an answer, with status 200 where they say anything."""


def test_an_endpoint_that_talks_nonsense_is_asked_until_every_prompt_is_answered_once(
    place, undisturbed, wanted
):
    place.write_model("candidate", limits={"timeout_s": 3})
    place.behave(*(replace(fault) for fault in NONSENSE))
    assert place.evaluate().code == 0
    assert place.prompts().total() == len(wanted) + sum(fault.times for fault in NONSENSE)
    assert place.results() == undisturbed
    paid = Counter(line["digest"] for line in place.answered())
    assert set(paid.values()) == {1}


@pytest.mark.soak
def test_an_endpoint_that_drops_half_of_the_calls_is_paid_once_for_each_prompt(
    place, undisturbed, wanted
):
    place.behave(Fault(mode="drop", every=2))
    assert place.evaluate().code in {0, 3}  # A call may be dropped as often as it is tried.
    place.behave()
    assert place.evaluate().code == 0
    assert place.results() == undisturbed
    paid = Counter(line["digest"] for line in place.answered())
    assert set(paid.values()) == {1}
    assert set(paid) == wanted


DOWN_S = 4.0


@pytest.mark.soak
def test_an_endpoint_that_is_down_for_a_while_is_waited_for(place, undisturbed, wanted):
    with ExitStack() as servers:
        first = servers.enter_context(EndpointProcess(reply=f"{REPLIES}:reply", latency_s=0.3))
        place.endpoint = first
        for name in ("candidate", "judge"):  # Six tries may be over before it is back.
            place.write_model(name, limits={"attempts": 12})
        with place.start() as run:
            place.wait_for(len(wanted) // 2)
            servers.close()
            time.sleep(DOWN_S)
            port = urlsplit(first.url).port
            servers.enter_context(EndpointProcess(reply=f"{REPLIES}:reply", port=port))
            ended = run.wait()
    assert ended.code == 0, ended.out
    assert place.results() == undisturbed
    paid = Counter(line["digest"] for line in place.answered())
    assert set(paid) == wanted
    assert paid.total() - len(paid) <= 16  # What was in flight as it went, of both models.


@pytest.mark.soak
def test_what_may_be_owed_is_the_users_to_say(place):
    place.write_model("candidate", limits={"attempts": 1})
    place.behave(Fault(status=503, match="circuit"))
    owing = place.samples_with("circuit")
    assert place.evaluate(f"max_owed={len(owing) - 1}").code == 3
    assert place.evaluate(f"max_owed={len(owing)}").code == 0


@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_key_that_is_revoked_in_the_middle_ends_the_asking(place, concurrency):
    place.write_model("candidate", limits={"concurrency": concurrency})
    refusal = {"error": {"message": "revoked\x1b[2J", "type": "error"}}
    place.behave(Fault(times=20), Fault(status=401, body=refusal))
    done = place.evaluate()
    assert done.code == 3
    assert "revoked\\x1b[2J" in done.out
    assert "\x1b" not in done.out
    assert place.endpoint.counts()["statuses"]["401"] <= 2 * concurrency  # candidate and judge
    assert "To ask for what is missing" in done.last_line
    assert "candidate was asked no more, and its work is owed: " in done.out
    assert "HTTP 401" in done.out


def test_a_spending_cap_ends_the_asking_and_a_higher_one_goes_on(place):
    price = {"input_per_million": 0.0, "output_per_million": 1e6}  # A dollar a token.
    place.write_model("candidate", price=price, sampling={"max_tokens": 100})
    capped = place.evaluate("max_usd=150")
    assert capped.code == 3
    assert "spending_cap" in set(place.causes())
    assert "max_usd cannot hold for judge: no price is configured" in capped.err
    assert "max_usd is reached" in capped.out
    asked = place.prompts().total()
    assert place.evaluate("max_usd=1000000").code == 0
    assert place.prompts().total() > asked
