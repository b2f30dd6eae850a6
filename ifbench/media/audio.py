"""Sound as speech models take it: WAV of one channel and 16 bits, from a sound file or a video.

Time runs from the film's first frame: where the track begins later, or has gaps, silence stands,
and what it has before that frame is cut, so that what is heard at a second is what is seen at it.

Importing this module imports PyAV.
"""

from __future__ import annotations

import io
import wave
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import av
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler
from av.audio.stream import AudioStream
from av.container import InputContainer

from ifbench.media.errors import MediaError
from ifbench.media.video_probe import opened, shown_stream

MAX_SECONDS = 3 * 3600.0  # At 16 kHz 346 MB, which are held whole.
_GAP_S = 0.05  # Shorter than this is rounding of times.


@dataclass(frozen=True, slots=True, kw_only=True)
class Sound:
    """A sound track as WAV."""

    data: bytes
    seconds: float
    notes: tuple[str, ...] = ()


def has_sound(path: Path) -> bool:
    """Whether a file has a sound track. Raises `MediaError` for no audio or video."""
    with opened(path) as container:
        return bool(container.streams.audio)


def wave_sound(path: Path, rate_hz: int, max_seconds: float | None = None) -> Sound:
    """The first sound track. Raises `MediaError` for a file without one, one of which nothing can
    be decoded, and one that is longer than `max_seconds`.
    """
    most = min(max_seconds or MAX_SECONDS, MAX_SECONDS)
    with opened(path) as container:
        if not container.streams.audio:
            raise MediaError("it has no sound")
        stream = container.streams.audio[0]
        track = _Track(rate_hz=rate_hz, most=most, start_s=_film_start(container))
        for frame in _decoded(container, stream, track):
            track.add(frame)
        track.finish()
    if not track.samples:
        raise MediaError("none of its sound can be decoded")
    damaged = (f"{track.damaged} damaged packets of sound left out",) if track.damaged else ()
    return Sound(data=_wave(track, rate_hz), seconds=track.seconds, notes=damaged)


def _film_start(container: InputContainer) -> float | None:
    """When the film begins on the file's clock; `None` where there is no film."""
    stream = shown_stream(container)
    if stream is None or stream.start_time is None or not stream.time_base:
        return None
    return float(stream.start_time * stream.time_base)


class _Track:
    """Samples as they come, with silence where the times leave gaps."""

    def __init__(self, *, rate_hz: int, most: float, start_s: float | None) -> None:
        self._rate = rate_hz
        self._most = most
        self._start_s = start_s
        self._resampler = AudioResampler(format="s16", layout="mono", rate=rate_hz)
        self._early = 0
        self._begun = False
        self.samples = bytearray()
        self.damaged = 0

    @property
    def seconds(self) -> float:
        return len(self.samples) / 2 / self._rate

    def add(self, frame: AudioFrame) -> None:
        self._place(frame)
        frame.pts = None  # The resampler would fill gaps its own way, and refuses times that jump.
        for made in self._resampler.resample(frame):
            self._append(bytes(made.planes[0])[: made.samples * 2])

    def finish(self) -> None:
        """Take what the resampler still holds."""
        for made in self._resampler.resample(None):
            self._append(bytes(made.planes[0])[: made.samples * 2])

    def _place(self, frame: AudioFrame) -> None:
        if frame.time is None:
            return
        if self._start_s is None:
            self._start_s = frame.time
        gap = frame.time - self._start_s - self.seconds
        if gap > _GAP_S:
            self._check(self.seconds + gap)
            self._append(bytes(2 * round(gap * self._rate)))
        elif gap < -_GAP_S and not self._begun:
            self._early = 2 * round(-gap * self._rate)
        self._begun = True

    def _append(self, data: bytes) -> None:
        cut = min(self._early, len(data))
        self._early -= cut
        self.samples += data[cut:]
        self._check(self.seconds)

    def _check(self, seconds: float) -> None:
        if seconds > self._most:
            raise MediaError(f"its sound lasts longer than {self._most:g} s, the most that is sent")


def _decoded(container: InputContainer, stream: AudioStream, track: _Track) -> Iterator[AudioFrame]:
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets, None)
        except (av.FFmpegError, OSError):
            track.damaged += 1
            return
        if packet is None:
            return
        try:
            yield from packet.decode()
        except (av.FFmpegError, OSError):
            track.damaged += 1


def _wave(track: _Track, rate_hz: int) -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate_hz)
        file.writeframes(bytes(track.samples))
    return buffer.getvalue()
