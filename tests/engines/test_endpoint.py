"""The fake endpoint counts right, in this process and in one of its own."""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request

import pytest

from engines.endpoint import EndpointProcess, FakeEndpoint, Fault, digest
from engines.engine_factories import chat_engine, chat_prompt


def post(url: str, text: str) -> dict:
    data = json.dumps({"model": "m", "messages": [{"role": "user", "content": text}]}).encode()
    with urllib.request.urlopen(f"{url}/chat/completions", data=data) as answer:
        return json.load(answer)


async def test_requests_are_counted_by_what_they_ask():
    async with FakeEndpoint() as endpoint:
        engine = chat_engine(endpoint.url)
        for text in ("a", "b", "a"):
            await engine.generate(chat_prompt(text))
        await engine.aclose()
        assert sorted(endpoint.arrived.values()) == [1, 2]
        assert endpoint.arrived[digest(endpoint.requests[0])] == 2
        assert endpoint.answered == endpoint.arrived


async def test_an_answer_that_comes_after_a_reset_is_not_counted_again_from_there():
    async with FakeEndpoint(latency_s=1.0) as endpoint:
        engine = chat_engine(endpoint.url)
        asked = asyncio.ensure_future(engine.generate(chat_prompt("slow")))
        await asyncio.sleep(0.2)
        assert endpoint.arrived
        await endpoint._reset(None)
        assert (await asked).response.is_answered
        await engine.aclose()
        assert not endpoint.answered


async def test_nothing_is_said_to_an_asker_that_went_away():
    said: list[str] = []

    def reply(body):
        said.append(body["messages"][0]["content"])
        return "late"

    async with FakeEndpoint(latency_s=0.5, reply=reply) as endpoint:
        engine = chat_engine(endpoint.url)
        asked = [
            asyncio.ensure_future(engine.generate(chat_prompt(text))) for text in ("gone", "stays")
        ]
        while endpoint.in_flight < 2:  # noqa: ASYNC110 - the endpoint tells of no arrival
            await asyncio.sleep(0.01)
        asked[0].cancel()
        assert (await asked[1]).response.is_answered
        await engine.aclose()
        assert said == ["stays"]
        assert endpoint.answered.total() == 1
        assert endpoint.in_flight == 0


async def test_requests_above_the_rate_are_refused():
    async with FakeEndpoint(requests_per_s=5) as endpoint:
        engine = chat_engine(endpoint.url)
        tries = await asyncio.gather(
            *(engine.generate(chat_prompt(str(number))) for number in range(20))
        )
        await engine.aclose()
        refused = [tried for tried in tries if tried.overloaded]
        assert len(refused) == endpoint.refused
        assert 10 <= len(refused) <= 15
        assert {tried.retry_after_s for tried in refused} == {1.0}


def test_process_counts_and_obeys(tmp_path):
    script = tmp_path / "replies.py"
    script.write_text("def loud(body):\n    return body['messages'][0]['content'].upper()\n")
    with EndpointProcess(reply=f"{script}:loud") as endpoint:
        answer = post(endpoint.url, "hello")
        assert answer["choices"][0]["message"]["content"] == "HELLO"
        endpoint.behave(Fault(status=418, times=1))
        with pytest.raises(urllib.error.HTTPError) as caught:
            post(endpoint.url, "hello")
        caught.value.close()
        post(endpoint.url, "other")
        counts = endpoint.counts()
        assert (counts["total"], sorted(counts["arrived"].values())) == (3, [1, 2])
        assert counts["statuses"] == {"200": 2, "418": 1}
        endpoint.reset()
        assert endpoint.counts()["total"] == 0
