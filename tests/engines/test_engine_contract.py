"""What holds for every engine: typed failures, no exceptions, bytes kept, calls side by side."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

import pytest

from engines.endpoint import FakeEndpoint, text_of
from engines.engine_factories import chat_engine, chat_model, chat_prompt, make_view, unloadable
from ifbench.engines.engine import Engine
from ifbench.engines.scripted import ScriptedEngine, prompt_text
from ifbench.types import FailureKind, Limits, Stop, Text

HARD_TEXTS = [
    "plain",
    " \n\t spaced \n",
    "水 ΔG° 👩‍🔬 \u2028 \ufeff",
    "\x00\x01\x7f",
    "</think><think>",
    "a\ud800b",
    "\ud83d\ude00",
    "[" * 100_000,
    "x" * 1_000_000,
]


@dataclass
class Ground:
    """An engine that answers with what it was asked, after `latency_s`."""

    engine: Engine
    slow_down: Callable[[float], None]


@pytest.fixture(params=["openai_chat", "scripted"])
async def ground(request) -> AsyncIterator[Ground]:
    if request.param == "scripted":
        engine = ScriptedEngine(prompt_text, view_loader=unloadable)
        yield Ground(engine, lambda seconds: setattr(engine, "_latency_s", seconds))
        await engine.aclose()
        return
    async with FakeEndpoint(reply=text_of) as endpoint:
        chat = chat_engine(endpoint.url)
        yield Ground(chat, lambda seconds: setattr(endpoint, "latency_s", seconds))
        await chat.aclose()


@pytest.mark.parametrize("text", HARD_TEXTS, ids=range(len(HARD_TEXTS)))
async def test_no_text_makes_it_raise(ground, text):
    tried = await ground.engine.generate(chat_prompt(text))
    assert tried.response.failure is None
    if text.isprintable() or text.isascii():
        assert tried.response.text == text


async def test_answer_is_marked_as_one(ground):
    prompt = chat_prompt("four")
    tried = await ground.engine.generate(prompt)
    response = tried.response
    assert (response.text, response.stop, response.failure) == ("four", Stop.STOP, None)
    assert (response.purpose, response.model) == (prompt.purpose, prompt.model.model)
    assert (response.key, response.tries) == ("", 1)
    assert not tried.retry
    assert response.endpoint
    assert response.usage.output_tokens == 1


async def test_empty_answer_is_the_models_failure(ground):
    tried = await ground.engine.generate(chat_prompt(parts=(Text(text=""),)))
    assert tried.response.failure is not None
    assert tried.response.failure.kind is FailureKind.EMPTY
    assert not tried.retry


async def test_medium_that_cannot_be_loaded_is_a_failed_row(ground):
    tried = await ground.engine.generate(chat_prompt(parts=(make_view(), Text(text="?"))))
    assert tried.response.failure is not None
    assert tried.response.failure.kind is FailureKind.MEDIA
    assert tried.response.text == ""


async def test_calls_run_side_by_side(ground):
    ground.slow_down(0.2)
    began = asyncio.get_running_loop().time()
    tries = await asyncio.gather(
        *(ground.engine.generate(chat_prompt(str(number))) for number in range(20))
    )
    assert asyncio.get_running_loop().time() - began < 2
    assert [tried.response.text for tried in tries] == [str(number) for number in range(20)]


async def test_cancellation_passes_through(ground):
    ground.slow_down(30)
    prompt = chat_prompt(model=chat_model(limits=Limits(timeout_s=60)))
    task = asyncio.create_task(ground.engine.generate(prompt))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
