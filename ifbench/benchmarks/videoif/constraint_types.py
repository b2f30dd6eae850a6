"""Video-IFBench's constraint taxonomy as data: the 39 types of Table 6, 22 semantic and 17 format.

Table 6 knows two kinds and no finer division. The nine categories are ours: they part the types
into modules (`ifbench/constraints/videoif/`) and group the tables of a report.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

from ifbench.benchmarks.videoif.taxonomy import DOMAIN, snake_case

Kind: TypeAlias = Literal["semantic", "format"]

KINDS: tuple[Kind, ...] = ("semantic", "format")

CATEGORIES = (
    "temporal",
    "spatial",
    "entity",
    "action",
    "speech",
    "layout",
    "value",
    "wording",
    "language",
)
"""Five of semantic types, four of format types."""

RELEASE_ONLY = "videoif:verbatim_speech_constraint"
"""A type that only the release knows; outside the 39, its origin is `release`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeRow:
    """One row of Table 6."""

    id: str
    name: str
    """As the table prints it."""
    kind: Kind
    category: str


def _rows(category: str, *names: str) -> tuple[TypeRow, ...]:
    kind: Kind = "semantic" if CATEGORIES.index(category) < 5 else "format"
    return tuple(
        TypeRow(id=f"{DOMAIN}:{snake_case(name)}", name=name, kind=kind, category=category)
        for name in names
    )


TYPES: Mapping[str, TypeRow] = MappingProxyType(
    {
        row.id: row
        for row in (
            *_rows(
                "temporal",
                "Temporal Scope",
                "Temporal Anchor",
                "Temporal Order Relation",
                "Event Stage",
                "Duration Constraint",
                "Temporal Granularity",
                "Transition Boundary",
            ),
            *_rows(
                "spatial",
                "Spatial Region Restriction",
                "Relative Spatial Relation",
                "Viewpoint Condition",
            ),
            *_rows(
                "entity",
                "Category Filter",
                "Entity Filter",
                "Attribute Avoidance",
                "Attribute Mention Requirement",
                "Counting Scope",
            ),
            *_rows(
                "action",
                "Action-Relative Selection",
                "Action Mention Requirement",
                "Action Avoidance",
            ),
            *_rows(
                "speech",
                "Source Restriction",
                "Speaker-Speech Binding",
                "Speaker Localization Constraint",
                "Segment Localization",
            ),
            *_rows(
                "layout",
                "Structured JSON Output",
                "Table Output",
                "Ordered List Output",
                "Paragraph Count Constraint",
                "List Item Count Constraint",
                "Title Requirement",
            ),
            *_rows(
                "value",
                "Output Ordering",
                "Normalized Value Format",
                "Closed-Set Option Output",
            ),
            *_rows(
                "wording",
                "Response Length Constraint",
                "Required Keyword Inclusion",
                "Forbidden Keyword Exclusion",
                "Entity Label Set Restriction",
            ),
            *_rows(
                "language",
                "Response Language",
                "First-Person Perspective",
                "Text Type Restriction",
                "Temporal/Tense Constraint",
            ),
        )
    }
)
"""The 39 types by canonical id."""

SCRIPTED_BY_RELEASE = frozenset(
    f"videoif:{name}"
    for name in (
        "normalized_value_format",
        "structured_json_output",
        "table_output",
        "ordered_list_output",
        "closed_set_option_output",
        "response_length_constraint",
        "paragraph_count_constraint",
        "list_item_count_constraint",
        "required_keyword_inclusion",
        "forbidden_keyword_exclusion",
    )
)
"""The types that the release decides by functions; the others go to its judge."""
