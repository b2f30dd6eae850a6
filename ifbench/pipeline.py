"""The whole flow of an evaluation on one screen.

ready: load ─► survey (what is stored, what is owed)
evaluate: preflight ─► generate ─► verify ─► judge and score ─► results, manifest
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from importlib.util import find_spec
from itertools import chain
from types import MappingProxyType
from typing import Protocol, TypeAlias

from ifbench.accounting import Book, calls_of, spent
from ifbench.benchmarks import get_benchmark
from ifbench.benchmarks.datasets import Dataset, open_dataset
from ifbench.config import RunConfig, identity, resolved
from ifbench.constraints.rule_sets import rule_set
from ifbench.engines.build import check_options, open_engines
from ifbench.engines.preflight import preflight
from ifbench.errors import ConfigError, IfbenchError, PrerequisiteError, StoreError
from ifbench.execution.model_servers import Finder
from ifbench.execution.step import Executor, Lane, Step
from ifbench.media.places import needs_decoder
from ifbench.prompts import all_template_hashes
from ifbench.serving import Serving, open_serving
from ifbench.stages.plan import plan
from ifbench.store import Manifest, Store, open_store, run_id
from ifbench.store.location import session_address
from ifbench.store.manifest import Calls, current_environment, finished, started
from ifbench.survey import Survey, asking_first, survey
from ifbench.tally import Counts, Tally
from ifbench.told import told
from ifbench.types import ModelConfig, Purpose, Rules, Trial, Verdict
from ifbench.workers import evaluation_steps, lane_width, roles_of, view_loader

EXTRAS: Mapping[str, tuple[str, ...]] = MappingProxyType({"chemistry": ("rdkit", "selfies")})
"""The modules behind the extras that checks need."""


FEW_TRIALS = 5000
"""Trials whose stored answers are all read before a run: that takes a few seconds."""


class RunningExecutor(Executor, Protocol):
    """An executor that also tells how far it is."""

    servers: Finder | None
    """Where workers find the servers of the run's own models."""

    def counts(self) -> Counts: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run that is ready to begin: checked, and nothing spent yet."""

    config: RunConfig
    dataset: Dataset
    store: Store
    manifest: Manifest
    survey: Survey

    @property
    def id(self) -> str:
        return self.manifest.run_id

    @property
    def planned(self) -> int:
        return self.survey.trials


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What a run left."""

    manifest: Manifest
    failed_item: Verdict | None
    """One failed constraint, to show what a verdict says."""
    closed: Mapping[str, str] = field(default_factory=dict)
    """Models that were asked no more, and why."""
    unreadable: str | None = None
    """The first sample whose picture or video cannot be shown, and why."""
    undecided_items: Mapping[str, Verdict] = field(default_factory=dict)
    """For each cause one item that it left undecided, to show why."""

    @property
    def owed(self) -> int:
        return self.manifest.counts.planned - self.manifest.counts.complete

    @property
    def ending(self) -> str:
        return self.manifest.invocations[-1].ending


Watch: TypeAlias = Callable[
    [Run, RunningExecutor, tuple[Step, ...]], AbstractContextManager[object]
]
"""Shows progress and listens for signals while a run goes on."""


def ready(config: RunConfig, *, exact: bool = False) -> Run:
    """Load and check everything that can be wrong before anything is spent.

    What is stored is counted to the last call where it is to be `exact`, as in a plan, or where
    trials are few. Raises `ConfigError`, `DatasetError`, `StoreError` or `PrerequisiteError`.
    """
    check_options(config.models)
    check_rules(config)
    config = graded(config)
    store = open_store(config.store.uri)
    config = _kept_at(config, store.root.address)
    dataset = open_dataset(config.benchmark)
    check_extras(dataset.constraints, config.rules)
    what = identity(config)
    # The data are what they say, wherever they lie.
    what = {**what, "benchmark": {**what["benchmark"], "data": dataset.sha256}}
    manifest = Manifest(
        run_id=run_id(what),
        identity=what,
        config=resolved(config),
        dataset_sha256=dataset.sha256,
        templates=all_template_hashes(),
        seeds={"run": config.seed},
    )

    def rows() -> Iterator[Trial]:
        return told(trials(config, dataset), "looking up what is stored: trials")

    planned = dataset.count * len(config.candidates) * config.attempts
    found = survey(config, rows, store.journal, exact=exact or planned <= FEW_TRIALS)
    check_decoder(config, dataset, found)
    return Run(
        config=_kept_at(config, session_address(store.root, secrets.token_hex(4))),
        dataset=dataset,
        store=store,
        manifest=_continued(store, manifest),
        survey=found,
    )


def _kept_at(config: RunConfig, address: str) -> RunConfig:
    return replace(config, store=replace(config.store, uri=address))


def check_rules(config: RunConfig) -> None:
    """Raise `ConfigError` when the benchmark's items cannot be decided by the rule set."""
    known = get_benchmark(config.benchmark.name).rules
    if config.rules not in known:
        raise ConfigError(
            f"rules: benchmark {config.benchmark.name} has no rule set `{config.rules}`; "
            f"known: {', '.join(known)}"
        )


def graded(config: RunConfig) -> RunConfig:
    """The configuration, without correctness where the benchmark does not ask for it.

    Raises `ConfigError` when a grader is named that would have nothing to decide.
    """
    benchmark = get_benchmark(config.benchmark.name)
    if benchmark.is_graded:
        return config
    if config.grader is not None:
        raise ConfigError(
            f"grader: {benchmark.title} asks whether instructions are followed, and not whether "
            f"answers are right; leave `grader` out, got `{config.grader.name}`"
        )
    return replace(config, correctness="none")


def check_extras(constraint_ids: Iterable[str], rules: Rules = "paper") -> None:
    """Raise `PrerequisiteError` when a check needs a package that is not installed."""
    known = rule_set(rules)
    for name in sorted(set(constraint_ids) & known.keys()):
        for module in EXTRAS.get(known[name].extra, ()):
            if find_spec(module) is None:
                raise PrerequisiteError(
                    f'{name} needs {module}: pip install "ifbench[{known[name].extra}]"'
                )


def check_decoder(config: RunConfig, dataset: Dataset, found: Survey) -> None:
    """Raise `PrerequisiteError` when a candidate is to be shown what nothing here can decode."""
    asked = {one.model for one in found.calls if one.purpose is Purpose.CANDIDATE and one.missing}
    for model in config.candidates:
        shows = model.name in asked and needs_decoder(dataset.media, model.media)
        if shows and find_spec("av") is None:
            raise PrerequisiteError(
                f"{model.name} is to be shown video or sound, which needs PyAV: "
                'pip install "ifbench[video]"'
            )


def trials(
    config: RunConfig, dataset: Dataset, candidates: Sequence[ModelConfig] | None = None
) -> Iterator[Trial]:
    """The rows of a run, or of some of its candidates, afresh each time it is called."""
    for item in plan(dataset.samples(), candidates or config.candidates, config.attempts):
        yield Trial(item=item)


def lanes(run: Run, group: Collection[str]) -> tuple[Lane, ...]:
    """The rows of some candidates, a lane for each, so that none waits for a slower one.

    What is owed comes first in each. In the plan candidates take turns, so each has the calls of
    every so many-th trial.
    """
    config, dataset, every = run.config, run.dataset, len(run.config.candidates)
    return tuple(
        Lane(
            name=candidate.name,
            rows=asking_first(
                partial(trials, config, dataset, (candidate,)), run.survey.asking[at::every]
            ),
            in_flight=lane_width(config, candidate),
        )
        for at, candidate in enumerate(config.candidates)
        if candidate.name in group
    )


def evaluate(
    run: Run,
    executor: RunningExecutor,
    watch: Watch,
    is_interrupted: Callable[[], bool] = lambda: False,
) -> Evaluation:
    """Carry a run out and leave its results. What is stored is not asked again.

    Raises `PrerequisiteError` when an endpoint that will be asked does not work, and
    `StoreError` when answers can no longer be made durable.
    """
    with open_serving(run.config, run.survey.owing, run.planned) as serving:
        executor.servers = serving.finder
        return _evaluate(run, executor, watch, serving, is_interrupted)


def _evaluate(
    run: Run,
    executor: RunningExecutor,
    watch: Watch,
    serving: Serving,
    is_interrupted: Callable[[], bool],
) -> Evaluation:
    config, models = run.config, run.config.models
    manifest = started(run.manifest, datetime.now(UTC), current_environment())
    probed = calls_of(check_endpoints(run, serving), models)
    run.store.save_manifest(manifest)
    steps = evaluation_steps(replace(config, max_usd=left_usd(run, probed)))
    book = Book(graders=roles_of(config).graders)
    try:
        with run.store.results(run.id, run.dataset.sha256) as results:
            with watch(run, executor, steps):
                for trial in chain.from_iterable(
                    executor.run(lanes(run, group), steps) for group in serving.groups
                ):
                    book.enter(trial, results)
                    serving.finished(trial)
            if book.planned < run.planned:
                book.enter_missing(trials(config, run.dataset), results)
            results.commit()
    except IfbenchError:
        _note_failure(run.store, manifest, calls_of(executor.counts(), models), probed)
        raise
    calls = calls_of(executor.counts(), models)
    manifest = finished(
        manifest,
        datetime.now(UTC),
        book.ending(interrupted=is_interrupted(), allowed=config.max_owed),
        book.counts(manifest.counts, calls, probed),
        calls=calls,
        preflight=probed,
    )
    run.store.save_manifest(manifest)
    run.store.tidy()
    closed = {name[1]: name[2] for name in executor.counts() if name[0] == "closed"}
    return Evaluation(
        manifest=manifest,
        failed_item=book.failed_item,
        closed=closed,
        unreadable=book.unreadable,
        undecided_items=book.undecided_items,
    )


def check_endpoints(run: Run, serving: Serving) -> Counts:
    """One tiny call to each endpoint that will be asked, counted apart.

    Servers of ours have to be up for it; those that wait for GPUs of others are left out. Raises
    `PrerequisiteError` with every problem and how to mend it; nothing else is spent.
    """
    tally = Tally()
    asked = run.survey.owing - serving.later
    models = [model for model in run.config.models if model.name in asked]
    find = None if serving.finder is None else serving.finder.addresses

    async def probe() -> list[str]:
        async with open_engines(models, view_loader(), find_servers=find) as engines:
            return [str(problem) for problem in await preflight(models, engines, tally=tally)]

    problems = asyncio.run(probe()) if models else []
    if problems:
        raise PrerequisiteError("\n".join(["nothing was asked:", *problems]))
    return tally.snapshot()


def left_usd(run: Run, probed: tuple[Calls, ...]) -> float | None:
    """What a run may still spend; `None` where it has no cap."""
    cap, before = run.config.max_usd, run.manifest.counts
    spent_usd = sum(calls.cost_usd for calls in (*before.calls, *before.preflight, *probed))
    return None if cap is None else max(0.0, cap - spent_usd)


def _note_failure(
    store: Store, manifest: Manifest, calls: tuple[Calls, ...], probed: tuple[Calls, ...]
) -> None:
    """Keep what was spent, if the store takes that much."""
    counts = spent(manifest.counts, calls, probed)
    with suppress(StoreError):
        store.save_manifest(
            finished(manifest, datetime.now(UTC), "failed", counts, calls=calls, preflight=probed)
        )


def _continued(store: Store, manifest: Manifest) -> Manifest:
    """The manifest with what earlier invocations of the same run left in it."""
    if manifest.run_id not in store.run_ids():
        return manifest
    before = store.load_manifest(manifest.run_id)  # One of a newer version is never written over.
    return replace(manifest, counts=before.counts, invocations=before.invocations)
