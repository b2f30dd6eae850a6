"""The release's rules on the case of letters."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from ifbench.constraints.constraint import Check, Example, failed, passed, quote
from ifbench.constraints.scimif_release.regions import after_phrase, boxed
from ifbench.constraints.scimif_release.rule import ReleaseParams, scripted_rule, skipped

Scope: TypeAlias = Literal["skip", "whole", "answer"]

_SENTENCE_END = re.compile(r"[.!?\n]+")
_CASING = re.compile(r"\b(?:upper|lower)[\s-]?case\b|\bcapital(?:s|ized|ised)?\b", re.IGNORECASE)
_WHOLE = re.compile(
    r"\b(?:entire|whole|full|everything|response|output|all (?:letters|text|words))\b",
    re.IGNORECASE,
)


@scripted_rule(
    "all_uppercase",
    decides=("general:all_uppercase",),
    group="letter",
    example=Example(
        params={"question": "Which gas is it? Write the final answer in uppercase."},
        instruction="Write the final answer in uppercase.",
        passing="It burns. The answer is OXYGEN",
        failing="It burns. The answer is Oxygen",
    ),
)
def all_uppercase(text: str, params: ReleaseParams) -> Check:
    """No small ASCII letter stands in the part that the question's sentence on case speaks of:
    the final answer, or the whole. Where no sentence speaks of case, the item is skipped.
    """
    return _all_of_one_case(text, params.question, re.compile("[a-z]"), "a small letter")


@scripted_rule(
    "all_lowercase",
    decides=("general:all_lowercase",),
    group="letter",
    example=Example(
        params={"question": "Which gas is it? Your entire response must be in lowercase."},
        instruction="Your entire response must be in lowercase.",
        passing="oxygen, 氧, and Ärger",
        failing="Oxygen",
    ),
)
def all_lowercase(text: str, params: ReleaseParams) -> Check:
    """No capital ASCII letter stands in the part that the question's sentence on case speaks of."""
    return _all_of_one_case(text, params.question, re.compile("[A-Z]"), "a capital letter")


def _all_of_one_case(text: str, question: str, wrong: re.Pattern[str], name: str) -> Check:
    scope = casing_scope(question)
    found = {"casing_scope": scope}
    if scope == "skip":
        return skipped("the question says nothing of upper or lower case", found=found)
    part = text if scope == "whole" else after_phrase(text) or boxed(text) or text
    hit = wrong.search(part)
    if hit is None:
        return passed(f"{name} stands nowhere in the {scope}", found=found)
    start = text.rfind(part) + hit.start()
    evidence = (quote(text, start, start + 1),)
    return failed(f"{name} stands in the {scope}: {hit[0]}", evidence=evidence, found=found)


def casing_scope(question: str) -> Scope:
    """What the question wants in one case; how the release infers it is open, this is our reading."""
    spoken = [part for part in _SENTENCE_END.split(question) if _CASING.search(part)]
    if not spoken:
        return "skip"
    is_of_answer = any(re.search(r"\banswer\b", part, re.IGNORECASE) for part in spoken)
    return "answer" if is_of_answer and not any(map(_WHOLE.search, spoken)) else "whole"
