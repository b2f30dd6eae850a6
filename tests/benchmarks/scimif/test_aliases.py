from __future__ import annotations

import pytest

from ifbench.benchmarks.scimif.aliases import (
    ALIASES,
    RELEASE_ONLY,
    canonical_id,
    close_names,
    task_type,
)
from ifbench.benchmarks.scimif.taxonomy import CONSTRAINTS, TASKS

# Every name of the release's instruction library, and those that only its records use.
RELEASE_NAMES = {
    "general_decimal_annotation": "general:decimal_number",
    "general_scientific_annotation": "general:scientific_annotation",
    "general_all_uppercase": "general:all_uppercase",
    "general_all_lowercase": "general:all_lowercase",
    "general_json_constraint": "general:json_constraint",
    "general_list_constraint": "general:list_constraint",
    "general_tuple_constraint": "general:tuple_constraint",
    "general_dictionary_constraint": "general:dictionary_constraint",
    "general_markdown_constraint": "general:markdown_constraint",
    "general_html_constraint": "general:html_constraint",
    "general_xml_constraint": "general:xml_constraint",
    "general_csv_constraint": "general:csv_constraint",
    "general_choose_from": "general:choose_from",
    "general_judge": "general:judge",
    "general_wrap_up": "general:wrap_up",
    "general_number_response": "general:number_response",
    "general_response_structure": "general:response_structure",
    "chemistry_unit_consistency": "chemistry:unit_consistency",
    "chemistry_molecular_format_validity": "chemistry:molecular_validity",
    "chemistry_atom_count_constraint": "chemistry:atom_count_constraint",
    "chemistry_atom_bond_constraint": "chemistry:atom_bond_constraint",
    "chemistry_atom_group_constraint": "chemistry:atom_group_constraint",
    "chemistry_method_constraint": "chemistry:method_constraint",
    "chemistry_reaction_steps_constraint": "chemistry:reaction_steps",
    "chemistry_entity_option_constraint": "general:choose_from",
    "chemistry_analysis_steps_constraint": RELEASE_ONLY,
    "physics_unit_consistency": "physics:unit_consistency",
    "physics_method_constraint": "physics:method_constraint",
    "physics_analysis_steps_constraint": "physics:analysis_steps",
    "geography_unit_consistency": "geography:unit_consistency",
    "geography_address_format_validity": "geography:address_hierarchy",
    "geography_scene_option_constraint": "geography:scene_option_constraint",
    "geography_method_constraint": "geography:method_constraint",
    "geography_analysis_steps_constraint": "geography:analysis_steps_constraint",
    "biology_unit_consistency": "biology:unit_consistency",
    "biology_entity_relationship_format_validity": "biology:entity_relationship_format_validity",
    "biology_sequence_length_constraint": "biology:protein_length",
    "biology_method_constraint": "biology:method_constraint",
    "biology_analysis_steps_constraint": "biology:analysis_steps_constraint",
    "material_unit_consistency": "material:unit_consistency",
    "material_characterization_technique_format_constraint": "material:characterization_technique",
    "material_property_prediction_constraint": "material:property_type",
    "material_method_constraint": "material:method_constraint",
    "material_analysis_steps_constraint": "material:analysis_steps_constraint",
}


@pytest.mark.parametrize(("name", "expected"), RELEASE_NAMES.items())
def test_a_release_name_has_the_papers_id(name, expected):
    assert canonical_id(name) == expected


def test_the_release_names_reach_all_42():
    assert set(RELEASE_NAMES.values()) == {*CONSTRAINTS, RELEASE_ONLY}


@pytest.mark.parametrize(
    ("legacy", "expected"),
    [
        ("life_unit_consistency", "biology:unit_consistency"),
        ("life_sequence_length_constraint", "biology:protein_length"),
        ("materials_unit_consistency", "material:unit_consistency"),
        ("materials_property_prediction_constraint", "material:property_type"),
        (" materials_unit_consistency ", "material:unit_consistency"),
    ],
)
def test_a_legacy_name_has_the_papers_id(legacy, expected):
    assert canonical_id(legacy) == expected


def test_a_paper_id_is_its_own_name():
    assert all(canonical_id(name) == name for name in CONSTRAINTS)


def test_no_alias_leads_out_of_the_taxonomy():
    assert set(ALIASES.values()) == {*CONSTRAINTS, RELEASE_ONLY}


def test_an_unknown_name_has_no_id_but_close_names():
    assert canonical_id("general_decimal_anotation") is None
    assert close_names("general_decimal_anotation")[0] == "general_decimal_annotation"
    assert close_names("zzz") == []


@pytest.mark.parametrize(
    ("discipline", "task", "expected"),
    [
        ("chemistry", "Numerical_Task", "chemistry_numerical_task"),
        ("chemistry", "MolCustom_BondNum", "chemistry_molcustom_bondnum"),
        ("geography", "formated_calculation_task", "earth_calculation_task"),
        ("biology", "formated_sequence_qa", "biology_sequence_qa"),
        ("material", "formated_reasoning_process", "material_reasoning_process"),
        ("physics", "formated_reasoning_process", "physics_formatted_reasoning_process"),
        ("physics", "formated_open_ended", "physics_formatted_open_ended"),
        ("physics", "formatted_open_ended", "physics_formatted_open_ended"),
        ("chemistry", "Open_Ended", "chemistry_open_ended"),
        ("physics", "formated_sequence_qa", None),
        ("chemistry", "Alchemy", None),
    ],
)
def test_a_release_task_has_the_papers_name(discipline, task, expected):
    assert task_type(discipline, task) == expected


def test_every_task_of_the_paper_is_reached_by_its_release_spelling():
    for name, row in TASKS.items():
        short = name.partition("_")[2].removeprefix("formatted_")
        assert task_type(row.discipline, f"formated_{short}") == name
