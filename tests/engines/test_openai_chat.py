"""The chat engine against a local endpoint that misbehaves."""

from __future__ import annotations

import asyncio
import json
import logging
import time
import traceback
from dataclasses import replace

import pytest

from engines.endpoint import FakeEndpoint, Fault, error_body
from engines.engine_factories import (
    FakeBlob,
    chat_engine,
    chat_model,
    chat_prompt,
    make_view,
    unloadable,
)
from ifbench.engines.engine import no_media
from ifbench.engines.openai_chat import OpenAIChat, build_openai_chat, public_url
from ifbench.errors import ConfigError
from ifbench.types import FailureKind, Limits, Sampling, Stop, Text

KEY = "sk-planted-0123456789abcdef"
SCHEMA = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}},
    "required": ["ok"],
    "additionalProperties": False,
}
NEEDS_NEWER_FIELD = Fault(
    status=400,
    match='"max_tokens"',
    body=error_body(
        "Unsupported parameter: 'max_tokens' is not supported with this model. "
        "Use 'max_completion_tokens' instead.",
        "unsupported_parameter",
    ),
)
NO_SCHEMA = Fault(
    status=400,
    match="json_schema",
    body=error_body("response_format of type json_schema is not supported"),
)
NO_OBJECT = Fault(
    status=400, match="json_object", body=error_body("'response_format' is not supported")
)


@pytest.fixture
async def endpoint():
    async with FakeEndpoint() as running:
        yield running


@pytest.fixture
async def engine(endpoint):
    built = chat_engine(endpoint.url, api_key=KEY)
    yield built
    await built.aclose()


async def failure_of(engine: OpenAIChat, prompt=None, timeout_s: float = 5.0):
    prompt = prompt or chat_prompt(model=chat_model(limits=Limits(timeout_s=timeout_s)))
    tried = await engine.generate(prompt)
    assert tried.response.failure is not None
    assert tried.response.text == ""
    return tried


async def test_answer_names_who_gave_it(endpoint, engine):
    endpoint.reply = " Four.\n"
    response = (await engine.generate(chat_prompt())).response
    assert (response.text, response.stop) == (" Four.\n", Stop.STOP)
    assert response.returned_model == "m-2026-01-01"
    assert response.fingerprint == "fp_local"
    assert response.endpoint == endpoint.url
    assert response.usage.output_tokens == 1
    assert response.seconds > 0


@pytest.mark.parametrize("text", ["x" * 1_000_000, "👩‍🔬 naïve \x00 \u2028", " \n ", '{"a": "\\"}'])
async def test_prompt_arrives_byte_for_byte(endpoint, engine, text):
    await engine.generate(chat_prompt(text, system=text))
    assert [m["content"] for m in endpoint.requests[0]["messages"]] == [text, text]


async def test_lone_surrogates_arrive_as_replacement_characters(endpoint, engine):
    tried = await engine.generate(chat_prompt("a\ud800b"))
    assert tried.response.failure is None
    assert endpoint.requests[0]["messages"][0]["content"] == "a\ufffdb"


async def test_pictures_arrive_in_order(endpoint):
    engine = chat_engine(
        endpoint.url,
        view_loader=lambda view: FakeBlob(view.media.sha256[:1].encode(), "image/jpeg"),
    )
    views = [make_view(sha256=digit * 64) for digit in "abc"]
    await engine.generate(chat_prompt(parts=(Text(text="See"), *views)))
    await engine.aclose()
    content = endpoint.requests[0]["messages"][0]["content"]
    urls = [part["image_url"]["url"] for part in content[1:]]
    assert urls == [f"data:image/jpeg;base64,{code}" for code in ("YQ==", "Yg==", "Yw==")]


async def test_medium_that_cannot_be_loaded_is_not_asked_about(endpoint, engine):
    tried = await failure_of(engine, chat_prompt(parts=(Text(text="See"), make_view())))
    assert tried.response.failure.kind is FailureKind.MEDIA
    assert not tried.retry
    assert endpoint.total == 0


# ── Failures ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("fault", "kind", "retry"),
    [
        (Fault(status=400), FailureKind.REJECTED, False),
        (Fault(status=401), FailureKind.REJECTED, False),
        (Fault(status=403), FailureKind.REJECTED, False),
        (Fault(status=404), FailureKind.REJECTED, False),
        (Fault(status=413), FailureKind.REJECTED, False),
        (Fault(status=422), FailureKind.REJECTED, False),
        (Fault(status=408), FailureKind.TRANSPORT, True),
        (Fault(status=409), FailureKind.TRANSPORT, True),
        (Fault(status=429), FailureKind.TRANSPORT, True),
        (Fault(status=500), FailureKind.TRANSPORT, True),
        (Fault(status=502, body="<html>Bad gateway</html>"), FailureKind.TRANSPORT, True),
        (Fault(status=503, body=""), FailureKind.TRANSPORT, True),
        (
            Fault(status=429, body=error_body("Quota", "insufficient_quota")),
            FailureKind.REJECTED,
            False,
        ),
        (
            Fault(status=400, body=error_body("Too long", "context_length_exceeded")),
            FailureKind.CONTEXT_OVERFLOW,
            False,
        ),
        (
            Fault(status=400, body=error_body("No", "content_policy_violation")),
            FailureKind.CONTENT_FILTER,
            False,
        ),
        (Fault(mode="drop"), FailureKind.TRANSPORT, True),
        (Fault(mode="cut"), FailureKind.TRANSPORT, True),
        (Fault(body="not json"), FailureKind.TRANSPORT, True),
        (Fault(body={"object": "list"}), FailureKind.TRANSPORT, True),
        (Fault(body=""), FailureKind.TRANSPORT, True),
        (
            Fault(body="x", headers={"content-encoding": "gzip"}),
            FailureKind.TRANSPORT,
            True,
        ),
        (Fault(status=302, headers={"location": "/elsewhere"}), FailureKind.REJECTED, False),
    ],
    ids=lambda value: f"{value.status}-{value.mode}" if isinstance(value, Fault) else None,
)
async def test_each_fault_is_typed_and_tried_once(endpoint, engine, fault, kind, retry):
    endpoint.behave(fault)
    tried = await failure_of(engine)
    assert (tried.response.failure.kind, tried.retry) == (kind, retry)
    assert endpoint.total == 1
    if fault.status != 302:  # Later calls go another way (`chat_post.py`), and end alike.
        later = await failure_of(engine)
        assert (later.response.failure.kind, later.retry) == (kind, retry)
        assert endpoint.total == 2


@pytest.mark.parametrize("mode", ["hang", "dribble"])
@pytest.mark.parametrize("calls_before", [0, 1])
async def test_endpoint_that_never_finishes_is_left_at_the_deadline(
    endpoint, engine, mode, calls_before
):
    for _ in range(calls_before):
        await engine.generate(chat_prompt())
    endpoint.behave(Fault(mode=mode))
    began = time.monotonic()
    tried = await failure_of(engine, timeout_s=0.4)
    assert time.monotonic() - began < 3
    assert (tried.response.failure.kind, tried.retry) == (FailureKind.TIMEOUT, True)
    assert tried.response.seconds == pytest.approx(0.4, abs=0.3)


async def test_slow_answer_within_the_deadline_is_kept(endpoint, engine):
    endpoint.behave(Fault(latency_s=0.3))
    response = (await engine.generate(chat_prompt())).response
    assert response.failure is None
    assert response.seconds >= 0.3


async def test_closed_port_is_a_transport_failure(endpoint):
    engine = chat_engine("http://127.0.0.1:9/v1")
    tried = await failure_of(engine)
    await engine.aclose()
    assert (tried.response.failure.kind, tried.retry) == (FailureKind.TRANSPORT, True)
    assert "127.0.0.1:9" in tried.response.failure.message


async def test_server_that_speaks_no_http_is_a_transport_failure():
    async def babble(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-OpenSSH\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(babble, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    engine = chat_engine(f"http://127.0.0.1:{port}/v1")
    tried = await failure_of(engine)
    await engine.aclose()
    server.close()
    assert (tried.response.failure.kind, tried.retry) == (FailureKind.TRANSPORT, True)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"Retry-After": "0.5"}, 0.5),
        ({"Retry-After-Ms": "70"}, 0.07),
        ({"X-RateLimit-Remaining-Requests": "0", "X-RateLimit-Reset-Requests": "20ms"}, 0.02),
        ({}, None),
    ],
)
async def test_retry_after_is_handed_on(endpoint, engine, headers, seconds):
    endpoint.behave(Fault(status=429, headers=headers))
    tried = await failure_of(engine)
    assert tried.retry_after_s == seconds
    assert tried.overloaded


async def test_refused_key_is_hopeless(endpoint, engine):
    endpoint.behave(Fault(status=401))
    assert (await failure_of(engine)).hopeless


# ── Dialects ─────────────────────────────────────────────────────────────────────────


async def test_other_token_field_is_tried_and_remembered(endpoint, engine):
    endpoint.behave(NEEDS_NEWER_FIELD)
    prompt = chat_prompt(sampling=Sampling(max_tokens=50))
    for _ in range(3):
        assert (await engine.generate(prompt)).response.failure is None
    sent = [[name for name in body if "tokens" in name] for body in endpoint.requests]
    assert sent == [["max_tokens"], *[["max_completion_tokens"]] * 3]
    assert endpoint.requests[-1]["max_completion_tokens"] == 50


async def test_dialects_are_remembered_by_model(endpoint, engine):
    endpoint.behave(NEEDS_NEWER_FIELD)
    sampling = Sampling(max_tokens=50)
    await engine.generate(chat_prompt(sampling=sampling))
    await engine.generate(chat_prompt(sampling=sampling, model=chat_model(model="other")))
    assert "max_tokens" in endpoint.requests[2]


async def test_structured_reply_falls_back_and_is_remembered(endpoint, engine):
    endpoint.behave(NO_SCHEMA, NO_OBJECT)
    prompt = chat_prompt(reply_schema=SCHEMA)
    for _ in range(2):
        assert (await engine.generate(prompt)).response.failure is None
    forms = [body.get("response_format", {}).get("type") for body in endpoint.requests]
    assert forms == ["json_schema", "json_object", None, None]


async def test_plain_prompt_beside_does_not_undo_what_was_learned(endpoint, engine):
    endpoint.behave(NO_SCHEMA)
    await engine.generate(chat_prompt(reply_schema=SCHEMA))
    await engine.generate(chat_prompt())
    await engine.generate(chat_prompt(reply_schema=SCHEMA))
    assert endpoint.requests[-1]["response_format"] == {"type": "json_object"}
    assert endpoint.total == 4


async def test_both_dialects_are_learned_in_one_call(endpoint, engine):
    endpoint.behave(NEEDS_NEWER_FIELD, NO_SCHEMA, NO_OBJECT)
    prompt = chat_prompt(reply_schema=SCHEMA, sampling=Sampling(max_tokens=50))
    assert (await engine.generate(prompt)).response.failure is None
    assert endpoint.total == 4
    await engine.generate(prompt)
    assert endpoint.total == 5


async def test_calls_side_by_side_learn_together_and_undo_nothing(endpoint, engine):
    slow_plain = Fault(match="slow", latency_s=0.3)
    endpoint.behave(slow_plain, NEEDS_NEWER_FIELD, NO_SCHEMA)
    limited = Sampling(max_tokens=50)
    await asyncio.gather(
        engine.generate(chat_prompt("slow")),
        engine.generate(chat_prompt(sampling=limited)),
        engine.generate(chat_prompt(reply_schema=SCHEMA)),
    )
    assert endpoint.total == 5
    await engine.generate(chat_prompt(reply_schema=SCHEMA, sampling=limited))
    assert endpoint.total == 6
    assert endpoint.requests[-1]["max_completion_tokens"] == 50
    assert endpoint.requests[-1]["response_format"] == {"type": "json_object"}


async def test_endpoint_that_refuses_every_dialect_is_left_alone(endpoint, engine):
    endpoint.behave(
        Fault(status=400, body=error_body("max_tokens, max_completion_tokens: not supported"))
    )
    tried = await failure_of(engine, chat_prompt(sampling=Sampling(max_tokens=50)))
    assert tried.response.failure.kind is FailureKind.REJECTED
    assert endpoint.total <= 4


async def test_schema_is_sent_strict(endpoint, engine):
    response = (await engine.generate(chat_prompt(reply_schema=SCHEMA))).response
    assert json.loads(response.text) == {"ok": True}
    assert endpoint.requests[0]["response_format"]["json_schema"] == {
        "name": "reply",
        "strict": True,
        "schema": SCHEMA,
    }


async def test_openai_itself_is_first_told_max_completion_tokens():
    engine = chat_engine("https://api.openai.com/v1", api_key=KEY)
    assert engine._first_dialect.token_field == "max_completion_tokens"
    await engine.aclose()


# ── Keys and building ────────────────────────────────────────────────────────────────


async def test_key_is_sent_and_shown_nowhere(endpoint, engine, caplog):
    caplog.set_level(logging.DEBUG)
    long = "x" * 280  # The key then stands where the message is cut.
    endpoint.behave(
        Fault(status=400, body=error_body(f"bad key {KEY}"), times=1),
        Fault(status=500, body=f"{long} Bearer {KEY}", times=1),
        Fault(body={"error": {"message": f"key {KEY}", "code": 403}}, times=1),
        Fault(body=f"<html>{KEY}", times=1),
        Fault(mode="drop", times=1),
    )
    tries = [await failure_of(engine) for _ in range(5)]
    assert {headers["Authorization"] for headers in endpoint.headers} == {f"Bearer {KEY}"}
    for text in (repr(engine), str(engine), *map(repr, tries), caplog.text):
        assert KEY not in text
        assert KEY[:12] not in text


async def test_key_of_a_header_that_cannot_be_sent_is_not_shown(monkeypatch):
    monkeypatch.setenv("PLANTED", KEY + "\u200b")
    with pytest.raises(ConfigError) as caught:
        build_openai_chat(chat_model(api_key_env="PLANTED"), no_media)
    assert "PLANTED" in str(caught.value)
    assert KEY not in "".join(traceback.format_exception(caught.value))


async def test_key_is_stripped_of_the_newline_that_files_end_with(endpoint, monkeypatch):
    monkeypatch.setenv("PLANTED", f"{KEY}\n")
    engine = build_openai_chat(chat_model(endpoint.url, api_key_env="PLANTED"), no_media)
    assert (await engine.generate(chat_prompt())).response.failure is None
    await engine.aclose()
    assert endpoint.headers[0]["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("value", [None, "", "  "])
def test_missing_key_is_named_before_anything_is_asked(monkeypatch, value):
    if value is None:
        monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    else:
        monkeypatch.setenv("NO_SUCH_KEY", value)
    with pytest.raises(ConfigError, match="NO_SUCH_KEY"):
        build_openai_chat(chat_model(api_key_env="NO_SUCH_KEY"), no_media)


@pytest.mark.parametrize("url", ["localhost:8000/v1", "ftp://host/v1", "http://", "/v1", "v1"])
def test_base_url_that_cannot_be_reached_is_refused(url):
    with pytest.raises(ConfigError, match="base_url"):
        build_openai_chat(chat_model(url), no_media)


def test_openai_without_a_key_is_refused():
    with pytest.raises(ConfigError, match="api_key_env"):
        build_openai_chat(replace(chat_model(), base_url=None), no_media)


async def test_local_endpoint_needs_no_key(endpoint):
    engine = build_openai_chat(chat_model(endpoint.url), unloadable)
    assert (await engine.generate(chat_prompt())).response.failure is None
    await engine.aclose()


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://host/v1", "https://host/v1"),
        ("https://user:secret@host:8000/v1/", "https://host:8000/v1"),
        ("https://host/v1?api-key=secret", "https://host/v1"),
    ],
)
def test_shown_url_holds_no_secret(url, shown):
    assert public_url(url) == shown


async def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(endpoint, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # nothing listens there
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    engine = build_openai_chat(chat_model(endpoint.url), no_media)
    tried = await engine.generate(chat_prompt())
    await engine.aclose()
    assert tried.response.failure is None
