"""The release's form. Every record here is invented; the defects are real (`docs/records.md`)."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from ifbench.benchmarks.records import dataset_sha256, load_records, save_records
from ifbench.benchmarks.scimif.aliases import RELEASE_ONLY
from ifbench.benchmarks.scimif.release import (
    image_names,
    is_release,
    load_release,
    load_samples,
    subject_of,
)
from ifbench.constraints import all_constraints
from ifbench.errors import DatasetError
from ifbench.types import UnboundParams


def instruction(name, parameters=None, source="added_general"):
    entry = {"instruction_name": name, "source": source}
    return entry if parameters is None else {**entry, "required_parameters": parameters}


def invented(**changes):
    """A record in the release's shape, made up."""
    fields = {
        "id": 7,
        "task": "formated_numerical_problem",
        "original_question": "A rod of 2 m grows by 4 mm. What is the strain in %?",
        "edit_question": "A rod of 2 m grows by 4 mm. Give the strain to two decimal places.",
        "answer": "0.2",
        "choose_instruction": ["materials_unit_consistency"],
        "instruction_list": [
            instruction("general_decimal_annotation", "two decimal places", "original"),
            instruction("materials_unit_consistency", "percentage (%)", "core_task"),
            instruction("general_wrap_up"),
        ],
    }
    return {**fields, **changes}


def write(folder: Path, *records, name="materials.jsonl") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    return path


def load_one(folder: Path, name="materials.jsonl", **changes):
    (sample,) = load_release(write(folder, invented(**changes), name=name))
    return sample


def refusal(path: Path) -> str:
    with pytest.raises(DatasetError) as error:
        list(load_release(path))
    return str(error.value)


# ── What a record becomes ────────────────────────────────────────────────────────────


def test_a_record_becomes_a_sample(tmp_path):
    sample = load_one(tmp_path)
    assert sample.id == "material/7"
    assert sample.instruction == invented()["edit_question"]
    assert sample.original_instruction == invented()["original_question"]
    assert sample.reference == "0.2"
    assert sample.facets == {
        "benchmark": "scimif",
        "discipline": "material",
        "task_type": "material_numerical_problem",
        "source": "MaScQA",
        "modality": "text",
        "n_constraints": "3",
        "question": sample.facets["question"],
    }
    assert sample.provenance == {
        "form": "SciMIF release",
        "release_id": "7",
        "release_task": "formated_numerical_problem",
    }


def test_names_and_origins_become_the_papers(tmp_path):
    sample = load_one(tmp_path)
    assert [(item.constraint_id, item.origin) for item in sample.checklist] == [
        ("general:decimal_number", "original"),
        ("material:unit_consistency", "scientific"),
        ("general:wrap_up", "general"),
    ]


def test_readable_parameters_are_typed_and_unreadable_ones_are_kept_with_a_reason(tmp_path):
    decimals, unit, box = load_one(
        tmp_path,
        instruction_list=[
            instruction("general_decimal_annotation", "two decimal places", "original"),
            instruction("materials_unit_consistency", "SI units", "core_task"),
            instruction("general_wrap_up"),
        ],
    ).checklist
    assert decimals.params == all_constraints()["general:decimal_number"].params(places=2)
    assert isinstance(unit.params, UnboundParams)
    assert unit.params.raw == "SI units"
    assert unit.params.reason
    assert box.params == all_constraints()["general:wrap_up"].params()


def test_each_item_keeps_its_parameters_own_words_read_or_not(tmp_path):
    texts = [item.raw for item in load_one(tmp_path).checklist]
    written = [entry.get("required_parameters", "") for entry in invented()["instruction_list"]]
    assert texts == written


def test_a_release_survives_the_way_through_our_own_form(tmp_path):
    samples = list(load_release(write(tmp_path, invented(), invented(id=8, answer=None))))
    save_records(samples, tmp_path / "ours.jsonl")
    assert list(load_records(tmp_path / "ours.jsonl")) == samples
    assert dataset_sha256(samples) == dataset_sha256(load_samples(tmp_path / "ours.jsonl"))


@pytest.mark.parametrize(
    "answer",
    [
        None,
        {"continent": "Asia", "country": "Japan", "city": "Nara"},
        "{'Eye disorders': 'Yes', 'Cardiac disorders': 'No'}",
        "6.00 : 7.30",
        "(diethylstilbestrol, )",
        0.2,
    ],
)
def test_a_reference_of_any_kind_is_kept_as_it_is(tmp_path, answer):
    assert load_one(tmp_path, answer=answer).reference == answer


# ── Subjects ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("chemistry.jsonl", "chemistry"),
        ("life.jsonl", "biology"),
        ("materials.jsonl", "material"),
        ("material.jsonl", "material"),
        ("Physics.jsonl.gz", "physics"),
        ("geography/records.jsonl", "geography"),
    ],
)
def test_the_subject_is_in_the_name_of_the_file_or_its_folder(tmp_path, name, expected):
    assert subject_of(tmp_path / name) == expected


def test_a_file_without_a_subject_is_refused(tmp_path):
    path = write(tmp_path, invented(), name="data.jsonl")
    assert "the subject is not in the name of the file or its folder" in refusal(path)


def test_a_folder_gives_every_subject_in_the_papers_order(tmp_path):
    write(tmp_path, invented(task="formated_open_ended"), name="physics.jsonl")
    write(tmp_path, invented(task="Open_Ended"), name="chemistry.jsonl")
    write(tmp_path, invented(task="formated_sequence_qa"), name="life.jsonl")
    samples = list(load_samples(tmp_path))
    assert [sample.id for sample in samples] == ["chemistry/7", "biology/7", "physics/7"]


def test_the_release_as_a_whole_is_a_folder_too(tmp_path):
    write(tmp_path, invented(), name="output_data/materials.jsonl")
    assert [sample.id for sample in load_samples(tmp_path)] == ["material/7"]


def test_a_folder_with_two_files_of_one_subject_is_refused(tmp_path):
    write(tmp_path, invented(), name="material.jsonl")
    write(tmp_path, invented(), name="materials.jsonl")
    assert "are both material" in refusal(tmp_path)


def test_a_folder_without_subjects_is_refused(tmp_path):
    assert "neither release is in it" in refusal(tmp_path)


# ── Either form ──────────────────────────────────────────────────────────────────────


def test_the_two_forms_are_told_apart_by_their_fields(tmp_path):
    released = write(tmp_path, invented())
    save_records(load_release(released), tmp_path / "ours.jsonl")
    assert is_release(released)
    assert not is_release(tmp_path / "ours.jsonl")
    assert [s.id for s in load_samples(tmp_path / "ours.jsonl")] == ["material/7"]


def test_a_record_of_neither_form_gets_our_forms_message(tmp_path):
    path = write(tmp_path, {"question": "?"}, name="materials.jsonl")
    with pytest.raises(DatasetError, match="the key `format` is missing"):
        load_samples(path)


# ── Pictures ─────────────────────────────────────────────────────────────────────────


def picture(folder: Path, name: str) -> str:
    path = folder / "images" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(name.encode())
    return str(path)


def test_a_picture_is_looked_for_beside_the_file_and_beside_its_folder(tmp_path):
    uri = picture(tmp_path, "material/MatCha/images/s41467-1_fig1.jpg")
    for name in ("materials.jsonl", "output_data/materials.jsonl"):
        sample = load_one(tmp_path, name=name, image="material/MatCha/images/s41467-1_fig1.jpg")
        assert [media.uri for media in sample.media] == [uri]
        assert sample.facets["modality"] == "multimodal"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a/b.jpg", ["a/b.jpg"]),
        ("a.jpg,b.jpeg", ["a.jpg", "b.jpeg"]),
        ("a.jpg, b.jpeg ,c.png", ["a.jpg", "b.jpeg", "c.png"]),
        ("x_Askeland_Example 3-11_1.jpeg,y.jpg", ["x_Askeland_Example 3-11_1.jpeg", "y.jpg"]),
        ("images/a.jpg", ["a.jpg"]),
        ("materials/MatCha/a.jpg", ["material/MatCha/a.jpg"]),
        ("physics/PhysUnivBench/images/3.jpg", ["physics/PhysUniBench/images/3.jpg"]),
        ("physics/PhyReason/images/3.jpg", ["physics/PhyReason/images/3.jpg"]),
        ("fig, left.jpg,b.jpg", ["fig, left.jpg", "b.jpg"]),
        ("", []),
        (" ", []),
        ("a.jpg,", ["a.jpg"]),
    ],
)
def test_a_list_of_pictures_is_split_at_its_commas_only(tmp_path, value, expected):
    assert image_names(value, tmp_path) == expected


def test_a_name_with_a_comma_is_known_by_its_file(tmp_path):
    picture(tmp_path, "a.jpg, final.png")
    names = image_names("a.jpg, final.png,b.jpg", tmp_path / "images")
    assert names == ["a.jpg, final.png", "b.jpg"]


def test_a_missing_picture_is_a_defect(tmp_path):
    path = write(tmp_path, invented(image="material/none.jpg"))
    assert "line 1: image: " in refusal(path)
    assert "material/none.jpg: No such file" in refusal(path)


def test_marks_that_match_the_pictures_stay_where_they_are(tmp_path):
    picture(tmp_path, "a.jpg")
    sample = load_one(tmp_path, image="a.jpg", edit_question="What is this?<image>")
    assert sample.instruction == "What is this?<image>"


@pytest.mark.parametrize("image", [None, "a.jpg"])
def test_marks_that_do_not_match_the_pictures_are_taken_out(tmp_path, image):
    picture(tmp_path, "a.jpg")
    sample = load_one(tmp_path, image=image, edit_question="<image> What is this?<image>")
    assert sample.instruction == "What is this?"
    assert sample.provenance["image_places"] == "marks taken out"


# ── Oddities of the release ──────────────────────────────────────────────────────────


def test_a_choice_that_differs_from_the_list_is_noted_and_the_list_holds(tmp_path):
    sample = load_one(
        tmp_path,
        name="chemistry.jsonl",
        task="MolCustom_AtomNum",
        choose_instruction=["chemistry_atom_count_constraint"],
        instruction_list=[
            instruction("chemistry_molecular_format_validity", "SELFIES or SMILES", "core_task")
        ],
    )
    assert [item.constraint_id for item in sample.checklist] == ["chemistry:molecular_validity"]
    assert sample.provenance["chosen_instructions"] == "chemistry_atom_count_constraint"


def test_a_digit_count_that_contradicts_the_question_is_unbound(tmp_path):
    sample = load_one(
        tmp_path,
        edit_question="Round the share to the nearest integer.",
        instruction_list=[instruction("general_decimal_annotation", "4 decimal places")],
    )
    params = sample.checklist[0].params
    assert isinstance(params, UnboundParams)
    assert "the parameters say 4 decimal places, the question [0]" in params.reason


def test_options_that_were_read_out_of_names_of_notations_are_unbound(tmp_path):
    sample = load_one(
        tmp_path, instruction_list=[instruction("general_choose_from", "SELFIES or SMILES")]
    )
    params = sample.checklist[0].params
    assert params == UnboundParams(
        raw="SELFIES or SMILES", reason="the options are names of notations, not answers"
    )


def test_damage_by_redaction_is_noted(tmp_path):
    sample = load_one(tmp_path, edit_question="What lies at [REDACTED]0 m depth?")
    assert sample.provenance["damage"] == "[REDACTED] in the question"


def test_the_instruction_that_only_the_release_knows_is_marked(tmp_path):
    sample = load_one(
        tmp_path,
        name="chemistry.jsonl",
        task="Open_Ended",
        instruction_list=[
            instruction("chemistry_analysis_steps_constraint", "1. a 2. b", "core_task"),
            instruction("chemistry_entity_option_constraint", "[iron, zinc]", "core_task"),
        ],
    )
    steps, option = sample.checklist
    assert (steps.constraint_id, steps.origin) == (RELEASE_ONLY, "release")
    assert isinstance(steps.params, UnboundParams)
    assert (option.constraint_id, option.origin) == ("general:choose_from", "scientific")
    assert option.params == all_constraints()["general:choose_from"].params(
        options=("iron", "zinc")
    )


def test_a_middle_position_with_a_remark_is_read(tmp_path):
    raw = "final_answer_position = middle (the multi-step sequence appears around it)"
    sample = load_one(tmp_path, instruction_list=[instruction("general_response_structure", raw)])
    assert sample.checklist[0].params == all_constraints()["general:response_structure"].params(
        position="middle"
    )


def test_a_json_request_that_the_question_dropped_stays_in_the_checklist(tmp_path):
    sample = load_one(
        tmp_path, instruction_list=[instruction("general_json_constraint", None, "original")]
    )
    assert sample.checklist[0].origin == "original"
    assert sample.checklist[0].params == all_constraints()["general:json_constraint"].params()


def test_a_constraint_that_stands_twice_stays_twice_and_is_noted(tmp_path):
    sample = load_one(
        tmp_path, instruction_list=[instruction("general_wrap_up"), instruction("general_wrap_up")]
    )
    assert len(sample.checklist) == 2
    assert sample.provenance["repeated_constraints"] == "general:wrap_up"


@pytest.mark.parametrize(
    "parameters", ["¡Aplica la ley de Hooke; después, halla E!", "E = mc²; p = mv; F = ma" * 40]
)
def test_a_paragraph_of_parameters_is_kept_whole(tmp_path, parameters):
    sample = load_one(
        tmp_path, instruction_list=[instruction("material_method_constraint", parameters)]
    )
    params = sample.checklist[0].params
    assert isinstance(params, UnboundParams)
    assert params.raw == parameters


def test_chat_markers_and_empty_descriptions_stay_in_the_original_question(tmp_path):
    question = "<s>[INST] <<SYS>> structure description: . [/INST]"
    sample = load_one(
        tmp_path,
        task="formated_property_prediction",
        original_question=question,
        answer="Null",
    )
    assert sample.original_instruction == question
    assert sample.reference == "Null"
    assert sample.facets["source"] == "LLM4Mat-Bench"


def test_an_unknown_task_loads_with_one_warning(tmp_path, caplog):
    path = write(tmp_path, invented(task="Alchemy"), invented(id=8, task="Alchemy"))
    with caplog.at_level(logging.WARNING):
        samples = list(load_release(path))
    assert [s.facets["task_type"] for s in samples] == ["material:Alchemy"] * 2
    assert [record.getMessage() for record in caplog.records] == [
        f"{path} line 1: the task `material:Alchemy` is not in SciMIF's Table 12"
    ]


# ── Defects ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"instruction_list": [instruction("general_decimal_anotation")]},
            "unknown instruction `general_decimal_anotation`; did you mean `general_decimal_annota",
        ),
        (
            {"instruction_list": [{"instruction_name": "general_judge", "source": "llm"}]},
            "instruction_list[0].source: ",
        ),
        ({"edit_question": None}, "edit_question: "),
        ({"edit_qestion": "x"}, "unknown key `edit_qestion`; did you mean `edit_question`"),
        ({"instruction_list": "general_judge"}, "instruction_list: "),
    ],
)
def test_a_defect_is_named_with_file_line_and_key(tmp_path, changes, expected):
    path = write(tmp_path, invented(id=1), invented(**changes))
    message = refusal(path)
    assert message.startswith(f"{path} line 2: ")
    assert expected in message


def test_ids_repeat_over_subjects_but_not_inside_one(tmp_path):
    path = write(tmp_path, invented(), invented())
    assert refusal(path) == f"{path} line 2: the id `material/7` stands on line 1 already"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"id": None}, "id: a whole number or a text is expected, found null"),
        ({"id": [1]}, "id: a whole number or a text is expected, found [1]"),
        ({"id": True}, "id: a whole number or a text is expected, found true"),
        ({"id": 1.0}, "id: a whole number or a text is expected, found 1.0"),
        (
            {"instruction_list": [instruction("general_wrap_up", True)]},
            "instruction_list[0].required_parameters: a text or a number is expected, found true",
        ),
        (
            {"instruction_list": [instruction("general_wrap_up", [2])]},
            "instruction_list[0].required_parameters: a text or a number is expected, found [2]",
        ),
    ],
)
def test_a_value_of_no_type_is_told_once_and_in_words(tmp_path, changes, words):
    said = refusal(write(tmp_path, invented(**changes)))
    assert said.count(words) == 1
    assert said.count("found") == 1
    assert not [kind for kind in (".str", ".int", ".float") if kind in said]


def test_other_wrong_values_of_the_same_record_are_told_beside_it(tmp_path):
    said = refusal(write(tmp_path, invented(id=None, task=3, image=[])))
    assert said.count("found") == 3
    assert "task: " in said
    assert "image: " in said
