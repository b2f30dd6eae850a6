"""Telling what kind of file some bytes are."""

import pytest

from ifbench.media.errors import MediaError
from ifbench.media.mime_types import mime_of
from ifbench.types import Media

WEBM = b"\x1aE\xdf\xa3\x9fB\x86\x81\x01B\xf7\x81\x01B\xf2\x81\x04B\xf3\x81\x08B\x82\x84webm"
MATROSKA = WEBM.replace(b"\x84webm", b"\x88matroska")


def mime(kind, data, uri="file"):
    return mime_of(data, Media(kind=kind, uri=uri, sha256=""))


@pytest.mark.parametrize(
    ("kind", "data", "expected"),
    [
        ("image", b"\x89PNG\r\n\x1a\n....", "image/png"),
        ("image", b"\xff\xd8\xff\xe0", "image/jpeg"),
        ("image", b"GIF89a", "image/gif"),
        ("image", b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        ("image", b"\0\0\0\x20ftypavif", "image/avif"),
        ("image", b"\0\0\0\x20ftypheic", "image/heic"),
        ("video", b"\0\0\0\x20ftypisom", "video/mp4"),
        ("audio", b"\0\0\0\x20ftypisom", "audio/mp4"),
        ("audio", b"\0\0\0\x20ftypM4A ", "audio/mp4"),
        ("video", b"\0\0\0\x14ftypqt  ", "video/quicktime"),
        ("video", WEBM, "video/webm"),
        ("audio", WEBM, "audio/webm"),
        ("video", MATROSKA, "video/x-matroska"),
        ("video", b"RIFF\0\0\0\0AVI LIST", "video/x-msvideo"),
        ("video", b"\x00\x00\x01\xba!", "video/mpeg"),
        ("audio", b"RIFF\0\0\0\0WAVEfmt ", "audio/wav"),
        ("audio", b"ID3\x04", "audio/mpeg"),
        ("audio", b"\xff\xfb\x90\x00", "audio/mpeg"),
        ("audio", b"fLaC", "audio/flac"),
        ("audio", b"OggS", "audio/ogg"),
        ("video", b"OggS", "video/ogg"),
        ("subtitles", b"1\n00:00:00,000 --> 00:00:05,000\nHello", "text/plain"),
    ],
)
def test_the_content_tells_the_type(kind, data, expected):
    assert mime(kind, data, uri="misleading.mpg") == expected


def test_the_name_tells_it_where_the_content_does_not():
    assert mime("video", b"????", uri="film.mp4") == "video/mp4"


@pytest.mark.parametrize(
    ("kind", "data", "uri"),
    [
        ("image", b"\0\0\0\x20ftypisom", "x.png"),
        ("video", b"\x89PNG\r\n\x1a\n", "x.mp4"),
        ("audio", b"RIFF\0\0\0\0AVI LIST", "x.wav"),
        ("video", b"only text", "x.txt"),
    ],
)
def test_another_kind_than_the_record_says_is_an_error(kind, data, uri):
    with pytest.raises(MediaError, match=f"calls it {kind}"):
        mime(kind, data, uri)


@pytest.mark.parametrize("data", [b"", b"?", b"\xff", b"RIFF", b"RIFF\0\0\0\0XXXX"])
def test_what_cannot_be_told_is_an_error(data):
    with pytest.raises(MediaError, match="unknown kind"):
        mime("video", data, "noname")
