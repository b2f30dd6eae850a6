"""From a config to its engine."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time

import pytest

from engines.endpoint import FakeEndpoint
from engines.engine_factories import MemoryJournal, chat_model, chat_prompt
from factories import make_model
from ifbench.engines.build import build_engine, open_asker
from ifbench.engines.engine import no_media
from ifbench.engines.openai_chat import OpenAIChat
from ifbench.engines.scripted import ScriptedEngine
from ifbench.errors import ConfigError
from ifbench.types import Limits


async def test_engine_is_chosen_by_its_name():
    chat = build_engine(chat_model(), no_media)
    assert isinstance(chat, OpenAIChat)
    await chat.aclose()
    assert isinstance(build_engine(make_model(), no_media), ScriptedEngine)


async def test_asker_works_over_what_a_config_says():
    async with FakeEndpoint(reply="four") as endpoint:
        model = chat_model(endpoint.url)
        async with open_asker([model], MemoryJournal(), no_media) as ask:
            assert (await ask(chat_prompt(model=model))).text == "four"


async def test_quota_is_used_and_kept_without_being_refused():
    async with FakeEndpoint(requests_per_s=40) as endpoint:
        limits = Limits(requests_per_minute=2400, concurrency=64)
        model = chat_model(endpoint.url, limits=limits)
        async with open_asker([model], MemoryJournal(), no_media) as ask:
            began = time.monotonic()
            responses = await asyncio.gather(
                *(ask(chat_prompt(str(number), model=model)) for number in range(120))
            )
            seconds = time.monotonic() - began
    assert all(response.failure is None for response in responses)
    assert endpoint.total <= 1.02 * 120
    assert (120 - 40) / 40 < seconds < 2 * 120 / 40


async def test_missing_key_is_found_before_any_call(monkeypatch):
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    models = [chat_model(), chat_model(name="other", api_key_env="NO_SUCH_KEY")]
    with pytest.raises(ConfigError, match="NO_SUCH_KEY"):
        async with open_asker(models, MemoryJournal(), no_media):
            pass


async def test_what_is_wrong_with_several_models_is_said_at_once(monkeypatch):
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    models = [
        chat_model(name="one", api_key_env="NO_SUCH_KEY"),
        chat_model(),
        chat_model(name="other", base_url="ftp://host/v1"),
    ]
    with pytest.raises(ConfigError) as told:
        async with open_asker(models, MemoryJournal(), no_media):
            pass
    one, other = str(told.value).splitlines()
    assert "model one: the environment variable NO_SUCH_KEY" in one
    assert "model other: `base_url` must be like" in other


def test_engines_load_their_packages_on_first_use():
    code = (
        "import sys, ifbench.engines.build, ifbench.engines.preflight, ifbench.engines.scripted; "
        "print(*{'openai', 'aiohttp', 'httpx2', 'xllamacpp', 'ray', 'PIL'} & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == ""
