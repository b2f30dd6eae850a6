"""The one effect: looked up, limited, tried, made durable, returned."""

from __future__ import annotations

import asyncio
import gc
import time
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from engines.engine_factories import (
    FakeTime,
    MemoryJournal,
    chat_model,
    chat_prompt,
    failed_try,
    make_try,
    make_view,
)
from ifbench.engines.ask import Asker, DryAsk, PlannedCalls
from ifbench.engines.breaker import Breaker
from ifbench.engines.budgets import client_of
from ifbench.engines.engine import Try
from ifbench.engines.limits import LocalLimiter, local_limiters
from ifbench.engines.scripted import ScriptedEngine
from ifbench.errors import StoreError
from ifbench.keys import prompt_key
from ifbench.tally import Tally, of_run
from ifbench.types import (
    Failure,
    FailureKind,
    Limits,
    Price,
    Prompt,
    Purpose,
    Sampling,
    Text,
    Usage,
)

MODEL = chat_model(limits=Limits(attempts=3, elapsed_s=1000))


def asker_over(engine: Any, journal: Any = None, model=MODEL, **fields: Any) -> Asker:
    return Asker(
        engines={client_of(model): engine},
        journal=journal or MemoryJournal(),
        limiters=local_limiters([model]),
        **fields,
    )


def calls(tally: Tally) -> dict[str, float]:
    """Events of calls by name; gauges that are back at 0 are left out."""
    counts = Counter()
    for name, amount in tally.snapshot().items():
        if name[0] == "calls":
            counts[name[3]] += amount
    return {event: amount for event, amount in counts.items() if amount}


class Sequence:
    """Replies in order, the last one for ever."""

    def __init__(self, *replies: Any) -> None:
        self._left = list(replies)

    def __call__(self, _: Prompt) -> Any:
        return self._left.pop(0) if len(self._left) > 1 else self._left[0]


class Gate:
    """An engine whose answers wait for `open`."""

    def __init__(self) -> None:
        self.asked = 0
        self.open = asyncio.Event()

    async def generate(self, prompt: Prompt) -> Try:
        self.asked += 1
        await self.open.wait()
        return make_try()

    async def aclose(self) -> None: ...


async def until(condition, seconds: float = 2.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came true"
        await asyncio.sleep(0.001)


# ── The journal ──────────────────────────────────────────────────────────────────────


async def test_answer_carries_its_key_and_is_journaled():
    journal, prompt = MemoryJournal(), chat_prompt()
    response = await asker_over(ScriptedEngine(lambda _: "four"), journal)(prompt)
    assert response.key == prompt_key(prompt)
    assert journal.rows == {response.key: response}


async def test_answer_is_durable_before_it_is_returned():
    journal = MemoryJournal(hold=True)
    task = asyncio.create_task(asker_over(ScriptedEngine(), journal)(chat_prompt()))
    await until(lambda: journal.queued)
    await asyncio.sleep(0.02)
    assert not task.done()
    journal.settle()
    assert (await task).key in journal.rows


async def test_stored_answer_is_returned_as_it_was_stored_without_a_call():
    engine, journal, tally = (
        ScriptedEngine(Sequence(failed_try(), "four")),
        MemoryJournal(),
        Tally(),
    )
    time_ = FakeTime()
    first = await asker_over(engine, journal, clockwork=time_.clockwork)(chat_prompt())
    again = await asker_over(engine, journal, tally=tally)(chat_prompt())
    assert again == first
    assert again.tries == 2
    assert len(engine.asked) == 2
    assert calls(tally) == {"stored": 1}


@pytest.mark.parametrize(
    "kind",
    [
        FailureKind.REFUSAL,
        FailureKind.CONTEXT_OVERFLOW,
        FailureKind.CONTENT_FILTER,
        FailureKind.EMPTY,
    ],
)
async def test_models_own_failures_are_settled(kind):
    engine, journal = ScriptedEngine(lambda _: Failure(kind=kind)), MemoryJournal()
    ask = asker_over(engine, journal)
    assert (await ask(chat_prompt())).failure.kind is kind
    assert (await ask(chat_prompt())).failure.kind is kind
    assert len(engine.asked) == len(journal.rows) == 1


@pytest.mark.parametrize(
    "kind",
    [
        FailureKind.TRANSPORT,
        FailureKind.TIMEOUT,
        FailureKind.REJECTED,
        FailureKind.MEDIA,
        FailureKind.NOT_RUN,
    ],
)
async def test_failures_of_infrastructure_are_owed_again(kind):
    engine, journal = ScriptedEngine(lambda _: failed_try(kind, retry=False)), MemoryJournal()
    ask = asker_over(engine, journal)
    assert (await ask(chat_prompt())).failure.kind is kind
    assert journal.rows == {}
    await ask(chat_prompt())
    assert len(engine.asked) == 2


@pytest.mark.parametrize(
    "error", [StoreError("disk full"), OSError(28, "No space left"), ValueError()]
)
async def test_journal_that_fails_stops_the_paying(error):
    engine = ScriptedEngine()
    ask = asker_over(engine, MemoryJournal(error=error))
    with pytest.raises(StoreError):
        await ask(chat_prompt("one"))
    with pytest.raises(StoreError):
        await ask(chat_prompt("two"))
    assert len(engine.asked) == 1


async def test_call_that_is_cancelled_before_its_answer_fails_to_be_written_is_no_noise():
    unheard = []
    asyncio.get_running_loop().set_exception_handler(lambda _, told: unheard.append(told))
    journal = MemoryJournal(hold=True, error=StoreError("disk full"))
    task = asyncio.create_task(asker_over(ScriptedEngine(), journal)(chat_prompt()))
    await until(lambda: journal.queued)
    task.cancel()
    await asyncio.wait([task])
    journal.settle()
    await asyncio.sleep(0.01)
    del task  # It holds on to the answer that failed.
    gc.collect()
    assert unheard == []


async def test_call_that_is_cancelled_while_its_answer_is_written_is_kept():
    journal = MemoryJournal(hold=True)
    task = asyncio.create_task(asker_over(ScriptedEngine(), journal)(chat_prompt()))
    await until(lambda: journal.queued)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    journal.settle()
    assert list(journal.rows) == [prompt_key(chat_prompt())]


# ── Single flight ────────────────────────────────────────────────────────────────────


async def test_equal_prompts_at_once_are_one_call():
    gate, tally = Gate(), Tally()
    ask = asker_over(gate, tally=tally)
    tasks = [asyncio.create_task(ask(chat_prompt())) for _ in range(20)]
    await until(lambda: gate.asked)
    gate.open.set()
    responses = await asyncio.gather(*tasks)
    assert gate.asked == 1
    assert set(map(id, responses)) == {id(responses[0])}
    assert calls(tally) == {"answered": 1}


async def test_attempts_are_different_calls():
    engine = ScriptedEngine()
    ask = asker_over(engine)
    await asyncio.gather(*(ask(chat_prompt(attempt=attempt)) for attempt in range(5)))
    assert len(engine.asked) == 5


async def test_cancelled_leader_hands_the_call_to_who_waits():
    gate = Gate()
    ask = asker_over(gate)
    leader, second, third = (asyncio.create_task(ask(chat_prompt())) for _ in range(3))
    await until(lambda: gate.asked)
    leader.cancel()
    await until(lambda: gate.asked == 2)
    gate.open.set()
    assert (await second).text == (await third).text == "four"
    assert leader.cancelled()
    assert gate.asked == 2


async def test_a_call_of_two_runs_counts_for_the_one_that_caused_it_and_is_stored_to_the_other():
    gate, tally = Gate(), Tally()
    ask = asker_over(gate, tally=tally)
    asked = [ask.of_run(run)(chat_prompt()) for run in ("one", "two", "two", "one")]
    tasks = [asyncio.create_task(one) for one in asked]
    await until(lambda: gate.asked)
    gate.open.set()
    await asyncio.gather(*tasks)
    await ask.of_run("three")(chat_prompt())
    assert gate.asked == 1
    counted = {run: events(of_run(tally.snapshot(), run)) for run in ("one", "two", "three")}
    assert counted == {"one": {"answered": 1}, "two": {"stored": 2}, "three": {"stored": 1}}


def events(counts) -> dict[str, float]:
    """Of calls; what is in flight no more is left out."""
    return {name[3]: amount for name, amount in counts.items() if name[0] == "calls" and amount}


async def test_two_settings_of_one_name_are_two_clients_on_one_budget():
    one = chat_model(options={"gpus": 1}, limits=Limits(concurrency=1))
    two = replace(one, options={"gpus": 2})
    first, second = Gate(), Gate()
    ask = Asker(
        engines={client_of(one): first, client_of(two): second},
        journal=MemoryJournal(),
        limiters=local_limiters([one, two]),
    )
    tasks = [
        asyncio.create_task(ask(chat_prompt(text, model=model)))
        for text, model in (("a", one), ("b", two))
    ]
    await until(lambda: first.asked)
    await asyncio.sleep(0.01)
    assert second.asked == 0  # The budget has one place.
    first.open.set()
    second.open.set()
    await asyncio.gather(*tasks)
    assert (first.asked, second.asked) == (1, 1)


async def test_cancelled_follower_leaves_the_call_alone():
    gate = Gate()
    ask = asker_over(gate)
    leader, follower = (asyncio.create_task(ask(chat_prompt())) for _ in range(2))
    await until(lambda: gate.asked)
    follower.cancel()
    await asyncio.sleep(0)
    gate.open.set()
    assert (await leader).text == "four"


# ── Tries ────────────────────────────────────────────────────────────────────────────


async def test_tries_are_counted_and_waits_are_shown():
    time_, tally = FakeTime(), Tally()
    engine = ScriptedEngine(Sequence(failed_try(), failed_try(), "four"))
    response = await asker_over(engine, tally=tally, clockwork=time_.clockwork)(chat_prompt())
    assert response.tries == 3
    assert calls(tally) == {"retried": 2, "answered": 1}


async def test_failure_is_counted_by_its_kind():
    time_, tally = FakeTime(), Tally()
    engine = ScriptedEngine(lambda _: failed_try(FailureKind.TIMEOUT))
    response = await asker_over(engine, tally=tally, clockwork=time_.clockwork)(chat_prompt())
    assert response.tries == 3
    assert calls(tally) == {"retried": 2, "failed:timeout": 1}


async def test_gauges_show_what_goes_on():
    gate, tally = Gate(), Tally()
    model = chat_model(limits=Limits(concurrency=2))
    ask = asker_over(gate, model=model, tally=tally)
    tasks = [asyncio.create_task(ask(chat_prompt(str(i), model=model))) for i in range(5)]
    await until(lambda: gate.asked == 2)
    assert calls(tally) == {"in_flight": 2, "waiting": 3}
    gate.open.set()
    await asyncio.gather(*tasks)
    assert calls(tally) == {"answered": 5}


async def test_tokens_of_failed_tries_count_too():
    tally = Tally()
    engine = ScriptedEngine(lambda _: "one two three")
    await asker_over(engine, tally=tally)(chat_prompt("a b", purpose=Purpose.JUDGE))
    counts = tally.snapshot()
    assert counts["tokens", "judge", "m", "input"] == 2
    assert counts["tokens", "judge", "m", "output"] == 3


async def test_every_try_is_counted_with_its_time_its_cost_and_whether_it_was_turned_away():
    time_, tally = FakeTime(), Tally()
    price = Price(input_per_million=1e6, output_per_million=2e6)
    model = chat_model(price=price, limits=MODEL.limits)
    usage = Usage(input_tokens=3, output_tokens=4)
    answered = Try(response=replace(make_try().response, usage=usage, seconds=0.3))
    engine = ScriptedEngine(Sequence(failed_try(overloaded=True), failed_try(), answered))
    ask = asker_over(engine, model=model, tally=tally, clockwork=time_.clockwork)
    await ask(chat_prompt(model=model))
    assert calls(tally) == {"retried": 2, "answered": 1, "limited": 1}
    counts = tally.snapshot()
    assert counts["cost", "candidate", "m", "usd"] == 3 + 8
    tries = {name[3]: n for name, n in counts.items() if name[0] == "latency" and "tries" in name}
    assert tries == {"0.1": 2, "0.5": 1}
    assert counts["latency", "candidate", "m", "0.5", "seconds"] == pytest.approx(0.3)


async def test_overload_pauses_everyone_on_the_budget():
    time_ = FakeTime()
    engine = ScriptedEngine(Sequence(failed_try(overloaded=True, retry_after_s=9.0), "four"))
    limiters = local_limiters([MODEL])
    paused: list[float] = []
    limiters[client_of(MODEL)].pause = paused.append  # type: ignore[method-assign]
    ask = Asker(
        engines={client_of(MODEL): engine},
        journal=MemoryJournal(),
        limiters=limiters,
        clockwork=time_.clockwork,
    )
    await ask(chat_prompt())
    assert paused == [9.0]


async def test_bug_in_an_engine_costs_its_row_alone_and_is_shown():
    def reply(prompt: Prompt) -> str:
        if prompt.parts == (Text(text="bad"),):
            raise KeyError("choices")
        return "four"

    ask = asker_over(ScriptedEngine(reply))
    bad, good = await asyncio.gather(ask(chat_prompt("bad")), ask(chat_prompt("good")))
    assert bad.failure.kind is FailureKind.REJECTED
    assert "KeyError: 'choices'" in bad.failure.message
    assert good.failure is None


async def test_model_whose_key_is_refused_is_asked_no_more(caplog):
    refused = failed_try(FailureKind.REJECTED, retry=False, hopeless=True)
    engine, tally = ScriptedEngine(lambda _: refused), Tally()
    ask = asker_over(engine, tally=tally)
    with caplog.at_level("WARNING", logger="ifbench"):
        responses = [await ask(chat_prompt(str(i))) for i in range(5)]
    assert len(engine.asked) == 1
    assert [r.failure.kind for r in responses] == [FailureKind.REJECTED, *[FailureKind.NOT_RUN] * 4]
    assert "planted" in responses[-1].failure.message
    reason = "not asked, as an earlier call was refused: planted"
    assert tally.snapshot()["closed", "m", reason] == 4
    assert [record.getMessage() for record in caplog.records] == [
        f"m is not asked any more: {reason}"
    ]


async def test_endpoint_that_is_out_is_asked_no_more_until_it_may_be_back():
    time_, tally = FakeTime(), Tally()
    replies = [failed_try(retry_after_s=1.0)]
    engine = ScriptedEngine(lambda _: replies[-1])
    breaker = Breaker(failures_needed=3, outage_s=1.0, probe_after_s=100.0)
    limiter = LocalLimiter(MODEL.limits, clockwork=time_.clockwork, breaker=breaker)
    ask = Asker(
        engines={client_of(MODEL): engine},
        journal=MemoryJournal(),
        limiters={client_of(MODEL): limiter},
        tally=tally,
        clockwork=time_.clockwork,
    )
    kinds = [(await ask(chat_prompt(str(i)))).failure.kind for i in range(3)]
    assert kinds == [FailureKind.TRANSPORT, FailureKind.NOT_RUN, FailureKind.NOT_RUN]
    assert len(engine.asked) == 3
    ((_, model, reason),) = [name for name in tally.snapshot() if name[0] == "closed"]
    assert model == MODEL.name
    assert "3 calls in a row had no answer" in reason
    time_.now += 100.0
    replies.append(make_try("back"))
    assert (await ask(chat_prompt("late"))).text == "back"
    assert (await ask(chat_prompt("later"))).text == "back"


async def test_endpoint_that_asks_for_less_is_not_out():
    time_ = FakeTime()
    engine = ScriptedEngine(Sequence(*[failed_try(overloaded=True)] * 2, make_try("four")))
    breaker = Breaker(failures_needed=1, outage_s=0.0)
    limiter = LocalLimiter(MODEL.limits, clockwork=time_.clockwork, breaker=breaker)
    ask = Asker(
        engines={client_of(MODEL): engine},
        journal=MemoryJournal(),
        limiters={client_of(MODEL): limiter},
        clockwork=time_.clockwork,
    )
    assert (await ask(chat_prompt())).text == "four"


# ── Stopping ─────────────────────────────────────────────────────────────────────────


async def test_no_call_begins_once_the_run_stops():
    engine, journal, tally = ScriptedEngine(), MemoryJournal(), Tally()
    stopped = False
    ask = asker_over(engine, journal, tally=tally, stopping=lambda: stopped)
    stored = await ask(chat_prompt("early"))
    stopped = True
    assert await ask(chat_prompt("early")) == stored
    assert (await ask(chat_prompt("late"))).failure.kind is FailureKind.NOT_RUN
    assert len(engine.asked) == 1
    assert calls(tally) == {"answered": 1, "stored": 1, "failed:not_run": 1}


async def test_stop_keeps_what_is_in_flight_and_lets_go_what_waits():
    gate, journal = Gate(), MemoryJournal()
    model = chat_model(limits=Limits(concurrency=2))
    stopped = False
    ask = asker_over(gate, journal, model=model, stopping=lambda: stopped)
    tasks = [asyncio.create_task(ask(chat_prompt(str(i), model=model))) for i in range(6)]
    await until(lambda: gate.asked == 2)
    stopped = True
    await until(lambda: sum(task.done() for task in tasks) == 4)
    gate.open.set()
    responses = await asyncio.gather(*tasks)
    assert [r.failure is None for r in responses] == [True, True, False, False, False, False]
    assert {r.failure.kind for r in responses[2:]} == {FailureKind.NOT_RUN}
    assert len(journal.rows) == 2


async def test_stop_ends_a_long_back_off():
    stopped = False
    engine = ScriptedEngine(lambda _: failed_try(retry_after_s=900.0))
    ask = asker_over(engine, stopping=lambda: stopped)
    task = asyncio.create_task(ask(chat_prompt()))
    await until(lambda: engine.asked)
    stopped = True
    response = await asyncio.wait_for(task, 2)
    assert response.failure.kind is FailureKind.TRANSPORT
    assert response.tries == 1


# ── Planning ─────────────────────────────────────────────────────────────────────────


async def test_dry_ask_lists_what_is_missing_once_and_counts_what_is_stored():
    journal = MemoryJournal()
    await asker_over(ScriptedEngine(), journal)(chat_prompt("known"))
    dry = DryAsk(journal)
    missing = chat_prompt(
        "x" * 40, purpose=Purpose.JUDGE, sampling=Sampling(max_tokens=64), system="y" * 8
    )
    for _ in range(2):
        assert (await dry(missing)).failure.kind is FailureKind.NOT_RUN
        assert (await dry(chat_prompt("known"))).failure is None
    assert dry.all.missing == {
        (Purpose.JUDGE, "m"): PlannedCalls(count=1, input_tokens=12, most_output_tokens=64)
    }
    assert dry.all.stored == {(Purpose.CANDIDATE, "m"): 1}


async def test_dry_ask_opens_no_media():
    dry = DryAsk(MemoryJournal())
    await dry(chat_prompt(parts=(make_view(),)))
    assert dry.all.missing[Purpose.CANDIDATE, "m"].input_tokens == 255


class CountedJournal(MemoryJournal):
    """Counts the look-ups."""

    def __init__(self) -> None:
        super().__init__()
        self.looked_up: list[list[str]] = []

    def lookup(self, keys):
        self.looked_up.append(list(keys))
        return super().lookup(keys)


async def test_dry_ask_looks_up_at_once_what_is_asked_at_once():
    journal = CountedJournal()
    dry = DryAsk(journal)
    await asyncio.gather(*(dry(chat_prompt(f"question {n}")) for n in range(20)))
    assert [len(keys) for keys in journal.looked_up] == [20]


async def test_a_store_that_cannot_be_read_stops_dry_asks():
    class Broken(MemoryJournal):
        def lookup(self, keys):
            raise StoreError("the disk is gone")

    with pytest.raises(StoreError, match="the disk is gone"):
        await DryAsk(Broken())(chat_prompt())


# ── An endpoint that is down, and several runs ───────────────────────────────────────


async def test_a_call_that_had_no_answer_is_not_tried_again_at_once_for_another_run():
    time_s = FakeTime()
    engine = ScriptedEngine(lambda _: failed_try(FailureKind.TRANSPORT, retry=False))
    ask = asker_over(engine, clockwork=time_s.clockwork)
    first = await ask.of_run("one")(chat_prompt())
    assert await ask.of_run("two")(chat_prompt()) == first
    assert await ask.of_run("three")(chat_prompt()) == first
    assert len(engine.asked) == 1
    time_s.now += 31
    await ask.of_run("two")(chat_prompt())
    assert len(engine.asked) == 2


async def test_once_the_endpoint_answers_anything_all_runs_ask_it_again():
    replies = iter([failed_try(FailureKind.TIMEOUT, retry=False), make_try(), make_try()])
    engine = ScriptedEngine(lambda _: next(replies))
    ask = asker_over(engine)
    assert not (await ask.of_run("one")(chat_prompt())).is_answered
    assert (await ask.of_run("one")(chat_prompt("another"))).is_answered
    assert (await ask.of_run("two")(chat_prompt())).is_answered


@pytest.mark.parametrize(
    "tried",
    [
        failed_try(FailureKind.REJECTED, retry=False),
        failed_try(FailureKind.TRANSPORT, retry=False, overloaded=True),
    ],
)
async def test_an_endpoint_that_said_something_is_asked_by_each_run(tried):
    engine = ScriptedEngine(lambda _: tried)
    ask = asker_over(engine)
    for run in ("one", "two"):
        await ask.of_run(run)(chat_prompt())
    assert len(engine.asked) == 2
