"""The metrics of both papers, each a few lines over scores, and the rule for missing verdicts.

A metric is defined over *complete* scores. `bounded` adds how low and how high the figure
could be over all samples, were every undecided verdict a fail or a pass.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, repeat
from statistics import fmean
from types import MappingProxyType
from typing import Final, TypeAlias

from ifbench.score_table import Part, changed, counted, kept
from ifbench.types import Score

Parts: TypeAlias = tuple[float, float]
"""What one sample adds to a metric: to the sum, and to what the sum is divided by."""

METRIC_PARTS: Final[tuple[Part, ...]] = ("verdicts", "who")
"""All of a score that a metric hangs on: how its items and tasks came out, and by which rules."""

Metric: TypeAlias = Callable[[Sequence[Score]], float | None]
"""From complete scores to a share in 0..1; `None` where nothing can be averaged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """A metric that is one sum over another; so it can be drawn again and again (intervals)."""

    parts: Callable[[Score], Parts]
    """May look at what `METRIC_PARTS` names."""

    def __call__(self, scores: Sequence[Score]) -> float | None:
        pairs = [(self.parts(score), count) for score, count in counted(scores, *METRIC_PARTS)]
        above, below = (
            math.fsum(chain.from_iterable(repeat(parts[at], count) for parts, count in pairs))
            for at in (0, 1)
        )
        return above / below if below else None


def _csr(score: Score) -> Parts:
    return (fmean(map(bool, score.satisfied)), 1.0) if score.satisfied else (0.0, 0.0)


def _isr(score: Score) -> Parts:
    return (float(all(score.satisfied)), 1.0) if score.satisfied else (0.0, 0.0)


def _drfr(score: Score) -> Parts:
    met = [bool(value) for parts in score.requirements for value in parts]
    return float(sum(met)), float(len(met))


csr = Ratio(parts=_csr)
"""Constraint satisfaction rate: the mean over samples of the share of items satisfied.

SciMIF, D.1. A sample without items has no share and is left out.
"""

isr = Ratio(parts=_isr)
"""Instruction satisfaction rate: the share of samples with every item satisfied (D.1)."""

drfr = Ratio(parts=_drfr)
"""Decomposed requirements following ratio: the share of all requirements met (D.1)."""


def _covers(score: Score) -> bool:
    """The task gate: every task is attempted. A sample without tasks has nothing to miss."""
    return all(score.tasks_done)


def _tcsr(score: Score) -> Parts:
    return (_met(score) if _covers(score) else 0.0), 1.0


def _tisr(score: Score) -> Parts:
    return float(_covers(score) and all(score.satisfied)), 1.0


def _met(score: Score) -> float:
    if score.satisfied:
        return fmean(map(bool, score.satisfied))
    # Nothing is asked for, so nothing is missing; the release's scorer gives such a sample 0.
    return 0.0 if score.rules == "release" else 1.0


def _tpr(score: Score) -> Parts:
    return float(sum(map(bool, score.tasks_done))), float(len(score.tasks_done))


def _atp(score: Score) -> Parts:
    return (float(_covers(score)), 1.0) if score.tasks_done else (0.0, 0.0)


tcsr = Ratio(parts=_tcsr)
"""Task-gated constraint satisfaction rate: the mean over samples of the share of items satisfied,
0 where a task is left out (Video-IFBench, equation 1).

A sample without items counts as all satisfied, as in TISR, so that TISR is never above TCSR;
under `rules=release` it counts 0, as the release's scorer has it.
"""

tisr = Ratio(parts=_tisr)
"""Task-gated instruction satisfaction rate: the share of samples with every task attempted and
every item satisfied (Video-IFBench, equation 1)."""

task_pass_rate = Ratio(parts=_tpr)
"""The share of all tasks that are attempted (Video-IFBench, Tables 2a and 3, Figure 6)."""

all_tasks_passed = Ratio(parts=_atp)
"""The share of samples with every task attempted: the mean of the task gate."""

METRICS: Mapping[str, Ratio] = MappingProxyType({"CSR": csr, "ISR": isr, "DRFR": drfr})
"""SciMIF's."""

VIDEO_METRICS: Mapping[str, Ratio] = MappingProxyType(
    {"TCSR": tcsr, "TISR": tisr, "TPR": task_pass_rate, "ATP": all_tasks_passed}
)
"""Video-IFBench's."""

ALL_METRICS: Mapping[str, Ratio] = MappingProxyType({**METRICS, **VIDEO_METRICS})
"""By the names that benchmarks give in `metrics`."""


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
    interval: tuple[float, float] | None = None
    """95 %, of the value; where it was asked for and there are enough questions."""

    @property
    def is_partial(self) -> bool:
        return self.complete < self.total


def bounded(metric: Metric, scores: Sequence[Score]) -> Figure:
    """Compute a metric with its bounds over incomplete samples."""
    complete = kept(scores, is_complete, "verdicts")
    value = metric(complete)
    if len(complete) == len(scores):
        return Figure(value=value, low=value, high=value, complete=len(complete), total=len(scores))
    return Figure(
        value=value,
        low=metric(changed(scores, partial(fill, passed=False), "verdicts")),
        high=metric(changed(scores, partial(fill, passed=True), "verdicts")),
        complete=len(complete),
        total=len(scores),
    )


def is_complete(score: Score) -> bool:
    """True where every item and task is decided."""
    return score.is_complete


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


def _strict_mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known and len(known) == len(values) else None
