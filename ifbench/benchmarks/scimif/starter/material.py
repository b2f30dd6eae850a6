"""Materials drafts: crystals, phases, strength, microstructure."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

from ifbench.benchmarks.scimif.starter.draft import Draft, demand
from ifbench.benchmarks.scimif.starter.pictures import micrograph, phase_diagram, plot, unit_cell

AVOGADRO = 6.022e23


def material() -> Iterator[Draft]:
    """Eighteen samples."""
    yield from _crystals()
    yield from _phases()
    yield from _strength()
    yield from _words()
    yield from _disciplined()


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


def _disciplined() -> Iterator[Draft]:
    """Techniques, kinds of properties, a law and an analysis in steps."""
    yield Draft(
        id="material-technique",
        discipline="material",
        task_type="material_characterization_technique",
        question="Which technique finds the spacing of lattice planes from the angles of reflected X-rays?",
        reference="X-ray diffraction (XRD)",
        demands=(
            demand(
                "material:characterization_technique",
                "Name one characterization technique.",
                allowed=["XRD"],
            ),
        ),
        good="X-ray diffraction (XRD)",
        bad="X-ray photoelectron spectroscopy (XPS)",
    )
    yield Draft(
        id="material-gap-kind",
        discipline="material",
        task_type="material_property_prediction",
        question=(
            "The valence band of a crystal is highest at Γ, its conduction band lowest near X. "
            "Of which kind is the band gap?"
        ),
        reference="Indirect",
        demands=(
            demand(
                "material:property_type",
                "Answer with the label Direct or Indirect.",
                kind="label",
                labels=["Direct", "Indirect"],
            ),
        ),
        good="Indirect",
        bad="neither of both",
    )
    gap = 1240 / 400
    yield Draft(
        id="material-gap-value",
        discipline="material",
        task_type="material_property_prediction",
        question=(
            "A semiconductor absorbs light of at most 400 nm. How large is its band gap? "
            "Take hc = 1240 eV nm."
        ),
        reference=f"{gap:.1f}",
        demands=(
            demand(
                "material:property_type",
                "Answer with one number, in eV.",
                kind="number",
                unit="eV",
            ),
        ),
        good=f"{gap:.1f} eV",
        bad="3 to 4 eV",
    )
    strength = 70 + 0.74 / math.sqrt(1e-4)
    yield Draft(
        id="material-hall-petch",
        discipline="material",
        task_type="material_reasoning_process",
        question=(
            "An iron has a friction stress of 70 MPa, a strengthening coefficient of 0.74 MPa m^0.5 "
            "and grains of 100 µm. What is its yield strength, in MPa?"
        ),
        reference=f"{strength:.0f}",
        demands=(
            demand(
                "material:method_constraint",
                "Apply the Hall-Petch relation and name it.",
                methods=[{"name": "Hall-Petch relation", "aliases": ["Hall-Petch equation"]}],
            ),
            demand("wrap_up"),
        ),
        good=f"The Hall-Petch relation adds 74 MPa to 70 MPa: \\boxed{{{strength:.0f}}}",
        bad=f"The yield strength is {strength:.0f} MPa.",
    )
    porosity = 100 * (1 - 30 / 10 / 4)
    yield Draft(
        id="material-porosity",
        discipline="material",
        task_type="material_reasoning_process",
        question=(
            "A ceramic disc of 30 g fills 10 cm³; without pores it would have 4.0 g/cm³. "
            "What is its porosity, in percent?"
        ),
        reference=f"{porosity:.0f}",
        demands=(
            demand(
                "material:analysis_steps_constraint",
                "First find the bulk density, then the relative density, then the porosity.",
                steps=[
                    "Find the bulk density",
                    "Find the relative density",
                    "Find the porosity",
                ],
            ),
            demand("response_structure", position="end"),
        ),
        good=(
            "1. The bulk density is 3.0 g/cm³.\n2. That is 0.75 of the full density.\n"
            f"3. The rest are pores.\n\nFinal answer: {porosity:.0f} %"
        ),
        bad=f"Final answer: {porosity:.0f} %\n\nThe bulk density is 3.0 g/cm³.",
    )
