"""What a molecule's notation says: whether it is valid, and what is counted of it.

The only importer of RDKit and selfies, which the `chemistry` extra brings; both are loaded
when the first molecule is read. Nothing is repaired and nothing is guessed: a notation is
taken as it stands, or it is no molecule, with a reason.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal, TypeAlias

from ifbench.errors import PrerequisiteError

System: TypeAlias = Literal["smiles", "inchi", "selfies", "iupac"]
Readable: TypeAlias = Literal["smiles", "inchi", "selfies"]
"""The notations that a script can read. Names would need OPSIN, which needs Java."""

NOTATION_NAMES: Mapping[System, str] = {
    "smiles": "SMILES",
    "inchi": "InChI",
    "selfies": "SELFIES",
    "iupac": "IUPAC name",
}

MAX_CHARACTERS = 10_000
"""Longest notation that is read; an answer's molecule has some hundred characters."""

SYMBOLS = frozenset(
    """H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As
    Se Br Kr Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb
    Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk
    Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og""".split()  # noqa: SIM905  (118 quoted symbols read worse)
)
"""The symbols of the 118 elements."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Molecule:
    """What is counted of a molecule; fragments (salts, mixtures) are summed."""

    atoms: Mapping[str, int]
    """Atoms by symbol, isotopes with their element, hydrogen left out."""
    hydrogens: int
    """Hydrogen atoms, written or implied."""
    fragments: int

    @property
    def heavy_atoms(self) -> int:
        return sum(self.atoms.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class NoMolecule:
    """Why a notation cannot be read as one molecule."""

    reason: str


@lru_cache(maxsize=4096)
def parse_molecule(notation: str, system: Readable = "smiles") -> Molecule | NoMolecule:
    """Read one notation as a whole; each is read once and remembered."""
    parsed = _parsed(notation, system)
    if isinstance(parsed, NoMolecule):
        return parsed
    # Parts stand apart only where the notation says so; rings may still join them (`C1.C1`).
    return _counted(parsed, may_be_parted=system != "smiles" or "." in notation)


BondKind: TypeAlias = Literal["single", "double", "triple", "aromatic", "rotatable", "total"]


_ENDS_NO_TURN = ("*#*", "C(F)(F)F", "C(Cl)(Cl)Cl", "C(Br)(Br)Br", "C([CH3])([CH3])[CH3]")
_OF_AMIDES = ("[CD3](=[N,O,S])-!@[#7,O,S&!D1]", "[#7,O,S&!D1]-!@[CD3]=[N,O,S]")


def _rotatable() -> str:
    """Bonds outside rings that turn: no end is terminal, linear or the middle of three alike, and
    not both are atoms of an amide, an ester or the like.

    The numbers make RDKit look for a condition once for both ends: half the time that its own
    `CalcNumRotatableBonds` takes, which counts the same.
    """
    turning = [f"!$({group})_{number}" for number, group in enumerate(_ENDS_NO_TURN, start=1)]
    apart = [f"!$({group})" for group in _OF_AMIDES]
    return f"[{';'.join(('!D1', *turning, *apart))}]-!@[{';'.join(('!D1', *turning))}]"


_BOND_PATTERNS: Mapping[BondKind, str] = {
    "rotatable": _rotatable(),
    "single": "[!#1]-[!#1]",
    "double": "[!#1]=[!#1]",
    "triple": "[!#1]#[!#1]",
    "aromatic": "[!#1]:[!#1]",
    "total": "[!#1]~[!#1]",
}


def count_bonds(
    notation: str,
    kinds: tuple[BondKind, ...],
    system: Readable = "smiles",
    *,
    with_hydrogens: bool = False,
) -> Mapping[BondKind, int] | NoMolecule:
    """How many bonds of each kind a molecule has, once its aromatic rings are recognised.

    Benzene has six aromatic bonds and no double one, however it is written. Bonds to hydrogen
    are left out, unless `with_hydrogens` makes them single bonds. `rotatable` are single bonds
    outside rings and not at an end; amide bonds do not rotate (RDKit's strict definition).
    `total` also holds what is none of the four types, such as a quadruple bond.
    """
    mol = _parsed(notation, system)
    if isinstance(mol, NoMolecule):
        return mol
    counts: dict[BondKind, int] = {}
    has_hydrogen_atoms = mol.GetNumAtoms() > mol.GetNumHeavyAtoms()
    for kind in kinds:
        if kind == "total" and not has_hydrogen_atoms:
            counts[kind] = mol.GetNumBonds()
        elif kind == "rotatable" and has_hydrogen_atoms:  # It takes them off first.
            counts[kind] = _descriptors().CalcNumRotatableBonds(mol)
        elif kind == "triple" and system == "smiles" and "#" not in notation:
            counts[kind] = 0
        else:  # A substructure search in C++ takes a fifth of a loop over bonds in Python.
            counts[kind] = _matches(mol, _BOND_PATTERNS[kind])
        if with_hydrogens and kind in {"single", "total"}:
            counts[kind] += _hydrogen_bonds(mol)
    return counts


def _hydrogen_bonds(mol: Any) -> int:
    heavy = (atom for atom in mol.GetAtoms() if atom.GetAtomicNum() != 1)
    return sum(atom.GetTotalNumHs(includeNeighbors=True) for atom in heavy)


def count_matches(
    notation: str, smarts: tuple[str, ...], system: Readable = "smiles"
) -> tuple[int, ...] | NoMolecule:
    """How often each pattern occurs in a molecule; one set of atoms counts once.

    Raises ValueError for a pattern that is no SMARTS.
    """
    mol = _parsed(notation, system)
    if isinstance(mol, NoMolecule):
        return mol
    return tuple(_matches(mol, pattern) for pattern in smarts)


def _matches(mol: Any, smarts: str) -> int:
    return len(mol.GetSubstructMatches(_pattern(smarts), _matching()))


@cache
def _matching() -> Any:
    """How matches are counted: one set of atoms counts once, without regard to stereochemistry."""
    parameters = _chem().SubstructMatchParameters()
    parameters.uniquify = True
    parameters.maxMatches = 1_000_000  # RDKit stops at 1,000 by default.
    return parameters


@cache
def _pattern(smarts: str) -> Any:
    pattern = _chem().MolFromSmarts(smarts)
    if pattern is None:
        raise ValueError(f"{smarts!r} is no SMARTS")
    return pattern


def is_same_molecule(notation: str, reference: str, system: Readable = "smiles") -> bool | None:
    """True when both are one molecule by canonical SMILES or by InChIKey.

    The reference may be an InChIKey, an InChI or in the notation's own system. `None` where one
    of the two cannot be read.
    """
    mol = _parsed(notation, system)
    if isinstance(mol, NoMolecule):
        return None
    chem = _chem()
    if _INCHI_KEY.fullmatch(reference):
        return bool(chem.MolToInchiKey(mol) == reference)
    other = _parsed(reference, "inchi" if reference.startswith("InChI=") else system)
    if isinstance(other, NoMolecule):
        return None
    if chem.MolToSmiles(mol) == chem.MolToSmiles(other):
        return True
    key = chem.MolToInchiKey(mol)  # Empty where InChI cannot express the molecule.
    return bool(key and key == chem.MolToInchiKey(other))


_INCHI_KEY = re.compile(r"[A-Z]{14}-[A-Z]{10}-[A-Z]")
_ARROW = re.compile(r">|=>|->|[→⟶⇒⇌⟹]")
_SELFIES = re.compile(r"(?:\[[^\[\]]+\]|\.)+")


def _lexical_flaw(notation: str) -> str | None:
    """What no parser is to be asked about, since each of them would let some of it pass."""
    if not notation:
        return "the molecule is empty"
    if len(notation) > MAX_CHARACTERS:
        return f"the molecule has {len(notation):,} characters, more than {MAX_CHARACTERS:,}"
    if _ARROW.search(notation):
        return "a reaction arrow stands in it; one molecule is asked for"
    if re.search(r"\s", notation):  # RDKit takes what follows a blank for a name (rdkit#8471).
        return "there is a blank inside the molecule"
    foreign = re.search(r"[^\x21-\x7e]", notation)
    return f"the character {foreign.group()!a} is not ASCII" if foreign else None


@lru_cache(maxsize=4096)
def _parsed(notation: str, system: Readable) -> Any:
    """An RDKit molecule (which has no types), or `NoMolecule`."""
    flaw = _lexical_flaw(notation)
    if flaw is not None:
        return NoMolecule(reason=flaw)
    chem = _chem()
    match system:
        case "smiles":
            mol = chem.MolFromSmiles(notation, _smiles_rules())
        case "inchi":
            mol = chem.MolFromInchi(notation) if notation.startswith("InChI=") else None
        case "selfies":
            mol = _from_selfies(notation)
    if mol is None:
        return NoMolecule(reason=f"it is no valid {NOTATION_NAMES[system]}")
    if mol.GetNumHeavyAtoms() == 0:
        return NoMolecule(reason="it has no atom heavier than hydrogen")
    return mol


def _from_selfies(notation: str) -> Any:
    # The decoder skips what stands outside brackets, so `CCO` would decode to nothing.
    if not _SELFIES.fullmatch(notation):
        return None
    selfies = _selfies()
    try:
        smiles = selfies.decoder(notation)
    except selfies.DecoderError:
        return None
    return _chem().MolFromSmiles(smiles, _smiles_rules())


_FORMULA = re.compile(r"([A-Z][a-z]?|\*)(\d*)")


def _counted(mol: Any, *, may_be_parted: bool) -> Molecule:
    # The formula holds isotopes with their element; written in C++, it costs a tenth of a loop
    # over the atoms in Python.
    formula = _descriptors().CalcMolFormula(mol)
    atoms = {symbol: int(number or 1) for symbol, number in _FORMULA.findall(formula)}
    hydrogens = atoms.pop("H", 0)
    fragments = len(_chem().GetMolFrags(mol)) if may_be_parted else 1
    return Molecule(atoms=atoms, hydrogens=hydrogens, fragments=fragments)


@cache
def _chem() -> Any:
    """RDKit, its log silenced for this process."""
    try:
        from rdkit import Chem, rdBase
    except ImportError as error:
        raise PrerequisiteError(
            "chemistry constraints need RDKit: install `ifbench[chemistry]`"
        ) from error
    rdBase.DisableLog("rdApp.*")
    return Chem


@cache
def _descriptors() -> Any:
    _chem()
    from rdkit.Chem import rdMolDescriptors

    return rdMolDescriptors


@cache
def _selfies() -> Any:
    try:
        import selfies
    except ImportError as error:
        raise PrerequisiteError(
            "SELFIES need the package selfies: install `ifbench[chemistry]`"
        ) from error
    return selfies


@cache
def _smiles_rules() -> Any:
    rules = _chem().SmilesParserParams()
    rules.parseName = False
    rules.allowCXSMILES = False
    return rules
