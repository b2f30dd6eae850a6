"""Conditions of which it is computed whether they hold: facts, edited, denied, put in order.

The paper makes conditions out of facts in the same ways (section 3.2): a fact, an edit that makes
it false, a denial, and an edit that is denied and so true again.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, zip_longest

from ifbench.benchmarks.videoif.starter.scenes import Fact, Video, facts
from ifbench.benchmarks.videoif.starter.sentences import clock

_EDITS = (
    ("to the right", "to the left"), ("to the left", "to the right"),
    ("jumps", "spins"), ("spins", "grows"), ("grows", "jumps"), ("pushes", "jumps over"),
    ("a bell rings", "a horn sounds"), ("a beep sounds", "a horn sounds"),
    ("a knock sounds", "a drum sounds"), ("a whistle rises", "a drum sounds"),
    ("smiles", "frowns"), ("frowns", "smiles"), ("appears", "melts"), ("disappears", "melts"),
    ("lamp", "lamp in the middle"), ("light", "light in the middle"), ("door", "second door"),
    ("the text “", "the text “NEVER "), ("says “", "shouts “Never! "),
)  # fmt: skip
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


def _told(video: Video, known: list[Fact]) -> list[Condition]:
    texts = {fact.text for fact in facts(video)}
    return [
        *(Condition(words=fact.text, holds=fact.text in texts) for fact in known),
        *(Condition(words=_denied(fact.text), holds=fact.text not in texts) for fact in known),
    ]


def _edited(video: Video, known: list[Fact]) -> list[Condition]:
    texts = {fact.text for fact in facts(video)}
    found = []
    for fact in known:
        edited = edit(fact.text)
        found.append(Condition(words=edited, holds=edited in texts))
        found.append(Condition(words=_denied(edited), holds=edited not in texts))
    return found


def edit(text: str) -> str:
    """Another fact, by the first change that fits."""
    old, new = next(pair for pair in _EDITS if pair[0] in text)
    return text.replace(old, new, 1)


def _denied(text: str) -> str:
    return f"it never happens that {text}"


def _timed(known: list[Fact]) -> list[Condition]:
    """What begins before a moment: just after its first beginning, and at it."""
    first: dict[str, int] = {}
    for fact in known:
        first.setdefault(fact.text, fact.start_s)
    found = []
    for text, start_s in first.items():
        for moment in (start_s + 2, start_s):
            words = f"it happens before {clock(moment)} that {text}"
            found.append(Condition(words=words, holds=start_s < moment))
    return found


def _ordered(known: list[Fact]) -> list[Condition]:
    """Facts that happen once, in pairs, each way round."""
    texts = [fact.text for fact in known]
    once = [fact for fact in known if texts.count(fact.text) == 1]
    found = []
    for one, other in zip(once, once[2:], strict=False):
        for a, b in ((one, other), (other, one)):
            if one.start_s != other.start_s:
                words = f"{a.text} earlier than {b.text}"
                found.append(Condition(words=words, holds=a.start_s < b.start_s))
    return found
