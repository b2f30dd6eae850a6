"""Any OpenAI-compatible endpoint, through the official client (`chat_post.py`).

The client retries nothing (one layer retries, `retry.py`) and validates nothing: it is handed
the body's bytes and hands back the reply's.
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from dataclasses import replace
from urllib.parse import urlsplit, urlunsplit

import aiohttp
import httpx2
import openai

from ifbench.engines.chat_post import Answer, ChatPost
from ifbench.engines.chat_refusal import read_refusal, refusal_words, shortened
from ifbench.engines.chat_reply import read_reply
from ifbench.engines.chat_request import (
    Content,
    Dialect,
    chat_body,
    encode_body,
    has_views,
    load_content,
    next_dialect,
)
from ifbench.engines.engine import Try, ViewLoader, failed_response
from ifbench.engines.retry import parse_retry_after
from ifbench.errors import ConfigError
from ifbench.types import Failure, FailureKind, ModelConfig, Prompt

OPENAI_URL = "https://api.openai.com/v1"
NO_KEY = "no-key-needed"  # The client sends a key always; local servers ignore it.
CONNECT_S = 30.0
MAX_DIALECTS = 4  # json_schema, json_object, none, and once the other token field.


def build_openai_chat(config: ModelConfig, view_loader: ViewLoader) -> OpenAIChat:
    """The engine of a config. Reads the key's environment variable; raises `ConfigError`."""
    base_url = config.base_url or OPENAI_URL
    parts = urlsplit(base_url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ConfigError(
            f"model {config.name}: `base_url` must be like https://host/v1, got {base_url!r}"
        )
    if config.api_key_env is None:
        if parts.hostname == urlsplit(OPENAI_URL).hostname:
            raise ConfigError(
                f"model {config.name}: {parts.hostname} needs a key; name the environment "
                "variable that holds it in `api_key_env`, or set `base_url`"
            )
        return OpenAIChat(base_url=base_url, view_loader=view_loader)
    key = _read_key(config.name, config.api_key_env)
    return OpenAIChat(base_url=base_url, view_loader=view_loader, api_key=key)


def _read_key(model: str, variable: str) -> str:
    key = os.environ.get(variable, "").strip()
    if not key:
        raise ConfigError(
            f"model {model}: the environment variable {variable} (`api_key_env`) is "
            f"{'empty' if variable in os.environ else 'not set'}"
        )
    if not key.isascii() or not key.isprintable():
        raise ConfigError(
            f"model {model}: the environment variable {variable} holds characters that "
            "cannot stand in a key"
        )
    return key


def is_loopback(url: str) -> bool:
    """True for an address of this machine."""
    host = urlsplit(url).hostname or ""
    return host in {"localhost", "::1"} or host.startswith("127.")


class OpenAIChat:
    """One endpoint. Remembers how each of its models wants to be asked."""

    def __init__(
        self, *, base_url: str, view_loader: ViewLoader, api_key: str | None = None
    ) -> None:
        self._secret = api_key
        self._view_loader = view_loader
        self._endpoint = public_url(base_url)
        self._dialects: dict[str, Dialect] = {}
        self._first_dialect = Dialect(
            token_field="max_completion_tokens"
            if urlsplit(base_url).hostname == urlsplit(OPENAI_URL).hostname
            else "max_tokens"
        )
        self._post = ChatPost(
            base_url=base_url,
            api_key=api_key or NO_KEY,
            # The total is ours to watch; a dead host should not take all of it.
            connect_s=CONNECT_S,
            # A proxy of the environment has no way to this machine's own ports.
            trust_env=not is_loopback(base_url),
        )

    async def generate(self, prompt: Prompt) -> Try:
        """One try, within `limits.timeout_s` from connecting to the last byte."""
        content = await self._load(prompt)
        if isinstance(content, Failure):
            return Try(response=failed_response(prompt, content.kind, content.message))
        began = time.monotonic()
        try:
            async with asyncio.timeout(prompt.model.limits.timeout_s):
                tried = await self._negotiate(prompt, content)
        except TimeoutError:
            words = f"no complete answer within {prompt.model.limits.timeout_s:g} s"
            tried = _broken(prompt, FailureKind.TIMEOUT, words)
        seconds = time.monotonic() - began
        response = replace(tried.response, seconds=seconds, endpoint=self._endpoint)
        return replace(tried, response=response)

    async def aclose(self) -> None:
        await self._post.aclose()

    async def _load(self, prompt: Prompt) -> Content | Failure:
        if not has_views(prompt):
            return load_content(prompt, self._view_loader)
        return await asyncio.to_thread(load_content, prompt, self._view_loader)

    async def _negotiate(self, prompt: Prompt, content: Content) -> Try:
        """Ask, and ask again in another dialect where the endpoint refuses ours.

        A refused request was not answered, so this is free. What works is remembered.
        """
        dialect = start = self._dialects.get(prompt.model.model, self._first_dialect)
        for _ in range(MAX_DIALECTS):
            try:
                answer = await self._put(prompt, content, dialect)
            except _BROKEN as error:
                return _broken(prompt, _kind_of(error), self._redacted(_root_words(error)))
            tried = _read(prompt, answer)
            if answer.status == 200:
                self._learn(prompt.model.model, start, dialect)
            if answer.status not in {400, 422} or tried.response.is_answered:
                break
            other = next_dialect(dialect, prompt, refusal_words(answer.body))
            if other is None:
                break
            dialect = other
        return tried

    def _learn(self, model: str, start: Dialect, spoken: Dialect) -> None:
        """Remember what had to change; a call that ran beside this one may have changed the rest."""
        if spoken != start:
            known = self._dialects.get(model, self._first_dialect)
            self._dialects[model] = Dialect(
                token_field=known.token_field
                if spoken.token_field == start.token_field
                else spoken.token_field,
                structure=known.structure
                if spoken.structure == start.structure
                else spoken.structure,
            )

    async def _put(self, prompt: Prompt, content: Content, dialect: Dialect) -> Answer:
        asked = chat_body(prompt, content, dialect)
        large = has_views(prompt)
        answer = await self._post(
            await asyncio.to_thread(encode_body, asked) if large else encode_body(asked)
        )
        if not self._secret:
            return answer
        # Some endpoints quote the key; some proxies echo the headers.
        return replace(answer, body=answer.body.replace(self._secret.encode(), b"[key]"))

    def _redacted(self, words: str) -> str:
        return words.replace(self._secret, "[key]") if self._secret else words


# Some of aiohttp's errors come through the client's transport as they are.
_BROKEN = (openai.APIConnectionError, aiohttp.ClientError, httpx2.HTTPError, OSError)


def _read(prompt: Prompt, answer: Answer) -> Try:
    if answer.status == 200:
        return read_reply(prompt, answer.body)
    refusal = read_refusal(answer.status, refusal_words(answer.body))
    return Try(
        response=failed_response(prompt, refusal.failure.kind, refusal.failure.message),
        retry=refusal.retry,
        retry_after_s=parse_retry_after(answer.headers, time.time) if refusal.retry else None,
        overloaded=refusal.overloaded,
        hopeless=refusal.hopeless,
    )


def _broken(prompt: Prompt, kind: FailureKind, words: str) -> Try:
    return Try(response=failed_response(prompt, kind, shortened(words)), retry=True)


def _chain(error: BaseException) -> tuple[BaseException, ...]:
    chain = [error]
    while (cause := chain[-1].__cause__) is not None:
        chain.append(cause)
    return tuple(chain)


def _kind_of(error: BaseException) -> FailureKind:
    """Time-out or not, by the first cause: the transport names some broken connections time-outs."""
    timed_out = any(isinstance(cause, TimeoutError) for cause in _chain(error))
    return FailureKind.TIMEOUT if timed_out else FailureKind.TRANSPORT


def _root_words(error: BaseException) -> str:
    """The type of the first cause, and the first words below the client's own general ones."""
    chain = _chain(error)
    words = next((str(cause) for cause in chain[1:] if str(cause)), str(error))
    return f"{type(chain[-1]).__name__}: {words}"


def public_url(url: str) -> str:
    """The URL without user, password and query, which may hold secrets."""
    parts = urlsplit(url)
    host = re.sub(r"^.*@", "", parts.netloc)
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))
