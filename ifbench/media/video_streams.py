"""What is known of a video before its frames are decoded, and the seam to those who decode.

Two modules decode, `video_decord` and `video_pyav`; both take a `VideoStream` and indices into
its `times`, and give `Decoded` frames. `video` chooses between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from ifbench.media.frame_times import shown_at


class Size(NamedTuple):
    """Of a picture, in pixels."""

    width: int
    height: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoStream:
    """The stream that is shown: the first of a file that is no cover picture."""

    path: Path
    index: int
    """Among all streams of the file."""
    container: str
    codec: str
    pixel_format: str
    bits: int
    """Of one component."""
    transfer: Literal["sdr", "pq", "hlg"]
    coded: Size
    pixel_aspect: Fraction
    rotation: int
    """Degrees, counter-clockwise, by which a viewer turns the picture."""
    video_streams: int
    """How many the file has, covers included."""
    time_base: Fraction
    start_pts: int
    times: Sequence[float]
    """When each frame comes onto the screen, in seconds since the first; ascending."""
    keyframes: Sequence[float]
    """The times at which decoding may begin."""
    end_s: float
    """When the last frame leaves the screen."""
    has_own_times: bool
    """False where packets carry no times of their own: then decoding tells them, from the start."""
    discarded: int = 0
    """Packets that an edit list keeps from the screen."""
    notes: tuple[str, ...] = ()

    @property
    def square(self) -> Size:
        """The size with square pixels, not yet turned."""
        width, height = self.coded
        return Size(max(1, round(width * self.pixel_aspect)), height)

    @property
    def upright(self) -> Size:
        """As a viewer shows it."""
        return Size(*reversed(self.square)) if self.rotation % 180 else self.square

    def size_within(self, long_side_px: int | None) -> Size:
        """The size, not yet turned, that no side of is longer; never larger than the source."""
        width, height = self.square
        if long_side_px is None or max(width, height) <= long_side_px:
            return self.square
        scale = Fraction(long_side_px, max(width, height))
        return Size(max(1, round(width * scale)), max(1, round(height * scale)))

    def keyframe_before(self, moment: float) -> float:
        """Where decoding has to begin for the frame at a moment."""
        return self.keyframes[shown_at(self.keyframes, moment)] if self.keyframes else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """One frame, not yet turned upright."""

    wanted: int
    """The index that was asked for."""
    shown_s: float
    """When the frame that is given came onto the screen: earlier than the wanted one's time where
    that is damaged, for its predecessor stays on the screen."""
    pixels: Any
    """An array of height x width x 3 bytes (numpy's types would bring numpy in)."""


Decoder: TypeAlias = Callable[[VideoStream, Sequence[int], Size], Iterator[Decoded]]
"""From ascending indices to their frames, in the given size. A frame that cannot be decoded, nor
any before it, is left out."""


class DecoderError(Exception):
    """A decoder cannot read this stream, or reads it wrongly; another one may."""
