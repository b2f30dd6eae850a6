"""A small language of drawn videos: what is to be seen and heard, and the facts that follow.

All spans are whole seconds, so that a time in an answer is right or wrong, never nearly right.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

Shape: TypeAlias = Literal["circle", "square", "triangle", "star", "diamond"]
Verb: TypeAlias = Literal["slides", "jumps", "spins", "grows", "pushes"]
SoundKind: TypeAlias = Literal["bell", "beep", "knock", "sweep"]
Kind: TypeAlias = Literal[
    "appear", "leave", "action", "stop", "mood", "switch", "state", "text", "shot", "sound",
    "speech",
]  # fmt: skip

PAST = {
    "slides": "slid", "jumps": "jumped", "spins": "spun", "grows": "grew", "pushes": "pushed",
    "appears": "appeared", "disappears": "disappeared", "stops": "stopped", "smiles": "smiled",
    "frowns": "frowned", "turns": "turned", "opens": "opened", "closes": "closed", "is": "was",
    "shows": "showed", "rings": "rang", "sounds": "sounded", "rises": "rose", "says": "said",
}  # fmt: skip
"""The past of every verb that a fact uses."""

SOUNDS: dict[SoundKind, tuple[str, str, str]] = {
    "bell": ("a bell", "rings", ""),
    "beep": ("a beep", "sounds", ""),
    "knock": ("a knock", "sounds", ""),
    "sweep": ("a whistle", "rises", ""),
}


class Point(NamedTuple):
    """A place on the picture, in pixels from its upper left corner."""

    x: int
    y: int


class Span(NamedTuple):
    """From a second up to another."""

    start_s: int
    end_s: int


# ── What a video is made of ──────────────────────────────────────────────────────────
# Scenes are long tables of these small values; keywords on each would hide the data.


@dataclass(frozen=True, slots=True)
class Act:
    """What an actor does for a while; slides and pushes lead to a place."""

    start_s: int
    end_s: int
    verb: Verb
    to: Point | None = None
    target: str = ""
    """The id of the actor that is pushed, and moves along."""


@dataclass(frozen=True, slots=True)
class Mood:
    """How a face looks for a while."""

    start_s: int
    end_s: int
    verb: Literal["smiles", "frowns"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """A coloured shape. One with a name has a face and may speak."""

    id: str
    colour: str
    shape: Shape
    at: Point
    shown: Span
    name: str = ""
    acts: tuple[Act, ...] = ()
    moods: tuple[Mood, ...] = ()

    @property
    def noun(self) -> str:
        """How facts call it."""
        return self.name or f"the {self.colour} {self.shape}"


@dataclass(frozen=True, slots=True)
class Lamp:
    """On within its spans, else off."""

    name: str
    colour: str
    at: Point
    on: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Door:
    """Open within its spans, else closed."""

    name: str
    at: Point
    open: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Sign:
    """Words on the picture."""

    words: str
    start_s: int
    end_s: int
    at: Point


@dataclass(frozen=True, slots=True)
class Shot:
    """A stretch between two cuts, before one background."""

    start_s: int
    end_s: int
    place: str
    sky: str
    ground: str


@dataclass(frozen=True, slots=True)
class Sound:
    """A sound of one second."""

    kind: SoundKind
    at_s: int


@dataclass(frozen=True, slots=True)
class Line:
    """What an actor says; the subtitles hold the words, the sound track a voice-like tone."""

    speaker: str
    """The actor's id."""
    words: str
    start_s: int
    end_s: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Video:
    """All that is to be seen and heard."""

    id: str
    domain: str
    seconds: int
    shots: tuple[Shot, ...]
    actors: tuple[Actor, ...] = ()
    lamps: tuple[Lamp, ...] = ()
    doors: tuple[Door, ...] = ()
    signs: tuple[Sign, ...] = ()
    sounds: tuple[Sound, ...] = ()
    lines: tuple[Line, ...] = ()
    width: int = 320
    height: int = 240
    fps: int = 10

    def actor(self, id: str) -> Actor:
        """The actor with an id. Raises `KeyError` for an unknown one."""
        return {actor.id: actor for actor in self.actors}[id]


# ── Where things are ─────────────────────────────────────────────────────────────────


def place_of(video: Video, actor: Actor, at_s: float) -> tuple[float, float]:
    """Where the middle of an actor is; a jump does not count as a change of place."""
    x, y = map(float, actor.at)
    for start, end, step_x, step_y in _moves(video, actor):
        share = min(max((at_s - start) / (end - start), 0.0), 1.0)
        x, y = x + step_x * share, y + step_y * share
    return x, y


def _moves(video: Video, actor: Actor) -> list[tuple[int, int, int, int]]:
    """Start, end and steps of each move, its own and those it is pushed to."""
    found = []
    for other in video.actors:
        x, y = other.at
        for act in other.acts:
            if act.to is None:
                continue
            if other is actor or act.target == actor.id:
                found.append((act.start_s, act.end_s, act.to.x - x, act.to.y - y))
            x, y = act.to
    return sorted(found)


def third(video: Video, x: float) -> str:
    """The part of the picture, by thirds of its width."""
    if x < video.width / 3:
        return "left"
    return "right" if x > video.width * 2 / 3 else "center"


def relation(video: Video, one: Actor, other: Actor, at_s: float) -> str:
    """`left of`, `right of`, `above` or `below`, as the viewer sees it, by the larger distance."""
    x, y = place_of(video, one, at_s)
    other_x, other_y = place_of(video, other, at_s)
    if abs(x - other_x) >= abs(y - other_y):
        return "left of" if x < other_x else "right of"
    return "above" if y < other_y else "below"


def distance_px(video: Video, one: Actor, other: Actor, at_s: float) -> float:
    """Between the middles of two actors."""
    x, y = place_of(video, one, at_s)
    other_x, other_y = place_of(video, other, at_s)
    return float(((x - other_x) ** 2 + (y - other_y) ** 2) ** 0.5)


# ── Facts ────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One thing that is true of a video, and when."""

    kind: Kind
    start_s: int
    end_s: int
    subject: str
    """What it is about, as an answer would call it."""
    verb: str
    rest: str = ""

    @property
    def text(self) -> str:
        """In the present tense, without a stop."""
        return f"{self.subject} {self.verb} {self.rest}".rstrip()

    @property
    def past(self) -> str:
        """The same in the past tense."""
        return f"{self.subject} {PAST[self.verb]} {self.rest}".rstrip()

    @property
    def seconds(self) -> int:
        return self.end_s - self.start_s


def facts(video: Video) -> tuple[Fact, ...]:
    """Every fact, in the order of time; those of one moment in the order of the scene."""
    found = [*_of_shots(video), *_of_signs(video), *_of_devices(video)]
    for actor in video.actors:
        found += [*_of_presence(video, actor), *_of_actor(video, actor)]
    found += [*_of_sound(video)]
    return tuple(sorted(found, key=lambda fact: (fact.start_s, fact.end_s)))


def _of_shots(video: Video) -> Iterator[Fact]:
    for number, shot in enumerate(video.shots, start=1):
        yield Fact(
            kind="shot",
            start_s=shot.start_s,
            end_s=shot.end_s,
            subject=f"shot {number}",
            verb="shows",
            rest=f"the {shot.place}",
        )


def _of_signs(video: Video) -> Iterator[Fact]:
    for sign in video.signs:
        yield Fact(
            kind="text",
            start_s=sign.start_s,
            end_s=sign.end_s,
            subject=f"the text “{sign.words}”",
            verb="is",
            rest="shown",
        )


def _of_devices(video: Video) -> Iterator[Fact]:
    for lamp in video.lamps:
        yield from _switches(video, f"the {lamp.name}", lamp.on, ("turns", "on"), ("turns", "off"))
    for door in video.doors:
        yield from _switches(video, f"the {door.name}", door.open, ("opens", ""), ("closes", ""))


def _switches(
    video: Video,
    subject: str,
    spans: tuple[Span, ...],
    begins: tuple[str, str],
    ends: tuple[str, str],
) -> Iterator[Fact]:
    state = begins[1] or "open"
    for start, end in spans:
        yield Fact(kind="state", start_s=start, end_s=end, subject=subject, verb="is", rest=state)
        for moment, (verb, rest) in ((start, begins), (end, ends)):
            if 0 < moment < video.seconds:
                yield Fact(
                    kind="switch",
                    start_s=moment,
                    end_s=moment + 1,
                    subject=subject,
                    verb=verb,
                    rest=rest,
                )


def _of_presence(video: Video, actor: Actor) -> Iterator[Fact]:
    start, end = actor.shown
    if start > 0:
        yield Fact(
            kind="appear", start_s=start, end_s=start + 1, subject=actor.noun, verb="appears"
        )
    if end < video.seconds:
        yield Fact(kind="leave", start_s=end, end_s=end + 1, subject=actor.noun, verb="disappears")


def _of_actor(video: Video, actor: Actor) -> Iterator[Fact]:
    for mood in actor.moods:
        yield Fact(
            kind="mood",
            start_s=mood.start_s,
            end_s=mood.end_s,
            subject=actor.noun,
            verb=mood.verb,
        )
    here = actor.at
    for act in actor.acts:
        rest = ""
        if act.to is not None:
            rest, here = f"to the {_side(here, act.to)}", act.to
        if act.target:
            rest = f"{video.actor(act.target).noun} {rest}"
        yield Fact(
            kind="action",
            start_s=act.start_s,
            end_s=act.end_s,
            subject=actor.noun,
            verb=act.verb,
            rest=rest,
        )
        if act.to is not None:
            yield Fact(
                kind="stop",
                start_s=act.end_s,
                end_s=act.end_s + 1,
                subject=actor.noun,
                verb="stops",
                rest=f"at the {third(video, act.to.x)}",
            )


def _side(start: Point, end: Point) -> str:
    if abs(end.x - start.x) >= abs(end.y - start.y):
        return "right" if end.x > start.x else "left"
    return "bottom" if end.y > start.y else "top"


def _of_sound(video: Video) -> Iterator[Fact]:
    for sound in video.sounds:
        subject, verb, rest = SOUNDS[sound.kind]
        yield Fact(
            kind="sound",
            start_s=sound.at_s,
            end_s=sound.at_s + 1,
            subject=subject,
            verb=verb,
            rest=rest,
        )
    for line in video.lines:
        yield Fact(
            kind="speech",
            start_s=line.start_s,
            end_s=line.end_s,
            subject=video.actor(line.speaker).noun,
            verb="says",
            rest=f"“{line.words}”",
        )
