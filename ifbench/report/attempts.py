"""The table of repeated attempts: mean, spread, and what one or all of them reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ifbench.analysis.attempts import Attempts, attempts
from ifbench.benchmarks.benchmark import Benchmark
from ifbench.metrics import ALL_METRICS
from ifbench.report import cells
from ifbench.report.cells import Cell
from ifbench.report.tables import Table
from ifbench.types import Score


def attempt_tables(
    benchmark: Benchmark, by_candidate: Mapping[str, Sequence[Score]]
) -> list[Table]:
    """A row for each candidate that was asked more than once; `[]` where none was."""
    metric = ALL_METRICS[benchmark.headline]
    found = {name: attempts(scores, metric) for name, scores in by_candidate.items()}
    rows = [_row(name, one) for name, one in found.items() if one is not None]
    if not rows:
        return []
    return [
        Table(
            name="attempts",
            title=f"Attempts: {benchmark.headline} of all samples (percent)",
            columns=(
                "model", "attempts", "complete/total", "mean, pass@1", "spread", "lowest",
                "highest", "pass@k", "all k",
            ),
            rows=tuple(rows),
            notes=(
                "over samples that are complete in every attempt.",
                "spread: standard deviation over attempts.",
                "pass@k: passed whole by at least one of the k attempts; all k: by every one.",
            ),
        )
    ]  # fmt: skip


def _row(name: str, one: Attempts) -> tuple[str | Cell, ...]:
    return (
        name,
        cells.count("attempts", one.count),
        cells.part(one.samples, one.total),
        cells.share("mean", one.mean),
        cells.share("spread", one.spread),
        cells.share("lowest", min(one.by_attempt)),
        cells.share("highest", max(one.by_attempt)),
        cells.share("pass_at_k", one.any_passed),
        cells.share("pass_all", one.all_passed),
    )
