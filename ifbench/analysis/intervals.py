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

from ifbench.metrics import Ratio
from ifbench.types import Score

Interval: TypeAlias = tuple[float, float]
"""Low and high, as shares in 0..1."""

LEVEL = 0.95
DRAWS = 1000
FEWEST = 10
"""Questions below which draws say little; then no interval is given."""
SEED = 0
_CELLS = 4_000_000
"""Weights that are held at once: 32 MB."""


def question_of(score: Score) -> str:
    """What a sample was made from: samples of one question are drawn together."""
    return score.facets.get("question") or score.sample_id


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
    questions = _questions([first for first, _ in pairs])
    if len(questions) < FEWEST:
        return dict.fromkeys(metrics)
    sums = []
    for metric in metrics.values():
        first = _summed(metric, ((question_of(one), one) for one, _ in pairs), questions)
        # The pair is one sample: its question is the first one's.
        second = _summed(metric, ((question_of(one), two) for one, two in pairs), questions)
        sums.append(np.concatenate([first, second], axis=1))
    found = {}
    with np.errstate(invalid="ignore", divide="ignore"):
        for name, drawn in zip(metrics, _resampled(sums), strict=True):
            found[name] = _percentiles(drawn[:, 2] / drawn[:, 3] - drawn[:, 0] / drawn[:, 1])
    return found


# ── Drawing ──────────────────────────────────────────────────────────────────────────

_Floats: TypeAlias = npt.NDArray[np.float64]


def _draws(
    metrics: Sequence[Ratio], parts: Sequence[Sequence[Score]]
) -> list[_Floats] | list[None]:
    """For each metric its mean over `parts`, in each draw of their questions."""
    questions = _questions([score for scores in parts for score in scores])
    if len(questions) < FEWEST:
        return [None] * len(metrics)
    sums = [
        _summed(metric, ((question_of(s), s) for s in scores), questions)
        for metric in metrics
        for scores in parts
    ]
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = [np.asarray(drawn[:, 0] / drawn[:, 1]) for drawn in _resampled(sums)]
    if len(parts) == 1:
        return shares
    size = len(parts)
    return [np.mean(shares[at : at + size], axis=0) for at in range(0, len(shares), size)]


def _questions(scores: Sequence[Score]) -> Mapping[str, int]:
    return {name: at for at, name in enumerate(dict.fromkeys(map(question_of, scores)))}


def _summed(
    metric: Ratio, scores: Iterable[tuple[str, Score]], questions: Mapping[str, int]
) -> _Floats:
    """Shape (questions, 2): each question's sum and what it is divided by."""
    sums = np.zeros((len(questions), 2))
    for question, score in scores:
        sums[questions[question]] += metric.parts(score)
    return sums


def _resampled(tables: Sequence[_Floats]) -> list[_Floats]:
    """For each table of sums, shape (DRAWS, columns): those over as many questions, drawn with
    replacement; the same questions for every table.
    """
    count = len(tables[0])
    generator = np.random.default_rng(SEED)
    shares = np.full(count, 1 / count)
    size = max(1, _CELLS // count)
    parts: list[list[_Floats]] = [[] for _ in tables]
    for start in range(0, DRAWS, size):
        weights = generator.multinomial(count, shares, size=min(size, DRAWS - start)).astype(float)
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
