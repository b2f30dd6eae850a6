"""Runs that are ready to begin: configured, checked, surveyed, and nothing spent yet.

points ─► drafts (checks, data, identity; equal runs are one) ─► survey (stored, owed)
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from types import MappingProxyType

from ifbench.benchmarks import get_benchmark
from ifbench.benchmarks.datasets import Dataset, open_dataset
from ifbench.config import Benchmark, Point, RunConfig, identity, resolved
from ifbench.constraints.rule_sets import rule_set
from ifbench.engines.build import check_options
from ifbench.errors import ConfigError, IfbenchError, PrerequisiteError
from ifbench.keys import KeySet
from ifbench.media.places import needs_decoder
from ifbench.prompts import all_template_hashes
from ifbench.stages.plan import plan
from ifbench.store import Manifest, Store, open_store, run_id, trials_with_failed_calls
from ifbench.store.location import session_address
from ifbench.survey import Survey, survey
from ifbench.told import told
from ifbench.types import ModelConfig, Purpose, Rules, Trial

EXTRAS: Mapping[str, tuple[str, ...]] = MappingProxyType({"chemistry": ("rdkit", "selfies")})
"""The modules behind the extras that checks need."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run that is ready to begin: checked, and nothing spent yet."""

    config: RunConfig
    dataset: Dataset
    store: Store
    manifest: Manifest
    survey: Survey
    points: tuple[str, ...] = ()
    """The points of the sweep that it stands for, in words; none outside of a sweep."""

    @property
    def id(self) -> str:
        return self.manifest.run_id

    @property
    def planned(self) -> int:
        return self.survey.trials

    @property
    def title(self) -> str:
        """What tells it from the other runs of the command."""
        return self.points[0] if self.points else f"run {self.id}"

    @property
    def twins(self) -> tuple[str, ...]:
        """What is to be said of the further points that come to this run."""
        words = "is this run, too: what is swept there changes no result"
        return tuple(f"`{point}` {words}" for point in self.points[1:])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """A run before its survey."""

    config: RunConfig
    dataset: Dataset
    manifest: Manifest
    points: tuple[str, ...] = ()

    @property
    def run(self) -> str:
        return self.manifest.run_id


FEW_TRIALS = 5000
"""Trials whose stored answers are all read before a run: that takes a few seconds."""
_MOST_DOUBTED = 1024
"""Trials that owed calls as a run last ended, and are looked at first."""


def ready(points: Sequence[Point], *, exact: bool = False) -> tuple[Run, ...]:
    """Load and check everything that can be wrong in any run before anything is spent.

    What is stored is counted to the last call where it is to be `exact`, as in a plan, which also
    leaves the store as it is; or where trials are few. All runs have one store. Points that come to the same run are one. Raises `ConfigError`,
    `DatasetError`, `StoreError` or `PrerequisiteError`, which in a sweep name the point.
    """
    for point in points:
        with of_point(point.name):
            check_options(point.config.models)
            check_rules(point.config)
            graded(point.config)
    uri = points[0].config.store.uri
    store = Store(uri) if exact else open_store(uri)
    drafts = _drafts(points, store)
    address = session_address(store.root, secrets.token_hex(4))
    exact = exact or sum(map(_count, drafts)) <= FEW_TRIALS
    earlier = KeySet() if len(drafts) > 1 else None

    def look(draft: _Draft, rows: Callable[[], Iterator[Trial]]) -> Survey:
        doubted = () if exact else trials_with_failed_calls(store.root, draft.run, _MOST_DOUBTED)
        return survey(
            draft.config, rows, store.journal, exact=exact, earlier=earlier, doubted=doubted
        )

    return tuple(_surveyed(draft, store, address, look) for draft in drafts)


def _count(draft: _Draft) -> int:
    return draft.dataset.count * len(draft.config.candidates) * draft.config.attempts


def _drafts(points: Sequence[Point], store: Store) -> list[_Draft]:
    """A draft for each run, in the order of the points."""
    found: dict[str, _Draft] = {}
    datasets: list[tuple[Benchmark, Dataset]] = []
    for point in points:
        with of_point(point.name):
            draft = _draft(point, store, datasets)
        names = (point.name,) if point.name else ()
        before = found.get(draft.run, draft)
        found[draft.run] = replace(before, points=(*before.points, *names))
    return list(found.values())


def _draft(point: Point, store: Store, datasets: list[tuple[Benchmark, Dataset]]) -> _Draft:
    config = _kept_at(graded(point.config), store.root.address)
    dataset = next((data for one, data in datasets if one == config.benchmark), None)
    if dataset is None:
        dataset = open_dataset(config.benchmark)
        datasets.append((config.benchmark, dataset))
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
    return _Draft(config=config, dataset=dataset, manifest=_continued(store, manifest))


def _surveyed(
    draft: _Draft,
    store: Store,
    address: str,
    look: Callable[[_Draft, Callable[[], Iterator[Trial]]], Survey],
) -> Run:
    config, dataset, run = draft.config, draft.dataset, draft.run

    def rows() -> Iterator[Trial]:
        every = trials(config, dataset, run)
        return told(every, "looking up what is stored: trials", _count(draft))

    with of_point(draft.points[0] if draft.points else ""):
        found = look(draft, rows)
        check_decoder(config, dataset, found)
    return Run(
        config=_kept_at(config, address),
        dataset=dataset,
        store=store,
        manifest=draft.manifest,
        survey=found,
        points=draft.points,
    )


def left_usd(runs: Sequence[Run]) -> float | None:
    """What `max_usd` leaves to runs together after all that they have spent; `None` without one."""
    cap = runs[0].config.max_usd
    counts = [run.manifest.counts for run in runs]
    spent = sum(calls.cost_usd for one in counts for calls in (*one.calls, *one.preflight))
    return None if cap is None else max(0.0, cap - spent)


@contextmanager
def of_point(name: str) -> Iterator[None]:
    """Name the point of a sweep in what is raised."""
    try:
        yield
    except IfbenchError as error:
        if not name:
            raise
        raise type(error)(f"point `{name}`: {error}") from error


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
    config: RunConfig,
    dataset: Dataset,
    run: str = "",
    candidates: Sequence[ModelConfig] | None = None,
) -> Iterator[Trial]:
    """The rows of a run, or of some of its candidates, afresh each time it is called."""
    for item in plan(dataset.samples(), candidates or config.candidates, config.attempts):
        yield Trial(item=item, run=run)


def _continued(store: Store, manifest: Manifest) -> Manifest:
    """The manifest with what earlier invocations of the same run left in it."""
    if manifest.run_id not in store.run_ids():
        return manifest
    before = store.load_manifest(manifest.run_id)  # One of a newer version is never written over.
    return replace(manifest, counts=before.counts, invocations=before.invocations)
