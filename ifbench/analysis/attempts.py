"""Repeated attempts at the same samples: how a figure varies, and what at least one attempt reaches.

A run with `attempts=k` asks each sample k times. Its tables average over all attempts; here they
are told apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from ifbench.metrics import METRIC_PARTS, Ratio
from ifbench.score_table import by_kind, tries
from ifbench.types import Score


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempts:
    """One metric over the samples that are complete in every attempt."""

    count: int
    """Attempts at each sample."""
    by_attempt: tuple[float, ...]
    """The metric of each attempt, in their order, as a share."""
    any_passed: float
    """The share of samples that at least one attempt passes whole: pass@k, k the count."""
    all_passed: float
    """The share of samples that every attempt passes whole."""
    samples: int
    """Samples that are complete in every attempt."""
    total: int

    @property
    def mean(self) -> float:
        """The mean over attempts; of a metric that is 0 or 1 for a sample, pass@1."""
        return fmean(self.by_attempt)

    @property
    def spread(self) -> float:
        """The standard deviation over attempts (n - 1)."""
        return stdev(self.by_attempt)


def attempts(scores: Sequence[Score], metric: Ratio) -> Attempts | None:
    """What becomes of one candidate's metric over attempts.

    `None` with fewer than two attempts, or where no sample is complete in all of them.
    """
    firsts, kinds = by_kind(scores, *METRIC_PARTS)
    by_sample: dict[str, dict[int, Score]] = {}
    for (sample_id, attempt), kind in zip(tries(scores), kinds.data, strict=True):
        by_sample.setdefault(sample_id, {})[attempt] = firsts[kind]
    numbers = sorted({attempt for own in by_sample.values() for attempt in own})
    whole = [
        [own[number] for number in numbers]
        for own in by_sample.values()
        if len(own) == len(numbers) and all(score.is_complete for score in own.values())
    ]
    values = [metric([own[place] for own in whole]) for place in range(len(numbers))]
    known = tuple(value for value in values if value is not None)
    if len(numbers) < 2 or len(known) < len(numbers):
        return None
    passed = [[_is_whole(metric, score) for score in own] for own in whole]
    return Attempts(
        count=len(numbers),
        by_attempt=known,
        any_passed=fmean(map(any, passed)),
        all_passed=fmean(map(all, passed)),
        samples=len(whole),
        total=len(by_sample),
    )


def _is_whole(metric: Ratio, score: Score) -> bool:
    """Whether a sample has all that it can have of a metric."""
    reached, possible = metric.parts(score)
    return possible > 0 and reached == possible
