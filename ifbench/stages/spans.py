"""Which passage of an answer carries out which task, for constraints that hold for one task only.

In a Multi instruction a constraint may be local to a task (Video-IFBench, section 3.1). A script
then decides on that task's passage. The extractor says where it begins and ends by quoting its
first and last words, which must stand in the answer; it never writes the passage itself. Pure on
both sides.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from ifbench.constraints.constraint import Check, undecided
from ifbench.parsing.quotations import quotation_span
from ifbench.parsing.replies import Reply, Unreadable, read_reply, strict_schema
from ifbench.prompts import render
from ifbench.stages.coverage import asked_instruction
from ifbench.stages.judge import budgeted
from ifbench.stages.verify import answer_of
from ifbench.types import (
    CAUSE_OF_FAILURE,
    Cause,
    ChecklistItem,
    Evidence,
    ModelConfig,
    Prompt,
    Purpose,
    Response,
    Sample,
    Stop,
    Text,
    WorkItem,
)

TEMPLATE = "spans"


class SpanEntry(Reply):
    """One entry of the reply; both ends are empty where the answer holds nothing for the task."""

    index: int
    first: str
    last: str


class SpansReply(Reply):
    """The reply to `spans.j2`."""

    spans: tuple[SpanEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """Where a task is carried out in the final text; empty where it is not."""

    start: int
    text: str

    def placed(self, check: Check) -> Check:
        """A check of the passage, with its evidence where it stands in the whole text."""
        moved = tuple(
            Evidence(start=e.start + self.start, end=e.end + self.start, text=e.text)
            for e in check.evidence
        )
        return replace(check, evidence=moved)


def local_task(sample: Sample, entry: ChecklistItem) -> int | None:
    """The task that an item is about, where the answer has others beside it."""
    is_local = isinstance(entry.scope, int) and len(sample.tasks) > 1
    return entry.scope if is_local and isinstance(entry.scope, int) else None


def ask_spans(
    item: WorkItem,
    response: Response,
    extractor: ModelConfig,
    *,
    tasks: Collection[int],
    attempt: int = 0,
    larger: bool = False,
) -> Prompt:
    """One prompt for the passages of all these tasks."""
    wanted = [
        {"index": task + 1, "name": entry.name, "description": entry.description}
        for task, entry in enumerate(item.sample.tasks)
        if task in tasks
    ]
    words = render(
        "extract",
        TEMPLATE,
        instruction=asked_instruction(item.sample),
        tasks=wanted,
        answer=answer_of(response),
        attempt=attempt,
    )
    return Prompt(
        purpose=Purpose.EXTRACT,
        model=extractor,
        parts=(Text(text=words),),
        sampling=budgeted(extractor.sampling, attempt=attempt, larger=larger),
        attempt=attempt,
        reply_schema=strict_schema(SpansReply),
    )


def read_spans(
    response: Response, reply: Response, tasks: Collection[int]
) -> Mapping[int, Passage | Check]:
    """The passage of each task; undecided where the reply names none that stands in the answer."""
    answer = answer_of(response)
    if reply.failure is not None:
        cause = CAUSE_OF_FAILURE.get(reply.failure.kind, Cause.EXTRACTOR)
        words = f"{reply.failure.kind.value}: {reply.failure.message}".rstrip(": ")
        missing = undecided(cause, f"the extractor gave no reply ({words})")
        return dict.fromkeys(tasks, missing)
    value = read_reply(answer_of(reply), SpansReply)
    if isinstance(value, Unreadable):
        where = "was cut off" if reply.stop is Stop.LENGTH else "cannot be read"
        unread = undecided(Cause.EXTRACTOR, f"the extractor's reply {where}: {value.reason}")
        return dict.fromkeys(tasks, unread)
    return {task: _passage(value, task, answer) for task in tasks}


def _passage(value: SpansReply, task: int, answer: str) -> Passage | Check:
    entries = [entry for entry in value.spans if entry.index == task + 1]
    if len(entries) != 1:
        words = f"the extractor's reply has {len(entries)} entries for task {task + 1}"
        return undecided(Cause.EXTRACTOR, words)
    first, last = entries[0].first.strip(), entries[0].last.strip()
    if not first and not last:
        return Passage(start=0, text="")
    begin = quotation_span(first, answer)
    if begin is None:
        return _rejected(first)
    end = quotation_span(last, answer[begin[0] :])
    if end is None:
        return _rejected(last)
    return Passage(
        start=begin[0], text=answer[begin[0] : begin[0] + max(end[1], begin[1] - begin[0])]
    )


def _rejected(words: str) -> Check:
    reason = f"what the extractor quoted does not stand in the answer: {words[:80]!r}"
    return undecided(Cause.EXTRACTOR, reason)
