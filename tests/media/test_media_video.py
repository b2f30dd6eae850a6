"""Videos become the frames that a policy picks, whatever the file's clock and header say."""

from __future__ import annotations

from fractions import Fraction
from io import BytesIO

import pytest
from clips import HEIGHT, WIDTH, draw_clip, draw_sound, number_in, turn
from PIL import Image

from ifbench.media.errors import MediaError
from ifbench.media.frame_times import shown_at
from ifbench.media.video import video_frames, why_not_decord
from ifbench.media.video_decord import decode_with_decord
from ifbench.media.video_probe import probe_duration, probe_video
from ifbench.media.video_pyav import decode_with_pyav
from ifbench.media.video_streams import DecoderError, Size
from ifbench.types import FramesPolicy

STEADY = list(range(0, 4000, 40))  # 25 a second for 4 s
UNEVEN = [0, 16, 33, 50, 1050, 2050, 2090, 2130, 2600, 3599, 3616, 5000, 5040]
PNG = FramesPolicy(format="png", long_side_px=None)


def numbers(rendering):
    return [number_in(blob.data) for blob in rendering.blobs]


@pytest.mark.parametrize("name", ["clip.mp4", "clip.mkv", "clip.avi"])
@pytest.mark.parametrize("times", [STEADY, UNEVEN], ids=["steady", "uneven"])
def test_each_second_shows_the_frame_that_is_on_the_screen(tmp_path, name, times):
    codec = "mpeg4" if name.endswith("avi") else "libx264"
    if codec == "mpeg4" and times is UNEVEN:
        pytest.skip("AVI has no times of its own for frames")
    path = draw_clip(tmp_path / name, times, codec=codec)
    made = video_frames(path, FramesPolicy(fps=1, quality=90))

    seconds = range(-(-max(times) // 1000) if max(times) % 1000 else max(times) // 1000 + 1)
    assert [blob.time_s for blob in made.blobs] == list(seconds)
    assert numbers(made) == [shown_at([at / 1000 for at in times], s) for s in seconds]
    assert made.notes == ()


@pytest.mark.parametrize("decode", [decode_with_decord, decode_with_pyav])
@pytest.mark.parametrize("b_frames", [0, 3])
@pytest.mark.parametrize(
    "wanted", [[0], [7], [99], [0, 1, 2, 3], [24, 25, 26], [3, 31, 33, 80, 98], list(range(100))]
)
def test_both_decoders_give_the_frames_that_were_asked_for(tmp_path, decode, b_frames, wanted):
    path = draw_clip(tmp_path / "clip.mp4", STEADY, gop=12, b_frames=b_frames)
    stream = probe_video(path)
    found = [
        (decoded.wanted, number_in(_png(decoded.pixels)), round(decoded.shown_s * 1000))
        for decoded in decode(stream, wanted, Size(WIDTH, HEIGHT))
    ]
    assert found == [(index, index, index * 40) for index in wanted]


def _png(pixels):
    buffer = BytesIO()
    Image.fromarray(pixels).save(buffer, "png")
    return buffer.getvalue()


def test_times_count_from_the_first_frame(tmp_path):
    path = draw_clip(tmp_path / "late.mkv", [8333 + at for at in STEADY])
    made = video_frames(path, PNG)
    assert [(blob.time_s, blob.shown_s) for blob in made.blobs] == [(s, s) for s in range(4)]
    assert numbers(made) == [0, 25, 50, 75]


def test_a_count_is_spread_over_the_whole_duration(tmp_path):
    path = draw_clip(tmp_path / "clip.mp4", STEADY)
    assert numbers(video_frames(path, FramesPolicy(count=4))) == [12, 37, 62, 87]
    assert numbers(video_frames(path, FramesPolicy(count=500))) == list(range(100))


def test_a_budget_spreads_and_does_not_cut_off(tmp_path):
    path = draw_clip(tmp_path / "clip.mp4", STEADY)
    assert numbers(video_frames(path, FramesPolicy(fps=25, max_frames=4))) == [12, 37, 62, 87]
    assert numbers(video_frames(path, FramesPolicy(fps=1, max_frames=4))) == [0, 25, 50, 75]


def test_frames_are_turned_as_a_viewer_turns_them(tmp_path):
    path = turn(draw_clip(tmp_path / "turned.mp4", [0, 40, 80, 120, 160, 2000]))
    (first, *_) = video_frames(path, PNG).blobs
    assert (first.width, first.height) == (HEIGHT, WIDTH)
    last = Image.open(BytesIO(video_frames(path, PNG).blobs[-1].data)).convert("L")
    # Frame 4 is white in its tenth column of twelve and grey at its foot, which is now at the left.
    assert last.getpixel((5, WIDTH // 2)) == pytest.approx(128, abs=8)
    assert last.getpixel((HEIGHT // 2, round(WIDTH * 9.5 / 12))) > 200
    assert last.getpixel((HEIGHT // 2, round(WIDTH * 2.5 / 12))) < 50


def test_pixels_become_square(tmp_path):
    path = draw_clip(tmp_path / "wide.mp4", [0, 40], aspect=Fraction(3, 2))
    blob = video_frames(path, PNG).blobs[0]
    assert (blob.width, blob.height) == (WIDTH * 3 // 2, HEIGHT)
    small = video_frames(path, FramesPolicy(long_side_px=96)).blobs[0]
    assert (small.width, small.source_width) == (96, WIDTH * 3 // 2)


@pytest.mark.parametrize("codec", ["libx264", "mpeg4", "libvpx", "libvpx-vp9", "libsvtav1", "ffv1"])
def test_codecs_are_read_by_whichever_decoder_can(tmp_path, codec):
    path = draw_clip(tmp_path / "clip.mkv", STEADY, codec=codec)
    assert numbers(video_frames(path, FramesPolicy(fps=2, quality=95))) == [
        0, 12, 25, 37, 50, 62, 75, 87,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "drawing", "reason"),
    [
        ("a.mp4", {}, ""),
        ("a.mkv", {"codec": "mpeg4"}, ""),
        ("a.mkv", {"codec": "libsvtav1"}, "codec av1"),
        ("a.mp4", {"pixel_format": "yuv420p10le"}, "pixel format yuv420p10le"),
        ("a.ts", {}, "container mpegts"),
    ],
)
def test_the_decoder_follows_from_the_stream(tmp_path, name, drawing, reason):
    assert why_not_decord(probe_video(draw_clip(tmp_path / name, STEADY, **drawing))) == reason


def test_decord_is_not_believed_where_its_times_are_not_ours(tmp_path):
    path = draw_clip(tmp_path / "clip.mp4", STEADY)
    stream = probe_video(path)
    fewer = type(stream)(**{**_fields(stream), "times": stream.times[:-1]})
    later = type(stream)(**{**_fields(stream), "times": [*stream.times[:-1], 9.0]})
    for wrong in (fewer, later):
        with pytest.raises(DecoderError, match="decord"):
            list(decode_with_decord(wrong, [0], Size(8, 8)))


def _fields(stream):
    return {name: getattr(stream, name) for name in stream.__slots__}


# ── Damage ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "no audio or video"),
        (b"This is no film.\n" * 50, "no audio or video"),
        (b"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n/etc/hostname\n", "no audio or video"),
        (b"ffconcat version 1.0\nfile '/etc/hostname'\n", "no audio or video"),
        (b"\x00\x00\x00\x18ftypisom" + bytes(200), "no audio or video|no video stream"),
    ],
    ids=["empty", "text", "playlist", "list of files", "header alone"],
)
def test_what_is_no_video_is_refused_with_its_reason(tmp_path, data, words):
    path = tmp_path / "clip.mp4"
    path.write_bytes(data)
    with pytest.raises(MediaError, match=words):
        video_frames(path, PNG)


def test_sound_alone_has_no_frames(tmp_path):
    with pytest.raises(MediaError, match="no video stream"):
        video_frames(draw_sound(tmp_path / "a.wav", 0.5), PNG)


def test_an_mp4_that_lost_its_index_is_refused(tmp_path):
    path = draw_clip(tmp_path / "clip.mp4", STEADY)
    path.write_bytes(path.read_bytes()[:-2000])
    with pytest.raises(MediaError, match="no audio or video"):
        video_frames(path, PNG)


def test_a_file_that_ends_early_shows_what_it_holds_and_says_so(tmp_path):
    path = draw_clip(tmp_path / "clip.mp4", STEADY, options={"movflags": "faststart"})
    data = path.read_bytes()
    path.write_bytes(data[: len(data) - (len(data) - data.index(b"mdat")) // 2])
    made = video_frames(path, FramesPolicy(fps=5, quality=95))
    assert "the header says 4.0 s" in made.notes[0]
    assert 5 <= len(made.blobs) < 20
    assert numbers(made)[:5] == [0, 5, 10, 15, 20]


def test_damaged_frames_are_stood_in_for_and_told(tmp_path):
    path = draw_clip(tmp_path / "clip.mkv", STEADY, gop=10, b_frames=0)
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + len(data) // 20] = bytes(len(data) // 20)
    path.write_bytes(data)
    made = video_frames(path, FramesPolicy(fps=25, quality=95))
    shown = numbers(made)
    assert shown[:20] == list(range(20))
    assert shown[-10:] == list(range(90, 100))


@pytest.mark.parametrize("seed", range(8))
def test_a_file_with_random_damage_never_does_more_than_be_refused(tmp_path, seed):
    import random

    path = draw_clip(tmp_path / "clip.mp4", STEADY)
    rng = random.Random(seed)
    data = bytearray(path.read_bytes())
    for _ in range(2 ** (seed + 1)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    path.write_bytes(data)
    try:
        made = video_frames(path, FramesPolicy(fps=5))
    except MediaError:
        return
    assert all(blob.data.startswith(b"\xff\xd8") for blob in made.blobs)


def test_the_duration_for_estimates_comes_from_the_header(tmp_path):
    assert probe_duration(draw_clip(tmp_path / "a.mp4", STEADY)) == pytest.approx(4, abs=0.05)
    assert probe_duration(draw_sound(tmp_path / "a.wav", 0.5)) == pytest.approx(0.5)
