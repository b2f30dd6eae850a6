"""Each rule on answers that show how loose or how brittle it is."""

from __future__ import annotations

import time

import pytest

from ifbench.constraints.constraint import Scripted, decide, decide_extracted, locate
from ifbench.constraints.scimif_release import release_rules
from ifbench.constraints.scimif_release.number import KindsReply, settle
from ifbench.constraints.scimif_release.procedure import StepsReply
from ifbench.constraints.scimif_release.rule import ReleaseParams
from ifbench.types import Outcome

BY_NAME = {rule.id.removeprefix("release:"): rule for rule in release_rules().values()}


def run(name, text, raw="", question=""):
    rule = BY_NAME[name]
    assert isinstance(rule.method, Scripted)
    return decide(rule, text, ReleaseParams(raw=raw, question=question))


def table(name, *rows):
    """Rows of answer, parameter, question and whether it passes, as one parametrised test."""
    cases = [(name, *row) for row in rows]
    return pytest.mark.parametrize(("name", "text", "raw", "question", "passes"), cases)


def check_row(name, text, raw, question, passes):
    check = run(name, text, raw, question)
    assert (check.outcome is Outcome.PASS) == passes, check.reason
    assert check.outcome is not Outcome.UNDECIDED


@table(
    "unit_consistency",
    ("The speed is 3 m/s.", "m/s", "", True),
    ("I have no idea, my friend.", "meters (m)", "", True),  # The m of "my".
    ("It is 5 km.", "nanometers (nm)", "", True),  # The m of another unit.
    ("42", "nanometers (nm)", "", False),
    ("5 °", "degrees (°)", "", False),
    ("It grows", "grams", "", True),
    ("KELVIN", "K", "", True),
    ("5 KG", "grams", "", True),  # Case does not count.
    ("42", "", "", True),  # An empty text stands in every text.
)
def test_unit_by_substring(name, text, raw, question, passes):
    check_row(name, text, raw, question, passes)


@table(
    "decimal_annotation",
    ("First 3 and 4.5, then the final answer is 2.50.", "two decimal places", "", True),
    ("The answer is 2.5.", "two decimal places", "", False),
    ("The result is 2.50 from 3 and 4.5", "2", "", True),
    ("The result is 3 which is 2.50", "2", "", False),  # Only the first number after the phrase.
    ('{"final_answer": "2.50", "n": 3}', "two decimal places", "", True),
    ("3 times 0.5 is 1.50", "2 decimal places", "", True),  # No phrase: the last number.
    ("1.50 m, in 3 s", "2 decimal places", "", False),
    ("3 times 0.5 is 1.50", "2 decimal places", "Round all numbers.", False),
    ("1. Add 1.00\n2. The sum is 1.50", "2 decimal places", "Show intermediate values.", True),
    ("The answer is 4", "", "Round to the nearest integer.", True),
    ("The answer is 4.0", "", "Round to the nearest integer.", False),
    ("The answer is 4.25", "precise", "", False),  # Nothing can be read: skipped.
    ("none", "two decimal places", "", False),
    ("The answer is 1,234.50", "two decimal places", "", True),
)
def test_decimal_places_of_the_final_region(name, text, raw, question, passes):
    check_row(name, text, raw, question, passes)


def test_decimal_places_come_from_the_parameter_before_the_question():
    question = "Give 3 decimal places."
    assert run("decimal_annotation", "1.25", "two decimal places", question).outcome is Outcome.PASS
    assert run("decimal_annotation", "1.250", "", question).outcome is Outcome.PASS


@table(
    "scientific_annotation",
    ("It is 1.5e3 m.", "", "", True),
    ("It is 1.5 × 10^3 m and 2×10^{-4} s.", "", "", True),
    (r"$6.02 \times 10^{23}$", "", "", True),
    ("It is 15e3 m.", "", "", False),  # Two digits before the exponent.
    ("1. It is 1.5e3 m.", "", "", False),  # A list number is a number.
    ("In H2O there are 1.5e3 of them", "", "", True),
    ("none", "", "", False),
)
def test_scientific_notation_of_every_number(name, text, raw, question, passes):
    check_row(name, text, raw, question, passes)


@table(
    "all_uppercase",
    ("ALL OF IT", "", "Write in uppercase.", True),
    ("All of it", "", "Write in uppercase.", False),
    ("ALL ß AND é", "", "Write in uppercase.", True),  # ASCII letters only.
    ("It is. The answer is SEM", "", "Write the answer in uppercase.", True),
    ("It is. The answer is SEM", "", "Your whole answer must be uppercase.", False),
    ("SEM", "", "Name the technique.", False),  # Nothing of case in the question: skipped.
)
def test_uppercase_in_the_scope_of_the_question(name, text, raw, question, passes):
    check_row(name, text, raw, question, passes)


@table(
    "all_lowercase",
    ("all of it é", "", "Use only lower-case letters.", True),
    ("all of It", "", "Use only lower-case letters.", False),
    ("42", "", "Use only lower-case letters.", True),
)
def test_lowercase(name, text, raw, question, passes):
    check_row(name, text, raw, question, passes)


@table(
    "wrap_up",
    ("It is 4 (see above).", "", "", True),
    ("It is f[x].", "", "", True),
    ("A set {1}.", "", "", True),
    ("```\n4\n```", "", "", True),
    (r"never \boxed at all", "", "", True),
    ("+---+\n| 4 |\n+---+", "", "", True),
    ("It is 4.", "", "", False),
)
def test_wrap_up_almost_always_passes(name, text, raw, question, passes):
    check_row(name, text, raw, question, passes)


@pytest.mark.parametrize(
    ("name", "text", "question", "passes"),
    [
        ("json_constraint", '{"a": 1}', "", True),
        ("json_constraint", '```json\n{"a": 1}\n```', "", True),
        ("json_constraint", 'Here: {"a": 1}', "", False),
        ("json_constraint", 'So the final answer is {"a": 1}', "Give the final answer.", True),
        ("json_constraint", 'Words.\n```json\n{"a": 1}\n```\nbye', "The final answer", True),
        ("json_constraint", 'Words.\n\n{"a": 1}', "The final answer as JSON.", True),
        ("json_constraint", r"So \boxed{[1]}", "The final answer as JSON.", True),
        ("json_constraint", "4", "", True),
        ("list_constraint", "['a', 1]", "", True),
        ("list_constraint", "('a', 1)", "", False),
        ("list_constraint", "Final answer: [1]", "The final answer as a list.", True),
        ("tuple_constraint", "(1, 2)", "", True),
        ("tuple_constraint", "1, 2", "", True),
        ("tuple_constraint", "(1)", "", False),
        ("dictionary_constraint", "{'a': 1}", "", True),
        ("dictionary_constraint", "{'a': 1}", "Such as {'b': 0}.", False),
        ("dictionary_constraint", '{"b": 1}', "Such as {'b': 0}.", True),
        ("dictionary_constraint", "{1, 2}", "", False),
        ("html_constraint", "<p>a</p>", "", True),
        ("html_constraint", "<p>a<br>b</p>", "", True),
        ("html_constraint", "See <p>a</p>", "", False),
        ("html_constraint", "<p>a</p> so", "", False),
        ("html_constraint", "<p><b>a</p></b>", "", False),
        ("html_constraint", "Words\n<div><p>a</p></div>", "The final answer as HTML.", True),
        ("html_constraint", "a", "", False),
        ("xml_constraint", "<a><b/></a>", "", True),
        ("xml_constraint", "<a><b></a>", "", False),
        ("xml_constraint", "<a>1</a>", "Use the root element <answer>.", False),
        ("xml_constraint", "<answer>1</answer>", "Use the root element <answer>.", True),
        ("csv_constraint", "a,b\n1,2", "", True),
        ("csv_constraint", "Well, it is", "", True),  # One sentence with a comma.
        ("csv_constraint", "a\n1", "", False),
        ("csv_constraint", "a,b\n1,2,3", "", False),
        ("markdown_constraint", "# A", "", True),
        ("markdown_constraint", "- a", "", True),
        ("markdown_constraint", "1. a", "", True),
        ("markdown_constraint", "plain", "", False),
    ],
)
def test_formats_in_the_whole_or_the_final_answer(name, text, question, passes):
    check_row(name, text, "", question, passes)


@table(
    "choose_from",
    ("It is unstable.", "stable, metastable", "", True),  # Inside a longer word.
    ("It is neither CATHODE nor else.", "['anode', 'cathode']", "", True),
    ("It glows.", "['anode', 'cathode']", "", False),
    ("It is copper.", "", "Which?\nA) iron\nB) copper", True),
    ("B", "", "Which?\nA) iron\nB) copper", False),  # Letters are no options.
    ("It is copper.", "", "Which metal is it?", False),  # No options: skipped.
    ("a or b", "A) iron B) copper", "", False),
)
def test_any_option_as_a_substring(name, text, raw, question, passes):
    check_row(name, text, raw, question, passes)


@table(
    "judge",
    ("Yes.", "", "", True),
    ("There is no telling.", "", "", True),
    ("It is not False, nor true", "", "", True),
    ("I know", "", "", False),
    ("是", "", "", False),
)
def test_any_yes_or_no(name, text, raw, question, passes):
    check_row(name, text, raw, question, passes)


def sentences(count, at):
    """So many sentences, the answer phrase in those with these numbers."""
    return " ".join(
        f"The answer is {i}." if i in at else f"Sentence {i} goes on." for i in range(count)
    )


@pytest.mark.parametrize(
    ("text", "position", "passes"),
    [
        (sentences(11, {0}), "beginning", True),
        (sentences(11, {1}), "beginning", True),
        (sentences(11, {2}), "beginning", False),  # 0.2 is the middle.
        (sentences(11, {2}), "middle", True),
        (sentences(11, {8}), "middle", True),  # 0.8 is, too.
        (sentences(11, {8}), "end", False),
        (sentences(11, {9}), "end", True),
        (sentences(11, {0, 10}), "end", False),  # The first one counts.
        (sentences(1, {0}), "beginning", True),
        (sentences(1, {0}), "end", False),
        ("It is 4. So we stop. Answer: 4", "end", False),  # No phrase of the release's.
    ],
)
def test_the_first_answer_sentence_decides_the_position(text, position, passes):
    raw = f"final_answer_position = {position}"
    check_row("response_structure", text, raw, "", passes)


def test_a_position_with_a_remark_is_read_and_one_without_a_name_is_skipped():
    raw = "final_answer_position = middle (the sequence appears between …)"
    assert run("response_structure", sentences(5, {2}), raw).outcome is Outcome.PASS
    check = run("response_structure", sentences(5, {2}), "somewhere")
    assert "skipped" in check.reason
    assert check.outcome is Outcome.FAIL


@table(
    "molecular_format_validity",
    ("`[C][C][O]`", "SELFIES", "", True),
    ("`CCO`", "SELFIES", "", False),
    ("`CCO`", "SMILES", "", True),
    ("SMILES: CCO (ethanol)", "a valid SMILES", "", True),
    ("`C1CC`", "SMILES", "", False),
    ("It is ethanol.", "IUPAC name", "", True),
    ("It is fine.", "IUPAC name", "", False),
    ("`CCO`", "", "", True),
    ("`CCO`", "SELFIES or SMILES", "", True),
)
def test_a_molecule_in_any_named_notation(name, text, raw, question, passes):
    check_row(name, text, raw, question, passes)


@table(
    "atom_count",
    ("`CCO`", "2 carbon atoms", "", True),  # Oxygen is not named and need not be 0.
    ("`CCO`", "two carbon atoms and one oxygen atom", "", True),
    ("`CCO`", "3 carbon atoms", "", False),
    ("`CCO`", "a total of 3 heavy atoms", "", True),
    ("`CCO`", "2 carbon, total 4 atoms", "", False),
    ("`CCO`", "some carbon", "", False),
    ("nothing", "2 carbon atoms", "", False),
)
def test_atoms_by_element(name, text, raw, question, passes):
    check_row(name, text, raw, question, passes)


@table(
    "atom_bond",
    ("`CC=C`", "1 double bond", "", True),
    ("`c1ccccc1`", "6 aromatic bonds", "", True),
    ("`C#C`", "1 triple bond and 1 single bond", "", False),
    ("`CCCC`", "1 rotatable bond", "", True),
    ("`CCCC`", "3 chemical bonds", "", True),
    ("`CCCC`", "13 chemical bonds", "", False),
    ("`CCCC`", "bonds", "", False),
)
def test_bonds_by_kind(name, text, raw, question, passes):
    check_row(name, text, raw, question, passes)


@table(
    "atom_group",
    ("`OCCO`", "2 hydroxyl groups", "", True),
    ("`OCCO`", "exactly 1 hydroxyl group", "", False),
    ("`OCCO`", "at least 1 hydroxyl group", "", True),
    ("`OCCO`", "at most one hydroxyl group", "", False),
    ("`Oc1ccccc1`", "1 benzene ring and 1 hydroxyl", "", True),
    ("`CCl`", "1 halogen atom", "", True),
    ("`C1CC`", "1 hydroxyl group", "", False),
    ("`CO`", "1 frobnyl group", "", False),
)
def test_groups_exactly_at_least_or_at_most(name, text, raw, question, passes):
    check_row(name, text, raw, question, passes)


@pytest.mark.parametrize(("text", "raw"), [("`C1CC`", "1 hydroxyl group"), ("`CO`", "groups")])
def test_groups_that_cannot_be_read_are_skipped(text, raw):
    assert run("atom_group", text, raw).reason.startswith("skipped by the release")


@table(
    "address_format",
    ('{"continent": "x", "country": 1}', "hierarchy format: Continent, Country", "", True),
    ('{"Postal Code": "x"}', '{"postal_code": "…"}', "", True),
    ('{"continent": "x"}', "hierarchy format: Continent, Country", "", False),
    ('{"country": "x"}', "", 'As {"country": "…"}.', True),
    ("Asia, Japan", "hierarchy format: Continent, Country", "", False),
    ("Asia, Japan, Tokyo", "", "Where is it?", True),  # No hierarchy: two commas will do.
    ("Tokyo", "", "Where is it?", False),
)
def test_address_keys(name, text, raw, question, passes):
    check_row(name, text, raw, question, passes)


@table(
    "scene_option",
    ('{"a": "day"}', "", "light: [day, night]", True),
    ('{"a": "Day"}', "", "light: [day, night]", False),
    ('{"a": "front"}', "", 'light: [day, night]\nview: "front" | "back"', True),
    ('{"a": "day", "b": {"c": ["dusk"]}}', "", "light: [day, night]", False),
    ('{"a": "rain"}', "", "CHOICE LIST: sun, rain", True),
    ('{"a": 1}', "", "light: [day, night]", True),  # Only texts are looked at.
    ("day", "", "light: [day, night]", False),
    ('{"a": "day"}', "", "Which light?", False),
)
def test_scene_labels(name, text, raw, question, passes):
    check_row(name, text, raw, question, passes)


@table(
    "sequence_length",
    ("I would say 7", "120 amino acids", "", True),
    ("MKV", "3 amino acids", "", False),
)
def test_any_number_is_a_sequence_length(name, text, raw, question, passes):
    check_row(name, text, raw, question, passes)


@table(
    "entity_relationship",
    ("(pilocarpine, seizures)", "", "", True),
    ("(diethylstilbestrol, )", "", "", True),
    ("see [1, 2]", "", "", True),
    ("(a, b, c, d, e)", "", "", True),
    ("(a, b, c, d, e, f)", "", "", False),
    ("(a)", "", "", False),
    ("a, b", "", "", False),
)
def test_any_bracketed_tuple(name, text, raw, question, passes):
    check_row(name, text, raw, question, passes)


@table(
    "characterization_technique",
    ("SEM", "", "", True),
    ("ESCA", "", "", True),
    ("No TEM was used.", "", "", True),
    ("EBSD", "", "", False),
    ("SAXS", "", "", False),
    ("scanning electron microscopy", "", "", False),
    ("SEMANTICS", "", "", False),
)
def test_one_of_24_abbreviations(name, text, raw, question, passes):
    check_row(name, text, raw, question, passes)


@table(
    "property_prediction",
    ("It is 1.2", "continuous", "", True),
    ("wide", "continuous", "", False),
    ("No idea", "discrete", "", True),
    ("It is direct, 1.2 eV", "discrete", "", True),
    ("about 1.2 eV", "discrete", "", False),
    ("Blue", "", "The property is discrete.", True),
    ("1.2", "", "Predict it.", False),
)
def test_property_types(name, text, raw, question, passes):
    check_row(name, text, raw, question, passes)


# ── Where the release asks a model ───────────────────────────────────────────────────

METHOD = BY_NAME["method_constraint"]
LONG = "ideal gas law (pV = nRT), with R = 8.314 J/(mol K), solved for n"


@pytest.mark.parametrize(
    ("methods", "raw", "passes"),
    [
        (("the ideal gas law",), "ideal gas law", True),
        (("Ideal Gas Law",), "ideal gas law", False),  # Letter by letter.
        (("ideal gas law", "pV = nRT"), LONG, False),  # The entire parameter string.
        ((), "ideal gas law", False),
    ],
)
def test_the_entire_parameter_must_stand_in_what_was_extracted(methods, raw, passes):
    check = decide_extracted(METHOD, methods, ReleaseParams(raw=raw), text="From pV = nRT.")
    assert (check.outcome is Outcome.PASS) == passes


@pytest.mark.parametrize("raw", ["", "  "])
def test_an_empty_method_stands_in_every_answer(raw):
    check = locate(METHOD, "Whatever.", ReleaseParams(raw=raw))
    assert check.outcome is Outcome.PASS
    assert "no parameter text" in check.reason


@pytest.mark.parametrize(
    ("raw", "question", "settled"),
    [
        ("N = 4 types of responses", "", False),
        ("3 types of responses: 1) …", "", False),
        ("4", "", False),
        ("", "Give exactly five different answers.", False),
        ("N = 2", "", True),
        ("two types of responses", "Give three types of responses.", True),
        ("", "", True),
        ("several", "Say it.", True),
    ],
)
def test_n_must_be_above_two_and_is_read_before_a_judge_is_asked(raw, question, settled):
    check = settle("a b c", ReleaseParams(raw=raw, question=question))
    assert (check is not None) == settled
    if check is not None:
        assert check.outcome is Outcome.FAIL


def test_the_judges_yes_is_taken_for_the_number_of_kinds():
    decided = BY_NAME["number_response"].method.decide
    params = ReleaseParams(raw="N = 4")
    assert decided(KindsReply(exactly=True), params).outcome is Outcome.PASS
    assert decided(KindsReply(exactly=False), params).outcome is Outcome.FAIL


@pytest.mark.parametrize(
    ("score", "passes"), [(1.0, True), (0.99, False), (0.5, False), (0, False)]
)
def test_steps_keep_their_fraction_and_pass_in_full(score, passes):
    reply = StepsReply(required_steps=("a",), response_steps=(), matched=1, total=2, score=score)
    check = BY_NAME["steps"].method.decide(reply, ReleaseParams())
    assert (check.outcome is Outcome.PASS) == passes
    assert check.found["score"] == score
    assert f"score {score:g}" in check.reason


@pytest.mark.parametrize("score", [-0.1, 1.5, 75.0])
def test_a_score_outside_its_range_is_unreadable(score):
    reply = StepsReply(required_steps=(), response_steps=(), matched=1, total=2, score=score)
    with pytest.raises(ValueError, match="from 0 to 1"):
        BY_NAME["steps"].method.decide(reply, ReleaseParams())


@pytest.mark.parametrize(
    ("name", "raw", "text"),
    [
        ("html_constraint", "", "<" + "a" * 200_000),
        ("molecular_format_validity", "IUPAC", "a" * 200_000),
        ("molecular_format_validity", "IUPAC", "ACGT" * 50_000),
    ],
)
def test_a_word_without_end_is_read_once(name, raw, text):
    begun = time.process_time()
    assert run(name, text, raw).outcome is Outcome.FAIL
    assert time.process_time() - begun < 2  # Reading it from each letter on takes minutes.
