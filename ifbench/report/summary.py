"""The tables that `evaluate` prints and `report` prints again: one model or many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ifbench.analysis.breakdown import (
    Answers,
    Line,
    answers,
    breakdown,
    constraint_breakdown,
    figures,
)
from ifbench.analysis.intervals import Interval, macro_interval
from ifbench.benchmarks.benchmark import Benchmark, Breakdown
from ifbench.constraints import all_constraints
from ifbench.metrics import METRICS, macro_mean
from ifbench.report.correctness import correctness_tables
from ifbench.report.tables import Table, percent
from ifbench.types import Cause, Score

_INTERVALS = (
    "In parentheses: 95 % intervals, where there are 10 questions or more and not all are alike."
)


def summary_tables(
    benchmark: Benchmark,
    scores: Sequence[Score],
    facets: Sequence[str] | None = None,
    *,
    with_paper: bool = False,
) -> list[Table]:
    """Headline, breakdowns, and how the answers came out.

    The scores may be of several candidates; each gets rows of its own. `facets` names the
    breakdowns to show: facets of samples, two of them joined (`discipline+modality`), or sets of
    constraints (`CONSTRAINT_VIEWS`); `None` shows those that the benchmark names. `with_paper`
    sets the paper's printed figures beside ours, for the models that it names as we do.
    Where answers were graded, correctness stands beside adherence.
    """
    if not with_paper:
        benchmark = replace(benchmark, printed=lambda _view, _model: {})
    by_candidate = _by_candidate(scores)
    named = {one.facet: one for one in benchmark.breakdowns}
    shown = dict.fromkeys([*named, "group", "domain"] if facets is None else facets)
    return [
        _headline(benchmark, by_candidate),
        *(
            _constraint_table(view, benchmark, by_candidate)
            if view in CONSTRAINT_VIEWS
            else _facet_table(
                benchmark,
                named.get(view) or Breakdown(facet=view, title=f"By {_words(view)}"),
                by_candidate,
            )
            for view in shown
        ),
        *correctness_tables(by_candidate),
        _answer_table(by_candidate),
    ]


CONSTRAINT_VIEWS = ("group", "domain", "constraint")
"""Breakdowns by what a constraint is, and not by what a sample is."""


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
    rows, notes = (
        [],
        [f"overall: unweighted mean of {benchmark.headline} over each {over}.", _INTERVALS],
    )
    for candidate, scores in by_candidate.items():
        line = Line(label=candidate, figures=figures(scores))
        lines = breakdown(scores, over, order=order)
        missing = [value for value in order if value not in {one.label for one in lines}]
        strange = [one.label for one in lines if order and one.label not in order]
        parts = [one.figures[benchmark.headline] for one in lines if one.label not in strange]
        # A mean over fewer, or over other parts, would be taken for the paper's figure.
        overall = macro_mean([] if missing else parts)
        if overall.value is not None:
            overall = replace(overall, interval=_overall_interval(benchmark, scores, order))
        rows.append((*_cells(line), percent(overall)))
        for cells in benchmark.printed("overall", candidate).values():
            value = f"{cells[benchmark.headline]:.2f}"
            rows.append((f"{candidate} {_PAPER}", "–", *("–" for _ in METRICS), value))
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


def _overall_interval(
    benchmark: Benchmark, scores: Sequence[Score], order: Sequence[str]
) -> Interval | None:
    complete = [score for score in scores if score.is_complete]
    groups = [[s for s in complete if s.facets.get(benchmark.headline_over) == v] for v in order]
    return macro_interval(METRICS[benchmark.headline], groups)


def _words(facet: str) -> str:
    return facet.replace("_", " ").replace("+", ", ")


def _facet_table(
    benchmark: Benchmark, one: Breakdown, by_candidate: Mapping[str, Sequence[Score]]
) -> Table:
    return _lines_table(
        one.title,
        _words(one.facet),
        {
            name: breakdown(scores, one.facet, order=one.order)
            for name, scores in by_candidate.items()
        },
        {name: benchmark.printed(one.facet, name) for name in by_candidate},
    )


def _constraint_table(
    view: str, benchmark: Benchmark, by_candidate: Mapping[str, Sequence[Score]]
) -> Table:
    names = sorted({n for scores in by_candidate.values() for s in scores for n in s.constraints})
    sets = _constraint_sets(view, benchmark, names)
    title = "By constraint" if view == "constraint" else f"By {view} of constraints"
    return _lines_table(
        title,
        view,
        {name: constraint_breakdown(scores, sets) for name, scores in by_candidate.items()},
        {name: benchmark.printed(view, name) for name in by_candidate},
        note=f"each sample cut down to its items of the {view}",
    )


def _constraint_sets(
    view: str, benchmark: Benchmark, names: Sequence[str]
) -> Mapping[str, Sequence[str]]:
    """The constraints behind each row. In *domain* the constraint's own counts (Table 13)."""
    if view == "constraint":
        return {name: [name] for name in names}
    known = all_constraints()
    order = benchmark.groups if view == "group" else benchmark.domains
    sets: dict[str, list[str]] = {label: [] for label in order}
    for name in names:
        if view == "domain":
            label = name.partition(":")[0]
        else:
            label = known[name].group if name in known else "(not known here)"
        sets.setdefault(label, []).append(name)
    if view == "domain" and "general" in sets:
        sets["scientific"] = [name for name in names if not name.startswith("general:")]
    return sets


_PAPER = "(paper)"


def _lines_table(
    title: str,
    head: str,
    by_candidate: Mapping[str, Sequence[Line]],
    printed: Mapping[str, Mapping[str, Mapping[str, float]]],
    note: str = "",
) -> Table:
    several = len(by_candidate) > 1 or any(printed.values())
    rows: list[tuple[str, ...]] = []
    for candidate, lines in by_candidate.items():
        for line in lines:
            rows.append(((line.label, candidate) if several else (line.label,)) + _cells(line)[1:])
            if cells := printed[candidate].get(line.label):
                figures = (f"{cells[name]:.2f}" if name in cells else "–" for name in METRICS)
                rows.append((line.label, f"{candidate} {_PAPER}", "–", *figures))
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
