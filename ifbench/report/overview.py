"""Several runs at a glance: a row for each run and model, whatever benchmark and judge it is of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ifbench.benchmarks.benchmark import Benchmark
from ifbench.metrics import bounded
from ifbench.report import cells
from ifbench.report.cells import Cell
from ifbench.report.tables import Table
from ifbench.report.views import metrics_of
from ifbench.score_table import counted, parted
from ifbench.types import Score


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
