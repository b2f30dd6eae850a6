"""Video-IFBench's taxonomy as data: the four templates and the 32 task types (Table 5).

The 39 constraints stand in `constraint_types`. The ten domains of the videos stand only in a
figure (2b), so a domain is whatever the folder of a video says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

InstructionType: TypeAlias = Literal["single", "multi", "selection", "nested"]

INSTRUCTION_TYPES: tuple[InstructionType, ...] = ("single", "multi", "selection", "nested")
"""The four templates, in the order of section 3.1 and of Table 1."""

CONDITIONAL: tuple[InstructionType, ...] = ("selection", "nested")
"""The templates whose instruction is a tree of conditions."""

DOMAIN = "videoif"
"""What stands before the colon in every id of these constraints."""

CATEGORIES = (
    "Perception & Recognition",
    "Temporal Understanding",
    "Spatial Understanding",
    "Relationship & Interaction",
    "Logical Reasoning",
    "Captioning",
)
"""The categories of task types, in the order of section 3.2 and of Table 5."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRow:
    """One row of Table 5."""

    name: str
    category: str


def snake_case(title: str) -> str:
    """A printed name as an id spells it: words in lower case, joined by underscores."""
    return "_".join(re.findall(r"[a-z0-9]+", title.lower()))


def _tasks(category: str, *names: str) -> tuple[TaskRow, ...]:
    return tuple(TaskRow(name=name, category=category) for name in names)


TASKS: Mapping[str, TaskRow] = MappingProxyType(
    {
        row.name: row
        for row in (
            *_tasks(
                "Perception & Recognition",
                "Entity Recognition",
                "Action Recognition",
                "Attribute Recognition",
                "Scene Description",
                "Text Recognition (OCR)",
                "Dialogue Recognition",
                "Counting",
                "Emotion Recognition",
                "Event Recognition",
            ),
            *_tasks(
                "Temporal Understanding",
                "Event Grounding",
                "Occurrence Localization",
                "Temporal Ordering",
                "Temporal Adjacent Retrieval",
                "Local Temporal Understanding",
                "Temporal Sorting",
                "Duration Estimation",
                "Audio Change",
                "Audio-Visual Temporal Alignment",
            ),
            *_tasks(
                "Spatial Understanding",
                "Relative Direction Judgment",
                "Relative Distance Comparison",
                "Spatial Relationship Judgment",
                "Perspective-based Spatial Judgment",
            ),
            *_tasks(
                "Relationship & Interaction",
                "Entity Interaction Recognition",
                "Action-Entity Binding",
                "Speech Source Recognition",
            ),
            *_tasks(
                "Logical Reasoning",
                "Causal Reasoning",
                "Counterfactual Reasoning",
                "Multi-hop Reasoning",
                "Knowledge Transfer",
            ),
            *_tasks(
                "Captioning",
                "Segmented Captioning",
                "Dense Captioning",
                "Video Summarization",
            ),
        )
    }
)
"""The 32 task types by the paper's name, in the order of Table 5."""

_TASKS_BY_WORDS = {snake_case(name): name for name in TASKS}


def task_name(words: str) -> str | None:
    """The paper's name of a task type however it is spelled (case, dashes, underscores).

    `None` for what Table 5 does not hold. "OCR" alone, or "Text Recognition", is its only
    abbreviation.
    """
    key = snake_case(words)
    if key in {"ocr", "text_recognition"}:
        return "Text Recognition (OCR)"
    return _TASKS_BY_WORDS.get(key)
