"""The release's rules on choices: one of some options, yes or no."""

from __future__ import annotations

import re

from ifbench.constraints.constraint import Check, Example, failed, passed, quote
from ifbench.constraints.scimif_release.option_sets import choices_in
from ifbench.constraints.scimif_release.rule import ReleaseParams, scripted_rule, skipped


@scripted_rule(
    "choose_from",
    decides=("general:choose_from",),
    group="selection",
    reads_text=True,
    example=Example(
        params={"raw": "stable, unstable"},
        instruction="Choose from: stable, unstable.",
        passing="It might be unstable or not.",
        failing="It decays.",
    ),
)
def choose_from(text: str, params: ReleaseParams) -> Check:
    """Any option stands anywhere in the answer, inside a longer word, too; case does not count.

    Where the options come from is open; we read the parameter, and the question where that lists
    none.
    """
    options = choices_in(params.text, params.question)
    if not options:
        return skipped("no list of options was found")
    lowered = text.lower()
    hit = next((option for option in options if option.lower() in lowered), None)
    found = {"options": list(options[:40])}
    if hit is None:
        return failed(f"none of {len(options)} options stands in the answer", found=found)
    return passed(f"the option {hit[:80]!r} stands in the answer", found=found)


_VERDICT = re.compile(r"\b(?:yes|no|true|false)\b", re.IGNORECASE)


@scripted_rule(
    "judge",
    decides=("general:judge",),
    group="selection",
    example=Example(
        params={},
        instruction="Answer yes or no.",
        passing="There is no way to tell.",
        failing="Hardly.",
    ),
)
def judge(text: str, params: ReleaseParams) -> Check:
    """One of the words yes, no, true, false stands anywhere; which, and as what, does not count."""
    del params
    hit = _VERDICT.search(text)
    if hit is None:
        return failed("none of yes, no, true, false stands in the answer")
    return passed(f"the word {hit[0]!r} stands there", evidence=(quote(text, *hit.span()),))
