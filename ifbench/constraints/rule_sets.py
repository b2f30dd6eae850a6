"""Which constraints decide under which rule set (`rules` in the configuration)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from ifbench.constraints import all_constraints, scimif_release, videoif_release
from ifbench.constraints.constraint import Constraint
from ifbench.types import Rules

CATALOGUES: Mapping[Rules, str] = MappingProxyType(
    {
        "paper": "ifbench.constraints:all_constraints",
        "release": "ifbench.constraints.rule_sets:release_rules",
    }
)
"""The functions below by name, as a sandbox's process imports them."""


@cache
def release_rules() -> Mapping[str, Constraint]:
    """What the public scorers of both benchmarks decide."""
    return MappingProxyType({**scimif_release.release_rules(), **videoif_release.release_rules()})


def rule_set(rules: Rules) -> Mapping[str, Constraint]:
    """What decides, by the canonical id of the constraint that stands in a checklist."""
    match rules:
        case "paper":
            return all_constraints()
        case "release":
            return release_rules()
