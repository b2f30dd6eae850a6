"""Requests about speakers: what they say, when, from where, and how they look."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ifbench.benchmarks.videoif.starter import format_demands as form
from ifbench.benchmarks.videoif.starter import semantic_demands as meaning
from ifbench.benchmarks.videoif.starter.draft import Ask, Request
from ifbench.benchmarks.videoif.starter.scenes import Fact, Video, facts, third
from ifbench.benchmarks.videoif.starter.semantic_demands import broken_by
from ifbench.benchmarks.videoif.starter.sentences import (
    NUMBER_WORDS,
    adding,
    bullets,
    clock,
    listed,
    numbers,
    of_kind,
    prose,
    replacing,
    sentence,
    span,
    table,
    the_fact,
)
from ifbench.benchmarks.videoif.starter.videos import KITCHEN, LESSON, NEWSROOM


def placed(video: Video, fact: Fact) -> str:
    """A line with the place of its speaker behind it."""
    actor = next(actor for actor in video.actors if actor.noun == fact.subject)
    return f"{fact.text} ({third(video, actor.at.x)})"


def newsroom() -> Mapping[str, Request]:
    """Three speakers of the news."""
    lines = of_kind(NEWSROOM, "speech")
    smile = of_kind(NEWSROOM, "mood", subject="Ada")[0]
    greeting = next(f for f in lines if f.subject == "Ada" and smile.start_s <= f.start_s)
    storm = next(fact for fact in lines if "storm" in fact.rest)
    cleo = next(actor for actor in NEWSROOM.actors if actor.noun == storm.subject)
    return {
        "dialogue": Request(
            video=NEWSROOM,
            asks=(
                Ask(
                    task="Dialogue Recognition",
                    words="Write down what is said.",
                    keys=tuple(line.words for line in NEWSROOM.lines if line.speaker == "ben"),
                ),
            ),
            demands=(
                meaning.speaker_speech_binding(NEWSROOM),
                meaning.speaker_localization_constraint(NEWSROOM),
                meaning.segment_localization(NEWSROOM, "line"),
                form.bullet_list(),
                form.list_item_count(len(lines)),
                meaning.temporal_granularity("clock"),
                form.in_order_of_time(1, 2),
                form.must_not_have("anchor"),
            ),
            answer=bullets(f"{span(fact)} {placed(NEWSROOM, fact)}" for fact in lines),
        ),
        "signs": Request(
            video=NEWSROOM,
            asks=(
                Ask(
                    task="Text Recognition (OCR)",
                    words="What does one learn about the programme?",
                    keys=tuple(sign.words for sign in NEWSROOM.signs),
                ),
            ),
            demands=(
                meaning.source_restriction(NEWSROOM),
                form.quotations_in_capitals(),
                form.at_most_words(30),
            ),
            answer=" ".join(f"The picture shows “{sign.words}”." for sign in NEWSROOM.signs),
        ),
        "ada": Request(
            video=NEWSROOM,
            asks=(
                Ask(
                    task="Emotion Recognition",
                    words="How does Ada feel at the beginning?",
                    keys=("smile", "smiles"),
                ),
            ),
            demands=(form.first_person("Ada"), form.paragraphs(1), form.at_most_words(30)),
            answer=f"I {smile.verb.removesuffix('s')} while I say {greeting.rest}",
        ),
        "turns": Request(
            video=NEWSROOM,
            asks=(
                Ask(
                    task="Audio Change",
                    words="How does the speaker change over time?",
                    keys=("speaker",),
                ),
            ),
            demands=(
                form.markdown_table(("start", "end", "speaker")),
                form.in_order_of_time(2, 3),
                broken_by(
                    meaning.temporal_granularity("clock"),
                    replacing(clock(lines[0].start_s), f"{lines[0].start_s} seconds"),
                ),
            ),
            answer=table(
                ("start", "end", "speaker"),
                [(clock(f.start_s), clock(f.end_s), f.subject) for f in lines],
            ),
        ),
        "storm": Request(
            video=NEWSROOM,
            asks=(
                Ask(
                    task="Speech Source Recognition",
                    words="Who on the picture brings the news of the storm, in which words?",
                    keys=("A storm is coming",),
                ),
            ),
            demands=(
                broken_by(
                    meaning.speaker_localization_constraint(NEWSROOM),
                    replacing("(center)", "(left)"),
                ),
                broken_by(
                    meaning.speaker_speech_binding(NEWSROOM), replacing("Cleo says", "Ada says")
                ),
                meaning.attribute_mention_requirement(NEWSROOM),
            ),
            answer=(f"{placed(NEWSROOM, storm)}. {cleo.name} is the {cleo.colour} {cleo.shape}."),
        ),
    }


def lesson() -> Mapping[str, Request]:
    """A teacher, a pupil and a sum."""
    lines = of_kind(LESSON, "speech")
    result = of_kind(LESSON, "text")[1]
    meanwhile = next(f for f in lines if f.start_s <= result.start_s < f.end_s)
    frown = next(fact for fact in of_kind(LESSON, "mood") if fact.verb == "frowns")
    smile = next(fact for fact in of_kind(LESSON, "mood") if fact.verb == "smiles")
    guess = next(fact for fact in lines if fact.subject == "Eli")
    following = lines[lines.index(guess) + 1]
    guessed, right = (
        next(n for n, word in enumerate(NUMBER_WORDS) if word in fact.rest)
        for fact in (guess, meanwhile)
    )
    return {
        "result": Request(
            video=LESSON,
            asks=(
                Ask(
                    task="Audio-Visual Temporal Alignment",
                    words="Which line is being spoken when the result is written on the board?",
                    keys=("It is five",),
                ),
            ),
            demands=(
                broken_by(meaning.speaker_speech_binding(LESSON), replacing("Eli", "Dana")),
                form.must_have("while", "as"),
                form.at_most_words(25),
            ),
            answer=sentence(f"{meanwhile.text} while {result.text}"),
        ),
        "difference": Request(
            video=LESSON,
            asks=(
                Ask(
                    task="Multi-hop Reasoning",
                    words="By how much was the pupil's first answer off the result on the board?",
                    keys=("difference",),
                ),
            ),
            demands=(form.json_object("difference", "first", "result"),),
            answer=json.dumps(
                {"difference": abs(guessed - right), "first": guessed, "result": right}
            ),
        ),
        "faces": Request(
            video=LESSON,
            asks=(
                Ask(
                    task="Emotion Recognition",
                    words="How did the faces look?",
                    keys=("frowned", "frowns"),
                ),
            ),
            demands=(
                broken_by(
                    meaning.entity_filter(LESSON, "who frowned", lambda a: a.noun == frown.subject),
                    adding(smile.past),
                ),
                form.past_tense("frowns"),
            ),
            answer=sentence(frown.past),
        ),
        "following": Request(
            video=LESSON,
            asks=(
                Ask(
                    task="Temporal Adjacent Retrieval",
                    words="What is said right after the pupil's first guess?",
                    keys=("Count once more",),
                ),
            ),
            demands=(
                meaning.temporal_anchor(LESSON, guess, "after"),
                form.at_most_words(30),
                form.must_not_have("teacher"),
            ),
            answer=sentence(following.text),
        ),
    }


def kitchen() -> Mapping[str, Request]:
    """Two things go into a pot; two people speak of the soup."""
    signs = [sign.words.lower() for sign in KITCHEN.signs]
    movers = [f.subject for f in facts(KITCHEN) if f.kind == "action" and f.verb == "slides"]
    people = [actor.name for actor in KITCHEN.actors if actor.name]
    gus = the_fact(KITCHEN, "Gus says “It smells wonderful.”")
    fay = of_kind(KITCHEN, "speech", subject="Fay")
    return {
        "summary": Request(
            video=KITCHEN,
            asks=(
                Ask(
                    task="Video Summarization",
                    words="Sum up the film.",
                    keys=("in the kitchen",),
                ),
            ),
            demands=(
                form.title(4),
                form.paragraphs(2),
                form.at_most_words(45),
                form.must_not_have("camera", "scene"),
                meaning.attribute_mention_requirement(KITCHEN),
            ),
            answer=(
                f"# Soup for two\n\nIn the kitchen, {listed(movers)} slide to the pot.\n\n"
                f"At the table, {listed(people)} speak about the soup."
            ),
        ),
        "soup": Request(
            video=KITCHEN,
            asks=(
                Ask(
                    task="Multi-hop Reasoning",
                    words="What is in the soup that is praised at the end?",
                    keys=tuple(signs),
                ),
            ),
            demands=(
                form.numbered_list(),
                form.list_item_count(len(signs)),
                form.must_not_have("soup"),
            ),
            answer=numbers(map(sentence, signs)),
        ),
        "gus": Request(
            video=KITCHEN,
            asks=(
                Ask(
                    task="Dialogue Recognition",
                    words="What does Gus say about the soup?",
                    keys=("It smells wonderful",),
                ),
            ),
            demands=(form.first_person("Gus"), form.must_have("nose", "senses")),
            answer=f"I follow my nose and say {gus.rest}",
        ),
        "fay": Request(
            video=KITCHEN,
            asks=(
                Ask(
                    task="Event Grounding",
                    words="When does Fay speak, and what does she say?",
                    keys=("Please take a spoon", "The soup is ready"),
                ),
            ),
            demands=(
                meaning.segment_localization(KITCHEN, "line"),
                broken_by(
                    meaning.entity_filter(KITCHEN, "Fay", lambda actor: actor.name == "Fay"),
                    adding("Gus is there too"),
                ),
            ),
            answer=prose(f"{span(fact)} {fact.text}" for fact in fay),
        ),
    }
