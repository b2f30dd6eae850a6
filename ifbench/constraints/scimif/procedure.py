"""The *procedure* group: which required steps an answer carries out (SciMIF, Tables 6 to 10)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any

from pydantic import Field

from ifbench.constraints.constraint import (
    Check,
    Constraint,
    Example,
    Params,
    failed,
    judged,
    passed,
)
from ifbench.parsing.replies import Flag, Reply


class StepsParams(Params):
    """The steps that an answer must carry out, in the order of the procedure."""

    steps: tuple[Annotated[str, Field(min_length=1, pattern=r"\S")], ...] = Field(min_length=1)


class CoveredStep(Reply):
    """What the judge says of one required step; `index` counts from 1."""

    index: int
    covered: Flag
    quote: str


class StepsReply(Reply):
    """The judge's reply: one entry for each required step."""

    steps: tuple[CoveredStep, ...]


def step_count(params: StepsParams) -> int:
    """Each required step is one requirement (DRFR counts them)."""
    return len(params.steps)


def covers_steps(reply: StepsReply, params: StepsParams) -> Check:
    """The answer carries out every required step; each step is one requirement."""
    indices = sorted(entry.index for entry in reply.steps)
    expected = list(range(1, len(params.steps) + 1))
    if indices != expected:
        raise ValueError(f"the reply is about steps {indices}, asked for {expected}")
    entries = sorted(reply.steps, key=lambda entry: entry.index)
    covered = tuple(entry.covered for entry in entries)
    found = {
        "covered": sum(covered),
        "quotes": [entry.quote for entry in entries if entry.covered and entry.quote.strip()],
    }
    missing = [
        f"{number}. {step}"
        for number, (step, done) in enumerate(zip(params.steps, covered, strict=True), start=1)
        if not done
    ]
    if missing:
        reason = (
            f"{sum(covered)} of {len(covered)} steps are covered; missing: {'; '.join(missing)}"
        )
        return failed(reason, found=found, requirements=covered)
    return passed(f"all {len(covered)} steps are covered", found=found, requirements=covered)


# ── Evidence for the judge ───────────────────────────────────────────────────────────

_STEP = re.compile(
    r"^[ \t>]*(?:#{1,6}[ \t]+)?[*_]{0,3}(?:step[ \t]*)?\(?(?P<number>\d{1,3})"
    r"(?:[.):](?!\d)|(?<=\d)[ \t]*[-–—][ \t])[*_]{0,3}",
    re.MULTILINE | re.IGNORECASE,
)


def step_numbering(text: str, params: StepsParams) -> Mapping[str, Any]:
    """Whether the answer numbers its steps, in order and none empty: evidence, no verdict."""
    del params
    markers = list(_STEP.finditer(text))
    if not markers:
        return {"numbering": "its steps are not numbered."}
    numbers = [int(marker["number"]) for marker in markers]
    ends = [marker.start() for marker in markers[1:]] + [len(text)]
    empty = [
        number
        for number, marker, end in zip(numbers, markers, ends, strict=True)
        if not re.search(r"\w", text[marker.end() : end])
    ]
    listed = ", ".join(map(str, numbers[:40]))
    order = "in order" if _is_ordered(numbers) else "not in order"
    filled = f"; without text: {', '.join(map(str, empty[:40]))}" if empty else ", each with text"
    return {"numbering": f"it numbers steps {listed}, {order}{filled}."}


def _is_ordered(numbers: Sequence[int]) -> bool:
    return numbers[0] in {0, 1} and all(after == before + 1 for before, after in pairwise(numbers))


# ── The constraints ──────────────────────────────────────────────────────────────────


def steps_constraint(constraint_id: str, example: Example) -> Constraint:
    """A procedure constraint under its own id; all of them are decided alike."""
    return judged(
        constraint_id,
        group="procedure",
        params=StepsParams,
        template="steps",
        reply=StepsReply,
        parts=step_count,
        prepare=step_numbering,
        example=example,
    )(covers_steps)


reaction_steps = steps_constraint(
    "chemistry:reaction_steps",
    Example(
        params={
            "steps": [
                "Protonation of the alcohol",
                "Loss of water to a carbocation",
                "Deprotonation to the alkene",
            ]
        },
        instruction="Give the mechanism of the dehydration of 2-propanol, step by step.",
        passing=(
            "1. The acid protonates the hydroxyl group.\n"
            "2. Water leaves, and a secondary carbocation remains.\n"
            "3. A base takes a proton from the methyl group, which gives propene."
        ),
        failing="1. The acid protonates the hydroxyl group.\n2. Propene forms.",
    ),
)
