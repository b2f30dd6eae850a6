"""Items that a judge decides from a list: one call for a sample, or one for each item."""

import asyncio
import json

import pytest

from ifbench.constraints import all_constraints
from ifbench.engines.scripted import example_of
from ifbench.stages import rows
from ifbench.stages.judge import ask_judge, read_judge
from ifbench.stages.roles import Roles
from ifbench.stages.verify import unbound_items
from ifbench.types import Cause, FailureKind, Outcome, Task, UnboundParams
from tests.factories import (
    make_failure,
    make_item,
    make_model,
    make_response,
    make_sample,
    make_trial,
    make_work,
)


def judged(name, **fields):
    params = all_constraints()[name].params()
    return make_item(name, params=params, **fields)


SAMPLE = make_sample(
    benchmark="videoif",
    instruction="If A, then tell of the dog. Else, tell of the cat.",
    active_instruction="Tell of the cat.",
    tasks=(Task(name="Scene Description"), Task(name="Counting", description="Count cats")),
    checklist=(
        judged("videoif:temporal_scope", question="All within the first minute?"),
        judged("videoif:entity_filter", question="Only cats?", evidence="There are two cats."),
        judged("videoif:entity_filter", question="Only black ones?", scope=1),
    ),
)
ANSWER = make_response("A cat sits there. Two cats in all.")


def prompts(**options):
    return ask_judge(make_work(SAMPLE), ANSWER, make_model("judge"), **options)


def reply(*entries, **changed):
    items = {
        str(number): {"reason": "so it is", "quote": quote, "satisfied": satisfied}
        for number, satisfied, quote in entries
    }
    return make_response(json.dumps({"items": items}), **changed)


def test_all_items_of_a_sample_are_asked_in_one_call():
    found = prompts()
    assert list(found) == [0, 1, 2]
    assert len({id(prompt) for prompt in found.values()}) == 1
    words = found[0].parts[0].text
    assert "1. All within the first minute?" in words
    assert "2. Only cats?" in words
    assert "Known of the video: There are two cats." in words
    assert "exactly one entry for each of these numbers: 1, 2, 3." in words


def test_the_judge_reads_the_active_instruction_alone():
    words = prompts()[0].parts[0].text
    assert "Tell of the cat." in words
    assert "tell of the dog" not in words


def test_a_local_item_names_its_task():
    words = prompts()[0].parts[0].text
    assert words.count("It holds only for the part of the answer that is about this task") == 1
    assert "about this task: Counting: Count cats" in words


def test_each_item_can_have_a_call_of_its_own():
    found = prompts(calls="item")
    assert len({id(prompt) for prompt in found.values()}) == 3
    assert "Only black ones?" in found[2].parts[0].text
    assert "Only cats?" not in found[2].parts[0].text
    assert "these numbers: 3." in found[2].parts[0].text


def test_each_item_reads_its_own_entry_in_any_order():
    one = reply((3, True, "Two cats"), (1, True, ""), (2, False, "A cat"))
    checks = read_judge(make_work(SAMPLE), ANSWER, dict.fromkeys(range(3), one))
    assert [checks[i].outcome for i in range(3)] == [Outcome.PASS, Outcome.FAIL, Outcome.PASS]
    assert checks[1].evidence[0].text == "A cat"


def test_an_entry_that_is_missing_leaves_its_own_item_undecided():
    one = reply((1, True, ""), (4, True, ""))
    checks = read_judge(make_work(SAMPLE), ANSWER, dict.fromkeys(range(3), one))
    assert [checks[i].outcome for i in range(3)] == [
        Outcome.PASS,
        Outcome.UNDECIDED,
        Outcome.UNDECIDED,
    ]
    assert {checks[i].cause for i in (1, 2)} == {Cause.JUDGE_UNREADABLE}


def test_what_no_parser_could_read_is_decided_on_the_items_question():
    unread = UnboundParams(raw="Is it short?", reason="no bound is found")
    entry = make_item("videoif:response_length_constraint", params=unread, question="Is it short?")
    sample = make_sample(benchmark="videoif", checklist=(*SAMPLE.checklist, entry), tasks=())
    found = ask_judge(make_work(sample), ANSWER, make_model("judge"))
    assert "4. Is it short?" in found[3].parts[0].text
    assert found[3] is found[0]
    check = read_judge(make_work(sample), ANSWER, {3: reply((4, False, ""))})[3]
    assert check.outcome is Outcome.FAIL
    assert unbound_items(make_work(sample)) == {}


def test_without_a_question_unread_parameters_stay_undecided():
    unread = UnboundParams(raw="short", reason="no bound is found")
    entry = make_item("videoif:response_length_constraint", params=unread)
    work = make_work(make_sample(benchmark="videoif", checklist=(entry,)))
    assert ask_judge(work, ANSWER, make_model("judge")) == {}
    assert unbound_items(work)[0].cause is Cause.PARAMETERS


def test_a_question_does_not_stand_for_what_scimifs_parameters_say():
    unread = UnboundParams(raw="neatly", reason="no rule is found")
    entry = make_item("general:wrap_up", params=unread, question="Is it neat?")
    work = make_work(make_sample(checklist=(entry,)))
    assert ask_judge(work, ANSWER, make_model("judge")) == {}
    assert unbound_items(work)[0].cause is Cause.PARAMETERS


# ── As part of a row ─────────────────────────────────────────────────────────────────

COVERED = make_response(
    json.dumps(
        {
            "tasks": {
                "1": {"attempted": True, "quote": "A cat"},
                "2": {"attempted": True, "quote": ""},
            }
        }
    ),
    key="c" * 64,
)


def scored(*replies, calls="sample", answer=ANSWER):
    asked = []
    waiting = list(replies)

    async def ask(prompt):
        asked.append(prompt)
        if "which of the tasks it attempts" in prompt.parts[0].text:
            return COVERED
        return waiting.pop(0)

    roles = Roles(judge=make_model("judge"), attempts=2, calls=calls)
    trial = make_trial(SAMPLE, response=answer)
    done = asyncio.run(rows.judge(trial, ask, roles))
    return done, asked


def test_a_trial_costs_one_call_for_tasks_and_one_for_items():
    done, asked = scored(reply((1, True, ""), (2, True, ""), (3, True, "")))
    assert len(asked) == 2
    assert done.score.satisfied == (True, True, True)
    assert done.score.tasks_done == (True, True)
    assert done.score.is_complete


def test_only_the_items_without_a_reading_are_asked_again():
    done, asked = scored(reply((1, True, ""), (3, False, "")), reply((2, True, "")))
    assert done.score.satisfied == (True, True, False)
    again = asked[-1]
    assert again.attempt == 1
    assert "these numbers: 2." in again.parts[0].text


def test_what_stays_unread_is_undecided_and_the_sample_owed():
    done, asked = scored(reply((1, True, "")), reply())
    assert done.score.satisfied == (True, None, None)
    assert done.score.causes == (Cause.JUDGE_UNREADABLE,)
    assert done.score.is_owed
    assert len(asked) == 3


def test_a_call_for_each_item_gives_the_same_score():
    done, asked = scored(
        reply((1, True, "")), reply((2, False, "")), reply((3, True, "")), calls="item"
    )
    assert len(asked) == 4
    assert done.score.satisfied == (True, False, True)


@pytest.mark.parametrize(
    ("kind", "tasks", "items"),
    [
        (FailureKind.REFUSAL, (False, False), (False, False, False)),
        (FailureKind.TRANSPORT, (None, None), (None, None, None)),
    ],
)
def test_no_answer_needs_no_judge(kind, tasks, items):
    done, asked = scored(answer=make_failure(kind))
    assert asked == []
    assert (done.score.tasks_done, done.score.satisfied) == (tasks, items)


def test_verdicts_say_which_prompt_and_model_decided():
    done, _ = scored(reply((1, True, ""), (2, True, ""), (3, True, ""), key="d" * 64))
    task = next(v for v in done.verdicts if v.aspect == "task")
    assert task.grader.startswith("videoif:task_coverage judge/coverage@")
    assert task.asked == ("c" * 64,)
    item = next(v for v in done.verdicts if v.aspect == "constraint")
    assert "judge/checklist@" in item.grader
    assert item.asked == ("d" * 64,)


def test_a_judge_that_is_held_to_the_schema_decides_each_item_once():
    (prompt,) = {id(p): p for p in prompts().values()}.values()
    one = make_response(json.dumps(example_of(prompt.reply_schema)))
    checks = read_judge(make_work(SAMPLE), ANSWER, dict.fromkeys(range(3), one))
    assert [check.outcome for check in checks.values()] == [Outcome.PASS] * 3
    assert prompt.reply_schema["properties"]["items"]["required"] == ["1", "2", "3"]
