"""The constraints of both benchmarks, found by walking the packages below this one."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from ifbench.constraints.constraint import Constraint


@cache
def all_constraints() -> Mapping[str, Constraint]:
    """Every constraint by canonical id, in the order of the modules' names.

    Raises `ValueError` when two modules define one id.
    """
    found: dict[str, Constraint] = {}
    for module_info in pkgutil.walk_packages(__path__, prefix=f"{__name__}."):
        module = importlib.import_module(module_info.name)
        for value in vars(module).values():
            if not isinstance(value, Constraint):
                continue
            if found.setdefault(value.id, value) is not value:
                raise ValueError(f"two constraints are called {value.id}")
    return MappingProxyType(found)
