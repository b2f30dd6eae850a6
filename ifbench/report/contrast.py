"""Tables of two runs side by side: figures with their difference, and item by item."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from ifbench.analysis.breakdown import MISSING, label_order
from ifbench.analysis.contrast import (
    CORRECT,
    Agreement,
    Difference,
    Pair,
    agreements,
    differences,
    is_graded,
    together,
)
from ifbench.analysis.intervals import Interval
from ifbench.analysis.pairing import Alone, Pairing
from ifbench.benchmarks.benchmark import Benchmark
from ifbench.constraints.constraint import Scripted
from ifbench.constraints.rule_sets import rule_set
from ifbench.metrics import Ratio
from ifbench.report import cells
from ifbench.report.cells import PAPER, Cell
from ifbench.report.identities import Sides
from ifbench.report.tables import Table
from ifbench.report.views import metrics_of
from ifbench.types import Rules

OTHER_TABLES = ("difference", "correct", "agreement")
"""The tables that are no breakdowns, by name."""


def contrast_tables(
    benchmark: Benchmark,
    sides: Sides,
    pairing: Pairing,
    views: Sequence[str] = (),
    *,
    with_paper: bool = False,
) -> list[Table]:
    """What differs between two runs over the samples that both scored.

    `sides` says what tells the two apart; `views` are facets of samples, by whose values the
    differences stand as well. `with_paper` sets printed figures beside ours, where the paper has
    both sides. Where one side was asked without constraints, correctness is all that can be
    compared. Of the same answers only attempts that both have are compared; else, where their numbers
    are unlike, each side's figures are means over all of its attempts. Raises `ValueError` where a sample's checklists differ otherwise.
    """
    is_averaged = pairing.has_unequal_attempts and not sides.is_of_same_answers
    pairs = pairing.evened() if is_averaged else pairing.shared
    names, metrics, source = sides.names, metrics_of(benchmark), benchmark if with_paper else None
    unchecked = [name for name, asks in zip(names, _asks(pairs), strict=True) if not asks]
    tables: list[Table] = []
    if not unchecked:
        tables.append(_difference_table(names, pairs, metrics, source))
    if any(is_graded(one) and is_graded(two) for one, two in pairs):
        tables.append(_correctness_table(names, pairs))
    if not unchecked:
        tables += [
            _difference_by(view, benchmark.orders, names, pairs, metrics, source) for view in views
        ]
        found = agreements(pairing.shared)
        tables += [_agreement_table(sides, found, _rules(pairs))] if found else []
        missing = () if found else (_NO_ITEMS,)
    else:
        missing = (_NOTHING_CHECKED.format(" and ".join(unchecked)),)
    if not tables:
        raise ValueError(
            f"nothing is checked in the samples of {' and '.join(unchecked)}, and no answer was "
            "graded on both sides"
        )
    left = _left_out(names, pairing.alone)
    notes = {"agreement": left} if is_averaged else {}
    others = (*_left_out(names, pairing.alone, with_attempts=not is_averaged), *missing)
    averaged = (_AVERAGED,) if is_averaged else ()
    return [replace(t, notes=(*t.notes, *notes.get(t.name, (*averaged, *others)))) for t in tables]


_AVERAGED = (
    "the sides made unlike numbers of attempts: each figure is the mean over all attempts of its "
    "side at a sample; the counts are of pairs of attempts."
)


def _left_out(
    names: tuple[str, str], alone: tuple[Alone, Alone], *, with_attempts: bool = True
) -> tuple[str, ...]:
    """For each side, how many of its trials stand in no figure, and why."""
    return tuple(
        f"left out: {sum(counts.values())} trials of {own} that {other} does not have "
        f"({', '.join(f'{count} for want of the {why}' for why, count in counts.items() if count)})."
        for own, other, one in zip(names, reversed(names), alone, strict=True)
        for counts in [_counts(one, with_attempts=with_attempts)]
        if any(counts.values())
    )


def _counts(one: Alone, *, with_attempts: bool) -> Mapping[str, int]:
    attempts = {"attempt": one.attempts} if with_attempts else {}
    return {"model": one.models, "sample": one.samples, **attempts}


_NO_ITEMS = "no table of verdicts item by item: no sample has an item on its checklist."
_NOTHING_CHECKED = (
    "correctness alone is compared: nothing is checked in the samples of {}, so there are no "
    "differences of metrics and no verdicts item by item."
)


def _asks(pairs: Sequence[Pair]) -> tuple[bool, bool]:
    """For each side, whether any of its samples has something to check."""
    first, second = (
        any(pair[at].constraints or pair[at].tasks_done for pair in pairs) for at in (0, 1)
    )
    return first, second


def _correctness_table(names: tuple[str, str], pairs: Sequence[Pair]) -> Table:
    """The share of right answers on both sides, by discipline (SciMIF, Figure 7)."""
    lines: dict[tuple[str, str], list[Pair]] = {}
    for pair in pairs:
        candidate, discipline = _models(pair), pair[0].facets.get("discipline", "(none)")
        lines.setdefault((candidate, discipline), []).append(pair)
        lines.setdefault((candidate, "all"), []).append(pair)
    rows: list[tuple[str | Cell, ...]] = []
    for (candidate, label), own in sorted(lines.items(), key=lambda line: line[0][1] == "all"):
        found = differences(own, {"correct": CORRECT}, is_graded)["correct"]
        done = cells.part(found.pairs, found.total, ("graded", "total"))
        rows.append((candidate, label, done, *_difference_cells(found)))
    return Table(
        name="correct",
        title=f"Correct answers: {names[0]} against {names[1]} (percent)",
        columns=("model", "discipline", "graded/total", *names, "difference", "95 % interval"),
        rows=tuple(rows),
        notes=("over samples graded on both sides; the difference is the second less the first.",),
    )


def _models(pair: Pair) -> str:
    """What a row is about: a model, or two where the sides have one each."""
    first, second = (score.candidate for score in pair)
    return first if first == second else f"{first} against {second}"


def _difference_by(
    view: str,
    orders: Mapping[str, Sequence[str]],
    names: tuple[str, str],
    pairs: Sequence[Pair],
    metrics: Mapping[str, Ratio],
    paper: Benchmark | None,
) -> Table:
    """The same by the values of a facet, as Table 4 of Video-IFBench has it by template."""
    facets = view.split("+")
    lines: dict[tuple[str, tuple[str, ...]], list[Pair]] = {}
    for pair in pairs:
        labels = tuple(pair[0].facets.get(name, MISSING) for name in facets)
        lines.setdefault((_models(pair), labels), []).append(pair)
    rows: list[tuple[str | Cell, ...]] = []
    for (_, labels), own in sorted(
        lines.items(), key=lambda line: label_order(line[0][1], view, orders)
    ):
        words = ", ".join(labels)
        columns = [cells.facet_column(name, _TAKEN) for name in facets]
        label = Cell(text=words, data=dict(zip(columns, labels, strict=True)))
        rows += [
            (candidate, label, *cells_)
            for candidate, *cells_ in _rows(own, metrics, _printed(paper, view, words, own))
        ]
    return Table(
        name=cells.file_word(view),
        title=f"{names[0]} against {names[1]}, by {view.replace('_', ' ')} (percent)",
        columns=(
            "model", view.replace("_", " "), "metric", "complete/total", *names, "difference",
            "95 % interval",
        ),
        rows=tuple(rows),
    )  # fmt: skip


_TAKEN = frozenset({
    "model", "metric", "complete", "total", "first", "second", "difference", "difference_low_95",
    "difference_high_95", "is_resolved",
})  # fmt: skip
"""The other columns of these tables for programs."""


def _difference_table(
    names: tuple[str, str],
    pairs: Sequence[Pair],
    metrics: Mapping[str, Ratio],
    paper: Benchmark | None,
) -> Table:
    by_candidate: dict[str, list[Pair]] = {}
    for pair in pairs:
        by_candidate.setdefault(_models(pair), []).append(pair)
    rows = [
        row
        for own in by_candidate.values()
        for row in _rows(own, metrics, _printed(paper, "overall", "overall", own))
    ]
    return Table(
        name="difference",
        title=f"{names[0]} against {names[1]} (percent)",
        columns=("model", "metric", "complete/total", *names, "difference", "95 % interval"),
        rows=tuple(rows),
        notes=(
            "over samples that both sides decided; the difference is the second less the first.",
            "not resolved: the interval holds zero, or there are too few questions for one.",
        ),
    )


_Both = Mapping[str, tuple[float, float]]
"""A paper's figures of the two sides in percent, by metric."""


def _printed(paper: Benchmark | None, view: str, label: str, pairs: Sequence[Pair]) -> _Both:
    """What a paper prints of both sides; empty where it has only one, or one for both."""
    if paper is None:
        return {}
    sides = [(paper.printed_for(score.judge), score.candidate) for score in pairs[0]]
    if sides[0] == sides[1]:
        return {}
    first, second = (printed(view, candidate).get(label, {}) for printed, candidate in sides)
    return {metric: (first[metric], second[metric]) for metric in first if metric in second}


def _rows(
    pairs: Sequence[Pair], metrics: Mapping[str, Ratio], printed: _Both
) -> Iterator[tuple[str | Cell, ...]]:
    """A row for each metric of one model, and the paper's below it."""
    candidate = _models(pairs[0])
    for metric, found in differences(pairs, metrics).items():
        done = cells.part(found.pairs, found.total)
        yield candidate, metric, done, *_difference_cells(found)
        if metric in printed:
            yield f"{candidate} {PAPER}", metric, cells.part(None, None), *_paper(*printed[metric])


def _paper(first: float, second: float) -> tuple[Cell, ...]:
    return (
        cells.number("first", first, ".2f"),
        cells.number("second", second, ".2f"),
        cells.number("difference", second - first, "+.2f"),
        _interval_cell(None, is_resolved=None),
    )


def _difference_cells(found: Difference) -> tuple[Cell, ...]:
    return (
        cells.share("first", found.first),
        cells.share("second", found.second),
        cells.share("difference", found.value, form="+.2f"),
        _interval_cell(found.interval, is_resolved=found.is_resolved),
    )


def _interval_cell(interval: Interval | None, *, is_resolved: bool | None) -> Cell:
    low, high = interval or (None, None)
    sign = "not resolved" if is_resolved is False else ""
    span = cells.NONE if low is None or high is None else f"{100 * low:+.2f}..{100 * high:+.2f}"
    return Cell(
        text=f"{span}  {sign}".rstrip(),
        data={
            "difference_low_95": None if low is None else 100 * low,
            "difference_high_95": None if high is None else 100 * high,
            "is_resolved": is_resolved,
        },
    )


def _rules(pairs: Sequence[Pair]) -> set[Rules]:
    return {score.rules for pair in pairs for score in pair}


def _agreement_table(
    sides: Sides, found: Mapping[str, Agreement], rules: Collection[Rules]
) -> Table:
    """The items of both sides, one by one.

    How far two who decide agree is said only of the same answers; two models' answers to one
    question may well come out apart.
    """
    names, is_agreement = sides.names, sides.is_of_same_answers
    asked = [name for name in found if not all(_is_scripted(name, one) for one in rules)]
    rows = [_agreement_row(name, found[name], with_kappa=is_agreement) for name in found]
    sums = {"all that a model decides": asked, "all": list(found)}
    rows += [
        _agreement_row(title, together([found[n] for n in own]), with_kappa=is_agreement)
        for title, own in sums.items()
        if own or title == "all"
    ]
    notes = _agreement_notes(len(asked), len(found)) if is_agreement else (_NO_AGREEMENT,)
    return Table(
        name="agreement",
        title=(
            f"Verdicts of {names[0]} and {names[1]}, item by item"
            if is_agreement
            else f"Items of {names[0]} and {names[1]}, one by one"
        ),
        columns=(
            "constraint", "compared", "both pass", "both fail", f"only {names[0]}",
            f"only {names[1]}", "undecided", *(("agreement", "kappa") if is_agreement else ()),
        ),
        rows=tuple(rows),
        notes=(*notes, "undecided: by one or both; in no other column."),
    )  # fmt: skip


_NO_AGREEMENT = "the sides differ in more than who decides, so this is no agreement of judges, and has no kappa."


def _agreement_notes(asked: int, known: int) -> tuple[str, ...]:
    kappa = "kappa: Cohen's; – where both gave one and the same verdict throughout."
    if not asked:
        return (kappa, "scripts alone decided: this says nothing of how far judges agree.")
    if asked < known:
        return (kappa, "of judges, `all that a model decides` says how far they agree.")
    return (kappa,)


def _is_scripted(name: str, rules: Rules) -> bool:
    known = rule_set(rules).get(name)
    return known is not None and isinstance(known.method, Scripted)


def _agreement_row(name: str, one: Agreement, *, with_kappa: bool) -> tuple[str | Cell, ...]:
    counts = ("compared", "both_pass", "both_fail", "only_first", "only_second", "undecided")
    figures = (
        cells.share("agreement", one.share),
        cells.number("kappa", one.kappa, ".3f"),
    )
    return (
        name,
        *(cells.count(kind, getattr(one, kind)) for kind in counts),
        *(figures if with_kappa else ()),
    )
