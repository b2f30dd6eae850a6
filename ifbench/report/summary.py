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
from ifbench.benchmarks.benchmark import Benchmark
from ifbench.constraints import all_constraints
from ifbench.metrics import macro_mean
from ifbench.report.tables import Table, percent
from ifbench.types import Cause, Score


def summary_tables(benchmark: Benchmark, scores: Sequence[Score]) -> list[Table]:
    """Headline, breakdowns by facet, functional groups, and how the answers came out.

    The scores may be of several candidates; each gets rows of its own.
    """
    by_candidate = _by_candidate(scores)
    return [
        _headline(benchmark, by_candidate),
        *(_facet_table(benchmark, facet, by_candidate) for facet in benchmark.breakdowns),
        _group_table(by_candidate),
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
    rows, notes = [], []
    for candidate, scores in by_candidate.items():
        line = Line(label=candidate, figures=figures(scores))
        lines = breakdown(scores, benchmark.headline_facet, order=benchmark.headline_order)
        overall = macro_mean([one.figures["ISR"] for one in lines])
        rows.append((*_cells(line), percent(overall)))
        if line.complete < line.total:
            notes.append(
                f"{candidate}: partial, {line.complete} of {line.total} samples are complete; in "
                "brackets the figure with all that is undecided failed, and passed."
            )
        missing = [v for v in benchmark.headline_order if v not in {one.label for one in lines}]
        if missing:
            notes.append(
                f"{candidate}: overall is over {len(lines)} of "
                f"{len(benchmark.headline_order)} {benchmark.headline_facet}s; "
                f"none of {', '.join(missing)}."
            )
    return Table(
        title=f"{benchmark.title}, all samples (percent)",
        columns=("model", "complete/total", "CSR", "ISR", "DRFR", "overall"),
        rows=tuple(rows),
        notes=(
            f"overall: unweighted mean of ISR over each {benchmark.headline_facet}.",
            *dict.fromkeys(notes),
        ),
    )


def _facet_table(
    benchmark: Benchmark, facet: str, by_candidate: Mapping[str, Sequence[Score]]
) -> Table:
    order = benchmark.headline_order if facet == benchmark.headline_facet else ()
    return _lines_table(
        f"by {facet}",
        facet,
        {name: breakdown(scores, facet, order=order) for name, scores in by_candidate.items()},
    )


def _group_table(by_candidate: Mapping[str, Sequence[Score]]) -> Table:
    groups: dict[str, list[str]] = {}
    for constraint in all_constraints().values():
        groups.setdefault(constraint.group, []).append(constraint.id)
    known = {name for ids in groups.values() for name in ids}
    others = {name for scores in by_candidate.values() for s in scores for name in s.constraints}
    sets = {group: groups[group] for group in sorted(groups)}
    if others - known:
        sets["(not known here)"] = sorted(others - known)
    return _lines_table(
        "by group of constraints",
        "group",
        {name: constraint_breakdown(scores, sets) for name, scores in by_candidate.items()},
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
        columns=(head, *(("model",) if several else ()), "complete/total", "CSR", "ISR", "DRFR"),
        rows=tuple(rows),
        notes=(f"{note}.",) if note else (),
    )


def _answer_table(by_candidate: Mapping[str, Sequence[Score]]) -> Table:
    counted = {name: answers(scores) for name, scores in by_candidate.items()}
    return Table(
        title="answers",
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
        *(percent(line.figures[name]) for name in ("CSR", "ISR", "DRFR")),
    )


def _by_candidate(scores: Sequence[Score]) -> dict[str, list[Score]]:
    by_candidate: dict[str, list[Score]] = {}
    for score in scores:
        by_candidate.setdefault(score.candidate, []).append(score)
    return by_candidate
