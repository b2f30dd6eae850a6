"""Conditions of which it is computed whether they hold: facts, edited, denied, put in order.

The paper makes conditions out of facts in the same ways (section 3.2): a fact, an edit that makes
it false, a denial, and an edit that is denied and so true again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from ifbench.benchmarks.videoif.starter.scenes import Fact, Video, facts
from ifbench.benchmarks.videoif.starter.sentences import clock

_EDITS = {
    "to the right": "to the left", "to the left": "to the right",
    "jumps": "spins", "spins": "grows", "grows": "jumps", "pushes": "jumps over",
    "a bell rings": "a horn sounds", "a beep sounds": "a horn sounds",
    "a knock sounds": "a drum sounds", "a whistle rises": "a drum sounds",
    "smiles": "frowns", "frowns": "smiles", "appears": "bursts", "disappears": "bursts",
    "turns on": "breaks", "turns off": "breaks", "opens": "falls down", "closes": "falls down",
}  # fmt: skip
"""Small changes that make a fact another one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """Words that a video makes true or false."""

    words: str
    holds: bool


def conditions(video: Video, *, hold: bool) -> tuple[Condition, ...]:
    """All conditions of a video that hold, or that do not, the kinds in turn; no words twice."""
    known = [fact for fact in facts(video) if fact.kind not in {"shot", "stop", "state"}]
    kinds = (_told(video, known), _edited(video, known), _timed(known), _ordered(known))
    mixed = chain.from_iterable(zip_longest(*kinds))
    fitting = {c.words: c for c in mixed if c is not None and c.holds is hold}
    return tuple(fitting.values())


def _told(video: Video, known: Sequence[Fact]) -> list[Condition]:
    return [
        *(Condition(words=fact.text, holds=_is_fact(video, fact.text)) for fact in known),
        *(
            Condition(words=_denied(fact.text), holds=not _is_fact(video, fact.text))
            for fact in known
        ),
    ]


def _edited(video: Video, known: Sequence[Fact]) -> list[Condition]:
    found = []
    for fact in known:
        edited = edit(video, fact)
        holds = _is_fact(video, edited)
        found.append(Condition(words=edited, holds=holds))
        found.append(Condition(words=_denied(edited), holds=not holds))
    return found


def _is_fact(video: Video, text: str) -> bool:
    return any(fact.text == text for fact in facts(video))


def edit(video: Video, fact: Fact) -> str:
    """Another fact: another speaker, another word on the sign, or the first change that fits."""
    if fact.kind == "speech":
        return fact.text.replace(fact.subject, _another_speaker(video, fact.subject), 1)
    if fact.kind == "text":
        return fact.text.replace("“", "“OLD ", 1)
    pattern = rf"(?<!\w)(?:{'|'.join(_EDITS)})(?!\w)"
    edited = re.sub(pattern, lambda found: _EDITS[found[0]], fact.text, count=1)
    assert edited != fact.text, f"no change fits {fact.text!r}"
    return edited


def _another_speaker(video: Video, name: str) -> str:
    others = (actor.name for actor in video.actors if actor.name not in {"", name})
    return next(others, "somebody else")


def _denied(text: str) -> str:
    return f"it never happens that {text}"


def _timed(known: Sequence[Fact]) -> list[Condition]:
    """What begins before a moment: two seconds after its first beginning, and one before it, so
    that frames a second apart can tell.
    """
    first: dict[str, int] = {}
    for fact in known:
        first.setdefault(fact.text, fact.start_s)
    return [
        Condition(words=f"it happens before {clock(moment)} that {text}", holds=start_s < moment)
        for text, start_s in first.items()
        for moment in (start_s + 2, start_s - 1)
        if moment > 0
    ]


def _ordered(known: Sequence[Fact]) -> list[Condition]:
    """Facts that happen once, in pairs, each way round."""
    texts = [fact.text for fact in known]
    once = [fact for fact in known if texts.count(fact.text) == 1]
    return [
        Condition(words=f"{a.text} before {b.text}", holds=a.start_s < b.start_s)
        for one, other in zip(once, once[2:], strict=False)
        for a, b in ((one, other), (other, one))
        if one.start_s != other.start_s
    ]
