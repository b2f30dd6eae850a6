"""From a video file and a policy to its pictures, encoded one by one.

decord reads plain streams at a lower cost; PyAV reads all others and whatever decord refuses.
Which it is follows from the stream's properties (`why_not_decord`), never from a name. A frame is
encoded as soon as it is decoded, so that what is held is the encoded pictures and one chunk.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ifbench.media.blobs import Blob, Rendering
from ifbench.media.errors import MediaError
from ifbench.media.frame_times import SLACK_S, clock, picked_times, shown_at
from ifbench.media.video_streams import Decoded, DecoderError, Size, VideoStream
from ifbench.types import FramesPolicy

MAX_PIXELS = 89_478_485  # Of one frame: as for pictures.
_LEAST_SHARE = 0.5
"""A video of whose wanted moments fewer can be shown fails its row."""
_MOST_LATE_S = 1.0
"""So much longer than it should a frame may stand in for damaged ones that follow it."""

_DECORD_CODECS = frozenset({"h264", "hevc", "vp8", "vp9", "mpeg4"})
_DECORD_FORMATS = frozenset({"yuv420p", "yuvj420p", "yuv422p", "yuvj422p", "yuv444p", "yuvj444p"})
_DECORD_CONTAINERS = frozenset({"mov,mp4,m4a,3gp,3g2,mj2", "matroska,webm", "avi"})
_DECORD_LEAST_SIDE = 32

# Decoders hold reference frames for each of their threads: as many videos at once as there are
# cores use them all, more would only use memory.
_turns = threading.BoundedSemaphore(os.cpu_count() or 1)


def video_frames(path: Path, policy: FramesPolicy) -> Rendering:
    """The pictures that a policy takes of a video. Raises `MediaError` for a file that is no video,
    and for one of which less than half can be shown.
    """
    with _turns:
        probe = _probe(path)
        moments = picked_times(policy, probe.end_s, len(probe.times))
        indices = [shown_at(probe.times, moment) for moment in moments]
        size = probe.size_within(policy.long_side_px)
        made = {
            decoded.wanted: (decoded.shown_s, _encoded(decoded, probe, policy))
            for decoded in _decoded(probe, sorted(set(indices)), size)
        }
        return _gathered(probe, moments, indices, made)


def why_not_decord(stream: VideoStream) -> str:
    """What of a stream decord cannot read or reads wrongly; empty where it reads it well.

    Each was measured (`docs/media.md`): AV1 is not in every build of it, more than one video
    stream makes it take another one, edit lists make it show what they hide, ten bits come out
    otherwise, pictures of few pixels make it fail.
    """
    reasons = (
        (stream.codec not in _DECORD_CODECS, f"codec {stream.codec}"),
        (stream.pixel_format not in _DECORD_FORMATS, f"pixel format {stream.pixel_format}"),
        (stream.transfer != "sdr", "high dynamic range"),
        (stream.rotation != 0, "rotation"),
        (stream.container not in _DECORD_CONTAINERS, f"container {stream.container}"),
        (stream.video_streams > 1, "several video streams"),
        (stream.discarded > 0, "an edit list"),
        (not stream.has_own_times, "packets without times"),
        (min(stream.coded) < _DECORD_LEAST_SIDE, "few pixels"),
    )
    return ", ".join(reason for holds, reason in reasons if holds)


def _probe(path: Path) -> VideoStream:
    try:
        from ifbench.media.video_probe import probe_video
    except ImportError as error:
        raise MediaError("pictures of a video need PyAV: install `ifbench[video]`") from error
    probe = probe_video(path)
    for size in (probe.coded, probe.square):
        if size.width * size.height > MAX_PIXELS:
            raise MediaError(
                f"its frames have {size.width}x{size.height} px; at most {MAX_PIXELS:,} pixels "
                "are decoded"
            )
    return probe


def _decoded(stream: VideoStream, wanted: Sequence[int], size: Size) -> Iterator[Decoded]:
    from ifbench.media.video_pyav import decode_with_pyav

    last = -1
    if not why_not_decord(stream):
        try:
            from ifbench.media.video_decord import decode_with_decord

            for decoded in decode_with_decord(stream, wanted, size):
                last = decoded.wanted
                yield decoded
            return
        except (ImportError, DecoderError):  # PyAV reads all that decord does.
            pass
    yield from decode_with_pyav(stream, [index for index in wanted if index > last], size)


def _encoded(decoded: Decoded, stream: VideoStream, policy: FramesPolicy) -> Blob:
    from PIL import Image

    from ifbench.media.images import encoded

    picture: Any = Image.fromarray(decoded.pixels)
    if stream.rotation:
        picture = picture.rotate(stream.rotation, expand=True)
    return Blob(
        data=encoded(picture, policy.format, policy.quality),
        mime=f"image/{policy.format}",
        width=picture.width,
        height=picture.height,
        source_width=stream.upright.width,
        source_height=stream.upright.height,
    )


def _gathered(
    stream: VideoStream,
    moments: Sequence[float],
    indices: Sequence[int],
    made: Mapping[int, tuple[float, Blob]],
) -> Rendering:
    """A picture for each moment, and what there is to say of those that have none of their own."""
    pictures: list[Blob] = []
    late: list[float] = []
    missing: list[float] = []
    for moment, index in zip(moments, indices, strict=True):
        shown_s, blob = made.get(index, (None, None))
        if blob is None or shown_s is None or stream.times[index] - shown_s > _MOST_LATE_S:
            missing.append(moment)
            continue
        if shown_s < stream.times[index] - SLACK_S:
            late.append(moment)
        pictures.append(replace(blob, time_s=moment, shown_s=shown_s))
    if len(pictures) < _LEAST_SHARE * len(moments) or not pictures:
        raise MediaError(
            f"{len(missing)} of {len(moments)} wanted frames cannot be decoded: {_moments(missing)}"
        )
    notes = [*stream.notes]
    if missing:
        notes.append(f"damaged, left out: {_moments(missing)}")
    if late:
        notes.append(f"damaged, the frame before stands in: {_moments(late)}")
    return Rendering(blobs=tuple(pictures), notes=tuple(notes))


def _moments(moments: Sequence[float]) -> str:
    shown = ", ".join(clock(moment) for moment in moments[:5])
    return f"{shown} and {len(moments) - 5} more" if len(moments) > 5 else shown
