"""The oracle's claims say yes and no where they should, near misses included."""

from __future__ import annotations

import pytest

from ifbench.benchmarks.videoif.starter import predicates as p
from ifbench.benchmarks.videoif.starter.sentences import of_kind, the_fact
from ifbench.benchmarks.videoif.starter.videos import GARDEN, HALL, NEWSROOM, STAGE

SQUARE = GARDEN.actor("square")
SLIDE = the_fact(STAGE, "the red circle slides to the right")
JUMP = the_fact(STAGE, "the blue square jumps")

CASES = [
    # What is told.
    (p.keeps_to(STAGE, 0, 10), "The red circle slides to the right.", True),
    (
        p.keeps_to(STAGE, 0, 10),
        "the circle SLID to\nthe right, **and** the blue square jumps",
        True,
    ),
    (p.keeps_to(STAGE, 0, 10), "The red circle slides to the right at 00:11.", False),
    (p.keeps_to(STAGE, 0, 10), "The red circle jumps.", False),
    (p.keeps_to(STAGE, 0, 10), "Nothing of note.", False),
    (p.tells_all(STAGE, (SLIDE, JUMP)), "The square jumped; the circle slid to the right.", True),
    (p.tells_all(STAGE, (SLIDE, JUMP)), "The square spins; the circle slid to the right.", False),
    (
        p.tells_in_order(STAGE, (SLIDE, JUMP)),
        "The square jumped; the circle slid to the right.",
        False,
    ),
    (p.localised(STAGE), "[00:05 - 00:06] The blue square jumps.", True),
    (p.localised(STAGE), "[00:05 – 00:07] The blue square jumps.", False),
    (p.localised(STAGE), "The blue square jumps. [00:05 - 00:06]", False),
    (p.localised(STAGE), "[00:05 - 00:06]", False),
    (
        p.localised(HALL),
        '{"start": "00:06", "end": "00:10", "event": "the right lamp is on"}',
        True,
    ),
    (
        p.localised(HALL),
        '{"start": "00:03", "end": "00:08", "event": "the right lamp is on"}',
        False,
    ),
    (p.has_times((3, 16)), "00:03, 00:08 and 00:16", True),
    (p.has_times((3, 16)), "00:03 and 00:16:00", False),
    (p.times_rise, "- 00:03 a\n- 00:03 b\n- 01:00 c", True),
    (p.times_rise, "- 01:00 c\n- 00:03 a", False),
    # Who is named.
    (p.names_only(STAGE, {"the red circle"}), "Only the circle jumps.", True),
    (p.names_only(STAGE, {"the red circle"}), "Circles jump.", False),
    (p.names_only(STAGE, {"the red circle"}), "The circle jumps beside the square.", False),
    (p.names_only(NEWSROOM, {"Ada"}), "Ada quotes “Ben is late”.", True),
    (p.names_number(STAGE, 2), "The circle and the red circle, and the star.", True),
    (p.names_number(STAGE, 2), "The circle and the red circle.", False),
    (p.names_in_order(STAGE, ("the yellow star", "the red circle")), "a star, then a circle", True),
    (
        p.names_in_order(STAGE, ("the yellow star", "the red circle")),
        "a circle, then a star",
        False,
    ),
    (p.has_none(("red",)), "Something reddish, well bred.", True),
    (p.has_none(("red",)), "Something **Red**.", False),
    (p.coloured(STAGE), "The red circle meets the blue square.", True),
    (p.coloured(STAGE), "The red circle meets the square.", False),
    (p.coloured(STAGE), "The blue circle.", False),
    (p.labelled(STAGE, ("A", "B")), "A meets B.", True),
    (p.labelled(STAGE, ("A", "B")), "A meets the star.", False),
    (p.labelled(STAGE, ("A", "B")), "Someone meets another.", False),
    # Speech.
    (p.speakers_bound(NEWSROOM), "Ben says “The harbour is quiet.”", True),
    (p.speakers_bound(NEWSROOM), "Ada says “The harbour is quiet.”", False),
    (p.speakers_bound(NEWSROOM), "Ada and Ben say “The harbour is quiet.”", False),
    (p.speakers_bound(NEWSROOM), "One hears “The harbour is quiet.”", False),
    (p.speakers_bound(NEWSROOM), "Ben speaks.", False),
    (p.speakers_placed(NEWSROOM), "Ben (right) says “The harbour is quiet.”", True),
    (p.speakers_placed(NEWSROOM), "Ben (left) says “The harbour is quiet.”", False),
    (p.speakers_placed(NEWSROOM), "Ben says “The harbour is quiet.”", False),
    (p.quotes_only(("EVENING NEWS",)), "It reads “Evening news”.", True),
    (p.quotes_only(("EVENING NEWS",)), "It reads “Evening news”, and one says “Hello”.", False),
    (p.quotes_only(("EVENING NEWS",)), "It reads EVENING NEWS.", False),
    (p.quotes_in_capitals, "“GATE 4”", True),
    (p.quotes_in_capitals, "“Gate 4”", False),
    # Space.
    (p.related(GARDEN, SQUARE, 2), "The red circle is left of the grey square.", True),
    (p.related(GARDEN, SQUARE, 2), "The circle is left of the square. The star shines.", False),
    (p.related(GARDEN, SQUARE, 2), "The red circle is right of the grey square.", False),
    (p.related(GARDEN, SQUARE, 2), "The grey square.", False),
    (p.related(GARDEN, SQUARE, 2, mirrored=True), "The circle is right of the square.", True),
    (p.related(GARDEN, SQUARE, 2, mirrored=True), "The star is above the square.", True),
    (p.related(GARDEN, SQUARE, 2, mirrored=True), "The circle is left of the square.", False),
    # Language.
    (p.in_first_person, "I smile. “She left.”", True),
    (p.in_first_person, "I smile while she leaves.", False),
    (p.in_first_person, "Item one.", False),
    (p.in_past_tense, "The lamp turned on: “it is on”.", True),
    (p.in_past_tense, "The lamp turned on and is on.", False),
    (p.in_past_tense, "Lamps everywhere.", False),
]


@pytest.mark.parametrize(("claim", "text", "holds"), CASES, ids=[case[1] for case in CASES])
def test_a_claim_holds_or_not(claim, text, holds):
    assert claim(text) is holds


def test_what_happens_twice_may_be_told_where_one_of_them_is_allowed():
    rings = of_kind(STAGE, "sound")
    assert [fact.text for fact in rings] == ["a bell rings"] * 2
    assert p.tells_only(STAGE, lambda fact: fact.start_s == 18)("A bell rings.")


def test_passages_are_lines_cut_at_sentences():
    text = "One. Two “Three.” Four\n- 00:03 Five"
    assert p.passages(text) == ["One.", "Two “Three.”", "Four", "- 00:03 Five"]
