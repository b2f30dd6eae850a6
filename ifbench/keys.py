"""Canonical JSON and content keys: equal prompts have equal keys, on every machine.

A key holds all that can change a reply and nothing else: no path, no URL, no limit, no
price, no label. Fields that stand at their default are left out, so that a field added
later leaves the keys of stored responses as they are (`docs/decisions/0001-content-keys.md`).
"""

from __future__ import annotations

import hashlib
import json
from array import array
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


# ── Sets of keys ─────────────────────────────────────────────────────────────────────


class KeySet:
    """Texts that were seen, by 64 bits of each: 12 to 24 bytes a text, where a `set` takes 150.

    A text that is new is taken for one that was seen with a chance of one in 2^64 for each that
    was: so it serves for counts and for orders, never to say that an answer is stored.
    """

    _FEWEST = 1024

    def __init__(self) -> None:
        # Open addressing; 0 is a free place, and there is always one.
        self._places = array("Q", [0]) * self._FEWEST
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, text: str) -> bool:
        value = _print(text)
        return self._places[_place(self._places, value)] == value

    def add(self, text: str) -> bool:
        """Note a text. True where it is new."""
        value = _print(text)
        at = _place(self._places, value)
        if self._places[at] == value:
            return False
        self._places[at] = value
        self._count += 1
        if 3 * self._count > 2 * len(self._places):
            self._grow()
        return True

    def _grow(self) -> None:
        larger = array("Q", [0]) * (2 * len(self._places))
        for value in self._places:
            if value:
                larger[_place(larger, value)] = value
        self._places = larger


def _print(text: str) -> int:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") or 1


def _place(places: array[int], value: int) -> int:
    """Where a value stands, or would stand."""
    last = len(places) - 1  # Sizes are powers of two.
    at = value & last
    while places[at] not in (0, value):
        at = (at + 1) & last
    return at
