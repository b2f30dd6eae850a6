"""From one trial's verdicts to its score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ifbench.stages.binding import bound_items
from ifbench.stages.verify import requirement_count
from ifbench.types import (
    Cause,
    GradedBy,
    Grading,
    Outcome,
    Response,
    Rules,
    Score,
    Stop,
    Usage,
    Verdict,
    WorkItem,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Graders:
    """The roles behind a score, by the names of their models; empty where a role is vacant."""

    judge: str = ""
    extractor: str = ""
    grader: str = ""
    rules: Rules = "paper"
    correctness: Grading = "none"


def score(
    item: WorkItem, response: Response | None, verdicts: Sequence[Verdict], graders: Graders
) -> Score:
    """Bring verdicts together; an item without a verdict is undecided, never dropped."""
    by_item = {v.item: v for v in verdicts if v.aspect == "constraint"}
    by_task = {v.item: v for v in verdicts if v.aspect == "task"}
    missing = len(by_item) + len(by_task) < len(item.sample.checklist) + len(item.sample.tasks)
    graded = next((v for v in verdicts if v.aspect == "correctness"), None)
    correct = _satisfied(graded)
    return Score(
        sample_id=item.sample.id,
        benchmark=item.sample.benchmark,
        candidate=item.candidate.name,
        attempt=item.attempt,
        judge=graders.judge,
        extractor=graders.extractor,
        grader=graders.grader,
        rules=graders.rules,
        constraints=tuple(entry.constraint_id for entry in item.sample.checklist),
        satisfied=tuple(
            _satisfied(by_item.get(index)) for index in range(len(item.sample.checklist))
        ),
        requirements=_requirements(item, by_item, graders.rules),
        tasks_done=tuple(_satisfied(by_task.get(index)) for index in range(len(item.sample.tasks))),
        correct=correct,
        grade=graded.grade if graded else None,
        graded_by=None if correct is None or graded is None else _graded_by(graded),
        ungraded=_ungraded(graded, graders),
        causes=_causes([v for v in verdicts if v.aspect != "correctness"], not_run=missing),
        response_key=response.key if response else "",
        stop=response.stop if response else Stop.NONE,
        failure=response.failure.kind if response and response.failure else None,
        usage=response.usage if response else Usage(),
        facets={**item.sample.facets, **_model_facets(item)},
    )


def _satisfied(verdict: Verdict | None) -> bool | None:
    if verdict is None or verdict.outcome is Outcome.UNDECIDED:
        return None
    return verdict.outcome is Outcome.PASS


def _graded_by(graded: Verdict) -> GradedBy:
    return "model" if graded.asked else "script"


def _ungraded(graded: Verdict | None, graders: Graders) -> Cause | None:
    if graded is not None:
        return graded.cause
    return None if graders.correctness == "none" else Cause.NOT_RUN


def _requirements(
    item: WorkItem, by_item: Mapping[int, Verdict], rules: Rules
) -> tuple[tuple[bool | None, ...], ...]:
    return tuple(
        by_item[bound.index].requirements
        if bound.index in by_item
        else (None,) * requirement_count(bound)
        for bound in bound_items(item, rules)
    )


def _causes(verdicts: Sequence[Verdict], *, not_run: bool) -> tuple[Cause, ...]:
    causes = {verdict.cause for verdict in verdicts if verdict.cause is not None}
    return tuple(sorted(causes | ({Cause.NOT_RUN} if not_run else set())))


def _model_facets(item: WorkItem) -> Mapping[str, str]:
    """What of the candidate tables group by; absent where its file does not say."""
    model = item.candidate
    known = {
        "family": model.family,
        "billions": "" if model.billions is None else f"{model.billions:g}",
        "access": model.access or "",
        "thinking": "" if model.thinking is None else str(model.thinking).lower(),
    }
    return {name: value for name, value in known.items() if value}
