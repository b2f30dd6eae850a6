"""The 22 semantic constraints (Table 6), each with what the oracle decides and how it is broken."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from ifbench.benchmarks.videoif.starter.draft import Demand
from ifbench.benchmarks.videoif.starter.predicates import (
    COLOURS,
    coloured,
    denotations,
    has_none,
    has_times,
    keeps_to,
    localised,
    names_number,
    names_only,
    quotes_only,
    related,
    speakers_bound,
    speakers_placed,
    tells_all,
    tells_in_order,
    tells_only,
)
from ifbench.benchmarks.videoif.starter.scenes import (
    PAST,
    Actor,
    Fact,
    Video,
    distance_px,
    facts,
    relation,
    third,
)
from ifbench.benchmarks.videoif.starter.sentences import (
    Spoil,
    adding,
    clock,
    evidence,
    listed,
    of_kind,
    replacing,
)


def broken_by(demand: Demand, spoil: Spoil) -> Demand:
    """The same demand, broken in another way."""
    return replace(demand, spoil=spoil)


def for_task(demand: Demand, index: int) -> Demand:
    """The same demand, of one task only."""
    return replace(demand, scope=index)


# ── Time ─────────────────────────────────────────────────────────────────────────────


def temporal_scope(video: Video, start_s: int, end_s: int) -> Demand:
    window = f"between {clock(start_s)} and {clock(end_s)}"
    inside = [fact for fact in facts(video) if start_s <= fact.start_s < end_s]
    return Demand(
        name="temporal_scope",
        sentence=f"Use only what begins {window}.",
        question=f"Does the answer mention only what begins {window}?",
        params={"start_s": start_s, "end_s": end_s, "tolerance_s": 0},
        holds=keeps_to(video, start_s, end_s),
        spoil=adding(_stranger(video, inside).text),
        evidence=evidence(inside),
    )


def temporal_anchor(video: Video, anchor: Fact, side: str) -> Demand:
    """`side` is `before` or `after`."""
    bounds = (0, anchor.start_s) if side == "before" else (anchor.start_s + 1, video.seconds)
    inside = [fact for fact in facts(video) if bounds[0] <= fact.start_s < bounds[1]]
    limit = {"end_s": bounds[1]} if side == "before" else {"start_s": bounds[0]}
    return Demand(
        name="temporal_anchor",
        sentence=f"Mention only what begins {side} the moment when {anchor.text}.",
        question=f"Does the answer mention only what begins {side} {anchor.text}?",
        params={**limit, "tolerance_s": 0},
        holds=keeps_to(video, *bounds),
        spoil=adding(_stranger(video, inside).text),
        evidence=f"The moment is {clock(anchor.start_s)}. {evidence(inside)}",
    )


def temporal_order_relation(video: Video, order: Sequence[Fact]) -> Demand:
    """Broken by naming the last event first."""
    return Demand(
        name="temporal_order_relation",
        sentence="Tell the events in the order in which they begin, and keep that order.",
        question="Are the events told in the order in which they begin?",
        holds=tells_in_order(video, order),
        spoil=lambda text: f"{order[-1].text[:1].upper()}{order[-1].text[1:]}. {text}",
        evidence=evidence(order),
    )


def event_stage(video: Video, moves: Sequence[Fact]) -> Demand:
    """Only the course of a movement, not how it comes to an end."""
    ends = of_kind(video, "stop")
    return Demand(
        name="event_stage",
        sentence="Of each movement mention only its course, not how it comes to a stop.",
        question="Does the answer leave out how the movements come to a stop?",
        holds=tells_only(video, lambda fact: fact.kind != "stop"),
        spoil=adding(next(f for f in ends if f.subject == moves[-1].subject).text),
        evidence=f"Movements: {evidence(moves)}. Stops: {evidence(ends)}",
    )


def duration_constraint(video: Video, min_s: int) -> Demand:
    lasting = [fact for fact in facts(video) if fact.seconds >= min_s]
    return Demand(
        name="duration_constraint",
        sentence=f"Mention only what lasts at least {min_s} seconds.",
        question=f"Does everything that the answer mentions last at least {min_s} seconds?",
        params={"min_s": min_s},
        holds=tells_only(video, lambda fact: fact.seconds >= min_s),
        spoil=adding(_stranger(video, lasting).text),
        evidence=evidence(lasting),
    )


def temporal_granularity(unit: str) -> Demand:
    """`clock`, `seconds` or `shot`."""
    words = {
        "clock": ("as MM:SS", "Around 3 seconds in, it begins", r"\d\d:\d\d"),
        "seconds": ("in whole seconds", "It begins at 00:01", r"\d+ seconds"),
        "shot": ("by shot numbers", "It begins at 00:01", r"[Ss]hot \d"),
    }
    form, foreign, pattern = words[unit]
    others = "|".join(p for name, (_, _, p) in words.items() if name != unit)
    return Demand(
        name="temporal_granularity",
        sentence=f"Give times {form} only.",
        question=f"Are all times in the answer given {form}?",
        params={"unit": unit},
        holds=lambda text: bool(re.search(pattern, text)) and not re.search(others, text),
        spoil=adding(foreign),
    )


def transition_boundary(video: Video, subject: str) -> Demand:
    changes = of_kind(video, "switch", subject=subject)
    moment = clock(changes[-1].start_s)
    return Demand(
        name="transition_boundary",
        sentence=f"Include every moment at which {subject} changes, as MM:SS.",
        question=f"Does the answer give every moment at which {subject} changes?",
        holds=has_times(fact.start_s for fact in changes),
        spoil=replacing(moment, clock(changes[-1].start_s + 1)),
        evidence=evidence(changes),
    )


def segment_localization(video: Video, of: str = "event", words: str = "") -> Demand:
    """`words` asks for another form than a span before each event."""
    return Demand(
        name="segment_localization",
        sentence=words or f"Give the start and the end of each {of} as [MM:SS - MM:SS] before it.",
        question=f"Does each {of} have its right start and end?",
        holds=localised(video),
        spoil=lambda text: re.sub(r" - (\d\d):(\d\d)\]", r" - \1:59]", text, count=1),
        evidence=evidence(facts(video)),
    )


# ── Space ────────────────────────────────────────────────────────────────────────────


def spatial_region_restriction(video: Video, region: str) -> Demand:
    """A third of the picture; actors that leave it are not within it."""
    inside = [a.noun for a in video.actors if _thirds(video, a) == {region}]
    return Demand(
        name="spatial_region_restriction",
        sentence=f"Mention only shapes that stay on the {region} of the picture.",
        question=f"Does the answer name only shapes that stay on the {region}?",
        holds=names_only(video, inside),
        spoil=adding(_about_another(video, inside)),
        evidence=f"On the {region} stay {listed(inside)}.",
    )


def _thirds(video: Video, actor: Actor) -> set[str]:
    return {third(video, p.x) for p in (actor.at, *(a.to for a in actor.acts if a.to))}


def relative_spatial_relation(video: Video, reference: Actor, at_s: int) -> Demand:
    right = _relations(video, reference, at_s)
    return Demand(
        name="relative_spatial_relation",
        sentence=(
            f"Say of each shape whether it is left of, right of, above or below "
            f"{reference.noun} at {at_s} seconds."
        ),
        question=f"Is each shape placed rightly relative to {reference.noun}?",
        params={"terms": ["left of", "right of", "above", "below"]},
        holds=related(video, reference, at_s),
        spoil=_wrong_side,
        evidence=" ".join(f"{noun} is {where} it." for noun, where in right.items()),
    )


def viewpoint_condition(video: Video, reference: Actor, at_s: int) -> Demand:
    return Demand(
        name="viewpoint_condition",
        sentence="Describe left and right as seen by somebody who looks from behind the picture.",
        question="Do left and right hold for somebody who looks from behind the picture?",
        holds=related(video, reference, at_s, mirrored=True),
        spoil=_wrong_side,
        evidence="From the front: "
        + " ".join(
            f"{noun} is {where} {reference.noun}."
            for noun, where in _relations(video, reference, at_s).items()
        ),
    )


def _relations(video: Video, reference: Actor, at_s: int) -> dict[str, str]:
    return {a.noun: relation(video, a, reference, at_s) for a in video.actors if a is not reference}


def _wrong_side(text: str) -> str:
    other = {"left of": "right of", "right of": "left of"}
    return re.sub("left of|right of", lambda found: other[found[0]], text, count=1)


# ── Entities and actions ─────────────────────────────────────────────────────────────


def category_filter(video: Video, words: str, kinds: Collection[str]) -> Demand:
    """Only facts of some kinds: sounds, texts, devices."""
    allowed = [fact for fact in facts(video) if fact.kind in kinds]
    return Demand(
        name="category_filter",
        sentence=f"Mention only {words}, nothing else.",
        question=f"Does the answer mention only {words}?",
        holds=tells_only(video, lambda fact: fact.kind in kinds),
        spoil=adding(_stranger(video, allowed).text),
        evidence=evidence(allowed),
    )


def entity_filter(video: Video, words: str, fits: Callable[[Actor], bool]) -> Demand:
    allowed = [actor.noun for actor in video.actors if fits(actor)]
    return Demand(
        name="entity_filter",
        sentence=f"Mention only {words}.",
        question=f"Does the answer name only {words}?",
        holds=names_only(video, allowed),
        spoil=adding(_about_another(video, allowed)),
        evidence=f"These are {listed(allowed)}.",
    )


def attribute_avoidance(spoil: Spoil) -> Demand:
    """No colour words."""
    return Demand(
        name="attribute_avoidance",
        sentence="Do not mention any colour.",
        question="Is the answer free of colour words?",
        params={"terms": COLOURS},
        holds=has_none(COLOURS),
        spoil=spoil,
    )


def attribute_mention_requirement(video: Video) -> Demand:
    def spoil(text: str) -> str:
        shapes = "|".join({actor.shape for actor in video.actors})
        return re.sub(rf"(?:{'|'.join(COLOURS)}) ({shapes})", r"\1", text, count=1)

    colours = [f"The {actor.shape} is {actor.colour}." for actor in video.actors]
    return Demand(
        name="attribute_mention_requirement",
        sentence="Give the colour of each shape wherever you mention it.",
        question="Is each shape mentioned with its right colour?",
        params={"terms": COLOURS},
        holds=coloured(video),
        spoil=spoil,
        evidence=" ".join(colours),
    )


def action_relative_selection(video: Video, verb: str, words: str) -> Demand:
    allowed = sorted({f.subject for f in of_kind(video, "action") if f.verb == verb})
    return Demand(
        name="action_relative_selection",
        sentence=f"Mention only shapes that {words}.",
        question=f"Does the answer name only shapes that {words}?",
        holds=names_only(video, allowed),
        spoil=adding(_about_another(video, allowed)),
        evidence=f"These are {listed(allowed)}.",
    )


def action_mention_requirement(video: Video, noun: str) -> Demand:
    acts = of_kind(video, "action", subject=noun)

    last = acts[-1].verb

    return Demand(
        name="action_mention_requirement",
        sentence=f"Include everything that {noun} does.",
        question=f"Are all actions of {noun} mentioned?",
        holds=tells_all(video, acts),
        spoil=lambda text: re.sub(rf"(?<!\w)(?:{last}|{PAST[last]})(?!\w)", "rests", text),
        evidence=evidence(acts),
    )


def action_avoidance(video: Video, verb: str, words: str) -> Demand:
    hidden = [f for f in of_kind(video, "action") if f.verb == verb]
    return Demand(
        name="action_avoidance",
        sentence=f"Do not mention that any shape {words}.",
        question=f"Does the answer leave out that any shape {words}?",
        params={"terms": [words]},
        holds=has_none((verb, PAST[verb])),
        spoil=adding(hidden[0].text),
        evidence=evidence(hidden),
    )


def counting_scope(video: Video, count: int, spoil: Spoil) -> Demand:
    return Demand(
        name="counting_scope",
        sentence=f"Name exactly {count} shapes.",
        question=f"Does the answer name exactly {count} shapes?",
        params={"n": count},
        holds=names_number(video, count),
        spoil=spoil,
        evidence=f"The shapes are {listed([actor.noun for actor in video.actors])}.",
    )


# ── Speech and sources ───────────────────────────────────────────────────────────────


def source_restriction(video: Video) -> Demand:
    """Only text on screen is quoted."""
    said = video.lines[0].words if video.lines else "Hello."
    return Demand(
        name="source_restriction",
        sentence="Quote only text that is shown on the picture, and nothing that is said.",
        question="Is everything that is quoted shown as text on the picture?",
        holds=quotes_only(sign.words for sign in video.signs),
        spoil=lambda text: f"{text} One hears “{said.upper()}”",
        evidence=evidence(of_kind(video, "text")),
    )


def speaker_speech_binding(video: Video) -> Demand:
    """Broken by giving the first quoted line to another speaker."""
    first = video.actor(video.lines[0].speaker).name
    other = next(a.name for a in video.actors if a.name not in {"", first})
    return Demand(
        name="speaker_speech_binding",
        sentence="Bind every quoted line to its speaker by name.",
        question="Is every quoted line bound to its right speaker?",
        holds=speakers_bound(video),
        spoil=replacing(first, other),
        evidence=evidence(of_kind(video, "speech")),
    )


def speaker_localization_constraint(video: Video) -> Demand:
    """Broken by another place of the first speaker."""
    wrong = {"left": "center", "center": "right", "right": "left"}
    first = third(video, video.actor(video.lines[0].speaker).at.x)
    places = [
        f"{actor.noun} is on the {third(video, actor.at.x)}."
        for actor in video.actors
        if actor.name
    ]
    return Demand(
        name="speaker_localization_constraint",
        sentence="For each quoted line say whether its speaker is on the left, center or right.",
        question="Is the speaker of each quoted line placed rightly?",
        holds=speakers_placed(video),
        spoil=replacing(f"({first})", f"({wrong[first]})"),
        evidence=" ".join(places),
    )


# ── Breaking ─────────────────────────────────────────────────────────────────────────


def _stranger(video: Video, allowed: Collection[Fact]) -> Fact:
    """The fact that an answer should not tell: an action where there is one."""
    known = {fact.text for fact in allowed}
    others = [fact for fact in facts(video) if fact.text not in known and fact.kind != "shot"]
    return next((fact for fact in others if fact.kind == "action"), others[0])


def _about_another(video: Video, allowed: Collection[str]) -> str:
    other = next(noun for noun in denotations(video) if noun not in allowed)
    return f"{other} is there too"


def nearest_first(video: Video, reference: Actor, at_s: int) -> list[Actor]:
    """The other actors by their distance from one."""
    others = [actor for actor in video.actors if actor is not reference]
    return sorted(others, key=lambda actor: distance_px(video, actor, reference, at_s))
