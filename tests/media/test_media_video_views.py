"""Views of videos, their sound and subtitles: labelled, capped, and made once per content."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from clips import draw_clip, draw_sound, media_of, number_in

from ifbench.media.errors import MediaError
from ifbench.media.views import ViewLoader
from ifbench.types import (
    FramesPolicy,
    ImagePolicy,
    Media,
    NativePolicy,
    SubtitlesPolicy,
    View,
    WavePolicy,
)

STEADY = list(range(0, 3000, 40))


@pytest.fixture
def film(tmp_path):
    return media_of(draw_clip(tmp_path / "film.mp4", STEADY))


def test_each_frame_comes_after_its_time(film):
    blobs = ViewLoader()(View(media=film, policy=FramesPolicy(fps=2)))
    assert [blob.mime for blob in blobs] == ["text/plain", "image/jpeg"] * 6
    assert [blob.data for blob in blobs[:4:2]] == [b"[00:00.000]", b"[00:00.500]"]
    assert [number_in(blob.data) for blob in blobs[1::2]] == [0, 12, 25, 37, 50, 62]


def test_frames_go_without_times_where_the_policy_says_so(film):
    blobs = ViewLoader()(View(media=film, policy=FramesPolicy(labels=False)))
    assert [blob.mime for blob in blobs] == ["image/jpeg"] * 3


@pytest.mark.parametrize("on_disk", [False, True])
def test_models_that_differ_in_caps_and_labels_share_what_was_made(film, tmp_path, on_disk):
    folder = tmp_path / "views" if on_disk else None
    first = ViewLoader(folder)
    blobs = first(View(media=film, policy=FramesPolicy()))
    Path(film.uri).unlink()  # so that making it again would fail
    again = ViewLoader(folder) if on_disk else first
    for policy in (FramesPolicy(max_bytes=10**9), FramesPolicy(labels=False)):
        shown = again(View(media=film, policy=policy))
        assert [b for b in shown if b.width] == [b for b in blobs if b.width]


def test_another_policy_is_another_rendering(film):
    load = ViewLoader()
    sizes = {
        len(load(View(media=film, policy=policy)))
        for policy in (FramesPolicy(), FramesPolicy(fps=2), FramesPolicy(count=5))
    }
    assert sizes == {6, 12, 10}


def test_a_cap_counts_all_frames_together_and_names_the_file(film):
    load = ViewLoader()
    blobs = load(View(media=film, policy=FramesPolicy(labels=False)))
    size = sum(len(blob.data) for blob in blobs)
    assert load(View(media=film, policy=FramesPolicy(labels=False, max_bytes=size))) == blobs
    with pytest.raises(MediaError, match=r"film\.mp4: its 3 pictures have .* bytes as jpeg"):
        load(View(media=film, policy=FramesPolicy(max_bytes=size - 1)))


def test_threads_that_want_one_video_make_it_once(film, monkeypatch):
    from ifbench.media import video

    made = []
    whole = video.video_frames

    def counted(path, policy):
        made.append(threading.get_ident())
        return whole(path, policy)

    monkeypatch.setattr(video, "video_frames", counted)
    load = ViewLoader()
    with ThreadPoolExecutor(8) as pool:
        views = list(pool.map(load, [View(media=film, policy=FramesPolicy())] * 8))
    assert len(made) == 1
    assert all(view == views[0] for view in views)


LOAD = """
import sys
from pathlib import Path
from ifbench.media.views import ViewLoader
from ifbench.types import FramesPolicy, Media, View
folder, uri, sha256 = sys.argv[1:]
film = Media(kind="video", uri=uri, sha256=sha256)
ViewLoader(Path(folder))(View(media=film, policy=FramesPolicy(count=60)))
print(*(path.stat().st_mtime_ns for path in Path(folder).rglob("*") if len(path.name) == 64))
"""


def test_processes_that_want_one_video_make_it_once(film, tmp_path):
    command = [sys.executable, "-c", LOAD, str(tmp_path / "views"), film.uri, film.sha256]
    children = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    written = {child.communicate()[0] for child in children}
    assert all(child.returncode == 0 for child in children)
    assert len(written) == 1  # Had both made it, the second one's file would be later.


def test_what_is_missing_of_a_video_is_said_once(tmp_path, caplog):
    path = draw_clip(tmp_path / "cut.mp4", STEADY, options={"movflags": "faststart"})
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])
    load, view = ViewLoader(tmp_path / "views"), View(media=media_of(path), policy=FramesPolicy())
    with caplog.at_level(logging.WARNING):
        load(view)
        load(view)
    assert len(caplog.messages) == 1
    assert "cut.mp4" in caplog.messages[0]
    assert "the header says 3.0 s" in caplog.messages[0]
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        ViewLoader(tmp_path / "views")(view)
    assert len(caplog.messages) == 1  # What is kept on disk says it, too.


@pytest.mark.parametrize("data", [b"", b"This is no film.\n" * 40], ids=["empty", "text"])
def test_what_is_no_video_fails_its_row_and_names_the_file(tmp_path, data):
    path = tmp_path / "film.mp4"
    path.write_bytes(data)
    with pytest.raises(MediaError, match=r"film\.mp4: it is no audio or video"):
        ViewLoader()(View(media=media_of(path), policy=FramesPolicy()))


def test_a_file_that_is_missing_or_another_one_fails_its_row(film):
    with pytest.raises(MediaError, match="its SHA-256 is"):
        ViewLoader()(View(media=replace(film, sha256="0" * 64), policy=FramesPolicy()))
    Path(film.uri).unlink()
    with pytest.raises(MediaError, match=r"film\.mp4 cannot be read: .*No such file"):
        ViewLoader()(View(media=film, policy=FramesPolicy()))


def test_a_file_behind_a_url_is_read_too(film):
    away = replace(film, uri=Path(film.uri).as_uri())
    blobs = ViewLoader()(View(media=away, policy=FramesPolicy(labels=False)))
    assert [number_in(blob.data) for blob in blobs] == [0, 25, 50]


@pytest.mark.parametrize(
    "name", ["-dash.mp4", "concat:a.mp4", "größe 水.mp4", "100%.mp4", "a#b?.mp4"]
)
def test_odd_names_are_names(tmp_path, name):
    film = media_of(draw_clip(tmp_path / "plain.mp4", STEADY).rename(tmp_path / name))
    assert len(ViewLoader()(View(media=film, policy=FramesPolicy()))) == 6


def test_sound_is_a_view_of_its_own(tmp_path):
    film = media_of(draw_clip(tmp_path / "film.mkv", STEADY, sound_ms=(0, 3000)))
    load = ViewLoader()
    blob = load(View(media=film, policy=WavePolicy()))
    assert (blob.mime, blob.data[:4]) == ("audio/wav", b"RIFF")
    Path(film.uri).unlink()
    assert load(View(media=film, policy=WavePolicy(max_bytes=10**9))) == blob
    with pytest.raises(MediaError, match=r"film\.mkv: its sound lasts 3\.\d s; .* allows 2$"):
        load(View(media=film, policy=WavePolicy(max_seconds=2)))
    with pytest.raises(MediaError, match=r"film\.mkv has .* bytes as audio/wav"):
        load(View(media=film, policy=WavePolicy(max_bytes=100)))


def test_a_film_without_sound_says_so_in_the_prompt(film, caplog):
    blob = ViewLoader()(View(media=film, policy=WavePolicy()))
    assert (blob.mime, blob.data) == ("text/plain", b"The video has no sound.")
    assert "it has no sound" in caplog.text


def test_a_sound_file_can_be_made_into_wav_or_go_as_it_is(tmp_path):
    sound = media_of(draw_sound(tmp_path / "a.wav", 0.5), "audio")
    assert ViewLoader()(View(media=sound, policy=WavePolicy())).mime == "audio/wav"
    native = ViewLoader()(View(media=sound, policy=NativePolicy()))
    assert native.data == Path(sound.uri).read_bytes()


def test_native_media_go_out_as_they_are(film):
    blob = ViewLoader()(View(media=film, policy=NativePolicy()))
    assert blob.data == Path(film.uri).read_bytes()
    assert (blob.mime, blob.width, blob.source_height) == ("video/mp4", None, None)
    with pytest.raises(MediaError, match="at most 5"):
        ViewLoader()(View(media=film, policy=NativePolicy(max_bytes=5)))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "the file is empty"),
        (b"this is no film", "no audio or video that can be read"),
        (b"\0\0\0\x20ftypisom and no more", "no audio or video that can be read"),
    ],
)
def test_a_native_film_that_no_model_could_be_shown_is_refused(tmp_path, data, words):
    path = tmp_path / "film.mp4"
    path.write_bytes(data)
    with pytest.raises(MediaError, match=rf"film\.mp4: .*{words}"):
        ViewLoader()(View(media=media_of(path, "video"), policy=NativePolicy()))


def test_sound_alone_is_no_native_film(tmp_path):
    sound = draw_sound(tmp_path / "a.wav", 0.5).rename(tmp_path / "film.mp4")
    with pytest.raises(MediaError, match="it has no video stream"):
        ViewLoader()(View(media=media_of(sound, "video"), policy=NativePolicy()))


def test_subtitles_become_lines_and_their_bad_cues_are_told(tmp_path, caplog):
    path = tmp_path / "a.srt"
    path.write_text("1\n00:00:01,000 --> 00:00:02,000\n<b>Hi</b>\n\n2\n0:0:x --> 1\nlost\n")
    words = media_of(path, "subtitles")
    blob = ViewLoader()(View(media=words, policy=SubtitlesPolicy()))
    assert (blob.mime, blob.data) == ("text/plain", b"Subtitles:\n[00:01.000 - 00:02.000] Hi")
    assert "line 6" in caplog.text or "line 5" in caplog.text
    with pytest.raises(MediaError, match="bytes as text/plain"):
        ViewLoader()(View(media=words, policy=SubtitlesPolicy(max_bytes=3)))


@pytest.mark.parametrize(
    ("kind", "policy"),
    [("image", FramesPolicy()), ("video", ImagePolicy()), ("subtitles", WavePolicy())],
)
def test_a_policy_for_another_kind_is_refused(film, kind, policy):
    with pytest.raises(MediaError, match=f"is {kind}; a policy for"):
        ViewLoader()(View(media=Media(kind=kind, uri=film.uri, sha256=film.sha256), policy=policy))
