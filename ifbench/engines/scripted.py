"""An engine without a model: for tests, and for dry runs that cost nothing.

`options` of a model with `engine: scripted`:

    table      a mapping from a piece of the prompt to the reply, or a JSON file of one
    default    the reply where no entry matches
    failures   a mapping from a piece of the prompt to the kind of failure (`refusal`, `transport`)
    latency_s  seconds before each reply

Without any of them the reply is a short text that depends on the prompt alone, or the smallest
value that the prompt's reply schema allows. In code, `ScriptedEngine(reply)` takes a function.
"""

from __future__ import annotations

import asyncio
import codecs
import hashlib
import json
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from ifbench.engines.engine import Try, ViewLoader, failed_response, no_media
from ifbench.engines.options import read_options
from ifbench.errors import ConfigError
from ifbench.types import Failure, FailureKind, ModelConfig, Prompt, Response, Stop, Text, Usage

Reply: TypeAlias = Callable[[Prompt], str | Failure | Try]
"""A text, a failure, or a whole try where a test needs its details."""

_RETRIED = frozenset({FailureKind.TRANSPORT, FailureKind.TIMEOUT})


_REMEMBERED = 1000
"""All of a long run would be 200 bytes a call."""


class ScriptedEngine:
    """Replies by a function of the prompt. `asked` holds the last prompts, in order."""

    def __init__(
        self,
        reply: Reply | None = None,
        *,
        latency_s: float = 0.0,
        view_loader: ViewLoader = no_media,
    ) -> None:
        self.asked: deque[Prompt] = deque(maxlen=_REMEMBERED)
        self._reply = reply or default_reply
        self._latency_s = latency_s
        self._view_loader = view_loader

    async def generate(self, prompt: Prompt) -> Try:
        self.asked.append(prompt)
        if self._latency_s:
            await asyncio.sleep(self._latency_s)
        failure = await asyncio.to_thread(self._unloadable, prompt) if _has_media(prompt) else None
        return _as_try(prompt, failure or self._reply(prompt), self._latency_s)

    async def aclose(self) -> None:
        """Nothing is held."""

    def _unloadable(self, prompt: Prompt) -> Failure | None:
        """Media are loaded as if they were sent, so that a dry run finds those that cannot be."""
        for part in prompt.parts:
            loaded = None if isinstance(part, Text) else self._view_loader(part)
            if isinstance(loaded, Failure):
                return loaded
        return None


def _has_media(prompt: Prompt) -> bool:
    return not all(isinstance(part, Text) for part in prompt.parts)


def _as_try(prompt: Prompt, reply: str | Failure | Try, seconds: float) -> Try:
    match reply:
        case Try():
            return reply
        case Failure(kind=kind, message=message):
            return Try(response=failed_response(prompt, kind, message), retry=kind in _RETRIED)
        case "":
            words = "the script holds an empty reply"
            return Try(response=failed_response(prompt, FailureKind.EMPTY, words))
    response = Response(
        key="",
        purpose=prompt.purpose,
        model=prompt.model.model,
        text=reply,
        stop=Stop.STOP,
        usage=Usage(
            input_tokens=len(prompt_text(prompt).split()), output_tokens=len(reply.split())
        ),
        seconds=seconds,
        returned_model=prompt.model.model,
        endpoint="scripted:",
    )
    return Try(response=response)


def prompt_text(prompt: Prompt) -> str:
    """All text of a prompt, the system's first; what table entries are looked for in."""
    parts = [part.text for part in prompt.parts if isinstance(part, Text)]
    return "\n".join([prompt.system, *parts] if prompt.system else parts)


# ── Replies when nothing is set ──────────────────────────────────────────────────────


def default_reply(prompt: Prompt) -> str:
    """A text that differs between prompts and attempts, or JSON that obeys the reply schema."""
    if prompt.reply_schema is not None:
        return json.dumps(example_of(prompt.reply_schema))
    text = prompt_text(prompt)
    digest = hashlib.sha256(f"{prompt.attempt}\n{text}".encode(errors="replace")).hexdigest()
    return f"Scripted reply {digest[:8]} to: {' '.join(text.split())[:60]}"


def example_of(schema: Mapping[str, Any], root: Mapping[str, Any] | None = None) -> Any:
    """A small value that a plain JSON Schema allows: enough for the replies that we ask for.

    Knows types, enums, references, unions and minimum sizes; patterns and formats it does not.
    """
    root = schema if root is None else root
    match schema:
        case {"$ref": str(name)}:
            return example_of(root["$defs"][name.rsplit("/", 1)[-1]], root)
        case {"const": value} | {"enum": [value, *_]}:
            return value
        case {"anyOf": [first, *_]} | {"oneOf": [first, *_]} | {"allOf": [first, *_]}:
            return example_of(first, root)
        case {"type": "object"}:
            parts = schema.get("properties", {})
            return {name: example_of(part, root) for name, part in parts.items()}
        case {"type": "array"}:
            return [example_of(schema.get("items", {}), root)] * schema.get("minItems", 0)
        case {"type": "boolean"}:
            return True
        case {"type": "integer" | "number"}:
            return schema.get("minimum", 0)
        case {"type": "string"}:
            return "x" * schema.get("minLength", 1)
    return None


# ── From a config ────────────────────────────────────────────────────────────────────


class Options(BaseModel):
    """`options` of a scripted model; unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    table: Mapping[str, str] | str = Field(default_factory=dict)
    default: str | None = None
    failures: Mapping[str, FailureKind] = Field(default_factory=dict)
    latency_s: float = Field(default=0.0, ge=0)


def build_scripted(config: ModelConfig, view_loader: ViewLoader) -> ScriptedEngine:
    """The engine of a config; raises `ConfigError` for options or a table that cannot be read."""
    options = read_options(Options, config)
    table = (
        options.table if isinstance(options.table, Mapping) else _load_table(options.table, config)
    )

    def reply(prompt: Prompt) -> str | Failure:
        text = prompt_text(prompt)
        for piece, kind in options.failures.items():
            if piece in text:
                return Failure(kind=kind, message=f"scripted for prompts with {piece!r}")
        for piece, answer in table.items():
            if piece in text:
                return answer
        return default_reply(prompt) if options.default is None else options.default

    return ScriptedEngine(reply, latency_s=options.latency_s, view_loader=view_loader)


def _load_table(path: str, config: ModelConfig) -> Mapping[str, str]:
    where = f"model {config.name} (model/{config.name}.yaml): `options.table`"
    expected = "a file of one JSON object from text to text is expected"
    if not path.strip():
        raise ConfigError(f"{where} is empty, got {path!r}; {expected}")
    try:
        content = Path(path).read_bytes().removeprefix(codecs.BOM_UTF8)
        return TypeAdapter(dict[str, str]).validate_json(content)
    except OSError as error:
        raise ConfigError(f"{where}: {path}: {error.strerror}; {expected}") from error
    except ValidationError as error:
        raise ConfigError(f"{where}: {path}: {expected}; {error.errors()[0]['msg']}") from error
