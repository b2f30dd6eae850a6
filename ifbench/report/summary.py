"""The tables that `evaluate` prints and `report` prints again: one model or many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ifbench.analysis.breakdown import Answers, answers, figures, grouped
from ifbench.benchmarks.benchmark import Benchmark
from ifbench.metrics import Figure
from ifbench.report import cells
from ifbench.report.attempts import attempt_tables
from ifbench.report.cells import PAPER, Cell
from ifbench.report.correctness import (
    ONLY_CORRECTNESS,
    correctness_tables,
    nothing_is_checked,
)
from ifbench.report.tables import Table
from ifbench.report.views import (
    figure_cells,
    metrics_of,
    overall_figure,
    printed_cells,
    view_table,
)
from ifbench.score_table import counted, parted
from ifbench.types import Score

_INTERVALS = (
    "In parentheses: 95 % intervals, where there are 10 questions or more and not all are alike."
)


OTHER_TABLES = ("overall", "attempts", "correctness", "association", "answers")
"""The tables that are no breakdowns, by name."""


def summary_tables(
    benchmark: Benchmark,
    scores: Sequence[Score],
    facets: Sequence[str] | None = None,
    *,
    with_paper: bool = False,
) -> list[Table]:
    """Headline, breakdowns, and how the answers came out.

    The scores may be of several candidates; each gets rows of its own, unless a breakdown is by
    a field of the models. `facets` names the breakdowns to show (see `report.views`); `None`
    shows those that the benchmark names. `with_paper` sets the paper's printed figures beside
    ours, for the models that it names as we do. Where answers were graded, correctness stands
    beside adherence; where nothing is checked, only correctness and the answers are shown, unless
    `facets` names more.
    """
    judges = {score.judge for score, _ in counted(scores, "who")}
    if not with_paper:
        benchmark = replace(benchmark, printed=lambda _view, _model: {})
    elif len(judges) == 1:
        benchmark = replace(benchmark, printed=benchmark.printed_for(judges.pop()))
    by_candidate = parted(scores, lambda score: score.candidate, "who")
    named = [one.view for one in benchmark.breakdowns]
    sets = [name for name in benchmark.constraint_views if name != "constraint"]
    shown = dict.fromkeys([*named, *sets] if facets is None else facets)
    if facets is None and nothing_is_checked(by_candidate):
        graded = correctness_tables(by_candidate)
        answered = _answer_table(by_candidate)
        return [*graded, answered] if graded else [replace(answered, notes=(ONLY_CORRECTNESS,))]
    return [
        _headline(benchmark, by_candidate),
        *(view_table(view, benchmark, by_candidate) for view in shown),
        *attempt_tables(benchmark, by_candidate),
        *correctness_tables(by_candidate, benchmark.printed),
        _answer_table(by_candidate),
    ]


def _headline(benchmark: Benchmark, by_candidate: Mapping[str, Sequence[Score]]) -> Table:
    over, metrics = benchmark.headline_over, metrics_of(benchmark)
    rows: list[tuple[str | Cell, ...]] = []
    overall_note = f"overall: unweighted mean of {benchmark.headline} over each {over}."
    notes = [*([overall_note] if over else []), _INTERVALS]
    for candidate, scores in by_candidate.items():
        own = figures(scores, metrics)
        complete, total = next((one.complete, one.total) for one in own.values())
        missing, strange, overall = _overall(benchmark, scores) if over else ([], [], None)
        last = () if overall is None else (cells.figure("overall", overall),)
        rows.append((candidate, *figure_cells(own), *last))
        rows += [
            (f"{candidate} {PAPER}", *_printed_headline(benchmark, printed))
            for printed in benchmark.printed("overall", candidate).values()
        ]
        if complete < total:
            notes.append(
                f"{candidate} is partial: {complete} of {total} samples are complete. "
                "In brackets: all that is undecided failed, and passed."
            )
        if missing:
            notes.append(f"{candidate}: no overall, for want of samples of {', '.join(missing)}.")
        if strange:
            notes.append(f"{candidate}: left out of the overall: {', '.join(strange)}.")
    return Table(
        name="overall",
        title=f"{benchmark.title}, all samples (percent)",
        columns=("model", "complete/total", *metrics, *(("overall",) if over else ())),
        rows=tuple(rows),
        notes=tuple(notes),
    )


def _printed_headline(benchmark: Benchmark, printed: Mapping[str, float]) -> tuple[Cell, ...]:
    """A paper's own overall: a column of its own, where it is a mean over parts."""
    if not benchmark.headline_over:
        return printed_cells(printed, benchmark.metrics)
    value = cells.printed_figure("overall", printed[benchmark.headline])
    return (*printed_cells({}, benchmark.metrics), value)


def _overall(benchmark: Benchmark, scores: Sequence[Score]) -> tuple[list[str], list[str], Figure]:
    """The values of the headline's facet that are missing, those that are strange, the figure."""
    present = sorted(label for (label,) in grouped(scores, benchmark.headline_over))
    wanted = benchmark.headline_values
    missing = [value for value in wanted if value not in present]
    strange = [label for label in present if wanted and label not in wanted]
    return missing, strange, overall_figure(benchmark, [scores])


def _answer_table(by_candidate: Mapping[str, Sequence[Score]]) -> Table:
    found = {name: answers(scores) for name, scores in by_candidate.items()}
    return Table(
        name="answers",
        title="Answers",
        columns=(
            "model", "planned", "answered", "truncated", "refused", "filtered",
            "overflowed", "empty", "missing", "undecided by cause",
        ),
        rows=tuple(_answer_row(name, one) for name, one in found.items()),
        notes=(
            "refused, filtered, overflowed and empty answers fail every item.",
            "missing answers are owed: the same command asks for them again.",
        ),
    )  # fmt: skip


def _answer_row(name: str, found: Answers) -> tuple[str | Cell, ...]:
    numbers = (
        "planned", "answered", "truncated", "refused", "filtered", "overflowed", "empty", "missing",
    )  # fmt: skip
    causes = {cause.value: count for cause, count in found.causes.items()}
    return (
        name,
        *(cells.count(kind, getattr(found, kind)) for kind in numbers),
        cells.tallies("undecided_by_cause", causes),
    )
