"""From a response to verdicts, as far as scripts decide; nothing here runs a check itself.

A check runs isolated (`execution.sandbox`): these functions say which checks a response
needs and turn what came back into verdicts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ifbench.constraints import all_constraints
from ifbench.constraints.constraint import Check, Judged, Params, failed, undecided
from ifbench.constraints.running import CheckCall
from ifbench.parsing.final_text import final_text
from ifbench.types import (
    CAUSE_OF_FAILURE,
    Blame,
    Cause,
    ChecklistItem,
    Failure,
    Outcome,
    Response,
    Rules,
    UnboundParams,
    Verdict,
    WorkItem,
)


def answer_of(response: Response) -> str:
    """The final text: what stays when the model's reasoning is taken away."""
    return final_text(response.text, response.reasoning).text


def settled_by_failure(item: WorkItem, failure: Failure) -> Mapping[int, Check]:
    """Every item of a response that failed: failed where the model is to blame, else undecided."""
    check = (
        failed(f"no answer ({failure.kind.value}): {failure.message}".rstrip(": "))
        if failure.blame is Blame.MODEL
        else undecided(
            CAUSE_OF_FAILURE[failure.kind], f"no answer ({failure.kind.value}): {failure.message}"
        )
    )
    return dict.fromkeys(range(len(item.sample.checklist)), check)


def unbound_items(item: WorkItem) -> Mapping[int, Check]:
    """The items whose parameters no parser could read."""
    return {
        index: undecided(Cause.PARAMETERS, f"{entry.params.reason}: {entry.params.raw!r}")
        for index, entry in enumerate(item.sample.checklist)
        if isinstance(entry.params, UnboundParams)
    }


def check_calls(item: WorkItem, answer: str) -> Mapping[int, CheckCall]:
    """The scripts to run on an answer, by checklist index; judged items have none."""
    return {
        index: CheckCall(constraint_id=name, params=params, text=answer, quotations=None)
        for index, name, params in _bound(item)
        if not isinstance(all_constraints()[name].method, Judged)
    }


def extracted_calls(
    item: WorkItem, answer: str, quotations: Mapping[int, tuple[str, ...]]
) -> Mapping[int, CheckCall]:
    """The scripts to run on what the extractor quoted."""
    return {
        index: CheckCall(
            constraint_id=name, params=params, text=answer, quotations=quotations[index]
        )
        for index, name, params in _bound(item)
        if index in quotations
    }


def verdict(
    item: WorkItem,
    index: int,
    check: Check,
    *,
    grader: str,
    rules: Rules,
    asked: tuple[str, ...] = (),
) -> Verdict:
    """A check as the verdict on one checklist item of one trial."""
    entry = item.sample.checklist[index]
    return Verdict(
        sample_id=item.sample.id,
        candidate=item.candidate.name,
        attempt=item.attempt,
        item=index,
        constraint_id=entry.constraint_id,
        outcome=check.outcome,
        cause=check.cause,
        requirements=requirements_of(entry, check),
        grader=grader,
        rules=rules,
        reason=check.reason,
        evidence=check.evidence,
        extracted=check.extracted,
        asked=asked,
    )


def requirements_of(entry: ChecklistItem, check: Check) -> tuple[bool | None, ...]:
    """The decomposed parts of an item; each shares the outcome where the check names none."""
    if check.requirements:
        return check.requirements
    value = None if check.outcome is Outcome.UNDECIDED else check.outcome is Outcome.PASS
    return (value,) * requirement_count(entry)


def requirement_count(entry: ChecklistItem) -> int:
    """How many requirements an item has, known before any verdict (DRFR counts them)."""
    constraint = all_constraints().get(entry.constraint_id)
    if constraint is None or isinstance(entry.params, UnboundParams):
        return 1
    method = constraint.method
    return method.parts(entry.params) if isinstance(method, Judged) else 1


def _bound(item: WorkItem) -> Iterator[tuple[int, str, Params]]:
    for index, entry in enumerate(item.sample.checklist):
        if not isinstance(entry.params, UnboundParams):
            yield index, entry.constraint_id, entry.params
