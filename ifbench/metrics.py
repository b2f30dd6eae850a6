"""The metrics of both papers, each a few lines over scores, and the rule for missing verdicts.

A metric is defined over *complete* scores. `bounded` adds how low and how high the figure
could be over all samples, were every undecided verdict a fail or a pass.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from types import MappingProxyType
from typing import TypeAlias

from ifbench.types import Score

Metric: TypeAlias = Callable[[Sequence[Score]], float | None]
"""From complete scores to a share in 0..1; `None` where nothing can be averaged."""


def csr(scores: Sequence[Score]) -> float | None:
    """Constraint satisfaction rate: the mean over samples of the share of items satisfied.

    SciMIF, D.1. A sample without items has no share and is left out.
    """
    return _mean(fmean(map(bool, s.satisfied)) for s in scores if s.satisfied)


def isr(scores: Sequence[Score]) -> float | None:
    """Instruction satisfaction rate: the share of samples with every item satisfied (D.1)."""
    return _mean(float(all(s.satisfied)) for s in scores if s.satisfied)


def drfr(scores: Sequence[Score]) -> float | None:
    """Decomposed requirements following ratio: the share of all requirements met (D.1)."""
    return _mean(float(bool(r)) for s in scores for parts in s.requirements for r in parts)


METRICS: Mapping[str, Metric] = MappingProxyType({"CSR": csr, "ISR": isr, "DRFR": drfr})


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A metric over a set of scores, with what it rests on."""

    value: float | None
    """Over the complete scores."""
    low: float | None
    """Over all scores, every undecided verdict counted as failed."""
    high: float | None
    """Over all scores, every undecided verdict counted as passed."""
    complete: int
    total: int

    @property
    def is_partial(self) -> bool:
        return self.complete < self.total


def bounded(metric: Metric, scores: Sequence[Score]) -> Figure:
    """Compute a metric with its bounds over incomplete samples."""
    complete = [score for score in scores if score.is_complete]
    value = metric(complete)
    if len(complete) == len(scores):
        return Figure(value=value, low=value, high=value, complete=len(complete), total=len(scores))
    return Figure(
        value=value,
        low=metric([fill(score, passed=False) for score in scores]),
        high=metric([fill(score, passed=True) for score in scores]),
        complete=len(complete),
        total=len(scores),
    )


def macro_mean(figures: Sequence[Figure]) -> Figure:
    """The unweighted mean of figures: SciMIF's Overall is that of the five disciplines' ISR.

    The value is missing while one of the figures is: a mean over fewer would mislead.
    """
    return Figure(
        value=_strict_mean([figure.value for figure in figures]),
        low=_strict_mean([figure.low for figure in figures]),
        high=_strict_mean([figure.high for figure in figures]),
        complete=sum(figure.complete for figure in figures),
        total=sum(figure.total for figure in figures),
    )


def fill(score: Score, *, passed: bool) -> Score:
    """The score with every undecided verdict decided one way."""
    return replace(
        score,
        satisfied=tuple(passed if v is None else v for v in score.satisfied),
        requirements=tuple(
            tuple(passed if v is None else v for v in parts) for parts in score.requirements
        ),
        tasks_done=tuple(passed if v is None else v for v in score.tasks_done),
    )


def restrict(score: Score, constraint_ids: Collection[str]) -> Score:
    """The score as if its checklist held only items of the named constraints."""
    kept = [i for i, name in enumerate(score.constraints) if name in constraint_ids]
    return replace(
        score,
        constraints=tuple(score.constraints[i] for i in kept),
        satisfied=tuple(score.satisfied[i] for i in kept),
        requirements=tuple(score.requirements[i] for i in kept),
        tasks_done=(),
    )


def _mean(values: Iterable[float]) -> float | None:
    kept = list(values)
    return fmean(kept) if kept else None


def _strict_mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known and len(known) == len(values) else None
