"""Requests about shapes that move, act on each other, and stand beside each other."""

from __future__ import annotations

from collections.abc import Mapping

from ifbench.benchmarks.videoif.starter import format_demands as form
from ifbench.benchmarks.videoif.starter import semantic_demands as meaning
from ifbench.benchmarks.videoif.starter.draft import Ask, Request
from ifbench.benchmarks.videoif.starter.predicates import MIRRORED
from ifbench.benchmarks.videoif.starter.scenes import relation
from ifbench.benchmarks.videoif.starter.semantic_demands import broken_by
from ifbench.benchmarks.videoif.starter.sentences import (
    adding,
    bullets,
    listed,
    numbers,
    of_kind,
    prose,
    replacing,
    rows,
    sentence,
    swapping_lines,
    texts,
    the_fact,
    within,
)
from ifbench.benchmarks.videoif.starter.videos import GARDEN, MATCH, STAGE

GERMAN = "Das ist alles, was in diesem kurzen Film zu sehen und zu hören ist"
"""A sentence in another language than English."""


def stage() -> Mapping[str, Request]:
    """Four shapes on a stage."""
    acts = of_kind(STAGE, "action")
    early = within(acts, 0, 10)
    jumpers = {fact.subject for fact in acts if fact.verb == "jumps"}
    slide = the_fact(STAGE, "the red circle slides to the right")
    jump = the_fact(STAGE, "the blue square jumps")
    spin = the_fact(STAGE, "the green triangle spins")
    side = "before" if slide.start_s < jump.start_s else "after"
    moments = [within(acts, start, start + 5)[0] for start in (0, 5, 10, 15)]
    captions = [row.rstrip(".") + " on the stage." for row in rows(moments)]
    return {
        "opening": Request(
            video=STAGE,
            asks=(
                Ask(
                    task="Event Recognition",
                    words="Tell what happens on the stage.",
                    keys=tuple(texts(early)),
                ),
            ),
            demands=(meaning.temporal_scope(STAGE, 0, 10),),
            answer=prose(texts(early)),
        ),
        "jumpers": Request(
            video=STAGE,
            asks=(
                Ask(
                    task="Action Recognition",
                    words="Say what the shapes do.",
                    keys=("square jumps", "circle jumps"),
                ),
            ),
            demands=(
                meaning.action_relative_selection(STAGE, "jumps", "jump"),
                form.bullet_list(),
            ),
            answer=bullets(sentence(f.text) for f in acts if f.subject in jumpers),
        ),
        "order": Request(
            video=STAGE,
            asks=(
                Ask(
                    task="Temporal Ordering",
                    words="Does the red circle slide before or after the blue square jumps?",
                    keys=(f"{side} {jump.text}",),
                ),
            ),
            demands=(
                meaning.temporal_order_relation(STAGE, (slide, jump)),
                form.at_most_words(20),
            ),
            answer=sentence(f"{slide.text} {side} {jump.text}"),
        ),
        "captions": Request(
            video=STAGE,
            asks=(
                Ask(
                    task="Segmented Captioning",
                    words=(
                        "Cut the video into four parts of five seconds, and caption the first "
                        "action that begins in each."
                    ),
                    keys=("on the stage", "on the podium"),
                ),
            ),
            demands=(
                form.title(4),
                form.numbered_list(),
                form.list_item_count(4),
                meaning.segment_localization(STAGE, "action"),
                form.in_order_of_time(3, 4),
                form.must_have("stage", "podium"),
                form.must_not_have("then", "next"),
                form.at_most_words(80),
                form.language("English", GERMAN),
                meaning.attribute_mention_requirement(STAGE),
            ),
            answer="# Four short moments\n\n" + numbers(captions),
        ),
        "spin": Request(
            video=STAGE,
            asks=(
                Ask(
                    task="Duration Estimation",
                    words="For how many seconds does the green triangle spin?",
                    keys=(f"{spin.seconds} s", f"{spin.seconds} seconds"),
                ),
            ),
            demands=(
                form.value_form(
                    "Answer with the number, a space and the letter s, and nothing else.",
                    "[0-9]+ s",
                    replacing(" s", " seconds"),
                ),
            ),
            answer=f"{spin.seconds} s",
        ),
    }


def match() -> Mapping[str, Request]:
    """Two shapes push a third one; a bell adds points."""
    pushes = [fact for fact in of_kind(MATCH, "action") if fact.verb == "pushes"]
    circle = of_kind(MATCH, "action", subject="the orange circle")
    told = sorted({*circle, *pushes}, key=lambda fact: fact.start_s)
    labels = {"the orange circle": "A", "the white square": "B", "the black diamond": "C"}
    bound = []
    for fact in pushes:
        words = fact.text
        for noun, label in labels.items():
            words = words.replace(noun, label)
        bound.append(words)
    points = int(MATCH.signs[0].words.split()[2])
    return {
        "pushes": Request(
            video=MATCH,
            asks=(
                Ask(
                    task="Entity Interaction Recognition",
                    words="How do the shapes act on each other?",
                    keys=("pushed", "pushes the black diamond", "pushes the diamond"),
                ),
            ),
            demands=(
                meaning.action_mention_requirement(MATCH, "the orange circle"),
                meaning.attribute_mention_requirement(MATCH),
                form.past_tense("pushes"),
            ),
            answer=prose(fact.past for fact in told),
        ),
        "labels": Request(
            video=MATCH,
            asks=(
                Ask(
                    task="Action-Entity Binding",
                    words="Who pushes whom?",
                    keys=("pushes C",),
                ),
            ),
            demands=(
                form.only_labels(MATCH, labels, replacing("A pushes", "The orange circle pushes")),
                broken_by(meaning.action_avoidance(MATCH, "jumps", "jumps"), adding("A jumps")),
            ),
            answer=prose(bound),
        ),
        "five_bells": Request(
            video=MATCH,
            asks=(
                Ask(
                    task="Knowledge Transfer",
                    words="By the rule that is shown, what would the score be after five bells?",
                    keys=("Glockenschlägen",),
                ),
            ),
            demands=(
                form.language("German", "The bell adds three points whenever it rings in the clip"),
                form.must_have("Punkte", "Zähler"),
            ),
            answer=(
                f"Jeder Schlag der Glocke bringt {points} Punkte. "
                f"Nach fünf Glockenschlägen stünden also {5 * points} Punkte auf der Tafel."
            ),
        ),
        "what_if": Request(
            video=MATCH,
            asks=(
                Ask(
                    task="Counterfactual Reasoning",
                    words=f"Would the last score be {3 * points} with one bell more?",
                    keys=("yes", "no", "unknown"),
                ),
            ),
            demands=(form.one_of("yes", "no", "unknown"),),
            answer="yes" if len(MATCH.sounds) + 1 == 3 else "no",
        ),
    }


def garden() -> Mapping[str, Request]:
    """Five shapes around a grey square."""
    square = GARDEN.actor("square")
    where = {
        actor.noun: relation(GARDEN, actor, square, 2)
        for actor in GARDEN.actors
        if actor is not square
    }
    placed = [f"{noun} is {side} the grey square" for noun, side in where.items()]
    behind = [f"{noun} is {MIRRORED[side]} the grey square" for noun, side in where.items()]
    rightward = [noun for noun, side in where.items() if side == "right of"]
    near = [actor.noun for actor in meaning.nearest_first(GARDEN, square, 2)]
    steps = ["nearest", "second", "third", "farthest"]
    ranked = [f"{step}: {noun}" for step, noun in zip(steps, near, strict=True)]
    return {
        "relations": Request(
            video=GARDEN,
            asks=(
                Ask(
                    task="Spatial Relationship Judgment",
                    words="Describe how the shapes are placed around the grey square.",
                    keys=tuple(placed),
                ),
            ),
            demands=(
                meaning.relative_spatial_relation(GARDEN, square, 2),
                form.bullet_list(),
                form.list_item_count(len(placed)),
            ),
            answer=bullets(map(sentence, placed)),
        ),
        "from_behind": Request(
            video=GARDEN,
            asks=(
                Ask(
                    task="Perspective-based Spatial Judgment",
                    words="Where is each shape relative to the grey square at 2 seconds?",
                    keys=tuple(f"{noun} is" for noun in where),
                ),
            ),
            demands=(
                meaning.viewpoint_condition(GARDEN, square, 2),
                form.at_most_words(60),
            ),
            answer=prose(behind),
        ),
        "rightward": Request(
            video=GARDEN,
            asks=(
                Ask(
                    task="Relative Direction Judgment",
                    words="Which shapes lie to the right of the middle one?",
                    keys=("lie to the right",),
                ),
            ),
            demands=(
                meaning.entity_filter(
                    GARDEN,
                    "shapes to the right of the grey square",
                    lambda actor: where.get(actor.noun) == "right of",
                ),
                form.paragraphs(1),
            ),
            answer=sentence(f"{listed(rightward)} lie to the right"),
        ),
        "distance": Request(
            video=GARDEN,
            asks=(
                Ask(
                    task="Relative Distance Comparison",
                    words="Rank the other shapes by their distance from the grey square.",
                    keys=("nearest", "farthest"),
                ),
            ),
            demands=(
                form.in_order_of_names(
                    GARDEN, near, "from nearest to farthest", swapping_lines(0, 1)
                ),
                form.numbered_list(),
                form.list_item_count(len(near)),
            ),
            answer=numbers(map(sentence, ranked)),
        ),
        "right_side": Request(
            video=GARDEN,
            asks=(
                Ask(
                    task="Entity Recognition",
                    words="Which shapes stand in the garden?",
                    keys=("there stand",),
                ),
            ),
            demands=(
                meaning.spatial_region_restriction(GARDEN, "right"),
                meaning.attribute_mention_requirement(GARDEN),
            ),
            answer=sentence(f"there stand {listed(rightward)}"),
        ),
    }
