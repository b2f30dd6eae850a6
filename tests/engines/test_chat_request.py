"""What goes out: parts in order, fields of the body, and what endpoints disagree on."""

from __future__ import annotations

import base64
import json
from dataclasses import replace

import pytest

from engines.engine_factories import FakeBlob, chat_prompt, make_view, unloadable
from ifbench.engines.chat_request import (
    Dialect,
    chat_body,
    encodable,
    encode_body,
    load_content,
    next_dialect,
)
from ifbench.types import Failure, FailureKind, Sampling, Text

SCHEMA = {"type": "object", "properties": {"ok": {"type": "boolean"}}}


def body_of(prompt, dialect=None):
    return chat_body(prompt, load_content(prompt, unloadable), dialect or Dialect())


def test_text_alone_goes_out_as_one_string():
    prompt = chat_prompt(parts=(Text(text=" a\n"), Text(text="b ")))
    assert load_content(prompt, unloadable) == " a\nb "


def test_parts_keep_their_order():
    pictures = {"1" * 64: b"one", "2" * 64: b"two"}
    prompt = chat_prompt(
        parts=(
            Text(text="First "),
            make_view(sha256="2" * 64),
            make_view(sha256="1" * 64),
            Text(text=" last"),
        )
    )
    content = load_content(prompt, lambda view: FakeBlob(pictures[view.media.sha256], "image/jpeg"))
    urls = [
        f"data:image/jpeg;base64,{base64.b64encode(data).decode()}" for data in (b"two", b"one")
    ]
    assert content == [
        {"type": "text", "text": "First "},
        *({"type": "image_url", "image_url": {"url": url}} for url in urls),
        {"type": "text", "text": " last"},
    ]


@pytest.mark.parametrize(
    ("mime", "part"),
    [
        ("image/png", {"type": "image_url", "image_url": {"url": "data:image/png;base64,eHk="}}),
        ("video/mp4", {"type": "video_url", "video_url": {"url": "data:video/mp4;base64,eHk="}}),
        ("audio/mpeg", {"type": "input_audio", "input_audio": {"data": "eHk=", "format": "mp3"}}),
        ("audio/x-wav", {"type": "input_audio", "input_audio": {"data": "eHk=", "format": "wav"}}),
        ("audio/ogg", {"type": "input_audio", "input_audio": {"data": "eHk=", "format": "ogg"}}),
        ("text/vtt", {"type": "text", "text": "xy"}),
    ],
)
def test_each_medium_has_its_part(mime, part):
    prompt = chat_prompt(parts=(make_view("video"),))
    assert load_content(prompt, lambda _: FakeBlob(b"xy", mime)) == [part]


def test_a_view_of_several_blobs_becomes_as_many_parts_in_their_order():
    blobs = (FakeBlob(b"[00:01.000]", "text/plain"), FakeBlob(b"xy", "image/png"))
    prompt = chat_prompt(parts=(Text(text="a"), make_view("video"), Text(text="b")))
    assert load_content(prompt, lambda _: blobs) == [
        {"type": "text", "text": "a"},
        {"type": "text", "text": "[00:01.000]"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,eHk="}},
        {"type": "text", "text": "b"},
    ]


def test_one_blob_that_no_part_carries_fails_the_row():
    blobs = (FakeBlob(b"xy", "image/png"), FakeBlob(b"", "application/zip"))
    found = load_content(chat_prompt(parts=(make_view("video"),)), lambda _: blobs)
    assert isinstance(found, Failure)


def test_medium_that_no_part_carries_fails_the_row():
    found = load_content(
        chat_prompt(parts=(make_view(),)), lambda _: FakeBlob(b"", "application/zip")
    )
    assert isinstance(found, Failure)
    assert found.kind is FailureKind.MEDIA


def test_view_that_cannot_be_loaded_fails_the_row():
    found = load_content(chat_prompt(parts=(Text(text="x"), make_view())), unloadable)
    assert found == Failure(kind=FailureKind.MEDIA, message="image.bin cannot be opened")


def test_only_what_is_set_is_sent():
    assert body_of(chat_prompt("Hi")) == {
        "model": "m",
        "messages": [{"role": "user", "content": "Hi"}],
    }


def test_system_and_sampling_are_sent():
    sampling = Sampling(temperature=0, top_p=0.5, seed=7, max_tokens=99)
    body = body_of(chat_prompt("Hi", system="Be brief.", sampling=sampling))
    assert body == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hi"},
        ],
        "temperature": 0,
        "top_p": 0.5,
        "seed": 7,
        "max_tokens": 99,
    }


def test_extra_body_wins():
    extra = {"temperature": 0.3, "chat_template_kwargs": {"enable_thinking": True}}
    body = body_of(chat_prompt(sampling=Sampling(temperature=1, extra_body=extra)))
    assert body["temperature"] == 0.3
    assert body["chat_template_kwargs"] == {"enable_thinking": True}


@pytest.mark.parametrize("field", ["max_tokens", "max_completion_tokens"])
def test_token_field_of_extra_body_replaces_ours(field):
    sampling = Sampling(max_tokens=10, extra_body={field: 20})
    body = body_of(chat_prompt(sampling=sampling))
    assert {name: body[name] for name in body if "tokens" in name} == {field: 20}


@pytest.mark.parametrize(
    ("structure", "sent"),
    [
        (
            "json_schema",
            {
                "type": "json_schema",
                "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA},
            },
        ),
        ("json_object", {"type": "json_object"}),
        ("none", None),
    ],
)
def test_structured_reply_is_asked_for_in_three_ways(structure, sent):
    body = body_of(chat_prompt(reply_schema=SCHEMA), Dialect(structure=structure))
    assert body.get("response_format") == sent


LIMITED = chat_prompt(sampling=Sampling(max_tokens=9))
SHAPED = chat_prompt(reply_schema=SCHEMA)
PLAIN = Dialect()
NEWER = Dialect(token_field="max_completion_tokens")


@pytest.mark.parametrize(
    ("dialect", "prompt", "words", "expected"),
    [
        (
            PLAIN,
            LIMITED,
            (
                "Unsupported parameter: 'max_tokens' is not supported with this model. "
                "Use 'max_completion_tokens' instead. (unsupported_parameter, max_tokens)"
            ),
            NEWER,
        ),
        (
            NEWER,
            LIMITED,
            "body.max_completion_tokens: Extra inputs are not permitted (extra_forbidden)",
            PLAIN,
        ),
        (NEWER, LIMITED, "Unrecognized request argument: max_completion_tokens", PLAIN),
        # A value that is too large is no refused field.
        (PLAIN, LIMITED, "max_tokens is too large: 9. At most 4 completion tokens", None),
        (PLAIN, chat_prompt(), "Unsupported parameter: 'max_tokens'", None),
        (
            PLAIN,
            chat_prompt(sampling=Sampling(max_tokens=9, extra_body={"max_tokens": 8})),
            "Unsupported parameter: 'max_tokens'",
            None,
        ),
        (PLAIN, LIMITED, "Unsupported parameter: 'temperature'", None),
        (
            PLAIN,
            SHAPED,
            "response_format type json_schema is not supported",
            Dialect(structure="json_object"),
        ),
        (
            Dialect(structure="json_object"),
            SHAPED,
            "'messages' must contain the word 'json' to use 'response_format' of type 'json_object'",
            Dialect(structure="none"),
        ),
        (Dialect(structure="none"), SHAPED, "response_format is not supported", None),
        (PLAIN, chat_prompt(), "response_format is not supported", None),
        (
            PLAIN,
            replace(SHAPED, sampling=Sampling(extra_body={"response_format": {"type": "text"}})),
            "response_format is not supported",
            None,
        ),
        (PLAIN, SHAPED, "failed to parse grammar", Dialect(structure="json_object")),
        (PLAIN, SHAPED, "the model does not exist", None),
    ],
)
def test_other_dialect_is_tried_only_where_a_field_of_ours_is_refused(
    dialect, prompt, words, expected
):
    assert next_dialect(dialect, prompt, words) == expected


@pytest.mark.parametrize(
    "text",
    ["", " \t\n ", "naïve ΔG° → 水", "👩‍🔬🇦🇶", "\x00\x7f\u2028", '"\\/', "x" * 1_000_000],
)
def test_text_goes_out_byte_for_byte(text):
    assert json.loads(encode_body(body_of(chat_prompt(text))))["messages"][0]["content"] == text


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("a\ud800b", "a\ufffdb"),
        ("\udc00", "\ufffd"),
        ("\ud83d\ude00", "😀"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
        ("水\ud800", "水\ufffd"),
    ],
)
def test_lone_surrogates_become_replacement_characters(text, sent):
    assert encodable(text) == sent
    assert json.loads(encode_body(body_of(chat_prompt(text))))["messages"][0]["content"] == sent
