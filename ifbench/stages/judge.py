"""Asking the judge about a response, and turning its replies into checks.

Pure on both sides. The judge reads the question, the parameters and the candidate's final text,
never its reasoning and never the pictures: SciMIF's judge is given text only (D.3). What it
replies is a structure that a script decides on; a reply that cannot be read is the judge's
failure and leaves the item undecided.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from ifbench.constraints.constraint import Check, Judged, Params, failed, quote, undecided
from ifbench.parsing.quotations import quotation_span
from ifbench.parsing.replies import Unreadable, read_reply, strict_schema
from ifbench.prompts import render
from ifbench.stages.binding import BoundItem, bound_items
from ifbench.stages.verify import answer_of
from ifbench.types import (
    CAUSE_OF_FAILURE,
    Blame,
    Cause,
    Evidence,
    Failure,
    FailureKind,
    ModelConfig,
    Outcome,
    Prompt,
    Purpose,
    Response,
    Rules,
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
) -> Mapping[int, Prompt]:
    """One prompt for each judged item, by checklist index; all of them, or those of `indices`.

    None for an answer that is missing or empty, nor for parameters that could not be read or
    that settle the item by themselves: `read_judge` does those. `larger` doubles the budget,
    after a reply that was cut off.
    """
    answer = answer_of(response)
    if response.failure is not None or not answer.strip():
        return {}
    return {
        bound.index: _prompt(item, bound, method, answer, judge, attempt=attempt, larger=larger)
        for bound, method in _judged_items(item, rules)
        if (indices is None or bound.index in indices)
        and _settled(bound, method, response, answer) is None
    }


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
        if (check := _settled(bound, method, response, answer)) is not None
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


def _judged_items(item: WorkItem, rules: Rules) -> Iterator[tuple[BoundItem, Judged]]:
    for bound in bound_items(item, rules):
        if bound.constraint is not None and isinstance(bound.constraint.method, Judged):
            yield bound, bound.constraint.method


def _prompt(
    item: WorkItem,
    bound: BoundItem,
    method: Judged,
    answer: str,
    judge: ModelConfig,
    *,
    attempt: int,
    larger: bool,
) -> Prompt:
    words = render(
        "judge",
        method.template,
        instruction=item.sample.instruction,
        answer=answer,
        params=bound.params,
        rubric=method.rubric,
        question=bound.entry.question,
        facts=bound.entry.evidence,
        script=method.prepare(answer, bound.params) if method.prepare else {},
        attempt=attempt,
    )
    return Prompt(
        purpose=Purpose.JUDGE,
        model=judge,
        parts=(Text(text=words),),
        sampling=budgeted(judge.sampling, attempt=attempt, larger=larger),
        attempt=attempt,
        reply_schema=strict_schema(method.reply),
    )


def _settled(bound: BoundItem, method: Judged, response: Response, answer: str) -> Check | None:
    """The check of an item that no judge is asked about; `None` where one must be."""
    if isinstance(bound.params, UnboundParams):
        return undecided(Cause.PARAMETERS, f"{bound.params.reason}: {bound.params.raw!r}")
    parts = method.parts(bound.params)
    if response.failure is not None and response.failure.blame is Blame.INFRASTRUCTURE:
        return _undecided(_cause(response.failure), f"no answer: {response.failure.message}", parts)
    if response.failure is not None or not answer.strip():
        return failed("the answer is empty", requirements=(False,) * parts)
    return None if method.settle is None else method.settle(answer, bound.params)


def _read(bound: BoundItem, method: Judged, answer: str, reply: Response) -> Check:
    assert isinstance(bound.params, Params), "unbound items are settled without a reply"
    parts = method.parts(bound.params)
    if reply.failure is not None and not _is_cut_off(reply):
        return _undecided(
            _cause(reply.failure),
            f"the judge gave no reply ({reply.failure.kind.value}): {reply.failure.message}",
            parts,
        )
    check = _decided(method, bound.params, reply)
    if isinstance(check, Unreadable):
        truncated = reply.stop is Stop.LENGTH
        cause = Cause.JUDGE_TRUNCATED if truncated else Cause.JUDGE_UNREADABLE
        where = "the judge's reply was cut off; " if truncated else "the judge's reply: "
        return _undecided(cause, where + check.reason, parts)
    return replace(check, evidence=check.evidence or _evidence(check, answer))


def _decided(method: Judged, params: Params, reply: Response) -> Check | Unreadable:
    value = read_reply(answer_of(reply), method.reply)
    if isinstance(value, Unreadable):
        return value
    try:
        return method.decide(value, params)
    except ValueError as error:  # The reply does not fit the parameters (`Judged.decide`).
        return Unreadable(reason=str(error))


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
