"""Video-IFBench's taxonomy: the paper's counts, and one spelling of each name."""

from __future__ import annotations

from collections import Counter

import pytest

from ifbench.benchmarks.videoif.taxonomy import (
    CATEGORIES,
    CONSTRAINTS,
    GROUPS,
    INSTRUCTION_TYPES,
    TASKS,
    snake_case,
    task_name,
)
from ifbench.constraints import all_constraints


def test_there_are_39_constraints_22_semantic_and_17_of_format():
    assert len(CONSTRAINTS) == 39
    assert Counter(row.group for row in CONSTRAINTS.values()) == {"semantic": 22, "format": 17}
    assert {row.group for row in CONSTRAINTS.values()} == set(GROUPS)
    assert len({row.title for row in CONSTRAINTS.values()}) == 39


def test_there_are_32_task_types_in_six_categories():
    assert len(TASKS) == 32
    counts = Counter(row.category for row in TASKS.values())
    assert tuple(counts) == CATEGORIES
    assert [counts[name] for name in CATEGORIES] == [9, 9, 4, 3, 4, 3]


def test_there_are_four_templates():
    assert INSTRUCTION_TYPES == ("single", "multi", "selection", "nested")


def test_the_table_begins_and_ends_as_the_papers():
    assert list(CONSTRAINTS)[0] == "videoif:temporal_scope"
    assert list(CONSTRAINTS)[-1] == "videoif:temporal_tense_constraint"
    assert list(CONSTRAINTS)[18] == "videoif:output_ordering"


@pytest.mark.parametrize(
    ("title", "words"),
    [
        ("First-Person Perspective", "first_person_perspective"),
        ("Temporal/Tense Constraint", "temporal_tense_constraint"),
        ("Structured JSON Output", "structured_json_output"),
        ("Text Recognition (OCR)", "text_recognition_ocr"),
    ],
)
def test_a_printed_name_is_spelled_as_an_id(title, words):
    assert snake_case(title) == words


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("event recognition", "Event Recognition"),
        ("Multi-Hop_Reasoning", "Multi-hop Reasoning"),
        ("OCR", "Text Recognition (OCR)"),
        ("Text Recognition", "Text Recognition (OCR)"),
        ("Event Recognitions", None),
        ("", None),
    ],
)
def test_a_task_type_is_known_by_its_words(words, name):
    assert task_name(words) == name


def test_the_registered_constraints_agree_with_the_paper():
    for name, constraint in all_constraints().items():
        if name in CONSTRAINTS:
            assert constraint.group == CONSTRAINTS[name].group, name
