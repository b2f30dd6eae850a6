"""Bounded re-asking: what is asked again, how often, and with which budget."""

from __future__ import annotations

import asyncio

import pytest

from ifbench.constraints.constraint import Check, passed, undecided
from ifbench.stages.reasking import reask
from ifbench.types import Cause, ModelConfig, Prompt, Purpose, Response, Sampling, Stop, Text

MODEL = ModelConfig(name="j", engine="scripted", model="j")


class Judge:
    """Replies in turn to each item, and notes what it was asked."""

    def __init__(self, replies: dict[int, list[str]]) -> None:
        self.replies = replies
        self.asked: list[tuple[int, int, bool]] = []

    def prompts(self, open_items, attempt, *, larger):
        self.asked += [(index, attempt, larger) for index in open_items]
        return {
            index: Prompt(
                purpose=Purpose.JUDGE,
                model=MODEL,
                parts=(Text(text=str(index)),),
                sampling=Sampling(),
                attempt=attempt,
            )
            for index in open_items
        }

    async def ask(self, prompt: Prompt) -> Response:
        index = int(prompt.parts[0].text)
        text = self.replies[index][prompt.attempt]
        stop = Stop.LENGTH if text.endswith("cut") else Stop.STOP
        return Response(
            key=f"{index}/{prompt.attempt}", purpose=prompt.purpose, model="j", text=text, stop=stop
        )

    @staticmethod
    def read(replies) -> dict[int, Check]:
        causes = {
            "garbled": Cause.JUDGE_UNREADABLE,
            "cut": Cause.JUDGE_TRUNCATED,
            "quotation cut": Cause.EXTRACTOR,
            "down": Cause.TRANSPORT,
        }
        return {
            index: undecided(causes[r.text], r.text) if r.text in causes else passed(r.text)
            for index, r in replies.items()
        }


def run(judge: Judge, attempts: int = 3):
    indices = list(judge.replies)
    return asyncio.run(reask(judge.prompts, judge.read, judge.ask, indices, attempts))


def test_a_readable_reply_is_asked_for_once():
    judge = Judge({0: ["fine"], 1: ["fine"]})
    results, asked = run(judge)
    assert judge.asked == [(0, 0, False), (1, 0, False)]
    assert {i: r.reason for i, r in results.items()} == {0: "fine", 1: "fine"}
    assert asked == {0: ("0/0",), 1: ("1/0",)}


def test_only_the_unreadable_item_is_asked_again():
    judge = Judge({0: ["garbled", "fine"], 1: ["fine"]})
    results, asked = run(judge)
    assert judge.asked == [(0, 0, False), (1, 0, False), (0, 1, False)]
    assert results[0].reason == "fine"
    assert asked[0] == ("0/0", "0/1")


def test_an_item_that_stays_unreadable_is_undecided_after_the_bound():
    judge = Judge({0: ["garbled"] * 5})
    results, asked = run(judge, attempts=3)
    assert results[0].cause is Cause.JUDGE_UNREADABLE
    assert len(asked[0]) == 3


@pytest.mark.parametrize("reply", ["cut", "quotation cut"])
def test_a_reply_that_was_cut_off_is_asked_again_with_more_room(reply):
    judge = Judge({0: [reply, "fine"]})
    run(judge)
    assert judge.asked == [(0, 0, False), (0, 1, True)]


def test_an_outage_is_not_asked_again_here():
    judge = Judge({0: ["down", "fine"]})
    results, _ = run(judge)
    assert results[0].cause is Cause.TRANSPORT
    assert judge.asked == [(0, 0, False)]
