import pytest

from ifbench.parsing.functional_groups import PATTERNS, count_groups
from ifbench.parsing.molecules import NoMolecule

pytest.importorskip("rdkit")

# For each group: molecules that hold it, with how many, and near misses that hold none.
TOMG = {
    "benzene_ring": (
        {"c1ccccc1": 1, "C1=CC=CC=C1": 1, "c1ccc(-c2ccccc2)cc1": 2, "Oc1ccccc1": 1},
        ("c1ccc2ccccc2c1", "c1ccncc1", "C1CCCCC1", "C1=CCC=CC1"),
    ),
    "hydroxyl": (
        {"CCO": 1, "OCCO": 2, "Oc1ccccc1": 1, "CC(=O)O": 1, "OB(O)c1ccccc1": 2, "CC=NO": 1},
        ("COC", "CC=O", "O", "CC(=O)[O-]", "CS"),
    ),
    "anhydride": ({"CC(=O)OC(C)=O": 1, "O=C1OC(=O)C=C1": 1}, ("CC(=O)OC", "CC(=O)CC(C)=O", "COC")),
    "aldehyde": ({"CC=O": 1, "O=Cc1ccccc1": 1, "O=CC=O": 2}, ("C=O", "CC(C)=O", "OC=O", "CN(C)C=O")),
    "ketone": (
        {"CC(C)=O": 1, "CC(=O)C(C)=O": 2, "O=C1CCCCC1": 1},
        ("CC=O", "CC(=O)O", "CC(N)=O", "CC(=O)Cl", "C=C=O"),
    ),
    "carboxyl": ({"CC(=O)O": 1, "OC(=O)C(=O)O": 2, "OC=O": 1}, ("CC(=O)OC", "CC(=O)[O-]", "CCO")),
    "ester": (
        {"CC(=O)OC": 1, "O=C1CCCO1": 1, "CC(=O)Oc1ccccc1": 1, "CC(=O)OC(C)=O": 2},
        ("CC(=O)O", "COC", "COC(=O)OC", "CC(=O)NC", "COC=O"),
    ),
    "amide": (
        {"CC(N)=O": 1, "CC(=O)N(C)C": 1, "O=C1CCCN1": 1, "O=C1CCC(=O)N1": 2},
        ("CN(C)C=O", "NC(N)=O", "CC(C)=N", "NCC=O", "CS(N)(=O)=O"),
    ),
    "amine": (
        {"CN": 1, "CNC": 1, "NCCN": 2, "Nc1ccccc1": 1},
        ("CN(C)C", "CC(N)=O", "C[N+](=O)[O-]", "c1ccncc1", "c1cc[nH]c1", "CC#N", "C[NH3+]"),
    ),
    "nitro": (
        {"C[N+](=O)[O-]": 1, "CN(=O)=O": 1, "O=[N+]([O-])c1cccc([N+](=O)[O-])c1": 2},
        ("CON(=O)=O", "CN=O", "CN", "[O-][N+](=O)[O-]"),
    ),
    "halo": ({"CCl": 1, "FC(F)(F)Br": 4, "Ic1ccccc1": 1, "[Na+].[Cl-]": 1}, ("CC", "C[At]", "CO")),
    "nitrile": ({"CC#N": 1, "N#CC#N": 2, "C#N": 1}, ("[C-]#[N+]C", "C#C", "CC=N", "N#N")),
    "thiol": ({"CS": 1, "SCCS": 2, "Sc1ccccc1": 1}, ("CSC", "CSSC", "CO", "S")),
    "sulfide": (
        {"CSC": 1, "CSSC": 1, "CSSSC": 1, "c1ccsc1": 1},
        ("CS", "CS(C)=O", "COC", "CC(C)=S"),
    ),
    "disulfide": ({"CSSC": 1, "CSSSC": 2, "C1CSSC1": 1}, ("CSC", "CSCSC", "SS", "CSS")),
    "sulfoxide": ({"CS(C)=O": 1, "C[S+](C)[O-]": 1}, ("CS(C)(=O)=O", "CSC", "CS(=O)O", "CC(C)=O")),
    "sulfone": ({"CS(C)(=O)=O": 1}, ("CS(C)=O", "CS(N)(=O)=O", "CS(=O)(=O)O", "OS(O)(=O)=O")),
    "borane": ({"CB(C)C": 1, "OB(O)c1ccccc1": 1, "B": 1}, ("[BH4-]", "C[B-](C)(C)C", "CC")),
}  # fmt: skip

CHEMICAL = {
    "benzene_ring": (
        {"c1ccccc1": 1, "c1ccc2ccccc2c1": 2, "c1ccc2[nH]ccc2c1": 1},
        ("c1ccncc1", "C1CCCCC1", "c1ccoc1"),
    ),
    "hydroxyl": (
        {"CCO": 1, "Oc1ccccc1": 1, "OCC(=O)O": 1, "OC=C": 1},
        ("CC(=O)O", "OB(O)c1ccccc1", "COC", "O", "OO", "CC(=O)OO"),
    ),
    "alcohol": ({"CCO": 1, "OCCO": 2}, ("Oc1ccccc1", "CC(=O)O", "COC", "OC=C")),
    "phenol": ({"Oc1ccccc1": 1, "Oc1ccc(O)cc1": 2}, ("OCc1ccccc1", "COc1ccccc1", "CCO")),
    "ether": ({"COC": 1, "COc1ccccc1": 1, "C1CCOC1": 1, "C1CO1": 1}, ("CCO", "CC(=O)OC", "c1ccoc1", "COO", "CSC")),
    "anhydride": ({"CC(=O)OC(C)=O": 1}, ("CC(=O)OC", "CC(=O)CC(C)=O")),
    "aldehyde": ({"CC=O": 1, "C=O": 1, "O=CC=O": 2}, ("OC=O", "COC=O", "CN(C)C=O", "CC(C)=O")),
    "ketone": ({"CC(C)=O": 1, "O=C1C=CC(=O)C=C1": 2}, ("CC=O", "CC(=O)O", "CC(N)=O", "NC(N)=O")),
    "carboxyl": ({"CC(=O)O": 1, "CC(=O)[O-]": 1}, ("CC(=O)OC", "CC=O", "CC(=O)OO")),
    "ester": (
        {"CC(=O)OC": 1, "COC=O": 1, "O=C1CCCO1": 1},
        ("CC(=O)OC(C)=O", "COC(=O)OC", "CNC(=O)OC", "CC(=O)O", "CC(=O)SC"),
    ),
    "amide": (
        {"CC(N)=O": 1, "CN(C)C=O": 1, "O=C1CCC(=O)N1": 2},
        ("NC(N)=O", "COC(N)=O", "NCC=O", "CS(N)(=O)=O"),
    ),
    "urea": ({"NC(N)=O": 1, "CNC(=O)NC": 1}, ("CC(N)=O", "COC(N)=O", "NC(N)=S")),
    "amine": (
        {"CN": 1, "CNC": 1, "CN(C)C": 1, "Nc1ccccc1": 1, "C[NH3+]": 1, "C1CCNCC1": 1},
        ("CC(N)=O", "C[N+](=O)[O-]", "c1ccncc1", "c1cc[nH]c1", "CC#N", "CS(N)(=O)=O", "NC(N)=N",
         "C[N+](C)(C)C", "CNN", "N", "CC=NC"),
    ),
    "nitro": ({"C[N+](=O)[O-]": 1, "O=[N+]([O-])c1ccccc1": 1}, ("CON(=O)=O", "CN=O", "CN")),
    "halo": ({"CCl": 1, "FC(F)(F)Br": 4, "CC(=O)Cl": 1}, ("[Na+].[Cl-]", "Cl", "CC", "CO")),
    "acyl_halide": ({"CC(=O)Cl": 1, "O=C(Br)c1ccccc1": 1}, ("CC(=O)CCl", "CCl", "CC(=O)O")),
    "nitrile": ({"CC#N": 1, "N#Cc1ccccc1": 1}, ("[C-]#[N+]C", "C#N", "C#C", "CC=N")),
    "alkene": ({"C=C": 1, "C=CC=C": 2, "C=C=C": 2}, ("CC", "C#C", "c1ccccc1", "C=O")),
    "alkyne": ({"C#C": 1, "CC#CC": 1}, ("C=C", "CC#N", "[C-]#[O+]")),
    "thiol": ({"CS": 1, "Sc1ccccc1": 1}, ("CSC", "CC(=O)S", "CO", "CSSC")),
    "sulfide": ({"CSC": 1, "C1CCSC1": 1}, ("c1ccsc1", "CSSC", "CS", "CC(=O)SC", "CS(C)=O")),
    "thioether": ({"CSC": 1, "CSc1ccccc1": 1}, ("c1ccsc1", "CSSC", "CS", "CC(=O)SC", "COC")),
    "disulfide": ({"CSSC": 1}, ("CSC", "CSSSC", "SS")),
    "sulfoxide": ({"CS(C)=O": 1, "C[S+](C)[O-]": 1}, ("CS(C)(=O)=O", "CSC", "CS(=O)O")),
    "sulfone": ({"CS(C)(=O)=O": 1}, ("CS(C)=O", "CS(N)(=O)=O", "CS(=O)(=O)O")),
    "sulfonamide": ({"CS(N)(=O)=O": 1}, ("CS(C)(=O)=O", "CC(N)=O", "CS(=O)(=O)O")),
    "phosphate": ({"OP(O)(O)=O": 1, "COP(=O)([O-])[O-]": 1}, ("CP(O)(O)=O", "OP(O)O", "OS(O)(=O)=O")),
    "borane": ({"CB(C)C": 1, "B": 1}, ("OB(O)c1ccccc1", "[BH4-]", "COB(OC)OC")),
}  # fmt: skip

CASES = {"tomg": TOMG, "chemical": CHEMICAL}


def test_every_group_of_both_conventions_has_positives_and_near_misses():
    for convention, patterns in PATTERNS.items():
        assert set(CASES[convention]) == set(patterns)
        assert all(holding and missing for holding, missing in CASES[convention].values())


@pytest.mark.parametrize(
    ("convention", "group", "smiles", "count"),
    [
        (convention, group, smiles, count)
        for convention, groups in CASES.items()
        for group, (holding, missing) in groups.items()
        for smiles, count in (holding | dict.fromkeys(missing, 0)).items()
    ],
)
def test_group_is_counted_by_its_convention(convention, group, smiles, count):
    assert count_groups(smiles, (group,), convention) == {group: count}


def test_tomg_leaves_thioethers_out():
    with pytest.raises(KeyError):
        count_groups("CSC", ("thioether",), "tomg")


def test_groups_of_one_molecule_are_counted_together():
    groups = ("carboxyl", "hydroxyl", "ester", "benzene_ring", "halo", "thiol")
    aspirin = "CC(=O)Oc1ccccc1C(=O)O"
    assert count_groups(aspirin, groups, "tomg") == {
        "carboxyl": 1, "hydroxyl": 1, "ester": 1, "benzene_ring": 1, "halo": 0, "thiol": 0,
    }  # fmt: skip
    assert count_groups(aspirin, groups, "chemical")["hydroxyl"] == 0


def test_more_than_a_thousand_matches_are_counted():
    assert count_groups("OC" * 1200 + "O", ("hydroxyl",), "tomg") == {"hydroxyl": 2}
    assert count_groups("C(Cl)(Cl)" * 700, ("halo",), "tomg") == {"halo": 1400}


def test_what_is_no_molecule_has_no_groups():
    assert isinstance(count_groups("C1CC", ("halo",), "tomg"), NoMolecule)
