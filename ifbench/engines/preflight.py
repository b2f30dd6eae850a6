"""One tiny call to each endpoint that still owes answers, before a run spends anything.

It tells a wrong key, model id, URL or request field from an endpoint that works. An empty,
refused or cut-off reply is fine: the endpoint answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from ifbench.engines.budgets import ClientId, client_of
from ifbench.engines.engine import Engine, Try
from ifbench.engines.retry import Clockwork, retried
from ifbench.keys import canonical_json
from ifbench.tally import Tally
from ifbench.types import Failure, FailureKind, ModelConfig, Prompt, Purpose, Response, Text

Endpoint: TypeAlias = tuple[str | None, ...]

ATTEMPTS = 3
ELAPSED_S = 60.0
TIMEOUT_S = 120.0
MAX_TOKENS = 16  # Some endpoints refuse less.


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What one endpoint said to the tiny call."""

    models: tuple[str, ...]
    """The names of the configs that it stands for."""
    response: Response
    mend: str = ""
    """What the user can do; empty when the endpoint works."""

    @property
    def works(self) -> bool:
        return self.response.is_answered


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why a run would fail at one endpoint."""

    models: tuple[str, ...]
    message: str
    mend: str

    def __str__(self) -> str:
        return f"{', '.join(self.models)}: {self.message}. {self.mend}"


async def preflight(
    models: Iterable[ModelConfig],
    engines: Mapping[ClientId, Engine],
    *,
    tally: Tally | None = None,
    clockwork: Clockwork | None = None,
) -> list[Problem]:
    """The problems of the endpoints behind `models`; none when every one answers."""
    probes = await probe(models, engines, tally=tally, clockwork=clockwork)
    return [
        Problem(models=found.models, message=found.response.failure.message, mend=found.mend)
        for found in probes
        if not found.works and found.response.failure is not None
    ]


async def probe(
    models: Iterable[ModelConfig],
    engines: Mapping[ClientId, Engine],
    *,
    tally: Tally | None = None,
    clockwork: Clockwork | None = None,
) -> list[Probe]:
    """Call each distinct endpoint and model id once, all at the same time."""
    alike: dict[Endpoint, list[ModelConfig]] = {}
    for model in models:
        alike.setdefault(endpoint_of(model), []).append(model)
    calls = (
        _probe_one(group, engines[client_of(group[0])], tally or Tally(), clockwork or Clockwork())
        for group in alike.values()
    )
    return list(await asyncio.gather(*calls))


def endpoint_of(model: ModelConfig) -> Endpoint:
    """What a tiny call is about: a model id at an endpoint, under a key."""
    served = canonical_json(model.options) if model.engine == "vllm" else None
    return (model.engine, model.base_url, model.api_key_env, model.model, served)


async def _probe_one(
    group: list[ModelConfig], engine: Engine, tally: Tally, clockwork: Clockwork
) -> Probe:
    model = group[0]
    prompt = tiny_prompt(model)

    async def make_try() -> Try:
        tried = await engine.generate(prompt)
        usage = tried.response.usage
        for name, amount in (("input", usage.input_tokens), ("output", usage.output_tokens)):
            tally.add("tokens", prompt.purpose, model.name, name, amount=amount)
        return tried

    async def wait(_: Try, seconds: float) -> bool:
        tally.add("calls", prompt.purpose, model.name, "retried")
        await clockwork.sleep(seconds)
        return True

    response = await retried(make_try, prompt.model.limits, wait, clockwork)
    failure = response.failure
    event = "answered" if failure is None else f"failed:{failure.kind}"
    tally.add("calls", prompt.purpose, model.name, event)
    return Probe(
        models=tuple(sorted({config.name for config in group})),
        response=response,
        mend="" if response.is_answered or failure is None else advice(model, failure),
    )


def tiny_prompt(model: ModelConfig) -> Prompt:
    """A one-word prompt in the model's own sampling, so that a refused field shows.

    The reply is cut at 16 tokens unless `extra_body` is set: it may tie `max_tokens` to another
    field (a thinking budget has to be below it).
    """
    limits = replace(
        model.limits,
        attempts=min(model.limits.attempts, ATTEMPTS),
        elapsed_s=min(model.limits.elapsed_s, ELAPSED_S),
        timeout_s=min(model.limits.timeout_s, TIMEOUT_S),
    )
    is_free = not model.sampling.extra_body
    sampling = replace(model.sampling, max_tokens=MAX_TOKENS) if is_free else model.sampling
    return Prompt(
        purpose=Purpose.PREFLIGHT,
        model=replace(model, limits=limits),
        parts=(Text(text="Hello"),),
        sampling=sampling,
    )


def advice(model: ModelConfig, failure: Failure) -> str:
    """How to mend what the tiny call met."""
    status = failure.message.removeprefix("HTTP ")[:3] if failure.message[:5] == "HTTP " else ""
    key = f"the key in {model.api_key_env}" if model.api_key_env else "`api_key_env` (none is set)"
    if model.engine == "vllm" and not status:
        return f"Mend what the server says, or `options` of model {model.name}"
    match failure.kind, status:
        case FailureKind.REJECTED, "401" | "403":
            return f"Check {key} and what it may use"
        case FailureKind.REJECTED, "402" | "429":
            return f"The account behind {key} has no credit left"
        case FailureKind.REJECTED, "404":
            return f"Check the model id {model.model!r} and `base_url` ({_url(model)})"
        case FailureKind.REJECTED, _:
            return "Check the fields of `sampling` and its `extra_body` against the endpoint"
        case FailureKind.TIMEOUT, _:
            return f"Is {_url(model)} up? A slow model needs a higher `limits.timeout_s`"
        case FailureKind.TRANSPORT, _:
            return f"Is {_url(model)} up, and `base_url` right?"
    return "See the message"


def _url(model: ModelConfig) -> str:
    return model.base_url or "the endpoint"
