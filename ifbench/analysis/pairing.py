"""Which trials of two runs stand beside each other, and which stand alone.

Trials are paired by candidate, sample and attempt; of two runs with one candidate each, by sample
and attempt. What only one side has is counted by why it has no partner.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from typing import TypeAlias

from ifbench.analysis.contrast import Pair, paired
from ifbench.types import Score

_Asked: TypeAlias = tuple[str, str]
"""A candidate, or nothing where each side has one, and a sample."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alone:
    """Trials of one side without a partner, each counted once."""

    models: int = 0
    """Of candidates that the other side does not have."""
    samples: int = 0
    """Of samples that it does not have of that candidate."""
    attempts: int = 0
    """Of attempts that it did not make at the sample."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """Two runs' trials, pair by pair."""

    shared: Sequence[Pair]
    alone: tuple[Alone, Alone]
    first: Mapping[_Asked, Sequence[Score]]
    """All trials of the first side at what both sides asked."""
    second: Mapping[_Asked, Sequence[Score]]

    @property
    def has_unequal_attempts(self) -> bool:
        return any(one.attempts for one in self.alone)

    def evened(self) -> list[Pair]:
        """Pairs over all attempts of both sides: at each sample, each of one side's attempts is in
        as many pairs as each other, so that a mean over pairs is one over attempts.
        """
        return [
            pair for asked, own in self.first.items() for pair in _round(own, self.second[asked])
        ]


def pair_up(first: Sequence[Score], second: Sequence[Score]) -> Pairing:
    """Pair the trials of two runs."""
    candidates = [{score.candidate for score in side} for side in (first, second)]
    is_one_each = all(len(names) == 1 for names in candidates)

    def asked(score: Score) -> _Asked:
        return ("" if is_one_each else score.candidate), score.sample_id

    groups = [_grouped(side, asked) for side in (first, second)]
    both = [{key: own[key] for key in groups[0] if key in groups[1]} for own in groups]
    return Pairing(
        shared=paired(first, second, key=lambda score: (asked(score), score.attempt)),
        alone=(_alone(groups[0], groups[1]), _alone(groups[1], groups[0])),
        first=both[0],
        second=both[1],
    )


def _grouped(
    scores: Sequence[Score], asked: Callable[[Score], _Asked]
) -> dict[_Asked, list[Score]]:
    found: dict[_Asked, list[Score]] = {}
    for score in scores:
        found.setdefault(asked(score), []).append(score)
    return found


def _alone(
    own: Mapping[_Asked, Sequence[Score]], others: Mapping[_Asked, Sequence[Score]]
) -> Alone:
    models = {model for model, _ in others}
    found = {"models": 0, "samples": 0, "attempts": 0}
    for (model, sample), scores in own.items():
        if model not in models:
            found["models"] += len(scores)
        elif (model, sample) not in others:
            found["samples"] += len(scores)
        else:
            made = {score.attempt for score in others[model, sample]}
            found["attempts"] += sum(score.attempt not in made for score in scores)
    return Alone(**found)


def _round(first: Sequence[Score], second: Sequence[Score]) -> list[Pair]:
    count = math.lcm(len(first), len(second))
    return list(islice(zip(cycle(first), cycle(second), strict=False), count))
