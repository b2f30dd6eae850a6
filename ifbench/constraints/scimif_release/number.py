"""The release's rules on numbers of responses and lengths of sequences."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ifbench.constraints.constraint import Check, Example, failed, passed, quote
from ifbench.constraints.scimif_release.amounts import AMOUNT, first_amount, value_of
from ifbench.constraints.scimif_release.rule import (
    ReleaseParams,
    judged_rule,
    scripted_rule,
    skipped,
    with_note,
)
from ifbench.parsing.replies import Flag, Reply

LEAST = 3
"""The release refuses an N of 2 or less, whatever the answer holds."""

_ASSIGNED = re.compile(r"\bN\s*=\s*(?P<amount>[0-9]{1,4})\b")
_AFTER = (
    r"\s+(?:(?:distinct|different|categorical)\s+)?(?:(?:type|kind|categor|class)\w*\s+of\s+)?"
    r"(?:response|answer|type|kind|categor)\w*"
)


class KindsReply(Reply):
    """The judge's reply: yes or no."""

    exactly: Flag


def wanted(params: ReleaseParams) -> int | None:
    """N, from the parameter and else from the question."""
    for text in (params.text, params.question):
        if found := _ASSIGNED.search(text) or re.fullmatch(AMOUNT, text, re.IGNORECASE):
            return value_of(found["amount"])
        if (amount := first_amount("", _AFTER, text)) is not None:
            return amount
    return None


def settle(text: str, params: ReleaseParams) -> Check | None:
    """An N that cannot be read, or that is refused, needs no judge."""
    del text
    n = wanted(params)
    if n is None:
        return with_note(skipped("no number of responses was found"), params)
    if n < LEAST:
        return with_note(failed(f"N is {n}; the release gives 0 where N is not above 2"), params)
    return None


def asked(text: str, params: ReleaseParams) -> Mapping[str, int]:
    """What the judge is told."""
    del text
    return {"n": wanted(params) or 0}


@judged_rule(
    "number_response",
    decides=("general:number_response",),
    group="number",
    template="release_kinds",
    reply=KindsReply,
    prepare=asked,
    settle=settle,
    example=Example(
        params={"raw": "N = 3 types of responses"},
        instruction="Give exactly three types of responses.",
        passing="Wind, sun and water.",
        failing="Wind and sun.",
    ),
)
def number_response(reply: KindsReply, params: ReleaseParams) -> Check:
    """A model says yes to: are there exactly N kinds of responses? N of 2 or less fails unasked.

    The model is told N, and counts nothing that one could check.
    """
    found = {"n": wanted(params)}
    if reply.exactly:
        return with_note(passed("the judge says yes to exactly N kinds", found=found), params)
    return with_note(failed("the judge says no to exactly N kinds", found=found), params)


@scripted_rule(
    "sequence_length",
    decides=("biology:protein_length",),
    group="number",
    example=Example(
        params={"raw": "exactly 120 amino acids"},
        instruction="Give the length of the sequence.",
        passing="I would say 7.",
        failing="MKVLA",
    ),
)
def sequence_length(text: str, params: ReleaseParams) -> Check:
    """Any number stands in the answer; the sequence and the wanted length do not count."""
    del params
    hit = re.search(r"[0-9]+", text)
    if hit is None:
        return failed("there is no number")
    return passed(f"the number {hit[0][:40]} stands there", evidence=(quote(text, *hit.span()),))
