import pytest
from pydantic import ValidationError

from ifbench.constraints.constraint import decide_extracted, locate
from ifbench.constraints.scimif.number import (
    AtomCountParams,
    CategoriesReply,
    NumberResponseParams,
    atom_count,
    list_item_count,
    number_response,
)
from ifbench.types import Outcome

pytest.importorskip("rdkit")


def judged(categories, **params):
    reply = CategoriesReply(categories=tuple(categories))
    return number_response.method.decide(reply, NumberResponseParams(**params))


@pytest.mark.parametrize(
    ("categories", "params", "is_met"),
    [
        (["a", "b", "c"], {"n": 3}, True),
        (["a", "b"], {"n": 3}, False),
        (["a", "b", "c", "d"], {"n": 3}, False),
        (["a", "b", "c", "d"], {"n": 3, "mode": "at_least"}, True),
        (["a", "b", "c"], {"n": 3, "mode": "at_least"}, True),
        (["a", "b"], {"n": 3, "mode": "at_least"}, False),
        (["a", "b"], {"n": 3, "mode": "at_most"}, True),
        (["a", "b", "c", "d"], {"n": 3, "mode": "at_most"}, False),
        ([], {"n": 3, "mode": "at_most"}, False),
        ([], {"n": 1}, False),
        (["Hydrogen bonds", "hydrogen  bonds.", "**HYDROGEN BONDS**"], {"n": 1}, True),
        (["ionic", "covalent", "Ionic"], {"n": 2}, True),
        (["ionic", "covalent", "Ionic"], {"n": 3}, False),
        (["离子键", "共价键"], {"n": 2}, True),
        (["sp2", "sp3"], {"n": 2}, True),
    ],
)
def test_distinct_names_are_counted_and_compared(categories, params, is_met):
    assert judged(categories, **params).outcome is (Outcome.PASS if is_met else Outcome.FAIL)


def test_reason_names_what_was_found_and_what_was_asked():
    check = judged(["Ionic", "covalent", "ionic"], n=3)
    assert check.reason == "asked for exactly 3, found 2 distinct responses: Ionic; covalent"
    assert check.found == {"count": 2, "categories": ["Ionic", "covalent"]}


@pytest.mark.parametrize("blank", ["", "  ", "**"])
def test_category_without_a_name_makes_the_reply_unreadable(blank):
    with pytest.raises(ValueError, match="no name"):
        judged(["a", blank], n=2)


def test_whole_item_is_one_requirement():
    assert number_response.method.parts(NumberResponseParams(n=7)) == 1
    assert (number_response.group, number_response.category) == ("number", "C5")


@pytest.mark.parametrize("params", [{}, {"n": 0}, {"n": -1}, {"n": 3, "mode": "roughly"}])
def test_number_must_be_above_zero(params):
    with pytest.raises(ValidationError):
        NumberResponseParams(**params)


@pytest.mark.parametrize(
    ("text", "count", "numbered"),
    [
        ("1. a\n2. b\n3) c", 3, 3),
        ("- a\n* b\n+ c\n• d", 4, 0),
        ("**1. a**\n  - sub", 2, 1),
        ("(a) one\n(b) two", 2, 0),
        ("---\n*italic*\n-5 °C\n3.5 mol\n# Title", 0, 0),
        ("one, two and three", 0, 0),
    ],
)
def test_list_items_are_counted_as_evidence(text, count, numbered):
    words = list_item_count(text, NumberResponseParams(n=1))["counted"]
    if count:
        assert words == f"it holds {count} list items, {numbered} of them numbered."
    else:
        assert words == "it holds no list items."


def counted(notation, **params):
    return decide_extracted(atom_count, (notation,), AtomCountParams(**params))


@pytest.mark.parametrize(
    ("notation", "params", "is_met"),
    [
        ("CCO", {"atoms": {"C": 2, "O": 1}}, True),
        ("CCO", {"atoms": {"C": 3, "O": 1}}, False),
        ("CCO", {"atoms": {"C": 2}}, False),  # Another element stands in it …
        ("CCO", {"atoms": {"C": 2}, "others": "any"}, True),  # … which may be allowed.
        ("CCO", {"atoms": {"C": 2, "O": 1, "N": 0}}, True),
        ("CCN", {"atoms": {"C": 2, "N": 0}, "others": "any"}, False),
        ("c1ccccc1", {"atoms": {"C": 6}}, True),
        ("C1=CC=CC=C1", {"atoms": {"C": 6}}, True),
        ("CCl", {"atoms": {"C": 1, "Cl": 1}}, True),
        ("CCl", {"atoms": {"C": 2}}, False),
        ("[Co]", {"atoms": {"Co": 1}}, True),
        ("[Co]", {"atoms": {"C": 1, "O": 1}}, False),
        ("CO", {"atoms": {"C": 1, "O": 1}}, True),
        ("[13CH4]", {"atoms": {"C": 1}}, True),
        ("CCO", {"atoms": {"C": 2, "O": 1, "H": 6}}, True),
        ("CCO", {"atoms": {"C": 2, "O": 1, "H": 5}}, False),
        ("CCO", {"atoms": {"H": 6}, "others": "any"}, True),
        ("[2H]OC", {"atoms": {"C": 1, "O": 1}}, True),
        ("[2H]OC", {"atoms": {"C": 1, "O": 1, "H": 4}}, True),
        ("C.C", {"atoms": {"C": 2}}, True),
        ("C.C", {"atoms": {"C": 2}, "allow_fragments": False}, False),
        ("CC[O-].[Na+]", {"atoms": {"C": 2, "O": 1}}, False),
        ("CC[O-].[Na+]", {"atoms": {"C": 2, "O": 1, "Na": 1}}, True),
        ("C1CC", {"atoms": {"C": 3}}, False),
        ("C>>C", {"atoms": {"C": 2}}, False),
        ("", {"atoms": {"C": 1}}, False),
        ("[C][C][O]", {"atoms": {"C": 2, "O": 1}, "system": "selfies"}, True),
        ("InChI=1S/CH4/h1H4", {"atoms": {"C": 1, "H": 4}, "system": "inchi"}, True),
    ],
)
def test_atoms_are_counted_by_element(notation, params, is_met):
    assert counted(notation, **params).outcome is (Outcome.PASS if is_met else Outcome.FAIL)


def test_every_flaw_is_in_the_reason():
    check = counted("CCN.Cl", atoms={"C": 3, "O": 1}, allow_fragments=False)
    assert check.reason == (
        "'CCN.Cl': 2 C, asked for 3; 0 O, asked for 1; other elements stand in it: Cl, N; "
        "it has 2 fragments, one molecule is asked for"
    )
    assert check.found == {"atoms": {"C": 2, "Cl": 1, "N": 1, "H": 8}}
    assert check.extracted == "CCN.Cl"


def test_answer_without_a_molecule_fails():
    check = decide_extracted(atom_count, (), AtomCountParams(atoms={"C": 1}))
    assert check.outcome is Outcome.FAIL


def test_molecule_is_located_without_an_extractor_where_it_is_marked():
    check = locate(atom_count, "The SMILES is: `CCO`.", AtomCountParams(atoms={"C": 2, "O": 1}))
    assert check.outcome is Outcome.PASS
    assert [(place.start, place.text) for place in check.evidence] == [(16, "CCO")]


def test_extractor_is_needed_where_no_rule_finds_the_molecule():
    params = AtomCountParams(atoms={"C": 2, "O": 1})
    assert locate(atom_count, "It is ethanol, CCO, as everybody knows.", params) is None


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"atoms": {}},
        {"atoms": {"Xx": 1}},
        {"atoms": {"carbon": 1}},
        {"atoms": {"c": 6}},
        {"atoms": {"C": -1}},
        {"atoms": {"C": 1.5}},
        {"atoms": {"C": 1}, "others": "some"},
        {"atoms": {"C": 1}, "system": "iupac"},
        {"atoms": {"C": 1}, "total": 3},
    ],
)
def test_parameters_that_mean_nothing_are_refused(params):
    with pytest.raises(ValidationError):
        AtomCountParams(**params)
