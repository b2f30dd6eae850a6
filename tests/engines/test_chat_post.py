"""The first request goes through the official client, later ones are like it."""

from __future__ import annotations

import asyncio
import gzip
import json

import aiohttp
import httpx2
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from engines.endpoint import FakeEndpoint, Fault
from ifbench.engines import chat_post
from ifbench.engines.chat_post import ChatPost

KEY = "sk-planted-0123456789abcdef"


@pytest.fixture
async def endpoint():
    async with FakeEndpoint() as running:
        yield running


@pytest.fixture
async def post(endpoint):
    built = ChatPost(base_url=endpoint.url, api_key=KEY, connect_s=5.0, trust_env=False)
    yield built
    await built.aclose()


def body(words: str) -> bytes:
    return json.dumps({"model": "m", "messages": [{"role": "user", "content": words}]}).encode()


async def test_later_requests_differ_from_the_first_in_their_body_alone(endpoint, post):
    for words in ("one", "two, and longer than the first", "ü"):
        assert (await post(body(words))).status == 200
    asked = [request["messages"][0]["content"] for request in endpoint.requests]
    assert asked == ["one", "two, and longer than the first", "ü"]
    lengths = [int(headers.pop("Content-Length")) for headers in endpoint.headers]
    assert lengths == [len(body(words)) for words in asked]
    first, *later = ({k.lower(): v for k, v in sent.items()} for sent in endpoint.headers)
    assert later == [first, first]
    assert first["authorization"] == f"Bearer {KEY}"
    assert first["content-type"] == "application/json"


async def test_requests_at_the_same_time_keep_their_own_bodies(endpoint, post):
    words = [f"question {number}" for number in range(20)]
    await asyncio.gather(*(post(body(one)) for one in words))
    assert sorted(r["messages"][0]["content"] for r in endpoint.requests) == sorted(words)


async def test_where_httpx_names_its_method_otherwise_the_client_sends_all_requests(
    endpoint, post, monkeypatch
):
    monkeypatch.setattr(chat_post, "_FINDS_TRANSPORT", "no_such_name")
    for words in ("one", "two"):
        assert (await post(body(words))).status == 200
    assert post._http.first is None
    assert [one["messages"][0]["content"] for one in endpoint.requests] == ["one", "two"]


async def test_packed_answers_are_unpacked_each_time():
    async def answer(_: web.Request) -> web.Response:
        packed = gzip.compress(b"x" * 100_000)
        return web.Response(body=packed, headers={"content-encoding": "gzip"})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    async with TestServer(app) as server:
        url = str(server.make_url("/v1"))
        post = ChatPost(base_url=url, api_key=KEY, connect_s=5.0, trust_env=False)
        bodies = [(await post(body("one"))).body for _ in range(2)]
        await post.aclose()
    assert bodies == [b"x" * 100_000] * 2


async def test_a_redirect_is_followed_on_the_first_call_and_on_later_ones(endpoint, post):
    moved = Fault(status=307, headers={"location": f"{endpoint.url}/chat/completions"}, times=1)
    for fault in (moved, None, moved, None):
        if fault is not None:
            endpoint.behave(fault)
        assert (await post(body("one"))).status == 200


async def test_a_lost_endpoint_is_told_on_later_calls_too():
    async with FakeEndpoint() as endpoint:
        post = ChatPost(base_url=endpoint.url, api_key=KEY, connect_s=5.0, trust_env=False)
        await post(body("one"))
    with pytest.raises((httpx2.HTTPError, aiohttp.ClientError)):
        await post(body("two"))
    await post.aclose()
