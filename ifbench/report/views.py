"""One breakdown as a table: by facets of samples, by sets of constraints, by fields of models.

A view is a name or several joined by `+`: `discipline`, `discipline+modality`, `family+domain`.

Facets of samples and sets of constraints give each model rows of its own. A field of the models
(`family`, `access`, `billions`, `thinking`) puts models together: a row is then the unweighted
mean of its models' figures, each model weighing the same, with the number of models, and with
complete / total summed over them. Models whose file does not say stand in a row `—`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from ifbench.analysis.breakdown import (
    MISSING,
    ConstraintSets,
    Line,
    binned,
    breakdown,
    grouped,
    label_order,
    macro_figure,
    mean_figures,
    narrowed,
)
from ifbench.benchmarks.benchmark import Benchmark, Breakdown
from ifbench.constraints import all_constraints
from ifbench.metrics import ALL_METRICS, Figure, Ratio
from ifbench.report import cells
from ifbench.report.cells import PAPER, Cell, Value
from ifbench.report.tables import Table
from ifbench.score_table import counted
from ifbench.stages.score import MODEL_FACETS
from ifbench.types import Score

UNSAID = "—"
"""The label of models that a field does not describe."""

Row = tuple[str | Cell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _View:
    """What one table is to show."""

    benchmark: Benchmark
    one: Breakdown
    sets: Mapping[str, ConstraintSets]
    metrics: Mapping[str, Ratio]

    @property
    def facet(self) -> str:
        return self.one.facet

    @property
    def name(self) -> str:
        return self.one.view

    @property
    def orders(self) -> Mapping[str, Sequence[str]]:
        own = {self.facet: self.one.bins or self.one.order}
        return {**self.benchmark.orders, **({k: v for k, v in own.items() if v})}

    @property
    def taken(self) -> frozenset[str]:
        """Columns for programs that a facet of the same name would hide, or be hidden by."""
        metrics = (*self.metrics, "overall")
        figures = [f"{metric}{end}" for metric in metrics for end in cells.FIGURE_ENDS]
        return frozenset(("model", "models", "complete", "total", *figures))

    @property
    def title(self) -> str:
        words = [
            f"{_words(name)} of constraints"
            if name in {"group", "domain", "kind"}
            else _words(name)
            for name in self.facet.split("+")
        ]
        return self.one.title or f"By {', '.join(words)}"

    @property
    def notes(self) -> list[str]:
        only = [
            f"only samples whose {_words(facet)} is {' or '.join(values)}."
            for facet, values in self.one.where.items()
        ]
        cut = [f"each sample cut down to its items of the {name}." for name in self.sets]
        least = [f"the {self.one.lowest} lowest, by the mean over the models."]
        return [*only, *cut, *(least if self.one.lowest else [])]

    def order(self, labels: Sequence[str]) -> tuple[tuple[int, float, str], ...]:
        return label_order(labels, self.facet, self.orders, self.sets)

    def chosen(self, scores: Sequence[Score]) -> Sequence[Score]:
        kept = narrowed(scores, self.one.where) if self.one.where else scores
        return binned(kept, self.facet, self.one.bins) if self.one.bins else kept


def view_table(
    view: str, benchmark: Benchmark, by_candidate: Mapping[str, Sequence[Score]]
) -> Table:
    """The metrics by one view, for one model or several."""
    one = benchmark.breakdown(view)
    names = one.facet.split("+")
    every = (score for scores in by_candidate.values() for score, _ in counted(scores, "items"))
    ids = sorted({name for score in every for name in score.constraints})
    sets = {
        n: _constraint_sets(n, benchmark, ids) for n in names if n in benchmark.constraint_views
    }
    wanted = one.metrics or (benchmark.item_metrics if sets else ()) or benchmark.metrics
    shown = _View(
        benchmark=benchmark,
        one=one,
        sets=sets,
        metrics={name: ALL_METRICS[name] for name in wanted},
    )
    chosen = {name: shown.chosen(scores) for name, scores in by_candidate.items()}
    if set(names) & set(MODEL_FACETS):
        return _table_of_groups(shown, chosen)
    return _table_of_models(shown, chosen)


def metrics_of(benchmark: Benchmark) -> Mapping[str, Ratio]:
    """The benchmark's metrics, by name."""
    return {name: ALL_METRICS[name] for name in benchmark.metrics}


def overall_figure(benchmark: Benchmark, by_model: Sequence[Sequence[Score]]) -> Figure:
    """The benchmark's headline of one model, or its mean over several."""
    over = benchmark.headline_over
    values = benchmark.headline_values or sorted(
        {label for scores in by_model for (label,) in grouped(scores, over)}
    )
    return macro_figure(ALL_METRICS[benchmark.headline], by_model, over, values)


# ── A row for each model ─────────────────────────────────────────────────────────────


def _table_of_models(shown: _View, by_candidate: Mapping[str, Sequence[Score]]) -> Table:
    printed = {name: shown.benchmark.printed(shown.name, name) for name in by_candidate}
    several = len(by_candidate) > 1 or any(printed.values())
    lines = {
        name: breakdown(
            scores, shown.facet, orders=shown.orders, sets=shown.sets, metrics=shown.metrics
        )
        for name, scores in by_candidate.items()
    }
    kept = _lowest(shown, lines)
    rows: list[tuple[tuple[str, ...], Row]] = []
    for candidate, own in lines.items():
        for line in own:
            label = _label_cell(shown, line.labels, model=candidate)
            model = (candidate,) if several else ()
            rows.append((line.labels, (label, *model, *figure_cells(line.figures))))
            if found := printed[candidate].get(line.label):
                paper: Row = (label, f"{candidate} {PAPER}", *printed_cells(found, shown.metrics))
                rows.append((line.labels, paper))
    if kept is None:
        rows.sort(key=lambda row: shown.order(row[0]))
    else:
        rows = [row for labels in kept for row in rows if row[0] == labels]
    return Table(
        name=cells.file_word(shown.name),
        title=shown.title,
        columns=(
            _words(shown.facet),
            *(("model",) if several else ()),
            "complete/total",
            *shown.metrics,
        ),
        rows=tuple(row for _, row in rows),
        notes=tuple(shown.notes),
    )


def _lowest(shown: _View, lines: Mapping[str, Sequence[Line]]) -> list[tuple[str, ...]] | None:
    """The labels to show where only the lowest are wanted, the lowest first."""
    if not shown.one.lowest:
        return None
    metric = next(iter(shown.metrics))
    values: dict[tuple[str, ...], list[float]] = {}
    for line in (line for own in lines.values() for line in own):
        value = line.figures[metric].value
        if value is not None:
            values.setdefault(line.labels, []).append(value)
    ranked = sorted(values, key=lambda labels: (fmean(values[labels]), labels))
    return ranked[: shown.one.lowest]


# ── A row for a group of models ──────────────────────────────────────────────────────


def _table_of_groups(shown: _View, by_candidate: Mapping[str, Sequence[Score]]) -> Table:
    benchmark, view = shown.benchmark, shown.facet
    groups: dict[tuple[str, ...], list[Sequence[Score]]] = {}
    for scores in by_candidate.values():
        for labels, own in grouped(scores, view, shown.sets).items():
            groups.setdefault(labels, []).append(own)
    # Overall is over all samples and items of a model: where they are cut down there is none.
    is_whole = bool(benchmark.headline_over) and set(view.split("+")) <= set(MODEL_FACETS)
    rows = [
        (
            _label_cell(shown, labels),
            cells.count("models", len(groups[labels])),
            *figure_cells(mean_figures(groups[labels], shown.metrics)),
            *(
                (cells.figure("overall", overall_figure(benchmark, groups[labels])),)
                if is_whole
                else ()
            ),
        )
        for labels in sorted(groups, key=shown.order)
    ]
    unsaid = any(
        name in MODEL_FACETS and label == MISSING
        for labels in groups
        for name, label in zip(view.split("+"), labels, strict=True)
    )
    overall = ("overall",) if is_whole else ()
    return Table(
        name=cells.file_word(shown.name),
        title=shown.title,
        columns=(_words(view), "models", "complete/total", *shown.metrics, *overall),
        rows=tuple(rows),
        notes=(
            "each figure is the unweighted mean of the models' own; complete/total sums over them.",
            *((f"{UNSAID}: models whose configuration does not say.",) if unsaid else ()),
            *shown.notes,
        ),
    )


# ── Cells and words ──────────────────────────────────────────────────────────────────


def figure_cells(figures: Mapping[str, Figure]) -> tuple[Cell, ...]:
    """Complete / total, and the metrics."""
    first = next(iter(figures.values()))
    return (
        cells.part(first.complete, first.total),
        *(cells.figure(name, found) for name, found in figures.items()),
    )


def printed_cells(found: Mapping[str, float], metrics: Collection[str]) -> tuple[Cell, ...]:
    """The same columns, of what a paper prints."""
    return (
        cells.part(None, None),
        *(cells.printed_figure(name, found.get(name)) for name in metrics),
    )


def _label_cell(shown: _View, labels: Sequence[str], **more: str) -> Cell:
    """Shown as one text; in Arrow a column for each facet, a number where it is one."""
    texts: list[str] = []
    data: dict[str, Value] = {}
    for name, label in zip(shown.facet.split("+"), labels, strict=True):
        # A range of numbers is a text, and then so is a number beside it.
        text, value = (label, label) if shown.one.bins else _label(name, label)
        data[cells.facet_column(name, shown.taken)] = value
        texts.append(text)
    return Cell(text=", ".join(texts), data={**data, **more})


def _label(name: str, label: str) -> tuple[str, Value]:
    if label == MISSING:
        text = UNSAID if name in MODEL_FACETS else MISSING
        return text, None if name in _NUMBERS else text
    if name in _NUMBERS:
        return f"{label}{_NUMBERS[name][1]}", _NUMBERS[name][0](label)
    return label, label


_NUMBERS = {"billions": (float, "B"), "n_constraints": (int, "")}
"""Facets that are numbers: how they are read, and their unit."""


def _words(view: str) -> str:
    return view.replace("_", " ").replace("+", ", ")


def _constraint_sets(view: str, benchmark: Benchmark, names: Sequence[str]) -> ConstraintSets:
    """The constraints behind each row. In *domain* the constraint's own counts (Table 13)."""
    if view == "constraint":
        return {name: [name] for name in names}
    if view == "kind":
        kinds = {label: [n for n in names if n in ids] for label, ids in benchmark.kinds.items()}
        return {label: own for label, own in kinds.items() if own}
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
