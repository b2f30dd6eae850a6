"""Several runs at a glance: a row for each run and model, whatever benchmark and judge it is of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ifbench.benchmarks.benchmark import Benchmark
from ifbench.metrics import bounded
from ifbench.report import cells
from ifbench.report.cells import Cell
from ifbench.report.tables import Table
from ifbench.report.views import metrics_of
from ifbench.score_table import counted, parted
from ifbench.types import JsonObject, Score


@dataclass(frozen=True, slots=True, kw_only=True)
class RunScores:
    """What one run came to."""

    run_id: str
    title: str
    """What tells it from the other runs."""
    benchmark: Benchmark
    scores: Sequence[Score]

    @property
    def by_candidate(self) -> Mapping[str, Sequence[Score]]:
        return dict(sorted(parted(self.scores, lambda score: score.candidate, "who").items()))


def overview_table(runs: Sequence[RunScores]) -> Table:
    """The main metrics of each run and model, with what they rest on."""
    metrics = tuple(dict.fromkeys(name for run in runs for name in run.benchmark.metrics))
    return Table(
        name="overview",
        title=f"Overview of {len(runs)} runs (percent)",
        columns=("what differs", "run", "model", "complete/total", *metrics, "undecided"),
        rows=tuple(
            (run.title, run.run_id, candidate, *_cells(run.benchmark, scores, metrics))
            for run in runs
            for candidate, scores in run.by_candidate.items()
        ),
        notes=(
            "undecided: trials that are owed, by cause.",
            "two judges, models or rule sets in detail: ifbench report RUN --against RUN",
        ),
    )


def _cells(
    benchmark: Benchmark, scores: Sequence[Score], columns: Sequence[str]
) -> tuple[Cell, ...]:
    own = {name: bounded(metric, scores) for name, metric in metrics_of(benchmark).items()}
    complete, undecided = 0, Counter[str]()
    for score, count in counted(scores, "verdicts", "answer", "grade"):
        complete += count * score.is_complete
        for cause in score.owed_causes:
            undecided[cause.value] += count
    return (
        cells.part(complete, len(scores)),
        *(cells.figure(n, own[n]) if n in own else cells.printed_figure(n, None) for n in columns),
        cells.tallies("undecided", undecided),
    )


def differences(identities: Sequence[JsonObject]) -> tuple[str, ...]:
    """For each run, by its identity, what tells it from the others, in words.

    Names come first. What goes along with them (how a benchmark has judges asked) is left out.
    """
    flat = [dict(_leaves(identity)) for identity in identities]
    names = dict.fromkeys(name for leaves in flat for name in leaves)
    shown: list[_Path] = []
    for name in sorted(names, key=lambda path: (path[-1] != "name", len(path))):
        if _kinds(flat, [*shown, name]) > _kinds(flat, shown):
            shown.append(name)
    return tuple(
        ", ".join(f"{_spoken(name)} {leaves[name]}" for name in shown if name in leaves)
        for leaves in flat
    )


_Path: TypeAlias = tuple[str, ...]


def _kinds(flat: Sequence[Mapping[_Path, str]], names: Sequence[_Path]) -> int:
    return len({tuple(leaves.get(name) for name in names) for leaves in flat})


def _leaves(tree: JsonObject, path: _Path = ()) -> list[tuple[_Path, str]]:
    found: list[tuple[_Path, str]] = []
    for name, value in tree.items():
        if isinstance(value, Mapping):
            found += _leaves(value, (*path, name))
        elif name == "candidates":
            found += _leaves({model["name"]: model for model in value}, (*path, name))
            found.append(((name, "name"), "+".join(model["name"] for model in value)))
        else:
            found.append(((*path, name), "none" if value is None else str(value)))
    return found


def _spoken(path: _Path) -> str:
    return ".".join(path[:-1] if path[-1] == "name" else path)
