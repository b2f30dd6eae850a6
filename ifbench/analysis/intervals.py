"""95 % intervals by a bootstrap that draws source questions, not samples.

Samples that augment one question, and attempts at one sample, are alike: to draw them apart
would make an interval too narrow. The draws start from a fixed seed, so that a table printed
twice is the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ifbench.metrics import METRIC_PARTS, Ratio
from ifbench.score_table import by_kind, question_of, questions
from ifbench.types import Score

Interval: TypeAlias = tuple[float, float]
"""Low and high, as shares in 0..1."""

LEVEL = 0.95
DRAWS = 1000
FEWEST = 10
"""Questions below which draws say little; then no interval is given."""
SEED = 0
_CELLS = 1_000_000
"""Weights that are held at once: 8 MB."""


def interval(metric: Ratio, scores: Sequence[Score]) -> Interval | None:
    """The interval of a metric over complete scores; `None` with fewer than `FEWEST` questions."""
    return intervals({"": metric}, scores)[""]


def intervals(
    metrics: Mapping[str, Ratio], scores: Sequence[Score]
) -> Mapping[str, Interval | None]:
    """The interval of each metric; all are of the same draws, which are made once."""
    drawn = _draws(list(metrics.values()), [scores])
    return {name: _bounds([values]) for name, values in zip(metrics, drawn, strict=True)}


def mean_intervals(
    metrics: Mapping[str, Ratio], parts: Sequence[Sequence[Score]]
) -> Mapping[str, Interval | None]:
    """The intervals of the unweighted mean of several models' figures.

    A question is drawn for all models that answered it, so that what is hard for all of them
    widens the interval. A draw in which some model has nothing to be averaged is left out.
    """
    drawn = _draws(list(metrics.values()), parts)
    return {name: _bounds([values]) for name, values in zip(metrics, drawn, strict=True)}


def macro_interval(metric: Ratio, groups: Sequence[Sequence[Score]]) -> Interval | None:
    """The interval of an unweighted mean over groups, each drawn by itself (SciMIF's Overall)."""
    return mean_macro_interval(metric, [[scores] for scores in groups])


def mean_macro_interval(
    metric: Ratio, groups: Sequence[Sequence[Sequence[Score]]]
) -> Interval | None:
    """Of the mean over groups of the mean over models: in each group the scores of each model."""
    return _bounds([_draws([metric], parts)[0] for parts in groups])


def difference_interval(metric: Ratio, pairs: Sequence[tuple[Score, Score]]) -> Interval | None:
    """The interval of the second's figure less the first's, over the same samples."""
    return difference_intervals({"": metric}, pairs)[""]


def difference_intervals(
    metrics: Mapping[str, Ratio], pairs: Sequence[tuple[Score, Score]]
) -> Mapping[str, Interval | None]:
    """The intervals of the second's figures less the first's, over the same samples.

    Both are drawn together, so that what is hard for both does not widen it.
    """
    # The pair is one sample: its question is the first one's.
    count, places = _placed([[question_of(first) for first, _ in pairs]])
    if count < FEWEST:
        return dict.fromkeys(metrics)
    sides = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    sums = [
        np.concatenate([_summed(metric, side, places[0], count) for side in sides], axis=1)
        for metric in metrics.values()
    ]
    found = {}
    with np.errstate(invalid="ignore", divide="ignore"):
        for name, drawn in zip(metrics, _resampled(sums), strict=True):
            found[name] = _percentiles(drawn[:, 2] / drawn[:, 3] - drawn[:, 0] / drawn[:, 1])
    return found


# ── Drawing ──────────────────────────────────────────────────────────────────────────

_Floats: TypeAlias = npt.NDArray[np.float64]
_Places: TypeAlias = npt.NDArray[np.int32]


def _draws(
    metrics: Sequence[Ratio], parts: Sequence[Sequence[Score]]
) -> list[_Floats] | list[None]:
    """For each metric its mean over `parts`, in each draw of their questions."""
    count, places = _placed(map(questions, parts))
    if count < FEWEST:
        return [None] * len(metrics)
    sums = [
        _summed(metric, scores, own, count)
        for metric in metrics
        for scores, own in zip(parts, places, strict=True)
    ]
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = [np.asarray(drawn[:, 0] / drawn[:, 1]) for drawn in _resampled(sums)]
    if len(parts) == 1:
        return shares
    size = len(parts)
    return [np.mean(shares[at : at + size], axis=0) for at in range(0, len(shares), size)]


def _placed(parts: Iterable[Iterable[str]]) -> tuple[int, list[_Places]]:
    """How many questions there are, and for each score of each part the number of its own."""
    numbers: dict[str, int] = {}
    places = [
        np.fromiter((numbers.setdefault(name, len(numbers)) for name in names), dtype=np.int32)
        for names in parts
    ]
    return len(numbers), places


def _summed(metric: Ratio, scores: Sequence[Score], places: _Places, count: int) -> _Floats:
    """Shape (questions, 2): each question's sum and what it is divided by."""
    firsts, kinds = by_kind(scores, *METRIC_PARTS)
    parts = np.array([metric.parts(score) for score in firsts], dtype=float).reshape(-1, 2)
    sums = np.zeros((count, 2))
    np.add.at(sums, places, parts[kinds])  # One after the other, in the order of the scores.
    return sums


def _resampled(tables: Sequence[_Floats]) -> list[_Floats]:
    """For each table of sums, shape (DRAWS, columns): those over as many questions, drawn with
    replacement; the same questions for every table.
    """
    count = len(tables[0])
    generator = np.random.default_rng(SEED)
    shares = np.full(count, 1 / count)
    size, few = max(1, _CELLS // count), max(1, _CELLS // count // 10)
    parts: list[list[_Floats]] = [[] for _ in tables]
    room = np.empty((min(size, DRAWS), count))  # One for all rounds: two would be 16 MB.
    for start in range(0, DRAWS, size):
        weights = room[: DRAWS - start]
        for at in range(0, len(weights), few):  # So that few are held as whole numbers, too.
            some = weights[at : at + few]
            some[:] = generator.multinomial(count, shares, size=len(some))
        # One product a table: in one wide product BLAS may add in another order, and last bits move.
        for found, sums in zip(parts, tables, strict=True):
            found.append(weights @ sums)
    return [np.concatenate(found) for found in parts]


def _bounds(draws: Sequence[_Floats | None]) -> Interval | None:
    known = [values for values in draws if values is not None]
    if not known or len(known) < len(draws):
        return None
    # Groups are independent: each is shuffled by itself, or the same seed would pair them.
    generator = np.random.default_rng(SEED)
    return _percentiles(np.mean([generator.permutation(values) for values in known], axis=0))


def _percentiles(values: _Floats) -> Interval | None:
    finite = values[np.isfinite(values)]
    if not len(finite):
        return None
    low, high = np.percentile(finite, [50 * (1 - LEVEL), 50 * (1 + LEVEL)])
    return float(low), float(high)
