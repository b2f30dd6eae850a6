"""Requests about lamps, doors, sounds and a belt: what causes what, and when."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ifbench.benchmarks.videoif.starter import format_demands as form
from ifbench.benchmarks.videoif.starter import semantic_demands as meaning
from ifbench.benchmarks.videoif.starter.draft import Ask, Request
from ifbench.benchmarks.videoif.starter.semantic_demands import broken_by
from ifbench.benchmarks.videoif.starter.sentences import (
    NUMBER_WORDS,
    adding,
    bullets,
    clock,
    numbers,
    of_kind,
    replacing,
    rows,
    sentence,
    swapping_lines,
    table,
    texts,
    the_fact,
    within,
)
from ifbench.benchmarks.videoif.starter.videos import HALL, WORKSHOP


def hall() -> Mapping[str, Request]:
    """Two lamps, a door, and knocks that open it."""
    switches = of_kind(HALL, "switch", subject="the left lamp")
    light = of_kind(HALL, "state", subject="the right lamp")[0]
    knocks = [fact for fact in of_kind(HALL, "sound") if fact.subject == "a knock"]
    sounds = within(of_kind(HALL, "sound"), 3, 8)
    opening = the_fact(HALL, "the door opens")
    return {
        "switches": Request(
            video=HALL,
            asks=(
                Ask(
                    task="Event Grounding",
                    words="When was the left lamp switched?",
                    keys=("the left lamp turned", "the left lamp turns"),
                ),
            ),
            demands=(
                meaning.transition_boundary(HALL, "the left lamp"),
                form.numbered_list(),
                form.in_order_of_time(0, 1),
                form.past_tense("turns"),
            ),
            answer=numbers(sentence(f"at {clock(fact.start_s)} {fact.past}") for fact in switches),
        ),
        "first_light": Request(
            video=HALL,
            asks=(
                Ask(
                    task="Occurrence Localization",
                    words="When is the right lamp on for the first time?",
                    keys=(light.text,),
                ),
            ),
            demands=(
                form.json_object("start", "end", "event"),
                broken_by(
                    meaning.segment_localization(
                        HALL, words="Write the start and the end as MM:SS, and say what lasts."
                    ),
                    replacing(f'"end": "{clock(light.end_s)}"', f'"end": "{clock(17)}"'),
                ),
            ),
            answer=json.dumps(
                {"start": clock(light.start_s), "end": clock(light.end_s), "event": light.text}
            ),
        ),
        "cause": Request(
            video=HALL,
            asks=(
                Ask(
                    task="Causal Reasoning",
                    words="Why does the door open?",
                    keys=(opening.text,),
                ),
            ),
            demands=(
                form.must_have("because", "as"),
                form.paragraphs(2),
                form.quotations_in_capitals(),
            ),
            answer=(
                f"{sentence(opening.text).rstrip('.')} because {NUMBER_WORDS[len(knocks)]} knocks "
                f"sound before it.\n\nThe picture says “{HALL.signs[0].words}”"
            ),
        ),
        "knocks": Request(
            video=HALL,
            asks=(
                Ask(
                    task="Counting",
                    words="How many knocks are heard?",
                    keys=("2", "3", "4", "5"),
                ),
            ),
            demands=(form.one_of("2", "3", "4", "5"),),
            answer=f"{len(knocks)}",
        ),
        "lamps": Request(
            video=HALL,
            asks=(
                Ask(
                    task="Attribute Recognition",
                    words="In which colour does each lamp shine?",
                    keys=tuple(lamp.colour for lamp in HALL.lamps),
                ),
            ),
            demands=(
                form.markdown_table(("lamp", "colour")),
                broken_by(form.must_not_have("door"), replacing("left lamp", "left lamp (door)")),
            ),
            answer=table(("lamp", "colour"), [(lamp.name, lamp.colour) for lamp in HALL.lamps]),
        ),
        "sounds": Request(
            video=HALL,
            asks=(
                Ask(
                    task="Local Temporal Understanding",
                    words="List what happens from 3 to 8 seconds.",
                    keys=("a knock sounds",),
                ),
            ),
            demands=(
                broken_by(
                    meaning.category_filter(HALL, "sounds", ("sound",)),
                    adding("the right lamp turns on"),
                ),
                broken_by(meaning.temporal_scope(HALL, 3, 8), adding("a bell rings")),
                form.bullet_list(),
                form.list_item_count(len(sounds)),
                meaning.temporal_granularity("clock"),
                form.must_not_have("silence"),
            ),
            answer=bullets(sentence(f"at {clock(fact.start_s)} {fact.text}") for fact in sounds),
        ),
    }


def workshop() -> Mapping[str, Request]:
    """A belt that starts on a beep."""
    moves = of_kind(WORKSHOP, "action", subject="the orange square")
    beeps = [fact for fact in of_kind(WORKSHOP, "sound") if fact.subject == "a beep"]
    events = [
        the_fact(WORKSHOP, words)
        for words in ("the start lamp turns on", "the white circle grows", "a whistle rises")
    ]
    delay = moves[1].start_s - beeps[1].start_s
    rule = WORKSHOP.signs[0].words.lower()
    return {
        "belt": Request(
            video=WORKSHOP,
            asks=(
                Ask(
                    task="Local Temporal Understanding",
                    words="List what the orange square does, with start and end.",
                    keys=("orange square slides",),
                ),
            ),
            demands=(
                meaning.event_stage(WORKSHOP, moves),
                broken_by(meaning.temporal_scope(WORKSHOP, 4, 19), adding("a whistle rises")),
                meaning.entity_filter(
                    WORKSHOP, "the orange square", lambda actor: actor.id == "square"
                ),
                form.bullet_list(),
                form.list_item_count(len(moves)),
                form.at_most_words(40),
                form.must_not_have("machine"),
            ),
            answer=bullets(rows(moves)),
        ),
        "sorting": Request(
            video=WORKSHOP,
            asks=(
                Ask(
                    task="Temporal Sorting",
                    words=(
                        f"Put these in their order: {events[2].text}; {events[0].text}; "
                        f"{events[1].text}."
                    ),
                    keys=tuple(texts(events)),
                ),
            ),
            demands=(
                broken_by(meaning.temporal_order_relation(WORKSHOP, events), swapping_lines(0, 2)),
                form.numbered_list(),
                form.list_item_count(len(events)),
            ),
            answer=numbers(map(sentence, texts(events))),
        ),
        "no_beep": Request(
            video=WORKSHOP,
            asks=(
                Ask(
                    task="Counterfactual Reasoning",
                    words="Would the belt have moved again without the second beep?",
                    keys=(rule,),
                ),
            ),
            demands=(
                form.json_object("reason", "answer"),
                broken_by(form.must_not_have("maybe"), replacing(rule, f"maybe {rule}")),
            ),
            answer=json.dumps({"reason": rule, "answer": "no"}),
        ),
        "why": Request(
            video=WORKSHOP,
            asks=(
                Ask(
                    task="Causal Reasoning",
                    words=f"Why does the square move at {moves[1].start_s} seconds?",
                    keys=("the square moves", "the orange square moves"),
                ),
            ),
            demands=(
                meaning.attribute_avoidance(replacing("The square", "The orange square")),
                form.must_have("because", "as"),
                form.at_most_words(25),
            ),
            answer=(
                f"The square moves because a beep sounds {NUMBER_WORDS[delay]} "
                f"second{'s' if delay > 1 else ''} before it."
            ),
        ),
    }
