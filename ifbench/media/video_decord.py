"""Decodes wanted frames with decord, for the streams that it reads as they are shown.

decord trusts headers and knows neither edit lists nor a second video stream, so its own list of
times is held against ours before a frame of it is believed.

Importing this module imports decord.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import decord  # type: ignore[import-untyped]

from ifbench.media.video_streams import Decoded, DecoderError, Size, VideoStream

THREADS = 2
_CHUNK_BYTES = 16 * 2**20
_SLACK_S = 0.002  # decord's times are of 32 bits: after an hour a quarter of a millisecond.

decord.logging.set_level(decord.logging.FATAL)


def decode_with_decord(stream: VideoStream, wanted: Sequence[int], size: Size) -> Iterator[Decoded]:
    """The wanted frames (see `video_streams.Decoder`). Raises `DecoderError`, at times only
    after some frames: then those that were given are right.
    """
    try:
        reader = decord.VideoReader(
            str(stream.path),
            ctx=decord.cpu(0),
            width=size.width,
            height=size.height,
            num_threads=THREADS,
        )
        _check_times(reader, stream)
        chunk = max(1, _CHUNK_BYTES // (size.width * size.height * 3))
        for start in range(0, len(wanted), chunk):
            indices = wanted[start : start + chunk]
            frames = reader.get_batch(list(indices)).asnumpy()
            for index, pixels in zip(indices, frames, strict=True):
                yield Decoded(wanted=index, shown_s=stream.times[index], pixels=pixels)
    except (decord.DECORDError, RuntimeError, IndexError) as error:
        raise DecoderError(str(error).strip().partition("\n")[0]) from error


def _check_times(reader: Any, stream: VideoStream) -> None:
    count = len(reader)
    if count != len(stream.times):
        raise DecoderError(f"decord counts {count} frames, the stream shows {len(stream.times)}")
    found = reader.get_frame_timestamp(list(range(count)))[:, 0]
    start = float(found[0])
    for ours, theirs in zip(stream.times, found, strict=True):
        if abs(float(theirs) - start - ours) > _SLACK_S:
            raise DecoderError(f"decord has a frame at {theirs:.3f} s, the stream at {ours:.3f} s")
