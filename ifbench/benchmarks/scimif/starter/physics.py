"""Physics drafts: motion, circuits, optics, quanta, decay."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

from ifbench.benchmarks.scimif.starter.draft import Draft, demand
from ifbench.benchmarks.scimif.starter.pictures import circuit, lens, plot

G = 9.81
PLANCK = 6.626e-34
LIGHT = 2.998e8


def physics() -> Iterator[Draft]:
    """Sixteen samples."""
    yield from _motion()
    yield from _circuits()
    yield from _waves()
    yield from _words()
    yield from _disciplined()


def _motion() -> Iterator[Draft]:
    fall = math.sqrt(2 * 20 / G)
    yield Draft(
        id="physics-free-fall",
        discipline="physics",
        task_type="physics_formatted_numerical_task",
        question="A stone falls from 20 m, without air resistance. How long does it fall, in s? Take g = 9.81 m/s².",
        reference=f"{fall:.2f}",
        demands=(demand("decimal_number", places=2), demand("wrap_up")),
        good=f"\\boxed{{{fall:.2f}}}",
        bad=f"{fall:.2f} s",
    )
    energy = 0.5 * 1200 * 25**2
    yield Draft(
        id="physics-kinetic-energy",
        discipline="physics",
        task_type="physics_formatted_numerical_task",
        question="What is the kinetic energy of a car of 1200 kg at 25 m/s, in J?",
        reference=f"{energy:.0f}",
        demands=(demand("scientific_annotation"), demand("list_constraint", length=1)),
        good="[3.75e5]",
        bad="[375000]",
    )
    drive = [(0.0, 0.0), (4.0, 12.0), (10.0, 12.0)]
    metres = 0.5 * 4 * 12 + 6 * 12
    picture = partial(plot, "time (s)", "speed (m/s)", drive, (2, 4), (10, 12))
    yield Draft(
        id="physics-plot-distance",
        discipline="physics",
        task_type="physics_formatted_reasoning_process",
        question="Which distance does the vehicle in the plot cover in the 10 s, in m?",
        reference=f"{metres:g}",
        demands=(demand("response_structure", position="end"),),
        good=f"The area under the line is a triangle of 24 m and a rectangle of 72 m.\n\nFinal answer: {metres:g} m",
        bad=f"Final answer: {metres:g} m\n\nThis is the area under the line.",
        picture=picture,
    )
    yield Draft(
        id="physics-plot-acceleration",
        discipline="physics",
        task_type="physics_formatted_reasoning_process",
        question="What is the acceleration in the first 4 s of the plot, in m/s²?",
        reference="3.0",
        demands=(
            demand("json_constraint", required_keys=["acceleration"]),
            demand("decimal_number", places=1),
        ),
        good='{"acceleration": 3.0}',
        bad='{"acceleration": 3}',
        picture=picture,
    )


def _circuits() -> Iterator[Draft]:
    in_row = (100.0, 220.0)
    yield Draft(
        id="physics-circuit-series",
        discipline="physics",
        task_type="physics_formatted_open_ended",
        question="What is the total resistance in the circuit, in ohms?",
        reference=f"{sum(in_row):g}",
        demands=(demand("tuple_constraint", length=2),),
        good=f"({sum(in_row):g}, 'ohm')",
        bad=f"[{sum(in_row):g}, 'ohm']",
        picture=partial(circuit, in_row, 9.0, parallel=False),
    )
    beside = (60.0, 30.0)
    total = 1 / sum(1 / ohms for ohms in beside)
    drawn = partial(circuit, beside, 12.0, parallel=True)
    yield Draft(
        id="physics-circuit-parallel",
        discipline="physics",
        task_type="physics_formatted_open_ended",
        question="What is the total resistance in the circuit, in ohms?",
        reference=f"{total:.1f}",
        demands=(demand("decimal_number", places=1), demand("dictionary_constraint")),
        good=f"{{'resistance': {total:.1f}}}",
        bad=f"{{'resistance': {total:.0f}}}",
        picture=drawn,
    )
    yield Draft(
        id="physics-circuit-kind",
        discipline="physics",
        task_type="physics_formatted_open_ended",
        question="How are the two resistors in the picture connected?",
        reference="parallel",
        demands=(demand("choose_from", options=["series", "parallel"]),),
        good="parallel",
        bad="not in series",
        picture=drawn,
    )


def _waves() -> Iterator[Draft]:
    image_cm = 1 / (1 / 10 - 1 / 30)
    yield Draft(
        id="physics-lens-image",
        discipline="physics",
        task_type="physics_formatted_reasoning_process",
        question="At which distance behind the lens does the image form, in cm?",
        reference=f"{image_cm:.1f}",
        demands=(
            demand("csv_constraint", header=["quantity", "value"]),
            demand("decimal_number", places=1),
        ),
        good=f"quantity,value\nimage distance,{image_cm:.1f}",
        bad=f"quantity;value\nimage distance;{image_cm:.1f}",
        picture=partial(lens, 10.0, 30.0),
    )
    joule = PLANCK * LIGHT / 500e-9
    yield Draft(
        id="physics-photon",
        discipline="physics",
        task_type="physics_formatted_numerical_task",
        question="What is the energy of a photon of 500 nm, in J? Take h = 6.626e-34 J s and c = 2.998e8 m/s.",
        reference=f"{joule:.3g}",
        demands=(demand("scientific_annotation"), demand("wrap_up")),
        good=f"\\boxed{{{joule:.2e}}}",
        bad="\\boxed{0.0000000000000000003973}",
    )
    left = 80 / 2**3
    yield Draft(
        id="physics-half-life",
        discipline="physics",
        task_type="physics_formatted_numerical_task",
        question="A sample of 80 mg has a half-life of 6 h. Which mass is left after 18 h, in mg?",
        reference=f"{left:g}",
        demands=(demand("xml_constraint", root="mass"),),
        good=f"<mass>{left:g}</mass>",
        bad=f"{left:g}",
    )


def _words() -> Iterator[Draft]:
    yield Draft(
        id="physics-momentum",
        discipline="physics",
        task_type="physics_formatted_open_ended",
        question="Which quantity is conserved in every collision of two bodies without outer forces?",
        reference="momentum",
        demands=(demand("all_lowercase"),),
        good="momentum",
        bad="Momentum",
    )
    yield Draft(
        id="physics-vacuum",
        discipline="physics",
        task_type="physics_formatted_open_ended",
        question="Can sound travel through a vacuum?",
        reference="no",
        demands=(demand("judge"),),
        good="No",
        bad="Sound needs a medium.",
    )
    yield Draft(
        id="physics-heat",
        discipline="physics",
        task_type="physics_formatted_open_ended",
        question="In which ways can heat be transferred?",
        reference="conduction, convection, radiation",
        demands=(
            demand("number_response", "Name exactly 3 different ways.", n=3),
            demand("markdown_constraint"),
        ),
        good="1. conduction\n2. convection\n3. radiation",
        bad="conduction, convection, radiation",
    )
    yield Draft(
        id="physics-unit-of-force",
        discipline="physics",
        task_type="physics_formatted_open_ended",
        question="What is the SI unit of force called?",
        reference="newton",
        demands=(demand("html_constraint"),),
        good="<p>the newton</p>",
        bad="the <b>newton</b>",
    )


def _disciplined() -> Iterator[Draft]:
    """A law and an analysis in steps."""
    speed = 2 * 6 / (2 + 1)
    yield Draft(
        id="physics-collision",
        discipline="physics",
        task_type="physics_formatted_numerical_task",
        question=(
            "A cart of 2 kg runs at 6 m/s into one of 1 kg at rest, and they stick together. "
            "How fast do they go on, in m/s?"
        ),
        reference=f"{speed:g}",
        demands=(
            demand(
                "physics:method_constraint",
                "Apply the conservation of momentum and name it.",
                methods=[
                    {
                        "name": "conservation of momentum",
                        "aliases": ["momentum conservation", "law of conservation of momentum"],
                    }
                ],
            ),
            demand("wrap_up"),
        ),
        good=f"Conservation of momentum gives 12 = 3 v, so v is \\boxed{{{speed:g}}}",
        bad=f"They go on at {speed:g} m/s.",
    )
    slope = G * math.sin(math.radians(30))
    yield Draft(
        id="physics-incline",
        discipline="physics",
        task_type="physics_formatted_reasoning_process",
        question=(
            "A block slides down a smooth slope of 30°. What is its acceleration, in m/s²? "
            "Take g = 9.81 m/s²."
        ),
        reference=f"{slope:.1f}",
        demands=(
            demand(
                "physics:analysis_steps",
                "Name the forces, write Newton's second law along the slope, then solve it.",
                steps=[
                    "Name the forces on the block",
                    "Write Newton's second law along the slope",
                    "Solve for the acceleration",
                ],
            ),
            demand("response_structure", position="end"),
        ),
        good=(
            "1. Weight and the normal force act.\n2. Along the slope, m a = m g sin 30°.\n"
            f"3. Half of g remains.\n\nFinal answer: {slope:.1f} m/s²"
        ),
        bad=f"Final answer: {slope:.1f} m/s²\n\nHalf of g remains on the slope.",
    )
