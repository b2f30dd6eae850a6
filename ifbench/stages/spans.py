"""Which passage of an answer carries out which task, for constraints that hold for one task only.

In a Multi instruction a constraint may be local to a task (Video-IFBench, section 3.1). A script
then decides on that task's passage. The extractor says where it begins and ends by quoting its
first and last words, which must stand in the answer; it never writes the passage itself. Pure on
both sides.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ifbench.constraints.constraint import Check, undecided
from ifbench.parsing.quotations import quotation_span
from ifbench.parsing.replies import Reply, numbered_schema
from ifbench.prompts import render
from ifbench.stages.extract import lines_to_choose, not_standing, read_extractor
from ifbench.stages.judge import item_number, role_prompt
from ifbench.stages.verify import answer_of, asked_instruction
from ifbench.types import (
    Cause,
    Evidence,
    ModelConfig,
    Prompt,
    Purpose,
    Response,
    WorkItem,
)

TEMPLATE = "spans"


class SpanEntry(Reply):
    """Where one task begins and ends; both are empty where the answer holds nothing for it."""

    first: str
    last: str


class SpansReply(Reply):
    """The reply to `spans.j2`: an entry under the number of each task, from "1"."""

    spans: Mapping[str, SpanEntry]


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
        return check._replace(evidence=moved)


def ask_spans(
    item: WorkItem,
    response: Response,
    extractor: ModelConfig,
    *,
    tasks: Collection[int],
    attempt: int = 0,
    larger: bool = False,
    listed_quotes: bool = False,
) -> Prompt:
    """One prompt for the passages of all these tasks. With `listed_quotes` the reply's schema lists
    the lines that a passage can begin and end with, for an extractor too small to copy.
    """
    answer = answer_of(response)
    listed = lines_to_choose(answer) if listed_quotes else ()
    wanted = [
        {"number": item_number(task), "name": entry.name, "description": entry.description}
        for task, entry in enumerate(item.sample.tasks)
        if task in tasks
    ]
    words = render(
        "extract",
        TEMPLATE,
        instruction=asked_instruction(item.sample),
        tasks=wanted,
        answer=answer,
        attempt=attempt,
    )
    schema = _schema([item_number(task) for task in sorted(tasks)], listed)
    return role_prompt(Purpose.EXTRACT, extractor, words, schema, attempt=attempt, larger=larger)


def _schema(numbers: Sequence[str], listed: Sequence[str]) -> Mapping[str, Any]:
    schema = numbered_schema(SpansReply, "spans", numbers)
    if not listed:
        return schema
    (name, entry), *_ = schema["$defs"].items()
    ends = {end: {"enum": ["", *listed]} for end in ("first", "last")}
    return {**schema, "$defs": {name: {**entry, "properties": ends}}}


def read_spans(
    response: Response, reply: Response, tasks: Collection[int]
) -> Mapping[int, Passage | Check]:
    """The passage of each task; undecided where the reply names none that stands in the answer."""
    answer = answer_of(response)
    value = read_extractor(reply, SpansReply, answer)
    if isinstance(value, Check):
        return dict.fromkeys(tasks, value)
    return {task: _passage(value, task, answer) for task in tasks}


def _passage(value: SpansReply, task: int, answer: str) -> Passage | Check:
    entry = value.spans.get(item_number(task))
    if entry is None:
        return undecided(Cause.EXTRACTOR, f"the reply has no entry for task {task + 1}")
    first, last = entry.first.strip(), entry.last.strip()
    if not first and not last:
        return Passage(start=0, text="")
    begin = _only_place(first, answer, 0)
    if isinstance(begin, Check):
        return begin
    end = _only_place(last, answer, begin[0])
    if isinstance(end, Check):
        return end
    return Passage(start=begin[0], text=answer[begin[0] : max(end[1], begin[1])])


def _only_place(words: str, answer: str, start: int) -> tuple[int, int] | Check:
    """Where words stand from a place on; undecided where they do not, or more than once: then
    more of them have to be quoted, or the wrong passage might be read.
    """
    found = quotation_span(words, answer[start:])
    if found is None:
        return not_standing(words)
    begin, end = start + found[0], start + found[1]
    if quotation_span(words, answer[begin + 1 :]) is not None:
        reason = f"what the extractor quoted stands in the answer more than once: {words[:80]!r}"
        return undecided(Cause.EXTRACTOR, reason)
    return begin, end
