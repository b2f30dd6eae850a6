"""Scenes contradict themselves nowhere, and what the facts say is what is drawn."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from PIL import ImageColor

from ifbench.benchmarks.videoif.starter.conditions import conditions, edit
from ifbench.benchmarks.videoif.starter.drawing import frame, frame_count, sound, subtitles
from ifbench.benchmarks.videoif.starter.scenes import (
    PAST,
    Act,
    Actor,
    Lamp,
    Line,
    Point,
    Shot,
    Sign,
    Sound,
    Span,
    Video,
    distance_px,
    facts,
    place_of,
    relation,
    third,
)
from ifbench.benchmarks.videoif.starter.videos import VIDEOS

BALL = Actor(
    id="ball",
    colour="red",
    shape="circle",
    at=Point(40, 100),
    shown=Span(1, 9),
    acts=(Act(2, 4, "slides", Point(140, 100)), Act(5, 7, "pushes", Point(200, 100), "box")),
)
BOX = Actor(
    id="box", name="Bo", colour="blue", shape="square", at=Point(180, 100), shown=Span(0, 10)
)
TOY = Video(
    id="toy",
    domain="toys",
    seconds=10,
    shots=(Shot(0, 10, "room", "#ffffff", "#000000"),),
    actors=(BALL, BOX),
    lamps=(Lamp("lamp", "green", Point(280, 30), (Span(0, 3), Span(6, 10))),),
    signs=(Sign("GO", 2, 5, Point(10, 10)),),
    sounds=(Sound("bell", 8),),
    lines=(Line("box", "Hello.", 3, 5),),
)


# ── The language ─────────────────────────────────────────────────────────────────────


def test_facts_follow_from_the_scene_in_the_order_of_time():
    told = [(fact.start_s, fact.end_s, fact.text) for fact in facts(TOY)]
    assert told == [
        (0, 3, "the lamp is on"),
        (0, 10, "shot 1 shows the room"),
        (1, 2, "the red circle appears"),
        (2, 4, "the red circle slides to the right"),
        (2, 5, "the text “GO” is shown"),
        (3, 4, "the lamp turns off"),
        (3, 5, "Bo says “Hello.”"),
        (4, 5, "the red circle stops at the center"),
        (5, 7, "the red circle pushes Bo to the right"),
        (6, 7, "the lamp turns on"),
        (6, 10, "the lamp is on"),
        (7, 8, "the red circle stops at the center"),
        (8, 9, "a bell rings"),
        (9, 10, "the red circle disappears"),
    ]


def test_facts_have_a_past_tense():
    assert "the red circle pushed Bo to the right" in {fact.past for fact in facts(TOY)}
    assert all(fact.verb in PAST for video in VIDEOS.values() for fact in facts(video))


@pytest.mark.parametrize(
    ("at_s", "ball", "box"),
    [(0, 40, 180), (3, 90, 180), (4.5, 140, 180), (6, 170, 210), (9, 200, 240)],
)
def test_who_is_pushed_moves_along(at_s, ball, box):
    assert place_of(TOY, BALL, at_s) == (ball, 100)
    assert place_of(TOY, BOX, at_s) == (box, 100)
    assert distance_px(TOY, BALL, BOX, at_s) == box - ball
    assert relation(TOY, BALL, BOX, at_s) == "left of"


@pytest.mark.parametrize(
    ("x", "part"), [(0, "left"), (107, "center"), (213, "center"), (214, "right")]
)
def test_the_picture_has_three_parts(x, part):
    assert third(TOY, x) == part


def test_subtitles_name_the_speaker():
    assert subtitles(TOY) == "1\n00:00:03,000 --> 00:00:05,000\nBo: Hello.\n"


def test_sound_is_there_when_the_scene_says_so():
    track = sound(TOY).reshape(10, -1)
    assert [bool(np.any(second)) for second in track] == [s in {3, 4, 8} for s in range(10)]


# ── The ten videos ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("video", VIDEOS.values(), ids=list(VIDEOS))
class TestEachVideo:
    def test_lasts_a_short_while_and_is_covered_by_its_shots(self, video):
        assert 12 <= video.seconds <= 40
        assert (video.shots[0].start_s, video.shots[-1].end_s) == (0, video.seconds)
        assert all(one.end_s == other.start_s for one, other in pairwise(video.shots))
        assert all(0 <= f.start_s < f.end_s <= video.seconds for f in facts(video))

    def test_shapes_stay_in_the_picture_and_do_one_thing_at_a_time(self, video):
        for actor in video.actors:
            for second in range(video.seconds):
                x, y = place_of(video, actor, second)
                assert 25 <= x <= video.width - 25
                assert 50 <= y <= video.height - 50
            assert all(one.end_s <= other.start_s for one, other in pairwise(actor.acts))
            for act in (*actor.acts, *actor.moods):
                assert actor.shown.start_s <= act.start_s < act.end_s <= actor.shown.end_s

    def test_no_two_shapes_look_the_same(self, video):
        looks = [(actor.colour, actor.shape) for actor in video.actors]
        assert len(looks) == len(set(looks))

    def test_no_two_speak_at_once_and_speakers_are_seen_and_stay(self, video):
        assert all(one.end_s <= other.start_s for one, other in pairwise(video.lines))
        for line in video.lines:
            actor = video.actor(line.speaker)
            assert actor.name
            assert actor.shown.start_s <= line.start_s < line.end_s <= actor.shown.end_s
            assert place_of(video, actor, line.start_s) == actor.at

    def test_who_pushes_is_close_to_whom(self, video):
        for actor in video.actors:
            for act in actor.acts:
                if act.target:
                    gap = distance_px(video, actor, video.actor(act.target), act.start_s)
                    assert gap < 52

    def test_lamps_and_shapes_have_the_colour_that_the_facts_say(self, video):
        for second in range(video.seconds):
            picture = frame(video, second * video.fps + video.fps // 2)
            for lamp in video.lamps:
                is_on = any(
                    f.kind == "state"
                    and f.subject == f"the {lamp.name}"
                    and f.start_s <= second < f.end_s
                    for f in facts(video)
                )
                is_lit = picture.getpixel(lamp.at) == ImageColor.getrgb(lamp.colour)
                assert is_lit == is_on, f"{lamp.name} at {second} s"
            for actor in video.actors:
                moves = any(a.start_s <= second < a.end_s and a.verb == "jumps" for a in actor.acts)
                if moves or actor.name:
                    continue
                x, y = place_of(video, actor, second + 0.5)
                is_seen = picture.getpixel((round(x), round(y))) == ImageColor.getrgb(actor.colour)
                assert is_seen == (actor.shown.start_s <= second < actor.shown.end_s)

    def test_frames_are_as_many_as_the_seconds_say_and_of_one_size(self, video):
        assert frame_count(video) == video.seconds * video.fps
        last = frame(video, frame_count(video) - 1)
        assert last.size == (video.width, video.height)

    def test_conditions_are_told_apart_by_their_truth(self, video):
        true = {condition.words for condition in conditions(video, hold=True)}
        false = {condition.words for condition in conditions(video, hold=False)}
        assert min(len(true), len(false)) >= 10
        assert not true & false
        assert {fact.text for fact in facts(video) if fact.kind == "action"} <= true
        for words in true | false:
            denied = f"it never happens that {words}"
            if denied in true | false:
                assert (denied in false) == (words in true)


def test_conditions_of_a_toy_scene_are_true_or_false_as_they_should_be():
    true = {condition.words for condition in conditions(TOY, hold=True)}
    false = {condition.words for condition in conditions(TOY, hold=False)}
    assert {
        "a bell rings",
        "it never happens that a horn sounds",
        "it happens before 00:10 that a bell rings",
        "the red circle appears before the text “GO” is shown",
    } <= true
    assert {
        "a horn sounds",
        "it never happens that a bell rings",
        "it happens before 00:07 that a bell rings",
        "the text “OLD GO” is shown",
        "the text “GO” is shown before the red circle appears",
    } <= false


def test_an_edit_never_leaves_a_fact_as_it_is():
    for video in VIDEOS.values():
        for fact in facts(video):
            if fact.kind not in {"shot", "stop", "state"}:
                assert edit(video, fact) != fact.text


def test_videos_differ_in_what_they_tell():
    for one, other in combinations(VIDEOS.values(), 2):
        assert {f.text for f in facts(one)} != {f.text for f in facts(other)}
