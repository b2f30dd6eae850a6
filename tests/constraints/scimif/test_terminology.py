import pytest
from pydantic import ValidationError

from ifbench.constraints.constraint import decide_extracted, locate
from ifbench.constraints.scimif.terminology import ValidityParams, molecular_validity
from ifbench.types import Cause, Outcome

pytest.importorskip("rdkit")


def located(text, **params):
    return locate(molecular_validity, text, ValidityParams(**params))


@pytest.mark.parametrize(
    ("text", "params", "is_valid"),
    [
        ("`CC(=O)Oc1ccccc1C(=O)O`", {}, True),
        ("`CC(=O)Oc1ccccc1C(=O`", {}, False),
        ("CCO", {}, True),
        ("ethanol", {}, False),
        ("SMILES: CCO.", {}, True),
        ("```\nCC this is junk\n```", {}, False),
        ("SMILES: CCO>>CC=O", {}, False),
        ("CCO -> CC=O", {}, False),
        ("SMILES: C₂H₆O", {}, None),
        ("C₂H₆O", {}, False),
        ("`C(C)(C)(C)(C)C`", {}, False),
        ("`c1cccc1`", {}, False),
        ("SMILES: [H][H]", {}, False),
        ('{"molecule": ""}', {}, False),
        ('{"molecule": "F/C=C\\F"}', {}, True),
        ('{"drug": "CCO", "molecule": "C1C"}', {"key": "drug"}, True),
        ('{"drug": "CCO", "molecule": "C1C"}', {}, False),
        ("`[Na+].[Cl-]`", {}, True),
        ("`[Na+].[Cl-]`", {"allow_fragments": False}, False),
        ("`OCC`", {"reference": "CCO"}, True),
        ("`OCC`", {"reference": ["CCN", "LFQSCWFLJHTTHZ-UHFFFAOYSA-N"]}, True),
        ("`OCC`", {"reference": ["CCN", "CCC"]}, False),
        ("`C[C@H](O)N`", {"reference": "C[C@@H](O)N"}, False),
        ("InChI=1S/CH4/h1H4", {"system": "inchi"}, True),
        ("CCO", {"system": "inchi"}, False),
        ("`[C][C][O]`", {"system": "selfies"}, True),
        ("CCO", {"system": "selfies"}, False),
        ("[C][Xx]", {"system": "selfies"}, False),
        ("   ", {}, False),
        ("I cannot say.", {}, None),
    ],
)
def test_molecule_is_valid_in_the_asked_system(text, params, is_valid):
    check = located(text, **params)
    outcome = None if check is None else check.outcome
    assert outcome is {True: Outcome.PASS, False: Outcome.FAIL, None: None}[is_valid]


def test_reason_says_what_is_wrong_with_which_molecule():
    check = located("The SMILES is `C1CC`.")
    assert check.reason == "'C1CC': it is no valid SMILES"
    assert check.extracted == "C1CC"
    assert [place.text for place in check.evidence] == ["C1CC"]


def test_answer_in_which_the_extractor_finds_nothing_fails():
    check = decide_extracted(molecular_validity, (), ValidityParams())
    assert (check.outcome, check.reason) == (Outcome.FAIL, "the answer gives no molecule in SMILES")


def test_reference_that_cannot_be_read_leaves_the_item_undecided():
    check = located("`CCO`", reference="C1C")
    assert (check.outcome, check.cause) == (Outcome.UNDECIDED, Cause.PARAMETERS)


def test_reference_that_cannot_be_read_does_not_stand_in_the_way_of_one_that_is_met():
    assert located("`CCO`", reference=["C1C", "OCC"]).outcome is Outcome.PASS


def test_name_without_synonyms_is_undecided_and_says_why():
    check = located("IUPAC name: ethanol", system="iupac")
    assert (check.outcome, check.cause) == (Outcome.UNDECIDED, Cause.PARAMETERS)
    assert "synonyms" in check.reason


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("Acetic acid.", Outcome.PASS),
        ("**ethanoic acid**", Outcome.PASS),
        ("IUPAC name: ethanoic  acid", Outcome.PASS),
        ("IUPAC name: 2\u2010methylpropane", Outcome.PASS),
        ("IUPAC name: ethanoic acids", Outcome.FAIL),
        ("IUPAC name: 2-methylpropan-1-ol", Outcome.FAIL),
        ("acetate", Outcome.FAIL),
        ("It is not acetic acid.", None),
    ],
)
def test_name_is_compared_with_synonyms(text, outcome):
    names = ["acetic acid", "ethanoic acid", "2-methylpropane"]
    check = located(text, system="iupac", reference=names)
    assert (check and check.outcome) is outcome


@pytest.mark.parametrize(
    "params", [{"system": "mol2"}, {"reference": ""}, {"reference": ["CCO", ""]}, {"smiles": 1}]
)
def test_parameters_that_mean_nothing_are_refused(params):
    with pytest.raises(ValidationError):
        ValidityParams(**params)


def test_parameters_survive_their_json_form():
    for reference in ("CCO", ("CCO", "CCN"), ()):
        params = ValidityParams(reference=reference)
        assert ValidityParams.model_validate_json(params.model_dump_json()) == params
