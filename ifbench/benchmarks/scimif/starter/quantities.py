"""Drafts about quantities with their units, and about molecules with so many bonds or groups."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ifbench.benchmarks.scimif.starter.draft import Draft, demand


def quantities() -> Iterator[Draft]:
    """Seven samples: a unit in each discipline, bonds, and functional groups."""
    yield from _units()
    yield from _molecules()


def _units() -> Iterator[Draft]:
    heat = 4.184 * 250 * 12 / 1000  # kJ: water, 250 g, 12 K
    yield Draft(
        id="chemistry-heat-water",
        discipline="chemistry",
        task_type="chemistry_numerical_task",
        question=(
            "How much heat do 250 g of water take up when they warm by 12 °C? "
            "Take 4.184 J/(g·K) as the specific heat."
        ),
        reference=f"{heat:.2f} kJ",
        demands=(
            demand("chemistry:unit_consistency", "Give the final answer in kilojoules.", unit="kJ"),
            demand("decimal_number", places=2, scope="final"),
        ),
        good=f"q = m c ΔT. The answer is {heat:.2f} kJ.",
        bad=f"q = m c ΔT. The answer is {heat * 1000:.0f} J.",
    )
    ground = 3.6 * 25_000 / 100_000  # km: 3.6 cm on a map of 1 : 25,000
    yield Draft(
        id="geography-map-kilometres",
        discipline="geography",
        task_type="earth_calculation_task",
        question="On a map of 1 : 25,000 two huts are 3.6 cm apart. How far apart are they outdoors?",
        reference=f"{ground:.1f} km",
        demands=(
            demand("geography:unit_consistency", "State the distance in kilometres.", unit="km"),
            demand("wrap_up"),
        ),
        good=f"\\boxed{{{ground:.1f}\\ \\mathrm{{km}}}}",
        bad=f"\\boxed{{{ground * 1000:.0f}\\ \\mathrm{{m}}}}",
    )
    bases = 3 * (312 + 1)  # with the stop codon
    yield Draft(
        id="biology-frame-length",
        discipline="biology",
        task_type="biology_sequence_qa",
        question=(
            "An open reading frame codes for 312 amino acids and ends with one stop codon. "
            "How long is it?"
        ),
        reference=f"{bases} bp",
        demands=(
            demand("biology:unit_consistency", "Give the length in base pairs (bp).", unit="bp"),
            demand("response_structure", position="end"),
        ),
        good=f"Each codon has three bases, and there are 313 codons.\n\nFinal answer: {bases} bp",
        bad=f"Final answer: {bases} nm\n\nEach codon has three bases.",
    )
    stress = 18_000 / (math.pi * 5**2)  # N/mm², rod of 10 mm
    yield Draft(
        id="material-rod-stress",
        discipline="material",
        task_type="material_numerical_problem",
        question="A rod of 10 mm diameter carries 18 kN in tension. What is the stress in it?",
        reference=f"{stress:.0f} MPa",
        demands=(
            demand(
                "material:unit_consistency", "Report the stress in megapascals (MPa).", unit="MPa"
            ),
            demand("json_constraint", required_keys=["stress"]),
        ),
        good=f'{{"stress": "{stress:.0f} MPa"}}',
        bad=f'{{"stress": "{stress / 1000:.3f} GPa"}}',
    )
    speed = math.sqrt(2 * 9.81 * 20)
    yield Draft(
        id="physics-drop-speed",
        discipline="physics",
        task_type="physics_formatted_numerical_task",
        question="A stone drops 20 m from rest. How fast is it then? Take g = 9.81 m/s².",
        reference=f"{speed:.1f} m/s",
        demands=(
            demand("physics:unit_consistency", "Answer in metres per second.", unit="m/s"),
            demand("decimal_number", places=1, scope="final"),
        ),
        good=f"v = √(2 g h), so the answer is {speed:.1f} m/s.",
        bad=f"v = √(2 g h), so the answer is {speed * 3.6:.1f} km/h.",
    )


def _molecules() -> Iterator[Draft]:
    yield Draft(
        id="chemistry-bonds-two-double",
        discipline="chemistry",
        task_type="chemistry_molcustom_bondnum",
        question="Propose a molecule with 2 double bonds and 1 triple bond.",
        reference=None,
        demands=(
            demand(
                "chemistry:atom_bond_constraint",
                "Other kinds of bonds are free. Give the molecule as SMILES.",
                bonds={"double": 2, "triple": 1},
            ),
            demand("wrap_up", "Put the SMILES inside \\boxed{}."),
        ),
        good="\\boxed{C=CC(=O)CC#N}",
        bad="\\boxed{C=CCC#N}",
    )
    yield Draft(
        id="chemistry-groups-hydroxyl-nitrile",
        discipline="chemistry",
        task_type="chemistry_molcustom_functionalgroup",
        question="Propose a molecule with 2 hydroxyl groups and 1 nitrile group.",
        reference=None,
        demands=(
            demand(
                "chemistry:atom_group_constraint",
                "Other groups are free. Give the molecule as SMILES.",
                groups={"hydroxyl": 2, "nitrile": 1},
            ),
            demand("wrap_up", "Put the SMILES inside \\boxed{}."),
        ),
        good="\\boxed{OCC(O)CC#N}",
        bad="\\boxed{OCCCC#N}",
    )
