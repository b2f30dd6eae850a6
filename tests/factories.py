"""Values for tests: each factory fills in what the test is not about.

`make_sample(checklist=(item,))` names only what matters; any field can be given by name.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ifbench.constraints.constraint import NoParams
from ifbench.types import (
    Cause,
    ChecklistItem,
    Failure,
    FailureKind,
    Grade,
    GradedBy,
    Media,
    ModelConfig,
    Outcome,
    Prompt,
    Purpose,
    Response,
    Sample,
    Sampling,
    Score,
    Stop,
    Text,
    Trial,
    Usage,
    Verdict,
    WorkItem,
)


def make_model(name: str = "tester", **fields: Any) -> ModelConfig:
    """A scripted model."""
    return replace(ModelConfig(name=name, engine="scripted", model=name), **fields)


def make_item(constraint_id: str = "general:all_lowercase", **fields: Any) -> ChecklistItem:
    """A constraint without parameters, over the whole response."""
    return replace(ChecklistItem(constraint_id=constraint_id, params=NoParams()), **fields)


def make_media(**fields: Any) -> Media:
    """A picture that nobody opens."""
    return replace(Media(kind="image", uri="picture.png", sha256="0" * 64), **fields)


def make_sample(id: str = "s1", **fields: Any) -> Sample:
    """A text-only sample of chemistry with nothing on its checklist."""
    plain = Sample(
        id=id,
        benchmark="scimif",
        instruction="How many carbon atoms has benzene?",
        original_instruction="How many carbon atoms has benzene?",
        reference="6",
        facets={"discipline": "chemistry"},
    )
    return replace(plain, **fields)


def make_work(sample: Sample | None = None, **fields: Any) -> WorkItem:
    """The first attempt of a scripted candidate."""
    return replace(WorkItem(sample=sample or make_sample(), candidate=make_model()), **fields)


def make_trial(sample: Sample | None = None, **fields: Any) -> Trial:
    """A row that has not been answered yet."""
    return replace(Trial(item=make_work(sample)), **fields)


def make_prompt(text: str = "How many?", **fields: Any) -> Prompt:
    """A question to a scripted candidate."""
    plain = Prompt(
        purpose=Purpose.CANDIDATE,
        model=make_model(),
        parts=(Text(text=text),),
        sampling=Sampling(),
    )
    return replace(plain, **fields)


def make_response(text: str = "six", **fields: Any) -> Response:
    """A whole answer of a candidate."""
    plain = Response(
        key="0" * 64,
        purpose=Purpose.CANDIDATE,
        model="tester",
        text=text,
        stop=Stop.STOP,
        usage=Usage(input_tokens=10, output_tokens=2),
    )
    return replace(plain, **fields)


def make_failure(kind: FailureKind = FailureKind.TRANSPORT, **fields: Any) -> Response:
    """A call that brought no answer."""
    failure = Failure(kind=kind, message="planted")
    return make_response(text="", stop=Stop.NONE, usage=Usage(), failure=failure, **fields)


def make_verdict(outcome: Outcome = Outcome.PASS, **fields: Any) -> Verdict:
    """A script's verdict on the first item of a checklist."""
    plain = Verdict(
        sample_id="s1",
        candidate="tester",
        item=0,
        constraint_id="general:all_lowercase",
        outcome=outcome,
        cause=Cause.TRANSPORT if outcome is Outcome.UNDECIDED else None,
        requirements=({Outcome.PASS: True, Outcome.FAIL: False}.get(outcome),),
        grader="script:general:all_lowercase@1",
    )
    return replace(plain, **fields)


def make_score(
    satisfied: tuple[bool | None, ...] = (True,),
    *,
    sample_id: str = "s",
    candidate: str = "m",
    attempt: int = 0,
    constraints: tuple[str, ...] | None = None,
    correct: bool | None = None,
    grade: Grade | None = None,
    graded_by: GradedBy = "script",
    ungraded: Cause | None = None,
    causes: tuple[Cause, ...] = (),
    stop: Stop = Stop.STOP,
    failure: FailureKind | None = None,
    response_key: str = "k",
    **facets: str,
) -> Score:
    """A score with one requirement an item, all of one constraint; other names become facets.

    `correct` alone is a script's grade, A or B.
    """
    return Score(
        sample_id=sample_id,
        benchmark="scimif",
        candidate=candidate,
        attempt=attempt,
        judge="j",
        extractor="j",
        grader="",
        constraints=("g:a",) * len(satisfied) if constraints is None else constraints,
        satisfied=satisfied,
        requirements=tuple((value,) for value in satisfied),
        correct=correct,
        grade=None if correct is None else grade or ("A" if correct else "B"),
        graded_by=None if correct is None else graded_by,
        ungraded=ungraded,
        causes=causes,
        stop=stop,
        failure=failure,
        response_key=response_key,
        facets=facets,
    )
