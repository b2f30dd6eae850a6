"""Requests about changes of scene, and about what passes through a street."""

from __future__ import annotations

from collections.abc import Mapping

from ifbench.benchmarks.videoif.starter import format_demands as form
from ifbench.benchmarks.videoif.starter import semantic_demands as meaning
from ifbench.benchmarks.videoif.starter.draft import Ask, Request
from ifbench.benchmarks.videoif.starter.scenes import Fact
from ifbench.benchmarks.videoif.starter.semantic_demands import broken_by
from ifbench.benchmarks.videoif.starter.sentences import (
    NUMBER_WORDS,
    Spoil,
    adding,
    bullets,
    clock,
    listed,
    of_kind,
    prose,
    replacing,
    rows,
    sentence,
    span,
    texts,
    the_fact,
)
from ifbench.benchmarks.videoif.starter.videos import JOURNEY, STREET


def adding_row(fact: Fact) -> Spoil:
    """One fact more, with its span."""
    return adding(f"{span(fact)} {fact.text[:1].upper()}{fact.text[1:]}")


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
                    words=(
                        "How many shapes are there in the whole film? Name those that slide to "
                        "the right."
                    ),
                    keys=("slide to the right",),
                ),
            ),
            demands=(
                meaning.counting_scope(STREET, len(right), adding("the white circle rests")),
                form.at_most_words(25),
                form.must_not_have("colour"),
            ),
            answer=sentence(
                f"of the {NUMBER_WORDS[len(STREET.actors)]} shapes, {listed(right)} slide to the right"
            ),
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
