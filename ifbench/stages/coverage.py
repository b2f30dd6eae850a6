"""Whether an answer attempts every task: asking the judge, and reading what it replies.

Video-IFBench's task gate (section 3.3): attempted, not correct; of a conditional instruction only
the tasks of the branch that is to be carried out count. Pure on both sides. The judge reads the
active instruction, the tasks and the final text; a reply that cannot be read leaves every task
undecided, and the sample with it.
"""

from __future__ import annotations

from collections.abc import Mapping

from ifbench.constraints.constraint import Check, failed, passed, quote, undecided
from ifbench.parsing.quotations import quotation_span
from ifbench.parsing.replies import Flag, Reply, Unreadable, numbered_schema, read_reply
from ifbench.prompts import render, template_hash
from ifbench.stages.judge import item_number, reply_failure, role_prompt, unread
from ifbench.stages.verify import answer_of, asked_instruction
from ifbench.types import (
    CAUSE_OF_FAILURE,
    Blame,
    ModelConfig,
    Prompt,
    Purpose,
    Response,
    Rules,
    Sample,
    Verdict,
    WorkItem,
)

TEMPLATE = "coverage"
TASK = "videoif:task_coverage"
"""What verdicts on tasks carry in the place of a constraint's name."""


class CoveredTask(Reply):
    """What the judge says of one task."""

    attempted: Flag
    quote: str


class CoverageReply(Reply):
    """The reply to `coverage.j2`: an entry under the number of each task, from "1"."""

    tasks: Mapping[str, CoveredTask]


def settled_coverage(item: WorkItem, response: Response) -> Mapping[int, Check]:
    """The check of each task, where no judge need be asked; empty where one must be."""
    tasks = range(len(item.sample.tasks))
    failure = response.failure
    if failure is not None and failure.blame is Blame.INFRASTRUCTURE:
        words = f"no answer ({failure.kind.value}): {failure.message}"
        return dict.fromkeys(tasks, undecided(CAUSE_OF_FAILURE[failure.kind], words))
    if failure is not None:
        words = f"no answer ({failure.kind.value}): {failure.message}".rstrip(": ")
        return dict.fromkeys(tasks, failed(words))
    if not answer_of(response).strip():
        return dict.fromkeys(tasks, failed("the answer is empty"))
    return {}


def ask_coverage(
    item: WorkItem,
    response: Response,
    judge: ModelConfig,
    *,
    attempt: int = 0,
    larger: bool = False,
) -> Prompt | None:
    """One prompt about all tasks; `None` where there is none, or nothing to read."""
    if not item.sample.tasks or settled_coverage(item, response):
        return None
    words = render(
        "judge",
        TEMPLATE,
        instruction=asked_instruction(item.sample),
        tasks=item.sample.tasks,
        answer=answer_of(response),
        attempt=attempt,
    )
    schema = numbered_schema(CoverageReply, "tasks", _numbers(item.sample))
    return role_prompt(Purpose.JUDGE, judge, words, schema, attempt=attempt, larger=larger)


def read_coverage(item: WorkItem, response: Response, reply: Response) -> Mapping[int, Check]:
    """The check of each task; all are undecided where one of them has no entry of its own."""
    tasks = range(len(item.sample.tasks))
    failure = reply_failure(reply)
    if failure is not None:
        return dict.fromkeys(tasks, failure)
    value = read_reply(answer_of(reply), CoverageReply, about=answer_of(response))
    if isinstance(value, Unreadable):
        return dict.fromkeys(tasks, unread(reply, value.reason))
    numbers = _numbers(item.sample)
    if set(value.tasks) != set(numbers):
        found = ", ".join(sorted(value.tasks)[:20]) or "none"
        wrong = f"it is about tasks {found}; asked for 1 to {numbers[-1]}"
        return dict.fromkeys(tasks, unread(reply, wrong))
    answer = answer_of(response)
    return {
        task: _check(item.sample.tasks[task].name, value.tasks[number], answer)
        for task, number in enumerate(numbers)
    }


def _numbers(sample: Sample) -> list[str]:
    return [item_number(task) for task in range(len(sample.tasks))]


def _check(name: str, entry: CoveredTask, answer: str) -> Check:
    if not entry.attempted:
        return failed(f"{name} is not attempted")
    span = quotation_span(entry.quote, answer)
    evidence = () if span is None else (quote(answer, *span),)
    return passed(f"{name} is attempted", evidence=evidence)


def task_verdict(
    item: WorkItem,
    task: int,
    check: Check,
    *,
    judge: ModelConfig | None,
    rules: Rules,
    asked: tuple[str, ...] = (),
) -> Verdict:
    """A check as the verdict on one task of one trial."""
    by = f"judge/{TEMPLATE}@{template_hash('judge', TEMPLATE)} {judge.name}" if judge else ""
    return Verdict(
        sample_id=item.sample.id,
        candidate=item.candidate.name,
        attempt=item.attempt,
        aspect="task",
        item=task,
        constraint_id=TASK,
        outcome=check.outcome,
        cause=check.cause,
        requirements=(None if check.cause else check.outcome == "pass",),
        grader=f"{TASK} {by}".strip() if asked else TASK,
        rules=rules,
        reason=check.reason,
        evidence=check.evidence,
        asked=asked,
    )
