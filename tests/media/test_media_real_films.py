"""Real films, sound and damaged: each is decoded to the frame times that its list states."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

from ifbench.media.audio import wave_sound
from ifbench.media.errors import MediaError
from ifbench.media.sources import sha256_of
from ifbench.media.video import video_frames
from ifbench.media.video_probe import probe_video
from ifbench.media.views import ViewLoader
from ifbench.types import FramesPolicy, Media, SubtitlesPolicy, View

FOLDER = Path(os.environ.get("IFBENCH_SHARED", "../shared")) / "data" / "media"
LIST = FOLDER / "MANIFEST_av.tsv"
LINES = LIST.read_text().splitlines() if LIST.is_file() else []
ROWS = list(csv.DictReader(LINES, delimiter="\t"))
EVERY = FramesPolicy(count=1_000_000, long_side_px=64)
UNDECODABLE = {"corrupted.mp4": 1}  # Frames that are in the file and cannot be decoded.
# Its list has 100 frames, 0.04 s apart, from 0.54 s, and yet the last at 4.46 s: one time too early.
LAST_S = {"sine_stereo_mp2.mpg": 4.5}

pytestmark = pytest.mark.skipif(
    not ROWS, reason=f"the real films are not at {FOLDER} (set IFBENCH_SHARED)"
)


def name_of(row):
    return row["path"].rpartition("/")[2]


@pytest.mark.parametrize("row", [row for row in ROWS if row["n_video"] != "0"], ids=name_of)
def test_a_real_film_is_decoded_to_the_times_of_its_list(row):
    path = FOLDER / row["path"]
    stream, made = probe_video(path), video_frames(path, EVERY)
    shown = sorted({blob.shown_s for blob in made.blobs})
    first = float(row["first_pts_s"])
    last = LAST_S.get(path.name, float(row["last_pts_s"]))

    assert len(shown) == int(row["frames_decoded"])
    assert len(made.blobs) == len(shown) + UNDECODABLE.get(path.name, 0)
    assert (shown[0], shown[-1]) == (0, pytest.approx(last - first, abs=0.001))
    assert float(stream.start_pts * stream.time_base) == pytest.approx(first, abs=0.001)
    assert bool(made.notes) == (path.name in UNDECODABLE)


@pytest.mark.parametrize("row", [row for row in ROWS if row["n_video"] != "0"], ids=name_of)
def test_a_real_film_has_its_shape(row):
    stream = probe_video(FOLDER / row["path"])
    width, height = (int(side) for side in row["coded_wh"].split("x"))
    across, down = (int(side) for side in (row["sar"] or "1:1").split(":"))
    width = round(width * across / down)
    turned = abs(int(row["rotation"])) == 90
    assert stream.upright == ((height, width) if turned else (width, height))


@pytest.mark.parametrize("row", [row for row in ROWS if row["n_video"] == "0"], ids=name_of)
def test_sound_alone_is_refused_as_a_film(row):
    with pytest.raises(MediaError, match="no video stream"):
        video_frames(FOLDER / row["path"], EVERY)


@pytest.mark.parametrize("row", [row for row in ROWS if row["n_audio"] != "0"], ids=name_of)
def test_sound_lasts_as_long_as_its_list_says(row):
    sound = wave_sound(FOLDER / row["path"], 16_000)
    said = row["a_duration_s"] or row["format_duration_s"]
    if said != "N/A":  # Some lists round the last packet up; an MP3 counts its padding.
        assert sound.seconds == pytest.approx(float(said), abs=0.2)


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("subtitles.srt", ["[00:02.000 - 00:03.500] More Red!", "[00:05.000 - 00:06.000] Green!"]),
        ("subtitles-unicode.srt", ["[00:00.000 - 00:05.000] ÁÉíöÙ"]),
    ],
)
def test_real_subtitles_are_read(name, lines):
    path = FOLDER / "moviepy" / name
    media = Media(kind="subtitles", uri=str(path), sha256=sha256_of(path))
    text = ViewLoader()(View(media=media, policy=SubtitlesPolicy())).data.decode()
    assert all(line in text.splitlines() for line in lines)
