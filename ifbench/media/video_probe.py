"""Looks through a file without decoding it: which stream is shown, and when each frame is.

Every packet's time is read, so that neither the header's duration nor its frame count is
believed. One frame is decoded, for what only the bitstream says (size, colours, rotation).

Importing this module imports PyAV.
"""

from __future__ import annotations

import io
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Literal

import av
from av.container import InputContainer
from av.packet import Packet
from av.stream import Disposition
from av.video.frame import VideoFrame
from av.video.stream import VideoStream as AvStream

from ifbench.media.errors import MediaError
from ifbench.media.video_streams import Size, VideoStream

# Playlists and other formats that name further files are left out: a record's video reads itself
# and nothing else on this machine.
_FORMATS = (
    "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpeg,mpegts,mpegvideo,flv,ogg,asf,gif,"
    "wav,mp3,flac,aac,aiff,caf,w64,au,ac3,amr,h264,hevc,ivf,rm,mxf,nut"
)
_OPTIONS = {"protocol_whitelist": "file", "format_whitelist": _FORMATS}
_TRANSFERS: dict[int, Literal["pq", "hlg"]] = {16: "pq", 18: "hlg"}  # ITU-T H.273, table 3
_EARLY_END_S = 1.0
"""A stream that ends this much before its header says is told of; less is rounding."""


@contextmanager
def opened(path: Path) -> Iterator[InputContainer]:
    """The file as PyAV reads it. Raises `MediaError` for one that is no audio or video."""
    try:
        # `file:` keeps a name such as `concat:x` from being taken for a protocol.
        container = av.open(f"file:{path}", container_options=_OPTIONS)
    except (av.FFmpegError, OSError, ValueError) as error:
        raise MediaError(
            f"it is no audio or video that can be read: {error_words(error)}"
        ) from error
    with container:
        yield container


def check_stream(data: bytes, kind: Literal["video", "audio"]) -> None:
    """Raise `MediaError` for bytes that are no film or sound, or have no stream of the kind.

    Only the header is read.
    """
    try:
        container = av.open(
            io.BytesIO(data), mode="r", container_options={"format_whitelist": _FORMATS}
        )
    except (av.FFmpegError, OSError, ValueError) as error:
        raise MediaError(
            f"it is no audio or video that can be read: {error_words(error)}"
        ) from error
    with container:
        if (shown_stream(container) is None) if kind == "video" else not container.streams.audio:
            raise MediaError(f"it has no {kind} stream")


def error_words(error: Exception) -> str:
    """FFmpeg's own words, without its number."""
    return str(getattr(error, "strerror", None) or error)


def probe_duration(path: Path) -> float | None:
    """What the header says that a file lasts, in seconds; `None` where it does not. For estimates:
    nothing is decoded and the packets are not looked at. Raises `MediaError`.
    """
    with opened(path) as container:
        streams = [*container.streams.video, *container.streams.audio]
        for stream in streams:
            if stream.duration and stream.time_base:
                return float(stream.duration * stream.time_base)
        return container.duration / 1_000_000 if container.duration else None


def probe_video(path: Path) -> VideoStream:
    """The stream that is shown, with all its times. Raises `MediaError`."""
    with opened(path) as container:
        shown = shown_stream(container)
        if shown is None:
            raise MediaError("it has no video stream")
        packets = _scan(container, shown)
        first = _first_frame(path, shown.index)
        own = packets.has_times
        if not own:
            packets = _by_decoding_order(packets, shown)
        base = shown.time_base or Fraction(1, 1000)
        order = sorted(range(len(packets.pts)), key=packets.pts.__getitem__)
        if not order:
            raise MediaError("its video stream has no frame")
        start = packets.pts[order[0]]
        times = array("d", (float((packets.pts[at] - start) * base) for at in order))
        said = packets.durations[order[-1]] * base
        if order != list(range(len(order))):  # Then MP4 has lengths of decoding, not of showing.
            said = min(said, Fraction(times[-1] - times[-2]))
        end = times[-1] + _last_length(said, times, shown)
        aspect = first.format and shown.sample_aspect_ratio
        return VideoStream(
            path=path,
            index=shown.index,
            container=container.format.name,
            codec=shown.codec_context.codec.canonical_name,
            pixel_format=first.format.name,
            bits=max(component.bits for component in first.format.components),
            transfer=_TRANSFERS.get(int(first.color_trc or 0), "sdr"),
            coded=Size(first.width, first.height),
            pixel_aspect=aspect if aspect and aspect > 0 else Fraction(1),
            rotation=round(first.rotation),
            video_streams=len(container.streams.video),
            time_base=base,
            start_pts=start,
            times=times,
            keyframes=array(
                "d", (t for at, t in zip(order, times, strict=True) if packets.is_key[at])
            ),
            end_s=end,
            has_own_times=own,
            discarded=packets.discarded,
            notes=_early_end(shown, float((start - (shown.start_time or 0)) * base) + end),
        )


def shown_stream(container: InputContainer) -> AvStream | None:
    """The first video stream that is no cover picture."""
    for stream in container.streams.video:
        if not stream.disposition & Disposition.attached_pic:
            return stream
    return None


@dataclass
class _Packets:
    """What one pass over the packets tells; entry by entry, in the file's order."""

    pts: array[int] = field(default_factory=lambda: array("q"))
    durations: array[int] = field(default_factory=lambda: array("q"))
    is_key: bytearray = field(default_factory=bytearray)
    dts: array[int] = field(default_factory=lambda: array("q"))
    count: int = 0
    discarded: int = 0
    has_times: bool = True


def _scan(container: InputContainer, stream: AvStream) -> _Packets:
    found = _Packets()
    is_vp8 = stream.codec_context.name == "vp8"
    try:
        for packet in container.demux(stream):
            if packet.size == 0 or (is_vp8 and _is_hidden(packet)):
                continue
            if packet.is_discard:
                found.discarded += 1
                continue
            found.count += 1
            if packet.dts is not None:
                found.dts.append(packet.dts)
            if packet.pts is None:
                found.has_times = False
            else:
                found.pts.append(packet.pts)
                found.durations.append(packet.duration or 0)
                found.is_key.append(packet.is_keyframe)
    except (av.FFmpegError, OSError) as error:
        if not found.count:
            raise MediaError(f"its packets cannot be read: {error_words(error)}") from error
    found.has_times &= len(set(found.pts)) == len(found.pts)
    return found


def _is_hidden(packet: Packet[AvStream]) -> bool:
    """True for a VP8 frame that others refer to and nobody sees (RFC 6386, 9.1)."""
    return not memoryview(packet)[0] >> 4 & 1


def _by_decoding_order(found: _Packets, stream: AvStream) -> _Packets:
    """Times for files that say only when to decode (H.264 in AVI): the first frame shown gets the
    first of those, the second the second, and so on.
    """
    times = sorted(set(found.dts))
    if len(times) < found.count:
        raise MediaError("its frames have no times that tell them apart")
    lengths = [after - before for before, after in pairwise(times)]
    base = stream.time_base or 1
    step = 1 / (stream.average_rate * base) if stream.average_rate else 0
    return _Packets(
        pts=array("q", times),
        durations=array("q", [*lengths, lengths[-1] if lengths else round(step)]),
        is_key=bytearray([1] + [0] * (len(times) - 1)),
        discarded=found.discarded,
        has_times=False,
    )


def _first_frame(path: Path, index: int) -> VideoFrame:
    with opened(path) as container:
        stream = container.streams[index]
        assert isinstance(stream, AvStream)
        for frame in decoded_frames(container, stream):
            return frame
    raise MediaError("none of its frames can be decoded")


def decoded_frames(container: InputContainer, stream: AvStream) -> Iterator[VideoFrame]:
    """The frames from here on, in the order in which they are shown; damaged ones are left out."""
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets, None)
        except (
            av.FFmpegError,
            OSError,
        ):  # A damaged container may go on behind the damage, or not:
            packet = None  # what its reader cannot find, nobody decodes.
        if packet is None:
            return
        try:
            yield from packet.decode()
        except (av.FFmpegError, OSError):
            continue


def _last_length(length: Fraction, times: array[float], stream: AvStream) -> float:
    """How long the last frame stays: as its packet says, else as long as the others do."""
    if length > 0:
        return float(length)
    if len(times) > 1:
        return median(after - before for before, after in pairwise(times[-100:]))
    return float(1 / stream.average_rate) if stream.average_rate else 0.0


def _early_end(stream: AvStream, end_s: float) -> tuple[str, ...]:
    if not stream.duration or not stream.time_base:
        return ()
    said = float(stream.duration * stream.time_base)
    if said - end_s <= _EARLY_END_S:
        return ()
    return (f"the header says {said:.1f} s of video, the file holds {end_s:.1f} s",)
