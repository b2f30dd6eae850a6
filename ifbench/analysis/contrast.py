"""Two sets of scores side by side: two judges, two rule sets, two variants, before and after.

Only samples that both decided are compared, pair by pair; how many that is stands beside
every figure. Agreement is counted over single items.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ifbench.analysis.intervals import Interval, difference_intervals
from ifbench.metrics import METRICS, Ratio
from ifbench.types import Score

Pair: TypeAlias = tuple[Score, Score]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One metric on both sides, over the same samples."""

    first: float | None
    second: float | None
    interval: Interval | None
    """95 %, of second less first."""
    pairs: int
    """Samples complete on both sides."""
    total: int
    """Samples that stand on both sides."""

    @property
    def value(self) -> float | None:
        """Second less first."""
        if self.first is None or self.second is None:
            return None
        return self.second - self.first

    @property
    def is_resolved(self) -> bool:
        """True where the interval leaves zero out."""
        return self.interval is not None and not self.interval[0] <= 0 <= self.interval[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How often two graders said the same of one item."""

    both_pass: int = 0
    both_fail: int = 0
    only_first: int = 0
    """Passed by the first, failed by the second."""
    only_second: int = 0
    undecided: int = 0
    """Items that one or both left undecided; in no other figure."""

    @property
    def compared(self) -> int:
        return self.both_pass + self.both_fail + self.only_first + self.only_second

    @property
    def share(self) -> float | None:
        """Items alike, of those compared."""
        return (self.both_pass + self.both_fail) / self.compared if self.compared else None

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa; `None` where both graders gave one and the same verdict throughout.

        Then chance alone would agree fully, and the coefficient is 0/0.
        """
        n = self.compared
        if not n:
            return None
        first, second = self.both_pass + self.only_first, self.both_pass + self.only_second
        by_chance = (first * second + (n - first) * (n - second)) / n**2
        if by_chance == 1:
            return None
        return ((self.both_pass + self.both_fail) / n - by_chance) / (1 - by_chance)


def paired(
    first: Sequence[Score],
    second: Sequence[Score],
    key: Callable[[Score], object] = lambda s: (s.candidate, s.sample_id, s.attempt),
) -> list[Pair]:
    """Scores of the same candidate, sample and attempt, in the order of the first."""
    others = {key(score): score for score in second}
    return [(score, others[key(score)]) for score in first if key(score) in others]


def _is_complete(score: Score) -> bool:
    return score.is_complete


def is_graded(score: Score) -> bool:
    """True where it is decided whether the answer is right."""
    return score.correct is not None


CORRECT = Ratio(parts=lambda score: (float(bool(score.correct)), float(is_graded(score))))
"""The share of right answers, of those graded."""


def differences(
    pairs: Sequence[Pair],
    metrics: Mapping[str, Ratio] = METRICS,
    is_decided: Callable[[Score], bool] = _is_complete,
) -> Mapping[str, Difference]:
    """Every metric on both sides, over pairs that are decided on both."""
    decided = [pair for pair in pairs if is_decided(pair[0]) and is_decided(pair[1])]
    intervals = difference_intervals(metrics, decided)
    return {
        name: Difference(
            first=metric([one for one, _ in decided]),
            second=metric([two for _, two in decided]),
            interval=intervals[name],
            pairs=len(decided),
            total=len(pairs),
        )
        for name, metric in metrics.items()
    }


def agreements(pairs: Sequence[Pair]) -> Mapping[str, Agreement]:
    """Item by item, for each constraint.

    Both sides must be of the same checklist; a pair that is not (another version of the
    data) raises `ValueError`, since items are told apart by their place alone.
    """
    found: dict[str, list[tuple[bool | None, bool | None]]] = {}
    for one, two in pairs:
        if one.constraints != two.constraints:
            raise ValueError(f"sample {one.sample_id} has two different checklists")
        for name, a, b in zip(one.constraints, one.satisfied, two.satisfied, strict=True):
            found.setdefault(name, []).append((a, b))
    return {name: agreement(found[name]) for name in sorted(found)}


def agreement(verdicts: Sequence[tuple[bool | None, bool | None]]) -> Agreement:
    """Count pairs of verdicts on the same items."""
    counted = {(a, b): 0 for a in (True, False) for b in (True, False)}
    undecided = 0
    for a, b in verdicts:
        if a is None or b is None:
            undecided += 1
        else:
            counted[a, b] += 1
    return Agreement(
        both_pass=counted[True, True],
        both_fail=counted[False, False],
        only_first=counted[True, False],
        only_second=counted[False, True],
        undecided=undecided,
    )


def together(parts: Sequence[Agreement]) -> Agreement:
    """The counts of several constraints as one."""
    return Agreement(
        both_pass=sum(one.both_pass for one in parts),
        both_fail=sum(one.both_fail for one in parts),
        only_first=sum(one.only_first for one in parts),
        only_second=sum(one.only_second for one in parts),
        undecided=sum(one.undecided for one in parts),
    )
