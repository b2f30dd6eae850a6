"""The *number* group's counts of a molecule's bonds and functional groups (SciMIF, Table 6).

What counts as a bond or a group is a convention; it is a parameter, and stands in each verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self, TypeAlias, TypeVar

from pydantic import Field, model_validator

from ifbench.constraints.constraint import Check, Example, extracted, failed, passed
from ifbench.constraints.scimif.terminology import MoleculeParams, locate_molecule
from ifbench.parsing.functional_groups import PATTERNS, Convention, count_groups
from ifbench.parsing.molecules import (
    BondKind,
    NoMolecule,
    Readable,
    count_bonds,
    parse_molecule,
)

Mode: TypeAlias = Literal["exact", "at_least", "at_most"]
Count = Annotated[int, Field(ge=0, le=10_000)]


class AtomBondParams(MoleculeParams):
    """How many bonds of which kinds a molecule holds."""

    system: Readable = "smiles"
    bonds: Annotated[Mapping[BondKind, Count], Field(min_length=1)]
    """Numbers by kind, after aromaticity is perceived; kinds that are not named are free."""
    mode: Mode = "exact"
    zero_means_any: bool = False
    """A target of 0 sets nothing: TOMG-Bench's rule, whose prompts do not name such kinds."""
    count_hydrogens: bool = False
    """Whether bonds to hydrogen are single bonds and part of the total."""

    @model_validator(mode="after")
    def _something_is_asked(self) -> Self:
        if not self.asked:
            raise ValueError("every target is 0, and `zero_means_any` makes each of them free")
        return self

    @property
    def asked(self) -> Mapping[BondKind, int]:
        return {
            kind: count for kind, count in self.bonds.items() if count or not self.zero_means_any
        }


class AtomGroupParams(MoleculeParams):
    """How many functional groups of which kinds a molecule holds."""

    system: Readable = "smiles"
    groups: Annotated[Mapping[str, Count], Field(min_length=1)]
    """Numbers by the convention's names (`parsing/functional_groups.py`); others are free."""
    mode: Mode = "exact"
    convention: Convention = "tomg"
    """`tomg` counts as the source benchmark does, `chemical` as a chemist would."""

    @model_validator(mode="after")
    def _groups_are_known(self) -> Self:
        known = PATTERNS[self.convention]
        unknown = sorted(set(self.groups) - set(known))
        if unknown:
            raise ValueError(
                f"convention {self.convention} has no group {', '.join(unknown)};"
                f" it knows {', '.join(known)}"
            )
        return self


@extracted(
    "chemistry:atom_bond_constraint",
    group="number",
    params=AtomBondParams,
    locate=locate_molecule,
    template="molecule",
    extra="chemistry",
    example=Example(
        params={"bonds": {"double": 1, "aromatic": 6}},
        instruction="Give the SMILES of a molecule with one double and six aromatic bonds.",
        passing="SMILES: `C=Cc1ccccc1`",
        failing="SMILES: `CCc1ccccc1`",
    ),
)
def atom_bond(quotations: tuple[str, ...], params: AtomBondParams) -> Check:
    """The molecule has the asked number of bonds of each named kind.

    Kekulé's benzene has six aromatic and no double bonds; amide bonds do not rotate.
    """
    rule = "bonds to hydrogen counted" if params.count_hydrogens else "bonds to hydrogen left out"
    if params.zero_means_any:
        rule += ", a target of 0 free"
    flaw = _read(quotations, params)
    if flaw is not None:
        return flaw
    notation = quotations[-1]
    counts = count_bonds(
        notation, tuple(params.asked), params.system, with_hydrogens=params.count_hydrogens
    )
    assert not isinstance(counts, NoMolecule)  # It was read above.
    return _compare(notation, counts, params.asked, params.mode, rule, what="bonds")


@extracted(
    "chemistry:atom_group_constraint",
    group="number",
    params=AtomGroupParams,
    locate=locate_molecule,
    template="molecule",
    extra="chemistry",
    example=Example(
        params={"groups": {"hydroxyl": 1, "benzene_ring": 1}, "convention": "chemical"},
        instruction="Give the SMILES of a molecule with one hydroxyl group and one benzene ring.",
        passing="SMILES: `OCc1ccccc1`",
        failing="SMILES: `OC(=O)c1ccccc1`",
    ),
)
def atom_group(quotations: tuple[str, ...], params: AtomGroupParams) -> Check:
    """The molecule has the asked number of functional groups of each named kind.

    The convention decides what counts: under `tomg` the OH of an acid is a hydroxyl, too.
    """
    flaw = _read(quotations, params)
    if flaw is not None:
        return flaw
    notation = quotations[-1]
    groups = count_groups(notation, tuple(params.groups), params.convention, params.system)
    assert not isinstance(groups, NoMolecule)  # It was read above.
    rule = f"convention {params.convention}"
    return _compare(notation, groups, params.groups, params.mode, rule, what="groups")


Kind = TypeVar("Kind", bound=str)


def _read(quotations: tuple[str, ...], params: AtomBondParams | AtomGroupParams) -> Check | None:
    """Why there is no molecule to count in; `None` where there is one."""
    if not quotations:
        return failed("the answer gives no molecule")
    notation = quotations[-1]
    molecule = parse_molecule(notation, params.system)
    if isinstance(molecule, NoMolecule):
        return failed(f"{_shown(notation)}: {molecule.reason}", extracted=notation)
    if not params.allow_fragments and molecule.fragments > 1:
        reason = f"it has {molecule.fragments} fragments, one molecule is asked for"
        return failed(f"{_shown(notation)}: {reason}", extracted=notation)
    return None


def _compare(
    notation: str,
    counts: Mapping[Kind, int],
    asked: Mapping[Kind, int],
    mode: Mode,
    rule: str,
    *,
    what: str,
) -> Check:
    wrong = {
        kind: target for kind, target in asked.items() if not _meets(counts[kind], target, mode)
    }
    found = {what: dict(counts), "rule": rule}
    bound = "" if mode == "exact" else mode.replace("_", " ") + " "
    if wrong:
        flaws = "; ".join(
            f"{counts[kind]} {kind}, asked for {bound}{target}" for kind, target in wrong.items()
        )
        return failed(f"{_shown(notation)}: {flaws} ({rule})", extracted=notation, found=found)
    shown = ", ".join(f"{counts[kind]} {kind}" for kind in asked)
    return passed(f"{_shown(notation)} has {shown} ({rule})", extracted=notation, found=found)


def _meets(count: int, target: int, mode: Mode) -> bool:
    match mode:
        case "exact":
            return count == target
        case "at_least":
            return count >= target
        case "at_most":
            return count <= target


def _shown(notation: str) -> str:
    return repr(notation if len(notation) <= 60 else notation[:59] + "…")
