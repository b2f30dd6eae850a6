"""The samples of the starter set, template by template, as tables over the requests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from ifbench.benchmarks.videoif.starter import format_demands as form
from ifbench.benchmarks.videoif.starter import semantic_demands as meaning
from ifbench.benchmarks.videoif.starter.conditions import Condition, conditions
from ifbench.benchmarks.videoif.starter.device_requests import hall, workshop
from ifbench.benchmarks.videoif.starter.draft import Demand, Draft, Request
from ifbench.benchmarks.videoif.starter.place_requests import journey, street
from ifbench.benchmarks.videoif.starter.sentences import Spoil
from ifbench.benchmarks.videoif.starter.shape_requests import garden, match, stage
from ifbench.benchmarks.videoif.starter.small_requests import small_requests
from ifbench.benchmarks.videoif.starter.speech_requests import kitchen, lesson, newsroom
from ifbench.benchmarks.videoif.starter.videos import VIDEOS
from ifbench.types import Branch, Tree

_DECKS: Mapping[str, Callable[[], Mapping[str, Request]]] = {
    "stage": stage, "hall": hall, "newsroom": newsroom, "journey": journey, "match": match,
    "lesson": lesson, "garden": garden, "workshop": workshop, "kitchen": kitchen,
    "street": street,
}  # fmt: skip


@cache
def deck(video: str) -> Mapping[str, Request]:
    """All requests about a video by name: its own, and those that fit every video."""
    return {**_DECKS[video](), **small_requests(VIDEOS[video])}


def drafts() -> Iterator[Draft]:
    """Every draft, template by template."""
    yield from _singles()
    yield from _multis()
    yield from _selections()
    yield from _nested()


# ── Single ───────────────────────────────────────────────────────────────────────────

SINGLES = {
    "stage": ("opening", "jumpers", "order", "captions", "spin"),
    "hall": ("switches", "first_light", "cause", "knocks", "sounds"),
    "newsroom": ("dialogue", "signs", "ada", "turns", "storm"),
    "journey": ("places", "dense", "meadow"),
    "match": ("pushes", "labels", "five_bells", "what_if"),
    "lesson": ("result", "difference", "following"),
    "garden": ("relations", "from_behind", "rightward", "distance", "right_side"),
    "workshop": ("belt", "sorting"),
    "kitchen": ("summary", "fay"),
    "street": ("parade", "two", "spanish"),
}
"""Requests that are put as they are."""


def _singles() -> Iterator[Draft]:
    for video, names in SINGLES.items():
        for name in names:
            yield Draft(id=f"single/{video}-{name}", kind="single", request=deck(video)[name])


# ── Multi ────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Part:
    """One task of a Multi instruction: a request, and the constraints that it keeps."""

    name: str
    keeps: tuple[str, ...] = ()


def _english() -> Demand:
    return form.language("English", "Das ist alles, was in diesem kurzen Film zu sehen ist")


MULTIS: Mapping[str, tuple[str, tuple[Part, ...], tuple[Demand, ...]]] = {
    "stage-two": (
        "stage",
        (Part("opening", ("temporal_scope",)), Part("spin")),
        (form.must_not_have("actor"),),
    ),
    "stage-four": (
        "stage",
        (
            Part("jumpers", ("action_relative_selection", "ordered_list_output")),
            Part("spin", ("normalized_value_format",)),
            Part("background"),
            Part("kinds_of_sound"),
        ),
        (form.must_not_have("music"),),
    ),
    "hall-three": (
        "hall",
        (
            Part("first_light", ("structured_json_output", "segment_localization")),
            Part("sounds", ("category_filter",)),
            Part("lamps", ("table_output",)),
        ),
        (),
    ),
    "newsroom-three": (
        "newsroom",
        (
            Part("dialogue", ("segment_localization", "speaker_speech_binding")),
            Part("ada", ("first_person_perspective",)),
            Part("signs", ("text_type_restriction",)),
        ),
        (_english(),),
    ),
    "journey-four": (
        "journey",
        (
            Part("meadow", ("temporal_anchor",)),
            Part("signs", ("text_type_restriction",)),
            Part("background"),
            Part("length"),
        ),
        (form.must_not_have("train"),),
    ),
    "match-two": (
        "match",
        (
            Part("pushes", ("action_mention_requirement", "temporal_tense_constraint")),
            Part("length"),
        ),
        (meaning.attribute_mention_requirement(VIDEOS["match"]),),
    ),
    "lesson-three": (
        "lesson",
        (
            Part("result", ("speaker_speech_binding",)),
            Part("following"),
            Part("faces", ("entity_filter",)),
        ),
        (form.at_most_words(60),),
    ),
    "garden-three": (
        "garden",
        (
            Part("relations", ("relative_spatial_relation",)),
            Part("distance", ("output_ordering",)),
            Part("rightward", ("entity_filter",)),
        ),
        (meaning.attribute_mention_requirement(VIDEOS["garden"]), _english()),
    ),
    "workshop-three": (
        "workshop",
        (
            Part("sorting", ("temporal_order_relation",)),
            Part("length", ("normalized_value_format",)),
            Part("why", ("attribute_avoidance", "required_keyword_inclusion")),
        ),
        (form.must_not_have("robot", "machine"),),
    ),
    "street-five": (
        "street",
        (
            Part("parade", ("output_ordering",)),
            Part("red_light", ("transition_boundary",)),
            Part("background"),
            Part("kinds_of_sound"),
            Part("length"),
        ),
        (form.at_most_words(90), form.must_not_have("driver")),
    ),
    "kitchen-five": (
        "kitchen",
        (
            Part("soup", ("list_item_count_constraint",)),
            Part("gus", ("first_person_perspective",)),
            Part("fay", ("segment_localization",)),
            Part("kinds_of_sound"),
            Part("first_shape"),
        ),
        (form.must_not_have("chef"),),
    ),
}
"""Video, tasks, and constraints on the whole answer."""


def _multis() -> Iterator[Draft]:
    for name, (video, parts, common) in MULTIS.items():
        yield Draft(id=f"multi/{name}", kind="multi", request=_together(video, parts, common))


def _together(video: str, parts: Sequence[Part], common: Sequence[Demand]) -> Request:
    requests = [deck(video)[part.name] for part in parts]
    local = [
        replace(demand, scope=index, spoil=in_block(index, demand.spoil))
        for index, (part, request) in enumerate(zip(parts, requests, strict=True))
        for demand in request.demands
        if demand.name in part.keeps
    ]
    return Request(
        video=VIDEOS[video],
        asks=tuple(request.asks[0] for request in requests),
        demands=(*local, *common),
        answer="\n\n".join(request.answer for request in requests),
    )


def in_block(index: int, spoil: Spoil) -> Spoil:
    """The spoil, on one paragraph only."""

    def spoil_block(text: str) -> str:
        blocks = text.split("\n\n")
        blocks[index] = spoil(blocks[index])
        return "\n\n".join(blocks)

    return spoil_block


# ── Selection ────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Choice:
    """A place with several branches: how many, and which of them is to be taken, from 0."""

    branches: int
    taken: int
    has_else: bool = True


SELECTIONS: Sequence[tuple[str, str, Choice]] = (
    ("stage", "spin", Choice(4, 0)),
    ("hall", "lamps", Choice(4, 1)),
    ("newsroom", "dialogue", Choice(4, 2)),
    ("journey", "signs", Choice(4, 0)),
    ("match", "pushes", Choice(4, 1)),
    ("lesson", "faces", Choice(4, 2)),
    ("garden", "distance", Choice(4, 0)),
    ("workshop", "no_beep", Choice(4, 1)),
    ("kitchen", "gus", Choice(4, 2)),
    ("street", "red_light", Choice(4, 3)),
    ("stage", "order", Choice(2, 0)),
    ("hall", "first_light", Choice(3, 2)),
    ("lesson", "result", Choice(3, 2, has_else=False)),
    ("newsroom", "turns", Choice(5, 4)),
    ("street", "spanish", Choice(6, 4)),
    ("journey", "dense", Choice(7, 5)),
    ("garden", "relations", Choice(7, 6)),
    ("garden", "from_behind", Choice(4, 1)),
    ("match", "labels", Choice(3, 0)),
    ("workshop", "belt", Choice(5, 2)),
)
"""Video, the request to be carried out, and its place."""


def _selections() -> Iterator[Draft]:
    for number, (video, name, choice) in enumerate(SELECTIONS):
        yield _conditional(f"selection/{video}-{name}", video, name, (choice,), number)


# ── Nested ───────────────────────────────────────────────────────────────────────────

NESTED: Sequence[tuple[str, str, tuple[Choice, ...]]] = (
    ("stage", "captions", (Choice(2, 0), Choice(2, 1))),
    ("hall", "switches", (Choice(3, 1), Choice(2, 0))),
    ("journey", "places", (Choice(2, 1), Choice(3, 2), Choice(2, 0))),
    ("match", "five_bells", (Choice(2, 0), Choice(2, 0), Choice(2, 1))),
    ("newsroom", "signs", (Choice(3, 0), Choice(2, 1), Choice(2, 0), Choice(2, 0))),
    ("lesson", "following", (Choice(2, 1),) * 4 + (Choice(3, 1),)),
    ("workshop", "why", (Choice(2, 0), Choice(2, 1)) * 3),
    ("kitchen", "soup", (Choice(2, 1), Choice(2, 0), Choice(2, 0)) * 2 + (Choice(2, 1),)),
    ("street", "two", (Choice(2, 0), Choice(2, 0), Choice(2, 1), Choice(3, 1)) * 2),
    ("garden", "right_side", (Choice(2, 0),) * 8),
)
"""Video, the request to be carried out, and the choices that lead to it."""


def _nested() -> Iterator[Draft]:
    for number, (video, name, choices) in enumerate(NESTED):
        yield _conditional(f"nested/{video}-{name}", video, name, choices, number)


class _Supply:
    """Conditions and other requests of one video, handed out in turn."""

    def __init__(self, video: str, name: str, start: int) -> None:
        others = [request for other, request in deck(video).items() if other != name]
        self._others = others[start % len(others) :] + others[: start % len(others)]
        self._conditions = {hold: conditions(VIDEOS[video], hold=hold) for hold in (True, False)}
        self._next = {True: start, False: start * 3}
        self._next_other = 0
        self.used: list[Request] = []

    def condition(self, *, hold: bool) -> Condition:
        found = self._conditions[hold]
        self._next[hold] += 1
        return found[(self._next[hold] - 1) % len(found)]

    def other(self) -> Request:
        request = self._others[self._next_other % len(self._others)]
        self._next_other += 1
        self.used.append(request)
        return request


def _conditional(id: str, video: str, name: str, choices: Sequence[Choice], number: int) -> Draft:
    supply = _Supply(video, name, number)
    request = deck(video)[name]
    tree = _tree(choices, request, supply)
    astray = tuple({other.words: other for other in supply.used}.values())
    return Draft(
        id=id,
        kind="selection" if len(choices) == 1 else "nested",
        request=request,
        tree=tree,
        astray=astray,
    )


def _tree(choices: Sequence[Choice], request: Request, supply: _Supply) -> Tree:
    """The tree whose one true path follows the choices. Every second branch beside the path, in a
    Nested instruction, forks once more, and its conditions may hold: it cannot be reached.
    """
    choice, *rest = choices
    branches = []
    for place in range(choice.branches):
        is_taken = place == choice.taken
        is_else = choice.has_else and place == choice.branches - 1
        condition = None if is_else else supply.condition(hold=is_taken)
        then: Tree | str
        if is_taken:
            then = _tree(rest, request, supply) if rest else request.words
        elif rest and len(rest) % 2 == 1 and not is_else:
            then = _side_fork(supply)
        else:
            then = supply.other().words
        branches.append(
            Branch(
                condition=condition.words if condition else "",
                holds=condition.holds if condition else False,
                then=then,
            )
        )
    return Tree(branches=tuple(branches))


def _side_fork(supply: _Supply) -> Tree:
    condition = supply.condition(hold=True)
    return Tree(
        branches=(
            Branch(condition=condition.words, holds=condition.holds, then=supply.other().words),
            Branch(condition="", then=supply.other().words),
        )
    )
