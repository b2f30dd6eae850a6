"""SciMIF's taxonomy as data: 42 constraints (Tables 6 to 11) and 22 task types (Table 12).

What a constraint checks stands in its own module; this table says which ones the paper
counts, in which group, and who decides. A test holds the two together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

Metric: TypeAlias = Literal["script", "judge"]
"""Who decides by the paper: a script (Script-Based), or a model (LLM-as-a-Judge)."""

GROUPS = (
    "procedure",
    "number",
    "method",
    "unit",
    "format",
    "terminology",
    "precision",
    "letter",
    "structure",
    "selection",
)
"""The functional groups, in the order of section 3.1."""

DISCIPLINES = ("chemistry", "geography", "biology", "material", "physics")
"""In the order of Tables 2 and 3."""

DOMAINS = ("general", *DISCIPLINES)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintRow:
    """One row of Tables 6 to 11."""

    id: str
    group: str
    metric: Metric

    @property
    def domain(self) -> str:
        return self.id.partition(":")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRow:
    """One row of Table 12."""

    name: str
    discipline: str
    source: str
    count: int


def _rows(domain: str, *rows: tuple[str, str, Metric]) -> tuple[ConstraintRow, ...]:
    return tuple(
        ConstraintRow(id=f"{domain}:{name}", group=group, metric=metric)
        for group, name, metric in rows
    )


CONSTRAINTS: Mapping[str, ConstraintRow] = MappingProxyType(
    {
        row.id: row
        for row in (
            *_rows(
                "general",
                ("precision", "decimal_number", "script"),
                ("precision", "scientific_annotation", "script"),
                ("letter", "all_uppercase", "script"),
                ("letter", "all_lowercase", "script"),
                ("format", "wrap_up", "script"),
                ("format", "json_constraint", "script"),
                ("format", "list_constraint", "script"),
                ("format", "tuple_constraint", "script"),
                ("format", "dictionary_constraint", "script"),
                ("format", "markdown_constraint", "script"),
                ("format", "html_constraint", "script"),
                ("format", "xml_constraint", "script"),
                ("format", "csv_constraint", "script"),
                ("selection", "choose_from", "script"),
                ("selection", "judge", "script"),
                ("structure", "response_structure", "script"),
                ("number", "number_response", "judge"),
            ),
            *_rows(
                "chemistry",
                ("unit", "unit_consistency", "script"),
                ("terminology", "molecular_validity", "script"),
                ("number", "atom_count_constraint", "script"),
                ("number", "atom_bond_constraint", "script"),
                ("number", "atom_group_constraint", "script"),
                ("method", "method_constraint", "script"),
                ("procedure", "reaction_steps", "judge"),
            ),
            *_rows(
                "geography",
                ("unit", "unit_consistency", "script"),
                ("terminology", "address_hierarchy", "script"),
                ("format", "scene_option_constraint", "script"),
                ("method", "method_constraint", "script"),
                ("procedure", "analysis_steps_constraint", "judge"),
            ),
            *_rows(
                "biology",
                ("unit", "unit_consistency", "script"),
                ("terminology", "entity_relationship_format_validity", "script"),
                ("number", "protein_length", "script"),
                ("method", "method_constraint", "script"),
                ("procedure", "analysis_steps_constraint", "judge"),
            ),
            *_rows(
                "material",
                ("unit", "unit_consistency", "script"),
                ("terminology", "characterization_technique", "script"),
                ("format", "property_type", "script"),
                ("method", "method_constraint", "script"),
                ("procedure", "analysis_steps_constraint", "judge"),
            ),
            *_rows(
                "physics",
                ("unit", "unit_consistency", "script"),
                ("method", "method_constraint", "script"),
                # Table 10 says `analysis_steps`; Table 5 says `analysis_steps_constraint`.
                ("procedure", "analysis_steps", "judge"),
            ),
        )
    }
)
"""The 42 constraints by canonical id, in the order of Tables 11 and 6 to 10."""


CATEGORIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "C1": (
            "general:decimal_number",
            "general:scientific_annotation",
            "general:all_uppercase",
            "general:all_lowercase",
        ),
        "C2": (
            "general:json_constraint",
            "general:list_constraint",
            "general:tuple_constraint",
            "general:dictionary_constraint",
            "general:markdown_constraint",
            "general:html_constraint",
            "general:xml_constraint",
            "general:csv_constraint",
        ),
        "C3": ("general:choose_from", "general:judge"),
        "C4": ("general:wrap_up",),
        "C5": ("general:number_response",),
        "C6": ("general:response_structure",),
    }
)
"""Injection categories of the release's instruction library: at most one constraint of a
category goes into one instruction (appendix B)."""


def _tasks(discipline: str, *rows: tuple[str, str, int]) -> tuple[TaskRow, ...]:
    return tuple(
        TaskRow(name=name, discipline=discipline, source=source, count=count)
        for source, name, count in rows
    )


TASKS: Mapping[str, TaskRow] = MappingProxyType(
    {
        row.name: row
        for row in (
            *_tasks(
                "chemistry",
                ("ChemEval", "chemistry_numerical_task", 70),
                ("ChemEval", "chemistry_entity_option", 70),
                ("ChemEval", "chemistry_reaction_steps", 20),
                ("ChemEval", "chemistry_molecular_format", 70),
                ("ChemEval", "chemistry_open_ended", 198),
                ("S2-TOMG-Bench-mini", "chemistry_molcustom_bondnum", 30),
                ("S2-TOMG-Bench-mini", "chemistry_molcustom_functionalgroup", 30),
                ("S2-TOMG-Bench-mini", "chemistry_molcustom_atomnum", 30),
            ),
            *_tasks(
                "geography",
                ("EarthSE", "earth_calculation_task", 73),
                ("EarthSE", "earth_reasoning_steps", 250),
                ("IMAGEO-Bench", "earth_address_format", 100),
                ("IMAGEO-Bench", "earth_scene_option", 100),
            ),
            *_tasks(
                "biology",
                ("LAB-Bench", "biology_sequence_qa", 143),
                ("Mol-Instructions", "biology_entity_relationship", 100),
                ("Mol-Instructions", "biology_analysis_steps", 250),
            ),
            *_tasks(
                "material",
                ("MaScQA", "material_numerical_problem", 100),
                ("MatCha", "material_characterization_technique", 100),
                ("LLM4Mat-Bench", "material_property_prediction", 97),
                ("MatSciBench", "material_reasoning_process", 200),
            ),
            *_tasks(
                "physics",
                ("UGPhysics", "physics_formatted_numerical_task", 150),
                ("PhysReason", "physics_formatted_reasoning_process", 196),
                ("PhysUniBench", "physics_formatted_open_ended", 150),
            ),
        )
    }
)
"""The 22 task types by the paper's name."""


def category_of(constraint_id: str) -> str:
    """The injection category of a general constraint. Raises KeyError for any other."""
    for category, members in CATEGORIES.items():
        if constraint_id in members:
            return category
    raise KeyError(constraint_id)
