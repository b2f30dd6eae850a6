"""Video-IFBench's taxonomy: the paper's counts, and one spelling of each name."""

from __future__ import annotations

from collections import Counter

import pytest

from ifbench.benchmarks.videoif.constraint_types import RELEASE_ONLY, TYPES
from ifbench.benchmarks.videoif.taxonomy import (
    CATEGORIES,
    INSTRUCTION_TYPES,
    TASKS,
    snake_case,
    task_name,
)
from ifbench.constraints import all_constraints


def test_there_are_32_task_types_in_six_categories():
    assert len(TASKS) == 32
    counts = Counter(row.category for row in TASKS.values())
    assert tuple(counts) == CATEGORIES
    assert [counts[name] for name in CATEGORIES] == [9, 9, 4, 3, 4, 3]


def test_there_are_four_templates():
    assert INSTRUCTION_TYPES == ("single", "multi", "selection", "nested")


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


def test_every_registered_constraint_of_video_is_the_papers_or_the_releases():
    ours = {name for name in all_constraints() if name.startswith("videoif:")}
    assert ours <= {*TYPES, RELEASE_ONLY}
