"""The engine without a model."""

from __future__ import annotations

import json
import time

import jsonschema
import pytest
from pydantic import BaseModel, ConfigDict

from engines.engine_factories import chat_prompt, failed_try, make_view, unloadable
from factories import make_model
from ifbench.engines.engine import no_media
from ifbench.engines.scripted import ScriptedEngine, build_scripted, example_of
from ifbench.errors import ConfigError
from ifbench.types import FailureKind, Stop, Text


def scripted(**options):
    return build_scripted(make_model(options=options), no_media)


async def text_of(engine, prompt) -> str:
    return (await engine.generate(prompt)).response.text


async def test_table_answers_by_a_piece_of_the_prompt():
    engine = scripted(table={"benzene": "six", "water": "three"}, default="unknown")
    assert await text_of(engine, chat_prompt("How many atoms has water?")) == "three"
    assert await text_of(engine, chat_prompt("And?", system="On benzene.")) == "six"
    assert await text_of(engine, chat_prompt("How many atoms has ozone?")) == "unknown"


async def test_table_may_be_a_file(tmp_path):
    path = tmp_path / "table.json"
    path.write_text(json.dumps({"water": "H₂O"}), encoding="utf-8")
    assert await text_of(scripted(table=str(path)), chat_prompt("water")) == "H₂O"


@pytest.mark.parametrize("content", [None, "{", "[]", '{"a": 1}'])
def test_table_that_cannot_be_read_is_named(tmp_path, content):
    path = tmp_path / "table.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ConfigError, match=r"model/.*yaml.*options\.table.*table\.json.*expected"):
        scripted(table=str(path))


@pytest.mark.parametrize("path", ["", " "])
def test_table_without_a_path_is_no_folder(path):
    with pytest.raises(ConfigError, match=r"`options\.table` is empty, got '.*expected"):
        scripted(table=path)


async def test_table_may_begin_with_a_byte_order_mark(tmp_path):
    path = tmp_path / "table.json"
    path.write_bytes(b'\xef\xbb\xbf{"water": "wet"}')
    assert await text_of(scripted(table=str(path)), chat_prompt("water")) == "wet"


@pytest.mark.parametrize(
    "options", [{"tabel": {}}, {"latency_s": -1}, {"failures": {"x": "explodes"}}, {"default": 3}]
)
def test_wrong_options_are_refused(options):
    with pytest.raises(ConfigError, match="options"):
        scripted(**options)


async def test_failures_are_injected_by_a_piece_of_the_prompt():
    engine = scripted(failures={"bomb": "refusal", "wire": "transport"})
    refusal = await engine.generate(chat_prompt("a bomb"))
    broken = await engine.generate(chat_prompt("a wire"))
    assert (refusal.response.failure.kind, refusal.retry) == (FailureKind.REFUSAL, False)
    assert (broken.response.failure.kind, broken.retry) == (FailureKind.TRANSPORT, True)


async def test_latency_is_kept():
    began = time.monotonic()
    await scripted(latency_s=0.05).generate(chat_prompt())
    assert time.monotonic() - began >= 0.05


async def test_usage_counts_words():
    response = (await ScriptedEngine(lambda _: "a b c").generate(chat_prompt("one two"))).response
    assert (response.usage.input_tokens, response.usage.output_tokens) == (2, 3)
    assert response.stop is Stop.STOP


async def test_function_may_return_a_whole_try():
    tried = failed_try(retry_after_s=3.0)
    assert await ScriptedEngine(lambda _: tried).generate(chat_prompt()) is tried


async def test_empty_reply_is_a_failure():
    response = (await ScriptedEngine(lambda _: "").generate(chat_prompt())).response
    assert response.failure.kind is FailureKind.EMPTY


async def test_default_reply_depends_on_prompt_and_attempt_alone():
    engine = scripted()
    prompts = [chat_prompt("a"), chat_prompt("b"), chat_prompt("a", attempt=1), chat_prompt("a")]
    first, other, repeat, again = [await text_of(engine, prompt) for prompt in prompts]
    assert first == again
    assert len({first, other, repeat}) == 3


async def test_media_are_loaded_as_if_they_were_sent():
    engine = ScriptedEngine(view_loader=unloadable)
    tried = await engine.generate(chat_prompt(parts=(Text(text="See"), make_view())))
    assert tried.response.failure.kind is FailureKind.MEDIA
    assert not tried.retry


class Step(BaseModel):
    model_config = ConfigDict(extra="forbid")
    number: int
    covered: bool
    quotation: str | None


class Judgement(BaseModel):
    model_config = ConfigDict(extra="forbid")
    steps: list[Step]
    verdict: bool
    reason: str


@pytest.mark.parametrize(
    "schema",
    [
        Judgement.model_json_schema(),
        {"type": "array", "items": {"type": "integer", "minimum": 3}, "minItems": 2},
        {"type": "object", "properties": {"x": {"enum": ["a", "b"]}, "y": {"const": 4}}},
        {"type": "string", "minLength": 5},
        {"anyOf": [{"type": "null"}, {"type": "string"}]},
        {"type": "number"},
        {},
    ],
)
async def test_default_reply_obeys_the_schema(schema):
    reply = await text_of(scripted(), chat_prompt(reply_schema=schema or {"type": "null"}))
    jsonschema.validate(json.loads(reply), schema)
    jsonschema.validate(example_of(schema), schema)
