"""Materials drafts: crystals, phases, strength, microstructure."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

from ifbench.benchmarks.scimif.starter.draft import Draft, demand
from ifbench.benchmarks.scimif.starter.pictures import micrograph, phase_diagram, plot, unit_cell

AVOGADRO = 6.022e23


def material() -> Iterator[Draft]:
    """Thirteen samples."""
    yield from _crystals()
    yield from _phases()
    yield from _strength()
    yield from _words()


def density(atoms: int, grams_per_mol: float, edge_nm: float) -> float:
    """Of a cubic crystal, in g/cm³."""
    return atoms * grams_per_mol / (AVOGADRO * (edge_nm * 1e-7) ** 3)


def _crystals() -> Iterator[Draft]:
    for kind, atoms, good_name in (("body", 2, "bcc"), ("face", 4, "fcc")):
        yield Draft(
            id=f"material-cell-{kind}",
            discipline="material",
            task_type="material_reasoning_process",
            question="How many atoms belong to the cubic unit cell in the picture?",
            reference=str(atoms),
            demands=(demand("wrap_up"), demand("all_lowercase")),
            good=f"the cell is {good_name}, so \\boxed{{{atoms}}}",
            bad=f"The cell is {good_name}, so \\boxed{{{atoms}}}",
            picture=partial(unit_cell, kind),
        )
    value = density(4, 63.55, 0.3615)
    yield Draft(
        id="material-density-copper",
        discipline="material",
        task_type="material_numerical_problem",
        question=(
            "Copper is face-centred cubic with an edge of 0.3615 nm and a molar mass of 63.55 "
            "g/mol. What is its density in g/cm³?"
        ),
        reference=f"{value:.2f}",
        demands=(
            demand("decimal_number", places=2),
            demand("json_constraint", required_keys=["density"]),
        ),
        good=f'{{"density": {value:.2f}}}',
        bad=f'{{"density": {value:.3f}}}',
    )
    angle = math.degrees(math.asin(0.15406 / (2 * 0.2)))
    yield Draft(
        id="material-bragg",
        discipline="material",
        task_type="material_numerical_problem",
        question=(
            "X-rays of 0.15406 nm are diffracted in first order by planes 0.2000 nm apart. "
            "What is the Bragg angle, in degrees?"
        ),
        reference=f"{angle:.1f}",
        demands=(
            demand(
                "decimal_number",
                "Give the final answer with one decimal place.",
                places=1,
                scope="final",
            ),
            demand("response_structure", position="middle"),
        ),
        good=(
            "Bragg's law links angle and spacing.\n\n"
            f"Final answer: {angle:.1f} degrees\n\n"
            "The order is the first."
        ),
        bad=f"Bragg's law links angle and spacing.\n\nFinal answer: {angle:.1f} degrees",
    )


def _phases() -> Iterator[Draft]:
    solid, overall, liquid = 60.0, 45.0, 20.0
    share = (overall - liquid) / (solid - liquid)
    drawn = partial(phase_diagram, liquid, overall, solid)
    yield Draft(
        id="material-lever-rule",
        discipline="material",
        task_type="material_reasoning_process",
        question=(
            "The tie line joins liquid of 20 % B and solid of 60 % B; the alloy has 45 % B. "
            "Which mass fraction is solid?"
        ),
        reference=f"{share:.3f}",
        demands=(demand("decimal_number", places=3), demand("list_constraint", length=1)),
        good=f"[{share:.3f}]",
        bad=f"[{share:.2f}]",
        picture=drawn,
    )
    yield Draft(
        id="material-lens-diagram",
        discipline="material",
        task_type="material_characterization_technique",
        question="Do A and B mix in every proportion in the solid state, by this diagram?",
        reference="yes",
        demands=(demand("judge"),),
        good="yes",
        bad="yes and no",
        picture=drawn,
    )
    yield Draft(
        id="material-particles",
        discipline="material",
        task_type="material_characterization_technique",
        question="How many dark particles does the schematic micrograph show?",
        reference="7",
        demands=(demand("dictionary_constraint"),),
        good="{'particles': 7}",
        bad='{"particles": seven}',
        picture=partial(micrograph, 7, 11),
    )


def _strength() -> Iterator[Draft]:
    tensile = [(0.0, 0.0), (0.1, 70.0), (0.2, 140.0), (0.3, 210.0)]
    yield Draft(
        id="material-youngs-modulus",
        discipline="material",
        task_type="material_numerical_problem",
        question="What is Young's modulus of the material in the stress-strain plot, in Pa?",
        reference="7.0e10",
        demands=(demand("scientific_annotation"),),
        good="7.0 × 10^10 Pa",
        bad="70000000000 Pa",
        picture=partial(plot, "strain (%)", "stress (MPa)", tensile, (0.1, 70.0), (0.3, 210.0)),
    )
    yield Draft(
        id="material-hardness",
        discipline="material",
        task_type="material_property_prediction",
        question="Which of these materials is the hardest?",
        reference="diamond",
        demands=(demand("choose_from", options=["diamond", "copper", "quartz", "talc"]),),
        good="diamond",
        bad="quartz, after diamond",
    )
    thermal = 12e-6 * 2.0 * 50 * 1000
    yield Draft(
        id="material-expansion",
        discipline="material",
        task_type="material_numerical_problem",
        question=(
            "A steel rod of 2 m is warmed by 50 K; its coefficient of expansion is 12e-6 per K. "
            "By how many mm does it grow?"
        ),
        reference=f"{thermal:.1f}",
        demands=(
            demand("csv_constraint", header=["quantity", "value"]),
            demand("decimal_number", places=1),
        ),
        good=f"quantity,value\ngrowth,{thermal:.1f}",
        bad=f"growth,{thermal:.1f}",
    )


def _words() -> Iterator[Draft]:
    yield Draft(
        id="material-strengthening",
        discipline="material",
        task_type="material_reasoning_process",
        question="How can a metal be made stronger?",
        reference="grain refinement, solid solution, work hardening, precipitation",
        demands=(
            demand("number_response", "Name exactly 4 different mechanisms.", n=4),
            demand("html_constraint"),
        ),
        good=(
            "<ol><li>grain refinement</li><li>solid solution</li><li>work hardening</li>"
            "<li>precipitation</li></ol>"
        ),
        bad="grain refinement, solid solution, work hardening, precipitation",
    )
    yield Draft(
        id="material-abbreviation",
        discipline="material",
        task_type="material_characterization_technique",
        question="Which electron microscope scans a surface? Give its usual abbreviation.",
        reference="SEM",
        demands=(demand("all_uppercase"),),
        good="SEM",
        bad="the SEM",
    )
    yield Draft(
        id="material-classes",
        discipline="material",
        task_type="material_property_prediction",
        question="Name the class of materials that glass belongs to, and say if it is crystalline.",
        reference={"class": "ceramic", "crystalline": "no"},
        demands=(demand("xml_constraint", root="material"),),
        good="<material><class>ceramic</class><crystalline>no</crystalline></material>",
        bad="<material class=ceramic>not crystalline</material>",
    )
