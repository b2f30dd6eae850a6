"""Draws a scene: frames with Pillow, sound with NumPy, a file with PyAV, subtitles as SubRip.

The same scene gives the same frames and samples everywhere; the file differs with the encoder.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image, ImageDraw, ImageFont

from ifbench.benchmarks.videoif.starter.scenes import (
    Actor,
    Line,
    Shape,
    Sound,
    Video,
    place_of,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RADIUS_PX = 20
"""Of a shape that has not grown."""
FONT_PX = 13
RATE_HZ = 16_000
JUMP_PX = 45
INK = "#101010"


# ── Pictures ─────────────────────────────────────────────────────────────────────────


def frame(video: Video, index: int) -> Image.Image:
    """The picture that is shown from `index / fps` seconds on."""
    at_s = index / video.fps
    picture = _background(video, at_s)
    pen = ImageDraw.Draw(picture)
    _draw_devices(pen, video, at_s)
    for actor in video.actors:
        if actor.shown.start_s <= at_s < actor.shown.end_s:
            _draw_actor(pen, video, actor, at_s)
    for sign in video.signs:
        if sign.start_s <= at_s < sign.end_s:
            _write(pen, sign.at, sign.words)
    return picture


def frame_count(video: Video) -> int:
    return video.seconds * video.fps


def _background(video: Video, at_s: float) -> Image.Image:
    shot = next(shot for shot in video.shots if shot.start_s <= at_s < shot.end_s)
    picture = Image.new("RGB", (video.width, video.height), shot.sky)
    ground = ImageDraw.Draw(picture)
    ground.rectangle((0, video.height * 4 // 5, video.width, video.height), fill=shot.ground)
    return picture


def _draw_devices(pen: ImageDraw.ImageDraw, video: Video, at_s: float) -> None:
    for lamp in video.lamps:
        is_on = any(start <= at_s < end for start, end in lamp.on)
        x, y = lamp.at
        pen.rectangle((x - 3, y + 12, x + 3, y + 26), fill=INK)
        pen.ellipse(
            (x - 14, y - 14, x + 14, y + 14),
            fill=lamp.colour if is_on else "#3a3a3a",
            outline="white" if is_on else INK,
            width=3,
        )
    for door in video.doors:
        is_open = any(start <= at_s < end for start, end in door.open)
        x, y = door.at
        pen.rectangle((x - 25, y - 50, x + 25, y + 50), fill=INK, outline="#5a3b1e", width=4)
        leaf = (x - 25, y - 50, x - 15, y + 50) if is_open else (x - 21, y - 46, x + 21, y + 46)
        pen.rectangle(leaf, fill="#8b5e34")


def _draw_actor(pen: ImageDraw.ImageDraw, video: Video, actor: Actor, at_s: float) -> None:
    x, y = place_of(video, actor, at_s)
    radius, turn = float(RADIUS_PX), 0.0
    for act in actor.acts:
        share = min(max((at_s - act.start_s) / (act.end_s - act.start_s), 0.0), 1.0)
        if act.verb == "jumps":
            hops = act.end_s - act.start_s
            y -= JUMP_PX * abs(math.sin(math.pi * hops * share))
        elif act.verb == "spins":
            turn += 2 * math.pi * (act.end_s - act.start_s) * share / 2
        elif act.verb == "grows":
            radius *= 1 + 0.8 * share
    outline = corners(actor.shape, x, y, radius, turn)
    if outline:
        pen.polygon(outline, fill=actor.colour, outline=INK)
    else:
        pen.ellipse(
            (x - radius, y - radius, x + radius, y + radius), fill=actor.colour, outline=INK
        )
    if actor.name:
        _draw_face(pen, video, actor, at_s)


def corners(
    shape: Shape, x: float, y: float, radius: float, turn: float
) -> list[tuple[float, float]]:
    """The outline of a shape around its middle; empty for a circle."""
    counts = {"triangle": 3, "square": 4, "diamond": 4, "star": 10}
    if shape not in counts:
        return []
    count = counts[shape]
    first = math.pi / 4 if shape == "square" else math.pi / 2
    points = []
    for index in range(count):
        reach = radius * (0.45 if shape == "star" and index % 2 else 1.2)
        angle = first + turn + 2 * math.pi * index / count
        points.append(
            (round(x + reach * math.cos(angle), 2), round(y - reach * math.sin(angle), 2))
        )
    return points


def _draw_face(pen: ImageDraw.ImageDraw, video: Video, actor: Actor, at_s: float) -> None:
    x, y = map(round, place_of(video, actor, at_s))
    for eye in (x - 6, x + 6):
        pen.ellipse((eye - 2, y - 6, eye + 2, y - 2), fill="white", outline=INK)
    mood = next((m.verb for m in actor.moods if m.start_s <= at_s < m.end_s), "")
    speaks = any(
        line.speaker == actor.id and line.start_s <= at_s < line.end_s for line in video.lines
    )
    if speaks and int(at_s * 5) % 2 == 0:
        pen.ellipse((x - 4, y + 2, x + 4, y + 11), fill="white", outline=INK)
    elif mood == "smiles":
        pen.arc((x - 7, y - 1, x + 7, y + 10), 20, 160, fill="white", width=2)
    elif mood == "frowns":
        pen.arc((x - 7, y + 6, x + 7, y + 17), 200, 340, fill="white", width=2)
    else:
        pen.line((x - 5, y + 7, x + 5, y + 7), fill="white", width=2)
    _write(pen, (x - 12, y + 32), actor.name)


def _write(pen: ImageDraw.ImageDraw, at: tuple[int, int], words: str) -> None:
    font = _font()
    left, top, right, bottom = pen.textbbox(at, words, font=font)
    pen.rectangle((left - 4, top - 4, right + 4, bottom + 4), fill="white", outline=INK)
    pen.text(at, words, fill=INK, font=font)


@cache
def _font() -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The one that comes with Pillow; to read it costs more than to draw a frame."""
    return ImageFont.load_default(FONT_PX)


# ── Sound ────────────────────────────────────────────────────────────────────────────


def sound(video: Video) -> NDArray[np.int16]:
    """The sound track: one channel of `RATE_HZ` samples a second."""
    import numpy as np

    track = np.zeros(video.seconds * RATE_HZ, dtype=np.float64)
    for event in video.sounds:
        _mix(track, event.at_s, _tone(event))
    for line in video.lines:
        _mix(track, line.start_s, _voice(video, line))
    return np.round(np.clip(track, -1, 1) * 32767).astype(np.int16)


def _mix(track: NDArray[np.float64], at_s: int, samples: NDArray[np.float64]) -> None:
    start = at_s * RATE_HZ
    room = track[start : start + len(samples)]
    room += samples[: len(room)]


def _tone(event: Sound) -> NDArray[np.float64]:
    import numpy as np

    t = np.arange(RATE_HZ) / RATE_HZ
    match event.kind:
        case "bell":
            partials = sum(
                np.sin(2 * np.pi * f * t) / n for n, f in enumerate((880, 2210, 3630), 1)
            )
            return np.asarray(0.3 * partials * np.exp(-4 * t))
        case "beep":
            return np.asarray(0.3 * np.sin(2 * np.pi * 1000 * t) * (t < 0.4))
        case "knock":
            return np.asarray(0.8 * np.sin(2 * np.pi * 140 * t) * np.exp(-30 * t))
        case "sweep":
            return np.asarray(0.3 * np.sin(2 * np.pi * (400 * t + 600 * t * t)))


def _voice(video: Video, line: Line) -> NDArray[np.float64]:
    """A hummed tone, one syllable for every three letters; each speaker has a pitch."""
    import numpy as np

    place = [actor.id for actor in video.actors].index(line.speaker)
    seconds = line.end_s - line.start_s
    t = np.arange(seconds * RATE_HZ) / RATE_HZ
    syllables = max(len(line.words) // 3, 1)
    pitch = 120 * 1.35**place * (1 + 0.06 * np.sin(2 * np.pi * 0.7 * t))
    phase = 2 * np.pi * np.cumsum(pitch) / RATE_HZ
    tone = sum(np.sin(n * phase) / n for n in range(1, 6))
    return np.asarray(0.15 * tone * np.abs(np.sin(np.pi * syllables * t / seconds)))


# ── Files ────────────────────────────────────────────────────────────────────────────


def save_video(video: Video, path: Path) -> None:
    """H.264 and AAC in MP4. Without frames out of order, so that times begin at 0."""
    import av

    with av.open(str(path), "w", format="mp4", options={"movflags": "+faststart"}) as container:
        pictures = container.add_stream("libx264", rate=video.fps)
        pictures.width, pictures.height, pictures.pix_fmt = video.width, video.height, "yuv420p"
        pictures.options = {
            "crf": "24",
            "preset": "slow",
            "bf": "0",
            "g": str(video.fps * 5),
            "threads": "1",
        }
        voices = container.add_stream("aac", rate=RATE_HZ, layout="mono")
        voices.bit_rate = 24_000
        for packet in _encoded_pictures(video, pictures):
            container.mux(packet)
        for packet in _encoded_sound(video, voices):
            container.mux(packet)


def _encoded_pictures(video: Video, stream: Any) -> Iterator[Any]:
    import av
    import numpy as np

    for index in range(frame_count(video)):
        pixels = np.asarray(frame(video, index))
        picture = av.VideoFrame.from_ndarray(pixels, format="rgb24")
        picture.pts = index
        yield from stream.encode(picture)
    yield from stream.encode(None)


def _encoded_sound(video: Video, stream: Any) -> Iterator[Any]:
    import av

    samples = av.AudioFrame.from_ndarray(sound(video)[None, :], format="s16", layout="mono")
    samples.sample_rate = RATE_HZ
    samples.pts = 0
    yield from stream.encode(samples)
    yield from stream.encode(None)


def subtitles(video: Video) -> str:
    """SubRip text: a cue a line, the speaker's name before the words."""
    cues = []
    for number, line in enumerate(video.lines, start=1):
        start, end = (f"00:00:{second:02d},000" for second in (line.start_s, line.end_s))
        cues.append(
            f"{number}\n{start} --> {end}\n{video.actor(line.speaker).name}: {line.words}\n"
        )
    return "\n".join(cues)
