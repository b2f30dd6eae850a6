import subprocess
import sys

import pytest

from ifbench.parsing.molecules import (
    SYMBOLS,
    Molecule,
    NoMolecule,
    count_bonds,
    count_matches,
    is_same_molecule,
    parse_molecule,
)

pytest.importorskip("rdkit")


@pytest.mark.parametrize(
    ("notation", "atoms", "hydrogens", "fragments"),
    [
        ("CCO", {"C": 2, "O": 1}, 6, 1),
        ("c1ccccc1", {"C": 6}, 6, 1),
        ("Clc1ccccc1", {"Cl": 1, "C": 6}, 5, 1),
        ("[Co]", {"Co": 1}, 0, 1),
        ("CO", {"C": 1, "O": 1}, 4, 1),
        ("[13CH4]", {"C": 1}, 4, 1),
        ("[2H]O[2H]", {"O": 1}, 2, 1),
        ("[H]O[H]", {"O": 1}, 2, 1),
        ("O", {"O": 1}, 2, 1),
        ("[Na+].[Cl-]", {"Na": 1, "Cl": 1}, 0, 2),
        ("[NH4+].CC(=O)[O-]", {"N": 1, "C": 2, "O": 2}, 7, 2),
        (r"F/C=C\F", {"F": 2, "C": 2}, 2, 1),
        ("I", {"I": 1}, 1, 1),
    ],
)
def test_atoms_of_smiles_are_counted(notation, atoms, hydrogens, fragments):
    assert parse_molecule(notation) == Molecule(
        atoms=atoms, hydrogens=hydrogens, fragments=fragments
    )


@pytest.mark.parametrize(
    ("notation", "why"),
    [
        ("", "empty"),
        ("CC this is junk", "blank"),
        (" CCO", "blank"),
        ("CCO\n", "blank"),
        ("CCO |$;;$|", "blank"),  # RDKit's extended SMILES.
        ("CCO>>CC=O", "arrow"),
        ("CCO>O>CC=O", "arrow"),
        ("CCO->CC=O", "arrow"),
        ("CCO=>CC=O", "arrow"),
        ("CCO→CC=O", "arrow"),
        ("C₂H₆", "ASCII"),
        ("CC(\u2212)O", "ASCII"),
        ("C\x00O", "ASCII"),
        ("C\ud800", "ASCII"),
        ("C1CC", "no valid SMILES"),
        ("CC(=O", "no valid SMILES"),
        ("C(C)(C)(C)(C)C", "no valid SMILES"),
        ("c1cccc1", "no valid SMILES"),
        ("ethanol", "no valid SMILES"),
        ("No", "no valid SMILES"),
        ("H2O", "no valid SMILES"),
        ("[Xx]", "no valid SMILES"),
        ("(CCO)", "no valid SMILES"),
        ("[H][H]", "heavier"),
        ("[H+]", "heavier"),
        ("*", "heavier"),
        ("C" * 10_001, "10,001 characters"),
        ("(" * 9_000, "no valid SMILES"),
        ("C" + "(C" * 4_000, "no valid SMILES"),
    ],
)
def test_what_is_no_molecule_says_why(notation, why):
    found = parse_molecule(notation)
    assert isinstance(found, NoMolecule)
    assert why in found.reason


@pytest.mark.parametrize(
    ("notation", "system"),
    [
        ("InChI=1S/C2H6O/c1-2-3/h3H,2H2,1H3", "inchi"),
        ("[C][C][O]", "selfies"),
        ("[C][C][O][nop]", "selfies"),
    ],
)
def test_other_systems_are_read_alike(notation, system):
    assert parse_molecule(notation, system) == parse_molecule("CCO")


@pytest.mark.parametrize(
    ("notation", "system"),
    [
        ("CCO", "inchi"),
        ("InChI=1S/C2H6O/c1-2-3-9", "inchi"),
        ("InChI=", "inchi"),
        ("1S/C2H6O/c1-2-3/h3H,2H2,1H3", "inchi"),
        ("CCO", "selfies"),  # The decoder alone would skip it and return nothing.
        ("[C][C]O", "selfies"),
        ("[C][Xx]", "selfies"),
        ("[C][C", "selfies"),
        ("[nop]", "selfies"),
        ("[C][C][O]", "inchi"),
        ("InChI=1S/C2H6O/c1-2-3/h3H,2H2,1H3", "smiles"),
    ],
)
def test_notation_of_another_system_is_no_molecule(notation, system):
    assert isinstance(parse_molecule(notation, system), NoMolecule)


@pytest.mark.parametrize(
    ("notation", "reference", "same"),
    [
        ("OCC", "CCO", True),
        ("C1=CC=CC=C1", "c1ccccc1", True),
        ("OCC", "LFQSCWFLJHTTHZ-UHFFFAOYSA-N", True),
        ("OCC", "InChI=1S/C2H6O/c1-2-3/h3H,2H2,1H3", True),
        ("[OH-].[Na+]", "[Na+].[OH-]", True),
        ("C[C@H](O)N", "C[C@@H](O)N", False),
        ("OC=C", "CC=O", False),
        ("CCN", "LFQSCWFLJHTTHZ-UHFFFAOYSA-N", False),
        ("*CC", "CC*", True),
        ("*CC", "*CCC", False),
        ("CCO", "no molecule", None),
        ("no molecule", "CCO", None),
    ],
)
def test_same_molecule_is_known_by_structure(notation, reference, same):
    assert is_same_molecule(notation, reference) is same


def test_all_118_elements_have_a_symbol():
    assert len(SYMBOLS) == 118


def test_rdkit_is_silent_about_bad_notations():
    code = "from ifbench.parsing.molecules import parse_molecule; print(parse_molecule('C1CC'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""


def test_listing_constraints_imports_no_chemistry():
    code = (
        "import sys; from ifbench.constraints import all_constraints; all_constraints()\n"
        "print([name for name in sys.modules if name.partition('.')[0] in {'rdkit', 'selfies'}])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("package", "call"),
    [("rdkit", "parse_molecule('CCO')"), ("selfies", "parse_molecule('[C]', 'selfies')")],
)
def test_missing_package_names_the_extra(package, call):
    code = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from ifbench.errors import PrerequisiteError\n"
        "from ifbench.parsing.molecules import parse_molecule\n"
        f"try: {call}\n"
        "except PrerequisiteError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "ifbench[chemistry]" in done.stdout


KINDS = ("single", "double", "triple", "aromatic", "rotatable", "total")


@pytest.mark.parametrize(
    ("notation", "counts"),
    [
        ("CC", (1, 0, 0, 0, 0, 1)),
        ("C1=CC=CC=C1", (0, 0, 0, 6, 0, 6)),
        ("C=CC#N", (1, 1, 1, 0, 0, 3)),
        ("CCCC(=O)NCC", (6, 1, 0, 0, 3, 7)),
        ("CCCC", (3, 0, 0, 0, 1, 3)),
        ("[2H]CC", (1, 0, 0, 0, 0, 1)),
        ("[Na+].[Cl-]", (0, 0, 0, 0, 0, 0)),
        ("C[Mo]$[Mo]C", (2, 0, 0, 0, 0, 3)),
    ],
)
def test_bonds_are_counted_by_kind(notation, counts):
    assert count_bonds(notation, KINDS) == dict(zip(KINDS, counts, strict=True))


@pytest.mark.parametrize(
    "notation",
    [
        "CCCC(=O)NCC", "CCCC(=O)OCC", "CC(C)(C)OC", "CCC(F)(F)F", "CCC(Cl)(Cl)Br", "C#CCCC#N", "CCC(=S)NC",
        "CC(=[NH2+])NCC", "O=C1CCCN1CC", "CCOC(=O)NCC", "CSC(=O)CC", "CC(=O)S", "CC(=O)SC(=O)C", "NC(N)=O",
        "c1ccccc1-c1ccccc1", "C1CCCCC1C1CCCCC1", "CCS(=O)(=O)NCC", "CC(=O)OC(C)=O", "[2H]CCC[2H]", "CCO.CCN",
        "C[Mg]CC", "CC(C)=NOCC", "CCC(Br)(Br)Br", "OC(=O)CCNC(=O)c1ccccc1", "CCC(=O)C(=O)CC",
    ],
)  # fmt: skip
def test_bonds_rotate_where_rdkit_says_so(notation):
    from rdkit.Chem import MolFromSmiles, rdMolDescriptors

    expected = rdMolDescriptors.CalcNumRotatableBonds(MolFromSmiles(notation))
    assert count_bonds(notation, ("rotatable",)) == {"rotatable": expected}


def test_bonds_to_hydrogen_are_counted_where_asked_for():
    assert count_bonds("[2H]CO", ("single", "total"), with_hydrogens=True) == {
        "single": 5, "total": 5,
    }  # fmt: skip


def test_pattern_matches_are_counted_once_for_each_set_of_atoms():
    assert count_matches("OCCO", ("CC", "[OX2H1]", "N")) == (1, 2, 0)
    assert isinstance(count_matches("C1CC", ("C",)), NoMolecule)
    assert isinstance(count_bonds("C1CC", ("single",)), NoMolecule)
    with pytest.raises(ValueError, match="no SMARTS"):
        count_matches("CC", ("C(",))
