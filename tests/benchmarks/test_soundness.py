"""Quiet defects of a data set: each is found, and a sound sample has none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PIL import Image

from factories import make_sample
from ifbench.benchmarks.binding import bind_params
from ifbench.benchmarks.soundness import CONTENT, KINDS, findings, reference_text
from ifbench.constraints import all_constraints
from ifbench.constraints.running import CheckCall, run_check
from ifbench.media.sources import sha256_of
from ifbench.types import ChecklistItem, Media, Outcome, UnboundParams


def item(name: str, **params: Any) -> ChecklistItem:
    return ChecklistItem(constraint_id=name, params=bind_params(name, params))


def found(*checklist: ChecklistItem, **fields: Any) -> list[str]:
    sample = make_sample(
        **{
            "instruction": "How far?",
            "original_instruction": "",
            "reference": "12.5",
            "checklist": checklist or (item("general:wrap_up"),),
            **fields,
        }
    )
    return [f"{one.kind}: {one.message}" for one in findings(sample)]


UPPER, LOWER = item("general:all_uppercase"), item("general:all_lowercase")
JSON = item("general:json_constraint")
STARTS = item("general:response_structure", starts_with="Answer")


def unit(unit: str | None = None, **params: Any) -> ChecklistItem:
    return item("physics:unit_consistency", **({} if unit is None else {"unit": unit}), **params)


def technique(**params: Any) -> ChecklistItem:
    return item("material:characterization_technique", allowed=["XRD", "SEM"], **params)


CHOICE = item("general:choose_from", options=["metal", "glass"])


def test_a_sound_sample_has_no_finding():
    assert found() == []
    assert found(JSON, UPPER, item("general:decimal_number", places=1)) == []
    assert found(CHOICE, LOWER, reference="metal") == []


def test_constraints_on_content_are_constraints():
    assert set(CONTENT) <= set(all_constraints())


def test_a_reference_that_has_other_atoms_than_asked_for_is_found():
    ethanol = item("chemistry:atom_count_constraint", atoms={"C": 2, "O": 1})
    assert found(ethanol, reference="CCO") == []
    (line,) = found(ethanol, reference="CCN")
    assert line.startswith("reference: checklist[0] chemistry:atom_count_constraint fails it")


# ── Constraints against each other ───────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("one", "two", "words"),
    [
        (UPPER, LOWER, "no text is both"),
        (JSON, item("general:csv_constraint"), "cannot be both"),
        (
            item("general:decimal_number", places=1),
            item("general:decimal_number", places=2),
            "asked twice",
        ),
        (item("general:json_constraint", required_keys=["answer"]), UPPER, "`answer` has to be"),
        (item("general:judge"), item("general:number_response", n=3), "nothing else"),
        (CHOICE, item("general:judge"), "yes or no and one of the options"),
        (JSON, item("general:list_constraint"), "cannot be both"),
        (
            item("general:json_constraint", top_level="array"),
            item("general:dictionary_constraint"),
            "cannot be both",
        ),
        (JSON, item("general:html_constraint"), "cannot be both"),
        (item("general:list_constraint"), item("general:tuple_constraint"), "cannot be both"),
        (JSON, STARTS, "an answer that is json as a whole cannot start with `Answer`"),
        (item("general:html_constraint"), STARTS, "cannot start with"),
        (item("general:judge"), item("general:decimal_number", places=1), "has no number"),
        (item("general:judge"), item("general:scientific_annotation"), "has no number"),
        (item("general:judge"), unit("m"), "has no number"),
        (
            item("general:decimal_number", places=2),
            item("general:scientific_annotation", mantissa_places=3),
            "2 decimal places and 3",
        ),
        (unit("psi"), UPPER, "no spelling of `psi` is in upper case"),
        (unit("HRC"), LOWER, "no spelling of `HRC` is in lower case"),
        (unit(units=["psi", "ksi"]), UPPER, "no spelling of `psi`"),
        (item("chemistry:molecular_validity", system="inchi"), UPPER, "no InChI is in upper"),
        (item("chemistry:molecular_validity", system="inchi"), LOWER, "no InChI is in lower"),
        (item("chemistry:molecular_validity", system="selfies"), LOWER, "no SELFIES"),
        (technique(form="acronym"), LOWER, "`XRD` is not in lower case"),
        (item("general:csv_constraint", header=["Name", "n"]), LOWER, "`Name` has to be"),
        (
            item("physics:unit_consistency", unit="m", scope="all"),
            item("chemistry:unit_consistency", unit="g", scope="all"),
            "no quantity is in both",
        ),
    ],
)
def test_what_no_answer_can_obey_together(one, two, words):
    for pair in ((one, two), (two, one)):
        told = [line for line in found(*pair, reference="12.5") if "contradiction" in line]
        assert len(told) == 1
        assert words in told[0]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (JSON, UPPER),
        (JSON, JSON),
        (item("general:json_constraint", scope="embedded"), item("general:csv_constraint")),
        (item("general:judge", explanation=True), item("general:number_response", n=3)),
        (item("general:judge"), item("general:choose_from", options=["yes", "no"])),
        (item("general:decimal_number", places=2), item("general:scientific_annotation")),
        (item("general:json_constraint", required_keys=["answer"]), LOWER),
        # One text may be both.
        (JSON, item("general:dictionary_constraint")),
        (item("general:json_constraint", top_level="array"), item("general:list_constraint")),
        (item("general:html_constraint"), item("general:xml_constraint")),
        # Names of units are read in any case, and another unit or spelling may do.
        (unit("kg"), UPPER),
        (unit("kJ/mol"), LOWER),
        (unit("kg"), LOWER),
        (unit("MPa"), UPPER),
        (unit("Torr"), LOWER),
        (unit(units=["psi", "MPa"]), UPPER),
        (unit("psi", convertible=True), UPPER),
        (unit("psi", aliases={"PSI": "psi"}), UPPER),
        (unit("dimensionless"), UPPER),
        (item("chemistry:molecular_validity"), LOWER),
        (item("chemistry:molecular_validity", system="selfies"), UPPER),
        (technique(form="acronym"), UPPER),
        (technique(form="name"), LOWER),
        (technique(form="acronym", ignore_case=True), LOWER),
        (item("general:csv_constraint", header=["name", "n"]), LOWER),
        (item("general:json_constraint", top_level="any"), STARTS),
        (item("general:json_constraint", scope="embedded"), STARTS),
        (item("general:dictionary_constraint", allow_assignment=True), STARTS),
        (item("general:csv_constraint"), STARTS),
        (JSON, item("general:response_structure", ends_with="}")),
        (UPPER, STARTS),
        (item("general:judge", explanation=True), item("general:decimal_number", places=1)),
        (item("general:judge"), item("general:wrap_up")),
        (
            item("general:decimal_number", places=2),
            item("general:scientific_annotation", mantissa_places=2),
        ),
        (
            item("general:decimal_number", places=2, scope="final"),
            item("general:scientific_annotation", mantissa_places=3),
        ),
        (
            item("physics:unit_consistency", unit="m"),
            item("chemistry:unit_consistency", unit="g", scope="all"),
        ),
        (
            item("physics:unit_consistency", unit="m/s", scope="all"),
            item("chemistry:unit_consistency", unit="m s^-1", scope="all"),
        ),
    ],
)
def test_what_can_be_obeyed_together(one, two):
    assert [line for line in found(one, two, reference="yes") if "contradiction" in line] == []


@pytest.mark.parametrize(
    ("pair", "answer"),
    [
        ((JSON, item("general:dictionary_constraint")), '{"a": 1}'),
        ((item("general:html_constraint"), item("general:xml_constraint")), "<p>hi</p>"),
        ((unit("kg"), UPPER), "THE MASS IS 5 KILOGRAMS"),
        ((unit("kJ/mol"), LOWER), "it takes 5 kilojoules per mole"),
        ((unit("Torr"), LOWER), "it is 5 torr"),
        ((unit("MPa"), UPPER), "IT IS 5 MEGAPASCALS"),
        ((item("general:csv_constraint"), STARTS), "answer,n\na,1"),
    ],
)
def test_what_is_not_reported_has_an_answer_indeed(pair, answer):
    assert [line for line in found(*pair, reference="5") if "contradiction" in line] == []
    for one in pair:
        call = CheckCall(constraint_id=one.constraint_id, params=one.params, text=answer)
        assert run_check(call).outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("one", "answers"),
    [
        (unit("psi"), ["IT IS 5 PSI", "5 POUNDS PER SQUARE INCH"]),
        (unit("HRC"), ["it is 5 hrc"]),
        (technique(form="acronym"), ["the technique is xrd", "x-ray diffraction"]),
        (JSON, ["Answer", 'Answer: {"a": 1}']),
        (item("general:html_constraint"), ["Answer <p>hi</p>"]),
        (item("general:decimal_number", places=1), ["yes", "No."]),
        (unit("m"), ["yes", "No."]),
    ],
)
def test_the_nearest_answers_to_what_is_reported_fail(one, answers):
    for answer in answers:
        call = CheckCall(constraint_id=one.constraint_id, params=one.params, text=answer)
        assert run_check(call).outcome is Outcome.FAIL


def test_parameters_that_contradict_the_question():
    places = item("general:decimal_number", places=4)
    asked = "How far? Round to the nearest integer."
    assert "the question asks for the nearest integer" in " ".join(found(places, instruction=asked))
    assert found(item("general:decimal_number", places=0), instruction=asked, reference="12") == []


# ── References ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("one", "reference", "words"),
    [
        (CHOICE, "wood", "general:choose_from fails it"),
        (item("general:judge"), "perhaps", "general:judge fails it"),
        (item("general:decimal_number", places=0), "0.2", "0.2 becomes 0"),
        (LOWER, "NaCl", "`NaCl` is not itself in lower case"),
        (LOWER, "TEM", "`TEM`"),
        (UPPER, "pH", "`pH` is not itself in upper case"),
        (item("general:wrap_up"), "Null", "says nothing"),
        (item("general:wrap_up"), " ", "says nothing"),
        (item("general:wrap_up"), None, "cannot be graded"),
        (item("chemistry:molecular_validity"), "C1CC", "chemistry:molecular_validity fails it"),
    ],
)
def test_a_reference_that_is_missing_or_breaks_the_samples_own_constraints(one, reference, words):
    told = found(one, reference=reference)
    assert [line for line in told if line.startswith("reference: ") and words in line] == told
    assert len(told) == 1


@pytest.mark.parametrize(
    ("one", "reference"),
    [
        (CHOICE, "Metal"),
        (item("general:judge"), "No"),
        (UPPER, "No"),
        (LOWER, "No"),
        (UPPER, "TEM"),
        (LOWER, "12.5"),
        (JSON, "12.5"),
        (item("general:decimal_number", places=2), "12.5"),
        (item("general:decimal_number", places=0), "4232 to 4249"),
        (item("general:decimal_number", places=1), {"a": 0.02}),
        (item("chemistry:molecular_validity"), "CCO"),
    ],
)
def test_a_reference_that_a_right_answer_can_give_as_asked(one, reference):
    assert found(one, reference=reference) == []


def test_samples_of_molecule_design_need_no_reference():
    facets = {"task_type": "chemistry_molcustom_bondnum"}
    assert found(reference=None, facets=facets) == []


def test_references_as_an_answer_would_give_them():
    assert reference_text({"city": "Zürich"}) == '{"city": "Zürich"}'
    assert reference_text(["a", 1]) == '["a", 1]'
    assert reference_text(True) == "True"


# ── Questions, parameters, checklists ────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("Is it stable? structure description: .", "`structure description:` is followed by"),
        ("Input:\n\nName the gas.", "`Input:` is followed by nothing"),
        ("A pipe [REDACTED]0 m deep.", "[REDACTED]"),
        ("<s>[INST] <<SYS>> Be brief.", "chat template"),
    ],
)
def test_a_question_that_lost_what_it_is_about(words, told):
    (line,) = found(instruction=words)
    assert line.startswith("input: ")
    assert told in line
    assert found(instruction="Fine?", original_instruction=words) == [line]


@pytest.mark.parametrize(
    "words", ["Structure description: a cubic cell.", "Input: 12 kg\n\nGive the weight.", "text:x"]
)
def test_a_question_that_has_what_it_is_about(words):
    assert found(instruction=words) == []


def test_parameters_that_could_not_be_read_are_listed_with_their_reason():
    unbound = UnboundParams(raw="x" * 500, reason="no number of places in it")
    told = found(ChecklistItem(constraint_id="general:decimal_number", params=unbound))
    assert told[0].startswith(
        "parameters: checklist[0] general:decimal_number: no number of places"
    )
    assert len(told) == 1
    assert len(told[0]) < 300


def test_an_empty_checklist_and_an_odd_choice_are_told():
    (line,) = found(checklist=())
    assert line.startswith("checklist: no constraint")
    told = found(provenance={"chosen_instructions": "chemistry_method_constraint"})
    assert told == [
        "checklist: the constraints chosen are not those checked: chosen chemistry_method_constraint"
    ]


# ── Video ────────────────────────────────────────────────────────────────────────────


def found_in_video(*checklist: ChecklistItem, **fields: Any) -> list[str]:
    items = checklist or (item("general:wrap_up"),)
    return found(benchmark="videoif", reference=None, checklist=items, **fields)


def test_a_video_sample_needs_no_reference_and_may_name_a_type_twice():
    assert found_in_video() == []
    spoken = (item("general:json_constraint"), item("general:json_constraint", required_keys=["a"]))
    twice = [replace(one, constraint_id="videoif:structured_json_output") for one in spoken]
    assert [line for line in found_in_video(*twice) if "twice" in line] == []


@pytest.mark.parametrize(
    ("active", "words"),
    [
        ("Sing.", "the active instruction stands on 0 branches"),
        ("", "no active instruction tells which branch"),
        ("Rest.", "the words say them, and the record has no `tree`"),
    ],
)
def test_conditions_that_no_table_can_count_are_told_with_the_reason(active, words):
    fields = {
        "instruction": "If it rains, then rest.\nElse, walk.",
        "active_instruction": active,
    }
    (line,) = found_in_video(**fields, facets={"instruction_type": "selection"})
    assert line.startswith(f"conditions: {words}")
    assert found_in_video(**fields, facets={"instruction_type": "single"}) == []


def test_each_kind_has_words():
    assert all(KINDS.values())


# ── Pictures ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("data", [b"", b"\x89PNG\r\n\x1a\nnothing", b"no picture"])
def test_a_picture_that_cannot_be_shown_is_found_before_anybody_is_asked(tmp_path, data):
    path = tmp_path / "broken.png"
    path.write_bytes(data)
    media = (Media(kind="image", uri=str(path), sha256=sha256_of(path)),)
    (finding,) = found(media=media)
    assert finding.startswith(f"media: media[0]: {path}: the picture cannot be decoded")
    assert "0x" not in finding


def test_a_picture_that_can_be_shown_has_no_finding(tmp_path):
    path = tmp_path / "dot.png"
    Image.new("RGB", (2, 2)).save(path)
    assert found(media=(Media(kind="image", uri=str(path), sha256=sha256_of(path)),)) == []
