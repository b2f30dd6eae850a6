"""The whole flow of an evaluation on one screen.

ready (`runs.py`): load ─► survey (what is stored, what is owed)
evaluate: preflight ─► generate ─► verify ─► judge and score ─► results, manifest

A sweep is several runs in one flow: one set of workers, one budget for each endpoint, one purse.
A run alone is a sweep of one. Each run keeps its own results, books and manifest.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import chain, groupby
from typing import Protocol, TypeAlias

from ifbench.accounting import Book, calls_of, spent
from ifbench.engines.build import open_engines
from ifbench.engines.estimates import most_usd
from ifbench.engines.preflight import Endpoint, endpoint_of, preflight, tiny_prompt
from ifbench.errors import IfbenchError, PrerequisiteError, StoreError
from ifbench.execution.model_servers import Finder
from ifbench.execution.step import Executor, Lane, Step
from ifbench.runs import Run, left_usd, trials
from ifbench.serving import LaneId, Serving, Wanted, lane_of, open_serving
from ifbench.store import Manifest, ResultsWriter, iter_scores
from ifbench.store.manifest import Calls, current_environment, finished, started
from ifbench.survey import asking_first
from ifbench.tally import Counts, Tally, of_run
from ifbench.types import ModelConfig, Trial, Verdict
from ifbench.workers import evaluation_steps, lane_width, roles_of, view_loader


class RunningExecutor(Executor, Protocol):
    """An executor that also tells how far it is."""

    servers: Finder | None
    """Where workers find the servers of the runs' own models."""

    def counts(self) -> Counts: ...


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
    keeps_earlier: bool = False
    """Whether the results are those of an earlier invocation: this one was stopped before."""

    @property
    def owed(self) -> int:
        return self.manifest.counts.planned - self.manifest.counts.complete

    @property
    def ending(self) -> str:
        return self.manifest.invocations[-1].ending


Watch: TypeAlias = Callable[
    [Sequence[Run], RunningExecutor, tuple[Step, ...]], AbstractContextManager[object]
]
"""Shows progress and listens for signals while runs go on."""


def evaluate(
    runs: Sequence[Run],
    executor: RunningExecutor,
    watch: Watch,
    is_interrupted: Callable[[], bool] = lambda: False,
) -> tuple[Evaluation, ...]:
    """Carry runs out together and leave their results. What is stored is not asked again.

    Raises `PrerequisiteError` when an endpoint that will be asked does not work, and
    `StoreError` when answers can no longer be made durable.
    """
    wanted = [Wanted(config=run.config, owing=run.survey.owing, trials=run.planned) for run in runs]
    with open_serving(wanted) as serving:
        executor.servers = serving.finder
        return _evaluate(runs, executor, watch, serving, is_interrupted)


def _evaluate(
    runs: Sequence[Run],
    executor: RunningExecutor,
    watch: Watch,
    serving: Serving,
    is_interrupted: Callable[[], bool],
) -> tuple[Evaluation, ...]:
    began, here = datetime.now(UTC), current_environment()
    manifests = [started(run.manifest, began, here) for run in runs]
    probed, left = check_endpoints(runs, serving), left_usd(runs)
    if left is not None:
        left = max(0.0, left - sum(one.cost_usd for calls in probed.values() for one in calls))
    for manifest in manifests:
        runs[0].store.save_manifest(manifest)
    steps = evaluation_steps({run.id: run.config for run in runs}, left)
    with _ledgers(runs, manifests, probed) as ledgers:
        try:
            with watch(runs, executor, steps):
                for trial in chain.from_iterable(
                    executor.run(lanes(runs, group), steps) for group in serving.groups
                ):
                    ledgers[trial.run].enter(trial)
                    serving.finished(trial)
            stopped = is_interrupted()
            keeping = {name: one.publish(interrupted=stopped) for name, one in ledgers.items()}
        except IfbenchError:
            for ledger in ledgers.values():
                ledger.note_failure(executor.counts())
            raise
    counts = executor.counts()
    evaluations = tuple(
        one.closed(counts, interrupted=stopped, keeps_earlier=keeping[name])
        for name, one in ledgers.items()
    )
    runs[0].store.tidy()
    return evaluations


# ── What each run leaves ─────────────────────────────────────────────────────────────


@contextmanager
def _ledgers(
    runs: Sequence[Run], manifests: Sequence[Manifest], probed: Mapping[str, tuple[Calls, ...]]
) -> Iterator[Mapping[str, _Ledger]]:
    """A ledger for each run, by its id; what they have not published is dropped on leaving."""
    with ExitStack() as stack:
        yield {
            run.id: _Ledger(
                run=run,
                manifest=manifest,
                probed=probed[run.id],
                book=Book(graders=roles_of(run.config).graders),
                results=stack.enter_context(run.store.results(run.id, run.dataset.sha256)),
            )
            for run, manifest in zip(runs, manifests, strict=True)
        }


@dataclass(frozen=True, kw_only=True)
class _Ledger:
    """What one run is about to leave: its results, its books and its manifest."""

    run: Run
    manifest: Manifest
    probed: tuple[Calls, ...]
    book: Book
    results: ResultsWriter

    def enter(self, trial: Trial) -> None:
        self.book.enter(trial, self.results)

    def publish(self, *, interrupted: bool) -> bool:
        """Enter what has not come out, and make the results readable.

        True where what an earlier invocation left stays: it holds more than this one, stopped.
        """
        run = self.run
        if interrupted and self._holds_less():
            return True
        if self.book.planned < run.planned:
            self.book.enter_missing(trials(run.config, run.dataset, run.id), self.results)
        self.results.commit()
        return False

    def _holds_less(self) -> bool:
        earlier = self.manifest.counts
        if self.book.complete >= earlier.complete:
            return False
        tables = iter_scores(self.run.store.root, self.run.id)
        return next(iter(tables), None) is not None  # Else somebody has deleted them.

    def closed(self, tallied: Counts, *, interrupted: bool, keeps_earlier: bool) -> Evaluation:
        """End the manifest and save it."""
        config, book, own = self.run.config, self.book, of_run(tallied, self.run.id)
        calls, earlier = calls_of(own, config.models), self.manifest.counts
        manifest = finished(
            self.manifest,
            datetime.now(UTC),
            book.ending(interrupted=interrupted, allowed=config.max_owed),
            spent(earlier, calls, self.probed)
            if keeps_earlier
            else book.counts(earlier, calls, self.probed),
            calls=calls,
            preflight=self.probed,
        )
        self.run.store.save_manifest(manifest)
        return Evaluation(
            manifest=manifest,
            failed_item=book.failed_item,
            closed={name[1]: name[2] for name in own if name[0] == "closed"},
            unreadable=book.unreadable,
            undecided_items=book.undecided_items,
            keeps_earlier=keeps_earlier,
        )

    def note_failure(self, tallied: Counts) -> None:
        """Keep what was spent, if the store takes that much."""
        calls = calls_of(of_run(tallied, self.run.id), self.run.config.models)
        counts, now = spent(self.manifest.counts, calls, self.probed), datetime.now(UTC)
        with suppress(StoreError):
            self.run.store.save_manifest(
                finished(self.manifest, now, "failed", counts, calls=calls, preflight=self.probed)
            )


# ── Rows ─────────────────────────────────────────────────────────────────────────────


def lanes(runs: Sequence[Run], group: Collection[LaneId]) -> tuple[Lane, ...]:
    """The rows of some candidates, a lane for each, so that none waits for a slower one."""
    found: dict[LaneId, list[tuple[Run, int]]] = {}
    for run in runs:
        for at, candidate in enumerate(run.config.candidates):
            if lane_of(candidate) in group:
                found.setdefault(lane_of(candidate), []).append((run, at))
    return tuple(
        Lane(
            name=name,
            rows=in_turns([_rows(run, at) for run, at in pairs]),
            in_flight=sum(lane_width(run.config, run.config.candidates[at]) for run, at in pairs),
        )
        for (name, _), pairs in found.items()
    )


def _rows(run: Run, at: int) -> Iterator[Trial]:
    """The rows of a run's so many-th candidate, those first for which something is owed.

    In the plan candidates take turns, so each has the calls of every so many-th trial.
    """
    config, every = run.config, len(run.config.candidates)
    rows = partial(trials, config, run.dataset, run.id, (config.candidates[at],))
    at_hand = {
        place // every: trial for place, trial in run.survey.at_hand.items() if place % every == at
    }
    return asking_first(rows, run.survey.asking[at::every], at_hand)


def in_turns(sources: Sequence[Iterator[Trial]]) -> Iterator[Trial]:
    """The rows of one sample of each source, then those of its next: runs that share prompts ask
    them at the same time, of one worker, and none waits for another to end.
    """
    waiting = [groupby(rows, key=lambda row: row.item.sample.id) for rows in sources]
    while waiting:
        left = []
        for samples in waiting:
            if (found := next(samples, None)) is not None:
                yield from found[1]
                left.append(samples)
        waiting = left


# ── Before the first paid call ───────────────────────────────────────────────────────


def check_endpoints(runs: Sequence[Run], serving: Serving) -> Mapping[str, tuple[Calls, ...]]:
    """One tiny call to each endpoint that will be asked, counted apart, for the first run that
    will ask it.

    Servers of ours have to be up for it; those that wait for GPUs of others are left out. Where
    `max_usd` does not leave as much as these calls may cost, nobody is called. Raises
    `PrerequisiteError` with every problem and how to mend it; nothing else is spent.
    """
    asked: dict[str, list[ModelConfig]] = {}
    known: set[Endpoint] = set()
    for run in runs:
        owing = (model for model in run.config.models if model.name in run.survey.owing)
        own = [m for m in owing if endpoint_of(m) not in known and not serving.is_later(m)]
        known.update(map(endpoint_of, own))
        asked[run.id] = own
    left, tiny = left_usd(runs), [tiny_prompt(one) for own in asked.values() for one in own]
    if not known or (left is not None and sum(map(most_usd, tiny)) > left):
        return dict.fromkeys(asked, ())
    find = None if serving.finder is None else serving.finder.addresses

    async def probe() -> tuple[dict[str, Counts], list[str]]:
        models = [model for one in asked.values() for model in one]
        tallies = {run: Tally() for run in asked}
        async with open_engines(models, view_loader(), find_servers=find) as engines:
            found = await asyncio.gather(
                *(preflight(own, engines, tally=tallies[run]) for run, own in asked.items() if own)
            )
        problems = [str(problem) for one in found for problem in one]
        return {run: tally.snapshot() for run, tally in tallies.items()}, problems

    counts, problems = asyncio.run(probe())
    if problems:
        raise PrerequisiteError("\n".join(["nothing was asked:", *problems]))
    return {run.id: calls_of(counts[run.id], run.config.models) for run in runs}
