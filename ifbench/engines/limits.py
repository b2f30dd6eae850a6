"""Budgets of requests, tokens and calls in flight, kept by waiting instead of by being refused.

`Limiter` is what the asker knows. `StaticLimiter` gives one worker a fixed share of a model's
limits; a limiter that is shared by a whole cluster can stand behind the same interface.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Protocol

from ifbench.engines.rates import Buckets, Pace
from ifbench.engines.retry import Clockwork
from ifbench.types import Limits, ModelConfig


class Permit(Protocol):
    """Leave to send one request."""

    def release(self, tokens: int) -> None:
        """The try is over and used `tokens` (0 where none are known). Called once."""
        ...


class Limiter(Protocol):
    """One budget, used from one event loop."""

    async def acquire(self, tokens: int) -> Permit:
        """Wait for leave to send a request of about `tokens`. First come, first served."""
        ...

    def pause(self, seconds: float) -> None:
        """The endpoint asked for less: nobody sends for `seconds`, then traffic grows again."""
        ...


# ── A fixed share for one worker ─────────────────────────────────────────────────────


class StaticLimiter:
    """The share of seat `index` among `count` equal seats.

    Rates are split evenly. Calls in flight are whole: the remainder goes to the first seats,
    and each seat has at least one, so more seats than `concurrency` exceed it.
    """

    def __init__(
        self, limits: Limits, *, index: int = 0, count: int = 1, clockwork: Clockwork | None = None
    ) -> None:
        self._clockwork = clockwork or Clockwork()
        whole, rest = divmod(limits.concurrency, count)
        self._places = max(1, whole + (index < rest))
        self._buckets = Buckets(
            requests_per_s=_share_per_s(limits.requests_per_minute, count),
            tokens_per_s=_share_per_s(limits.tokens_per_minute, count),
            now=self._clockwork.now(),
        )
        self._pace = Pace()
        self._in_flight = 0
        self._turn = asyncio.Lock()
        self._freed = asyncio.Event()

    async def acquire(self, tokens: int) -> Permit:
        async with self._turn:  # Only the head of the queue looks at the budget.
            while (wait_s := self._wait_s(tokens)) > 0:
                if wait_s == math.inf:
                    self._freed.clear()
                    await self._freed.wait()
                else:
                    await self._clockwork.sleep(wait_s)
            self._in_flight += 1
            now = self._clockwork.now()
            self._buckets.take(tokens, now)
            self._pace.admit(now)
        return _StaticPermit(self, tokens)

    def pause(self, seconds: float) -> None:
        now = self._clockwork.now()
        self._pace.pause(seconds, now)
        self._buckets.empty_until(now + seconds)

    def _wait_s(self, tokens: int) -> float:
        """Seconds until the budget allows a request; infinite until a call comes back."""
        if self._in_flight >= self._places:
            return math.inf
        now = self._clockwork.now()
        return max(self._pace.wait_s(now), self._buckets.wait_s(tokens, now))

    def _release(self, taken: int, used: int) -> None:
        self._in_flight -= 1
        self._buckets.correct(taken - used)
        self._freed.set()


class _StaticPermit:
    __slots__ = ("_limiter", "_taken")

    def __init__(self, limiter: StaticLimiter, taken: int) -> None:
        self._limiter = limiter
        self._taken = taken

    def release(self, tokens: int) -> None:
        self._limiter._release(self._taken, tokens)  # noqa: SLF001 (two halves of one thing)


def _share_per_s(per_minute: float | None, count: int) -> float | None:
    return None if per_minute is None else per_minute / 60 / count


# ── One budget for each endpoint, key and model ──────────────────────────────────────


def build_limiters(
    models: Iterable[ModelConfig], *, index: int = 0, count: int = 1
) -> Mapping[str, Limiter]:
    """A limiter for each model's name; models that share a budget share the limiter.

    A budget is one model id at one endpoint under one key: that is how endpoints grant quotas.
    Where two configs of one budget disagree, the lower limit holds.
    """
    models = tuple(models)
    budgets: dict[tuple[str | None, ...], Limits] = {}
    for model in models:
        budget = _budget_of(model)
        budgets[budget] = _lower(budgets.get(budget, model.limits), model.limits)
    limiters = {
        budget: StaticLimiter(limits, index=index, count=count)
        for budget, limits in budgets.items()
    }
    return {model.name: limiters[_budget_of(model)] for model in models}


def _budget_of(model: ModelConfig) -> tuple[str | None, ...]:
    return (model.engine, model.base_url, model.api_key_env, model.model)


def _lower(one: Limits, other: Limits) -> Limits:
    return replace(
        one,
        requests_per_minute=_least(one.requests_per_minute, other.requests_per_minute),
        tokens_per_minute=_least(one.tokens_per_minute, other.tokens_per_minute),
        concurrency=min(one.concurrency, other.concurrency),
    )


def _least(one: float | None, other: float | None) -> float | None:
    return min((value for value in (one, other) if value is not None), default=None)
