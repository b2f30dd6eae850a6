"""Constraints that a judge decides as yes-or-no questions, several of them in one call.

The 22 semantic types of Video-IFBench (Table 6): each item brings its own question and what is
known of the video; the constraint adds what its kind is about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ifbench.constraints.constraint import (
    Check,
    Constraint,
    Judged,
    NoParams,
    Params,
    failed,
    passed,
)
from ifbench.parsing.replies import Flag, Reply

TEMPLATE = "checklist"


class ListedEntry(Reply):
    """What the judge says of one item."""

    reason: str
    quote: str
    satisfied: Flag


class ListedReply(Reply):
    """The reply to `checklist.j2`: an entry under the number of each item, from "1"."""

    items: Mapping[str, ListedEntry]


def decide_entry(entry: ListedEntry, params: Params) -> Check:
    """The judge's yes or no, with its reason and the passage that it quotes."""
    del params
    found = {"quotes": [entry.quote] if entry.quote.strip() else []}
    words = " ".join(entry.reason.split())[:500]
    if entry.satisfied:
        return passed(words, found=found)
    return failed(words or "the judge says no and gives no reason", found=found)


def by_question(constraint: Constraint) -> Constraint:
    """The constraint as a judge decides it on the item's own question.

    For items of a script whose parameters no parser could read: Video-IFBench's checklist has a
    question for every item (section 3.3).
    """
    method = Judged(
        params=NoParams,
        template=TEMPLATE,
        reply=ListedEntry,
        decide=decide_entry,
        parts=one_part,
        is_listed=True,
        rubric=constraint.description,
    )
    return replace(constraint, method=method)


def one_part(_: Params) -> int:
    """A yes or no is one requirement."""
    return 1
