"""What a run would do, found out without a call: what is stored, what is missing.

The real stages run over stored answers, with an `ask` that only looks things up. What hangs
on an answer that is not there yet (its judge calls, say) is *expected*: counted, with a
stand-in of typical length in the place of the answer.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, compress, groupby, islice

from ifbench.config import RunConfig
from ifbench.constraints.constraint import Check, Extracted, passed
from ifbench.constraints.rule_sets import rule_set
from ifbench.constraints.running import CheckCall
from ifbench.engines.ask import CallSums, DryAsk, KnownAnswers, PlannedCalls
from ifbench.keys import KeySet, prompt_key
from ifbench.stages import rows
from ifbench.stages.binding import bound_items, local_task
from ifbench.stages.coverage import ask_coverage
from ifbench.stages.extract import ask_extractions
from ifbench.stages.grade import ask_grader
from ifbench.stages.judge import ask_judge
from ifbench.stages.prepare import prepare
from ifbench.stages.roles import CheckAll, Roles
from ifbench.stages.spans import ask_spans
from ifbench.stages.verify import check_calls
from ifbench.store import TrialId
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
    asking: bytes = b""
    """For each trial, in the order of the plan, 1 where a call will be made for it, else 0."""
    at_hand: Mapping[int, Trial] = field(default_factory=dict)
    """By their place in the plan, some of the trials for which a call will be made."""
    is_exact: bool = True
    """False where only the candidates' answers were all looked up."""

    @property
    def owing(self) -> frozenset[str]:
        """Names of the models that will be asked."""
        return frozenset(call.model for call in self.calls if call.missing or call.expected)


def asking_first(
    rows: Callable[[], Iterable[Trial]], asking: bytes, at_hand: Mapping[int, Trial] | None = None
) -> Iterator[Trial]:
    """The rows, those first for which a call will be made; `rows` yields them all, afresh.

    So a run that is nearly done begins with what is owed, and not with a long look at the rest.
    Those `at_hand`, by their places, come before all others: to come to a row takes reading all
    samples before it.
    """
    if len(set(asking)) < 2:
        yield from rows()
        return
    yield from (at_hand or {}).values()
    owing, others = bytearray(asking), bytearray(asking.translate(_OTHERS))
    for place in at_hand or ():
        owing[place] = others[place] = 0
    for some in (owing, others):
        if any(some):
            yield from compress(rows(), some)


_OTHERS = bytes([1, 0, *range(2, 256)])


def survey(
    config: RunConfig,
    rows: Callable[[], Iterable[Trial]],
    journal: KnownAnswers,
    *,
    exact: bool = True,
    earlier: KeySet | None = None,
    doubted: Collection[TrialId] = (),
    glance: int = 1024,
) -> Survey:
    """Look through a run; `rows` yields its trials, afresh. Raises `StoreError`.

    `earlier` holds the calls of the runs surveyed before, and is given this one's too; `None`
    where there is one run alone.

    Where it need not be exact, stored answers are read only until somebody is known to be asked
    about them. An answer that is missing will be judged once it is there, so that none need be read
    while some are missing. Else those to two to three times `glance` trials are: the last ones,
    which a run that was broken off owes, and some spread over all; and those to the `doubted` ones,
    which owed calls as the run last ended. Where none of these owes anything, all trials are gone through by keys until one does (see `_find`). What the store
    holds of judges, extractors and graders is not counted then. In memory are sums, some 24 bytes
    for each call and one for each trial.
    """
    roles = roles_of(config)
    about = [one for one in (roles.judge, roles.extractor, roles.grader) if one]
    names = {one.name for one in about}
    is_plain = roles.transcriber is None  # Else prompts hang on what it wrote.
    if is_plain and not (about and exact):
        some = _Spread(glance, frozenset(doubted))
        found = _look_up(config, some.of(rows()), DryAsk(journal, earlier), journal)
        # A server of ours is started only for who will be asked: there it has to be known of all.
        is_served = any(one.engine == "vllm" for one in about)
        if not names <= found.owing and found.trials > 3 * glance:
            found = asyncio.run(_read_some(config, found, some.rows, DryAsk(journal)))
            if not is_served and not names & found.owing:
                found = asyncio.run(_find(config, found, rows(), DryAsk(journal), journal))
            if not is_served:
                return replace(found, is_exact=False)
        if names <= found.owing:
            return replace(found, is_exact=not about)
    return asyncio.run(_read(config, rows(), DryAsk(journal, earlier)))


def _look_up(
    config: RunConfig, trials: Iterable[Trial], ask: DryAsk, journal: KnownAnswers
) -> Survey:
    """By the keys of the candidates' answers alone."""
    roles, asking = roles_of(config), bytearray()
    for some in _batches(trials):
        prompts = [prepare(trial.item) for trial in some]
        keys = [prompt_key(one) if isinstance(one, Prompt) else "" for one in prompts]
        known = journal.stored(list(filter(None, keys)))
        for trial, prompt, key in zip(some, prompts, keys, strict=True):
            is_missing = isinstance(prompt, Prompt) and key not in known
            asking.append(is_missing)
            if isinstance(prompt, Prompt):
                ask.note(prompt, key, is_stored=not is_missing)
            for later in _expected(trial.item, roles) if is_missing else ():
                ask.expect(later, key)
    return _surveyed(ask, asking)


class _Spread:
    """Some of many rows: the last ones, about as many, or twice, spread over all, and those named."""

    def __init__(self, size: int, named: frozenset[TrialId]) -> None:
        self._size, self._every = size, 1
        self._names = named
        self._named: list[tuple[int, Trial]] = []
        self._spread: list[tuple[int, Trial]] = []
        self._last: deque[tuple[int, Trial]] = deque(maxlen=size)

    def of(self, rows: Iterable[Trial]) -> Iterator[Trial]:
        """The rows, as they are."""
        for place in enumerate(rows):
            self._last.append(place)
            if place[0] % self._every == 0:
                self._spread.append(place)
            if len(self._spread) > 2 * self._size:
                self._spread, self._every = self._spread[::2], 2 * self._every
            if self._names and _id(place[1].item) in self._names:
                self._named.append(place)
            yield place[1]

    @property
    def rows(self) -> Sequence[tuple[int, Trial]]:
        """Each with its place."""
        return list(dict([*self._named, *self._last, *self._spread]).items())


def _id(item: WorkItem) -> TrialId:
    return item.sample.id, item.candidate.name, item.attempt


async def _read_some(
    config: RunConfig, found: Survey, rows: Sequence[tuple[int, Trial]], ask: DryAsk
) -> Survey:
    """What was looked up, with the calls that some of its trials owe to answers that are stored.

    Of these the names count, and which trials come first.
    """
    asking = bytearray(found.asking)
    with open_sandbox(config) as sandbox:
        check = _checks_that_ask(sandbox.check, roles_of(config).rules)
        for at in range(0, len(rows), _AT_ONCE):
            some = rows[at : at + _AT_ONCE]
            asked = (_is_asking(trial, ask, check, roles_of(config)) for _, trial in some)
            for (place, _), is_asking in zip(some, await asyncio.gather(*asked), strict=True):
                asking[place] |= is_asking
    at_hand = {place: trial for place, trial in rows if asking[place]}
    return _with_owed(found, ask, asking, at_hand)


async def _find(
    config: RunConfig, found: Survey, rows: Iterable[Trial], ask: DryAsk, journal: KnownAnswers
) -> Survey:
    """What was looked up, with the first calls that are owed to answers that are stored.

    Of each trial the candidate's answer is read, and what would be asked about it is looked up by
    its keys: a quarter of the time that it takes to read what was replied. Where a key is missing,
    the trial is looked at whole. With the first one that asks the look ends: work begins with it
    and with the trials behind it, which nobody has looked at. A reply that is stored, and has to
    be asked for again since it cannot be read, is not noticed here, and asked for as its trial's
    turn comes.
    """
    roles, asking, seen = roles_of(config), bytearray(found.asking), 0
    at_hand: dict[int, Trial] = {}
    with open_sandbox(config) as sandbox:
        check = _checks_that_ask(sandbox.check, roles.rules)
        for some in _batches(rows):
            doubtful = _doubtful(some, roles, journal)
            asked = (_is_asking(some[at], ask, check, roles) for at in doubtful)
            for at, is_asking in zip(doubtful, await asyncio.gather(*asked), strict=True):
                if is_asking:
                    at_hand[seen + at] = some[at]
                    asking[seen + at] = 1
            seen += len(some)
            if at_hand:
                asking[seen:] = bytes([1]) * (len(asking) - seen)
                break
    return _with_owed(found, ask, asking, at_hand)


def _doubtful(trials: Sequence[Trial], roles: Roles, journal: KnownAnswers) -> list[int]:
    """Places of the trials with an answer about which something may have to be asked."""
    own = [prepare(trial.item) for trial in trials]
    keys = [prompt_key(one) if isinstance(one, Prompt) else "" for one in own]
    answers = journal.lookup(list(filter(None, keys)))
    about: list[list[str]] = []
    for _, pairs in groupby(zip(trials, keys, strict=True), lambda one: id(one[0].item.sample)):
        asking: _Asking | None = None
        for trial, key in pairs:
            answer = answers.get(key)
            asking = asking or _Asking(trial.item, roles)
            prompts = () if answer is None else asking.about(trial.item, answer)
            about.append([prompt_key(prompt) for prompt in prompts])
    known = journal.stored(list(chain.from_iterable(about)))
    return [at for at, wanted in enumerate(about) if any(key not in known for key in wanted)]


def _with_owed(
    found: Survey, ask: DryAsk, asking: bytearray, at_hand: Mapping[int, Trial]
) -> Survey:
    others = (one for one in _sums(ask.all) if one.purpose is not Purpose.CANDIDATE)
    owed = [replace(one, stored=0) for one in others if one.missing or one.expected]
    return replace(found, calls=(*found.calls, *owed), asking=bytes(asking), at_hand=at_hand)


async def _read(config: RunConfig, trials: Iterable[Trial], ask: DryAsk) -> Survey:
    """By the stages themselves, which read what is stored."""
    roles, asking = roles_of(config), bytearray()
    with open_sandbox(config) as sandbox:
        check = _checks_that_ask(sandbox.check, roles.rules)
        for some in _batches(trials):
            found = (_is_asking(trial, ask, check, roles) for trial in some)
            asking += bytes(await asyncio.gather(*found))
    return _surveyed(ask, asking)


def _surveyed(ask: DryAsk, asking: bytearray) -> Survey:
    return Survey(
        trials=len(asking),
        calls=tuple(_sums(ask.all)),
        further=tuple(_sums(ask.further)),
        asking=bytes(asking),
    )


def _batches(trials: Iterable[Trial]) -> Iterator[list[Trial]]:
    left = iter(trials)
    while some := list(islice(left, _AT_ONCE)):
        yield some


async def _is_asking(trial: Trial, ask: DryAsk, check: CheckAll, roles: Roles) -> bool:
    """Whether a call will be made for a trial; what hangs on an answer is noted as expected."""
    is_missing = False

    async def noting(prompt: Prompt) -> Response:
        nonlocal is_missing
        response = await ask(prompt)
        is_missing = is_missing or _is_not_run(response)
        return response

    trial = await rows.generate(trial, noting, roles)
    if trial.response is not None and _is_not_run(trial.response):
        for prompt in chain(_unsent(trial), _expected(trial.item, roles)):
            ask.expect(prompt, _answer_key(trial))
        return True
    trial = await rows.verify(trial, noting, check, roles)
    trial = await rows.grade_by_script(trial, check, roles)
    await rows.judge(await rows.grade(trial, noting, roles), noting, roles)
    return is_missing


def _is_not_run(response: Response) -> bool:
    return response.failure is not None and response.failure.kind is FailureKind.NOT_RUN


def _checks_that_ask(check: CheckAll, rules: Rules) -> CheckAll:
    """Runs the checks on which it hangs whether a model is asked; the others pass unread.

    These are the ones that may leave a target to the extractor, or correctness to the grader.
    """
    known = rule_set(rules)

    def matters(call: CheckCall) -> bool:
        constraint = known.get(call.constraint_id)
        return constraint is None or (
            isinstance(constraint.method, Extracted) and call.quotations is None
        )

    async def run(calls: Sequence[CheckCall]) -> Sequence[Check | None]:
        wanted = [call for call in calls if matters(call)]
        found = iter(await check(wanted) if wanted else ())
        return [next(found) if matters(call) else _UNREAD for call in calls]

    return run


_UNREAD = passed()
_AT_ONCE = 512
"""Trials that are looked up together: a file of answers is read in pieces of many rows."""


def _answer_key(trial: Trial) -> str:
    prompt = prepare(trial.item)
    assert isinstance(prompt, Prompt), "else it would have failed, not be missing"
    return prompt_key(prompt)


def _unsent(trial: Trial) -> Iterator[Prompt]:
    """The candidate's own call, where it waits for subtitles that are not written yet."""
    if trial.response is not None and not trial.response.key:
        prompt = prepare(trial.item)
        assert isinstance(prompt, Prompt), "else it would have failed, not be missing"
        yield prompt


def _expected(item: WorkItem, roles: Roles) -> list[Prompt]:
    """The calls that an answer that is not there yet will give rise to."""
    length = min(item.candidate.sampling.max_tokens or _STAND_IN_TOKENS, _STAND_IN_TOKENS)
    answer = Response(
        key="", purpose=Purpose.CANDIDATE, model="", text="word " * length, stop=Stop.STOP
    )
    return list(_Asking(item, roles).about(item, answer))


class _Asking:
    """What is asked about the answers to one sample: every judged item, at most every extracted
    one, and at most one call of the grader, where there is a reference.
    """

    def __init__(self, item: WorkItem, roles: Roles) -> None:
        self._roles = roles
        self._extracted = _extracted_items(item, roles.rules) if roles.extractor else []
        self._local = _local_tasks(item, roles.rules) if roles.extractor else set()

    def about(self, item: WorkItem, answer: Response) -> Iterator[Prompt]:
        """The prompts about one of its answers."""
        roles = self._roles
        if roles.judge is not None:
            asked = ask_judge(item, answer, roles.judge, rules=roles.rules, calls=roles.calls)
            yield from {id(prompt): prompt for prompt in asked.values()}.values()
            if coverage := ask_coverage(item, answer, roles.judge):
                yield coverage
        if roles.extractor is not None and self._extracted:
            yield from ask_extractions(
                item, answer, roles.extractor, indices=self._extracted, rules=roles.rules
            ).values()
        if roles.extractor is not None and self._local:
            yield ask_spans(item, answer, roles.extractor, tasks=self._local)
        if (
            roles.grader is not None
            and roles.correctness != "none"
            and item.sample.reference is not None
        ):
            graded = ask_grader(item, answer, roles.grader, with_media=roles.grader_media)
            if isinstance(graded, Prompt):
                yield graded


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


def _sums(sums: CallSums) -> Iterator[CallSum]:
    kinds = {*sums.stored, *sums.missing, *sums.expected}
    for kind in sorted(kinds, key=lambda kind: (list(Purpose).index(kind[0]), kind[1])):
        now, later = sums.missing.get(kind, _NONE), sums.expected.get(kind, _NONE)
        yield CallSum(
            purpose=kind[0],
            model=kind[1],
            stored=sums.stored[kind],
            missing=now.count,
            expected=later.count,
            input_tokens=now.input_tokens + later.input_tokens,
            most_output_tokens=now.most_output_tokens + later.most_output_tokens,
        )


_NONE = PlannedCalls()
