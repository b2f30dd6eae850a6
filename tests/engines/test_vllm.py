"""The engine over servers that come, go and come again: what waits, what is tried again."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

import pytest

from engines.endpoint import FakeEndpoint, Fault
from engines.engine_factories import MemoryJournal, chat_prompt
from ifbench.engines.build import build_engine, check_options, open_asker
from ifbench.engines.engine import no_media
from ifbench.engines.vllm_command import server_key
from ifbench.errors import ConfigError, PrerequisiteError
from ifbench.types import FailureKind, Limits, ModelConfig, Sampling

MODEL = ModelConfig(name="m", engine="vllm", model="org/m", limits=Limits(attempts=4))
PROMPT = chat_prompt(model=MODEL)


@dataclass(frozen=True)
class Listening:
    url: str
    token: str = "a-token"


class Registry:
    """Names what it is told to, and notes what it was asked."""

    def __init__(self, *places: Listening) -> None:
        self.places = places
        self.suspects: list[object] = []
        self.failure = ""
        self.is_open = asyncio.Event()
        if places:
            self.is_open.set()

    async def __call__(self, key: str, suspect: object) -> tuple[Listening, ...]:
        assert key == server_key(MODEL)
        self.suspects.append(suspect)
        await self.is_open.wait()
        if self.failure:
            raise PrerequisiteError(self.failure)
        return self.places


def place(endpoint: FakeEndpoint) -> Listening:
    return Listening(url=endpoint.url.removesuffix("/v1"))


async def test_asks_where_the_registry_says_with_the_servers_token():
    async with FakeEndpoint(reply="four") as endpoint:
        find = Registry(place(endpoint))
        engine = build_engine(MODEL, no_media, find_servers=find)
        for _ in range(3):
            assert (await engine.generate(PROMPT)).response.text == "four"
        await engine.aclose()
    assert find.suspects == [None]
    assert {sent["Authorization"] for sent in endpoint.headers} == {"Bearer a-token"}


async def test_calls_wait_for_a_server_that_starts():
    async with FakeEndpoint() as endpoint:
        find = Registry()
        engine = build_engine(MODEL, no_media, find_servers=find)
        calls = [asyncio.ensure_future(engine.generate(PROMPT)) for _ in range(5)]
        await asyncio.sleep(0.2)
        assert endpoint.total == 0
        find.places = (place(endpoint),)
        find.is_open.set()
        assert {(await call).response.failure for call in calls} == {None}
        await engine.aclose()
    assert endpoint.total == 5


async def test_a_call_that_breaks_off_is_made_again_at_the_server_that_comes_after():
    async with FakeEndpoint() as first, FakeEndpoint(reply="four") as second:
        first.behave(Fault(mode="drop"))
        dead, alive = place(first), place(second)
        find = Registry(dead)

        async def renamed(key: str, suspect: object) -> tuple[Listening, ...]:
            if suspect is not None:
                find.places = (alive,)
            return await find(key, suspect)

        async with open_asker([MODEL], MemoryJournal(), no_media, find_servers=renamed) as ask:
            responses = await asyncio.gather(*(ask(numbered(n)) for n in range(6)))
    assert [response.text for response in responses] == ["four"] * 6
    assert all(response.tries == 2 for response in responses)
    assert find.suspects == [None, dead]
    assert set(second.arrived.values()) == {1}


async def test_waiting_for_a_server_counts_into_no_limit():
    async with FakeEndpoint(reply="four") as endpoint:
        endpoint.behave(Fault(status=503, times=1))
        model = replace(MODEL, limits=Limits(elapsed_s=1.0))

        async def find(key: str, suspect: object) -> tuple[Listening, ...]:
            await asyncio.sleep(1.5)
            return (place(endpoint),)

        async with open_asker([model], MemoryJournal(), no_media, find_servers=find) as ask:
            response = await ask(chat_prompt(model=model))
    assert (response.text, response.tries) == ("four", 2)


async def test_a_dead_server_slows_everybody_down_and_may_be_tried_again():
    engine = build_engine(MODEL, no_media, find_servers=Registry(Listening("http://127.0.0.1:1")))
    tried = await engine.generate(PROMPT)
    await engine.aclose()
    assert tried.response.failure.kind is FailureKind.TRANSPORT
    assert tried.retry
    assert tried.overloaded


async def test_no_server_for_good_is_hopeless_and_says_why():
    find = Registry()
    find.failure = "CUDA out of memory"
    find.is_open.set()
    async with open_asker([MODEL], MemoryJournal(), no_media, find_servers=find) as ask:
        first, second = await ask(numbered(1)), await ask(numbered(2))
    assert first.failure.kind is FailureKind.REJECTED
    assert first.failure.message == "CUDA out of memory"
    assert "not asked" in second.failure.message
    assert len(find.suspects) == 1


async def test_a_stop_ends_the_wait_for_a_server():
    stop = False
    engine = build_engine(MODEL, no_media, find_servers=Registry(), stopping=lambda: stop)
    call = asyncio.ensure_future(engine.generate(PROMPT))
    await asyncio.sleep(0.2)
    stop = True
    tried = await asyncio.wait_for(call, 2)
    await engine.aclose()
    assert tried.response.failure.kind is FailureKind.NOT_RUN


async def test_replicas_share_the_calls():
    async with FakeEndpoint(latency_s=0.3) as one, FakeEndpoint(latency_s=0.3) as two:
        model = replace(MODEL, options={"replicas": 2})

        async def find(key: str, suspect: object) -> tuple[Listening, ...]:
            return (place(one), place(two))

        engine = build_engine(model, no_media, find_servers=find)
        await asyncio.gather(*(engine.generate(numbered(n)) for n in range(8)))
        await engine.aclose()
    assert (one.total, two.total) == (4, 4)


async def test_without_a_registry_it_is_built_and_answers_nothing():
    engine = build_engine(MODEL, no_media)
    tried = await engine.generate(PROMPT)
    assert tried.hopeless
    await engine.aclose()


def test_configs_that_ask_one_server_in_two_ways_share_it():
    thinking = replace(MODEL, name="t", sampling=Sampling(extra_body={"x": 1}), thinking=True)
    assert server_key(thinking) == server_key(MODEL)
    assert server_key(replace(MODEL, options={"gpus": 1})) == server_key(MODEL)
    for other in (
        replace(MODEL, model="org/n"),
        replace(MODEL, revision="2"),
        replace(MODEL, options={"gpus": 2}),
    ):
        assert server_key(other) != server_key(MODEL)


@pytest.mark.parametrize("field", ["base_url", "api_key_env"])
def test_an_address_or_key_of_the_users_own_is_refused(field):
    with pytest.raises(ConfigError, match=f"`{field}` is for endpoints that others serve"):
        check_options([replace(MODEL, **{field: "http://x/v1"})])


def numbered(number: int):
    return chat_prompt(f"What is {number}?", model=MODEL)
