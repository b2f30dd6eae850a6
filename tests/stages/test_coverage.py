"""The task gate: attempted or not, by a judge whose unreadable replies are nobody's fault."""

import json

import pytest

from ifbench.stages.coverage import ask_coverage, read_coverage, settled_coverage
from ifbench.types import Cause, FailureKind, Outcome, Stop, Task
from tests.factories import make_failure, make_model, make_response, make_sample, make_work

TASKS = (Task(name="Counting", description="Count the cups"), Task(name="Text Recognition (OCR)"))
ANSWER = "There are three cups. The sign says OPEN."


def item(**changed):
    return make_work(
        make_sample(tasks=TASKS, instruction="If A, then count. Else, read.", **changed)
    )


def reply(*entries, **changed):
    return make_response(text=json.dumps({"tasks": dict(entries)}), **changed)


def entry(index, attempted, quote=""):
    return str(index), {"attempted": attempted, "quote": quote}


def test_the_judge_reads_the_branch_that_is_to_be_carried_out():
    prompt = ask_coverage(
        item(active_instruction="Count, then read."), make_response(text=ANSWER), make_model()
    )
    words = prompt.parts[0].text
    assert "Count, then read." in words
    assert "If A, then" not in words
    assert "1. Counting: Count the cups\n2. Text Recognition (OCR)\n" in words


def test_each_task_has_a_check_with_its_passage():
    checks = read_coverage(
        item(), make_response(text=ANSWER), reply(entry(2, False), entry(1, True, "three  cups"))
    )
    assert checks[0].outcome is Outcome.PASS
    assert ANSWER[checks[0].evidence[0].start :].startswith("three cups")
    assert (checks[1].outcome, checks[1].reason) == (
        Outcome.FAIL,
        "Text Recognition (OCR) is not attempted",
    )


def test_a_passage_that_does_not_stand_in_the_answer_is_no_evidence():
    checks = read_coverage(
        item(), make_response(text=ANSWER), reply(entry(1, True, "nine cups"), entry(2, True))
    )
    assert [check.evidence for check in checks.values()] == [(), ()]


@pytest.mark.parametrize(
    "entries",
    [
        [entry(1, True)],
        [entry(1, True), entry(2, True), entry(3, True)],
        [entry(0, True), entry(1, True)],
        [],
    ],
)
def test_a_reply_without_one_entry_for_each_task_leaves_all_undecided(entries):
    checks = read_coverage(item(), make_response(text=ANSWER), reply(*entries))
    assert {(c.outcome, c.cause) for c in checks.values()} == {
        (Outcome.UNDECIDED, Cause.JUDGE_UNREADABLE)
    }


@pytest.mark.parametrize(
    ("text", "stop", "cause"),
    [
        ("Both are attempted.", Stop.STOP, Cause.JUDGE_UNREADABLE),
        ('{"tasks": {"1":', Stop.LENGTH, Cause.JUDGE_TRUNCATED),
        ('{"tasks": {"1": {"attempted": "perhaps", "quote": ""}}}', Stop.STOP,
         Cause.JUDGE_UNREADABLE),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_undecided(text, stop, cause):
    checks = read_coverage(item(), make_response(text=ANSWER), make_response(text=text, stop=stop))
    assert [c.cause for c in checks.values()] == [cause, cause]


def test_an_outage_of_the_judge_is_undecided():
    silent = make_response(text="", failure=make_failure(FailureKind.TIMEOUT).failure)
    checks = read_coverage(item(), make_response(text=ANSWER), silent)
    assert [c.cause for c in checks.values()] == [Cause.TIMEOUT, Cause.TIMEOUT]


def test_no_answer_attempts_nothing_unless_nobody_could_give_one():
    refused = settled_coverage(item(), make_failure(FailureKind.REFUSAL))
    outage = settled_coverage(item(), make_failure(FailureKind.TRANSPORT))
    empty = settled_coverage(item(), make_response(text=" "))
    assert [c.outcome for c in refused.values()] == [Outcome.FAIL, Outcome.FAIL]
    assert [c.cause for c in outage.values()] == [Cause.TRANSPORT, Cause.TRANSPORT]
    assert [c.outcome for c in empty.values()] == [Outcome.FAIL, Outcome.FAIL]
    assert settled_coverage(item(), make_response(text=ANSWER)) == {}


def test_nothing_is_asked_where_there_is_no_task_or_no_answer():
    assert ask_coverage(make_work(), make_response(text=ANSWER), make_model()) is None
    assert ask_coverage(item(), make_response(text=""), make_model()) is None
