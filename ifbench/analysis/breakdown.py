"""Metrics by facet: one of the three verbs of analysis. A depth, a source, a modality is an argument."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from ifbench.analysis.intervals import intervals
from ifbench.metrics import METRICS, Figure, Ratio, bounded, restrict
from ifbench.types import Cause, FailureKind, Score, Stop

MISSING = "(none)"
"""The label of scores that lack a facet; they are shown, never dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One row of a breakdown."""

    label: str
    figures: Mapping[str, Figure]
    """By metric name."""

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
    complete = [score for score in scores if score.is_complete]
    found = intervals(metrics, complete)
    return {
        name: replace(bounded(metric, scores), interval=found[name])
        for name, metric in metrics.items()
    }


def breakdown(
    scores: Sequence[Score],
    facet: str,
    *,
    order: Sequence[str] = (),
    metrics: Mapping[str, Ratio] = METRICS,
) -> list[Line]:
    """Metrics for each value of a facet: the named values first, others in their order of text.

    Two facets joined by `+` give a line for each pair of values.
    """
    by_value: dict[str, list[Score]] = {}
    for score in scores:
        value = ", ".join(score.facets.get(name, MISSING) for name in facet.split("+"))
        by_value.setdefault(value, []).append(score)
    labels = [*(v for v in order if v in by_value), *sorted(by_value.keys() - set(order))]
    return [Line(label=v, figures=figures(by_value[v], metrics)) for v in labels]


def constraint_breakdown(
    scores: Sequence[Score],
    sets: Mapping[str, Collection[str]],
    *,
    metrics: Mapping[str, Ratio] = METRICS,
) -> list[Line]:
    """Metrics for each set of constraints, every sample cut down to its items of that set.

    A sample without such an item does not count into the set's complete / total.
    """
    lines = []
    for label, constraint_ids in sets.items():
        cut = [restrict(score, constraint_ids) for score in scores]
        kept = [score for score in cut if score.satisfied]
        if kept:
            lines.append(Line(label=label, figures=figures(kept, metrics)))
    return lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """How the candidates' answers came out; shown beside every score."""

    total: int
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
    kinds = Counter(score.failure for score in scores)
    model_failures = {
        FailureKind.REFUSAL,
        FailureKind.CONTENT_FILTER,
        FailureKind.CONTEXT_OVERFLOW,
        FailureKind.EMPTY,
    }
    missing = sum(
        score.failure not in model_failures if score.failure else not score.response_key
        for score in scores
    )
    return Answers(
        total=len(scores),
        answered=len(scores) - missing,
        truncated=sum(score.stop is Stop.LENGTH for score in scores),
        refused=kinds[FailureKind.REFUSAL],
        filtered=kinds[FailureKind.CONTENT_FILTER],
        overflowed=kinds[FailureKind.CONTEXT_OVERFLOW],
        empty=kinds[FailureKind.EMPTY],
        missing=missing,
        causes=dict(Counter(cause for score in scores for cause in score.causes).most_common()),
    )
