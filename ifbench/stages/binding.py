"""Which constraint decides each checklist item, and on which parameters: the rule set's part."""

from __future__ import annotations

from dataclasses import dataclass

from ifbench.constraints.constraint import Constraint, NoParams, Params
from ifbench.constraints.listed import by_question
from ifbench.constraints.rule_sets import rule_set
from ifbench.constraints.scimif_release.rule import ReleaseParams
from ifbench.types import ChecklistItem, Rules, Sample, UnboundParams, WorkItem


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundItem:
    """A checklist item under a rule set."""

    index: int
    entry: ChecklistItem
    constraint: Constraint | None
    """`None` where the rule set has nothing that decides it."""
    params: Params | UnboundParams


def bound_item(item: WorkItem, index: int, rules: Rules) -> BoundItem:
    """One checklist item with what decides it.

    The paper's constraints decide on the typed parameters. Where no parser could read them,
    and the item has a question, a judge decides on that. The release's rules decide on the
    source's own words, so that no item of theirs is unbound.
    """
    entry = item.sample.checklist[index]
    constraint = rule_set(rules).get(entry.constraint_id)
    params: Params | UnboundParams = entry.params
    if rules == "release":
        words = entry.parameter_text or entry.question
        params = ReleaseParams(raw=words, question=item.sample.instruction)
    elif isinstance(params, UnboundParams) and has_question(entry) and constraint is not None:
        constraint, params = by_question(constraint), NoParams()
    return BoundItem(index=index, entry=entry, constraint=constraint, params=params)


def local_task(sample: Sample, entry: ChecklistItem) -> int | None:
    """The task that an item is about, where the answer has others beside it."""
    return entry.scope if isinstance(entry.scope, int) and len(sample.tasks) > 1 else None


def has_question(entry: ChecklistItem) -> bool:
    """Whether a judge can decide an item on its own question, parameters or none.

    Video-IFBench's items have one each; what SciMIF's judges are asked rests on parameters.
    """
    return entry.constraint_id.startswith("videoif:") and bool(entry.question.strip())


def bound_items(item: WorkItem, rules: Rules) -> tuple[BoundItem, ...]:
    """Every checklist item with what decides it, in order."""
    return tuple(bound_item(item, index, rules) for index in range(len(item.sample.checklist)))
