"""What each step does to one trial: the pure stages, tied together by `ask` and `check`.

`ask` is the one effect on models, `check` the one that runs scripts in isolation. Nothing here
raises for what happens to a row; it becomes a failure or an undecided verdict.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ifbench.constraints.constraint import Check, Extracted, Judged, Scripted, undecided
from ifbench.constraints.running import CheckCall
from ifbench.engines.engine import Ask
from ifbench.prompts import template_hash
from ifbench.stages.binding import bound_item
from ifbench.stages.extract import ask_extractions, read_extractions
from ifbench.stages.grade import (
    SCRIPT,
    ask_grader,
    correctness_call,
    correctness_verdict,
    count_items,
    graded_by_counts,
    model_grader,
    read_grader,
    settled_correctness,
)
from ifbench.stages.judge import ask_judge, read_judge
from ifbench.stages.prepare import prepare
from ifbench.stages.reasking import reask
from ifbench.stages.roles import CheckAll, Roles
from ifbench.stages.score import score
from ifbench.stages.spans import TEMPLATE as SPANS
from ifbench.stages.task_rows import cover, run_local
from ifbench.stages.transcribe import (
    ask_transcript,
    films_to_transcribe,
    is_cut_off,
    read_transcript,
    with_transcripts,
)
from ifbench.stages.verify import (
    answer_of,
    check_calls,
    extracted_calls,
    settled_by_failure,
    unbound_items,
    verdict,
)
from ifbench.types import (
    CAUSE_OF_FAILURE,
    Cause,
    Failure,
    Media,
    ModelConfig,
    Outcome,
    Prompt,
    Purpose,
    Response,
    Trial,
    Verdict,
    WorkItem,
)


async def generate(trial: Trial, ask: Ask, roles: Roles | None = None) -> Trial:
    """Ask the candidate; before that a transcriber, where it would miss a video's sound."""
    if trial.response is not None:  # It was set apart before anybody was asked.
        return trial
    prompt = prepare(trial.item)
    if isinstance(prompt, Failure):
        return replace(trial, response=_unsent(trial.item, prompt))
    films = films_to_transcribe(trial.item) if roles and roles.transcriber else ()
    if films and roles and roles.transcriber:
        written = await asyncio.gather(
            *(_transcribe(film, ask, roles.transcriber, roles.attempts) for film in films)
        )
        failure = next((words for words in written if isinstance(words, Failure)), None)
        if failure is not None:
            return replace(trial, response=_unsent(trial.item, failure))
        texts = {f.sha256: w for f, w in zip(films, written, strict=True) if isinstance(w, str)}
        prompt = with_transcripts(prompt, texts)
    return replace(trial, response=await ask(prompt))


async def _transcribe(
    film: Media, ask: Ask, transcriber: ModelConfig, attempts: int
) -> str | Failure:
    """The subtitles of a video; a reply that cannot be read is asked for again, a few times."""
    larger = False
    found: str | Failure = ""
    for attempt in range(attempts):
        reply = await ask(ask_transcript(film, transcriber, attempt=attempt, larger=larger))
        found = read_transcript(reply)
        if isinstance(found, str) or reply.failure is not None:
            return found
        larger = is_cut_off(reply)
    return found


async def verify(trial: Trial, ask: Ask, check: CheckAll, roles: Roles) -> Trial:
    """Decide what scripts decide, asking the extractor only where no rule finds its target."""
    item, response = trial.item, _response(trial)
    if response.failure is not None:
        settled = settled_by_failure(item, response.failure)
        return replace(trial, verdicts=_verdicts(item, settled, {}, roles))
    answer = answer_of(response)
    calls = check_calls(item, answer, roles.rules)
    local, asked = await run_local(item, response, calls, ask, check, roles)
    found = await _run(check, {i: call for i, call in calls.items() if i not in local})
    checks = {
        **unbound_items(item, roles.rules),
        **local,
        **{i: c for i, c in found.items() if c is not None},
    }
    unlocated = [index for index, one in found.items() if one is None]
    if unlocated and roles.extractor is None:
        checks |= dict.fromkeys(
            unlocated, undecided(Cause.NO_EXTRACTOR, "no extractor is configured (extractor=NAME)")
        )
    elif unlocated and roles.extractor is not None:
        quoted, keys = await _extract(item, response, unlocated, ask, roles.extractor, roles)
        asked |= keys
        quotations = {i: q for i, q in quoted.items() if not isinstance(q, Check)}
        decided = await _run(check, extracted_calls(item, answer, quotations, roles.rules))
        checks |= {i: c for i, c in decided.items() if c is not None}
        checks |= {i: q for i, q in quoted.items() if isinstance(q, Check)}
    return replace(trial, verdicts=_verdicts(item, checks, asked, roles))


async def grade_by_script(trial: Trial, check: CheckAll, roles: Roles) -> Trial:
    """Say whether the answer is right as far as scripts can tell; after verifying, for counts.

    Without a grader to leave the rest to, the rest is undecided with its cause.
    """
    item, response = trial.item, _response(trial)
    if roles.correctness == "none":
        return trial
    found = settled_correctness(item, response)
    if found is None and count_items(item.sample):
        found = graded_by_counts(item.sample, trial.verdicts)
    elif found is None and roles.correctness == "script":
        call = correctness_call(item.sample, answer_of(response))
        assert call is not None, "a sample without reference is settled"
        (found,) = await check([call])
        if found is not None and found.outcome is Outcome.UNDECIDED and roles.grader is not None:
            return trial
    elif found is None and roles.grader is None:
        found = undecided(Cause.NO_GRADER, "no grader is configured (grader=NAME)")
    if found is None:
        return trial
    verdict = correctness_verdict(item, found, grader=SCRIPT, rules=roles.rules)
    return replace(trial, verdicts=(*trial.verdicts, verdict))


async def grade(trial: Trial, ask: Ask, roles: Roles) -> Trial:
    """Ask the grader whether the answer is right, unless that is settled already."""
    item, response, grader = trial.item, _response(trial), roles.grader
    is_settled = any(verdict.aspect == "correctness" for verdict in trial.verdicts)
    if roles.correctness == "none" or grader is None or is_settled:
        return trial
    checks: dict[int, Check] = {}
    asked: dict[int, tuple[str, ...]] = {}
    if response.failure is None:
        checks, asked = await _grade(item, response, ask, grader, roles)
    elif (found := settled_correctness(item, response)) is not None:  # It has just been set apart.
        checks = {0: found}
    verdict = correctness_verdict(
        item,
        checks[0],
        grader=model_grader(grader),
        rules=roles.rules,
        asked=asked.get(0, ()),
    )
    return replace(trial, verdicts=(*trial.verdicts, verdict))


async def judge(trial: Trial, ask: Ask, roles: Roles) -> Trial:
    """Decide what a judge decides, then bring the verdicts together into the score."""
    item, response = trial.item, _response(trial)
    if item.sample.tasks:
        judged, covered = await asyncio.gather(
            _judge_open(trial, ask, roles), cover(item, response, ask, roles)
        )
    else:
        judged, covered = await _judge_open(trial, ask, roles), ()
    verdicts = (*trial.verdicts, *judged, *covered)
    ordered = tuple(sorted(verdicts, key=lambda v: (_ASPECTS.index(v.aspect), v.item)))
    return replace(trial, verdicts=ordered, score=score(item, response, ordered, roles.graders))


async def _judge_open(trial: Trial, ask: Ask, roles: Roles) -> tuple[Verdict, ...]:
    """The verdicts on the items that nothing has decided so far."""
    item, response = trial.item, _response(trial)
    done = {verdict.item for verdict in trial.verdicts if verdict.aspect == "constraint"}
    open_items = [i for i in range(len(item.sample.checklist)) if i not in done]
    if not open_items:
        return ()
    if response.failure is not None:  # It has just been set apart: else verifying settles all.
        settled = settled_by_failure(item, response.failure)
        return _verdicts(item, {index: settled[index] for index in open_items}, {}, roles)
    if roles.judge is None:
        missing = undecided(Cause.NO_JUDGE, "no judge is configured (judge=NAME)")
        return _verdicts(item, dict.fromkeys(open_items, missing), {}, roles)
    checks, asked = await _judge(item, response, open_items, ask, roles.judge, roles)
    # What verifying has settled already (parameters that nobody could read) stays as it is.
    own = {index: checks[index] for index in open_items if index in checks}
    return _verdicts(item, own, asked, roles)


_ASPECTS = ("constraint", "task", "correctness")


async def _extract(
    item: WorkItem,
    response: Response,
    indices: Sequence[int],
    ask: Ask,
    extractor: ModelConfig,
    roles: Roles,
) -> tuple[dict[int, tuple[str, ...] | Check], dict[int, tuple[str, ...]]]:
    """Quotations by item, or why there are none; and the keys of the prompts behind them."""

    def prompts(open_items: Sequence[int], attempt: int, *, larger: bool) -> Mapping[int, Prompt]:
        return ask_extractions(
            item,
            response,
            extractor,
            indices=open_items,
            attempt=attempt,
            larger=larger,
            listed=roles.listed_quotes,
            rules=roles.rules,
        )

    def read(replies: Mapping[int, Response]) -> Mapping[int, tuple[str, ...] | Check]:
        return read_extractions(item, response, replies, rules=roles.rules)

    return await reask(prompts, read, ask, indices, roles.attempts)


async def _judge(
    item: WorkItem,
    response: Response,
    indices: Sequence[int],
    ask: Ask,
    judge_model: ModelConfig,
    roles: Roles,
) -> tuple[dict[int, Check], dict[int, tuple[str, ...]]]:
    """Checks by item, and the keys of the prompts behind them."""

    def prompts(open_items: Sequence[int], attempt: int, *, larger: bool) -> Mapping[int, Prompt]:
        return ask_judge(
            item,
            response,
            judge_model,
            indices=open_items,
            attempt=attempt,
            larger=larger,
            rules=roles.rules,
            calls=roles.calls,
        )

    def read(replies: Mapping[int, Response]) -> Mapping[int, Check]:
        return read_judge(item, response, replies, rules=roles.rules)

    return await reask(prompts, read, ask, indices, roles.attempts)


async def _grade(
    item: WorkItem, response: Response, ask: Ask, grader: ModelConfig, roles: Roles
) -> tuple[dict[int, Check], dict[int, tuple[str, ...]]]:
    """The check under 0, and the keys of the prompts behind it."""
    refused = ask_grader(item, response, grader, with_media=roles.grader_media)
    if isinstance(refused, Failure):
        return {0: undecided(CAUSE_OF_FAILURE[refused.kind], refused.message)}, {}

    def prompts(open_items: Sequence[int], attempt: int, *, larger: bool) -> Mapping[int, Prompt]:
        prompt = ask_grader(
            item, response, grader, with_media=roles.grader_media, attempt=attempt, larger=larger
        )
        assert isinstance(prompt, Prompt), "it could be built once"
        return dict.fromkeys(open_items, prompt)

    def read(replies: Mapping[int, Response]) -> Mapping[int, Check]:
        return {index: read_grader(reply) for index, reply in replies.items()}

    return await reask(prompts, read, ask, (0,), roles.attempts)


async def _run(check: CheckAll, calls: Mapping[int, CheckCall]) -> Mapping[int, Check | None]:
    if not calls:
        return {}
    return dict(zip(calls, await check(tuple(calls.values())), strict=True))


def _verdicts(
    item: WorkItem,
    checks: Mapping[int, Check],
    asked: Mapping[int, tuple[str, ...]],
    roles: Roles,
) -> tuple[Verdict, ...]:
    return tuple(
        verdict(
            item,
            index,
            check,
            grader=_grader(item, index, asked=index in asked, roles=roles),
            rules=roles.rules,
            asked=asked.get(index, ()),
        )
        for index, check in checks.items()
    )


def _grader(item: WorkItem, index: int, *, asked: bool, roles: Roles) -> str:
    """Who decided: the rule and its version; where a model was asked, the prompt's and its name."""
    constraint = bound_item(item, index, roles.rules).constraint
    if constraint is None:
        return "none"
    match constraint.method:
        case Judged(template=template) if asked and roles.judge:
            prompt = f"judge/{template}@{template_hash('judge', template)}"
            return f"{constraint.grader} {prompt} {roles.judge.name}"
        case Extracted(template=template) if asked and roles.extractor:
            prompt = f"extract/{template}@{template_hash('extract', template)}"
            return f"{constraint.grader} {prompt} {roles.extractor.name}"
        case Scripted() if asked and roles.extractor:  # On the passage of one task.
            prompt = f"extract/{SPANS}@{template_hash('extract', SPANS)}"
            return f"{constraint.grader} {prompt} {roles.extractor.name}"
    return constraint.grader


def _response(trial: Trial) -> Response:
    assert trial.response is not None, "the generate step comes first"
    return trial.response


def _unsent(item: WorkItem, failure: Failure) -> Response:
    return Response(key="", purpose=Purpose.CANDIDATE, model=item.candidate.model, failure=failure)
