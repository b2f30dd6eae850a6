"""The release's rules on molecules: can it be read, and how many atoms, bonds and groups has it.

Where the release takes the molecule from in an answer is open; we look where the paper's
constraints look, and take the first word of what stands there, as a lenient RDKit does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ifbench.constraints.constraint import Check, Example, failed, passed
from ifbench.constraints.scimif_release.amounts import AMOUNT, value_of
from ifbench.constraints.scimif_release.rule import ReleaseParams, scripted_rule, skipped
from ifbench.parsing.functional_groups import count_groups
from ifbench.parsing.molecules import (
    BondKind,
    Molecule,
    NoMolecule,
    Readable,
    count_bonds,
    parse_molecule,
)
from ifbench.parsing.notations import find_molecule

_SHOWN = 30  # Letters of a name before its ending.
_READ = 4_000  # Characters of a parameter that are searched.
# Searched for by its end: from each letter on, a long word would be read again.
_LIKE_A_NAME = re.compile(
    r"(?<=[a-z]{2})(?:ane|ene|yne|ol|al|one|acid|ate|ite|ide|ine|yl|ether|ester)\b", re.IGNORECASE
)


@scripted_rule(
    "molecular_format_validity",
    decides=("chemistry:molecular_validity",),
    group="terminology",
    reads_text=True,
    extra="chemistry",
    example=Example(
        params={"raw": "SELFIES"},
        instruction="Give the molecule as SELFIES.",
        passing="SMILES: `CCO`, as SELFIES: `[C][C][O]`",
        failing="`C1CC`",
    ),
)
def molecular_format_validity(text: str, params: ReleaseParams) -> Check:
    """A molecule in a notation that the parameter names can be read: SELFIES are tried first, then
    SMILES, then a name. Where it names none, SELFIES and SMILES are.

    How a name is tried is open; we take any word with the ending of a chemical name.
    """
    wanted = [name for name in ("selfies", "smiles", "iupac") if name in params.text.lower()]
    for name in wanted or ["selfies", "smiles"]:
        if name == "iupac":
            hit = _LIKE_A_NAME.search(text)
            if hit is not None:
                word = text[max(hit.start() - _SHOWN, 0) : hit.end()]
                letters = re.search(r"[a-z]+\Z", word, re.IGNORECASE)
                shown = letters[0] if letters else word
                return passed(f"{shown!r} looks like a chemical name")
        elif (found := _molecule(text, "selfies" if name == "selfies" else "smiles")) is not None:
            return passed(
                f"{found.notation[:60]!r} can be read as {name}", extracted=found.notation
            )
    return failed(f"no molecule can be read as {' or '.join(wanted) or 'selfies or smiles'}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A notation that can be read, in its system, and what it says."""

    notation: str
    system: Readable
    molecule: Molecule


def _molecule(text: str, *systems: Readable) -> _Found | None:
    for system in systems:
        words = (find_molecule(text, system) or "").split()
        if words:
            molecule = parse_molecule(words[0], system)
            if isinstance(molecule, Molecule):
                return _Found(notation=words[0], system=system, molecule=molecule)
    return None


# ── Atoms ────────────────────────────────────────────────────────────────────────────

_ELEMENTS: Mapping[str, str] = {
    "carbon": "C", "oxygen": "O", "nitrogen": "N", "sulfur": "S", "sulphur": "S", "fluorine": "F",
    "chlorine": "Cl", "bromine": "Br", "iodine": "I", "phosphorus": "P", "boron": "B",
    "silicon": "Si", "selenium": "Se", "tellurium": "Te", "arsenic": "As", "antimony": "Sb",
    "bismuth": "Bi", "polonium": "Po",
}  # fmt: skip
_ATOMS = re.compile(rf"{AMOUNT}\s+(?P<name>{'|'.join(_ELEMENTS)})\b", re.IGNORECASE)
_ALL_ATOMS = re.compile(rf"{AMOUNT}\s+(?:heavy\s+)?atoms?\b", re.IGNORECASE)


@scripted_rule(
    "atom_count",
    decides=("chemistry:atom_count_constraint",),
    group="number",
    reads_text=True,
    extra="chemistry",
    example=Example(
        params={"raw": "2 carbon atoms"},
        instruction="Give a molecule with two carbon atoms.",
        passing="`CCO`",
        failing="`CO`",
    ),
)
def atom_count(text: str, params: ReleaseParams) -> Check:
    """The molecule has the stated number of atoms of each named element, and in total where one is
    stated. Elements that are not named are free: ethanol has "2 carbon atoms".
    """
    raw = params.text[:_READ]
    wanted = {_ELEMENTS[m["name"].lower()]: value_of(m["amount"]) for m in _ATOMS.finditer(raw)}
    total = _ALL_ATOMS.search(raw)
    if not wanted and total is None:
        return skipped("the parameter states no number of atoms")
    found = _molecule(text, "smiles", "selfies")
    if found is None:
        return failed("no molecule can be read")
    counts = {name: found.molecule.atoms.get(name, 0) for name in wanted}
    if total is not None:
        wanted["total"], counts["total"] = value_of(total["amount"]), found.molecule.heavy_atoms
    return _compared(found, counts, {name: ("exactly", n) for name, n in wanted.items()})


# ── Bonds and groups ─────────────────────────────────────────────────────────────────

_KINDS: tuple[BondKind, ...] = ("single", "double", "triple", "aromatic", "rotatable")
_BONDS = re.compile(
    rf"{AMOUNT}\s+(?:(?P<name>{'|'.join(_KINDS)}|chemical|total)\s+)?bonds?\b", re.IGNORECASE
)


@scripted_rule(
    "atom_bond",
    decides=("chemistry:atom_bond_constraint",),
    group="number",
    reads_text=True,
    extra="chemistry",
    example=Example(
        params={"raw": "2 chemical bonds"},
        instruction="Give a molecule with two bonds.",
        passing="`CCO`",
        failing="`CCCO`",
    ),
)
def atom_bond(text: str, params: ReleaseParams) -> Check:
    """The molecule has the stated number of single, double, triple, aromatic, rotatable or of all
    bonds, those to hydrogen left out.
    """
    wanted: dict[BondKind, int] = {}
    for match in _BONDS.finditer(params.text[:_READ]):
        name = (match["name"] or "total").lower()
        wanted[next((kind for kind in _KINDS if kind == name), "total")] = value_of(match["amount"])
    if not wanted:
        return skipped("the parameter states no number of bonds")
    found = _molecule(text, "smiles", "selfies")
    if found is None:
        return failed("no molecule can be read")
    counts = count_bonds(found.notation, tuple(wanted), found.system)
    assert not isinstance(counts, NoMolecule)  # It was read above.
    numbers = {str(name): count for name, count in counts.items()}
    return _compared(found, numbers, {name: ("exactly", n) for name, n in wanted.items()})


_GROUPS: Mapping[str, str] = {
    "benzene": "benzene_ring", "hydroxyl": "hydroxyl", "anhydride": "anhydride",
    "aldehyde": "aldehyde", "ketone": "ketone", "carboxyl": "carboxyl", "ester": "ester",
    "amide": "amide", "amine": "amine", "nitro": "nitro", "halo": "halo", "halogen": "halo", "nitrile": "nitrile",
    "thiol": "thiol", "sulfide": "sulfide", "disulfide": "disulfide", "sulfoxide": "sulfoxide",
    "sulfone": "sulfone", "borane": "borane",
}  # fmt: skip
Bound: TypeAlias = Literal["exactly", "at least", "at most"]
_GROUP = re.compile(
    rf"(?:(?P<bound>exactly|at\s+least|at\s+most)\s+)?{AMOUNT}\s+"
    rf"(?P<name>{'|'.join(_GROUPS)})(?:ic|s)?\b",
    re.IGNORECASE,
)


@scripted_rule(
    "atom_group",
    decides=("chemistry:atom_group_constraint",),
    group="number",
    reads_text=True,
    extra="chemistry",
    example=Example(
        params={"raw": "at least 1 hydroxyl group"},
        instruction="Give a molecule with a hydroxyl group.",
        passing="`OCCO`",
        failing="`CCC`",
    ),
)
def atom_group(text: str, params: ReleaseParams) -> Check:
    """The molecule has exactly, at least or at most the stated number of each named group.

    The release has a table of patterns; ours is the `tomg` convention of the paper's rule. What
    cannot be read, the molecule or the parameter, is skipped.
    """
    wanted: dict[str, tuple[Bound, int]] = {}
    for match in _GROUP.finditer(params.text[:_READ]):
        bound = " ".join((match["bound"] or "exactly").lower().split())
        wanted[_GROUPS[match["name"].lower()]] = (_bound(bound), value_of(match["amount"]))
    if not wanted:
        return skipped("the parameter states no number of a known group")
    found = _molecule(text, "smiles", "selfies")
    if found is None:
        return skipped("no molecule can be read")
    counts = count_groups(found.notation, tuple(wanted), "tomg", found.system)
    assert not isinstance(counts, NoMolecule)  # It was read above.
    return _compared(found, counts, wanted)


def _bound(words: str) -> Bound:
    return "at least" if words == "at least" else "at most" if words == "at most" else "exactly"


def _compared(
    found: _Found, counts: Mapping[str, int], wanted: Mapping[str, tuple[Bound, int]]
) -> Check:
    wrong = [
        f"{counts[name]} {name}, wanted {bound} {number}"
        for name, (bound, number) in wanted.items()
        if not _meets(counts[name], bound, number)
    ]
    shown = repr(found.notation[:60])
    details = {"extracted": found.notation, "found": {"counts": dict(counts)}}
    if wrong:
        return failed(f"{shown}: {'; '.join(wrong)}", **details)
    return passed(f"{shown} has the stated numbers", **details)


def _meets(count: int, bound: Bound, number: int) -> bool:
    match bound:
        case "exactly":
            return count == number
        case "at least":
            return count >= number
        case "at most":
            return count <= number
