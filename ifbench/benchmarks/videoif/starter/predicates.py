"""What an answer says, held against the facts of a drawn video: the oracle behind `checker`.

It reads the plain sentences that the starter's own answers are made of. It is exact on these and
on their perturbations; it is no judge of free prose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache
from typing import TypeAlias

from ifbench.benchmarks.videoif.starter.scenes import (
    PAST,
    Actor,
    Fact,
    Video,
    facts,
    relation,
    third,
)

Claim: TypeAlias = Callable[[str], bool]
"""Whether an answer obeys one item."""

COLOURS = (
    "red", "blue", "green", "yellow", "white", "black", "grey", "orange", "purple",
)  # fmt: skip
MIRRORED = {"left of": "right of", "right of": "left of", "above": "above", "below": "below"}


# ── Reading an answer ────────────────────────────────────────────────────────────────


def plain(text: str) -> str:
    """Without marks, case and line breaks."""
    return " ".join(re.sub(r"[*_`#|]", " ", text).casefold().split())


def has_words(text: str, words: str) -> bool:
    """Whether words stand in a text, not as a part of longer ones."""
    return re.search(rf"(?<!\w){re.escape(plain(words))}(?!\w)", plain(text)) is not None


def passages(text: str) -> list[str]:
    """Lines, cut at the ends of sentences."""
    pieces = (re.split(r"(?<=[.!?”])\s+(?=[A-Z“\[])", line) for line in text.splitlines())
    return [piece.strip() for line in pieces for piece in line if piece.strip()]


def clock_times(text: str) -> list[int]:
    """Times as MM:SS, in seconds."""
    return [int(m) * 60 + int(s) for m, s in re.findall(r"(?<![\d:])(\d\d):(\d\d)(?![\d:])", text)]


def spans(text: str) -> list[tuple[int, int]]:
    """Two clock times that belong together: around a dash, or as `start` and `end`."""
    found = re.findall(
        r"(\d\d:\d\d)(?:\s*[-–]\s*|\"?\s*,\s*\"end\"\s*:\s*\"?|\s*\|\s*)(\d\d:\d\d)", text
    )
    return [(clock_times(a)[0], clock_times(b)[0]) for a, b in found]


def quotations(text: str) -> list[str]:
    """What stands in curly quotation marks."""
    return re.findall(r"“([^“”]*)”", text)


@cache
def denotations(video: Video) -> dict[str, tuple[str, ...]]:
    """The words for each thing to be seen, by the noun that facts use."""
    shapes = [actor.shape for actor in video.actors]
    found = {}
    for actor in video.actors:
        words = [actor.name.casefold()] if actor.name else []
        words.append(f"{actor.colour} {actor.shape}")
        if shapes.count(actor.shape) == 1:
            words.append(actor.shape)
        found[actor.noun] = tuple(words)
    for name in (*(lamp.name for lamp in video.lamps), *(door.name for door in video.doors)):
        found[f"the {name}"] = (name,)
    return found


def named(video: Video, text: str) -> set[str]:
    """The nouns of all things that a text names; what stands in quotation marks names nothing."""
    outside = re.sub(r"“[^“”]*”", " ", text)
    return {
        noun
        for noun, words in denotations(video).items()
        if any(has_words(outside, word) for word in words)
    }


@cache
def wordings(video: Video, fact: Fact) -> frozenset[str]:
    """Every sentence by which an answer may tell a fact."""
    found = {plain(fact.text), plain(fact.past)}
    for noun, words in denotations(video).items():
        for sentence in tuple(found):
            if has_words(sentence, noun):
                found |= {sentence.replace(plain(noun), f"the {word}") for word in words}
    return frozenset(found)


def place_told(video: Video, text: str, fact: Fact) -> int:
    """Where a fact is first told; -1 where it is not."""
    read = plain(text)
    places = [read.find(wording) for wording in wordings(video, fact)]
    return min((place for place in places if place >= 0), default=-1)


def told(video: Video, text: str) -> list[Fact]:
    """The facts that a text tells."""
    return [fact for fact in facts(video) if place_told(video, text, fact) >= 0]


# ── Claims on facts and times ────────────────────────────────────────────────────────


def tells_only(video: Video, allowed: Callable[[Fact], bool]) -> Claim:
    """Something is told, and nothing that is not allowed. A fact that happens twice in the same
    words is allowed where one of them is.
    """

    def holds(text: str) -> bool:
        found = told(video, text)
        fine = {fact.text for fact in found if allowed(fact)}
        return bool(found) and all(fact.text in fine for fact in found)

    return holds


def tells_all(video: Video, wanted: Iterable[Fact]) -> Claim:
    """Each of these facts is told."""
    wanted = tuple(wanted)
    assert wanted, "nothing is asked for"
    return lambda text: all(place_told(video, text, fact) >= 0 for fact in wanted)


def tells_in_order(video: Video, wanted: Iterable[Fact]) -> Claim:
    """Each of these facts is told, and first told in this order."""
    wanted = tuple(wanted)

    def holds(text: str) -> bool:
        places = [place_told(video, text, fact) for fact in wanted]
        return min(places) >= 0 and places == sorted(places)

    return holds


def keeps_to(video: Video, start_s: int, end_s: int) -> Claim:
    """No fact begins, and no time lies, outside of a window."""
    only = tells_only(video, lambda fact: start_s <= fact.start_s < end_s)
    return lambda text: only(text) and all(start_s <= t <= end_s for t in clock_times(text))


def times_rise(text: str) -> bool:
    """The first clock times of the lines do not go back."""
    first = [times[0] for line in text.splitlines() if (times := clock_times(line))]
    return first == sorted(first)


def has_times(wanted: Iterable[int]) -> Claim:
    """Each of these moments is given."""
    wanted = set(wanted)
    return lambda text: wanted <= set(clock_times(text))


def localised(video: Video) -> Claim:
    """Each passage that tells a fact gives the span of one that it tells."""

    def holds(text: str) -> bool:
        seen = 0
        for passage in _rows(text):
            found = {(fact.start_s, fact.end_s) for fact in told(video, passage)}
            if not found:
                continue
            seen += 1
            if not any(span in found for span in spans(passage)):
                return False
        return seen > 0

    return holds


def _rows(text: str) -> list[str]:
    """Passages; JSON and tables are read line by line."""
    stripped = text.strip()
    return stripped.splitlines() if stripped[:1] in {"{", "|"} else passages(text)


# ── Claims on names ──────────────────────────────────────────────────────────────────


def names_only(video: Video, allowed: Collection[str]) -> Claim:
    """Something is named, and nothing but these."""
    return lambda text: bool(named(video, text)) and named(video, text) <= set(allowed)


def names_number(video: Video, count: int) -> Claim:
    """Exactly so many things are named."""
    return lambda text: len(named(video, text)) == count


def names_in_order(video: Video, nouns: Iterable[str]) -> Claim:
    """All of these are named, and first named in this order."""
    nouns = tuple(nouns)

    def holds(text: str) -> bool:
        read = plain(text)
        places = [
            min((p for w in denotations(video)[noun] if (p := read.find(w)) >= 0), default=-1)
            for noun in nouns
        ]
        return min(places) >= 0 and places == sorted(places)

    return holds


def has_none(words: Iterable[str]) -> Claim:
    """None of these words stands in the answer."""
    words = tuple(words)
    return lambda text: not any(has_words(text, word) for word in words)


def coloured(video: Video) -> Claim:
    """Each shape that is named is named with its colour."""
    known = {actor.shape: set[str]() for actor in video.actors}
    for actor in video.actors:
        known[actor.shape].add(actor.colour)

    def holds(text: str) -> bool:
        pairs = re.findall(rf"(\w+) ({'|'.join(known)})(?!\w)", plain(text))
        return all(colour in known[shape] for colour, shape in pairs)

    return holds


def labelled(video: Video, labels: Iterable[str]) -> Claim:
    """Things are called by these labels alone."""
    labels = tuple(labels)

    def holds(text: str) -> bool:
        return not named(video, text) and any(
            re.search(rf"(?<!\w){re.escape(label)}(?!\w)", text) for label in labels
        )

    return holds


# ── Claims on speech and quotations ──────────────────────────────────────────────────


def speakers_bound(video: Video) -> Claim:
    """Each line that is quoted stands in a passage that names its speaker and no other."""
    return _each_line(video, lambda passage, actor: named(video, passage) == {actor.noun})


def speakers_placed(video: Video) -> Claim:
    """Each line that is quoted stands beside the part of the picture that its speaker is in."""

    def fits(passage: str, actor: Actor) -> bool:
        outside = re.sub(r"“[^“”]*”", " ", passage)
        places = {word for word in ("left", "center", "right") if has_words(outside, word)}
        return places == {third(video, actor.at.x)}

    return _each_line(video, fits)


def _each_line(video: Video, fits: Callable[[str, Actor], bool]) -> Claim:
    speakers = {plain(line.words): video.actor(line.speaker) for line in video.lines}

    def holds(text: str) -> bool:
        found = [
            (passage, speakers[plain(words)])
            for passage in passages(text)
            for words in quotations(passage)
            if plain(words) in speakers
        ]
        return bool(found) and all(fits(passage, actor) for passage, actor in found)

    return holds


def quotes_only(allowed: Iterable[str]) -> Claim:
    """Something is quoted, and nothing but these."""
    known = {plain(words) for words in allowed}
    return lambda text: (
        bool(quotations(text)) and all(plain(words) in known for words in quotations(text))
    )


# ── Claims on space ──────────────────────────────────────────────────────────────────


def related(video: Video, reference: Actor, at_s: int, *, mirrored: bool = False) -> Claim:
    """Each shape that is named has its right place relative to a reference, and no wrong one."""
    right = {}
    for actor in video.actors:
        if actor is not reference:
            seen = relation(video, actor, reference, at_s)
            right[actor.noun] = MIRRORED[seen] if mirrored else seen

    def holds(text: str) -> bool:
        stated = dict(_relations(video, text, reference))
        others = named(video, text) - {reference.noun}
        return bool(others) and stated == {noun: right[noun] for noun in others}

    return holds


def _relations(video: Video, text: str, reference: Actor) -> Iterator[tuple[str, str]]:
    for passage in passages(text):
        for noun, words in denotations(video).items():
            for word in words:
                found = re.search(
                    rf"(?<!\w)the {word} is (left of|right of|above|below) "
                    rf"(?:{'|'.join('the ' + w for w in denotations(video)[reference.noun])})(?!\w)",
                    plain(passage),
                )
                if found:
                    yield noun, found[1]


# ── Claims on the form of language ───────────────────────────────────────────────────


def in_first_person(text: str) -> bool:
    """I and my; nobody is told of as he, she or they."""
    outside = re.sub(r"“[^“”]*”", " ", text)
    speaks = re.search(r"(?<!\w)(?:I|my|me)(?!\w)", outside) is not None
    return speaks and has_none(("he", "she", "they", "his", "her", "their"))(outside)


def in_past_tense(text: str) -> bool:
    """Verbs of facts stand in the past alone."""
    outside = re.sub(r"“[^“”]*”", " ", text)
    return has_none(PAST)(outside) and any(has_words(outside, verb) for verb in PAST.values())


def quotes_in_capitals(text: str) -> bool:
    """Something is quoted, and all in capital letters."""
    return bool(quotations(text)) and all(words == words.upper() for words in quotations(text))
