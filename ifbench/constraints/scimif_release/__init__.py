"""SciMIF's second rule set, `rules=release`: what the public scorer really decides."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from ifbench.constraints.constraint import Constraint
from ifbench.constraints.scimif_release.rule import ReleaseRule


@cache
def release_rules() -> Mapping[str, Constraint]:
    """Every rule, by the canonical ids of the constraints that it decides.

    Raises `ValueError` when two rules decide one constraint.
    """
    found: dict[str, Constraint] = {}
    for module_info in pkgutil.iter_modules(__path__, prefix=f"{__name__}."):
        module = importlib.import_module(module_info.name)
        for value in vars(module).values():
            for constraint_id in value.decides if isinstance(value, ReleaseRule) else ():
                if found.setdefault(constraint_id, value.constraint) is not value.constraint:
                    raise ValueError(f"two rules of the release decide {constraint_id}")
    return MappingProxyType(found)
