"""Names in SciMIF's public release, and the paper's names for the same things.

The release says `general_decimal_annotation` or, in older files, `life_unit_consistency`;
the paper says `general:decimal_number` and `biology:unit_consistency`. The paper's ids are
the canonical ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType

from ifbench.benchmarks.scimif.taxonomy import CONSTRAINTS, DISCIPLINES, TASKS
from ifbench.types import Origin

SUBJECTS: Mapping[str, str] = MappingProxyType(
    {
        **{discipline: discipline for discipline in DISCIPLINES},
        "life": "biology",
        "materials": "material",
        "earth": "geography",
    }
)
"""The release's subjects (file names, name prefixes) to disciplines."""

ORIGINS: Mapping[str, Origin] = MappingProxyType(
    {"original": "original", "core_task": "scientific", "added_general": "general"}
)
"""The release's `source` of an instruction to the origin of a checklist item."""

RELEASE_ONLY = "chemistry:analysis_steps_constraint"
"""A procedure item that only the release knows; outside the 42, its origin is `release`."""

# Names whose second part differs from the paper's; the rest follow by exchanging `_` for `:`.
_RENAMED: Mapping[str, str] = MappingProxyType(
    {
        "general_decimal_annotation": "general:decimal_number",
        "chemistry_molecular_format_validity": "chemistry:molecular_validity",
        "chemistry_reaction_steps_constraint": "chemistry:reaction_steps",
        "chemistry_entity_option_constraint": "general:choose_from",
        "chemistry_analysis_steps_constraint": RELEASE_ONLY,
        "geography_address_format_validity": "geography:address_hierarchy",
        "biology_sequence_length_constraint": "biology:protein_length",
        "material_characterization_technique_format_constraint": (
            "material:characterization_technique"
        ),
        "material_property_prediction_constraint": "material:property_type",
        "physics_analysis_steps_constraint": "physics:analysis_steps",
    }
)

# Release task strings, lower-cased and without `formated_`, that are not the paper's name
# without its prefix.
_PREFIXES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "chemistry": ("chemistry_",),
        "geography": ("earth_",),
        "biology": ("biology_",),
        "material": ("material_",),
        "physics": ("physics_formatted_", "physics_"),
    }
)


def _aliases() -> dict[str, str]:
    names = {name.replace(":", "_", 1): name for name in CONSTRAINTS}
    names |= {name: name for name in CONSTRAINTS}
    names.update(_RENAMED)
    for legacy, discipline in SUBJECTS.items():
        names |= {
            legacy + name.removeprefix(discipline): canonical
            for name, canonical in names.items()
            if name.startswith(f"{discipline}_")
        }
    return names


ALIASES: Mapping[str, str] = MappingProxyType(_aliases())
"""Every known spelling of a constraint's name (paper, release, legacy) to the canonical id."""


def canonical_id(name: str) -> str | None:
    """The paper's id for a name of the release, or `None` for an unknown one."""
    return ALIASES.get(name.strip())


def close_names(name: str) -> list[str]:
    """Known spellings that look like `name`, the best first; at most three."""
    return get_close_matches(name, ALIASES, n=3, cutoff=0.6)


def task_type(discipline: str, task: str) -> str | None:
    """The paper's name of a release's task, or `None` for one that Table 12 does not hold."""
    words = task.strip().lower()
    for spelling in ("formated_", "formatted_"):  # The first is the release's own spelling.
        words = words.removeprefix(spelling)
    for name in (words, *(prefix + words for prefix in _PREFIXES[discipline])):
        if name in TASKS and TASKS[name].discipline == discipline:
            return name
    return None
