"""The tables that `evaluate` prints and `report` prints again: one model or many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ifbench.analysis.breakdown import (
    Answers,
    Line,
    answers,
    breakdown,
    constraint_breakdown,
    figures,
)
from ifbench.benchmarks.benchmark import Benchmark, Breakdown
from ifbench.constraints import all_constraints
from ifbench.metrics import METRICS, macro_mean
from ifbench.report.correctness import correctness_tables
from ifbench.report.tables import Table, percent
from ifbench.types import Cause, Score


def summary_tables(
    benchmark: Benchmark, scores: Sequence[Score], facets: Sequence[str] | None = None
) -> list[Table]:
    """Headline, breakdowns by facet, functional groups, and how the answers came out.

    The scores may be of several candidates; each gets rows of its own. `facets` names the
    breakdowns to show; `None` shows those that the benchmark names. Where answers were graded,
    correctness stands beside adherence.
    """
    by_candidate = _by_candidate(scores)
    named = {one.facet: one for one in benchmark.breakdowns}
    shown = named if facets is None else {f: named.get(f) for f in facets}
    return [
        _headline(benchmark, by_candidate),
        *(
            _facet_table(one or Breakdown(facet=facet, title=f"By {facet}"), by_candidate)
            for facet, one in shown.items()
        ),
        _group_table(benchmark, by_candidate),
        *correctness_tables(by_candidate),
        _answer_table(by_candidate),
    ]


def headline_line(benchmark: Benchmark, scores: Sequence[Score]) -> str:
    """One line of the metrics over all samples, complete / total first."""
    all_figures = figures(scores)
    shown = "  ".join(f"{name} {percent(figure)}" for name, figure in all_figures.items())
    first = next(iter(all_figures.values()))
    partial = "  (partial)" if first.is_partial else ""
    return f"{benchmark.name}: {first.complete}/{first.total} complete  {shown}{partial}"


def _headline(benchmark: Benchmark, by_candidate: Mapping[str, Sequence[Score]]) -> Table:
    over = benchmark.headline_over
    order = next((one.order for one in benchmark.breakdowns if one.facet == over), ())
    rows, notes = [], [f"overall: unweighted mean of {benchmark.headline} over each {over}."]
    for candidate, scores in by_candidate.items():
        line = Line(label=candidate, figures=figures(scores))
        lines = breakdown(scores, over, order=order)
        missing = [value for value in order if value not in {one.label for one in lines}]
        strange = [one.label for one in lines if order and one.label not in order]
        parts = [one.figures[benchmark.headline] for one in lines if one.label not in strange]
        # A mean over fewer, or over other parts, would be taken for the paper's figure.
        overall = macro_mean([] if missing else parts)
        rows.append((*_cells(line), percent(overall)))
        if line.complete < line.total:
            notes.append(
                f"{candidate} is partial: {line.complete} of {line.total} samples are complete. "
                "In brackets: all that is undecided failed, and passed."
            )
        if missing:
            notes.append(f"{candidate}: no overall, for want of samples of {', '.join(missing)}.")
        if strange:
            notes.append(f"{candidate}: left out of the overall: {', '.join(strange)}.")
    return Table(
        title=f"{benchmark.title}, all samples (percent)",
        columns=("model", "complete/total", *METRICS, "overall"),
        rows=tuple(rows),
        notes=tuple(notes),
    )


def _facet_table(one: Breakdown, by_candidate: Mapping[str, Sequence[Score]]) -> Table:
    return _lines_table(
        one.title,
        one.facet.replace("_", " "),
        {
            name: breakdown(scores, one.facet, order=one.order)
            for name, scores in by_candidate.items()
        },
    )


def _group_table(benchmark: Benchmark, by_candidate: Mapping[str, Sequence[Score]]) -> Table:
    known = all_constraints()
    groups: dict[str, list[str]] = {group: [] for group in benchmark.groups}
    for name in {
        name for scores in by_candidate.values() for s in scores for name in s.constraints
    }:
        group = known[name].group if name in known else "(not known here)"
        groups.setdefault(group, []).append(name)
    return _lines_table(
        "By group of constraints",
        "group",
        {name: constraint_breakdown(scores, groups) for name, scores in by_candidate.items()},
        note="each sample cut down to its items of the group",
    )


def _lines_table(
    title: str, head: str, by_candidate: Mapping[str, Sequence[Line]], note: str = ""
) -> Table:
    several = len(by_candidate) > 1
    rows = [
        ((line.label, candidate) if several else (line.label,)) + _cells(line)[1:]
        for candidate, lines in by_candidate.items()
        for line in lines
    ]
    labels = list(dict.fromkeys(row[0] for row in rows))
    rows.sort(key=lambda row: labels.index(row[0]))
    return Table(
        title=title,
        columns=(head, *(("model",) if several else ()), "complete/total", *METRICS),
        rows=tuple(rows),
        notes=(f"{note}.",) if note else (),
    )


def _answer_table(by_candidate: Mapping[str, Sequence[Score]]) -> Table:
    counted = {name: answers(scores) for name, scores in by_candidate.items()}
    return Table(
        title="Answers",
        columns=(
            "model", "planned", "answered", "truncated", "refused", "filtered",
            "overflowed", "empty", "missing", "undecided by cause",
        ),
        rows=tuple(_answer_row(name, one) for name, one in counted.items()),
        notes=(
            "refused, filtered, overflowed and empty answers fail every item.",
            "missing answers are owed: the same command asks for them again.",
        ),
    )  # fmt: skip


def _answer_row(name: str, counted: Answers) -> tuple[str, ...]:
    numbers = (
        counted.total, counted.answered, counted.truncated, counted.refused, counted.filtered,
        counted.overflowed, counted.empty, counted.missing,
    )  # fmt: skip
    return (name, *map(str, numbers), _causes(counted.causes))


def _causes(causes: Mapping[Cause, int]) -> str:
    return ", ".join(f"{cause.value} {count}" for cause, count in causes.items()) or "none"


def _cells(line: Line) -> tuple[str, ...]:
    return (
        line.label,
        f"{line.complete}/{line.total}",
        *(percent(line.figures[name]) for name in METRICS),
    )


def _by_candidate(scores: Sequence[Score]) -> dict[str, list[Score]]:
    by_candidate: dict[str, list[Score]] = {}
    for score in scores:
        by_candidate.setdefault(score.candidate, []).append(score)
    return by_candidate
