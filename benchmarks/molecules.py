"""Molecule speed: atoms, bonds and functional groups counted, beside a naive way.

    python benchmarks/molecules.py [--passes 5] [--core 0]

A molecule is a SMILES (some hundreds, put together below by a seeded generator: simple,
drug-like, salts and organometallic). For each are counted its atoms, its bonds of all six kinds
and all groups of one convention. The naive way parses again for every count and compiles each
pattern when it is used. Nothing is remembered from one pass to the next. Also timed: the two
checks of SciMIF on an answer, from its text to the verdict. On a busy machine trust the ratio
and the rate by processor.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from rdkit import Chem, rdBase

from ifbench.constraints import all_constraints
from ifbench.constraints.constraint import Check, locate
from ifbench.parsing import molecules
from ifbench.parsing.functional_groups import PATTERNS, Convention, count_groups
from ifbench.parsing.molecules import BondKind, NoMolecule, count_bonds, parse_molecule

AIM = 2_000
COUNT = 400
BONDS: tuple[BondKind, ...] = ("single", "double", "triple", "aromatic", "rotatable", "total")
Counts = tuple[dict[str, int], dict[str, int], dict[str, int]]

_CORES = (
    "c1ccc({0})cc1{1}",
    "c1cc({0})ncc1{1}",
    "C1CCN({0})CC1{1}",
    "c1ccc2c(c1)cc({0})n2{1}",
    "c1cnc({0})nc1{1}",
    "C1COCCN1C({0})C{1}",
    "c1cc({0})sc1{1}",
    "O=C1CC({0})C(=O)N1{1}",
    "C1=CC({0})CC1{1}",
    "C(C)(C{0})CC{1}",
)
_LINKERS = ("", "C", "CC", "C(=O)N", "NC(=O)", "OC", "S(=O)(=O)N", "C=C", "C#C", "CSC", "C(C)C")
_ENDS = (
    "O", "N", "C", "CC", "F", "Cl", "Br", "C#N", "C(=O)O", "C(=O)OC", "OC", "N(C)C", "C(F)(F)F",
    "[N+](=O)[O-]", "S", "SC", "C=O", "C(C)=O", "S(C)(=O)=O", "S(C)=O", "c1ccccc1", "c1ccncc1",
    "C1CC1", "B(O)O", "OP(=O)(O)O", "C(=O)Cl", "SSC", "N1CCOCC1",
)  # fmt: skip
_SALTS = (".Cl", ".Br", ".[Na+].[Cl-]", ".OS(=O)(=O)O")
_SIMPLE = (
    "C", "CCO", "CC(=O)O", "c1ccccc1", "C=C", "C#N", "CC(C)=O", "O=C=O", "OCC(O)CO", "CSSC",
    "CC(=O)OC(C)=O", "OC(=O)c1ccccc1O", "NCC(=O)O", "FC(F)(F)F", "CB(C)C",
)  # fmt: skip
_METALS = (
    "C[Mg]Br", "CC[Zn]CC", "C[Sn](C)(C)C", "[Li]CCCC", "C[Hg]C", "Cl[Pt](Cl)(N)N",
    "C[Al](C)C", "CC[Pb](CC)(CC)CC", "c1ccccc1[Mg]Cl", "C[Si](C)(C)Cl",
)  # fmt: skip


def made_molecules(seed: int = 3, count: int = COUNT) -> list[str]:
    """Different SMILES, all of which RDKit reads: two parts core and parts, the rest simple."""
    rng = random.Random(seed)
    made = dict.fromkeys((*_SIMPLE, *_METALS))
    while len(made) < count:
        parts = [rng.choice(_LINKERS) + rng.choice(_ENDS) for _ in range(2)]
        # Ring numbers of the parts are closed before those of the core go on.
        parts = [part.replace("1", "3") for part in parts]
        smiles = rng.choice(_CORES).format(*parts)
        smiles += rng.choice(_SALTS) if rng.random() < 0.1 else ""
        if Chem.MolFromSmiles(smiles) is not None:
            made[smiles] = None
    return list(made)


# ── The ways ─────────────────────────────────────────────────────────────────────────


def forget() -> None:
    """Drop every molecule that was read, so that each pass reads it anew."""
    parse_molecule.cache_clear()
    molecules._parsed.cache_clear()


def count_all(notation: str, convention: Convention) -> Counts:
    molecule = parse_molecule(notation)
    bonds = count_bonds(notation, BONDS)
    groups = count_groups(notation, tuple(PATTERNS[convention]), convention)
    assert not isinstance(molecule, NoMolecule)
    assert not isinstance(bonds, NoMolecule)
    assert not isinstance(groups, NoMolecule)
    return dict(molecule.atoms), dict(bonds), dict(groups)


def count_naively(notation: str, convention: Convention) -> Counts:
    atoms: dict[str, int] = {}
    for atom in Chem.MolFromSmiles(notation).GetAtoms():
        if atom.GetAtomicNum() != 1:
            atoms[atom.GetSymbol()] = atoms.get(atom.GetSymbol(), 0) + 1
    bonds = {kind: _bonds_naively(notation, kind) for kind in BONDS}
    groups = {
        name: _matches(notation, pattern.smarts)
        - (_matches(notation, pattern.less) if pattern.less else 0)
        for name, pattern in PATTERNS[convention].items()
    }
    return atoms, bonds, groups


def _bonds_naively(notation: str, kind: BondKind) -> int:
    mol = Chem.MolFromSmiles(notation)
    if kind == "rotatable":
        from rdkit.Chem import rdMolDescriptors

        return int(rdMolDescriptors.CalcNumRotatableBonds(mol))
    if kind == "total":
        return int(mol.GetNumBonds())
    return sum(str(bond.GetBondType()).lower() == kind for bond in mol.GetBonds())


def _matches(notation: str, smarts: str) -> int:
    return len(Chem.MolFromSmiles(notation).GetSubstructMatches(Chem.MolFromSmarts(smarts)))


def check_both(notation: str) -> tuple[Check | None, ...]:
    """From an answer's text to two verdicts, on its bonds and its groups."""
    text = f"The molecule below meets all demands.\n\nSMILES: `{notation}`"
    known = all_constraints()
    bonds = known["chemistry:atom_bond_constraint"]
    groups = known["chemistry:atom_group_constraint"]
    return (
        locate(bonds, text, bonds.params.model_validate({"bonds": {"double": 1, "aromatic": 6}})),
        locate(groups, text, groups.params.model_validate({"groups": {"hydroxyl": 1, "amide": 1}})),
    )


# ── Measuring ────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Rate:
    """Molecules a second, of the least disturbed pass."""

    by_clock: float
    by_processor: float


def measure(count: Callable[[str], object], notations: Sequence[str], passes: int) -> Rate:
    by_clock = by_processor = 0.0
    for _ in range(passes):
        forget()
        start, worked = time.perf_counter(), time.process_time()
        for notation in notations:
            count(notation)
        by_clock = max(by_clock, len(notations) / (time.perf_counter() - start))
        by_processor = max(by_processor, len(notations) / (time.process_time() - worked))
    return Rate(by_clock, by_processor)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--passes", type=int, default=5, help="passes of each way (default 5)")
    parser.add_argument(
        "--core", type=int, default=None, help="core to run on (default: the first)"
    )
    arguments = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        core = min(os.sched_getaffinity(0)) if arguments.core is None else arguments.core
        os.sched_setaffinity(0, {core})
    rdBase.DisableLog("rdApp.*")
    notations = made_molecules()
    heavy = [sum(count_all(notation, "tomg")[0].values()) for notation in notations]
    print(f"{len(notations)} molecules, {sum(heavy) / len(heavy):.0f} heavy atoms on average")
    print(f"{'molecules a second':34} {'by clock':>9} {'by processor':>13}   ours : naive")
    for convention in PATTERNS:
        ours, naive = (
            partial(count_all, convention=convention),
            partial(count_naively, convention=convention),
        )
        assert [ours(n) for n in notations] == [naive(n) for n in notations], "the counts differ"
        rates = measure(ours, notations, arguments.passes), measure(naive, notations, 1)
        show(f"{convention}, {len(PATTERNS[convention])} groups", rates[0], rates[1])
        show("  naive", rates[1], rates[1])
        if convention == "tomg":
            headline = rates[0].by_processor
    show("text to two verdicts", measure(check_both, notations, arguments.passes), None)
    print(f"aim: {AIM:,} with the groups of tomg; {headline / AIM:.2f} of it")


def show(way: str, rate: Rate, naive: Rate | None) -> None:
    ratio = f"{rate.by_processor / naive.by_processor:12.1f}" if naive else ""
    print(f"{way:34} {rate.by_clock:9,.0f} {rate.by_processor:13,.0f}   {ratio}")


if __name__ == "__main__":
    main()
