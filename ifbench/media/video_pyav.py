"""Decodes wanted frames with PyAV: any stream that FFmpeg reads, slower than decord on most.

From one wanted frame to the next it either decodes on or seeks to the keyframe before it,
whichever is less; at no time is more than one converted frame held.

Importing this module imports PyAV.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.reformatter import Interpolation
from av.video.stream import VideoStream as AvStream

from ifbench.media.frame_times import SLACK_S
from ifbench.media.video_probe import decoded_frames, opened
from ifbench.media.video_streams import Decoded, Size, VideoStream

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

THREADS = 4  # More hold more frames in memory; workers decode several videos at once.
_WORTH_A_SEEK_S = 1.0  # A seek throws away what the decoder's threads have in hand.


class _SeekError(Exception):
    """A seek went past the frame it was for; the file can only be read from its start."""


def decode_with_pyav(stream: VideoStream, wanted: Sequence[int], size: Size) -> Iterator[Decoded]:
    """The wanted frames (see `video_streams.Decoder`)."""
    last = -1
    if stream.has_own_times:
        try:
            for decoded in _decode(stream, wanted, size, may_seek=True):
                last = decoded.wanted
                yield decoded
            return
        except _SeekError:
            pass
    rest = [index for index in wanted if index > last]
    yield from _decode(stream, rest, size, may_seek=False)


def _decode(
    stream: VideoStream, wanted: Sequence[int], size: Size, *, may_seek: bool
) -> Iterator[Decoded]:
    with opened(stream.path) as container:
        video = container.streams[stream.index]
        assert isinstance(video, AvStream)
        video.thread_type = "AUTO"
        video.codec_context.thread_count = THREADS
        walk = _Walk(stream, container, video)
        for index in wanted:
            frame = walk.frame_at(stream.times[index], may_seek=may_seek)
            if frame is not None:
                pixels = _pixels(frame, stream, size)
                yield Decoded(wanted=index, shown_s=walk.held_s, pixels=pixels)


class _Walk:
    """One way through a file, from the start to the end."""

    def __init__(self, stream: VideoStream, container: InputContainer, video: AvStream) -> None:
        self._stream = stream
        self._container = container
        self._video = video
        self._frames = decoded_frames(container, video)
        self._held: VideoFrame | None = None
        self._next: VideoFrame | None = None  # Decoded already, not yet on the screen.
        self.held_s = 0.0
        """When the frame on the screen came there."""

    def frame_at(self, moment: float, *, may_seek: bool) -> VideoFrame | None:
        """The frame on the screen; `None` before the first that can be decoded."""
        key = self._stream.keyframe_before(moment)
        if may_seek and key - max(self.held_s, 0.0) > _WORTH_A_SEEK_S:
            self._seek(key)
        while self._held is None or self.held_s < moment - SLACK_S:
            frame = self._next or next(self._frames, None)
            self._next = None
            if frame is None:
                break
            if frame.pts is None:
                continue
            at = float((frame.pts - self._stream.start_pts) * self._stream.time_base)
            if at > moment + SLACK_S:
                self._next = frame
                if self._held is None and may_seek and key > 0:
                    raise _SeekError
                break
            self._held, self.held_s = frame, at
        return self._held

    def _seek(self, key: float) -> None:
        pts = self._stream.start_pts + round(key / self._stream.time_base)
        self._container.seek(pts, stream=self._video, backward=True)
        self._frames = decoded_frames(self._container, self._video)
        self._held = self._next = None


def _pixels(frame: VideoFrame, stream: VideoStream, size: Size) -> Any:
    """Eight bits of red, green and blue, as a screen would show them; what is clear is black."""
    width, height = size
    how = Interpolation.BICUBIC
    if stream.transfer != "sdr":
        from ifbench.media.video_colours import to_standard_range

        wide = frame.reformat(width, height, "rgb48le", interpolation=how)
        return to_standard_range(cast("NDArray[np.uint16]", wide.to_ndarray()), stream.transfer)
    if len(frame.format.components) in {2, 4} and not frame.format.name.startswith("nv"):
        clear = frame.reformat(width, height, "rgba", interpolation=how).to_ndarray()
        shares = clear[..., 3:].astype("uint16")
        return ((clear[..., :3] * shares + 127) // 255).astype("uint8")
    return frame.reformat(width, height, "rgb24", interpolation=how).to_ndarray()
