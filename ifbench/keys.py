"""Canonical JSON and content keys: equal prompts have equal keys, on every machine.

A key holds all that can change a reply and nothing else: no path, no URL, no limit, no
price, no label. Fields that stand at their default are left out, so that a field added
later leaves the keys of stored responses as they are (`docs/decisions/0001-content-keys.md`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from ifbench.types import (
    FramesPolicy,
    ImagePolicy,
    ModelConfig,
    NativePolicy,
    Part,
    Policy,
    Prompt,
    Sampling,
    SubtitlesPolicy,
    Text,
    View,
    WavePolicy,
)

KEY_VERSION = 1  # A new number makes every stored answer unreachable: never change it lightly.


def canonical_json(value: Any) -> str:
    """One text for one value: sorted keys, no blanks, ASCII. Raises ValueError on NaN."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    )


def content_key(value: Any) -> str:
    """SHA-256 of the canonical JSON, in hex (64 characters)."""
    return hashlib.sha256(canonical_json(value).encode("ascii")).hexdigest()


def prompt_key(prompt: Prompt) -> str:
    """The identity of a prompt in the store."""
    return content_key(
        {
            "version": KEY_VERSION,
            "purpose": prompt.purpose.value,
            "model": _model_identity(prompt.model),
            "parts": [_part_identity(part) for part in prompt.parts],
            "sampling": _changed_fields(prompt.sampling),
            "attempt": prompt.attempt,
            **({"system": prompt.system} if prompt.system else {}),
            **({"reply_schema": prompt.reply_schema} if prompt.reply_schema else {}),
        }
    )


def _model_identity(model: ModelConfig) -> Mapping[str, Any]:
    identity: dict[str, Any] = {**engine_identity(model), "model": model.model}
    if model.revision:
        identity["revision"] = model.revision
    if model.engine == "scripted" and model.options:  # Its options *are* the model.
        identity["options"] = model.options
    return identity


def engine_identity(model: ModelConfig) -> dict[str, Any]:
    """The engine, and what of the serving may change a reply where that is ours to say.

    A model that ifbench serves by vLLM is, for its keys, an endpoint like any other
    (`docs/decisions/0009-served-models.md`).
    """
    if model.engine != "vllm":
        return {"engine": model.engine}
    options = model.options
    changed = {name: options[name] for name in SERVING if name in options}
    serving = {name: value for name, value in changed.items() if value not in _UNCHANGED}
    if "args" in serving:
        serving["args"] = list(serving["args"])
    return {"engine": "openai_chat", **({"serving": serving} if serving else {})}


SERVING = ("dtype", "quantization", "context", "args")
"""The options of `engine: vllm` that may change a reply."""
_UNCHANGED: tuple[object, ...] = (None, "auto", [], ())
"""What such an option is where it changes nothing."""


def _part_identity(part: Part) -> Mapping[str, Any]:
    match part:
        case Text(text=text):
            return {"text": text}
        case View(media=media, policy=policy):
            return {"media": media.kind, "sha256": media.sha256, "policy": policy_identity(policy)}


def policy_identity(policy: Policy) -> Mapping[str, Any]:
    """What of a policy changes the bytes that are sent; a byte cap only refuses."""
    match policy:
        case ImagePolicy():
            return {"kind": "image", **_picture_identity(policy)}
        case FramesPolicy():
            return {
                "kind": "frames",
                **_picture_identity(policy),
                **_times_identity(policy),
                "labels": policy.labels,
            }
        case WavePolicy():
            return {"kind": "wav", "rate_hz": policy.rate_hz}
        case SubtitlesPolicy():
            return {"kind": "subtitles"}
        case NativePolicy():
            return {"kind": "native"}


def _picture_identity(policy: ImagePolicy | FramesPolicy) -> Mapping[str, Any]:
    quality = {} if policy.format == "png" else {"quality": policy.quality}
    return {"long_side_px": policy.long_side_px, "format": policy.format, **quality}


def _times_identity(policy: FramesPolicy) -> Mapping[str, Any]:
    """How many pictures: a count leaves the rate unused; only the lower of two counts matters."""
    if policy.count is not None:
        return {"count": min(policy.count, policy.max_frames or policy.count)}
    budget = {} if policy.max_frames is None else {"max_frames": policy.max_frames}
    return {"fps": float(policy.fps), **budget}


def _changed_fields(sampling: Sampling) -> Mapping[str, Any]:
    changed: dict[str, Any] = {}
    for entry in fields(sampling):
        factory = entry.default_factory
        default = entry.default if factory is MISSING else factory()
        value = getattr(sampling, entry.name)
        if value != default:
            changed[entry.name] = value
    for name in ("temperature", "top_p"):  # 0 and 0.0 ask for the same thing.
        if changed.get(name) is not None:
            changed[name] = float(changed[name])
    return changed
