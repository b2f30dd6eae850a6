"""High dynamic range, ten bits and alpha come out as a screen would show them."""

from __future__ import annotations

from io import BytesIO

import av
import numpy as np
import pytest
from clips import draw_clip, number_in
from PIL import Image

from ifbench.media.video import video_frames
from ifbench.media.video_colours import to_standard_range
from ifbench.types import FramesPolicy

PNG = FramesPolicy(format="png", long_side_px=None)


def grey(code, transfer):
    value = np.full((1, 1, 3), round(code * 65535), np.uint16)
    return to_standard_range(value, transfer)[0, 0].tolist()


@pytest.mark.parametrize(
    ("code", "transfer", "level"),
    [
        (0, "pq", 0),
        (0.5806, "pq", 192),  # 203 cd/m2: by Reinhard's curve 0.52 of the light, in sRGB 192
        (0.7518, "pq", 255),  # 1,000 cd/m2, the brightest that keeps its differences
        (1, "pq", 255),
        (0, "hlg", 0),
        (0.75, "hlg", 192),  # HLG's reference white is 203 cd/m2 too
        (1, "hlg", 255),
    ],
)
def test_greys_stay_grey_and_have_the_right_level(code, transfer, level):
    assert grey(code, transfer) == pytest.approx([level] * 3, abs=3)


@pytest.mark.parametrize("transfer", ["pq", "hlg"])
def test_brighter_light_is_never_darker(transfer):
    levels = [grey(code, transfer)[0] for code in np.linspace(0, 1, 200)]
    assert levels == sorted(levels)


def test_ten_bits_and_pq_are_read(tmp_path):
    path = draw_clip(tmp_path / "a.mp4", [0, 40, 80, 120], pixel_format="yuv420p10le")
    assert [number_in(blob.data) for blob in video_frames(path, FramesPolicy(count=4)).blobs] == [
        0, 1, 2, 3,
    ]  # fmt: skip


def test_alpha_is_laid_over_black(tmp_path):
    path = tmp_path / "clear.mov"
    pixels = np.full((64, 64, 4), 200, np.uint8)
    pixels[:, :32, 3], pixels[:, 32:, 3] = 255, 0
    with av.open(str(path), "w") as container:
        stream = container.add_stream("qtrle", rate=25)
        stream.width = stream.height = 64
        stream.pix_fmt = "argb"
        frame = av.VideoFrame.from_ndarray(pixels, format="rgba")
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    picture = Image.open(BytesIO(video_frames(path, PNG).blobs[0].data))
    assert (picture.getpixel((5, 5)), picture.getpixel((60, 5))) == ((200,) * 3, (0,) * 3)
