"""The release's rule on steps."""

from __future__ import annotations

from collections.abc import Mapping

from ifbench.constraints.constraint import Check, Example, failed, passed
from ifbench.constraints.scimif_release.rule import ReleaseParams, judged_rule
from ifbench.parsing.replies import Reply

QUESTION_CHARACTERS = 1_500
ANSWER_CHARACTERS = 3_000
PASSING_SCORE = 1.0
"""The release keeps a fraction where the paper wants 0 or 1, and no threshold is described. We
count what it counts in full."""


class StepsReply(Reply):
    """The judge's reply: its own list of steps, and how many of them it finds."""

    required_steps: tuple[str, ...]
    response_steps: tuple[str, ...]
    matched: int
    total: int
    score: float


def lengths_shown(text: str, params: ReleaseParams) -> Mapping[str, int]:
    """How much the judge is shown: the beginnings of the question and of the answer."""
    del text, params
    return {"question_characters": QUESTION_CHARACTERS, "answer_characters": ANSWER_CHARACTERS}


@judged_rule(
    "steps",
    decides=(
        "chemistry:reaction_steps",
        "chemistry:analysis_steps_constraint",
        "geography:analysis_steps_constraint",
        "biology:analysis_steps_constraint",
        "material:analysis_steps_constraint",
        "physics:analysis_steps",
    ),
    group="procedure",
    template="release_steps",
    reply=StepsReply,
    prepare=lengths_shown,
    example=Example(
        params={"question": "Give the mechanism: protonation, loss of water, deprotonation."},
        instruction="Give the mechanism: protonation, loss of water, deprotonation.",
        passing="1. Protonation. 2. Water leaves. 3. A base takes a proton.",
        failing="1. Protonation. 2. Propene forms.",
    ),
)
def steps(reply: StepsReply, params: ReleaseParams) -> Check:
    """A model lists the steps that the question requires and those of the answer, and gives the
    share that matches; the answer passes with a share of 1.

    The list is drawn up anew for each answer, so that two answers to one question may be held to
    two lists.
    """
    del params
    if not 0 <= reply.score <= 1:
        raise ValueError(f"a score from 0 to 1 is expected, found {reply.score:g}")
    found = {
        "score": reply.score,
        "matched": reply.matched,
        "total": reply.total,
        "required_steps": list(reply.required_steps),
    }
    reason = f"score {reply.score:g}: {reply.matched} of {reply.total} steps match"
    if reply.score >= PASSING_SCORE:
        return passed(reason, found=found)
    return failed(reason, found=found)
