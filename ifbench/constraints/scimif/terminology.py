"""The *terminology* group: names of things that follow a discipline's own rules."""

from __future__ import annotations

import re
from typing import Annotated, Protocol

from pydantic import Field

from ifbench.constraints.constraint import (
    Check,
    Example,
    Params,
    extracted,
    failed,
    passed,
    undecided,
)
from ifbench.parsing.molecules import (
    NOTATION_NAMES,
    NoMolecule,
    Readable,
    System,
    is_same_molecule,
    parse_molecule,
)
from ifbench.parsing.notations import find_molecule
from ifbench.types import Cause


class MoleculeParams(Params):
    """Which molecule of an answer is meant."""

    key: str = ""
    """Name of the JSON field that holds it, where the answer is JSON."""
    allow_fragments: bool = True
    """Whether it may consist of several parts, as a salt does."""


class ValidityParams(MoleculeParams):
    """In which system a molecule is to be written, and which one where that is known."""

    system: System = "smiles"
    reference: (
        Annotated[str, Field(min_length=1)] | tuple[Annotated[str, Field(min_length=1)], ...]
    ) = ()
    """The molecule in the same system, an InChIKey or an InChI; or several, one of which must
    be met. For names: the accepted synonyms."""

    @property
    def references(self) -> tuple[str, ...]:
        return (self.reference,) if isinstance(self.reference, str) else self.reference


class InSystem(Protocol):
    """Parameters that say where and in which notation a molecule stands."""

    @property
    def key(self) -> str: ...
    @property
    def system(self) -> System: ...


def locate_molecule(text: str, params: InSystem) -> tuple[str, ...] | None:
    """The notation where rules find it; `None` where only a reader can."""
    notation = find_molecule(text, params.system, params.key)
    return None if notation is None else (notation,)


def _locate(text: str, params: ValidityParams) -> tuple[str, ...] | None:
    if params.system == "iupac":
        if not params.references:
            return ()  # No quotation could decide it.
        named = {_name(reference) for reference in params.references}
        if _name(text) in named:
            return (text.strip(),)
    return locate_molecule(text, params)


@extracted(
    "chemistry:molecular_validity",
    group="terminology",
    params=ValidityParams,
    locate=_locate,
    template="molecule",
    extra="chemistry",
    example=Example(
        params={"system": "smiles"},
        instruction="Answer with the valid SMILES of one molecule.",
        passing="The product is `CC(=O)Oc1ccccc1C(=O)O`.",
        failing="The product is `CC(=O)Oc1ccccc1C(=O`.",
    ),
    version=3,
)
def molecular_validity(quotations: tuple[str, ...], params: ValidityParams) -> Check:
    """The answer gives a valid molecule in the asked system of notation."""
    if params.system == "iupac":
        return _named(quotations, params)
    if not quotations:
        return failed(f"the answer gives no molecule in {NOTATION_NAMES[params.system]}")
    return _read(quotations[-1], params.system, params)


def _read(notation: str, system: Readable, params: ValidityParams) -> Check:
    molecule = parse_molecule(notation, system)
    shown = repr(notation if len(notation) <= 60 else notation[:59] + "…")
    if isinstance(molecule, NoMolecule):
        return failed(f"{shown}: {molecule.reason}", extracted=notation)
    if not params.allow_fragments and molecule.fragments > 1:
        reason = f"{shown} has {molecule.fragments} fragments, one molecule is asked for"
        return failed(reason, extracted=notation)
    if params.references:
        same = [is_same_molecule(notation, other, system) for other in params.references]
        if True not in same and None in same:
            return undecided(Cause.PARAMETERS, "the reference molecule cannot be read")
        if True not in same:
            return failed(f"{shown} is not the reference molecule", extracted=notation)
    label = NOTATION_NAMES[system]
    heavy = molecule.heavy_atoms
    atoms = "1 heavy atom" if heavy == 1 else f"{heavy} heavy atoms"
    return passed(f"{shown} is valid {label} ({atoms})", extracted=notation)


def _named(quotations: tuple[str, ...], params: ValidityParams) -> Check:
    if not params.references:
        # OPSIN, the parser of systematic names, needs Java; there is none to fall back on.
        reason = "a name can only be verified against `reference` synonyms, and there are none"
        return undecided(Cause.PARAMETERS, reason)
    if not quotations:
        return failed("the answer gives no chemical name")
    name = quotations[-1].strip()
    if _name(name) in {_name(reference) for reference in params.references}:
        return passed(f"{name!r} is one of the accepted names", extracted=name)
    return failed(f"{name!r} is none of the accepted names", extracted=name)


def _name(words: str) -> str:
    """A name for comparison: case, kinds of dash, blanks and a final stop carry nothing."""
    dashes = re.sub(r"[‐‑–—−]", "-", words.casefold())
    return re.sub(r"\s+", " ", dashes).strip(" .*_`\"'")
