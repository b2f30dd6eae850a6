"""Metrics by facet: one of the three verbs of analysis. A depth, a source, a modality is an argument.

A row is of one model, or of a group of models: then each metric is the unweighted mean of the
models' own figures, so that a model with more samples or attempts weighs no more than another.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import TypeAlias

from ifbench.analysis.intervals import intervals, mean_intervals, mean_macro_interval
from ifbench.metrics import METRICS, Figure, Ratio, bounded, is_complete, macro_mean, restrict
from ifbench.score_table import QUESTION, changed, counted, kept, parted
from ifbench.types import Cause, FailureKind, Score, Stop

MISSING = "(none)"
"""The label of scores that lack a facet; they are shown, never dropped."""

ConstraintSets: TypeAlias = Mapping[str, Collection[str]]
"""Sets of constraints, each by its label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One row of a breakdown."""

    labels: tuple[str, ...]
    """One for each facet."""
    figures: Mapping[str, Figure]
    """By metric name."""
    models: int = 1
    """The models that the figures are the mean of."""

    @property
    def label(self) -> str:
        return ", ".join(self.labels)

    @property
    def complete(self) -> int:
        return next(iter(self.figures.values())).complete

    @property
    def total(self) -> int:
        return next(iter(self.figures.values())).total


def figures(
    scores: Sequence[Score], metrics: Mapping[str, Ratio] = METRICS
) -> Mapping[str, Figure]:
    """Every metric over the same scores, with its interval."""
    found = intervals(metrics, kept(scores, is_complete, "verdicts"))
    return {
        name: replace(bounded(metric, scores), interval=found[name])
        for name, metric in metrics.items()
    }


def mean_figures(
    by_model: Sequence[Sequence[Score]], metrics: Mapping[str, Ratio] = METRICS
) -> Mapping[str, Figure]:
    """Every metric as the unweighted mean over models; complete and total are sums.

    There is no mean while one of the models has no figure: one over fewer would mislead.
    """
    found = mean_intervals(metrics, [kept(scores, is_complete, "verdicts") for scores in by_model])
    means = {
        name: macro_mean([bounded(metric, scores) for scores in by_model])
        for name, metric in metrics.items()
    }
    return {
        name: mean if mean.value is None else replace(mean, interval=found[name])
        for name, mean in means.items()
    }


def macro_figure(
    metric: Ratio, by_model: Sequence[Sequence[Score]], facet: str, values: Sequence[str]
) -> Figure:
    """A metric's unweighted mean over values of a facet (SciMIF's Overall), and then over models.

    There is none while a model lacks samples of a value: it would be taken for the paper's figure.
    """
    groups = [grouped(scores, facet) for scores in by_model]
    mean = macro_mean(
        [macro_mean([bounded(metric, own.get((value,), ())) for value in values]) for own in groups]
    )
    if mean.value is None:
        return mean
    parts = [[kept(own[value,], is_complete, "verdicts") for own in groups] for value in values]
    return replace(mean, interval=mean_macro_interval(metric, parts))


def breakdown(
    scores: Sequence[Score],
    facet: str,
    *,
    orders: Mapping[str, Sequence[str]] = MappingProxyType({}),
    sets: Mapping[str, ConstraintSets] = MappingProxyType({}),
    metrics: Mapping[str, Ratio] = METRICS,
) -> list[Line]:
    """Metrics for each value of a facet: the values that `orders` names first, then numbers, texts.

    Facets joined by `+` give a line for each combination of values. A name in `sets` is no facet
    of samples but of constraints: every sample is cut down to its items of each set, and one
    without such an item does not count into the set's complete / total.
    """
    groups = grouped(scores, facet, sets)
    return [
        Line(labels=labels, figures=figures(groups[labels], metrics))
        for labels in sorted(groups, key=lambda labels: label_order(labels, facet, orders, sets))
    ]


def constraint_breakdown(
    scores: Sequence[Score],
    sets: ConstraintSets,
    *,
    metrics: Mapping[str, Ratio] = METRICS,
) -> list[Line]:
    """Metrics for each set of constraints, in the order of the sets."""
    return breakdown(scores, "set", sets={"set": sets}, metrics=metrics)


def narrowed(scores: Sequence[Score], where: Mapping[str, Collection[str]]) -> Sequence[Score]:
    """The scores whose facets have one of the wanted values each."""

    def is_wanted(score: Score) -> bool:
        return all(score.facets.get(facet, MISSING) in values for facet, values in where.items())

    return kept(_told(scores, where), is_wanted, "facets")


def binned(scores: Sequence[Score], facet: str, bins: Sequence[str]) -> Sequence[Score]:
    """The scores with a number among their facets put into its range, `1-4` or `9+`."""

    def put(score: Score) -> Score:
        if facet not in score.facets:
            return score
        return replace(score, facets={**score.facets, facet: bin_of(score.facets[facet], bins)})

    return changed(_told(scores, (facet,)), put, "facets")


def bin_of(number: str, bins: Sequence[str]) -> str:
    """The range that holds a number; the number itself where none does."""
    if not number.isdecimal():
        return number
    for label in bins:
        low, _, high = label.removesuffix("+").partition("-")
        if int(low) <= int(number) and (label.endswith("+") or int(number) <= int(high or low)):
            return label
    return number


def grouped(
    scores: Sequence[Score], facet: str, sets: Mapping[str, ConstraintSets] = MappingProxyType({})
) -> Mapping[tuple[str, ...], Sequence[Score]]:
    """The scores under each combination of labels, one label for each facet joined by `+`."""
    names = facet.split("+")
    groups: dict[tuple[str, ...], Sequence[Score]] = {(): _told(scores, names)}
    for name in names:
        groups = {
            (*labels, label): own
            for labels, whole in groups.items()
            for label, own in (
                _cut(whole, sets[name]) if name in sets else _parted(whole, name)
            ).items()
        }
    return groups


def label_order(
    labels: Sequence[str],
    facet: str,
    orders: Mapping[str, Sequence[str]] = MappingProxyType({}),
    sets: Mapping[str, ConstraintSets] = MappingProxyType({}),
) -> tuple[tuple[int, float, str], ...]:
    """What sorts lines: by place in `orders` or among the sets, by number, by text, missing last."""
    named = [tuple(sets.get(name, orders.get(name, ()))) for name in facet.split("+")]
    return tuple(_rank(label, places) for label, places in zip(labels, named, strict=True))


def _rank(label: str, named: Sequence[str]) -> tuple[int, float, str]:
    if label in named:
        return 0, named.index(label), label
    if _NUMBER.fullmatch(label):
        return 1, float(label), label
    return (3 if label == MISSING else 2), 0, label


_NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")


def _told(scores: Sequence[Score], facets: Collection[str]) -> Sequence[Score]:
    """The scores; whole, where they are to be told apart by their questions."""
    return list(scores) if QUESTION in facets else scores


def _parted(scores: Sequence[Score], facet: str) -> Mapping[str, Sequence[Score]]:
    return parted(scores, lambda score: score.facets.get(facet, MISSING), "facets")


def _cut(scores: Sequence[Score], sets: ConstraintSets) -> Mapping[str, Sequence[Score]]:
    parts = {}
    for label, constraint_ids in sets.items():
        if own := kept(scores, partial(_has_item, constraint_ids=constraint_ids), "items"):
            cut = partial(restrict, constraint_ids=constraint_ids)
            parts[label] = changed(own, cut, "items", "verdicts")
    return parts


def _has_item(score: Score, constraint_ids: Collection[str]) -> bool:
    return any(name in constraint_ids for name in score.constraints)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """How the candidates' answers came out; shown beside every score."""

    planned: int
    answered: int
    truncated: int
    """Cut off at the token limit; verified as they stand."""
    refused: int
    filtered: int
    overflowed: int
    empty: int
    missing: int
    """No answer for want of infrastructure; owed."""
    causes: Mapping[Cause, int]
    """Samples with something undecided, by cause; a sample may stand under several."""


def answers(scores: Sequence[Score]) -> Answers:
    """Count what happened to the answers."""
    kinds: Counter[FailureKind | None] = Counter()
    causes: Counter[Cause] = Counter()
    missing = truncated = 0
    model_failures = {
        FailureKind.REFUSAL,
        FailureKind.CONTENT_FILTER,
        FailureKind.CONTEXT_OVERFLOW,
        FailureKind.EMPTY,
    }
    for score, count in counted(scores, "answer"):
        kinds[score.failure] += count
        is_missing = (
            score.failure not in model_failures if score.failure else not score.response_key
        )
        missing += count * is_missing
        truncated += count * (score.stop is Stop.LENGTH)
        for cause in score.causes:
            causes[cause] += count
    return Answers(
        planned=len(scores),
        answered=len(scores) - missing,
        truncated=truncated,
        refused=kinds[FailureKind.REFUSAL],
        filtered=kinds[FailureKind.CONTENT_FILTER],
        overflowed=kinds[FailureKind.CONTEXT_OVERFLOW],
        empty=kinds[FailureKind.EMPTY],
        missing=missing,
        causes=dict(causes.most_common()),
    )
