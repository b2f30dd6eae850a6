"""From verdicts to a score: nothing is dropped, nothing is decided by its absence."""

from __future__ import annotations

from ifbench.constraints.constraint import NoParams, undecided
from ifbench.stages.score import Graders, score
from ifbench.stages.verify import settled_by_failure, verdict
from ifbench.types import (
    Cause,
    ChecklistItem,
    Failure,
    FailureKind,
    ModelConfig,
    Outcome,
    Purpose,
    Response,
    Sample,
    UnboundParams,
    Verdict,
    WorkItem,
)

MODEL = ModelConfig(name="m", engine="scripted", model="m", family="f", billions=7, access="open")
ITEM = WorkItem(
    sample=Sample(
        id="s",
        benchmark="scimif",
        instruction="?",
        checklist=(
            ChecklistItem(constraint_id="general:all_lowercase", params=NoParams()),
            ChecklistItem(constraint_id="general:all_lowercase", params=NoParams()),
            ChecklistItem(
                constraint_id="physics:not_here_yet", params=UnboundParams(raw="x", reason="y")
            ),
        ),
        facets={"discipline": "physics"},
    ),
    candidate=MODEL,
    attempt=1,
)
RESPONSE = Response(key="k", purpose=Purpose.CANDIDATE, model="m", text="hello")
GRADERS = Graders(judge="j")


def make_verdict(item: int, outcome: Outcome, cause: Cause | None = None) -> Verdict:
    return Verdict(
        sample_id="s",
        candidate="m",
        item=item,
        constraint_id="general:all_lowercase",
        outcome=outcome,
        cause=cause,
        requirements=({"pass": True, "fail": False}.get(outcome.value),),
        grader="g",
    )


def test_items_are_told_apart_by_index_and_kept_in_order():
    verdicts = [
        make_verdict(2, Outcome.UNDECIDED, Cause.PARAMETERS),
        make_verdict(1, Outcome.FAIL),
        make_verdict(0, Outcome.PASS),
    ]
    made = score(ITEM, RESPONSE, verdicts, GRADERS)
    assert made.satisfied == (True, False, None)
    assert made.constraints == (
        "general:all_lowercase", "general:all_lowercase", "physics:not_here_yet",
    )  # fmt: skip
    assert made.causes == (Cause.PARAMETERS,)
    assert (made.undecided, made.is_complete, made.attempt) == (1, False, 1)


def test_an_item_without_a_verdict_is_undecided_and_says_so():
    made = score(ITEM, RESPONSE, [make_verdict(0, Outcome.PASS)], GRADERS)
    assert made.satisfied == (True, None, None)
    assert made.causes == (Cause.NOT_RUN,)


def test_facets_of_the_model_stand_beside_those_of_the_sample():
    facets = score(ITEM, RESPONSE, (), GRADERS).facets
    assert facets == {"discipline": "physics", "family": "f", "billions": "7", "access": "open"}


def test_a_refusal_fails_every_item():
    failure = Failure(kind=FailureKind.REFUSAL, message="no")
    checks = settled_by_failure(ITEM, failure)
    assert [check.outcome for check in checks.values()] == [Outcome.FAIL] * 3


def test_an_outage_leaves_every_item_undecided_with_its_cause():
    checks = settled_by_failure(ITEM, Failure(kind=FailureKind.TIMEOUT))
    assert [check.cause for check in checks.values()] == [Cause.TIMEOUT] * 3


def test_an_undecided_check_keeps_the_number_of_its_requirements():
    made = verdict(ITEM, 0, undecided(Cause.VERIFIER_TIMEOUT, "slow"), grader="g", rules="paper")
    assert made.requirements == (None,)
    assert made.cause is Cause.VERIFIER_TIMEOUT
