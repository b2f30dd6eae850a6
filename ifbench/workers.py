"""The steps of an evaluation, ready for any executor: each opens its own askers and checks.

What a step's worker needs is opened in the worker, from the run's configuration alone.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import replace
from functools import partial

from ifbench.config import RunConfig
from ifbench.constraints.rule_sets import CATALOGUES
from ifbench.engines.ask import Asker
from ifbench.engines.budgets import build_budgets
from ifbench.engines.build import open_asker
from ifbench.engines.engine import Loaded, ViewLoader
from ifbench.engines.weights import cache_folder
from ifbench.execution.sandbox import Sandbox
from ifbench.execution.step import Seat, Step, Work
from ifbench.media.errors import MediaError
from ifbench.media.views import ViewLoader as Views
from ifbench.stages import rows
from ifbench.stages.roles import Roles
from ifbench.store import open_store
from ifbench.tally import Tally
from ifbench.types import Failure, FailureKind, ModelConfig, Trial, View


def evaluation_steps(config: RunConfig) -> tuple[Step, ...]:
    """Ask the candidate, verify and grade by script, ask the grader, judge and score.

    The grader has a step of its own only where one is named: a pool of workers is a process.
    """
    workers = config.execution.workers
    correctness = Step(
        name="correctness",
        build=partial(_open_correctness, config),
        workers=workers.correctness,
        in_flight=_width(config, "correctness"),
    )
    return (
        Step(
            name="generate",
            build=partial(_open_generate, config),
            workers=workers.generate,
            in_flight=_width(config, "generate"),
        ),
        Step(
            name="verify",
            build=partial(_open_verify, config),
            workers=workers.verify,
            in_flight=max(_width(config, "verify"), 64),
            cpus=0.5,
        ),
        *((correctness,) if _asked(config, "correctness") else ()),
        Step(
            name="judge",
            build=partial(_open_judge, config),
            workers=workers.judge,
            in_flight=_width(config, "judge"),
        ),
    )


def lane_width(config: RunConfig, candidate: ModelConfig) -> int:
    """Rows of one candidate that a worker handles at once; see `_width`."""
    return _rows_at_once(config, "generate", (candidate,))


def _width(config: RunConfig, step: str) -> int:
    """Rows that one worker handles at once: twice the calls that it may have in flight.

    So that a row is ready to ask while another's answer is made durable and handed on.
    """
    return _rows_at_once(config, step, _asked(config, step))


def _rows_at_once(config: RunConfig, step: str, models: Sequence[ModelConfig]) -> int:
    calls = sum(model.limits.concurrency for model in models)
    workers: int = getattr(config.execution.workers, step)
    return max(2, min(config.execution.in_flight, -(-2 * calls // workers)))


def _asked(config: RunConfig, step: str) -> tuple[ModelConfig, ...]:
    """The models that a step asks."""
    match step:
        case "generate":
            return (*config.candidates, *_named(config.transcriber))
        case "verify":
            return _named(config.extractor or config.judge)
        case "correctness":
            return () if config.correctness == "none" else _named(config.grader)
        case _:
            return _named(config.judge)


def roles_of(config: RunConfig) -> Roles:
    """Who decides what scripts cannot. The extractor is the judge where none is named."""
    return Roles(
        judge=config.judge,
        extractor=config.extractor or config.judge,
        grader=config.grader,
        transcriber=config.transcriber,
        attempts=config.judging.attempts,
        rules=config.rules,
        correctness=config.correctness,
        listed_quotes=config.judging.listed_quotes,
        grader_media=config.judging.grader_media,
        calls=config.judging.calls,
    )


def view_loader() -> ViewLoader:
    """Views of media for the engines; what cannot be viewed is a failure of its row."""
    views = Views(cache_folder().parent / "views")

    def load(view: View) -> Loaded:
        try:
            return views(view)
        except MediaError as error:
            return Failure(kind=FailureKind.MEDIA, message=str(error))

    return load


@asynccontextmanager
async def _open_generate(config: RunConfig, seat: Seat) -> AsyncIterator[Work]:
    ask = await _ask(config, seat, "generate")
    roles = roles_of(config)

    async def work(trial: Trial) -> Trial:
        return await rows.generate(trial, ask, roles)

    yield work


@asynccontextmanager
async def _open_verify(config: RunConfig, seat: Seat) -> AsyncIterator[Work]:
    roles = roles_of(config)
    ask = await _ask(config, seat, "verify")
    with open_sandbox(config) as sandbox:

        async def work(trial: Trial) -> Trial:
            verified = await rows.verify(trial, ask, sandbox.check, roles)
            return await rows.grade_by_script(verified, sandbox.check, roles)

        yield work


@asynccontextmanager
async def _open_correctness(config: RunConfig, seat: Seat) -> AsyncIterator[Work]:
    roles = roles_of(config)
    ask = await _ask(config, seat, "correctness")

    async def work(trial: Trial) -> Trial:
        return await rows.grade(trial, ask, roles)

    yield work


@asynccontextmanager
async def _open_judge(config: RunConfig, seat: Seat) -> AsyncIterator[Work]:
    roles = roles_of(config)
    ask = await _ask(config, seat, "judge")

    async def work(trial: Trial) -> Trial:
        judged = slim(await rows.judge(trial, ask, roles))
        count_outcome(judged, seat.tally)
        return judged

    yield work


@contextmanager
def open_sandbox(config: RunConfig) -> Iterator[Sandbox]:
    """A sandbox with the run's rules, and its bounds for each check."""
    with Sandbox(
        time_s=config.execution.check_time_s,
        memory_mb=config.execution.check_memory_mb,
        catalogue=CATALOGUES[config.rules],
    ) as sandbox:
        yield sandbox


def count_outcome(trial: Trial, tally: Tally) -> None:
    """Count how a trial came out; one that was let go before has not come out."""
    if trial.score is None:
        return
    candidate = trial.item.candidate.name
    tally.add("trials", candidate, "owed" if trial.score.is_owed else "complete")
    for cause in trial.score.owed_causes:
        tally.add("undecided", candidate, cause.value)
    for verdict in trial.verdicts:
        why = "" if verdict.cause is None else verdict.cause.value
        tally.add("verdicts", candidate, verdict.outcome.value, why)


def slim(trial: Trial) -> Trial:
    """A finished trial without what results do not hold: texts are in the journal, by key."""
    sample = replace(
        trial.item.sample,
        instruction="",
        original_instruction="",
        active_instruction="",
        media=(),
        checklist=(),
        tree=None,
        tasks=(),
    )
    response = trial.response
    return replace(
        trial,
        item=replace(trial.item, sample=sample),
        response=None if response is None else replace(response, text="", reasoning=""),
    )


# ── Askers: one a process, over budgets that all processes share ─────────────────────


async def _ask(config: RunConfig, seat: Seat, step: str) -> Asker:
    # In one process all steps use one asker.
    models = config.models if seat.find_limiter is None else _asked(config, step)

    def opener() -> AbstractAsyncContextManager[Asker]:
        return _open_ask(config, models, seat)

    return await seat.commons.get("ask", opener)


@asynccontextmanager
async def _open_ask(
    config: RunConfig, models: tuple[ModelConfig, ...], seat: Seat
) -> AsyncIterator[Asker]:
    find = seat.find_limiter
    store = open_store(config.store.uri)
    try:
        async with open_asker(
            models,
            store.journal,
            view_loader(),
            keeper=None if find is None or not models else find(build_budgets),
            run=seat.run,
            cap_usd=config.max_usd,
            tally=seat.tally,
            stopping=seat.stopping,
            find_servers=None if seat.servers is None else seat.servers.addresses,
        ) as ask:
            yield ask
    finally:
        store.close()


def _named(model: ModelConfig | None) -> tuple[ModelConfig, ...]:
    return () if model is None else (model,)
