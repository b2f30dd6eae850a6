"""Where media stand in a text: `<image>`, `<video>` and `<audio>` mark the places.

A marker in Markdown code (`` `<image>` `` or a fence) is text: instructions about SVG or
HTML show the tag itself. Subtitles have no marker and always come before the text.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import assert_never

from ifbench.media.errors import MediaError
from ifbench.types import (
    FramesPolicy,
    Media,
    MediaKind,
    MediaPolicy,
    NativePolicy,
    Part,
    SubtitlesPolicy,
    Text,
    View,
    WavePolicy,
)

_CODE_OR_MARKER = re.compile(
    r"(?<!`)(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)"  # runs of equal length, as in CommonMark
    r"|<(?P<kind>image|video|audio)>",
    re.DOTALL,
)


@lru_cache(maxsize=64)  # Attempts and candidates show one sample one after the other.
def split_markers(text: str, media: tuple[Media, ...], policy: MediaPolicy) -> tuple[Part, ...]:
    """The parts of a prompt: text and views, in the order in which they are to be seen.

    Media of a kind that the text does not mark come before it, in their order. Blank text
    between two views is left out, for some endpoints refuse it. Raises `MediaError` when a kind
    is marked, but not as often as there are media of it.
    """
    if not media and "<" not in text:
        return (Text(text=text),)
    places = [(match.span(), kind) for match, kind in _markers(text)]
    marked = Counter(kind for _, kind in places)
    _refuse_mismatch(marked, Counter(medium.kind for medium in media))

    waiting = {kind: deque(m for m in media if m.kind == kind) for kind in marked}
    parts: list[Part] = [
        view for medium in media if medium.kind not in marked for view in _views(medium, policy)
    ]
    start = 0
    for (place, end), kind in places:
        parts += _text(text[start:place])
        parts += _views(waiting[kind].popleft(), policy)
        start = end
    parts += _text(text[start:])
    return tuple(parts) or (Text(text=text),)


def needs_decoder(kinds: Collection[MediaKind], policy: MediaPolicy) -> bool:
    """Whether media of these kinds are decoded to be shown; else their files go out as they are."""
    seen = "video" in kinds and (isinstance(policy.video, FramesPolicy) or policy.sound == "with")
    return seen or ("audio" in kinds and isinstance(policy.audio, WavePolicy))


def _markers(text: str) -> Iterator[tuple[re.Match[str], MediaKind]]:
    for match in _CODE_OR_MARKER.finditer(text):
        match match["kind"]:
            case "image" | "video" | "audio" as kind:
                yield match, kind
            case _:
                continue


def _refuse_mismatch(marked: Counter[MediaKind], given: Counter[MediaKind]) -> None:
    for kind, places in sorted(marked.items()):
        if places != given[kind]:
            raise MediaError(
                f"the text marks {places} places with <{kind}>, the sample has {given[kind]} "
                f"media of that kind"
            )


def _text(piece: str) -> list[Part]:
    return [Text(text=piece)] if piece.strip() else []


def _views(medium: Media, policy: MediaPolicy) -> tuple[Part, ...]:
    """What is shown of a medium: one view, none of unwanted subtitles, two of video with sound."""
    match medium.kind:
        case "image":
            return (View(media=medium, policy=policy.image),)
        case "audio":
            return (View(media=medium, policy=policy.audio),)
        case "subtitles":
            wanted = policy.subtitles == "with"
            return (View(media=medium, policy=SubtitlesPolicy()),) if wanted else ()
        case "video":
            seen = View(media=medium, policy=policy.video)
            wanted = policy.sound == "with"
            return (seen, View(media=medium, policy=sound_policy(policy))) if wanted else (seen,)
    assert_never(medium.kind)


def sound_policy(policy: MediaPolicy) -> WavePolicy:
    """A sound track is no file that could go out as it is: it is always made into WAV."""
    match policy.audio:
        case WavePolicy():
            return policy.audio
        case NativePolicy(max_bytes=max_bytes):
            return WavePolicy(max_bytes=max_bytes)
