"""Chemistry drafts: masses, molecules, gas law, syntheses, skeletal formulas."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ifbench.benchmarks.scimif.starter.draft import Draft, demand
from ifbench.benchmarks.scimif.starter.pictures import ring, skeleton, zigzag

# Standard atomic weights, abridged to the digits that two decimals of a molar mass need.
MASS = {"H": 1.008, "C": 12.011, "N": 14.007, "O": 15.999, "Na": 22.990, "S": 32.06, "Cl": 35.45}
R = 8.314  # J/(mol K)


def chemistry() -> Iterator[Draft]:
    """Fifteen samples."""
    yield from _masses()
    yield from _molecules()
    yield from _counts()
    yield from _gases()
    yield from _syntheses()
    yield from _formulas()


def molar_mass(atoms: dict[str, int]) -> float:
    """In g/mol."""
    return sum(MASS[symbol] * count for symbol, count in atoms.items())


def _masses() -> Iterator[Draft]:
    cases = (
        ("glucose", "C6H12O6", {"C": 6, "H": 12, "O": 6}),
        ("sodium chloride", "NaCl", {"Na": 1, "Cl": 1}),
        ("urea", "CO(NH2)2", {"C": 1, "O": 1, "N": 2, "H": 4}),
    )
    shapes = (
        (demand("json_constraint", required_keys=["molar_mass"]), '{{"molar_mass": {}}}'),
        (demand("wrap_up"), "\\boxed{{{}}}"),
        (demand("tuple_constraint"), "({},)"),
    )
    for (name, formula, atoms), (shape, form) in zip(cases, shapes, strict=True):
        value = molar_mass(atoms)
        yield Draft(
            id=f"chemistry-mass-{name.replace(' ', '-')}",
            discipline="chemistry",
            task_type="chemistry_numerical_task",
            question=f"What is the molar mass of {name} ({formula}) in g/mol?",
            reference=f"{value:.2f}",
            demands=(demand("decimal_number", places=2), shape),
            good=form.format(f"{value:.2f}"),
            bad=form.format(f"{value:.1f}"),
        )


def _molecules() -> Iterator[Draft]:
    cases = (("ethanol", "CCO", "OCC"), ("acetic acid", "CC(=O)O", "OC(C)=O"))
    for name, smiles, same in cases:
        yield Draft(
            id=f"chemistry-smiles-{name.replace(' ', '-')}",
            discipline="chemistry",
            task_type="chemistry_molecular_format",
            question=f"Write the SMILES string of {name}.",
            reference=smiles,
            demands=(
                demand(
                    "chemistry:molecular_validity",
                    "It must be valid SMILES.",
                    system="smiles",
                    key="smiles",
                    reference=smiles,
                ),
                demand("json_constraint", required_keys=["smiles"]),
            ),
            good=f'{{"smiles": "{same}"}}',
            bad=f'{{"smiles": "{smiles}("}}',
        )


def _counts() -> Iterator[Draft]:
    cases = (
        ({"C": 5, "O": 1}, "CCCCCO", "CCCCO"),
        ({"C": 6, "N": 1, "O": 1}, "NCCCCCC=O", "NCCCCC=O"),
        ({"C": 2, "Cl": 3}, "CC(Cl)(Cl)Cl", "CC(Cl)(Cl)Br"),
    )
    names = {"C": "carbon", "N": "nitrogen", "O": "oxygen", "Cl": "chlorine"}
    for atoms, good, bad in cases:
        asked = [f"{n} {names[s]} atom{'s' if n > 1 else ''}" for s, n in atoms.items()]
        wish = ", ".join(asked[:-1]) + " and " + asked[-1]
        formula = "".join(f"{s}{n}" for s, n in atoms.items())
        yield Draft(
            id=f"chemistry-atoms-{formula}",
            discipline="chemistry",
            task_type="chemistry_molcustom_atomnum",
            question=f"Propose a molecule with {wish}; hydrogen atoms are free.",
            reference=None,
            demands=(
                demand(
                    "chemistry:atom_count_constraint",
                    "No other element may occur. Give the molecule as SMILES.",
                    atoms=atoms,
                ),
                demand("wrap_up", "Put the SMILES inside \\boxed{}.")
                if formula != "C5O1"
                else demand(
                    "list_constraint",
                    "Return only a Python list that holds the SMILES as its one string.",
                    length=1,
                ),
            ),
            good=f"\\boxed{{{good}}}" if formula != "C5O1" else f"['{good}']",
            bad=f"\\boxed{{{bad}}}" if formula != "C5O1" else f"['{bad}']",
        )


def _gases() -> Iterator[Draft]:
    for moles, kelvin, litres in ((2.0, 300.0, 10.0), (0.5, 350.0, 4.0)):
        pascal = moles * R * kelvin / (litres / 1000)
        kilo = f"{pascal / 1000:.1f}"
        yield Draft(
            id=f"chemistry-gas-{moles:g}-mol",
            discipline="chemistry",
            task_type="chemistry_numerical_task",
            question=(
                f"{moles:g} mol of a gas fill {litres:g} L at {kelvin:g} K. "
                "What is the pressure in kPa? Take R = 8.314 J/(mol K)."
            ),
            reference=kilo,
            demands=(
                demand(
                    "chemistry:method_constraint",
                    "Use the ideal gas law, and say that you do.",
                    methods=[
                        {
                            "name": "ideal gas law",
                            "aliases": ["ideal gas equation", "perfect gas law"],
                            "formula_patterns": ["PV = nRT", "P = nRT/V"],
                        }
                    ],
                ),
                demand("response_structure", position="end"),
                demand(
                    "decimal_number",
                    "Give the final answer with one decimal place.",
                    places=1,
                    scope="final",
                ),
            ),
            good=f"By the ideal gas law, PV = nRT, the pressure follows.\n\nFinal answer: {kilo} kPa",
            bad=f"Final answer: {kilo} kPa\n\nPressure times volume gave it.",
        )


def _syntheses() -> Iterator[Draft]:
    yield Draft(
        id="chemistry-steps-aspirin",
        discipline="chemistry",
        task_type="chemistry_reaction_steps",
        question="Outline how aspirin is made from salicylic acid in a school laboratory.",
        reference="acetylation with acetic anhydride, quench with water, crystallization, filtration",
        demands=(
            demand(
                "chemistry:reaction_steps",
                "Give the procedure as numbered steps in their order: the acetylation with acetic "
                "anhydride, the quench with water, the crystallization, and the filtration.",
                steps=[
                    "acetylate salicylic acid with acetic anhydride, with an acid as catalyst",
                    "add water to destroy the excess of acetic anhydride",
                    "cool, so that aspirin crystallizes",
                    "filter the crystals off and wash them",
                ],
            ),
            demand("markdown_constraint"),
        ),
        good=(
            "1. **Acetylation**: warm salicylic acid with acetic anhydride and a drop of acid.\n"
            "2. **Quench**: add water to destroy what is left of the anhydride.\n"
            "3. **Crystallization**: cool in ice until crystals form.\n"
            "4. **Filtration**: filter the crystals off and wash them with cold water."
        ),
        bad="Mix everything, wait, and collect the crystals.",
    )
    yield Draft(
        id="chemistry-steps-ester",
        discipline="chemistry",
        task_type="chemistry_reaction_steps",
        question="Explain how ethyl acetate is prepared by Fischer esterification.",
        reference="mix acid and alcohol, add acid catalyst, heat under reflux, neutralize, distil",
        demands=(
            demand(
                "chemistry:reaction_steps",
                "Number the steps, from mixing the reactants over heating under reflux and "
                "neutralizing the acid to distilling the ester.",
                steps=[
                    "mix acetic acid and ethanol with a strong acid as catalyst",
                    "heat under reflux",
                    "neutralize the remaining acid",
                    "distil the ester",
                ],
            ),
            demand("all_lowercase"),
        ),
        good=(
            "1. mix acetic acid and ethanol and add a little sulfuric acid.\n"
            "2. heat the mixture under reflux.\n"
            "3. neutralize the acid with a carbonate solution.\n"
            "4. distil the ester."
        ),
        bad="1. Mix acetic acid and ethanol.\n2. Heat.\n3. Neutralize.\n4. Distil.",
    )


def _formulas() -> Iterator[Draft]:
    hexagon = ring(6)
    benzene = [(k, (k + 1) % 6, 2 if k % 2 else 1) for k in range(6)]
    phenol = partial(skeleton, [*hexagon, (200, 30)], [*benzene, (0, 6, 1)], {6: "OH"})
    yield Draft(
        id="chemistry-picture-phenol",
        discipline="chemistry",
        task_type="chemistry_entity_option",
        question="Which compound does the skeletal formula show?",
        reference="phenol",
        demands=(demand("choose_from", options=["phenol", "toluene", "aniline", "cyclohexanol"]),),
        good="phenol",
        bad="aniline or phenol",
        picture=phenol,
    )
    chain = zigzag(5)
    pentane = partial(skeleton, chain, [(k, k + 1, 1) for k in range(4)], {})
    yield Draft(
        id="chemistry-picture-pentane",
        discipline="chemistry",
        task_type="chemistry_open_ended",
        question="How many carbon atoms does the molecule in the skeletal formula have?",
        reference="5",
        demands=(demand("dictionary_constraint"),),
        good="{'carbon atoms': 5}",
        bad="There are 5 carbon atoms.",
        picture=pentane,
    )
    butanone = partial(
        skeleton, [*zigzag(4), (160, 60)], [(0, 1, 1), (1, 2, 1), (2, 3, 1), (1, 4, 2)], {4: "O"}
    )
    yield Draft(
        id="chemistry-picture-ketone",
        discipline="chemistry",
        task_type="chemistry_open_ended",
        question="Is the compound in the skeletal formula a ketone?",
        reference="yes",
        demands=(demand("judge"),),
        good="Yes",
        bad="Yes, since its carbonyl group stands between two carbon atoms.",
        picture=butanone,
    )
