"""Video-IFBench's second rule set, `rules=release`: what the public scorer really decides."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from ifbench.constraints.constraint import Constraint


@cache
def release_rules() -> Mapping[str, Constraint]:
    """Every rule, by the canonical id of the type that it decides."""
    from ifbench.constraints.videoif_release.rules import all_rules

    return MappingProxyType(
        {decided: rule.constraint for rule in all_rules() for decided in rule.decides}
    )
