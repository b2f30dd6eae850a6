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
from ifbench.parsing.replies import Flag, Reply, numbered_schema


class StepsParams(Params):
    """The steps that an answer must carry out, in the order of the procedure."""

    steps: tuple[Annotated[str, Field(min_length=1, pattern=r"\S")], ...] = Field(min_length=1)


class CoveredStep(Reply):
    """What the judge says of one required step."""

    covered: Flag
    quote: str


class StepsReply(Reply):
    """The judge's reply: one entry for each required step, under its number, from "1"."""

    steps: Mapping[str, CoveredStep]


def steps_schema(params: StepsParams) -> Mapping[str, Any]:
    """A reply with every number exactly once: a judge held to it leaves out and doubles nothing."""
    return numbered_schema(StepsReply, "steps", _numbers(params))


def _numbers(params: StepsParams) -> tuple[str, ...]:
    return tuple(str(number) for number in range(1, len(params.steps) + 1))


def step_count(params: StepsParams) -> int:
    """Each required step is one requirement (DRFR counts them)."""
    return len(params.steps)


def covers_steps(reply: StepsReply, params: StepsParams) -> Check:
    """The answer carries out every required step; each step is one requirement."""
    numbers = _numbers(params)
    if set(reply.steps) != set(numbers):
        found_numbers = ", ".join(sorted(reply.steps)[:40]) or "none"
        raise ValueError(f"the reply is about steps {found_numbers}; asked for 1 to {numbers[-1]}")
    entries = [reply.steps[number] for number in numbers]
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
        schema=steps_schema,
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

geography_steps = steps_constraint(
    "geography:analysis_steps_constraint",
    Example(
        params={
            "steps": [
                "Delineate the catchment",
                "Estimate the runoff from rainfall and land cover",
                "Derive the peak discharge at the outlet",
            ]
        },
        instruction="Estimate the flood risk of the valley, step by step.",
        passing=(
            "1. The divide in the contour map bounds a catchment of 12 km².\n"
            "2. With 40 mm of rain and a runoff coefficient of 0.3, 12 mm run off.\n"
            "3. Over six hours this gives a peak of about 7 m³/s at the bridge."
        ),
        failing="1. The valley is narrow.\n2. The peak at the bridge is about 7 m³/s.",
    ),
)

biology_steps = steps_constraint(
    "biology:analysis_steps_constraint",
    Example(
        params={
            "steps": [
                "Find the open reading frame",
                "Translate it",
                "Compare the protein with known families",
            ]
        },
        instruction="Predict what the gene's product does: find the frame, translate, compare.",
        passing=(
            "1. The frame opens at the ATG in position 4 and ends with TAA in position 64.\n"
            "2. It translates to a chain of 20 residues.\n"
            "3. Its Walker A motif is that of P-loop ATPases, so it binds ATP."
        ),
        failing="1. The gene has a frame.\n2. Its product probably binds ATP.",
    ),
)

material_steps = steps_constraint(
    "material:analysis_steps_constraint",
    Example(
        params={
            "steps": [
                "Index the diffraction peaks",
                "Determine the lattice parameter",
                "Name the phase",
            ]
        },
        instruction="Identify the phase from the diffraction pattern in three steps.",
        passing=(
            "1. The peaks at 38.4°, 44.7° and 65.1° are 111, 200 and 220 of a cubic face-centred "
            "cell.\n2. Bragg's law gives a lattice parameter of 0.405 nm.\n3. The phase is aluminium."
        ),
        failing="1. The first peaks are 111, 200 and 220.\n2. The phase is aluminium.",
    ),
)

physics_steps = steps_constraint(
    "physics:analysis_steps",
    Example(
        params={
            "steps": [
                "Draw up the forces on the body",
                "Write Newton's second law along the incline",
                "Solve for the acceleration",
            ]
        },
        instruction="Find the acceleration of the block on the smooth incline, step by step.",
        passing=(
            "1. Weight mg and the normal force act on the block.\n"
            "2. Along the incline, m a = m g sin θ.\n"
            "3. Hence a = g sin θ = 4.9 m/s²."
        ),
        failing="1. Along the incline, m a = m g sin θ.\n2. Hence a = 4.9 m/s².",
    ),
)
