"""Bodies of a 200: the answer as it stands, or the failure that it is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engines.engine_factories import chat_prompt
from ifbench.engines.chat_reply import read_reply, read_usage
from ifbench.engines.engine import Try
from ifbench.types import FailureKind, Stop, Usage

PROMPT = chat_prompt()


def body(message: Any, finish: Any = "stop", **fields: Any) -> bytes:
    choices = [{"index": 0, "finish_reason": finish, "message": message}]
    return json.dumps({"choices": choices, **fields}).encode()


def read(message: Any, finish: Any = "stop", **fields: Any) -> Try:
    return read_reply(PROMPT, body(message, finish, **fields))


@pytest.mark.parametrize(
    "text", [" leading and trailing \n", "\n", "<think>x</think> y", "水 👩‍🔬", "\x00", "x" * 10**6]
)
def test_text_is_kept_byte_for_byte(text):
    tried = read({"content": text})
    assert (tried.response.text, tried.response.failure, tried.retry) == (text, None, False)


def test_lone_surrogates_in_a_reply_become_replacement_characters():
    raw = b'{"choices":[{"message":{"content":"a\\ud800b"},"finish_reason":"stop"}]}'
    assert read_reply(PROMPT, raw).response.text == "a\ufffdb"


def test_model_fingerprint_and_usage_are_kept():
    usage = {
        "prompt_tokens": 10,
        "completion_tokens": 7,
        "completion_tokens_details": {"reasoning_tokens": 5},
        "prompt_tokens_details": {"cached_tokens": 4},
    }
    response = read({"content": "x"}, model="m-0613", system_fingerprint="fp", usage=usage).response
    assert (response.model, response.returned_model, response.fingerprint) == ("m", "m-0613", "fp")
    assert response.usage == Usage(
        input_tokens=10, output_tokens=7, reasoning_tokens=5, cached_tokens=4
    )


@pytest.mark.parametrize(
    "usage",
    [
        None,
        [],
        "many",
        {"prompt_tokens": None, "completion_tokens": "7"},
        {"prompt_tokens": -1, "completion_tokens": True},
        {"prompt_tokens": float("nan"), "completion_tokens": float("inf")},
        {"completion_tokens_details": None, "prompt_tokens_details": 3},
    ],
)
def test_unreadable_usage_is_zero_and_harms_nothing(usage):
    assert read_usage(usage) == Usage()
    assert read({"content": "x"}, usage=usage).response.text == "x"


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_is_kept_apart(field):
    response = read({"content": "four", field: "2 + 2"}).response
    assert (response.text, response.reasoning) == ("four", "2 + 2")


@pytest.mark.parametrize(
    ("content", "text", "reasoning"),
    [
        ([{"type": "text", "text": "a"}, {"type": "text", "text": " b"}], "a b", ""),
        (["a", "b"], "ab", ""),
        (
            [
                {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                {"type": "text", "text": "a"},
            ],
            "a",
            "hm",
        ),
        ([{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "a"}], "a", "hm"),
        ([{"type": "text", "text": "a"}, {"type": "image"}, None, 3, {"text": 4}], "a", ""),
    ],
)
def test_content_in_parts_is_joined(content, text, reasoning):
    response = read({"content": content}).response
    assert (response.text, response.reasoning, response.failure) == (text, reasoning, None)


@pytest.mark.parametrize(
    ("finish", "stop"),
    [
        ("stop", Stop.STOP),
        ("eos", Stop.STOP),
        ("length", Stop.LENGTH),
        ("max_tokens", Stop.LENGTH),
        ("tool_calls", Stop.OTHER),
        ("???", Stop.OTHER),
        (None, Stop.OTHER),
        (3, Stop.OTHER),
    ],
)
def test_finish_reasons_become_stops(finish, stop):
    response = read({"content": "x"}, finish).response
    assert (response.stop, response.text, response.failure) == (stop, "x", None)


@pytest.mark.parametrize(
    ("message", "finish", "kind", "stop", "words"),
    [
        (
            {"content": None, "refusal": "I cannot"},
            "stop",
            FailureKind.REFUSAL,
            Stop.STOP,
            "I cannot",
        ),
        ({"content": "Well", "refusal": "No"}, "stop", FailureKind.REFUSAL, Stop.STOP, "No"),
        ({"content": "par"}, "content_filter", FailureKind.CONTENT_FILTER, Stop.FILTER, "filtered"),
        ({"content": None}, "content_filter", FailureKind.CONTENT_FILTER, Stop.FILTER, "filtered"),
        ({"content": None}, "stop", FailureKind.EMPTY, Stop.STOP, "no text"),
        ({"content": ""}, "stop", FailureKind.EMPTY, Stop.STOP, "no text"),
        ({"content": []}, "stop", FailureKind.EMPTY, Stop.STOP, "no text"),
        ({}, "stop", FailureKind.EMPTY, Stop.STOP, "no text"),
        ({"tool_calls": [{"id": "1"}]}, "tool_calls", FailureKind.EMPTY, Stop.OTHER, "tool calls"),
        ({"content": ""}, "length", FailureKind.EMPTY, Stop.LENGTH, "max_tokens was used up"),
    ],
)
def test_replies_without_an_answer_are_the_models_and_settled(message, finish, kind, stop, words):
    tried = read(message, finish, usage={"prompt_tokens": 3, "completion_tokens": 1})
    failure = tried.response.failure
    assert failure is not None
    assert (failure.kind, tried.response.stop, tried.response.text) == (kind, stop, "")
    assert words in failure.message
    assert tried.response.is_answered
    assert not tried.retry
    assert tried.response.usage.input_tokens == 3


def test_reasoning_of_an_empty_answer_is_kept():
    response = read({"content": "", "reasoning_content": "hm"}, "length").response
    assert (response.reasoning, response.stop) == ("hm", Stop.LENGTH)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"not json",
        b'{"choices": [{"message": {"content": "cut o',
        b'{"choices": [{"message": {"content": 7}}]}',
        b'{"choices": [{"message": {"content": {"a": 1}}}]}',
        b'{"choices": [{"message": {"content": false}}]}',
        b"\xff\xfe\x00",
        b"[" * 200_000,
        b"null",
        b"[]",
        b"3",
        b"{}",
        b'{"choices": null}',
        b'{"choices": []}',
        b'{"choices": {}}',
        b'{"choices": [null]}',
        b'{"choices": [{}]}',
        b'{"choices": [{"message": null}]}',
        b'{"choices": [{"message": "text"}]}',
        b'{"choices": [{"text": "a completion"}]}',
        b'{"error": null}',
    ],
)
def test_bodies_without_a_message_are_transport_failures(raw):
    tried = read_reply(PROMPT, raw)
    assert tried.retry
    assert tried.response.failure is not None
    assert tried.response.failure.kind is FailureKind.TRANSPORT


@pytest.mark.parametrize("finish", ["error", "abort"])
def test_reply_that_the_server_broke_off_is_tried_again(finish):
    tried = read({"content": "half"}, finish)
    assert tried.retry
    assert tried.response.text == ""


@pytest.mark.parametrize(
    ("error", "kind", "retry"),
    [
        ({"message": "overloaded", "code": 502}, FailureKind.TRANSPORT, True),
        ({"message": "slow down", "code": 429}, FailureKind.TRANSPORT, True),
        ({"message": "no such model", "code": 404}, FailureKind.REJECTED, False),
        ({"message": "prompt is too long", "code": 400}, FailureKind.CONTEXT_OVERFLOW, False),
        ({"message": "hm", "code": "odd"}, FailureKind.TRANSPORT, True),
        ("hm", FailureKind.TRANSPORT, True),
    ],
)
def test_error_inside_a_200_counts_as_its_own_status(error, kind, retry):
    tried = read_reply(PROMPT, json.dumps({"error": error}).encode())
    assert tried.response.failure is not None
    assert (tried.response.failure.kind, tried.retry) == (kind, retry)
