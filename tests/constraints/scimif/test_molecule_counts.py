import pytest
from pydantic import ValidationError

from ifbench.constraints.constraint import decide_extracted, locate
from ifbench.constraints.scimif.molecule_counts import (
    AtomBondParams,
    AtomGroupParams,
    atom_bond,
    atom_group,
)
from ifbench.types import Outcome

pytest.importorskip("rdkit")


def bonds(notation, **params):
    return decide_extracted(atom_bond, (notation,), AtomBondParams(**params))


def groups(notation, **params):
    return decide_extracted(atom_group, (notation,), AtomGroupParams(**params))


@pytest.mark.parametrize(
    ("notation", "params", "is_met"),
    [
        ("C1=CC=CC=C1", {"bonds": {"aromatic": 6, "double": 0}}, True),
        ("c1ccccc1", {"bonds": {"double": 3}}, False),
        ("CCO", {"bonds": {"single": 2}}, True),
        ("CCO", {"bonds": {"single": 8}}, False),
        ("CCO", {"bonds": {"single": 8}, "count_hydrogens": True}, True),
        ("CCO", {"bonds": {"total": 8}, "count_hydrogens": True}, True),
        ("[2H]CO", {"bonds": {"total": 1}}, True),
        ("[2H]CO", {"bonds": {"total": 5, "single": 5}, "count_hydrogens": True}, True),
        ("C=CC#N", {"bonds": {"single": 1, "double": 1, "triple": 1, "total": 3}}, True),
        ("CCCC(=O)NCC", {"bonds": {"rotatable": 3}}, True),  # The amide bond does not rotate.
        ("CCCC(=O)NCC", {"bonds": {"rotatable": 4}}, False),
        ("C1CCCCC1", {"bonds": {"rotatable": 0}}, True),
        ("C=C", {"bonds": {"double": 1, "single": 0}}, True),
        ("CC=C", {"bonds": {"double": 1, "single": 0}}, False),
        ("CC=C", {"bonds": {"double": 1, "single": 0}, "zero_means_any": True}, True),
        ("CCC", {"bonds": {"single": 1}, "mode": "at_least"}, True),
        ("CCC", {"bonds": {"single": 1}, "mode": "at_most"}, False),
        ("CC.CC", {"bonds": {"single": 2}}, True),
        ("CC.CC", {"bonds": {"single": 2}, "allow_fragments": False}, False),
        ("[C][=C]", {"bonds": {"double": 1}, "system": "selfies"}, True),
        ("C1CC", {"bonds": {"single": 2}}, False),
    ],
)
def test_bonds_are_counted_and_compared(notation, params, is_met):
    check = bonds(notation, **params)
    assert check.outcome is (Outcome.PASS if is_met else Outcome.FAIL), check.reason


@pytest.mark.parametrize(
    ("notation", "params", "is_met"),
    [
        ("CC(=O)O", {"groups": {"hydroxyl": 1}}, True),
        ("CC(=O)O", {"groups": {"hydroxyl": 1}, "convention": "chemical"}, False),
        ("CC(=O)O", {"groups": {"hydroxyl": 0}, "convention": "chemical"}, True),
        ("OCCO", {"groups": {"hydroxyl": 1}}, False),
        ("OCCO", {"groups": {"hydroxyl": 1}, "mode": "at_least"}, True),
        ("OCCO", {"groups": {"hydroxyl": 2}, "mode": "at_most"}, True),
        ("OCc1ccccc1", {"groups": {"hydroxyl": 1, "benzene_ring": 1}}, True),
        ("OCC1CCCCC1", {"groups": {"hydroxyl": 1, "benzene_ring": 1}}, False),
        ("CCO.CCO", {"groups": {"hydroxyl": 2}, "allow_fragments": False}, False),
        ("OC(", {"groups": {"hydroxyl": 1}}, False),
    ],
)
def test_groups_are_counted_and_compared(notation, params, is_met):
    check = groups(notation, **params)
    assert check.outcome is (Outcome.PASS if is_met else Outcome.FAIL), check.reason


def test_verdict_names_the_convention_and_the_counts():
    check = groups("CC(=O)O", groups={"hydroxyl": 2}, convention="tomg")
    assert check.reason == "'CC(=O)O': 1 hydroxyl, asked for 2 (convention tomg)"
    assert check.found == {"groups": {"hydroxyl": 1}, "rule": "convention tomg"}
    assert check.extracted == "CC(=O)O"


def test_verdict_names_the_rule_for_bonds():
    check = bonds("CC=C", bonds={"double": 2, "single": 0}, zero_means_any=True, mode="at_least")
    assert check.reason == (
        "'CC=C': 1 double, asked for at least 2 (bonds to hydrogen left out, a target of 0 free)"
    )


@pytest.mark.parametrize(("constraint", "params"), [
    (atom_bond, AtomBondParams(bonds={"single": 2})),
    (atom_group, AtomGroupParams(groups={"hydroxyl": 1})),
])  # fmt: skip
def test_molecule_is_found_as_for_atoms(constraint, params):
    check = locate(constraint, "The SMILES is: `CCO`.", params)
    assert check.outcome is Outcome.PASS
    assert check.evidence[0].text == "CCO"
    assert locate(constraint, "It is ethanol, as everybody knows.", params) is None
    assert decide_extracted(constraint, (), params).reason == "the answer gives no molecule"
    assert (constraint.group, constraint.extra) == ("number", "chemistry")


@pytest.mark.parametrize(
    "params",
    [
        {"bonds": {}},
        {"bonds": {"ionic": 1}},
        {"bonds": {"single": -1}},
        {"bonds": {"single": 0}, "zero_means_any": True},
    ],
)
def test_bonds_that_nobody_can_count_are_refused(params):
    with pytest.raises(ValidationError):
        AtomBondParams(**params)


@pytest.mark.parametrize(
    ("params", "why"),
    [
        ({"groups": {}}, "at least 1"),
        ({"groups": {"thioether": 1}}, "convention tomg has no group thioether"),
        ({"groups": {"benzene rings": 1}}, "it knows benzene_ring"),
        ({"groups": {"hydroxyl": -1}}, "greater"),
    ],
)
def test_groups_that_the_convention_does_not_know_are_refused(params, why):
    with pytest.raises(ValidationError, match=why):
        AtomGroupParams(**params)
