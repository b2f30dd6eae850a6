"""Names in Video-IFBench's public release, and the paper's names for the same things.

The release writes a constraint's type in snake case (`ordered_list_output`). Its own functions
leave out or add an ending here and there, so both spellings are known.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ifbench.benchmarks.videoif.constraint_types import RELEASE_ONLY, TYPES
from ifbench.benchmarks.videoif.taxonomy import DOMAIN, InstructionType, snake_case

INSTRUCTION_ALIASES: Mapping[str, InstructionType] = MappingProxyType(
    {
        "single": "single",
        "multi": "multi",
        "selection": "selection",
        "nested": "nested",
        "compose": "multi",
        "chain": "multi",
    }
)
"""The release's types of an instruction; its scorer counts two older names as Multi."""

_ENDING = "_constraint"

# Functions that the release's scorer registers under other words than the paper's.
_RENAMED: Mapping[str, str] = MappingProxyType(
    {
        "label_set_restriction": f"{DOMAIN}:entity_label_set_restriction",
        "span_localization": f"{DOMAIN}:segment_localization",
        "tense_constraint": f"{DOMAIN}:temporal_tense_constraint",
    }
)


def _aliases() -> dict[str, str]:
    known = (*TYPES, RELEASE_ONLY)
    words = {name.removeprefix(f"{DOMAIN}:"): name for name in known} | dict(_RENAMED)
    short = {name.removesuffix(_ENDING): canonical for name, canonical in words.items()}
    long = {name + _ENDING: canonical for name, canonical in short.items()}
    return {**long, **short, **words}


ALIASES: Mapping[str, str] = MappingProxyType(_aliases())
"""Every known spelling of a constraint's type, in snake case, to the canonical id."""


def canonical_id(name: str) -> str | None:
    """The paper's id for a name of the release, or `None` for an unknown one.

    Case, blanks and dashes do not count: `Ordered List Output` is `ordered_list_output`.
    """
    return ALIASES.get(snake_case(name.removeprefix(f"{DOMAIN}:")))
