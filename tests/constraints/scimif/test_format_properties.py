import pytest
from pydantic import ValidationError

from ifbench.constraints.constraint import decide
from ifbench.constraints.scimif.format_properties import PropertyType, property_type
from ifbench.types import Outcome

PASS, FAIL = Outcome.PASS, Outcome.FAIL
STABLE = ["stable", "unstable"]
GAP = ["Direct", "Indirect"]
TRUTH = ["True", "False"]


def check(text, **params):
    return decide(property_type, text, PropertyType(**params))


@pytest.mark.parametrize(
    ("text", "labels", "expected"),
    [
        ("Indirect", GAP, PASS),
        ("The gap is indirect.", GAP, PASS),
        ("It could be direct.\n\nFinal answer: Indirect", GAP, PASS),
        ("direct or indirect", GAP, FAIL),
        ("The direction is unknown.", GAP, FAIL),
        ("unstable", STABLE, PASS),
        ("It is not stable.", STABLE, FAIL),
        ("It isn't stable.", STABLE, FAIL),
        ("It is not only stable.", STABLE, PASS),
        ("non-stable", STABLE, FAIL),
        ("metastable", STABLE, FAIL),
        ("True", TRUTH, PASS),
        ("Yes", TRUTH, PASS),
        ("Yes, that is true.", TRUTH, PASS),
        ("no", TRUTH, PASS),
        ("not known", TRUTH, FAIL),
        ("1.12 eV", GAP, FAIL),
        ("Indirect, not direct.", GAP, PASS),
        ("Indirect rather than direct.", GAP, PASS),
        ("It is not direct but indirect.", GAP, PASS),
        ("not direct but indirect", GAP, PASS),
        ("neither direct nor indirect", GAP, FAIL),
    ],
)
def test_a_label_is_one_of_the_closed_set(text, labels, expected):
    assert check(text, kind="label", labels=labels).outcome is expected


def test_a_label_may_have_other_words_and_stand_under_a_key():
    params = {"kind": "label", "labels": GAP, "aliases": {"Indirect": ["phonon-assisted"]}}
    assert check("It is phonon-assisted.", **params).extracted == "Indirect"
    text = '{"note": "not direct", "gap_type": "Indirect"}'
    assert check(text, key="gap_type", **params).outcome is PASS
    assert check(text, key="gap", **params).outcome is FAIL


@pytest.mark.parametrize(
    ("text", "params", "expected"),
    [
        ("1.12", {}, PASS),
        ("1.12 eV", {"unit": "eV"}, PASS),
        ("1.12 meV", {"unit": "eV"}, FAIL),
        ("1.12", {"unit": "eV"}, FAIL),
        ("210 MPa", {"unit": "mPa"}, FAIL),
        ("$8.96\\,\\mathrm{g/cm^3}$", {"unit": "g/cm³"}, PASS),
        ("The gap of Si is 1.12 eV.", {}, PASS),
        ("Two steps with 3 values.\n\nFinal answer: 1.12 eV", {}, PASS),
        ("between 1.1 and 1.2 eV", {}, FAIL),
        ("It is about one electronvolt.", {}, FAIL),
        ("Direct", {}, FAIL),
        ("1e999", {}, FAIL),
        ('{"band_gap": 1.12, "n": 4}', {"key": "band_gap"}, PASS),
        ('{"n": 4}', {"key": "band_gap"}, FAIL),
    ],
)
def test_a_number_is_exactly_one_and_finite(text, params, expected):
    assert check(text, kind="number", **params).outcome is expected


@pytest.mark.parametrize(
    ("value", "json_type", "expected"),
    [
        ("1.12", "number", PASS),
        ("1", "number", PASS),
        ("1", "integer", PASS),
        ("1.0", "integer", FAIL),
        ('"1.12"', "number", FAIL),
        ("true", "number", FAIL),
        ("true", "boolean", PASS),
        ("True", "boolean", FAIL),
        ('"true"', "boolean", FAIL),
        ("1", "boolean", FAIL),
        ("null", "number", FAIL),
        ("1e999", "number", FAIL),
        ('"Direct"', "string", PASS),
        ('" "', "string", FAIL),
        ("[1]", "number", FAIL),
    ],
)
def test_a_json_field_has_the_right_type(value, json_type, expected):
    text = f'The prediction: {{"Band_gap": {value}}}'
    assert check(text, kind="json", key="band_gap", json_type=json_type).outcome is expected


def test_a_json_string_may_be_of_a_closed_set():
    params = {"kind": "json", "key": "gap", "json_type": "string", "labels": GAP}
    assert check('{"gap": "direct"}', **params).outcome is PASS
    assert check('{"gap": "large"}', **params).outcome is FAIL
    assert check('{"other": "direct"}', **params).outcome is FAIL
    assert check("gap: direct", **params).outcome is FAIL


@pytest.mark.parametrize(
    "params",
    [
        {"kind": "label"},
        {"kind": "label", "labels": ["a", "A"]},
        {"kind": "label", "labels": GAP, "aliases": {"Metal": ["x"]}},
        {"kind": "label", "labels": GAP, "unit": "eV"},
        {"kind": "number", "labels": GAP},
        {"kind": "number", "json_type": "number"},
        {"kind": "json", "key": "a"},
        {"kind": "json", "json_type": "number"},
        {"kind": "json", "key": "a", "json_type": "boolean", "labels": TRUTH},
    ],
)
def test_params_that_do_not_belong_together_are_refused(params):
    with pytest.raises(ValidationError):
        PropertyType(**params)
