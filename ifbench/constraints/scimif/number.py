"""The *number* group: how many responses, how many atoms (SciMIF, Tables 6 and 11)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from ifbench.constraints.constraint import (
    Check,
    Example,
    Params,
    extracted,
    failed,
    judged,
    passed,
)
from ifbench.constraints.scimif.terminology import MoleculeParams, locate_molecule
from ifbench.parsing.molecules import (
    SYMBOLS,
    Molecule,
    NoMolecule,
    Readable,
    parse_molecule,
)
from ifbench.parsing.replies import Reply

# ── Distinct responses ───────────────────────────────────────────────────────────────


class NumberResponseParams(Params):
    """How many distinct responses are asked for."""

    n: int = Field(gt=0)
    mode: Literal["exact", "at_least", "at_most"] = "exact"


class CategoriesReply(Reply):
    """The judge's list of distinct response categories, by name."""

    categories: tuple[str, ...]


_LIST_ITEM = re.compile(
    r"^[ \t]{0,12}[*_]{0,3}(?:[-*+•‣・]|\(?(?P<number>\d{1,3})[.):](?!\d)|\(?[A-Za-z][.)])[ \t]+\S",
    re.MULTILINE,
)


def list_item_count(text: str, params: NumberResponseParams) -> Mapping[str, Any]:
    """What a script can say of the number of responses: evidence for the judge, no verdict."""
    del params  # The judge is not told how many are wanted, nor is the count made to fit.
    items = list(_LIST_ITEM.finditer(text))
    if not items:
        return {"counted": "it holds no list items."}
    numbered = sum(item["number"] is not None for item in items)
    return {"counted": f"it holds {len(items)} list items, {numbered} of them numbered."}


@judged(
    "general:number_response",
    group="number",
    category="C5",
    params=NumberResponseParams,
    template="distinct",
    reply=CategoriesReply,
    parts=lambda _: 1,
    prepare=list_item_count,
    example=Example(
        params={"n": 3},
        instruction="Name exactly three distinct types of intermolecular forces.",
        passing="1. Hydrogen bonds\n2. Dipole-dipole forces\n3. London dispersion forces",
        failing="1. Hydrogen bonds\n2. Dispersion forces\n3. London forces (dispersion)",
    ),
)
def number_response(reply: CategoriesReply, params: NumberResponseParams) -> Check:
    """The answer gives the asked number of distinct responses; rewordings count once."""
    names: dict[str, str] = {}
    for name in reply.categories:
        names.setdefault(_folded(name), name.strip())
    if "" in names:
        raise ValueError("a category has no name")
    distinct = tuple(names.values())
    count = len(distinct)
    found = {"count": count, "categories": list(distinct)}
    is_met = {
        "exact": count == params.n,
        "at_least": count >= params.n,
        "at_most": 0 < count <= params.n,
    }[params.mode]
    asked = f"{params.mode.replace('_', ' ')} {params.n}".replace("exact", "exactly")
    listed = f": {'; '.join(distinct)}" if distinct else ""
    reason = f"{count} distinct {'response' if count == 1 else 'responses'}{listed}"
    if is_met:
        return passed(reason, found=found)
    return failed(f"asked for {asked}, found {reason}", found=found)


def _folded(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split()).strip(" .,;:*_`\"'")


# ── Atoms ────────────────────────────────────────────────────────────────────────────


def _known_symbols(atoms: Mapping[str, int]) -> Mapping[str, int]:
    unknown = sorted(set(atoms) - SYMBOLS)
    if unknown:
        raise ValueError(f"no element has the symbol {', '.join(unknown)}")
    return atoms


class AtomCountParams(MoleculeParams):
    """How many atoms of which elements a molecule holds."""

    system: Readable = "smiles"
    atoms: Annotated[
        Mapping[str, Annotated[int, Field(ge=0)]],
        Field(min_length=1),
        AfterValidator(_known_symbols),
    ]
    """Exact numbers by symbol; 0 forbids an element. Hydrogens count only where named."""
    others: Literal["zero", "any"] = "zero"
    """Whether heavy atoms of elements that are not named may stand in the molecule."""


@extracted(
    "chemistry:atom_count_constraint",
    group="number",
    params=AtomCountParams,
    locate=locate_molecule,
    template="molecule",
    extra="chemistry",
    example=Example(
        params={"atoms": {"C": 2, "O": 1}},
        instruction="Give the SMILES of a molecule with two carbon atoms and one oxygen atom.",
        passing="SMILES: `CCO`",
        failing="SMILES: `CCN`",
    ),
    version=2,
)
def atom_count(quotations: tuple[str, ...], params: AtomCountParams) -> Check:
    """The molecule has the asked number of atoms of each named element.

    Aromatic and isotopic atoms count with their element; fragments are summed.
    """
    # TOMG-Bench's zero looks at 17 elements only; ours at all, so that no metal slips through.
    if not quotations:
        return failed("the answer gives no molecule")
    notation = quotations[-1]
    molecule = parse_molecule(notation, params.system)
    if isinstance(molecule, NoMolecule):
        return failed(f"{_shown(notation)}: {molecule.reason}", extracted=notation)
    counts = dict(sorted(molecule.atoms.items())) | {"H": molecule.hydrogens}
    flaws = tuple(_flaws(molecule, params))
    if flaws:
        reason = f"{_shown(notation)}: {'; '.join(flaws)}"
        return failed(reason, extracted=notation, found={"atoms": counts})
    asked = ", ".join(f"{number} {symbol}" for symbol, number in params.atoms.items())
    return passed(f"{_shown(notation)} has {asked}", extracted=notation, found={"atoms": counts})


def _flaws(molecule: Molecule, params: AtomCountParams) -> Iterable[str]:
    for symbol, asked in params.atoms.items():
        count = molecule.hydrogens if symbol == "H" else molecule.atoms.get(symbol, 0)
        if count != asked:
            yield f"{count} {symbol}, asked for {asked}"
    surplus = sorted(set(molecule.atoms) - set(params.atoms))
    if params.others == "zero" and surplus:
        yield f"other elements stand in it: {', '.join(surplus)}"
    if not params.allow_fragments and molecule.fragments > 1:
        yield f"it has {molecule.fragments} fragments, one molecule is asked for"


def _shown(notation: str) -> str:
    return repr(notation if len(notation) <= 60 else notation[:59] + "…")
