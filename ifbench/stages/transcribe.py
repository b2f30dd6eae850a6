"""Subtitles made from a video's sound, for models that do not hear (Video-IFBench, section 4.1).

The paper gives vision-only models timestamped subtitles that another model transcribed. The role
`transcriber` does so where a sample brings no subtitles of its own. Its prompt holds the sound
alone, so that a video is transcribed once for all samples and candidates; what it wrote stands in
the candidate's prompt as text. Pure on both sides.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias

from ifbench.media.places import sound_policy
from ifbench.media.subtitles import Cue, print_subtitles
from ifbench.parsing.replies import Reply, Unreadable, read_reply, strict_schema
from ifbench.prompts import render, system_text
from ifbench.stages.judge import budgeted
from ifbench.stages.verify import answer_of
from ifbench.types import (
    Failure,
    FailureKind,
    FramesPolicy,
    Media,
    ModelConfig,
    Part,
    Prompt,
    Purpose,
    Response,
    Stop,
    Text,
    View,
    WorkItem,
)

TEMPLATE = "sound"
LONGEST = 400
"""Characters of one entry that are kept."""

Transcripts: TypeAlias = Mapping[str, str]
"""Subtitles as text, by the hash of the video that they were made from."""


class HeardCue(Reply):
    """One entry of the reply; times in seconds."""

    start: float
    end: float
    text: str


class SoundReply(Reply):
    """The reply to `sound.j2`."""

    cues: tuple[HeardCue, ...]


def films_to_transcribe(item: WorkItem) -> tuple[Media, ...]:
    """The videos whose sound the candidate would miss: it sees pictures, hears nothing, wants
    subtitles, and the sample has none.
    """
    wanted, media = item.candidate.media, item.sample.media
    misses_sound = isinstance(wanted.video, FramesPolicy) and wanted.sound == "without"
    has_own = any(medium.kind == "subtitles" for medium in media)
    if not misses_sound or wanted.subtitles == "without" or has_own:
        return ()
    return tuple({m.sha256: m for m in media if m.kind == "video"}.values())


def ask_transcript(
    film: Media, transcriber: ModelConfig, *, attempt: int = 0, larger: bool = False
) -> Prompt:
    """One prompt for the sound of a video, the same whoever it is transcribed for."""
    view = View(media=film, policy=sound_policy(transcriber.media))
    words = render("transcribe", TEMPLATE, attempt=attempt)
    return Prompt(
        purpose=Purpose.TRANSCRIBE,
        model=transcriber,
        parts=(view, Text(text=words)),
        system=system_text(),
        sampling=budgeted(transcriber.sampling, attempt=attempt, larger=larger),
        attempt=attempt,
        reply_schema=strict_schema(SoundReply),
    )


def read_transcript(reply: Response) -> str | Failure:
    """The subtitles as a candidate reads them, or why there are none; an outage keeps its kind."""
    if reply.failure is not None:
        words = f"no subtitles could be made: {reply.failure.message}".rstrip(": ")
        kind = reply.failure.kind
        return Failure(kind=kind if kind in _OUTAGES else FailureKind.MEDIA, message=words)
    value = read_reply(answer_of(reply), SoundReply)
    if isinstance(value, Unreadable):
        where = "was cut off" if reply.stop is Stop.LENGTH else "cannot be read"
        words = f"no subtitles could be made: the transcriber's reply {where}: {value.reason}"
        return Failure(kind=FailureKind.MEDIA, message=words)
    wrong = next((cue for cue in value.cues if not _is_sound(cue)), None)
    if wrong is not None:
        words = f"no subtitles could be made: a cue from {wrong.start:g} to {wrong.end:g} s"
        return Failure(kind=FailureKind.MEDIA, message=words)
    cues = (
        Cue(start_s=cue.start, end_s=cue.end, text=" ".join(cue.text.split())[:LONGEST])
        for cue in value.cues
        if cue.text.strip()
    )
    return print_subtitles(tuple(sorted(cues, key=lambda cue: cue.start_s)))


_OUTAGES = frozenset({
    FailureKind.TRANSPORT, FailureKind.TIMEOUT, FailureKind.REJECTED, FailureKind.NOT_RUN,
    FailureKind.SPENDING_CAP,
})  # fmt: skip


def _is_sound(cue: HeardCue) -> bool:
    return math.isfinite(cue.start) and math.isfinite(cue.end) and 0 <= cue.start <= cue.end


def is_cut_off(reply: Response) -> bool:
    """True where more room may mend what could not be read."""
    return reply.stop is Stop.LENGTH


def with_transcripts(prompt: Prompt, transcripts: Transcripts) -> Prompt:
    """The candidate's prompt with subtitles behind each video that they were made from."""
    parts: list[Part] = []
    for part in prompt.parts:
        parts.append(part)
        if isinstance(part, View) and part.media.kind == "video":
            words = transcripts.get(part.media.sha256)
            parts += [Text(text=f"{words}\n\n")] if words else []
    return replace(prompt, parts=tuple(parts))
