"""About how many tokens a prompt takes, before anyone has counted them.

For budgets and for `plan`; what endpoints say afterwards is in a response's `usage`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import assert_never

from ifbench.types import (
    FramesPolicy,
    ImagePolicy,
    MediaKind,
    NativePolicy,
    Part,
    Prompt,
    SubtitlesPolicy,
    Text,
    WavePolicy,
)

CHARACTERS_PER_TOKEN = 4
TOKENS_PER_TILE = 170  # A tile of 512 x 512 px, and a base for each picture (OpenAI's price list).
BASE_TOKENS_PER_IMAGE = 85
MOST_TILES = 4
TOKENS_PER_LABEL = 10
AUDIO_TOKENS_PER_S = 32  # Gemini's documentation; Qwen's omni models take 25.
VIDEO_TOKENS_PER_S = 290  # Gemini's documentation: 258 for one picture a second, and its sound.
SUBTITLE_TOKENS_PER_S = 10  # 150 spoken words a minute, and the times of a cue every three seconds.
UNKNOWN_DURATION_S = 60.0
UNKNOWN_OUTPUT_TOKENS = 512  # Where `max_tokens` leaves the length to the endpoint.


def estimated_input_tokens(prompt: Prompt) -> int:
    """About how many tokens a prompt has: text by length, pictures by the size they are sent in,
    video, sound and subtitles by how long they play. No file is opened.
    """
    characters = len(prompt.system) + sum(
        len(part.text) for part in prompt.parts if isinstance(part, Text)
    )
    text = math.ceil(characters / CHARACTERS_PER_TOKEN)
    return text + sum(_media_tokens(part) for part in prompt.parts)


def estimated_tokens(prompt: Prompt) -> int:
    """Input and the longest output: what endpoints count against a quota when a request comes."""
    return estimated_input_tokens(prompt) + (prompt.sampling.max_tokens or UNKNOWN_OUTPUT_TOKENS)


def most_usd(prompt: Prompt) -> float:
    """What a call may cost: its input as estimated, its answer at the longest."""
    longest = prompt.sampling.max_tokens or UNKNOWN_OUTPUT_TOKENS
    return prompt.model.price.usd(estimated_input_tokens(prompt), longest)


def _media_tokens(part: Part) -> int:
    if isinstance(part, Text):
        return 0
    duration_s = UNKNOWN_DURATION_S if part.media.duration_s is None else part.media.duration_s
    match part.policy:
        case ImagePolicy(long_side_px=side):
            return _picture_tokens(side, side)
        case FramesPolicy() as policy:
            side = policy.long_side_px
            short = None if side is None else side * 9 // 16
            label = TOKENS_PER_LABEL if policy.labels else 0
            return _frames(policy, duration_s) * (_picture_tokens(side, short) + label)
        case SubtitlesPolicy():
            return math.ceil(duration_s * SUBTITLE_TOKENS_PER_S)
        case WavePolicy():
            return math.ceil(duration_s * AUDIO_TOKENS_PER_S)
        case NativePolicy():
            return math.ceil(duration_s * _NATIVE_TOKENS_PER_S[part.media.kind])
    assert_never(part.policy)


_NATIVE_TOKENS_PER_S: Mapping[MediaKind, int] = {
    "video": VIDEO_TOKENS_PER_S,
    "audio": AUDIO_TOKENS_PER_S,
    "subtitles": SUBTITLE_TOKENS_PER_S,
    "image": 0,  # Never sent so.
}


def _picture_tokens(width: int | None, height: int | None) -> int:
    tiles = MOST_TILES
    if width is not None and height is not None:
        tiles = min(MOST_TILES, math.ceil(width / 512) * math.ceil(height / 512))
    return BASE_TOKENS_PER_IMAGE + TOKENS_PER_TILE * tiles


def _frames(policy: FramesPolicy, duration_s: float) -> int:
    wanted = policy.count or max(1, math.ceil(duration_s * policy.fps))
    return min(wanted, policy.max_frames or wanted)
