"""Draws tiny clips whose frames carry their own number, and reads the number back."""

from __future__ import annotations

import math
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import Any

import av
import numpy as np
from PIL import Image

from ifbench.media.sources import sha256_of
from ifbench.types import Media

BITS = 12
WIDTH, HEIGHT = 192, 64
CLOCK = Fraction(1, 1000)


def picture_of(number: int, width: int = WIDTH, height: int = HEIGHT) -> Any:
    """Twelve columns, black or white: the number in binary, highest first; a grey foot."""
    bits = [number >> bit & 1 for bit in reversed(range(BITS))]
    row = np.repeat(np.array(bits, np.uint8) * 255, math.ceil(width / BITS))[:width]
    pixels = np.tile(row[None, :, None], (height, 1, 3))
    pixels[-height // 4 :] = 128
    return pixels


def number_in(data: bytes) -> int:
    """The number that a picture carries."""
    grey = Image.open(BytesIO(data)).convert("L")
    half = grey.height // 2
    columns = [(2 * bit + 1) * grey.width // (2 * BITS) for bit in range(BITS)]
    return sum((grey.getpixel((x, half)) > 127) << BITS - 1 - at for at, x in enumerate(columns))


def draw_clip(
    path: Path,
    times_ms: list[int],
    *,
    codec: str = "libx264",
    gop: int = 25,
    b_frames: int = 2,
    sound_ms: tuple[int, int] | None = None,
    pixel_format: str = "yuv420p",
    aspect: Fraction | None = None,
    options: dict[str, str] | None = None,
) -> Path:
    """A clip with a frame at each time, numbered from 0, and a tone from one time to another."""
    with av.open(str(path), "w", options=options or {}) as container:
        film = container.add_stream(codec, rate=25)
        film.width, film.height, film.pix_fmt = WIDTH, HEIGHT, pixel_format
        film.time_base = film.codec_context.time_base = CLOCK
        film.codec_context.gop_size = gop
        if codec == "libx264":
            film.codec_context.max_b_frames = b_frames
            film.options = {"preset": "ultrafast", "bf": str(b_frames), "sc_threshold": "0"}
        if aspect:
            film.codec_context.sample_aspect_ratio = aspect
        tone = (
            container.add_stream("pcm_s16le" if path.suffix == ".mkv" else "aac", rate=16000)
            if sound_ms
            else None
        )
        for number, at in enumerate(times_ms):
            frame = av.VideoFrame.from_ndarray(picture_of(number), format="rgb24")
            frame.pts, frame.time_base = at, CLOCK
            frame.duration = (times_ms[number + 1] if number + 1 < len(times_ms) else at + 40) - at
            container.mux(film.encode(frame))
        container.mux(film.encode(None))
        if tone:
            _draw_tone(container, tone, *sound_ms)
    return path


def _draw_tone(container: Any, tone: Any, start_ms: int, end_ms: int) -> None:
    tone.layout = "mono"
    step = 1024
    wave = np.sin(np.arange((end_ms - start_ms) * 16) * 2 * math.pi * 440 / 16000) * 12000
    for at in range(0, len(wave), step):
        piece = wave[at : at + step].astype(np.int16)[None]
        frame = av.AudioFrame.from_ndarray(piece, format="s16", layout="mono")
        frame.sample_rate = 16000
        frame.pts, frame.time_base = start_ms * 16 + at, Fraction(1, 16000)
        container.mux(tone.encode(frame))
    container.mux(tone.encode(None))


def draw_sound(path: Path, seconds: float) -> Path:
    with av.open(str(path), "w") as container:
        _draw_tone(container, container.add_stream("pcm_s16le", rate=16000), 0, int(seconds * 1000))
    return path


def turn(path: Path) -> Path:
    """Write a quarter turn, clockwise, into the header of an MP4 (ISO 14496-12, 8.3.2)."""
    data = bytearray(path.read_bytes())
    matrix = data.index(b"tkhd") + 4 + 40
    entries = (0, 1 << 16, 0, -1 << 16, 0, 0, HEIGHT << 16, 0, 1 << 30)
    data[matrix : matrix + 36] = b"".join(
        entry.to_bytes(4, "big", signed=True) for entry in entries
    )
    path.write_bytes(data)
    return path


def media_of(path: Path, kind: str = "video") -> Media:
    return Media(kind=kind, uri=str(path), sha256=sha256_of(path))
