"""Rough token counts before a call."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engines.engine_factories import chat_prompt, make_view
from ifbench.engines.estimates import estimated_input_tokens, estimated_tokens
from ifbench.types import FramesPolicy, ImagePolicy, Sampling, SubtitlesPolicy, Text, WavePolicy


def lasting(kind, seconds, policy=None):
    view = make_view(kind, policy=policy)
    return replace(view, media=replace(view.media, duration_s=seconds))


@pytest.mark.parametrize(
    ("parts", "tokens"),
    [
        ((Text(text="x" * 400),), 100),
        ((Text(text=""),), 0),
        ((Text(text="x" * 5),), 2),
        ((make_view("image"),), 255),
        ((make_view("image", policy=ImagePolicy(long_side_px=1024)),), 765),
        ((make_view("image", policy=ImagePolicy(long_side_px=None)),), 765),
        ((make_view("image"), Text(text="abcd"), make_view("image")), 511),
        ((make_view("video"),), 60 * 290),
        ((lasting("video", 10),), 2900),
        ((lasting("video", 10, FramesPolicy()),), 10 * (425 + 10)),
        ((lasting("video", 10.2, FramesPolicy(fps=2, labels=False)),), 21 * 425),
        ((lasting("video", 3600, FramesPolicy(max_frames=50)),), 50 * 435),
        ((lasting("video", 3600, FramesPolicy(count=8, long_side_px=512)),), 8 * 265),
        ((lasting("video", 0, FramesPolicy()),), 435),
        ((lasting("video", 10, WavePolicy()),), 320),
        ((lasting("audio", 10),), 320),
        ((make_view("subtitles", policy=SubtitlesPolicy()),), 600),
    ],
)
def test_input_is_counted_by_length_and_by_size_of_pictures(parts, tokens):
    assert estimated_input_tokens(chat_prompt(parts=parts)) == tokens


def test_system_text_counts():
    assert estimated_input_tokens(chat_prompt("abcd", system="x" * 40)) == 11


@pytest.mark.parametrize(("max_tokens", "tokens"), [(100, 101), (None, 513)])
def test_total_holds_the_longest_output(max_tokens, tokens):
    assert estimated_tokens(chat_prompt("abcd", sampling=Sampling(max_tokens=max_tokens))) == tokens
