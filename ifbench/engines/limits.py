"""Budgets of requests, tokens and calls in flight, kept by waiting instead of by being refused.

`Limiter` is what the asker knows. `LocalLimiter` has a budget for itself, where all who use it
share one event loop; `shared_limits.py` stands behind the same interface for a cluster.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Mapping
from typing import Protocol

from ifbench.engines.breaker import Breaker
from ifbench.engines.budgets import ClientId, budget_of, client_of, limits_of
from ifbench.engines.rates import Buckets, Pace, per_second
from ifbench.engines.retry import Clockwork
from ifbench.types import Limits, ModelConfig


class ClosedError(Exception):
    """The endpoint is not asked at present; the message says why."""


class Permit(Protocol):
    """Leave to send one request."""

    def release(self, tokens: int) -> None:
        """The try is over and used `tokens` (0 where none are known). Called once."""
        ...


class Limiter(Protocol):
    """One budget, used from one event loop."""

    async def acquire(self, tokens: int) -> Permit:
        """Wait for leave to send a request of about `tokens`. First come, first served.

        Raises `ClosedError` where the endpoint is out, or refuses whatever is asked.
        """
        ...

    def pause(self, seconds: float) -> None:
        """The endpoint asked for less: nobody sends for `seconds`, then traffic grows again."""
        ...

    def answered(self) -> None:
        """The endpoint has answered a request, in whatever way."""
        ...

    def failed(self, words: str) -> None:
        """A request had no answer; `words` say what came instead."""
        ...

    def refuse(self, words: str) -> None:
        """No request can succeed: the key is refused, the credit used up."""
        ...


# ── A budget of one's own ────────────────────────────────────────────────────────────


class LocalLimiter:
    """A budget that nobody else draws on."""

    def __init__(
        self,
        limits: Limits,
        *,
        clockwork: Clockwork | None = None,
        breaker: Breaker | None = None,
    ) -> None:
        self._clockwork = clockwork or Clockwork()
        self._places = limits.concurrency
        self._buckets = Buckets(
            requests_per_s=per_second(limits.requests_per_minute),
            tokens_per_s=per_second(limits.tokens_per_minute),
            now=self._clockwork.now(),
        )
        self._pace = Pace()
        self._breaker = breaker or Breaker()
        self._in_flight = 0
        self._asked = 0
        self._turn = asyncio.Lock()
        self._freed = asyncio.Event()

    async def acquire(self, tokens: int) -> Permit:
        self._asked += 1
        asker = str(self._asked)
        async with self._turn:  # Only the head of the queue looks at the budget.
            self._check_open(asker)
            while (wait_s := self._wait_s(tokens)) > 0:
                if wait_s == math.inf:
                    self._freed.clear()
                    await self._freed.wait()
                else:
                    await self._clockwork.sleep(wait_s)
            self._check_open(asker)
            self._in_flight += 1
            now = self._clockwork.now()
            self._buckets.take(tokens, now)
            self._pace.admit(now)
        return _LocalPermit(self, tokens)

    def pause(self, seconds: float) -> None:
        now = self._clockwork.now()
        self._pace.pause(seconds, now)
        self._buckets.empty_until(now + seconds)

    def answered(self) -> None:
        self._breaker.answered()

    def failed(self, words: str) -> None:
        self._breaker.failed(1, words, self._clockwork.now())

    def refuse(self, words: str) -> None:
        self._breaker.give_up("", words)

    def _check_open(self, asker: str) -> None:
        reason = self._breaker.reason("")
        if reason and not self._breaker.may_probe(asker, "", self._clockwork.now()):
            raise ClosedError(reason)

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


class _LocalPermit:
    __slots__ = ("_limiter", "_taken")

    def __init__(self, limiter: LocalLimiter, taken: int) -> None:
        self._limiter = limiter
        self._taken = taken

    def release(self, tokens: int) -> None:
        self._limiter._release(self._taken, tokens)  # noqa: SLF001 (two halves of one thing)


def local_limiters(models: Iterable[ModelConfig]) -> Mapping[ClientId, Limiter]:
    """A limiter for each model's client; models that share a budget share the limiter.

    Where two configs of one budget disagree, the lower limit holds.
    """
    models = tuple(models)
    limiters = {name: LocalLimiter(limits) for name, limits in limits_of(models).items()}
    return {client_of(model): limiters[budget_of(model)] for model in models}
