"""The release's rule on where the final answer stands."""

from __future__ import annotations

import re

from ifbench.constraints.constraint import Check, Example, failed, passed
from ifbench.constraints.scimif_release.regions import ANSWER_PHRASE
from ifbench.constraints.scimif_release.rule import ReleaseParams, scripted_rule, skipped

_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n")
_POSITION = re.compile(r"\b(beginning|middle|end)\b", re.IGNORECASE)


@scripted_rule(
    "response_structure",
    decides=("general:response_structure",),
    group="structure",
    reads_text=True,
    example=Example(
        params={"raw": "final_answer_position = end"},
        instruction="Put the final answer at the end.",
        passing="Mass is conserved. Both sides weigh the same. The answer is 4 g.",
        failing="The answer is 4 g. Mass is conserved. So the answer is 4 g.",
    ),
)
def response_structure(text: str, params: ReleaseParams) -> Check:
    """The first sentence with an answer phrase stands in the asked part: the beginning is below
    0.2, the end above 0.8 of the sentences, the middle between.

    How a place is reckoned is open; we take the sentence's number, from 0, over that of the last
    one. A single sentence stands at the beginning.
    """
    asked = _POSITION.search(params.text)
    if asked is None:
        return skipped("the parameter names no position")
    sentences = [part for part in _SENTENCE_END.split(text) if part.strip()]
    first = next((i for i, part in enumerate(sentences) if ANSWER_PHRASE.search(part)), None)
    if first is None:
        return failed('no sentence says "final answer", "the answer is" or "result is"')
    place = first / max(len(sentences) - 1, 1)
    is_at = "beginning" if place < 0.2 else "end" if place > 0.8 else "middle"
    found = {"place": round(place, 4), "sentences": len(sentences)}
    reason = f"the first answer sentence stands at {place:.2f} of {len(sentences)} sentences"
    if is_at != asked[1].lower():
        return failed(f"{reason}, in the {is_at} and not in the {asked[1].lower()}", found=found)
    return passed(f"{reason}, in the {is_at}", found=found)
