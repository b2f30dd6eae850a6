"""The one effect, `ask(prompt) -> Response`: looked up, limited, tried, made durable, returned.

    journal ── stored ──────────────────────────────────────────────► response
       └─ missing ─► limiter ─► engine ─► retry ─► journal (durable) ─► response

Equal prompts that are asked at the same time are one call, and one to which an endpoint that is down
gave no answer is not tried again at once for another run. What a call costs is counted even
where its try failed. Each finished call counts once: `stored`, `answered` or `failed:KIND`. Where
several runs ask, it counts for the run that caused it; to the others its answer is a stored one.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeAlias

from ifbench.engines.breaker import PROBE_AFTER_S
from ifbench.engines.budgets import ClientId, client_of
from ifbench.engines.engine import Ask, Engine, Try, failed_response
from ifbench.engines.estimates import estimated_input_tokens, estimated_tokens, most_usd
from ifbench.engines.landings import Landings
from ifbench.engines.limits import ClosedError, Limiter
from ifbench.engines.retry import Clockwork, retried
from ifbench.engines.spending import Spending, SpentError
from ifbench.engines.stopping import StoppedError, Waits
from ifbench.errors import StoreError
from ifbench.keys import KeySet, prompt_key
from ifbench.tally import RunTally, Tally, latency_bucket
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


@dataclass(frozen=True, slots=True)
class _Unanswered:
    """A call that has used up its tries at an endpoint that has not answered anything since."""

    run: str
    until: float
    response: Response


@dataclass(frozen=True, slots=True)
class _Flight:
    """A call that is under way, and the run that caused it."""

    run: str
    answer: asyncio.Future[Response | None]
    """`None`: whoever made the call was cancelled."""


class Asker:
    """Asks models for one worker. Used from one event loop; engines are its owner's to close."""

    def __init__(
        self,
        *,
        engines: Mapping[ClientId, Engine],
        journal: Journal,
        limiters: Mapping[ClientId, Limiter],
        spending: Spending | None = None,
        tally: Tally | None = None,
        stopping: Callable[[], bool] = lambda: False,
        clockwork: Clockwork | None = None,
    ) -> None:
        """Engines and limiters stand under the models' clients."""
        self._engines = engines
        self._journal = journal
        self._limiters = limiters
        self._spending = spending
        self._tally = tally or Tally()
        self._stopping = stopping
        self._clockwork = clockwork or Clockwork()
        self._waits = Waits(stopping)
        self._landings = Landings()
        self._closed: set[str] = set()
        self._flights: dict[str, _Flight] = {}
        self._unanswered: dict[ClientId, dict[str, _Unanswered]] = {}
        """Of each endpoint that gave no answer the last time."""
        self._store_error: StoreError | None = None

    async def __call__(self, prompt: Prompt) -> Response:
        """Answer from the journal, from an equal call in flight, or from the model.

        Raises `StoreError`, and nothing else, when answers can no longer be made durable.
        """
        return await self._ask(_Call(prompt, self._tally.of("")))

    def of_run(self, run: str) -> Ask:
        """As the asker itself, counting for one of several runs."""
        tally = self._tally.of(run)

        async def ask(prompt: Prompt) -> Response:
            return await self._ask(_Call(prompt, tally))

        return ask

    async def _ask(self, call: _Call) -> Response:
        key = prompt_key(call.prompt)
        while (flight := self._flights.get(key)) is not None:
            response = await asyncio.shield(flight.answer)
            if response is not None:
                if response.is_answered and flight.run != call.tally.run:
                    call.count("stored")
                return response
        flight = _Flight(call.tally.run, asyncio.get_running_loop().create_future())
        self._flights[key] = flight
        response = None
        try:
            response = await self._answer(call, key)
            return response
        finally:
            del self._flights[key]
            flight.answer.set_result(response)

    async def _answer(self, call: _Call, key: str) -> Response:
        prompt = call.prompt
        stored = self._journal.lookup((key,)).get(key)
        if stored is not None:
            call.count("stored")
            return stored
        other = self._unanswered.get(call.client, {}).get(key)
        if other and other.run != call.tally.run and self._clockwork.now() < other.until:
            return other.response
        response = replace(await self._call(call), key=key)
        if response.is_answered:
            await self._store(response)
        self._remember(call, response)
        failure = response.failure
        call.count("answered" if failure is None else f"failed:{failure.kind}")
        if failure is not None and failure.kind is not FailureKind.NOT_RUN:
            name, purpose = prompt.model.name, prompt.purpose.value
            _log.info("%s, asked as %s: %s: %s", name, purpose, failure.kind.value, failure.message)
        return response

    def _remember(self, call: _Call, response: Response) -> None:
        """Keep in mind for the other runs that a prompt has had no answer; what is old is dropped.

        It stands for as long as an endpoint that is out is left alone.
        """
        known = self._unanswered.get(call.client)
        if known is None or response.failure is None or response.failure.kind not in NO_ANSWER:
            return
        now = self._clockwork.now()
        for old in [key for key, one in known.items() if one.until <= now]:
            del known[old]
        known.pop(response.key, None)
        known[response.key] = _Unanswered(call.tally.run, now + PROBE_AFTER_S, response)

    async def _call(self, call: _Call) -> Response:
        async def wait(tried: Try, seconds: float) -> bool:
            return await self._back_off(call, tried, seconds)

        limits = call.prompt.model.limits
        return await retried(lambda: self._try(call), limits, wait, self._clockwork)

    async def _try(self, call: _Call) -> Try:
        """One try under the limiter; not made where the run stops or the endpoint is closed."""
        prompt = call.prompt
        if self._is_over():
            return _not_run(prompt, STOPPED)
        limiter = self._limiters[call.client]
        try:
            with call.gauge("waiting"):
                permit = await self._waits.unless_stopped(limiter.acquire(estimated_tokens(prompt)))
        except StoppedError:
            return _not_run(prompt, STOPPED)
        except ClosedError as closed:
            if prompt.model.name not in self._closed:
                self._closed.add(prompt.model.name)
                _log.warning("%s is not asked any more: %s", prompt.model.name, closed)
            call.tally.add("closed", prompt.model.name, str(closed))
            return _not_run(prompt, str(closed))
        used = 0
        try:
            if self._is_over():
                return _not_run(prompt, STOPPED)
            async with self._paid_for(prompt) as costs:
                with call.gauge("in_flight"):
                    tried = await self._generate(call)
                used = call.count_try(tried)
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
        most = most_usd(prompt)
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

    async def _generate(self, call: _Call) -> Try:
        prompt, client = call.prompt, call.client
        try:
            tried = await self._engines[client].generate(prompt)
        # A bug in an engine costs its row, not the run; the kind `rejected` keeps it from being
        # paid for again and again, and the message shows it.
        except Exception as error:  # noqa: BLE001
            words = f"the engine raised {type(error).__name__}: {error}"
            return Try(response=failed_response(prompt, FailureKind.REJECTED, words))
        self._tell(client, tried)
        return tried

    def _tell(self, client: ClientId, tried: Try) -> None:
        """Tell everyone on the budget how the endpoint is."""
        failure, limiter = tried.response.failure, self._limiters[client]
        if failure is not None and tried.hopeless:
            limiter.refuse(failure.message)
        elif failure is not None and failure.kind in NO_ANSWER and not tried.overloaded:
            limiter.failed(failure.message)
            self._unanswered.setdefault(client, {})
        elif failure is None or failure.kind is not FailureKind.MEDIA:  # Then nothing was sent.
            limiter.answered()
            self._unanswered.pop(client, None)

    async def _back_off(self, call: _Call, tried: Try, seconds: float) -> bool:
        """Wait before the next try; everyone else on the budget waits too, if asked to."""
        if tried.overloaded or tried.retry_after_s is not None:
            self._limiters[call.client].pause(seconds)
        failure = tried.response.failure
        reason = "" if failure is None else failure.message
        _log.info("%s: the next try in %.1f s: %s", call.prompt.model.name, seconds, reason)
        try:
            with call.gauge("backing_off"):
                await self._waits.unless_stopped(self._clockwork.sleep(seconds))
        except StoppedError:
            return False
        if self._stopping():
            return False
        call.count("retried")
        return True

    async def _store(self, response: Response) -> None:
        """Make an answer durable. Once queued it is written, also if this call is cancelled."""
        try:
            await self._landings.of(self._journal.append_soon(response))
        # Whatever keeps an answer from the disk must end the run: the next would be paid in vain.
        except Exception as error:
            self._store_error = (
                error
                if isinstance(error, StoreError)
                else StoreError(f"the journal takes no more answers: {error}")
            )
            raise self._store_error from error


class _Call:
    """One prompt on its way, and where it is counted."""

    __slots__ = ("client", "prompt", "tally")

    def __init__(self, prompt: Prompt, tally: RunTally) -> None:
        self.prompt, self.tally = prompt, tally
        self.client = client_of(prompt.model)

    def count(self, event: str, amount: float = 1.0) -> None:
        self.tally.add("calls", self.prompt.purpose, self.prompt.model.name, event, amount=amount)

    @contextmanager
    def gauge(self, name: str) -> Iterator[None]:
        self.count(name)
        try:
            yield
        finally:
            self.count(name, -1.0)

    def count_try(self, tried: Try) -> int:
        """Count what one try used, whatever came of it, and return its tokens."""
        usage, purpose, model = tried.response.usage, self.prompt.purpose, self.prompt.model
        cost = _usd(self.prompt, tried)
        bucket = latency_bucket(tried.response.seconds)
        self.tally.merge(
            {
                ("tokens", purpose, model.name, "input"): usage.input_tokens,
                ("tokens", purpose, model.name, "output"): usage.output_tokens,
                ("latency", purpose, model.name, bucket, "tries"): 1.0,
                ("latency", purpose, model.name, bucket, "seconds"): tried.response.seconds,
                **({("cost", purpose, model.name, "usd"): cost} if cost else {}),
                **({("calls", purpose, model.name, "limited"): 1.0} if tried.overloaded else {}),
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


@dataclass(slots=True)
class CallSums:
    """Calls by kind, each prompt once."""

    stored: Counter[CallKind] = field(default_factory=Counter)
    """Those that are answered already."""
    missing: defaultdict[CallKind, PlannedCalls] = field(
        default_factory=lambda: defaultdict(PlannedCalls)
    )
    """Those that would be made."""
    expected: defaultdict[CallKind, PlannedCalls] = field(
        default_factory=lambda: defaultdict(PlannedCalls)
    )
    """Those that hang on answers that are missing."""

    def note(self, prompt: Prompt, *, is_stored: bool) -> None:
        """Count a call."""
        if is_stored:
            self.stored[kind_of(prompt)] += 1
        else:
            self.missing[kind_of(prompt)].add(prompt)


class DryAsk:
    """Answers from the journal and counts what it does not hold; never calls a model.

    What is asked at the same time is looked up at once. `earlier` holds the keys of the calls of
    earlier runs, and is given this one's too; `None` where there is one run alone.
    """

    def __init__(self, journal: KnownAnswers, earlier: KeySet | None = None) -> None:
        self._journal = journal
        self._seen = KeySet()
        self._earlier = earlier
        self._waiting: list[tuple[Prompt, str, asyncio.Future[Response | None]]] = []
        self.all = CallSums()
        self.further = self.all if earlier is None else CallSums()
        """Of all calls those that no earlier run makes."""

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
        if self._seen.add(key):
            for sums in self._sums_for(key):
                sums.note(prompt, is_stored=is_stored)

    def expect(self, prompt: Prompt, answer_key: str) -> None:
        """Count a call that hangs on the answer to the prompt of this key.

        What is asked of two answers that are not there looks alike; their keys tell it apart.
        """
        key = "" if self._earlier is None else f"{answer_key} {prompt_key(prompt)}"
        for sums in self._sums_for(key):
            sums.expected[kind_of(prompt)].add(prompt)

    def _sums_for(self, key: str) -> tuple[CallSums, ...]:
        if self._earlier is None or not self._earlier.add(key):
            return (self.all,)
        return (self.all, self.further)
