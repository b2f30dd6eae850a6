import pytest
from pydantic import ValidationError

from ifbench.constraints.scimif.procedure import (
    CoveredStep,
    StepsParams,
    StepsReply,
    covers_steps,
    reaction_steps,
    step_numbering,
    steps_schema,
)
from ifbench.engines.scripted import example_of
from ifbench.types import Outcome

PARAMS = StepsParams(steps=("Protonate", "Lose water", "Deprotonate"))


def reply(*entries):
    return StepsReply(
        steps={str(i): CoveredStep(covered=done, quote=words) for i, done, words in entries}
    )


def decided(*entries):
    return reaction_steps.method.decide(reply(*entries), PARAMS)


def test_item_passes_when_every_step_is_covered():
    check = decided((1, True, "a"), (2, True, ""), (3, True, "c"))
    assert check.outcome is Outcome.PASS
    assert check.requirements == (True, True, True)
    assert check.found == {"covered": 3, "quotes": ["a", "c"]}


def test_missing_step_fails_the_item_and_its_own_requirement_alone():
    check = decided((3, True, "c"), (1, True, "a"), (2, False, "ignored"))
    assert check.outcome is Outcome.FAIL
    assert check.requirements == (True, False, True)
    assert check.reason == "2 of 3 steps are covered; missing: 2. Lose water"
    assert check.found["quotes"] == ["a", "c"]


@pytest.mark.parametrize(
    "entries",
    [
        (),
        ((1, True, ""), (2, True, "")),
        ((1, True, ""), (2, True, ""), (3, True, ""), (4, True, "")),
        ((0, True, ""), (1, True, ""), (2, True, "")),
    ],
)
def test_reply_without_one_entry_for_each_step_is_unreadable(entries):
    with pytest.raises(ValueError, match="asked for"):
        decided(*entries)


def test_a_judge_that_is_held_to_the_schema_names_each_step_once():
    schema = steps_schema(PARAMS)
    assert covers_steps(StepsReply.model_validate(example_of(schema)), PARAMS).found["covered"] == 3
    steps = schema["properties"]["steps"]
    assert steps["required"] == ["1", "2", "3"]
    assert steps["additionalProperties"] is False


def test_each_step_is_a_requirement():
    assert reaction_steps.method.parts(PARAMS) == 3


@pytest.mark.parametrize(
    ("text", "numbering"),
    [
        ("1. a\n2. b\n3. c", "it numbers steps 1, 2, 3, in order, each with text."),
        ("Step 1: a\nStep 2: b", "it numbers steps 1, 2, in order, each with text."),
        ("**Step 1:** a\n**Step 2:** b", "it numbers steps 1, 2, in order, each with text."),
        ("### Step 1 – Start\nText\n### Step 2 – End\n", "it numbers steps 1, 2, in order, each "),
        ("(1) a\n(2) b", "it numbers steps 1, 2, in order, each with text."),
        ("1. a\n2.\n3. c", "it numbers steps 1, 2, 3, in order; without text: 2."),
        ("1. a\n2. **", "it numbers steps 1, 2, in order; without text: 2."),
        ("2. a\n1. b", "it numbers steps 2, 1, not in order, each with text."),
        ("1. a\n3. b", "it numbers steps 1, 3, not in order, each with text."),
        ("First a, then b.", "its steps are not numbered."),
        ("3.5 mol of acid\n-1 charge\n2023 was warm", "its steps are not numbered."),
        ("", "its steps are not numbered."),
    ],
)
def test_numbering_of_steps_is_evidence(text, numbering):
    assert step_numbering(text, PARAMS)["numbering"].startswith(numbering)


@pytest.mark.parametrize("params", [{}, {"steps": []}, {"steps": [""]}, {"steps": ["a", " "]}])
def test_at_least_one_step_with_words_is_asked_for(params):
    with pytest.raises(ValidationError):
        StepsParams(**params)
