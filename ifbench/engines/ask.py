"""The one effect, `ask(prompt) -> Response`: looked up, limited, tried, made durable, returned.

    journal ── stored ──────────────────────────────────────────────► response
       └─ missing ─► limiter ─► engine ─► retry ─► journal (durable) ─► response

Equal prompts that are asked at the same time are one call. What a call costs is counted even
where its try failed. Each finished call counts once: `stored`, `answered` or `failed:KIND`.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

from ifbench.engines.engine import Engine, Try, failed_response
from ifbench.engines.estimates import (
    UNKNOWN_OUTPUT_TOKENS,
    estimated_input_tokens,
    estimated_tokens,
)
from ifbench.engines.limits import ClosedError, Limiter
from ifbench.engines.retry import Clockwork, retried
from ifbench.engines.spending import Spending, SpentError
from ifbench.engines.stopping import StoppedError, Waits
from ifbench.errors import StoreError
from ifbench.keys import KeySet, prompt_key
from ifbench.tally import Tally, latency_bucket
from ifbench.types import FailureKind, Prompt, Purpose, Response

_log = logging.getLogger(__name__)


class Journal(Protocol):
    """The part of the store that asking needs."""

    def lookup(self, keys: Sequence[str]) -> Mapping[str, Response]:
        """The stored responses among `keys`. Called on the event loop: must not take long."""
        ...

    def append_soon(self, response: Response) -> concurrent.futures.Future[None]:
        """Queue a response; the future is done once it is durable and can be looked up."""
        ...


STOPPED = "the run was stopped before this call"
NO_ANSWER = frozenset({FailureKind.TRANSPORT, FailureKind.TIMEOUT})
"""Failures that say something of the endpoint, not of the request."""


class Asker:
    """Asks models for one worker. Used from one event loop; engines are its owner's to close."""

    def __init__(
        self,
        *,
        engines: Mapping[str, Engine],
        journal: Journal,
        limiters: Mapping[str, Limiter],
        spending: Spending | None = None,
        tally: Tally | None = None,
        stopping: Callable[[], bool] = lambda: False,
        clockwork: Clockwork | None = None,
    ) -> None:
        """Engines and limiters stand under the models' names."""
        self._engines = engines
        self._journal = journal
        self._limiters = limiters
        self._spending = spending
        self._tally = tally or Tally()
        self._stopping = stopping
        self._clockwork = clockwork or Clockwork()
        self._waits = Waits(stopping)
        self._closed: set[str] = set()
        self._flights: dict[str, asyncio.Future[Response | None]] = {}
        self._store_error: StoreError | None = None

    async def __call__(self, prompt: Prompt) -> Response:
        """Answer from the journal, from an equal call in flight, or from the model.

        Raises `StoreError`, and nothing else, when answers can no longer be made durable.
        """
        key = prompt_key(prompt)
        while (flight := self._flights.get(key)) is not None:
            response = await asyncio.shield(flight)
            if response is not None:  # `None`: whoever made the call was cancelled.
                return response
        flight = self._flights[key] = asyncio.get_running_loop().create_future()
        response = None
        try:
            response = await self._answer(prompt, key)
            return response
        finally:
            del self._flights[key]
            flight.set_result(response)

    async def _answer(self, prompt: Prompt, key: str) -> Response:
        stored = self._journal.lookup((key,)).get(key)
        if stored is not None:
            self._count(prompt, "stored")
            return stored
        response = replace(await self._call(prompt), key=key)
        if response.is_answered:
            await self._store(response)
        failure = response.failure
        self._count(prompt, "answered" if failure is None else f"failed:{failure.kind}")
        if failure is not None and failure.kind is not FailureKind.NOT_RUN:
            name, purpose = prompt.model.name, prompt.purpose.value
            _log.info("%s, asked as %s: %s: %s", name, purpose, failure.kind.value, failure.message)
        return response

    async def _call(self, prompt: Prompt) -> Response:
        async def wait(tried: Try, seconds: float) -> bool:
            return await self._back_off(prompt, tried, seconds)

        return await retried(lambda: self._try(prompt), prompt.model.limits, wait, self._clockwork)

    async def _try(self, prompt: Prompt) -> Try:
        """One try under the limiter; not made where the run stops or the endpoint is closed."""
        if self._is_over():
            return _not_run(prompt, STOPPED)
        limiter = self._limiters[prompt.model.name]
        try:
            with self._gauge(prompt, "waiting"):
                permit = await self._waits.unless_stopped(limiter.acquire(estimated_tokens(prompt)))
        except StoppedError:
            return _not_run(prompt, STOPPED)
        except ClosedError as closed:
            if prompt.model.name not in self._closed:
                self._closed.add(prompt.model.name)
                _log.warning("%s is not asked any more: %s", prompt.model.name, closed)
            self._tally.add("closed", prompt.model.name, str(closed))
            return _not_run(prompt, str(closed))
        used = 0
        try:
            if self._is_over():
                return _not_run(prompt, STOPPED)
            async with self._paid_for(prompt) as costs:
                with self._gauge(prompt, "in_flight"):
                    tried = await self._generate(prompt)
                used = self._count_try(prompt, tried)
                costs.append(_usd(prompt, tried))
            return tried
        except StoppedError:
            return _not_run(prompt, STOPPED)
        except SpentError as spent:
            return Try(response=failed_response(prompt, FailureKind.SPENDING_CAP, str(spent)))
        finally:
            permit.release(used)

    @asynccontextmanager
    async def _paid_for(self, prompt: Prompt) -> AsyncIterator[list[float]]:
        """Set the money for a try aside; what is put into the list is what it came to."""
        if self._spending is None:
            yield []
            return
        longest = prompt.sampling.max_tokens or UNKNOWN_OUTPUT_TOKENS
        most = prompt.model.price.usd(estimated_input_tokens(prompt), longest)
        await self._waits.unless_stopped(self._spending.reserve(most))
        costs: list[float] = []
        try:
            yield costs
        finally:
            self._spending.settle(most, sum(costs))

    def _is_over(self) -> bool:
        if self._store_error is not None:
            raise self._store_error
        return self._stopping()

    async def _generate(self, prompt: Prompt) -> Try:
        try:
            tried = await self._engines[prompt.model.name].generate(prompt)
        # A bug in an engine costs its row, not the run; the kind `rejected` keeps it from being
        # paid for again and again, and the message shows it.
        except Exception as error:  # noqa: BLE001
            words = f"the engine raised {type(error).__name__}: {error}"
            return Try(response=failed_response(prompt, FailureKind.REJECTED, words))
        self._tell(self._limiters[prompt.model.name], tried)
        return tried

    def _tell(self, limiter: Limiter, tried: Try) -> None:
        """Tell everyone on the budget how the endpoint is."""
        failure = tried.response.failure
        if failure is None:
            limiter.answered()
        elif tried.hopeless:
            limiter.refuse(failure.message)
        elif failure.kind in NO_ANSWER and not tried.overloaded:
            limiter.failed(failure.message)
        elif failure.kind is not FailureKind.MEDIA:  # Then nothing was sent.
            limiter.answered()

    async def _back_off(self, prompt: Prompt, tried: Try, seconds: float) -> bool:
        """Wait before the next try; everyone else on the budget waits too, if asked to."""
        if tried.overloaded or tried.retry_after_s is not None:
            self._limiters[prompt.model.name].pause(seconds)
        failure = tried.response.failure
        reason = "" if failure is None else failure.message
        _log.info("%s: the next try in %.1f s: %s", prompt.model.name, seconds, reason)
        try:
            with self._gauge(prompt, "backing_off"):
                await self._waits.unless_stopped(self._clockwork.sleep(seconds))
        except StoppedError:
            return False
        if self._stopping():
            return False
        self._count(prompt, "retried")
        return True

    async def _store(self, response: Response) -> None:
        """Make an answer durable. Once queued it is written, also if this call is cancelled."""
        try:
            written = asyncio.wrap_future(self._journal.append_soon(response))
            await asyncio.shield(written)
        # Whatever keeps an answer from the disk must end the run: the next would be paid in vain.
        except Exception as error:
            self._store_error = (
                error
                if isinstance(error, StoreError)
                else StoreError(f"the journal takes no more answers: {error}")
            )
            raise self._store_error from error

    # ── Counting ─────────────────────────────────────────────────────────────────────

    def _count(self, prompt: Prompt, event: str, amount: float = 1.0) -> None:
        self._tally.add("calls", prompt.purpose, prompt.model.name, event, amount=amount)

    @contextmanager
    def _gauge(self, prompt: Prompt, name: str) -> Iterator[None]:
        self._count(prompt, name)
        try:
            yield
        finally:
            self._count(prompt, name, -1.0)

    def _count_try(self, prompt: Prompt, tried: Try) -> int:
        """Count what one try used, whatever came of it, and return its tokens."""
        usage, purpose, model = tried.response.usage, prompt.purpose, prompt.model.name
        cost = prompt.model.price.usd(usage.input_tokens, usage.output_tokens)
        bucket = latency_bucket(tried.response.seconds)
        self._tally.merge(
            {
                ("tokens", purpose, model, "input"): usage.input_tokens,
                ("tokens", purpose, model, "output"): usage.output_tokens,
                ("latency", purpose, model, bucket, "tries"): 1.0,
                ("latency", purpose, model, bucket, "seconds"): tried.response.seconds,
                **({("cost", purpose, model, "usd"): cost} if cost else {}),
                **({("calls", purpose, model, "limited"): 1.0} if tried.overloaded else {}),
            }
        )
        return usage.input_tokens + usage.output_tokens


def _usd(prompt: Prompt, tried: Try) -> float:
    usage = tried.response.usage
    return prompt.model.price.usd(usage.input_tokens, usage.output_tokens)


def _not_run(prompt: Prompt, message: str) -> Try:
    return Try(response=failed_response(prompt, FailureKind.NOT_RUN, message))


# ── Asking without calling, for `plan` ───────────────────────────────────────────────


class KnownAnswers(Protocol):
    """The part of the store that planning needs."""

    def lookup(self, keys: Sequence[str]) -> Mapping[str, Response]:
        """The stored responses among `keys`."""
        ...

    def stored(self, keys: Sequence[str]) -> Collection[str]:
        """Which of the keys are stored; no response is read for it."""
        ...


CallKind: TypeAlias = tuple[Purpose, str]
"""A purpose, and the name of the model that is asked for it."""


@dataclass(slots=True)
class PlannedCalls:
    """Calls that a run would make to one model for one purpose: sums, however many they are."""

    count: int = 0
    input_tokens: int = 0
    """Estimated; see `estimates.py` for the rule."""
    most_output_tokens: int = 0

    def add(self, prompt: Prompt) -> None:
        """Count a call."""
        self.count += 1
        self.input_tokens += estimated_input_tokens(prompt)
        self.most_output_tokens += prompt.sampling.max_tokens or 0


def kind_of(prompt: Prompt) -> CallKind:
    """Under which sums a call stands."""
    return prompt.purpose, prompt.model.name


class DryAsk:
    """Answers from the journal and counts what it does not hold; never calls a model.

    What is asked at the same time is looked up at once.
    """

    def __init__(self, journal: KnownAnswers) -> None:
        self._journal = journal
        self._seen = KeySet()
        self._waiting: list[tuple[Prompt, str, asyncio.Future[Response | None]]] = []
        self.stored: Counter[CallKind] = Counter()
        """Calls that are answered already."""
        self.missing: defaultdict[CallKind, PlannedCalls] = defaultdict(PlannedCalls)
        """Calls that would be made, each prompt once."""

    async def __call__(self, prompt: Prompt) -> Response:
        loop, key = asyncio.get_running_loop(), prompt_key(prompt)
        if not self._waiting:  # Runs once all who can ask now have asked.
            loop.call_soon(self._look_up)
        found: asyncio.Future[Response | None] = loop.create_future()
        self._waiting.append((prompt, key, found))
        response = await found
        self.note(prompt, key, is_stored=response is not None)
        if response is not None:
            return response
        missing = failed_response(prompt, FailureKind.NOT_RUN, "planned, not asked")
        return replace(missing, key=key)

    def _look_up(self) -> None:
        waiting, self._waiting = self._waiting, []
        try:
            known = self._journal.lookup([key for _, key, _ in waiting])
        except StoreError as error:
            for _, _, found in waiting:
                found.set_exception(error)
            return
        for _, key, found in waiting:
            if not found.cancelled():
                found.set_result(known.get(key))

    def note(self, prompt: Prompt, key: str, *, is_stored: bool) -> None:
        """Count a call, unless its key was counted before."""
        if not self._seen.add(key):
            return
        if is_stored:
            self.stored[kind_of(prompt)] += 1
        else:
            self.missing[kind_of(prompt)].add(prompt)
