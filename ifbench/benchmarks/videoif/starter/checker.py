"""An oracle in the judge's place: decides answers to the starter set over the drawn facts.

It is exact on the set's own right and wrong answers (`draft.broken`), and so a judge that it is
held against has to say no where it does. It is no judge of free prose.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from ifbench.benchmarks.videoif.starter.draft import Ask, Draft, Request, addresses
from ifbench.benchmarks.videoif.starter.samples import drafts


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFinding:
    """Whether a task is attempted, and the passage that does so."""

    is_addressed: bool
    quote: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What the oracle says of one answer."""

    tasks: tuple[TaskFinding, ...]
    items: tuple[bool | None, ...]
    """For each checklist item; `None` where a script decides, or where the item is about a task
    that is not addressed."""


@cache
def drafts_by_id() -> Mapping[str, Draft]:
    """Every draft under the id of its sample."""
    return MappingProxyType({draft.id: draft for draft in drafts()})


def find(sample_id: str, answer: str) -> Findings:
    """Decide an answer to a sample. Raises `KeyError` for a sample of another set."""
    request = drafts_by_id()[sample_id].request
    tasks = tuple(find_task(ask, request, answer) for ask in request.asks)
    items = []
    for demand in request.demands:
        text = tasks[demand.scope].quote if isinstance(demand.scope, int) else answer
        items.append(demand.holds(text) if demand.holds and text else None)
    return Findings(tasks=tasks, items=tuple(items))


def find_task(ask: Ask, request: Request, answer: str) -> TaskFinding:
    """Where a task is addressed: in the whole answer, or in paragraphs of it where there are
    several tasks.
    """
    if len(request.asks) == 1:
        is_addressed = addresses(ask, answer)
        return TaskFinding(is_addressed=is_addressed, quote=answer if is_addressed else "")
    blocks = [block for block in answer.split("\n\n") if addresses(ask, block)]
    return TaskFinding(is_addressed=bool(blocks), quote="\n\n".join(blocks))
