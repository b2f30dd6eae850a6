"""`ifbench report`: the tables of a stored run, in any form."""

from __future__ import annotations

import argparse

from ifbench.benchmarks import get_benchmark
from ifbench.benchmarks.binding import unknown_name
from ifbench.cli import EXIT_OK
from ifbench.errors import StoreError
from ifbench.report.summary import summary_tables
from ifbench.report.tables import Table, render
from ifbench.schemas import table_to_scores
from ifbench.store import Manifest, Store, read_scores


def run(options: argparse.Namespace) -> int:
    """Print tables from what is stored; nothing is asked or changed."""
    store = Store(options.store)
    if options.list:
        print(render([runs_table(store)], options.format))
        return EXIT_OK
    manifest = find_run(store, options.run)
    scores = table_to_scores(read_scores(store.root, manifest.run_id))
    if not scores:
        raise StoreError(
            f"{store.root.uri}: run {manifest.run_id} has no results yet; "
            "the same `evaluate` command finishes it"
        )
    benchmark = get_benchmark(scores[0].benchmark)
    known = sorted({facet for score in scores for facet in score.facets})
    for facet in options.by or ():
        if facet not in known:
            raise StoreError(f"{unknown_name('facet', facet, known)}; known: {', '.join(known)}")
    print(render(summary_tables(benchmark, scores, options.by), options.format))
    return EXIT_OK


def find_run(store: Store, name: str | None) -> Manifest:
    """The run whose id starts with `name`, or the latest. Raises `StoreError`."""
    runs = store.list_runs()
    where = store.root.uri
    if not runs and (unread := store.run_ids()):
        raise StoreError(f"{where}: no manifest can be read, of {', '.join(unread[:8])}")
    if not runs:
        raise StoreError(f"{where}: no runs are stored here (see --store)")
    if name is None:
        return max(runs, key=lambda one: one.invocations[-1].started_at)
    found = [one for one in runs if one.run_id.startswith(name)]
    if len(found) == 1:
        return found[0]
    known = ", ".join(one.run_id for one in (found or runs)[-8:])
    problem = "several runs start with" if found else "no run starts with"
    raise StoreError(f"{where}: {problem} {name!r}; there are: {known}")


def runs_table(store: Store) -> Table:
    """Every run of the store, the oldest first."""
    return Table(
        title=f"runs in {store.root.uri}",
        columns=(
            "run",
            "benchmark",
            "candidates",
            "judge",
            "rules",
            "started",
            "state",
            "complete",
        ),
        rows=tuple(_run_row(manifest) for manifest in store.list_runs()),
    )


def _run_row(manifest: Manifest) -> tuple[str, ...]:
    config = manifest.config
    started = manifest.started_at
    judge = config.get("judge") or {}
    return (
        manifest.run_id,
        config.get("benchmark", {}).get("name", "?"),
        ", ".join(model.get("name", "?") for model in config.get("candidates", ())),
        judge.get("name", "none"),
        config.get("rules", "?"),
        f"{started:%Y-%m-%d %H:%M}" if started else "",
        manifest.invocations[-1].ending if manifest.invocations else "",
        f"{manifest.counts.complete}/{manifest.counts.planned}",
    )
