import pytest
from pydantic import ValidationError

from ifbench.constraints.constraint import decide
from ifbench.constraints.scimif.terminology_techniques import (
    TechniqueParams,
    characterization_technique,
)
from ifbench.types import Outcome


def outcome(text, **params):
    return decide(characterization_technique, text, TechniqueParams(**params)).outcome


@pytest.mark.parametrize(
    "text",
    [
        "XRD",
        "X-ray diffraction (XRD)",
        "We used SEM and TEM first.\n\nFinal answer: XRD",
        "\\boxed{\\text{XRD}}",
        '{"answer": "powder X-ray diffraction"}',
        "Powder X-ray diffractometry shows the phases.",
    ],
)
def test_allowed_technique_passes_by_any_name(text):
    assert outcome(text, allowed=["X-ray diffraction"]) is Outcome.PASS


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("SEM", ["TEM"]),
        ("STEM", ["TEM"]),
        ("XRD and SEM", ["XRD"]),
        ("The system is semantic.", ["SEM"]),
        ("TEM", ["HRTEM"]),
        ("X-ray photoelectron spectroscopy", ["XRD"]),
        ("xrd", ["XRD"]),
        ("XRD was used.\n\nFinal answer: SEM", ["XRD"]),
        ("XRD was used.\n\nFinal answer: unknown", ["XRD"]),
    ],
)
def test_other_technique_or_none_fails(text, allowed):
    assert outcome(text, allowed=allowed) is Outcome.FAIL


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is not XRD.", Outcome.FAIL),
        ("No XRD was used.", Outcome.FAIL),
        ("XRD, not SEM.", Outcome.PASS),
        ("XRD; SEM was not used.", Outcome.PASS),
        ("XRD, and not without SEM.", Outcome.FAIL),
        ("XRD; it could not be resolved by SEM.", Outcome.FAIL),
        ("XRD rather than SEM", Outcome.PASS),
        ("This is an XRD pattern and not a TEM image.", Outcome.PASS),
        ("Not only XRD but also SEM", Outcome.FAIL),
    ],
)
def test_a_technique_that_the_answer_denies_is_not_named(text, expected):
    assert outcome(text, allowed=["XRD"]) is expected


def test_without_a_list_every_known_technique_is_valid():
    assert outcome("It was SAXS.") is Outcome.PASS
    assert outcome("It was a microscope.") is Outcome.FAIL


def test_scope_all_reads_beside_the_final_answer_too():
    text = "It may be SEM.\n\nFinal answer: XRD"
    assert outcome(text, allowed=["XRD"]) is Outcome.PASS
    assert outcome(text, allowed=["XRD"], scope="all") is Outcome.FAIL


@pytest.mark.parametrize(
    ("text", "form", "expected"),
    [
        ("XRD", "acronym", Outcome.PASS),
        ("X-ray diffraction", "acronym", Outcome.FAIL),
        ("X-ray diffraction (XRD)", "acronym", Outcome.PASS),
        ("X-ray diffraction (XRD)", "name", Outcome.PASS),
        ("XRD", "name", Outcome.FAIL),
        ("Raman", "acronym", Outcome.PASS),
        ("SEM with Raman spectroscopy", "name", Outcome.FAIL),
    ],
)
def test_the_asked_form_of_the_name_is_needed(text, form, expected):
    assert outcome(text, form=form) is expected


def test_acronyms_of_a_lower_case_answer_count_where_case_is_ignored():
    assert outcome("xrd", allowed=["XRD"], ignore_case=True) is Outcome.PASS


def test_a_verdict_shows_what_was_named_and_where():
    text = "EDX, then XRD."
    check = decide(characterization_technique, text, TechniqueParams(allowed=("XRD",)))
    assert check.reason == "names EDS; allowed: XRD"
    assert [place.text for place in check.evidence] == ["EDX", "XRD"]
    assert check.found == {"techniques": ["EDS", "XRD"]}
    assert check.extracted == "EDS, XRD"


def test_a_blank_name_is_no_technique():
    with pytest.raises(ValidationError):
        TechniqueParams(allowed=(" ",))
