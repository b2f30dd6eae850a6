"""From a response to verdicts, as far as scripts decide; nothing here runs a check itself.

A check runs isolated (`execution.sandbox`): these functions say which checks a response
needs and turn what came back into verdicts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ifbench.constraints.constraint import Check, Constraint, Judged, Params, failed, undecided
from ifbench.constraints.running import CheckCall
from ifbench.constraints.scimif_release.rule import skipped
from ifbench.parsing.final_text import final_text
from ifbench.stages.binding import BoundItem, bound_item, bound_items
from ifbench.types import (
    CAUSE_OF_FAILURE,
    Blame,
    Cause,
    Failure,
    Outcome,
    Response,
    Rules,
    Sample,
    UnboundParams,
    Verdict,
    WorkItem,
)


def answer_of(response: Response) -> str:
    """The final text: what stays when the model's reasoning is taken away."""
    return final_text(response.text, response.reasoning).text


def asked_instruction(sample: Sample) -> str:
    """What the answer is judged against: the branch to be carried out, or the whole."""
    return sample.active_instruction or sample.instruction


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


def unbound_items(item: WorkItem, rules: Rules = "paper") -> Mapping[int, Check]:
    """The items that no rule can decide: the paper's parameters that no parser could read, and
    names that the release's scorer does not know, to which it gives nothing.
    """
    checks = {bound.index: _unbound(bound, rules) for bound in bound_items(item, rules)}
    return {index: check for index, check in checks.items() if check is not None}


def _unbound(bound: BoundItem, rules: Rules) -> Check | None:
    if isinstance(bound.params, UnboundParams):
        return undecided(Cause.PARAMETERS, f"{bound.params.reason}: {bound.params.raw!r}")
    if rules == "release" and bound.constraint is None:
        return skipped(f"it knows no instruction {bound.entry.constraint_id}")
    return None


def check_calls(item: WorkItem, answer: str, rules: Rules = "paper") -> Mapping[int, CheckCall]:
    """The scripts to run on an answer, by checklist index; judged items have none."""
    return {
        index: CheckCall(constraint_id=name, params=params, text=answer, quotations=None)
        for index, name, constraint, params in _decidable(item, rules)
        if not isinstance(constraint.method, Judged)
    }


def extracted_calls(
    item: WorkItem,
    answer: str,
    quotations: Mapping[int, tuple[str, ...]],
    rules: Rules = "paper",
) -> Mapping[int, CheckCall]:
    """The scripts to run on what the extractor quoted."""
    return {
        index: CheckCall(
            constraint_id=name, params=params, text=answer, quotations=quotations[index]
        )
        for index, name, _, params in _decidable(item, rules)
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
        requirements=requirements_of(bound_item(item, index, rules), check),
        grader=grader,
        rules=rules,
        reason=check.reason,
        evidence=check.evidence,
        extracted=check.extracted,
        asked=asked,
    )


def requirements_of(bound: BoundItem, check: Check) -> tuple[bool | None, ...]:
    """The decomposed parts of an item; each shares the outcome where the check names none."""
    if check.requirements:
        return check.requirements
    value = None if check.outcome is Outcome.UNDECIDED else check.outcome is Outcome.PASS
    return (value,) * requirement_count(bound)


def requirement_count(bound: BoundItem) -> int:
    """How many requirements an item has, known before any verdict (DRFR counts them)."""
    if bound.constraint is None or isinstance(bound.params, UnboundParams):
        return 1
    method = bound.constraint.method
    return method.parts(bound.params) if isinstance(method, Judged) else 1


def _decidable(item: WorkItem, rules: Rules) -> Iterator[tuple[int, str, Constraint, Params]]:
    for bound in bound_items(item, rules):
        if bound.constraint is not None and not isinstance(bound.params, UnboundParams):
            yield bound.index, bound.entry.constraint_id, bound.constraint, bound.params
