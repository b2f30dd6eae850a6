"""Asking the judge about a response, and turning its replies into checks.

Pure on both sides. The judge reads the question, the parameters and the candidate's final text,
never its reasoning and never the pictures: SciMIF's judge is given text only (D.3). What it
replies is a structure that a script decides on; a reply that cannot be read is the judge's
failure and leaves the item undecided.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from ifbench.constraints.constraint import Check, Judged, Params, failed, quote, undecided
from ifbench.constraints.listed import ListedEntry, ListedReply
from ifbench.parsing.quotations import quotation_span
from ifbench.parsing.replies import Unreadable, numbered_schema, read_reply, strict_schema
from ifbench.prompts import render, system_text
from ifbench.stages.binding import BoundItem, bound_items, local_task
from ifbench.stages.verify import answer_of, asked_instruction
from ifbench.types import (
    CAUSE_OF_FAILURE,
    Blame,
    Cause,
    ChecklistItem,
    Evidence,
    Failure,
    FailureKind,
    ModelConfig,
    Outcome,
    Prompt,
    Purpose,
    Response,
    Rules,
    Sample,
    Sampling,
    Stop,
    Text,
    UnboundParams,
    WorkItem,
)


def ask_judge(
    item: WorkItem,
    response: Response,
    judge: ModelConfig,
    *,
    attempt: int = 0,
    indices: Collection[int] | None = None,
    larger: bool = False,
    rules: Rules = "paper",
    calls: Literal["sample", "item"] = "sample",
) -> Mapping[int, Prompt]:
    """One prompt for each judged item, by checklist index; all of them, or those of `indices`.

    Items of a list share one prompt, unless `calls` is `item`. None for an answer that is missing or empty, nor for parameters that could not be read or
    that settle the item by themselves: `read_judge` does those. `larger` doubles the budget,
    after a reply that was cut off.
    """
    answer = answer_of(response)
    if response.failure is not None or not answer.strip():
        return {}
    wanted = [
        (bound, method)
        for bound, method in _judged_items(item, rules)
        if (indices is None or bound.index in indices)
        and _settled(item, bound, method, response, answer) is None
    ]
    prompts: dict[int, Prompt] = {}
    for group in _asked_together(wanted, calls):
        prompt = _prompt(item, group, answer, judge, attempt=attempt, larger=larger)
        prompts |= {bound.index: prompt for bound, _ in group}
    return dict(sorted(prompts.items()))


def read_judge(
    item: WorkItem,
    response: Response,
    replies: Mapping[int, Response],
    *,
    rules: Rules = "paper",
) -> Mapping[int, Check]:
    """The check of each item that has a reply, and of each that needs none."""
    answer = answer_of(response)
    settled = {
        bound.index: check
        for bound, method in _judged_items(item, rules)
        if (check := _settled(item, bound, method, response, answer)) is not None
    }
    read = {
        bound.index: _read(bound, method, answer, replies[bound.index])
        for bound, method in _judged_items(item, rules)
        if bound.index in replies and bound.index not in settled
    }
    return settled | read


def budgeted(sampling: Sampling, *, attempt: int, larger: bool) -> Sampling:
    """How a reply is drawn when it is asked for again: with another seed, and more room."""
    seed = None if sampling.seed is None else sampling.seed + attempt
    tokens = sampling.max_tokens
    return replace(
        sampling, seed=seed, max_tokens=2 * tokens if larger and tokens is not None else tokens
    )


def role_prompt(
    purpose: Purpose,
    model: ModelConfig,
    words: str,
    schema: Mapping[str, Any],
    *,
    attempt: int,
    larger: bool,
) -> Prompt:
    """A template's words put to a model in a role, its reply held to a schema."""
    return Prompt(
        purpose=purpose,
        model=model,
        parts=(Text(text=words),),
        system=system_text(),
        sampling=budgeted(model.sampling, attempt=attempt, larger=larger),
        attempt=attempt,
        reply_schema=schema,
    )


def _judged_items(item: WorkItem, rules: Rules) -> Iterator[tuple[BoundItem, Judged]]:
    for bound in bound_items(item, rules):
        if bound.constraint is not None and isinstance(bound.constraint.method, Judged):
            yield bound, bound.constraint.method


_Asked: TypeAlias = tuple[BoundItem, Judged]


def _asked_together(
    wanted: Sequence[_Asked], calls: Literal["sample", "item"]
) -> Iterator[Sequence[_Asked]]:
    """The items of each call: those of a list in one, by their template."""
    listed: dict[str, list[_Asked]] = {}
    for bound, method in wanted:
        if method.is_listed and calls == "sample":
            listed.setdefault(method.template, []).append((bound, method))
        else:
            yield ((bound, method),)
    yield from listed.values()


def _prompt(
    item: WorkItem,
    asked: Sequence[_Asked],
    answer: str,
    judge: ModelConfig,
    *,
    attempt: int,
    larger: bool,
) -> Prompt:
    method = asked[0][1]
    words = render(
        "judge",
        method.template,
        answer=answer,
        attempt=attempt,
        **(
            _listed_values(item, asked, answer)
            if method.is_listed
            else _values(item, *asked[0], answer)
        ),
    )
    if method.is_listed:
        schema = numbered_schema(ListedReply, "items", [item_number(b.index) for b, _ in asked])
    else:
        schema = method.schema(asked[0][0].params) if method.schema else strict_schema(method.reply)
    return role_prompt(Purpose.JUDGE, judge, words, schema, attempt=attempt, larger=larger)


def _values(item: WorkItem, bound: BoundItem, method: Judged, answer: str) -> Mapping[str, Any]:
    return {
        "instruction": asked_instruction(item.sample),
        "params": bound.params,
        "question": bound.entry.question,
        "facts": bound.entry.evidence,
        "script": method.prepare(answer, bound.params) if method.prepare else {},
    }


def _listed_values(item: WorkItem, asked: Sequence[_Asked], answer: str) -> Mapping[str, Any]:
    sample = item.sample
    entries = [
        {
            "number": item_number(bound.index),
            "question": bound.entry.question,
            "rubric": method.rubric,
            "facts": bound.entry.evidence,
            "task": _task_of(sample, bound.entry),
            "script": method.prepare(answer, bound.params).get("seen", "")
            if method.prepare
            else "",
        }
        for bound, method in asked
    ]
    return {"instruction": asked_instruction(sample), "entries": entries}


def _task_of(sample: Sample, entry: ChecklistItem) -> str:
    index = local_task(sample, entry)
    if index is None:
        return ""
    task = sample.tasks[index]
    return f"{task.name}: {task.description}" if task.description else task.name


def _settled(
    item: WorkItem, bound: BoundItem, method: Judged, response: Response, answer: str
) -> Check | None:
    """The check of an item that no judge is asked about; `None` where one must be."""
    if isinstance(bound.params, UnboundParams):
        return undecided(Cause.PARAMETERS, f"{bound.params.reason}: {bound.params.raw!r}")
    parts = method.parts(bound.params)
    if response.failure is not None and response.failure.blame is Blame.INFRASTRUCTURE:
        return _undecided(_cause(response.failure), f"no answer: {response.failure.message}", parts)
    if response.failure is not None or not answer.strip():
        return failed("the answer is empty", requirements=(False,) * parts)
    if method.settle is None or _task_of(item.sample, bound.entry):
        return None  # What holds for one task's passage cannot be settled on the whole.
    return method.settle(answer, bound.params)


def _read(bound: BoundItem, method: Judged, answer: str, reply: Response) -> Check:
    assert isinstance(bound.params, Params), "unbound items are settled without a reply"
    parts = method.parts(bound.params)
    check = reply_failure(reply) or _decided(bound, method, bound.params, reply, answer)
    if isinstance(check, Unreadable):
        check = unread(reply, check.reason)
    if check.outcome is Outcome.UNDECIDED:
        return check._replace(requirements=(None,) * parts)
    return check._replace(evidence=check.evidence or _evidence(check, answer))


def reply_failure(reply: Response) -> Check | None:
    """Undecided, where the judge gave no reply at all; `None` where there is one to be read."""
    if reply.failure is None or _is_cut_off(reply):
        return None
    words = f"the judge gave no reply ({reply.failure.kind.value}): {reply.failure.message}"
    return undecided(_cause(reply.failure), words.rstrip(": "))


def unread(reply: Response, reason: str) -> Check:
    """Undecided, because the judge's reply cannot be read or was cut off."""
    truncated = reply.stop is Stop.LENGTH
    cause = Cause.JUDGE_TRUNCATED if truncated else Cause.JUDGE_UNREADABLE
    where = "the judge's reply was cut off; " if truncated else "the judge's reply: "
    return undecided(cause, where + reason)


def _decided(
    bound: BoundItem, method: Judged, params: Params, reply: Response, answer: str
) -> Check | Unreadable:
    value: Any = (
        _entry_of(bound, reply, answer)
        if method.is_listed
        else read_reply(answer_of(reply), method.reply, about=answer)
    )
    if isinstance(value, Unreadable):
        return value
    try:
        return method.decide(value, params)
    except ValueError as error:  # The reply does not fit the parameters (`Judged.decide`).
        return Unreadable(reason=str(error))


def _entry_of(bound: BoundItem, reply: Response, answer: str) -> ListedEntry | Unreadable:
    """An item's own entry in a reply about several."""
    value = read_reply(answer_of(reply), ListedReply, about=answer)
    if isinstance(value, Unreadable):
        return value
    number = item_number(bound.index)
    return value.items.get(number) or Unreadable(reason=f"it has no entry for item {number}")


def item_number(index: int) -> str:
    """How prompts and replies call a checklist item or a task."""
    return str(index + 1)


def _is_cut_off(reply: Response) -> bool:
    """A judge that thinks can use up its budget before the first word of its reply."""
    return (
        reply.failure is not None
        and reply.failure.kind is FailureKind.EMPTY
        and reply.stop is Stop.LENGTH
    )


def _cause(failure: Failure) -> Cause:
    """A refusal, a filter or an overflow of the judge leaves nothing to read."""
    return CAUSE_OF_FAILURE.get(failure.kind, Cause.JUDGE_UNREADABLE)


def _undecided(cause: Cause, reason: str, parts: int) -> Check:
    return undecided(cause, reason.rstrip(": "), requirements=(None,) * parts)


def _evidence(check: Check, answer: str) -> tuple[Evidence, ...]:
    """The judge's quotations that stand in the answer; those that do not are no evidence."""
    if check.outcome is Outcome.UNDECIDED:
        return ()
    spans = (quotation_span(words, answer) for words in check.found.get("quotes", ()))
    return tuple(quote(answer, *span) for span in spans if span is not None)
