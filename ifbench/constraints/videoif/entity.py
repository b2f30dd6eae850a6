"""Five types on entities: which may be named, how many, and by which attributes (Table 6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from ifbench.constraints.constraint import Example, Params
from ifbench.constraints.videoif.judging import SoughtWords, judged_type, seen_words
from ifbench.parsing.list_items import list_items

category_filter = judged_type(
    "category_filter",
    group="entity",
    description="Only entities of stated categories are mentioned.",
    rubric=(
        "category. The answer names entities of the allowed categories alone; others are left out, "
        "or replaced as the instruction says (by letters, say). One entity of another category "
        "that is named breaks it."
    ),
    params=SoughtWords,
    prepare=seen_words,
    example=Example(
        params={},
        instruction="Name only food; replace all other things by capital letters from C on.",
        passing="C cuts a tomato and an onion on D.",
        failing="The cook cuts a tomato and an onion on a board.",
    ),
)

entity_filter = judged_type(
    "entity_filter",
    group="entity",
    description="Every entity or speaker in the answer has a stated attribute or state.",
    rubric=(
        "entity filter. Every entity or speaker that the answer mentions has to have the stated "
        "attribute, look, voice or state in the video. One that has not breaks it."
    ),
    params=SoughtWords,
    prepare=seen_words,
    example=Example(
        params={},
        instruction="Mention only people who wear a red jacket.",
        passing="The man in the red jacket ties his shoe.",
        failing="The man in the red jacket waves to a girl in a green coat.",
    ),
)

attribute_avoidance = judged_type(
    "attribute_avoidance",
    group="entity",
    description="Stated attributes of entities are not mentioned.",
    rubric=(
        "attribute avoidance. The answer mentions the forbidden attributes (gender, age, colour, "
        "voice, …) of no entity, neither in a word of its own nor inside another: 'woman' tells a "
        "gender, 'boy' an age as well, 'golden' a colour."
    ),
    params=SoughtWords,
    prepare=seen_words,
    example=Example(
        params={"terms": ["man", "woman", "boy", "girl", "old", "young"]},
        instruction="Do not mention the gender or age of any person.",
        passing="A person hands a cup to somebody at the desk.",
        failing="A young woman hands a cup to somebody at the desk.",
    ),
)

attribute_mention_requirement = judged_type(
    "attribute_mention_requirement",
    group="entity",
    description="Stated attributes are mentioned of each entity that they are asked for.",
    rubric=(
        "attribute mention. Of each entity or speaker that the answer mentions and that the "
        "instruction means, it has to state the asked attributes, rightly by the facts. One entity "
        "without them breaks it."
    ),
    params=SoughtWords,
    prepare=seen_words,
    example=Example(
        params={},
        instruction="For every person, give the colour of the trousers.",
        passing="The rider, in black trousers, passes the guard, whose trousers are grey.",
        failing="The rider, in black trousers, passes the guard.",
    ),
)


class CountBounds(Params):
    """How many are to be given, where the item says a number."""

    n: int | None = Field(default=None, ge=0)
    mode: Literal["exact", "at_least", "at_most"] = "exact"


def _seen_items(text: str, params: CountBounds) -> Mapping[str, Any]:
    del params  # The judge is not led to a number.
    items = list_items(text)
    outer = sum(item.depth == 0 for item in items)
    if not items:
        return {"seen": "it holds no list items."}
    return {"seen": f"it holds {len(items)} list items, {outer} of them outermost."}


counting_scope = judged_type(
    "counting_scope",
    group="entity",
    description="As many items, entities or events are given as stated: exactly, at most, all.",
    rubric=(
        "counting scope. Count the entities, events or occurrences of the asked kind that the "
        "answer names, each once however often it is named, and compare with the asked number "
        "(exactly, at most, at least, all, one). Those that are replaced by letters, where the "
        "instruction says so, are not named."
    ),
    params=CountBounds,
    prepare=_seen_items,
    example=Example(
        params={"n": 2},
        instruction="Name only two people; call all others by capital letters.",
        passing="The cook hands a plate to the waiter; A and B look on.",
        failing="The cook hands a plate to the waiter; the child looks on.",
    ),
)
