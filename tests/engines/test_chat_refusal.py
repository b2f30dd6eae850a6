"""Statuses and wordings, typed. The wordings are those of real endpoints, shortened."""

from __future__ import annotations

import json

import pytest

from ifbench.engines.chat_refusal import MAX_MESSAGE, read_refusal, refusal_words
from ifbench.types import FailureKind

OVERFLOW, FILTER, REJECTED, TRANSPORT = (
    FailureKind.CONTEXT_OVERFLOW,
    FailureKind.CONTENT_FILTER,
    FailureKind.REJECTED,
    FailureKind.TRANSPORT,
)


@pytest.mark.parametrize(
    ("status", "kind", "retry"),
    [
        (300, REJECTED, False),
        (400, REJECTED, False),
        (401, REJECTED, False),
        (402, REJECTED, False),
        (403, REJECTED, False),
        (404, REJECTED, False),
        (405, REJECTED, False),
        (408, TRANSPORT, True),
        (409, TRANSPORT, True),
        (413, REJECTED, False),
        (415, REJECTED, False),
        (422, REJECTED, False),
        (425, TRANSPORT, True),
        (429, TRANSPORT, True),
        (451, REJECTED, False),
        (500, TRANSPORT, True),
        (502, TRANSPORT, True),
        (503, TRANSPORT, True),
        (504, TRANSPORT, True),
        (529, TRANSPORT, True),
    ],
)
def test_each_status_has_its_kind(status, kind, retry):
    refusal = read_refusal(status, "sorry")
    assert (refusal.failure.kind, refusal.retry) == (kind, retry)
    assert refusal.failure.message == f"HTTP {status}: sorry"


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        # Context overflow: OpenAI, vLLM, llama.cpp, Anthropic, Google, Mistral, SGLang, TGI.
        (
            (
                "This model's maximum context length is 4097 tokens. However, your messages resulted "
                "in 5000 tokens. (context_length_exceeded)"
            ),
            OVERFLOW,
        ),
        (
            (
                "This model's maximum context length is 8192 tokens. However, you requested 9000 "
                "tokens (8000 in the messages, 1000 in the completion)."
            ),
            OVERFLOW,
        ),
        (
            "The decoder prompt (length 9000) is longer than the maximum model length of 8192",
            OVERFLOW,
        ),
        (
            (
                "the request exceeds the available context size, try increasing it "
                "(exceed_context_size_error)"
            ),
            OVERFLOW,
        ),
        ("prompt is too long: 210000 tokens > 200000 maximum", OVERFLOW),
        ("The input token count (2000000) exceeds the maximum number of tokens allowed", OVERFLOW),
        (
            "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
            OVERFLOW,
        ),
        (
            "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
            OVERFLOW,
        ),
        ("`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 and 512", OVERFLOW),
        ("Too many tokens in the prompt", OVERFLOW),
        ("Please reduce the length of the messages or completion.", OVERFLOW),
        ("Input exceeds the context window of this model", OVERFLOW),
        # The prompt would have fitted: the config asks for too much output.
        (
            (
                "'max_tokens' or 'max_completion_tokens' is too large: 9000. This model's maximum "
                "context length is 8192 tokens and your request has 10 input tokens"
            ),
            REJECTED,
        ),
        ("max_tokens is too large: 100000. This model supports at most 16384", REJECTED),
        # Content policy: Azure, OpenAI, DashScope, DeepSeek, Google, Zhipu.
        (
            (
                "The response was filtered due to the prompt triggering Azure OpenAI's content "
                "management policy. (content_filter)"
            ),
            FILTER,
        ),
        ("Your request was rejected as a result of our safety system.", FILTER),
        ("(content_policy_violation)", FILTER),
        ("Input data may contain inappropriate content. (data_inspection_failed)", FILTER),
        ("Content Exists Risk (invalid_request_error)", FILTER),
        ("Invalid prompt: flagged as potentially violating our usage policy.", FILTER),
        ("系统检测到输入或生成内容可能包含不安全或敏感内容", FILTER),
        # Neither.
        ("Invalid 'safety_identifier': string too long", REJECTED),
        ("Invalid 'messages[0].content': image is too large", REJECTED),
        ("unknown field `temperatur`", REJECTED),
        ("The content type must be application/json", REJECTED),
        ("", REJECTED),
    ],
)
def test_words_of_a_400_tell_overflow_and_filter_from_the_rest(words, kind):
    assert read_refusal(400, words).failure.kind is kind


@pytest.mark.parametrize(
    ("status", "words", "kind"),
    [
        (413, "Prompt is too long", OVERFLOW),
        (413, "Request Entity Too Large", REJECTED),
        (422, "inputs exceed the maximum context length", OVERFLOW),
        (403, "Your input was flagged by moderation", FILTER),
        (403, "maximum context length", REJECTED),
        (401, "safety first", REJECTED),
        (404, "context length model not found", REJECTED),
        (500, "maximum context length", TRANSPORT),
    ],
)
def test_words_count_only_under_their_statuses(status, words, kind):
    assert read_refusal(status, words).failure.kind is kind


@pytest.mark.parametrize(
    ("status", "words", "hopeless"),
    [
        (429, "You exceeded your current quota (insufficient_quota)", True),
        (429, "Your credit balance is too low", True),
        (429, "You have exhausted your credits", True),
        (429, "Insufficient balance", True),
        (402, "", True),
        (401, "Incorrect API key provided", True),
        (403, "insufficient credits", True),
        (403, "this model is not available in your region", False),
        # Google says this of the minute's quota as well.
        (
            429,
            "You exceeded your current quota, please check your plan (RESOURCE_EXHAUSTED)",
            False,
        ),
        (429, "Rate limit reached for requests", False),
        (404, "no such model", False),
    ],
)
def test_refused_key_and_used_up_credit_are_hopeless(status, words, hopeless):
    refusal = read_refusal(status, words)
    assert refusal.hopeless is hopeless
    if hopeless:
        assert refusal.failure.kind is REJECTED
        assert not refusal.retry


@pytest.mark.parametrize(("status", "overloaded"), [(429, True), (503, False), (500, False)])
def test_only_a_rate_limit_asks_everyone_to_pause(status, overloaded):
    assert read_refusal(status, "").overloaded is overloaded


def test_long_message_is_cut_to_one_line():
    message = read_refusal(400, "much\n too " * 200).failure.message
    assert len(message) <= MAX_MESSAGE + len("HTTP 400: ")
    assert "\n" not in message


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": {"message": "no", "code": "c", "type": "t"}}, "no (c, t)"),
        ({"error": {"message": "no", "code": 400, "param": "seed"}}, "no (seed)"),
        ({"error": {"message": None}}, ""),
        ({"error": "no"}, "no"),
        ([{"error": {"message": "no", "status": "INVALID_ARGUMENT"}}], "no (INVALID_ARGUMENT)"),
        ({"message": "no", "type": "BadRequestError"}, "no (BadRequestError)"),
        ({"detail": "no"}, "no"),
        ({"detail": {"error": {"message": "no"}}}, "no"),
        ("no", "no"),
        ({}, ""),
        ([], ""),
        (None, ""),
        (7, ""),
    ],
)
def test_words_are_found_in_the_shapes_that_are_about(body, words):
    assert refusal_words(json.dumps(body).encode()) == words


def test_echoed_request_is_not_read():
    detail = {"loc": ["body", "seed"], "msg": "wrong", "type": "int", "input": "content policy"}
    words = refusal_words(json.dumps({"detail": [detail, "plain"]}).encode())
    assert words == "body.seed: wrong (int); plain"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"<html>Bad gateway</html>", "<html>Bad gateway</html>"),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"", ""),
        (b"[" * 100_000, "[" * 4000),
    ],
)
def test_body_that_is_not_json_is_quoted(body, words):
    assert refusal_words(body) == words
