"""Where media stand in a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ifbench.media.errors import MediaError
from ifbench.media.places import split_markers
from ifbench.types import ImagePolicy, Media, MediaPolicy, NativePolicy, SubtitlesPolicy, Text, View

POLICY = MediaPolicy(
    image=ImagePolicy(long_side_px=100),
    audio=NativePolicy(max_bytes=1),
    video=NativePolicy(max_bytes=2),
)
A, B, C = (Media(kind="image", uri=name, sha256=name) for name in "abc")
FILM = Media(kind="video", uri="film", sha256="film")
SOUND = Media(kind="audio", uri="sound", sha256="sound")
WORDS = Media(kind="subtitles", uri="words", sha256="words")


def order(text, *media):
    """The parts in a short form: texts as they are, media by name in brackets."""
    parts = split_markers(text, media, POLICY)
    return [part.text if isinstance(part, Text) else [part.media.uri] for part in parts]


@pytest.mark.parametrize(
    ("text", "media", "expected"),
    [
        ("Look at <image> closely.", [A], ["Look at ", ["a"], " closely."]),
        ("<image>What is it?", [A], [["a"], "What is it?"]),
        ("What is it?<image>", [A], ["What is it?", ["a"]]),
        ("<image>", [A], [["a"]]),
        ("<image><image>Compare.", [A, B], [["a"], ["b"], "Compare."]),
        ("<image> \n<image>\nCompare.", [A, B], [["a"], ["b"], "\nCompare."]),
        ("First <image>, then <image>.", [B, A], ["First ", ["b"], ", then ", ["a"], "."]),
        ("No marker.", [A, B], [["a"], ["b"], "No marker."]),
        ("No marker.", [], ["No marker."]),
        ("", [A], [["a"]]),
        ("", [], [""]),
        ("  \n", [], ["  \n"]),
        ("<video> and <audio>", [SOUND, FILM], [["film"], " and ", ["sound"]]),
        ("<image> of the film", [FILM, A], [["film"], ["a"], " of the film"]),
        ("Say what is said.", [FILM, WORDS], [["film"], ["words"], "Say what is said."]),
        ("<subtitles> is no marker", [WORDS], [["words"], "<subtitles> is no marker"]),
        ("<Image> and < image > and <images>", [A], [["a"], "<Image> and < image > and <images>"]),
        ("图<image>中", [A], ["图", ["a"], "中"]),
    ],
)
def test_media_stand_where_they_are_marked_or_else_before_the_text(text, media, expected):
    assert order(text, *media) == expected


@pytest.mark.parametrize(
    ("text", "media", "expected"),
    [
        ("SVG has `<image>`; why?", [], ["SVG has `<image>`; why?"]),
        ("SVG has `<image>`: <image>", [A], ["SVG has `<image>`: ", ["a"]]),
        ("```xml\n<image>\n```\n<image>", [A], ["```xml\n<image>\n```\n", ["a"]]),
        ("`` a ` <image> ``", [A], [["a"], "`` a ` <image> ``"]),
        ("a lone ` and <image>", [A], ["a lone ` and ", ["a"]]),
        ("```\nnever closed\n<image>", [A], ["```\nnever closed\n", ["a"]]),
        ("`one` <image> `two`", [A], ["`one` ", ["a"], " `two`"]),
    ],
)
def test_markers_in_code_are_text(text, media, expected):
    assert order(text, *media) == expected


@pytest.mark.parametrize(
    ("text", "media", "places", "given_media"),
    [
        ("<image>", [], 1, 0),
        ("<image> <image>", [A], 2, 1),
        ("<image>", [A, B], 1, 2),
        ("<image> `<image>`", [A, B], 1, 2),
        ("<video>", [A], 1, 0),
    ],
)
def test_another_number_of_places_than_media_is_an_error(text, media, places, given_media):
    with pytest.raises(MediaError, match=rf"marks {places} places.*has {given_media} media"):
        split_markers(text, tuple(media), POLICY)


def test_each_kind_gets_its_own_policy():
    parts = split_markers("x", (A, SOUND, FILM, WORDS), POLICY)
    policies = {part.media.uri: part.policy for part in parts if isinstance(part, View)}
    assert policies == {
        "a": POLICY.image,
        "sound": POLICY.audio,
        "film": POLICY.video,
        "words": SubtitlesPolicy(),
    }


@given(st.lists(st.sampled_from(["<image>", "text", " ", "`", "```", "\n", "<video>"])))
def test_no_medium_is_lost_or_doubled_and_the_order_is_kept(pieces):
    text = "".join(pieces)
    try:
        parts = split_markers(text, (A, B, C, FILM), POLICY)
    except MediaError:
        return
    views = [part.media.uri for part in parts if isinstance(part, View)]
    assert [uri for uri in views if uri != "film"] == ["a", "b", "c"]
    assert views.count("film") == 1


@pytest.mark.timeout(5)
@pytest.mark.parametrize("unit", ["`", "` ", "`a``", "<image", "``` ` "])
def test_long_hostile_texts_are_split_quickly(unit):
    text = unit * (100_000 // len(unit))
    assert order(text) == [text]
