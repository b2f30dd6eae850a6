"""The steps of an evaluation, ready for any executor: each opens its own askers and checks.

What a step's worker needs is opened in the worker, from the runs' configurations alone. Several
runs (a sweep) go through one set of steps.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, TypeAlias

from ifbench.config import RunConfig
from ifbench.constraints.rule_sets import CATALOGUES, rule_set
from ifbench.engines.ask import Asker
from ifbench.engines.budgets import budget_of, build_budgets
from ifbench.engines.build import open_asker
from ifbench.engines.engine import Ask, Loaded, ViewLoader
from ifbench.engines.weights import cache_folder
from ifbench.execution.sandbox import Sandbox
from ifbench.execution.step import Seat, Step, Work
from ifbench.media.errors import MediaError
from ifbench.media.views import ViewLoader as Views
from ifbench.stages import rows
from ifbench.stages.roles import Roles
from ifbench.store import open_store
from ifbench.tally import RunTally, spent_usd
from ifbench.types import Failure, FailureKind, ModelConfig, Rules, Trial, View

Runs: TypeAlias = Mapping[str, RunConfig]
"""The configurations of the runs that go through the steps together, by their ids."""

StepName: TypeAlias = Literal["generate", "verify", "correctness", "judge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Crew:
    """What the workers of all steps are told: the runs, and what they may spend together.

    The runs are of one store and one execution.
    """

    runs: Runs
    cap_usd: float | None = None

    @property
    def any(self) -> RunConfig:
        """One of the configurations, for what all of them share."""
        return next(iter(self.runs.values()))

    def asked(self, step: StepName) -> tuple[ModelConfig, ...]:
        """The models that a step asks, over all runs."""
        return distinct(model for config in self.runs.values() for model in _asked(config, step))


def evaluation_steps(runs: Runs, cap_usd: float | None = None) -> tuple[Step, ...]:
    """Ask the candidate, verify and grade by script, ask the grader, judge and score.

    The grader has a step of its own only where one is named: a pool of workers is a process. Each
    step serves the rows of all runs, each by its own run's configuration.
    """
    crew = Crew(runs=runs, cap_usd=cap_usd)
    names: tuple[StepName, ...] = ("generate", "verify", "correctness", "judge")
    return tuple(
        _step(crew, name) for name in names if name != "correctness" or crew.asked("correctness")
    )


def _step(crew: Crew, name: StepName) -> Step:
    workers: int = getattr(crew.any.execution.workers, name)
    width = _rows_at_once(crew.any, name, crew.asked(name))
    build = partial(_open_step, crew, name)
    if name == "verify":
        return Step(name=name, build=build, workers=workers, in_flight=max(width, 64), cpus=0.5)
    is_light = name == "judge" and not crew.asked(name)  # It brings verdicts together, no more.
    return Step(name=name, build=build, workers=workers, in_flight=width, is_light=is_light)


def lane_width(config: RunConfig, candidate: ModelConfig) -> int:
    """Rows of one candidate that a worker handles at once; see `_rows_at_once`."""
    return _rows_at_once(config, "generate", (candidate,))


def _rows_at_once(config: RunConfig, step: StepName, models: Sequence[ModelConfig]) -> int:
    """Rows that one worker handles at once: twice the calls that it may have in flight.

    So that a row is ready to ask while another's answer is made durable and handed on.
    """
    calls = sum({budget_of(model): model.limits.concurrency for model in models}.values())
    workers: int = getattr(config.execution.workers, step)
    return max(2, min(config.execution.in_flight, -(-2 * calls // workers)))


def _asked(config: RunConfig, step: StepName) -> tuple[ModelConfig, ...]:
    """The models that a step of one run asks."""
    match step:
        case "generate":
            return (*config.candidates, *_named(config.transcriber))
        case "verify":
            return _named(config.extractor or config.judge)
        case "correctness":
            return () if config.correctness == "none" else _named(config.grader)
        case "judge":
            return _named(config.judge)


def distinct(models: Iterable[ModelConfig]) -> tuple[ModelConfig, ...]:
    """The models, each once."""
    found: list[ModelConfig] = []
    for model in models:
        if model not in found:
            found.append(model)
    return tuple(found)


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
async def _open_step(crew: Crew, step: StepName, seat: Seat) -> AsyncIterator[Work]:
    """One worker of a step: a row goes by its run, and past a step that its run does not have."""
    asker = await _ask(crew, seat, step)
    with ExitStack() as stack:
        works: dict[str, Work] = {}
        sandboxes: dict[Rules, Sandbox] = {}
        for run, config in crew.runs.items():
            ask, roles = asker.of_run(run), roles_of(config)
            if step != "generate":
                rule_set(
                    config.rules
                )  # Imported before there is a row, and threads that read rows.
            match step:
                case "generate":
                    works[run] = _generating(ask, roles)
                case "verify":
                    if roles.rules not in sandboxes:
                        sandboxes[roles.rules] = stack.enter_context(open_sandbox(config))
                    works[run] = _verifying(ask, roles, sandboxes[roles.rules])
                case "correctness" if _asked(config, step):
                    works[run] = _grading(ask, roles)
                case "judge":
                    works[run] = _judging(ask, roles, seat.tally.of(run))

        async def work(trial: Trial) -> Trial:
            own = works.get(trial.run)
            return trial if own is None else await own(trial)

        yield work


def _generating(ask: Ask, roles: Roles) -> Work:
    async def work(trial: Trial) -> Trial:
        return await rows.generate(trial, ask, roles)

    return work


def _verifying(ask: Ask, roles: Roles, sandbox: Sandbox) -> Work:
    async def work(trial: Trial) -> Trial:
        verified = await rows.verify(trial, ask, sandbox.check, roles)
        return await rows.grade_by_script(verified, sandbox.check, roles)

    return work


def _grading(ask: Ask, roles: Roles) -> Work:
    async def work(trial: Trial) -> Trial:
        return await rows.grade(trial, ask, roles)

    return work


def _judging(ask: Ask, roles: Roles, tally: RunTally) -> Work:
    async def work(trial: Trial) -> Trial:
        judged = slim(await rows.judge(trial, ask, roles))
        count_outcome(judged, tally)
        return judged

    return work


@contextmanager
def open_sandbox(config: RunConfig) -> Iterator[Sandbox]:
    """A sandbox with the run's rules, and its bounds for each check."""
    with Sandbox(
        time_s=config.execution.check_time_s,
        memory_mb=config.execution.check_memory_mb,
        catalogue=CATALOGUES[config.rules],
    ) as sandbox:
        yield sandbox


def count_outcome(trial: Trial, tally: RunTally) -> None:
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


async def _ask(crew: Crew, seat: Seat, step: StepName) -> Asker:
    # In one process all steps use one asker.
    every = distinct(model for config in crew.runs.values() for model in config.models)
    models = every if seat.find_limiter is None else crew.asked(step)

    def opener() -> AbstractAsyncContextManager[Asker]:
        return _open_ask(crew, models, seat)

    return await seat.commons.get("ask", opener)


@asynccontextmanager
async def _open_ask(
    crew: Crew, models: tuple[ModelConfig, ...], seat: Seat
) -> AsyncIterator[Asker]:
    find = seat.find_limiter
    store = open_store(crew.any.store.uri)
    try:
        async with open_asker(
            models,
            store.journal,
            view_loader(),
            keeper=None if find is None or not models else find(build_budgets),
            run=seat.run,
            cap_usd=_left_usd(crew, seat),
            tally=seat.tally,
            stopping=seat.stopping,
            find_servers=None if seat.servers is None else seat.servers.addresses,
        ) as ask:
            yield ask
    finally:
        store.close()


def _left_usd(crew: Crew, seat: Seat) -> float | None:
    """The cap, less what groups of rows before this one have cost.

    In this process the tally knows; on a cluster the seat does, as tallies are sent away.
    """
    if crew.cap_usd is None:
        return None
    is_here = seat.find_limiter is None
    spent = spent_usd(seat.tally.snapshot()) if is_here else seat.spent_usd
    return max(0.0, crew.cap_usd - spent)


def _named(model: ModelConfig | None) -> tuple[ModelConfig, ...]:
    return () if model is None else (model,)
