"""Requests about lamps, doors, signs, sounds and changes of scene."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ifbench.benchmarks.videoif.starter import format_demands as form
from ifbench.benchmarks.videoif.starter import semantic_demands as meaning
from ifbench.benchmarks.videoif.starter.draft import Ask, Request
from ifbench.benchmarks.videoif.starter.scenes import Fact
from ifbench.benchmarks.videoif.starter.semantic_demands import broken_by
from ifbench.benchmarks.videoif.starter.sentences import (
    Spoil,
    adding,
    bullets,
    clock,
    listed,
    numbers,
    of_kind,
    prose,
    replacing,
    rows,
    sentence,
    span,
    swapping_lines,
    table,
    texts,
    the_fact,
    within,
)
from ifbench.benchmarks.videoif.starter.videos import HALL, JOURNEY, STREET, WORKSHOP

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")


def adding_row(fact: Fact) -> Spoil:
    """One fact more, with its span."""
    return adding(f"{span(fact)} {fact.text[:1].upper()}{fact.text[1:]}")


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
                f"{sentence(opening.text).rstrip('.')} because {NUMBERS[len(knocks)]} knocks "
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


def journey() -> Mapping[str, Request]:
    """Three places, a shape in each."""
    acts = of_kind(JOURNEY, "action")
    long_acts = [fact for fact in acts if fact.seconds >= 2]
    spin = next(fact for fact in acts if fact.seconds < 2)
    shots = of_kind(JOURNEY, "shot")
    whistle = the_fact(JOURNEY, "a whistle rises")
    early = [fact for fact in acts if fact.start_s < whistle.start_s]
    bare = [fact.text.replace("the white square", "the square") for fact in early]
    signs = [f"“{sign.words.upper()}” from {clock(sign.start_s)}" for sign in JOURNEY.signs]
    return {
        "places": Request(
            video=JOURNEY,
            asks=(
                Ask(
                    task="Scene Description",
                    words="Describe the places of the journey.",
                    keys=tuple(f"the {shot.place}" for shot in JOURNEY.shots),
                ),
            ),
            demands=(
                meaning.temporal_granularity("shot"),
                form.title(),
                form.paragraphs(len(shots)),
                meaning.attribute_avoidance(adding("it is blue there")),
            ),
            answer="# Places on the way\n\n" + "\n\n".join(map(sentence, texts(shots))),
        ),
        "dense": Request(
            video=JOURNEY,
            asks=(
                Ask(
                    task="Dense Captioning",
                    words="Give a detailed account of all that the shapes do.",
                    keys=tuple(texts(long_acts)),
                ),
            ),
            demands=(
                form.bullet_list(),
                form.list_item_count(len(long_acts)),
                meaning.segment_localization(JOURNEY, "action"),
                form.in_order_of_time(0, 1),
                broken_by(meaning.duration_constraint(JOURNEY, 2), adding_row(spin)),
                meaning.attribute_mention_requirement(JOURNEY),
                form.must_not_have("camera"),
                form.at_most_words(80),
                form.language("English", "Das ist alles, was auf dieser Reise zu sehen ist"),
            ),
            answer=bullets(rows(long_acts)),
        ),
        "meadow": Request(
            video=JOURNEY,
            asks=(
                Ask(
                    task="Action Recognition",
                    words="Say what the shapes do.",
                    keys=("square slides",),
                ),
            ),
            demands=(
                broken_by(
                    meaning.temporal_anchor(JOURNEY, whistle, "before"), adding("the star jumps")
                ),
                meaning.attribute_avoidance(replacing("The square", "The white square")),
            ),
            answer=prose(bare),
        ),
        "signs": Request(
            video=JOURNEY,
            asks=(
                Ask(
                    task="Text Recognition (OCR)",
                    words="Which words are written on the picture, and from when on?",
                    keys=tuple(sign.words for sign in JOURNEY.signs),
                ),
            ),
            demands=(
                form.quotations_in_capitals(),
                form.bullet_list(),
                form.in_order_of_time(1, 2),
                form.times_as_clock(adding("The film begins at 0:00")),
            ),
            answer=bullets(f"{line}." for line in signs),
        ),
    }


SPANISH = {
    "red": "rojo", "yellow": "amarillo", "square": "cuadrado", "diamond": "rombo",
    "right": "derecha", "left": "izquierda",
}  # fmt: skip


def street() -> Mapping[str, Request]:
    """Lights, and shapes that pass."""
    order = sorted(STREET.actors, key=lambda actor: actor.shown.start_s)
    nouns = [actor.noun for actor in order]
    slides = [fact for fact in of_kind(STREET, "action") if fact.verb == "slides"]
    right = [fact.subject for fact in slides if fact.rest == "to the right"]
    changes = of_kind(STREET, "switch", subject="the red light")
    passing = []
    for fact in slides[:2]:
        colour, shape = fact.subject.split()[1:]
        side = fact.rest.split()[-1]
        passing.append(
            f"un {SPANISH[shape]} {SPANISH[colour]} cruza la calle hacia la {SPANISH[side]}"
        )
    return {
        "parade": Request(
            video=STREET,
            asks=(
                Ask(
                    task="Attribute Recognition",
                    words="Which shapes of which colours pass through the street?",
                    keys=("one sees",),
                ),
            ),
            demands=(
                form.in_order_of_names(
                    STREET,
                    nouns,
                    "by when they first appear",
                    lambda text: (
                        text.replace(nouns[0], "…")
                        .replace(nouns[1], nouns[0])
                        .replace("…", nouns[1])
                    ),
                ),
                meaning.attribute_mention_requirement(STREET),
            ),
            answer=sentence(f"one sees {listed(nouns)}"),
        ),
        "two": Request(
            video=STREET,
            asks=(
                Ask(
                    task="Counting",
                    words="How many shapes slide to the right, and which?",
                    keys=("slide to the right",),
                ),
            ),
            demands=(
                meaning.counting_scope(STREET, len(right), adding("the white circle rests")),
                form.at_most_words(25),
                broken_by(
                    form.must_have(NUMBERS[len(right)], ""),
                    replacing(NUMBERS[len(right)].capitalize(), "Several"),
                ),
            ),
            answer=sentence(f"{NUMBERS[len(right)]} shapes, {listed(right)}, slide to the right"),
        ),
        "red_light": Request(
            video=STREET,
            asks=(
                Ask(
                    task="Event Grounding",
                    words="When does the red light change?",
                    keys=("the red light turns",),
                ),
            ),
            demands=(
                meaning.transition_boundary(STREET, "the red light"),
                form.times_as_clock(adding("the film begins at 0:00")),
                form.must_not_have("green"),
            ),
            answer=prose(f"at {clock(fact.start_s)} {fact.text}" for fact in changes),
        ),
        "spanish": Request(
            video=STREET,
            asks=(
                Ask(
                    task="Video Summarization",
                    words="Summarize the first half of the film.",
                    keys=("cruza la calle",),
                ),
            ),
            demands=(
                form.language(
                    "Spanish", "The lights of the street change while the shapes pass by"
                ),
                form.paragraphs(1),
                broken_by(
                    form.at_most_words(45),
                    adding("y así sigue la historia de la calle, " * 6 + "hasta el final"),
                ),
            ),
            answer=prose(passing),
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
                f"The square moves because a beep sounds {NUMBERS[delay]} "
                f"second{'s' if delay > 1 else ''} before it."
            ),
        ),
    }
