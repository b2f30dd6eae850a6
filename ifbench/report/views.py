"""One breakdown as a table: by facets of samples, by sets of constraints, by fields of models.

A view is a name or several joined by `+`: `discipline`, `discipline+modality`, `family+domain`.

Facets of samples and sets of constraints give each model rows of its own. A field of the models
(`family`, `access`, `billions`, `thinking`) puts models together: a row is then the unweighted
mean of its models' figures, each model weighing the same, with the number of models, and with
complete / total summed over them. Models whose file does not say stand in a row `—`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ifbench.analysis.breakdown import (
    MISSING,
    ConstraintSets,
    breakdown,
    grouped,
    label_order,
    macro_figure,
    mean_figures,
)
from ifbench.benchmarks.benchmark import Benchmark
from ifbench.constraints import all_constraints
from ifbench.metrics import METRICS, Figure
from ifbench.report import cells
from ifbench.report.cells import PAPER, Cell, Value
from ifbench.report.tables import Table
from ifbench.stages.score import MODEL_FACETS
from ifbench.types import Score

CONSTRAINT_VIEWS = ("group", "domain", "constraint")
"""Breakdowns by what a constraint is, and not by what a sample is."""

UNSAID = "—"
"""The label of models that a field does not describe."""

Row = tuple[str | Cell, ...]


def view_table(
    view: str, benchmark: Benchmark, by_candidate: Mapping[str, Sequence[Score]]
) -> Table:
    """The metrics by one view, for one model or several."""
    names = view.split("+")
    ids = sorted({n for scores in by_candidate.values() for s in scores for n in s.constraints})
    sets = {n: _constraint_sets(n, benchmark, ids) for n in names if n in CONSTRAINT_VIEWS}
    cut = [f"each sample cut down to its items of the {name}." for name in sets]
    if set(names) & set(MODEL_FACETS):
        return _table_of_groups(view, benchmark, by_candidate, sets, cut)
    return _table_of_models(view, benchmark, by_candidate, sets, cut)


def overall_figure(benchmark: Benchmark, by_model: Sequence[Sequence[Score]]) -> Figure:
    """The benchmark's headline of one model, or its mean over several."""
    over = benchmark.headline_over
    values = benchmark.headline_values or sorted(
        {label for scores in by_model for (label,) in grouped(scores, over)}
    )
    return macro_figure(METRICS[benchmark.headline], by_model, over, values)


# ── A row for each model ─────────────────────────────────────────────────────────────


def _table_of_models(
    view: str,
    benchmark: Benchmark,
    by_candidate: Mapping[str, Sequence[Score]],
    sets: Mapping[str, ConstraintSets],
    notes: Sequence[str],
) -> Table:
    printed = {name: benchmark.printed(view, name) for name in by_candidate}
    several = len(by_candidate) > 1 or any(printed.values())
    rows: list[tuple[tuple[str, ...], Row]] = []
    for candidate, scores in by_candidate.items():
        for line in breakdown(scores, view, orders=benchmark.orders, sets=sets):
            label = _label_cell(view, line.labels, model=candidate)
            model = (candidate,) if several else ()
            rows.append((line.labels, (label, *model, *figure_cells(line.figures))))
            if found := printed[candidate].get(line.label):
                rows.append((line.labels, (label, f"{candidate} {PAPER}", *printed_cells(found))))
    rows.sort(key=lambda row: label_order(row[0], view, benchmark.orders, sets))
    return Table(
        name=_file_word(view),
        title=_title(view, benchmark),
        columns=(_words(view), *(("model",) if several else ()), "complete/total", *METRICS),
        rows=tuple(row for _, row in rows),
        notes=tuple(notes),
    )


# ── A row for a group of models ──────────────────────────────────────────────────────


def _table_of_groups(
    view: str,
    benchmark: Benchmark,
    by_candidate: Mapping[str, Sequence[Score]],
    sets: Mapping[str, ConstraintSets],
    notes: Sequence[str],
) -> Table:
    groups: dict[tuple[str, ...], list[Sequence[Score]]] = {}
    for scores in by_candidate.values():
        for labels, own in grouped(scores, view, sets).items():
            groups.setdefault(labels, []).append(own)
    # Overall is over all samples and items of a model: where they are cut down there is none.
    is_whole = set(view.split("+")) <= set(MODEL_FACETS)
    rows = [
        (
            _label_cell(view, labels),
            cells.count("models", len(groups[labels])),
            *figure_cells(mean_figures(groups[labels])),
            *(
                (cells.figure("overall", overall_figure(benchmark, groups[labels])),)
                if is_whole
                else ()
            ),
        )
        for labels in sorted(
            groups, key=lambda labels: label_order(labels, view, benchmark.orders, sets)
        )
    ]
    unsaid = any(
        name in MODEL_FACETS and label == MISSING
        for labels in groups
        for name, label in zip(view.split("+"), labels, strict=True)
    )
    return Table(
        name=_file_word(view),
        title=_title(view, benchmark),
        columns=(
            _words(view), "models", "complete/total", *METRICS, *(("overall",) if is_whole else ()),
        ),
        rows=tuple(rows),
        notes=(
            "each figure is the unweighted mean of the models' own; complete/total sums over them.",
            *((f"{UNSAID}: models whose configuration does not say.",) if unsaid else ()),
            *notes,
        ),
    )  # fmt: skip


# ── Cells and words ──────────────────────────────────────────────────────────────────


def figure_cells(figures: Mapping[str, Figure]) -> tuple[Cell, ...]:
    """Complete / total, and the metrics."""
    first = next(iter(figures.values()))
    return (
        cells.part(first.complete, first.total),
        *(cells.figure(name, figures[name]) for name in METRICS),
    )


def printed_cells(found: Mapping[str, float]) -> tuple[Cell, ...]:
    """The same columns, of what a paper prints."""
    return (
        cells.part(None, None),
        *(cells.printed_figure(name, found.get(name)) for name in METRICS),
    )


def _label_cell(view: str, labels: Sequence[str], **more: str) -> Cell:
    """Shown as one text; in Arrow a column for each facet, a number where it is one."""
    shown: list[str] = []
    data: dict[str, Value] = {}
    for name, label in zip(view.split("+"), labels, strict=True):
        text, data[name] = _label(name, label)
        shown.append(text)
    return Cell(text=", ".join(shown), data={**data, **more})


def _label(name: str, label: str) -> tuple[str, Value]:
    if label == MISSING:
        text = UNSAID if name in MODEL_FACETS else MISSING
        return text, None if name in _NUMBERS else text
    if name in _NUMBERS:
        return f"{label}{_NUMBERS[name][1]}", _NUMBERS[name][0](label)
    return label, label


_NUMBERS = {"billions": (float, "B"), "n_constraints": (int, "")}
"""Facets that are numbers: how they are read, and their unit."""


def _title(view: str, benchmark: Benchmark) -> str:
    named = {one.facet: one.title for one in benchmark.breakdowns}
    words = [
        f"{_words(name)} of constraints" if name in {"group", "domain"} else _words(name)
        for name in view.split("+")
    ]
    return named.get(view) or f"By {', '.join(words)}"


def _words(view: str) -> str:
    return view.replace("_", " ").replace("+", ", ")


def _file_word(view: str) -> str:
    return re.sub(r"[^\w+-]+", "_", view)


def _constraint_sets(view: str, benchmark: Benchmark, names: Sequence[str]) -> ConstraintSets:
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
