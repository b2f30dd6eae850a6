"""The options of a model that ifbench serves by vLLM itself, and the command line they come to.

Pure: nothing is started here. The flags were read in vLLM's own source (`engine/arg_utils.py`,
`entrypoints/openai/cli_args.py`) of late 2025 and of 2026, and are the same in both; `docs/gpu.md`
says how to check them against another version.
"""

from __future__ import annotations

import json
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from ifbench.engines.options import read_options
from ifbench.keys import content_key
from ifbench.types import ModelConfig

Word = Annotated[str, StringConstraints(min_length=1)]

ENVIRONMENT = {
    "VLLM_NO_USAGE_STATS": "1",  # Nothing is sent to anybody but the models.
    "PYTHONUNBUFFERED": "1",  # The last words of a server that is killed are in its log.
}
"""What the server reads from its environment; what the user has set there stays."""
TOKEN_VARIABLE = "VLLM_API_KEY"
"""Where vLLM finds the key that it asks for; on the command line every user could read it."""


class MediaLimits(BaseModel):
    """The most media of a kind that one request may hold; `None` leaves vLLM's own limit."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    image: int | None = Field(default=None, ge=0)
    video: int | None = Field(default=None, ge=0)
    audio: int | None = Field(default=None, ge=0)


class VllmOptions(BaseModel):
    """What `ModelConfig.options` may hold for the engine `vllm`.

    `dtype`, `quantization`, `context` and `args` belong to the keys of stored answers, the rest
    does not (`docs/decisions/0009-served-models.md`).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    gpus: int = Field(default=1, ge=0)
    """GPUs of one server, all of one machine (tensor parallel); 0 for a server that needs none."""
    replicas: int = Field(default=1, ge=1)
    """Servers of this model at once, each on `gpus` of its own."""
    dtype: Word = "auto"
    """`auto` takes the weights' own."""
    quantization: Word | None = None
    """`None` takes what the weights' configuration says."""
    context: int | None = Field(default=None, ge=256)
    """Tokens of prompt and answer together; `None` takes the model's own limit."""
    prefix_caching: bool | None = None
    """Whether equal beginnings of prompts are computed once; `None` leaves vLLM's choice."""
    limit_mm_per_prompt: MediaLimits = MediaLimits()
    gpu_memory_utilization: float | None = Field(default=None, gt=0, le=1)
    """The share of each GPU's memory that the server takes; `None` leaves vLLM's choice."""
    port: int = Field(default=0, ge=0, le=65535)
    """0 takes a free one. A port of your own suits one replica on a machine."""
    args: tuple[Word, ...] = ()
    """Further flags; they may change answers, so they belong to the keys."""
    speed_args: tuple[Word, ...] = ()
    """Further flags that change the speed alone (`--max-num-seqs`), so no keys."""
    command: Annotated[tuple[Word, ...], Field(min_length=1)] = ("vllm", "serve")
    """What is started, before the model id and the flags."""
    start_s: float = Field(default=1800.0, gt=0)
    """From the start to health: weights are fetched and loaded, graphs captured."""
    restarts: int = Field(default=3, ge=0)
    """Times that a server which was healthy is started again after it died."""


def vllm_options(config: ModelConfig) -> VllmOptions:
    """The options of a config, checked. Raises `ConfigError`."""
    return read_options(VllmOptions, config)


def server_key(config: ModelConfig) -> str:
    """Names the server of a model: configs that differ in how they ask share one."""
    options = vllm_options(config).model_dump(mode="json")
    return content_key({"model": config.model, "revision": config.revision, **options})[:16]


def serve_command(model: str, options: VllmOptions, host: str, port: int) -> tuple[str, ...]:
    """The whole command line. Flags whose option is left alone are left out."""
    return (
        *options.command,
        model,
        *("--served-model-name", model),  # Also where `args` name other weights.
        *("--host", host, "--port", str(port)),
        *_parallel(options.gpus),
        *("--dtype", options.dtype),
        *_flag("--quantization", options.quantization),
        *_flag("--max-model-len", options.context),
        *_switch("prefix-caching", options.prefix_caching),
        *_media(options.limit_mm_per_prompt),
        *_flag("--gpu-memory-utilization", options.gpu_memory_utilization),
        "--disable-uvicorn-access-log",  # A line for each request would bury what went wrong.
        *options.args,
        *options.speed_args,
    )


def _parallel(gpus: int) -> tuple[str, ...]:
    """Processes of its own for several GPUs: left to itself, vLLM may join the Ray cluster."""
    if gpus <= 1:
        return ()
    return ("--tensor-parallel-size", str(gpus), "--distributed-executor-backend", "mp")


def _flag(name: str, value: str | float | None) -> tuple[str, ...]:
    return () if value is None else (name, str(value))


def _switch(name: str, value: bool | None) -> tuple[str, ...]:  # noqa: FBT001 - a value, no choice
    return () if value is None else (f"--{'enable' if value else 'no-enable'}-{name}",)


def _media(limits: MediaLimits) -> tuple[str, ...]:
    given = limits.model_dump(exclude_none=True)
    return ("--limit-mm-per-prompt", json.dumps(given)) if given else ()
