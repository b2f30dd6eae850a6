"""A trial that is set apart before a step comes out owed, with its cause, and nobody is asked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from factories import make_model, make_response, make_sample, make_trial
from ifbench.constraints import all_constraints
from ifbench.constraints.running import run_check
from ifbench.execution.crashes import set_apart
from ifbench.stages import rows
from ifbench.stages.roles import Roles
from ifbench.types import Cause, ChecklistItem, FailureKind, Outcome

STEPS = ("generate", "verify", "correctness", "judge")
ROLES = Roles(judge=make_model("judge"), grader=make_model("grader"), correctness="script")


def item(name: str, **params) -> ChecklistItem:
    return ChecklistItem(
        constraint_id=name, params=all_constraints()[name].params.model_validate(params)
    )


def fresh():
    checklist = (
        item("general:all_lowercase"),
        item("chemistry:reaction_steps", steps=["heat it", "cool it"]),
    )
    return replace(make_trial(make_sample(checklist=checklist)), response=None)


async def check(calls):
    return [run_check(call) for call in calls]


async def through(step_of_death: str):
    """The steps in order; the row is set apart before one of them."""
    asked = []

    async def ask(prompt):
        asked.append(prompt.purpose.value)
        return make_response("lower case", purpose=prompt.purpose, key="k")

    row = fresh()
    for step in STEPS:
        if step == step_of_death:
            row = set_apart(row, step, 3)
            asked.clear()
        match step:
            case "generate":
                row = await rows.generate(row, ask, ROLES)
            case "verify":
                row = await rows.verify(row, ask, check, ROLES)
                row = await rows.grade_by_script(row, check, ROLES)
            case "correctness":
                row = await rows.grade(row, ask, ROLES)
            case "judge":
                row = await rows.judge(row, ask, ROLES)
    return row, asked


@pytest.mark.parametrize("step", STEPS)
async def test_nobody_is_asked_and_the_trial_is_owed_with_its_cause(step):
    row, asked = await through(step)
    assert asked == []
    assert row.score.is_owed
    assert Cause.CRASH in row.score.owed_causes
    assert row.score.failure is FailureKind.CRASH
    open_ones = [verdict for verdict in row.verdicts if verdict.cause is Cause.CRASH]
    assert open_ones
    assert all(f"the worker of step {step} died 3 times" in one.reason for one in open_ones)


async def test_what_was_decided_before_stands():
    row, _ = await through("judge")
    lowercase = next(v for v in row.verdicts if v.constraint_id == "general:all_lowercase")
    assert lowercase.outcome is Outcome.PASS
