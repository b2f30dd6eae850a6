"""Subtitles are read as they are meant and printed a cue a line."""

from __future__ import annotations

import contextlib

import pytest

from ifbench.media.errors import MediaError
from ifbench.media.subtitles import Cue, parse_subtitles, print_subtitles

ONE = "1\n00:00:01,500 --> 00:00:02,000\nHello\n"


def read(text, encoding="utf-8"):
    cues = parse_subtitles(text.encode(encoding)).cues
    return [(cue.start_s, cue.end_s, cue.text) for cue in cues]


@pytest.mark.parametrize(
    ("text", "cues"),
    [
        (ONE, [(1.5, 2.0, "Hello")]),
        (ONE.replace("\n", "\r\n"), [(1.5, 2.0, "Hello")]),
        (ONE.replace("\n", "\r"), [(1.5, 2.0, "Hello")]),
        ("0\n00:00:5,000 --> 00:00:6,000\nGreen!\n", [(5.0, 6.0, "Green!")]),
        ("00:01.000 --> 00:02.000\nNo counter", [(1.0, 2.0, "No counter")]),
        ("1\n00:00:01 --> 00:00:02\nNo fraction", [(1.0, 2.0, "No fraction")]),
        ("1\n10:00:00,000 --> 10:00:01,000\nLate", [(36000.0, 36001.0, "Late")]),
        ("1\n00:00:01,000 --> 00:00:02,000 X1:40 Y1:20\nPlaced", [(1.0, 2.0, "Placed")]),
        ("1\n00:00:01,000 --> 00:00:02,000\ntwo\nlines\n", [(1.0, 2.0, "two lines")]),
        ("1\n00:00:01,000 --> 00:00:02,000\n<i>a</i> {\\an8}b &amp; c", [(1.0, 2.0, "a b & c")]),
        ("1\n00:00:01,000 --> 00:00:02,000\n1 < 2 and 3 > 2", [(1.0, 2.0, "1 < 2 and 3 > 2")]),
        ("1\n00:00:01,000 --> 00:00:02,000\n\n2\n00:00:03,000 --> 00:00:04,000\nb", [(3, 4, "b")]),
        (
            "1\n00:00:01,000 --> 00:00:02,000\na\n2\n00:00:03,000 --> 00:00:04,000\nb",
            [(1, 2, "a"), (3, 4, "b")],
        ),
        (
            "2\n00:00:03,000 --> 00:00:04,000\nb\n\n1\n00:00:01,000 --> 00:00:02,000\n7\n",
            [(1, 2, "7"), (3, 4, "b")],
        ),
        (
            (
                "WEBVTT - A title\nKind: captions\n\nNOTE\n00:00.000 --> 00:01.000 not a cue\n\n"
                "STYLE\n::cue { color: red }\n\nintro\n00:01.000 --> 00:02.000 align:start\n"
                "<v Ann>Hi <00:01.500><c.loud>there</c>\n"
            ),
            [(1.0, 2.0, "Hi there")],
        ),
        ("WEBVTT\n", []),
        ("", []),
    ],
)
def test_cues_are_read(text, cues):
    assert read(text) == cues


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"]
)
def test_encodings_are_told_apart(encoding):
    assert read(ONE.replace("Hello", "Größe"), encoding) == [(1.5, 2.0, "Größe")]


def test_chinese_subtitles_of_older_programs_are_read():
    words = "他打开了门，Lamp 灯亮了。"
    assert read(ONE.replace("Hello", words), "gbk") == [(1.5, 2.0, words)]


@pytest.mark.parametrize("words", ["Größe", "été", "Âéèê", "dé à coudre, où ?", "“naïve”"])
def test_accents_are_not_taken_for_chinese(words):
    assert read(ONE.replace("Hello", f"Déjà {words}"), "cp1252") == [(1.5, 2.0, f"Déjà {words}")]


def test_a_cue_that_cannot_be_read_is_told_and_the_others_are_kept():
    found = parse_subtitles(f"1\n00:00:xx --> 00:00:02,000\nlost\n\n{ONE}".encode())
    assert [cue.text for cue in found.cues] == ["Hello"]
    assert found.notes == ("line 2: '00:00:xx --> 00:00:02,000' is no cue's time",)
    backwards = parse_subtitles(f"1\n00:00:09,000 --> 00:00:02,000\nlost\n\n{ONE}".encode())
    assert "line 2" in backwards.notes[0]


@pytest.mark.parametrize("data", [b"no times at all", b"\x89PNG\r\n\x1a\n\x00\x00", b"1 -> 2"])
def test_what_is_no_subtitles_is_refused(data):
    with pytest.raises(MediaError, match="no subtitles"):
        parse_subtitles(data)


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "unit", ["<", "{\\", "00:", "-->", "1\n", "00:00:01,000 --> 00:00:02,000\n"]
)
def test_long_hostile_texts_are_read_quickly(unit):
    with contextlib.suppress(MediaError):
        parse_subtitles((unit * (1_000_000 // len(unit))).encode())


def test_cues_are_printed_a_line_each():
    cues = (Cue(start_s=1.5, end_s=2, text="Hello"), Cue(start_s=3700, end_s=3701.25, text="Bye"))
    assert print_subtitles(cues) == (
        "Subtitles:\n[00:01.500 - 00:02.000] Hello\n[1:01:40.000 - 1:01:41.250] Bye"
    )
    assert print_subtitles(()) == "Subtitles: none."
