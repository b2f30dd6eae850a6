"""Correctness beside adherence: the 2 × 2 table of SciMIF's Figure 5, and how its sides hang together.

The second verb of analysis. φ, Jaccard and Pearson's χ² are those of the paper's Appendix E.2
(equations 15 to 23): two-sided, without a continuity correction, one test a model, Bonferroni
over the models.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ifbench.score_table import counted
from ifbench.types import Score

ALPHA = 0.05
"""Level of significance before the correction (E.2, equation 20)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contingency:
    """How many answers are correct (C) or incorrect (I), and follow (F) or violate (V)."""

    correct_followed: int = 0
    correct_violated: int = 0
    incorrect_followed: int = 0
    incorrect_violated: int = 0
    undecided: int = 0
    """Answers for which one of the two is not decided; they stand in no cell."""

    @property
    def n(self) -> int:
        """Answers in the four cells."""
        return sum(self.cells)

    @property
    def cells(self) -> tuple[int, int, int, int]:
        """CF, CV, IF, IV."""
        return (
            self.correct_followed,
            self.correct_violated,
            self.incorrect_followed,
            self.incorrect_violated,
        )

    @property
    def phi(self) -> float | None:
        """Direction and strength of the association, -1..1 (equation 21).

        `None` where a margin is zero (all correct, say, or no sample at all): the quotient is
        0 / 0 then. It would be wrong to call that 0, for it says nothing about independence.
        """
        cf, cv, if_, iv = self.cells
        margins = (cf + cv) * (if_ + iv) * (cf + if_) * (cv + iv)
        return (cf * iv - cv * if_) / math.sqrt(margins) if margins else None

    @property
    def chi_squared(self) -> float | None:
        """Pearson's statistic (equation 18), as n·φ² (equation 22); `None` where φ is."""
        phi = self.phi
        return None if phi is None else self.n * phi * phi

    @property
    def p_value(self) -> float | None:
        """Two-sided p of independence (equation 19); `None` where φ is."""
        statistic = self.chi_squared
        return None if statistic is None else chi_squared_tail(statistic)

    @property
    def jaccard(self) -> float | None:
        """Both among those with at least one (equation 23); `None` where none has one."""
        cf, cv, if_, _ = self.cells
        either = cf + cv + if_
        return cf / either if either else None


def contingency(scores: Sequence[Score]) -> Contingency:
    """Sort scores into the four cells.

    Adherence is ISR's: every item satisfied. As there, a score counts once all its items are
    decided, and one without any item is left out.
    """
    counts: dict[tuple[bool, bool] | None, int] = {}
    for score, count in counted(scores, "verdicts", "grade"):
        if score.satisfied:
            cell = _cell(score)
            counts[cell] = counts.get(cell, 0) + count
    return Contingency(
        correct_followed=counts.get((True, True), 0),
        correct_violated=counts.get((True, False), 0),
        incorrect_followed=counts.get((False, True), 0),
        incorrect_violated=counts.get((False, False), 0),
        undecided=counts.get(None, 0),
    )


def _cell(score: Score) -> tuple[bool, bool] | None:
    if score.correct is None or not score.is_complete:
        return None
    return score.correct, all(score.satisfied)


def chi_squared_tail(statistic: float) -> float:
    """P(χ² ≥ statistic) with one degree of freedom, for a statistic of 0 or more.

    With one degree χ² is the square of a normal variable, so its tail is erfc(√(x/2)) exactly.
    The standard library has that to full precision also where p is 1e-25; scipy would be 100 MB
    for the same number.
    """
    return math.erfc(math.sqrt(statistic / 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class Association:
    """One model's table, with its p corrected for the number of models tested beside it."""

    label: str
    table: Contingency
    tests: int
    """Models with a p-value, this one included if it has one: the Bonferroni divisor."""

    @property
    def corrected_p(self) -> float | None:
        """The p-value times the number of tests, 1 at most; `None` where there is no p."""
        p_value = self.table.p_value
        return None if p_value is None else min(1.0, p_value * self.tests)

    @property
    def is_significant(self) -> bool | None:
        """True when independence is rejected at `ALPHA` after the correction."""
        p_value = self.table.p_value
        return None if p_value is None else p_value < ALPHA / self.tests


def associations(by_label: Mapping[str, Sequence[Score]]) -> list[Association]:
    """One association a model. A degenerate table has no test, and so counts as none."""
    tables = {label: contingency(scores) for label, scores in by_label.items()}
    tests = sum(table.p_value is not None for table in tables.values())
    return [Association(label=label, table=table, tests=tests) for label, table in tables.items()]
