"""Values and small helpers for the tests of engines."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from factories import make_prompt
from ifbench.engines.engine import Try
from ifbench.engines.openai_chat import OpenAIChat
from ifbench.engines.retry import Clockwork
from ifbench.types import (
    Failure,
    FailureKind,
    ImagePolicy,
    Limits,
    Media,
    ModelConfig,
    NativePolicy,
    Policy,
    Prompt,
    Response,
    Sampling,
    Stop,
    View,
)


@dataclass(frozen=True)
class FakeBlob:
    data: bytes
    mime: str


def make_view(kind: Any = "image", sha256: str = "a" * 64, policy: Policy | None = None) -> View:
    """A medium under the policy of its kind."""
    native = NativePolicy() if kind != "image" else ImagePolicy()
    return View(media=Media(kind=kind, uri=f"{kind}.bin", sha256=sha256), policy=policy or native)


def chat_model(url: str = "http://127.0.0.1:1/v1", **fields: Any) -> ModelConfig:
    """An OpenAI-compatible model with short limits."""
    plain = ModelConfig(
        name="m",
        engine="openai_chat",
        model="m",
        base_url=url,
        limits=Limits(timeout_s=5.0, attempts=3),
    )
    return replace(plain, **fields)


def chat_prompt(text: str = "How many?", **fields: Any) -> Prompt:
    """A question to `chat_model`."""
    return make_prompt(text, **{"model": chat_model(), **fields})


def seeded(seed: int, **fields: Any) -> Prompt:
    """Prompts that differ in their seed alone."""
    return chat_prompt(sampling=Sampling(seed=seed), **fields)


def unloadable(view: View) -> Failure:
    return Failure(kind=FailureKind.MEDIA, message=f"{view.media.uri} cannot be opened")


def chat_engine(url: str, api_key: str | None = None, **fields: Any) -> OpenAIChat:
    return OpenAIChat(base_url=url, api_key=api_key, **{"view_loader": unloadable, **fields})


def make_try(text: str = "four", **fields: Any) -> Try:
    """A try that was answered."""
    prompt = chat_prompt()
    response = Response(key="", purpose=prompt.purpose, model="m", text=text, stop=Stop.STOP)
    return Try(response=response, **fields)


def failed_try(kind: FailureKind = FailureKind.TRANSPORT, **fields: Any) -> Try:
    """A try that failed and may be made again."""
    failure = Failure(kind=kind, message="planted")
    response = replace(make_try("").response, stop=Stop.NONE, failure=failure)
    return Try(response=response, **{"retry": True, **fields})


class FakeTime:
    """A clock that sleeping moves; `slept` holds the sleeps."""

    def __init__(self, draw: float = 0.5) -> None:
        self.now = 0.0
        self.slept: list[float] = []
        self.clockwork = Clockwork(now=lambda: self.now, sleep=self._sleep, random=lambda: draw)

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


class MemoryJournal:
    """A journal in memory. With `hold` set, answers become durable only when `settle` is called."""

    def __init__(self, *, hold: bool = False, error: Exception | None = None) -> None:
        self.rows: dict[str, Response] = {}
        self.queued: list[tuple[Response, concurrent.futures.Future[None]]] = []
        self._hold = hold
        self._error = error

    def lookup(self, keys: Sequence[str]) -> Mapping[str, Response]:
        return {key: self.rows[key] for key in keys if key in self.rows}

    def stored(self, keys: Sequence[str]) -> frozenset[str]:
        return frozenset(self.rows) & set(keys)

    def append_soon(self, response: Response) -> concurrent.futures.Future[None]:
        done: concurrent.futures.Future[None] = concurrent.futures.Future()
        self.queued.append((response, done))
        if not self._hold:
            self.settle()
        return done

    def settle(self) -> None:
        """Make what is queued durable, or fail."""
        for response, done in self.queued:
            if not done.set_running_or_notify_cancel():
                continue
            if self._error is not None:
                done.set_exception(self._error)
                continue
            self.rows[response.key] = response
            done.set_result(None)
        self.queued.clear()
