"""What a run would do, found out without a call: what is stored, what is missing.

The real stages run over stored answers, with an `ask` that only looks things up. What hangs
on an answer that is not there yet (its judge calls, say) is *expected*: counted, with a
stand-in of typical length in the place of the answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import chain

from ifbench.config import RunConfig
from ifbench.constraints.constraint import Extracted
from ifbench.engines.ask import DryAsk, PlannedCall
from ifbench.engines.estimates import estimated_input_tokens
from ifbench.execution.local import LocalExecutor
from ifbench.execution.step import Seat, Step, Work
from ifbench.keys import content_key, prompt_key
from ifbench.stages import rows
from ifbench.stages.binding import bound_items, local_task
from ifbench.stages.coverage import ask_coverage
from ifbench.stages.extract import ask_extractions
from ifbench.stages.grade import ask_grader
from ifbench.stages.judge import ask_judge
from ifbench.stages.prepare import prepare
from ifbench.stages.roles import Roles
from ifbench.stages.spans import ask_spans
from ifbench.stages.verify import check_calls
from ifbench.store import Journal
from ifbench.types import (
    FailureKind,
    Prompt,
    Purpose,
    Response,
    Rules,
    Stop,
    Trial,
    UnboundParams,
    WorkItem,
)
from ifbench.workers import open_sandbox, roles_of

_STAND_IN_TOKENS = 400
"""The length of an answer that is not there yet, where `max_tokens` allows it."""
_WIDTH = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSum:
    """Calls to one model for one purpose."""

    purpose: Purpose
    model: str
    stored: int = 0
    missing: int = 0
    """Calls that will be made."""
    expected: int = 0
    """Calls that hang on answers that are not there yet; of the extractor and the grader, at most
    so many."""
    input_tokens: int = 0
    """Estimated, of the missing and the expected calls."""
    most_output_tokens: int = 0
    """At the models' `max_tokens`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What is stored and what is owed."""

    trials: int
    calls: tuple[CallSum, ...]
    further: tuple[CallSum, ...] = ()
    """What of it no run makes that was surveyed before this one: summed over a sweep, each call
    counts once."""

    @property
    def owing(self) -> frozenset[str]:
        """Names of the models that will be asked."""
        return frozenset(call.model for call in self.calls if call.missing or call.expected)


def survey(
    config: RunConfig, trials: Iterable[Trial], journal: Journal, earlier: set[str] | None = None
) -> Survey:
    """Look through a run. Raises `StoreError` when the journal cannot be read.

    `earlier` holds the calls of the runs surveyed before, and is given this one's too; `None`
    where there is one run alone.
    """
    ask = DryAsk(journal, frozenset() if earlier is None else earlier)
    expected: list[PlannedCall] = []
    roles = roles_of(config)

    @asynccontextmanager
    async def build(_: Seat) -> AsyncIterator[Work]:
        with open_sandbox(config) as sandbox:

            async def work(trial: Trial) -> Trial:
                trial = await rows.generate(trial, ask, roles)
                if _is_missing(trial):
                    later = [*_unsent(trial), *_expected(trial.item, roles)]
                    expected.extend(_planned(later, trial, earlier))
                    return trial
                trial = await rows.verify(trial, ask, sandbox.check, roles)
                trial = await rows.grade_by_script(trial, sandbox.check, roles)
                return await rows.judge(await rows.grade(trial, ask, roles), ask, roles)

            yield work

    step = Step(name="survey", build=build, in_flight=_WIDTH)
    count = sum(1 for _ in LocalExecutor().run(trials, (step,)))
    calls = tuple(_sums(ask.stored, [*ask.missing], expected))
    if earlier is None:
        return Survey(trials=count, calls=calls, further=calls)
    earlier |= ask.seen
    further = _sums(
        ask.stored - ask.stored_earlier,
        [call for call in ask.missing if not call.is_shared],
        [call for call in expected if not call.is_shared],
    )
    return Survey(trials=count, calls=calls, further=tuple(further))


def _planned(
    prompts: Iterable[Prompt], trial: Trial, earlier: set[str] | None
) -> Iterator[PlannedCall]:
    """Calls that will be made once an answer is there; of two runs, each once."""
    for prompt in prompts:
        is_shared = False
        if earlier is not None:
            key = content_key([_answer_key(trial), prompt_key(prompt)])
            is_shared = key in earlier
            earlier.add(key)
        yield PlannedCall(
            purpose=prompt.purpose,
            model=prompt.model.name,
            input_tokens=estimated_input_tokens(prompt),
            max_tokens=prompt.sampling.max_tokens,
            is_shared=is_shared,
        )


def _answer_key(trial: Trial) -> str:
    """Answers that are not there look alike; what is asked of two is told apart by their keys."""
    prompt = prepare(trial.item)
    assert isinstance(prompt, Prompt), "else it would have failed, not be missing"
    return prompt_key(prompt)


def _unsent(trial: Trial) -> Iterator[Prompt]:
    """The candidate's own call, where it waits for subtitles that are not written yet."""
    if trial.response is not None and not trial.response.key:
        prompt = prepare(trial.item)
        assert isinstance(prompt, Prompt), "else it would have failed, not be missing"
        yield prompt


def _is_missing(trial: Trial) -> bool:
    failure = trial.response.failure if trial.response else None
    return failure is not None and failure.kind is FailureKind.NOT_RUN


def _expected(item: WorkItem, roles: Roles) -> list[Prompt]:
    """What an answer will give rise to: every judged item, at most every extracted
    one, and at most one of the grader, where there is a reference.
    """
    length = min(item.candidate.sampling.max_tokens or _STAND_IN_TOKENS, _STAND_IN_TOKENS)
    answer = Response(
        key="", purpose=Purpose.CANDIDATE, model="", text="word " * length, stop=Stop.STOP
    )
    prompts: list[Prompt] = []
    if roles.judge is not None:
        asked = ask_judge(item, answer, roles.judge, rules=roles.rules, calls=roles.calls)
        prompts += {id(prompt): prompt for prompt in asked.values()}.values()
        coverage = ask_coverage(item, answer, roles.judge)
        prompts += [coverage] if coverage else []
    if roles.extractor is not None and (indices := _extracted_items(item, roles.rules)):
        prompts += ask_extractions(
            item, answer, roles.extractor, indices=indices, rules=roles.rules
        ).values()
    local = _local_tasks(item, roles.rules)
    if roles.extractor is not None and local:
        prompts.append(ask_spans(item, answer, roles.extractor, tasks=local))
    if (
        roles.grader is not None
        and roles.correctness != "none"
        and item.sample.reference is not None
    ):
        graded = ask_grader(item, answer, roles.grader, with_media=roles.grader_media)
        prompts += [graded] if isinstance(graded, Prompt) else []
    return prompts


def _extracted_items(item: WorkItem, rules: Rules) -> list[int]:
    return [
        bound.index
        for bound in bound_items(item, rules)
        if not isinstance(bound.params, UnboundParams)
        and bound.constraint is not None
        and isinstance(bound.constraint.method, Extracted)
    ]


def _local_tasks(item: WorkItem, rules: Rules) -> set[int]:
    """The tasks whose own passages scripts will read."""
    found = (
        local_task(item.sample, item.sample.checklist[index])
        for index in check_calls(item, "word", rules)
    )
    return {task for task in found if task is not None}


def _sums(
    stored: Counter[tuple[Purpose, str]],
    all_missing: Sequence[PlannedCall],
    expected: Sequence[PlannedCall],
) -> Iterator[CallSum]:
    pairs = {
        *stored,
        *((call.purpose, call.model) for call in chain(all_missing, expected)),
    }
    for purpose, model in sorted(pairs, key=lambda pair: (list(Purpose).index(pair[0]), pair[1])):
        missing = [c for c in all_missing if (c.purpose, c.model) == (purpose, model)]
        later = [c for c in expected if (c.purpose, c.model) == (purpose, model)]
        yield CallSum(
            purpose=purpose,
            model=model,
            stored=stored[purpose, model],
            missing=len(missing),
            expected=len(later),
            input_tokens=sum(call.input_tokens for call in (*missing, *later)),
            most_output_tokens=sum(call.max_tokens or 0 for call in (*missing, *later)),
        )
