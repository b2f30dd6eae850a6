"""`ifbench report`: the tables of stored runs, in any form; two of them side by side."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from ifbench.analysis.pairing import pair_up
from ifbench.benchmarks import get_benchmark
from ifbench.benchmarks.binding import unknown_name
from ifbench.cli import EXIT_OK
from ifbench.errors import StoreError
from ifbench.report.cells import file_word
from ifbench.report.contrast import OTHER_TABLES as CONTRASTS
from ifbench.report.contrast import contrast_tables
from ifbench.report.identities import differences, named, sides, without
from ifbench.report.overview import RunScores, overview_table
from ifbench.report.status import run_status
from ifbench.report.summary import OTHER_TABLES, summary_tables
from ifbench.report.tables import Table, render
from ifbench.schemas import scores_for_tables, tables_to_scores
from ifbench.score_table import counted
from ifbench.stages.score import MODEL_FACETS
from ifbench.store import Manifest, Store, iter_scores
from ifbench.store.manifest import name_in
from ifbench.store.progress import has_died, load_progress
from ifbench.types import Score


def run(options: argparse.Namespace) -> int:
    """Show tables from what is stored; nothing is asked or changed."""
    store = Store(options.store)
    runs: list[Manifest] = []
    if options.list:
        tables = [runs_table(store)]
    elif options.against:
        runs = _two_runs(store, options.runs, options.against)
        views = _views(options, CONTRASTS) or ()
        tables = _contrast(store, runs[0], runs[1], views, with_paper=options.paper)
    else:
        chosen_runs = find_runs(store, options.runs or [None])
        runs = list({run.run_id: run for run in chosen_runs}.values())
        chosen = _views(options, (*OTHER_TABLES, "overview"))
        tables = _summary(store, runs, chosen, with_paper=options.paper)
    _write(_chosen(tables, options.only), options.format, options.output, about(runs))
    return EXIT_OK


def _views(options: argparse.Namespace, others: Sequence[str]) -> list[str] | None:
    """The breakdowns to make: those of `--by`, or what of `--only` is one; `None` for the usual."""
    if options.by is not None or not options.only:
        views: list[str] | None = options.by
        return views
    return [name for name in options.only if name not in others]


def _summary(
    store: Store, runs: Sequence[Manifest], facets: Sequence[str] | None, *, with_paper: bool
) -> list[Table]:
    """One run, or several of different candidates as one; else several at a glance."""
    found = {run.run_id: scores_of(store, run.run_id) for run in runs}
    if apart := _why_apart(runs, list(found.values())):
        return [_overview(runs, found, facets, apart)]
    scores, *others = found.values()
    if others:
        scores = [score for one in found.values() for score in one]
    benchmark = get_benchmark(scores[0].benchmark)
    named_views = [one.view for one in (*benchmark.breakdowns, *benchmark.further)]
    known = {
        *benchmark.constraint_views,
        *MODEL_FACETS,
        *(facet for score in scores for facet in score.facets),
    }
    views = [view for view in facets or () if view not in named_views]
    _refuse_unknown(views, sorted({*known, *named_views}), OTHER_TABLES)
    notes = _notes(runs)
    return [
        replace(table, notes=(*table.notes, *notes))
        for table in summary_tables(benchmark, scores, facets, with_paper=with_paper)
    ]


def _why_apart(runs: Sequence[Manifest], scores: Sequence[Sequence[Score]]) -> str:
    """Why runs have no table in common; empty of runs of different models alike in all else.

    What leaves figures that may stand side by side (how many samples, who grades) is no reason:
    see `_notes`.
    """
    names = [
        name for own in scores for name in {score.candidate for score, _ in counted(own, "who")}
    ]
    benchmarks = {score.benchmark for own in scores for score, _ in counted(own, "who")}
    if len(benchmarks) > 1:
        return f"they are of the benchmarks {' and '.join(sorted(benchmarks))}"
    unlike = differences([without(one, *_BY_MODEL, *_NOTED) for one in named(runs)])
    if len(set(unlike)) > 1:
        return f"they are decided by different hands, or of different data ({'; '.join(unlike)})"
    twice = sorted({name for name in names if names.count(name) > 1})
    return f"they have the model {', '.join(twice)} in common" if twice else ""


_BY_MODEL = ("candidates",)
"""What may differ in one table: its rows say it."""
_NOTED = (
    "attempts", "benchmark.limit", "benchmark.ids", "benchmark.where", "seed", "grader",
    "correctness", "transcriber",
)  # fmt: skip
"""What may differ in one table, with a note."""


def _notes(runs: Sequence[Manifest]) -> tuple[str, ...]:
    """What tells runs of one table apart, beyond their models."""
    words = differences([without(one, *_BY_MODEL) for one in named(runs)])
    return tuple(
        f"run {run.run_id} ({', '.join(run.candidates)}): {one}."
        for run, one in zip(runs, words, strict=True)
        if one
    )


def _overview(
    runs: Sequence[Manifest],
    found: Mapping[str, Sequence[Score]],
    facets: Sequence[str] | None,
    apart: str,
) -> Table:
    if facets:
        raise StoreError(
            f"these runs have no table in common: {apart}; together they have an overview alone, "
            f"and no breakdown by {', '.join(facets)}; two of them side by side: "
            "ifbench report RUN --against RUN"
        )
    titles = differences(named(runs))
    table = overview_table(
        [
            RunScores(
                run_id=run.run_id,
                title=title,
                benchmark=get_benchmark(found[run.run_id][0].benchmark),
                scores=found[run.run_id],
            )
            for run, title in zip(runs, titles, strict=True)
        ]
    )
    return replace(table, notes=(*table.notes, f"an overview alone: {apart}."))


def _refuse_unknown(views: Sequence[str], known: Sequence[str], tables: Sequence[str] = ()) -> None:
    """Raise `StoreError` at a name that is neither a facet nor, for `--only`, a table."""
    for name in (name for view in views for name in view.split("+")):
        if name in tables:
            raise StoreError(f"`{name}` is a table and no facet: ifbench report --only {name}")
        if name not in known:
            kind = "table or facet" if tables else "facet"
            others = f"tables (--only): {', '.join(tables)}; " if tables else ""
            raise StoreError(
                f"{unknown_name(kind, name, [*tables, *known])}; {others}"
                f"facets (--by or --only): {', '.join(known)}"
            )


def _two_runs(store: Store, names: Sequence[str], against: str) -> list[Manifest]:
    if len(names) > 1:
        raise StoreError("--against compares one run with one other")
    first, second = find_runs(store, [names[0] if names else None, against])
    if first.run_id == second.run_id:
        raise StoreError(f"run {first.run_id} cannot be compared with itself")
    return [first, second]


def _refuse_other_benchmark(first: Manifest, second: Manifest) -> None:
    names = [name_in(run.config.get("benchmark")) for run in (first, second)]
    if names[0] != names[1]:
        raise StoreError(
            f"runs {first.run_id} and {second.run_id} cannot be compared: they are of the "
            f"benchmarks {names[0]} and {names[1]}, which have no sample in common; "
            f"an overview: ifbench report {first.run_id} {second.run_id}"
        )


def _of_variants(first: Manifest, second: Manifest) -> str:
    """Why two runs share no sample, where it is their variants; their own tables compare those."""
    names = [name_in(run.config["benchmark"].get("variant")) for run in (first, second)]
    if names[0] == names[1]:
        return ""
    return f": they are of the variants {names[0]} and {names[1]}, whose samples have other ids"


def _contrast(
    store: Store, first: Manifest, second: Manifest, views: Sequence[str], *, with_paper: bool
) -> list[Table]:
    """Two runs over the same samples: two judges, two rule sets, two candidates."""
    scores = scores_of(store, first.run_id), scores_of(store, second.run_id)
    _refuse_other_benchmark(first, second)
    pairing = pair_up(*scores)
    pairs = pairing.shared
    if not pairs:
        raise StoreError(
            f"runs {first.run_id} and {second.run_id} have no sample of the same candidate in common"
            + _of_variants(first, second)
        )
    known = sorted({facet for pair in pairs for facet in pair[0].facets})
    _refuse_unknown(views, known)
    benchmark = get_benchmark(pairs[0][0].benchmark)
    compared = sides(first, second, tuple({pair[at].candidate for pair in pairs} for at in (0, 1)))
    try:
        return contrast_tables(benchmark, compared, pairing, views, with_paper=with_paper)
    except ValueError as error:
        raise StoreError(
            f"runs {first.run_id} and {second.run_id} cannot be compared: {error}"
        ) from error


def _chosen(tables: Sequence[Table], names: Sequence[str] | None) -> list[Table]:
    known = [table.name for table in tables]
    for name in names or ():
        if file_word(name) not in known:
            raise StoreError(f"{unknown_name('table', name, known)}; here are: {', '.join(known)}")
    wanted = set(map(file_word, names or ()))
    return [table for table in tables if not wanted or table.name in wanted]


def about(runs: Sequence[Manifest]) -> Mapping[str, str]:
    """What an Arrow table rests on, for its schema: a value for each run, in their order."""
    names = {
        "run_ids": [run.run_id for run in runs],
        "dataset_sha256": [run.dataset_sha256 for run in runs],
        "rules": [name_in(run.config.get("rules")) for run in runs],
        "benchmark": [name_in(run.config.get("benchmark")) for run in runs],
        "correctness": [name_in(run.config.get("correctness")) for run in runs],
        **{
            role: [name_in(run.config.get(role)) for run in runs]
            for role in ("judge", "extractor", "grader")
        },
    }
    return {name: " ".join(values) for name, values in names.items()}


def scores_of(store: Store, run_id: str, *, whole: bool = False) -> Sequence[Score]:
    """A run's scores, for tables or (`whole`) for their answers' keys as well.

    Raises `StoreError` where it has none yet.
    """
    read = tables_to_scores if whole else scores_for_tables
    scores = read(iter_scores(store.root, run_id))
    if not scores:
        raise StoreError(
            f"{store.root.uri}: run {run_id} has no results yet; "
            "the same `evaluate` command finishes it"
        )
    return scores


def _write(tables: Sequence[Table], form: str, path: Path | None, about: Mapping[str, str]) -> None:
    if form == "arrow":
        from ifbench.report.arrow import save_arrow

        if path is None:
            raise StoreError("--format arrow writes files: name one with -o, as in -o out.arrow")
        for written in save_arrow(tables, path, about):
            print(f"wrote {written}")
        return
    text = render(tables, form)
    if path is None:
        print(text)
        return
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror}") from error


def find_run(store: Store, name: str | None) -> Manifest:
    """The run whose id starts with `name`, or the latest. Raises `StoreError`."""
    (found,) = find_runs(store, [name])
    return found


def find_runs(store: Store, names: Sequence[str | None]) -> list[Manifest]:
    """A run for each name, as `find_run` has it; the store is looked through once."""
    runs = started_runs(store)
    return [_found(runs, name, store.root.uri) for name in names]


def started_runs(store: Store) -> list[Manifest]:
    """All runs that have begun, at least one, the oldest first. Raises `StoreError`."""
    runs = [one for one in store.list_runs() if one.invocations]
    where = store.root.uri
    if not runs and (unread := store.run_ids()):
        raise StoreError(f"{where}: no manifest can be read, of {', '.join(unread[:8])}")
    if not runs:
        raise StoreError(f"{where}: no runs are stored here (see --store)")
    return runs


def latest_of(runs: Sequence[Manifest]) -> Manifest:
    """The run whose command was given last."""
    return max(runs, key=lambda one: one.invocations[-1].started_at)


def _found(runs: Sequence[Manifest], name: str | None, where: str) -> Manifest:
    if name is None:
        return latest_of(runs)
    found = [one for one in runs if one.run_id.startswith(name)]
    if len(found) == 1:
        return found[0]
    known = ", ".join(one.run_id for one in (found or runs)[-8:])
    problem = "several runs start with" if found else "no run starts with"
    raise StoreError(f"{where}: {problem} {name!r}; there are: {known}")


def runs_table(store: Store) -> Table:
    """Every run of the store, the oldest first."""
    return Table(
        name="runs",
        title=f"runs in {store.root.uri}",
        columns=(
            "run",
            "benchmark",
            "candidates",
            "judge",
            "grader",
            "correctness",
            "rules",
            "started",
            "state",
            "complete",
        ),
        rows=tuple(_run_row(store, manifest) for manifest in store.list_runs()),
    )


def _run_row(store: Store, manifest: Manifest) -> tuple[str, ...]:
    config = manifest.config
    started, benchmark = manifest.started_at, config.get("benchmark")
    variant = benchmark.get("variant") if isinstance(benchmark, Mapping) else None
    return (
        manifest.run_id,
        " ".join(filter(None, (name_in(benchmark), variant))),
        ", ".join(manifest.candidates),
        name_in(config.get("judge")),
        name_in(config.get("grader")),
        config.get("correctness", "?"),
        config.get("rules", "?"),
        f"{started:%Y-%m-%d %H:%M}" if started else "",
        *_standing(store, manifest),
    )


def _standing(store: Store, manifest: Manifest) -> tuple[str, str]:
    """A run's state and how far it is. One that was killed has left word of no end."""
    if not manifest.invocations:
        return "", ""
    counts = manifest.counts
    if manifest.invocations[-1].ending != "running":
        return manifest.invocations[-1].ending, f"{counts.complete}/{counts.planned}"
    progress = load_progress(store.root, manifest.run_id)
    status = run_status(manifest, progress, datetime.now(UTC), partial(has_died, store.root))
    return status.state, f"{status.complete}/{status.planned}"
