"""The stages of one trial under `rules=release`: what is asked, decided, and said of it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from factories import make_model, make_response, make_sample, make_trial
from ifbench.constraints import all_constraints
from ifbench.constraints.rule_sets import rule_set
from ifbench.constraints.running import run_check
from ifbench.stages import rows
from ifbench.stages.roles import Roles
from ifbench.types import Cause, ChecklistItem, Outcome, Purpose, UnboundParams

QUESTION = "What is the strain? Give it with two decimal places. " + "Mind the units. " * 200


def item(name, raw="", *, bound=None):
    params = (
        UnboundParams(raw=raw, reason="no parser reads it")
        if bound is None
        else all_constraints()[name].params.model_validate(bound)
    )
    return ChecklistItem(constraint_id=name, params=params, raw=raw)


def trial(*items, answer="The answer is 0.20 (about)."):
    sample = make_sample(instruction=QUESTION, checklist=items)
    return replace(make_trial(sample), response=make_response(answer))


class Models:
    """Answers by purpose, and remembers what it was asked."""

    def __init__(self, **replies):
        self.replies = replies
        self.prompts = []

    async def __call__(self, prompt):
        self.prompts.append(prompt)
        reply = self.replies[prompt.purpose.value]
        return make_response(json.dumps(reply), purpose=prompt.purpose, key=str(len(self.prompts)))


def checker(rules):
    async def check(calls):
        return [run_check(call, rule_set(rules)) for call in calls]

    return check


async def decided(trial, models=None, rules="release", **fields):
    ask = models or Models()
    roles = Roles(
        judge=make_model("judge"), extractor=make_model("extractor"), rules=rules, **fields
    )
    verified = await rows.verify(trial, ask, checker(rules), roles)
    return await rows.judge(verified, ask, roles)


async def test_items_that_the_paper_leaves_undecided_are_decided_on_their_words():
    row = trial(item("general:decimal_number", "two decimal places"))
    paper = await decided(row, rules="paper")
    release = await decided(row)
    assert paper.verdicts[0].cause is Cause.PARAMETERS
    assert release.verdicts[0].outcome is Outcome.PASS
    assert release.score.is_complete


async def test_a_verdict_says_by_which_rules_it_was_decided():
    row = trial(item("general:wrap_up", bound={}))
    paper, release = await decided(row, rules="paper"), await decided(row)
    assert (paper.verdicts[0].rules, release.verdicts[0].rules) == ("paper", "release")
    assert paper.verdicts[0].grader.startswith("script:general:wrap_up@")
    assert release.verdicts[0].grader == "script:release:wrap_up@1"
    assert (paper.verdicts[0].outcome, release.verdicts[0].outcome) == (Outcome.FAIL, Outcome.PASS)
    assert release.score.rules == "release"
    assert release.score.constraints == paper.score.constraints == ("general:wrap_up",)


async def test_steps_have_one_requirement_and_their_fraction_stands_in_the_reason():
    steps = item("chemistry:reaction_steps", bound={"steps": ["a", "b", "c"]})
    reply = {
        "required_steps": ["a", "b"], "response_steps": ["a"],
        "matched": 1, "total": 2, "score": 0.5,
    }  # fmt: skip
    models = Models(judge=reply)
    done = await decided(trial(steps, answer="y" * 4_000), models)
    verdict = done.verdicts[0]
    assert (verdict.outcome, verdict.requirements) == (Outcome.FAIL, (False,))
    assert "score 0.5: 1 of 2 steps match" in verdict.reason
    assert verdict.grader.startswith("judge:release:steps@1 judge/release_steps@")
    assert verdict.asked == ("1",)
    words = models.prompts[0].parts[0].text
    assert QUESTION[:1_500] in words
    assert QUESTION[:1_501] not in words
    assert ("y" * 3_000 in words, "y" * 3_001 in words) == (True, False)


async def test_an_unreadable_judge_leaves_the_item_undecided_under_these_rules_too():
    steps = item("biology:analysis_steps_constraint", "1) a 2) b")
    done = await decided(trial(steps), Models(judge={"score": "high"}))
    assert done.verdicts[0].cause is Cause.JUDGE_UNREADABLE
    assert done.verdicts[0].requirements == (None,)


@pytest.mark.parametrize(("raw", "asked"), [("N = 4", 1), ("N = 2", 0), ("many", 0)])
async def test_the_judge_is_asked_for_kinds_only_where_n_is_above_two(raw, asked):
    models = Models(judge={"exactly": True})
    done = await decided(trial(item("general:number_response", raw)), models)
    assert len(models.prompts) == asked
    assert done.verdicts[0].outcome is (Outcome.PASS if asked else Outcome.FAIL)


@pytest.mark.parametrize(
    ("methods", "outcome"),
    [(["Hooke's law"], Outcome.PASS), (["law of Hooke"], Outcome.FAIL), ([], Outcome.FAIL)],
)
async def test_methods_are_read_out_and_compared_letter_by_letter(methods, outcome):
    models = Models(extract={"methods": methods})
    done = await decided(trial(item("physics:method_constraint", "Hooke's law")), models)
    assert [prompt.purpose for prompt in models.prompts] == [Purpose.EXTRACT]
    assert done.verdicts[0].outcome is outcome
    assert "extract/release_method@" in done.verdicts[0].grader


async def test_a_method_whose_words_stand_in_the_answer_asks_nobody():
    models = Models()
    row = trial(item("physics:method_constraint", "Hooke's law"), answer="By Hooke's law, 0.2.")
    done = await decided(row, models)
    assert (done.verdicts[0].outcome, models.prompts) == (Outcome.PASS, [])


async def test_a_name_that_the_release_does_not_know_is_skipped_and_fails():
    unknown = ChecklistItem(
        constraint_id="own:rhyme", params=UnboundParams(raw="", reason="no verifier")
    )
    done = await decided(trial(unknown))
    assert done.verdicts[0].outcome is Outcome.FAIL
    assert done.verdicts[0].reason == "skipped by the release: it knows no instruction own:rhyme"
    assert done.verdicts[0].grader == "none"


async def test_the_starter_sets_items_without_words_are_decided_and_say_so():
    choice = item("general:choose_from", bound={"options": ["yes", "no"]})
    done = await decided(trial(choice))
    assert done.verdicts[0].outcome is Outcome.FAIL
    assert done.verdicts[0].reason.startswith("no parameter text; skipped")


async def test_without_a_judge_only_judged_items_are_undecided():
    row = trial(item("general:wrap_up", bound={}), item("general:number_response", "N = 4"))
    roles = Roles(rules="release")
    verified = await rows.verify(row, Models(), checker("release"), roles)
    done = await rows.judge(verified, Models(), roles)
    assert [verdict.cause for verdict in done.verdicts] == [None, Cause.NO_JUDGE]
    assert done.score.requirements == ((True,), (None,))
