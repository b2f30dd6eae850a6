"""Constraints of one task: decided on that task's passage, and on nothing else."""

import asyncio
import json

import pytest

from ifbench.constraints import all_constraints
from ifbench.constraints.constraint import Check, passed, quote
from ifbench.constraints.running import run_check
from ifbench.stages import rows
from ifbench.stages.binding import local_task
from ifbench.stages.roles import Roles
from ifbench.stages.spans import Passage, ask_spans, read_spans
from ifbench.types import Cause, FailureKind, Outcome, Purpose, Task
from tests.factories import (
    make_failure,
    make_item,
    make_model,
    make_response,
    make_sample,
    make_trial,
    make_work,
)

TASKS = (Task(name="Counting"), Task(name="Scene Description", description="Describe the room"))
ANSWER = "1. THREE CUPS STAND THERE.\n2. the room is small\nand  dark, the door is shut."


def reply(*entries):
    spans = {str(number): {"first": first, "last": last} for number, first, last in entries}
    return make_response(text=json.dumps({"spans": spans}))


def read(*entries, tasks=(0, 1), answer=ANSWER):
    return read_spans(make_response(text=answer), reply(*entries), tasks)


def test_a_passage_runs_from_its_first_words_to_its_last():
    found = read((1, "1. THREE CUPS", "STAND THERE."), (2, "2. the room", "small and dark, the"))
    assert found[0] == Passage(start=0, text="1. THREE CUPS STAND THERE.")
    assert found[1] == Passage(start=27, text="2. the room is small\nand  dark, the")


def test_the_end_is_looked_for_behind_the_beginning():
    text = "one two three. two three four. one two, at last."
    found = read((1, "two three four", "one two, at last."), tasks=(0,), answer=text)
    assert found[0].text == "two three four. one two, at last."
    found = read((1, "two three four", "one two"), tasks=(0,), answer=text)
    assert found[0].text == "two three four. one two"


@pytest.mark.parametrize(("first", "last"), [("- a cat", "a dog"), ("1. Cats", "- a cat")])
def test_words_that_stand_there_twice_are_asked_for_again(first, last):
    text = "1. Cats\n- a cat\n2. All\n- a cat\n- a dog"
    (found,) = read((1, first, last), tasks=(0,), answer=text).values()
    assert found.cause is Cause.EXTRACTOR
    assert "more than once" in found.reason


def test_first_and_last_words_may_overlap():
    found = read((1, "THREE CUPS STAND", "CUPS STAND"), tasks=(0,))
    assert found[0].text == "THREE CUPS STAND"


def test_a_task_that_the_answer_leaves_out_has_an_empty_passage():
    assert read((1, "", ""), tasks=(0,))[0] == Passage(start=0, text="")


@pytest.mark.parametrize(
    "entries",
    [
        [(1, "FOUR CUPS", "THERE.")],
        [(1, "THREE CUPS", "HERE AND THERE")],
        [(1, "the room", "1. THREE")],
        [(1, "THREE CUPS", "")],
        [(2, "the room", "dark")],
    ],
)
def test_words_that_do_not_stand_there_are_rejected(entries):
    (found,) = read(*entries, tasks=(0,)).values()
    assert isinstance(found, Check)
    assert (found.outcome, found.cause) == (Outcome.UNDECIDED, Cause.EXTRACTOR)


def test_an_outage_of_the_extractor_keeps_its_cause():
    found = read_spans(make_response(text=ANSWER), make_failure(FailureKind.TIMEOUT), (0,))
    assert found[0].cause is Cause.TIMEOUT


def test_the_prompt_names_the_wanted_tasks_alone():
    item = make_work(make_sample(tasks=TASKS))
    words = ask_spans(item, make_response(text=ANSWER), make_model(), tasks={1}).parts[0].text
    assert "2. Scene Description: Describe the room" in words
    assert "Counting" not in words


def test_evidence_is_moved_to_its_place_in_the_answer():
    passage = Passage(start=27, text=ANSWER[27:])
    placed = passage.placed(passed(evidence=(quote(passage.text, 3, 11),)))
    assert ANSWER[placed.evidence[0].start : placed.evidence[0].end] == "the room"


@pytest.mark.parametrize(
    ("scope", "tasks", "expected"),
    [(1, TASKS, 1), (0, TASKS, 0), ("response", TASKS, None), (0, TASKS[:1], None)],
)
def test_an_item_is_local_where_the_answer_has_other_tasks(scope, tasks, expected):
    assert local_task(make_sample(tasks=tasks), make_item(scope=scope)) == expected


# ── As part of a row ─────────────────────────────────────────────────────────────────


def lettered(constraint_id, **fields):
    params = all_constraints()[constraint_id].params()
    return make_item(constraint_id, params=params, **fields)


SAMPLE = make_sample(
    tasks=TASKS,
    checklist=(
        lettered("general:all_uppercase", scope=0),
        lettered("general:all_lowercase", scope=1),
        lettered("general:all_lowercase"),
    ),
)
SPANS = reply((1, "THREE CUPS", "STAND THERE."), (2, "the room is", "is shut."))
ROLES = Roles(judge=make_model("judge"), extractor=make_model("reader"), attempts=2)


async def check(calls):
    return [run_check(call) for call in calls]


def verified(*replies, roles=ROLES, sample=SAMPLE):
    asked = []
    waiting = list(replies)

    async def ask(prompt):
        asked.append(prompt)
        return waiting.pop(0)

    trial = make_trial(sample, response=make_response(text=ANSWER))
    return asyncio.run(rows.verify(trial, ask, check, roles)).verdicts, asked


def by_item(verdicts):
    return [v.outcome for v in sorted(verdicts, key=lambda v: v.item)]


def test_a_local_item_is_decided_on_its_own_passage():
    verdicts, asked = verified(SPANS)
    assert by_item(verdicts) == [Outcome.PASS, Outcome.PASS, Outcome.FAIL]
    assert [prompt.purpose for prompt in asked] == [Purpose.EXTRACT]
    local = next(v for v in verdicts if v.item == 0)
    assert local.asked == (SPANS.key,)
    assert "extract/spans@" in local.grader
    assert local.grader.endswith(" reader")


def test_words_that_were_invented_are_asked_for_again_then_undecided():
    wrong = reply((1, "FOUR CUPS", "THERE."), (2, "the room is", "is shut."))
    verdicts, asked = verified(wrong, wrong)
    assert by_item(verdicts) == [Outcome.UNDECIDED, Outcome.PASS, Outcome.FAIL]
    assert [prompt.attempt for prompt in asked] == [0, 1]
    assert "Scene Description" not in asked[1].parts[0].text  # It was found the first time.


def test_a_task_without_a_passage_fails_its_items():
    verdicts, _ = verified(reply((1, "", ""), (2, "the room is", "is shut.")))
    assert by_item(verdicts)[0] is Outcome.FAIL
    assert "no passage for task 1" in next(v.reason for v in verdicts if v.item == 0)


def test_without_an_extractor_local_items_are_undecided():
    verdicts, asked = verified(roles=Roles(judge=make_model("judge")))
    assert by_item(verdicts) == [Outcome.UNDECIDED, Outcome.UNDECIDED, Outcome.FAIL]
    assert asked == []


def test_an_extractor_that_is_held_to_the_lines_can_name_no_other():
    item = make_work(make_sample(tasks=TASKS))
    prompt = ask_spans(
        item, make_response(text=ANSWER), make_model(), tasks={0, 1}, listed_quotes=True
    )
    entry = prompt.reply_schema["$defs"]["SpanEntry"]
    lines = ["", *(line.strip() for line in ANSWER.splitlines())]
    assert entry["properties"]["first"] == entry["properties"]["last"] == {"enum": lines}
    assert prompt.reply_schema["properties"]["spans"]["required"] == ["1", "2"]
