"""Functional groups of a molecule, counted under one of two conventions.

`tomg` counts as the scorer of TOMG-Bench does, from which SciMIF's design samples come: by
patterns that look at few neighbours, so that one atom may serve in several groups. `chemical`
counts what a chemist would name. The two differ on purpose and are never mixed. All patterns
are our own; `molecules` matches them. They begin at the rarer atom, which halves the search.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Literal, TypeAlias

from ifbench.parsing.molecules import NoMolecule, Readable, count_matches, parse_molecule

Convention: TypeAlias = Literal["tomg", "chemical"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """How one group is counted."""

    smarts: str
    less: str = ""
    """A second pattern, whose number of matches is taken off."""
    needs: str = ""
    """Atoms that a molecule must have for a match, as a formula (`NO2`); it saves the search."""
    holds: tuple[str, ...] = ()
    """Elements one of which it must have besides."""

    def may_match(self, atoms: Mapping[str, int]) -> bool:
        """False where the molecule lacks the atoms."""
        if self.holds and atoms.keys().isdisjoint(self.holds):
            return False
        for symbol, number in _atoms_of(self.needs):  # noqa: SIM110  # `all` takes thrice the time.
            if atoms.get(symbol, 0) < number:
                return False
        return True


@cache
def _atoms_of(formula: str) -> tuple[tuple[str, int], ...]:
    parts = re.findall(r"([A-Z][a-z]?)(\d*)", formula)
    return tuple((symbol, int(number or 1)) for symbol, number in parts)


# TOMG-Bench's own rules where they are known; where one is silent, the narrow reading.
_TOMG: Mapping[str, Pattern] = MappingProxyType(
    {
        # Each ring atom stands in one ring only: naphthalene has none.
        "benzene_ring": Pattern(smarts="[c;R1]1[c;R1][c;R1][c;R1][c;R1][c;R1]1"),
        # Also the OH of an acid, and that on boron.
        "hydroxyl": Pattern(smarts="[OX2H1]", needs="O"),
        "anhydride": Pattern(smarts="[OX2]([CX3]=[OX1])[CX3]=[OX1]", needs="O3"),
        # With a carbon beside it: formaldehyde is none.
        "aldehyde": Pattern(smarts="[OX1]=[CX3H1][#6]", needs="O"),
        "ketone": Pattern(smarts="[OX1]=[CX3]([#6])[#6]", needs="O"),
        "carboxyl": Pattern(smarts="[CX3](=[OX1])[OX2H1]", needs="O2"),
        # Each half of an anhydride is one, too.
        "ester": Pattern(smarts="[OX2H0]([#6])[CX3](=[OX1])[#6]", needs="O2"),
        # With a carbon on the carbonyl: no formamide, no urea.
        "amide": Pattern(smarts="[OX1]=[CX3]([#6])[NX3]", needs="NO"),
        # Primary and secondary only.
        "amine": Pattern(smarts="[NX3;H1,H2;!$(N[#6]=[OX1])]", needs="N"),
        "nitro": Pattern(smarts="[!#8][NX3+](=[OX1])[OX1-]", needs="NO2"),
        # Ions as well.
        "halo": Pattern(smarts="[F,Cl,Br,I]", holds=("F", "Cl", "Br", "I")),
        "nitrile": Pattern(smarts="[CX2]#[NX1]", needs="N"),
        "thiol": Pattern(smarts="[SX2H1]", needs="S"),
        # Aromatic sulfur as well; a disulfide leaves one of its two.
        "sulfide": Pattern(smarts="[#16X2H0]", less="[#16X2H0][#16X2H0]", needs="S"),
        "disulfide": Pattern(smarts="[#16X2H0][#16X2H0]", needs="S2"),
        "sulfoxide": Pattern(smarts="[#6][$([#16X3]=[OX1]),$([#16X3+][OX1-])][#6]", needs="SO"),
        "sulfone": Pattern(smarts="[#6][#16X4](=[OX1])(=[OX1])[#6]", needs="SO2"),
        "borane": Pattern(smarts="[BX3]", needs="B"),
    }
)

_NOT_ACYL = "!$([#6]=[OX1,SX1,NX2])"
_ACYL = "$([CX3][#6]),$([CX3H1]),$([CX3H2])"  # Of a carbonyl with carbon or hydrogen beside it.

_CHEMICAL: Mapping[str, Pattern] = MappingProxyType(
    {
        "benzene_ring": Pattern(smarts="c1ccccc1"),
        "hydroxyl": Pattern(smarts=f"[OX2H1][#6;{_NOT_ACYL}]", needs="O"),
        "alcohol": Pattern(smarts="[OX2H1][CX4]", needs="O"),
        "phenol": Pattern(smarts="[OX2H1]c", needs="O"),
        "ether": Pattern(smarts=f"[#6;{_NOT_ACYL}][OX2H0][#6;{_NOT_ACYL}]", needs="O"),
        "anhydride": Pattern(smarts="[OX2]([CX3]=[OX1])[CX3]=[OX1]", needs="O3"),
        "aldehyde": Pattern(smarts="[$([CX3H1][#6]),$([CX3H2])]=[OX1]", needs="O"),
        "ketone": Pattern(smarts="[OX1]=[CX3]([#6])[#6]", needs="O"),
        "carboxyl": Pattern(smarts="[CX3](=[OX1])[$([OX2H1]),$([OX1-])]", needs="O2"),
        "ester": Pattern(smarts=f"[{_ACYL}](=[OX1])[OX2H0][#6;{_NOT_ACYL}]", needs="O2"),
        "amide": Pattern(smarts=f"[{_ACYL}](=[OX1])[NX3]", needs="NO"),
        "urea": Pattern(smarts="[NX3][CX3](=[OX1])[NX3]", needs="N2O"),
        # Of carbon and hydrogen alone, charged by a proton or not.
        "amine": Pattern(
            smarts="[$([NX3]),$([NX4+;!H0]);$(N[#6]);!$(N~[!#6;!#1]);!$(N~[#6]=,#[!#6])]",
            needs="N",
        ),
        "nitro": Pattern(smarts="[#6,#7][NX3+](=[OX1])[OX1-]", needs="NO2"),
        "halo": Pattern(smarts="[F,Cl,Br,I;X1][#6]", holds=("F", "Cl", "Br", "I")),
        "acyl_halide": Pattern(
            smarts="[CX3](=[OX1])[F,Cl,Br,I]", needs="O", holds=("F", "Cl", "Br", "I")
        ),
        "nitrile": Pattern(smarts="[#6][CX2]#[NX1]", needs="N"),
        "alkene": Pattern(smarts="[CX3,CX2]=[CX3,CX2]"),
        "alkyne": Pattern(smarts="[CX2]#[CX2]"),
        "thiol": Pattern(smarts=f"[SX2H1][#6;{_NOT_ACYL}]", needs="S"),
        "sulfide": Pattern(smarts=f"[#6;{_NOT_ACYL}][SX2H0][#6;{_NOT_ACYL}]", needs="S"),
        "thioether": Pattern(smarts=f"[#6;{_NOT_ACYL}][SX2H0][#6;{_NOT_ACYL}]", needs="S"),
        "disulfide": Pattern(smarts="[#6][SX2H0][SX2H0][#6]", needs="S2"),
        "sulfoxide": Pattern(smarts="[#6][$([#16X3]=[OX1]),$([#16X3+][OX1-])][#6]", needs="SO"),
        "sulfone": Pattern(smarts="[#6][#16X4](=[OX1])(=[OX1])[#6]", needs="SO2"),
        "sulfonamide": Pattern(smarts="[#6][#16X4](=[OX1])(=[OX1])[NX3]", needs="SO2N"),
        "phosphate": Pattern(smarts="[PX4](=[OX1])([OX2,OX1-])([OX2,OX1-])[OX2,OX1-]", needs="PO4"),
        "borane": Pattern(smarts="[BX3;!$(B~[!#6;!#1;!F;!Cl;!Br;!I])]", needs="B"),
    }
)

PATTERNS: Mapping[Convention, Mapping[str, Pattern]] = MappingProxyType(
    {"tomg": _TOMG, "chemical": _CHEMICAL}
)
"""The groups of each convention; TOMG-Bench leaves thioethers out of its count."""


def count_groups(
    notation: str,
    names: tuple[str, ...],
    convention: Convention,
    system: Readable = "smiles",
) -> Mapping[str, int] | NoMolecule:
    """How often each named group stands in a molecule.

    Raises KeyError for a name that the convention does not know.
    """
    table = PATTERNS[convention]
    molecule = parse_molecule(notation, system)
    if isinstance(molecule, NoMolecule):
        return molecule
    present = {
        name: pattern for name in names if (pattern := table[name]).may_match(molecule.atoms)
    }
    wanted = {pattern.smarts for pattern in present.values()}
    wanted |= {pattern.less for pattern in present.values() if pattern.less}
    smarts = tuple(sorted(wanted))
    counted = count_matches(notation, smarts, system)
    if isinstance(counted, NoMolecule):
        return counted
    number = dict(zip(smarts, counted, strict=True))
    return {
        name: number[present[name].smarts] - number.get(present[name].less, 0)
        if name in present
        else 0
        for name in names
    }
