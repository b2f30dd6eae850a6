"""An answer against a reference: equal, different, or not to be told by rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ifbench.parsing.equality import Hints, compare
from ifbench.parsing.option_words import Options

COMPOUNDS = Options(texts=("phenol", "aniline", "toluene"))
LABELLED = "Which is right? A. copper B. zinc C. iron"


def decided(answer, reference, **hints):
    found = compare(answer, reference, Hints(**hints))
    return None if found is None else found.is_equal


@pytest.mark.parametrize(
    "answer",
    [
        "58.44",
        "58.44 g/mol",
        r"The answer is \boxed{58.44}.",
        '{"molar mass": 58.44}',
        '[58.44, "g/mol"]',
        '(58.44, "g/mol")',
        "{'value': 58.44, 'unit': 'g/mol'}",
        "value,unit\n58.44,g/mol",
        '<mass unit="g/mol">58.44</mass>',
        "<answer>58.44</answer>",
        "5.844e1 g/mol",
        r"$5.844 \times 10^{1}\ \mathrm{g\,mol^{-1}}$",
        "Na has 22.99 and Cl 35.45.\n\nFinal answer: 58.44 g/mol",
        '```json\n{"answer": 58.44}\n```',
    ],
)
def test_a_number_is_found_in_every_form_that_a_constraint_may_ask_for(answer):
    question = "What is the molar mass of NaCl, in g/mol?"
    assert decided(answer, "58.44", question=question) is True
    assert decided(answer.replace("8.44", "2.44").replace("5.844", "5.244"), "58.44",
                   question=question) is False  # fmt: skip


@pytest.mark.parametrize(
    "answer",
    [
        "I cannot tell.",
        "It is fifty-eight.",
        "58.44 kg/mol",
        "The answer is 58.44 or 60.06.",
        r"\boxed{60.06} … no, \boxed{58.44}",
        "Na has 22.99 and Cl 35.45, so we add them.",
        "0.05844",
        "",
    ],
)
def test_an_answer_that_is_not_understood_is_never_wrong(answer):
    assert decided(answer, "58.44", question="What is the molar mass of NaCl, in g/mol?") is None


@pytest.mark.parametrize(
    ("answer", "reference", "equal"),
    [
        ("Yes.", "yes", True),
        ("**No**", "yes", False),
        ("No, it does not.", "no", True),
        ('{"answer": "no"}', "yes", False),
        ("True", True, True),
        ("false", "True", False),
        ("No other gas does.", "yes", None),
        ("Yes and no.", "yes", None),
        ("The answer is yes. Final answer: no", "yes", None),
        ("It may.", "no", None),
    ],
)
def test_yes_and_no(answer, reference, equal):
    assert decided(answer, reference) is equal


@pytest.mark.parametrize(
    ("answer", "equal"),
    [("Phenol.", True), ("aniline", False), ("The answer is toluene.", False), ("cresol", None)],
)
def test_options_decide_both_ways(answer, equal):
    assert decided(answer, "phenol", options=COMPOUNDS) is equal


def test_a_reference_that_is_none_of_the_options_cannot_be_compared_with_them():
    assert decided("aniline", "benzene", options=COMPOUNDS) is None


@pytest.mark.parametrize(
    ("answer", "equal"),
    [
        ("B", True),
        ("(B)", True),
        ("The answer is (C).", False),
        ("zinc", None),
        ("Hard to say", None),
    ],
)
def test_labels_of_the_question(answer, equal):
    assert decided(answer, "B", question=LABELLED) is equal


def test_a_letter_is_a_label_only_where_the_question_has_labels():
    assert decided("C", "B", question="Which vitamin is it?") is None


@pytest.mark.parametrize(
    ("answer", "reference", "equal"),
    [
        ("OCC", "CCO", True),
        ("SMILES: `OCC`", "CCO", True),
        ('{"smiles": "CCC"}', "CCO", False),
        ("COC", "CCO", None),  # The same atoms.
        ("C[C@H](N)C(=O)O", "C[C@@H](N)C(=O)O", None),  # Another stereoisomer.
        ("C(", "CCO", None),
        ("It is made from C1CCCCC1 in two steps.", "CCO", None),
        ("no molecule at all", "CCO", None),
    ],
)
def test_molecules_are_compared_by_canonical_form(answer, reference, equal):
    assert decided(answer, reference, system="smiles") is equal


def test_a_notation_is_known_by_its_looks_where_nothing_says_so():
    assert decided("OC(C)=O", "CC(=O)O") is True
    assert decided("InChI=1S/CH4O/c1-2/h2H,1H3", "InChI=1S/CH4O/c1-2/h2H,1H3") is True


@pytest.mark.parametrize(
    ("answer", "equal"),
    [
        ("TAACGGCAT", True),
        ("5'-TAACGGCAT-3'", True),
        ("['TAACGGCAA']", False),
        ("TACGGCAAT", None),  # Read from the other end.
        ("The sequence cannot be told.", None),
    ],
)
def test_nucleotides_are_compared_letter_by_letter(answer, equal):
    assert decided(answer, "TAACGGCAT") is equal


@pytest.mark.parametrize(
    ("answer", "reference", "equal"),
    [
        ("mitochondrion", "Mitochondrion", True),
        ("**Africa**", "AFRICA", True),
        ("driving_surface", "driving surface", True),
        ("the mitochondria", "mitochondrion", None),
        ("TEM", "Transmission electron microscopy (TEM)", True),
        ("transmission electron microscopy", "Transmission electron microscopy (TEM)", True),
        ("SEM", "TEM", None),
        ("E = mc^{2}", "E=mc^2", True),
        ("E = mc^3", "E=mc^2", None),
        ("AB-2", "AB 2", None),
    ],
)
def test_names_are_equal_or_left_open(answer, reference, equal):
    assert decided(answer, reference) is equal


@pytest.mark.parametrize(
    ("answer", "reference", "equal"),
    [
        ('["Arden", "Calder", "Brook"]', "Arden, Calder, Brook", True),
        ("Arden, Calder and Brook", "Arden, Calder, Brook", True),
        ('["Calder", "Arden", "Brook"]', "Arden, Calder, Brook", None),
        ("Arden, Calder", "Arden, Calder, Brook", None),
        ("Brook, Arden", ["Arden", "Brook"], True),
        ("2, 1", [1, 2], None),
        ("1.0, 2.0", [1, 2], True),
        ('["(pilocarpine, seizures)"]', ["(pilocarpine, seizures)"], True),
    ],
)
def test_lists_are_equal_or_left_open(answer, reference, equal):
    assert decided(answer, reference) is equal


@pytest.mark.parametrize(
    ("answer", "equal"),
    [
        ('{"country": "Peru", "high": "yes"}', True),
        ("<place><country>Peru</country><high>yes</high></place>", True),
        ("country: Peru\nhigh: Yes", True),
        ('{"country": "Peru", "high": "no"}', False),
        ('{"country": "Republic of Peru", "high": "yes"}', None),
        ('{"country": "Peru"}', None),
        ("It is in Peru.", None),
    ],
)
def test_fields_are_compared_one_by_one(answer, equal):
    assert decided(answer, {"country": "Peru", "high": "yes"}) is equal
    assert decided(answer, "{'country': 'Peru', 'high': 'yes'}") is equal


def test_nothing_is_compared_without_a_reference():
    assert decided("5", None) is None
    assert decided("5", "") is None


def test_a_comparison_says_what_was_read_and_with_what_it_was_compared():
    found = compare("It is 60 km.", "51", Hints(question="How far is it, in km?"))
    assert found.read == "60"
    assert found.reason == "60 differs from the reference '51'"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)


@given(st.text(max_size=80), json_values)
def test_any_text_can_be_compared_with_any_reference(answer, reference):
    compare(answer, reference, Hints(question=answer))


@given(st.text(st.characters(codec="ascii"), min_size=1, max_size=30))
def test_a_text_never_differs_from_itself(text):
    assert decided(text, text) is not False


@pytest.mark.parametrize(
    ("answer", "reference", "equal"),
    [
        ("45° S", "45° N", False),
        ("45° N", "45° N", True),
        ("45 degrees south", "45° N", False),
        (r"$45^\circ\,\mathrm{S}$", "45° N", False),
        ("30° W", "45° N", None),
        ("40.7° S", "40.7", None),
        ("40.7° N", "40.7", True),
        ("40.7", "40.7° W", None),
        ("52.1° S", "40.7", None),
        ("45°N, 30°W", "45°N, 30°E", None),
        ("45°N, 30°E", "45°N, 30°E", True),
    ],
)
def test_two_hemispheres_are_two_places(answer, reference, equal):
    assert decided(answer, reference) is equal


@pytest.mark.parametrize(
    ("answer", "reference", "equal"),
    [
        ("paris", "Paris", True),
        ("BENZENE", "benzene", True),
        ("XRD", "xrd", True),
        ("CO", "Co", None),
        ("CO2", "Co2", None),
        ("5 mg", "5 Mg", None),
        ("No", "NO", True),
        ("CO, N2", "Co, N2", None),
    ],
)
def test_case_tells_symbols_apart_and_no_other_words(answer, reference, equal):
    assert decided(answer, reference) is equal


@pytest.mark.parametrize(
    ("answer", "reference", "equal"),
    [("10–20", "10-20", True), ("5!", "5", None), (r"\boxed{\frac{1}{3}}", "0.333", True)],
)
def test_signs_that_change_nothing_and_one_that_may(answer, reference, equal):
    assert decided(answer, reference) is equal
