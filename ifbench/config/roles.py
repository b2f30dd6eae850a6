"""From the names under `candidates`, `judge`, `extractor` and `grader` to whole models.

A role's value is a model's name, or a mapping with `name` and what is to be different in
this role. A model comes together from, weakest first: what the benchmark asks of the role,
the model's own file, the role's mapping, and the command line in the order it is written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ifbench.config.compose import no_option
from ifbench.config.folders import find_file, options, read_yaml, shown
from ifbench.config.layers import Layer, merge, origin_of
from ifbench.config.overrides import ROLES, ModelOverride, refuse_secrets
from ifbench.config.secrets import display
from ifbench.errors import ConfigError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """A model in a role, before validation."""

    role: str
    name: str
    file: str
    """How messages call the model's own file."""
    layers: tuple[Layer, ...]

    @property
    def tree(self) -> Mapping[str, Any]:
        return {**merge(self.layers), "name": self.name}


def cast_roles(
    tree: Mapping[str, Any],
    layers: Sequence[Layer],
    defaults: Mapping[str, Mapping[str, Any]],
    changes: Sequence[ModelOverride],
    *,
    folders: Sequence[Path],
    cwd: Path,
) -> Mapping[str, tuple[Cast, ...]]:
    """The models of each role; `()` where a role is left empty.

    The extractor defaults to the judge, as the judge is asked, with `extractor.…` on top.
    Raises ConfigError for a name that no folder has.
    """
    roles: dict[str, tuple[Cast, ...]] = {}
    for role in ROLES:
        origin = origin_of(layers, (role,))
        entries = [_entry(value, role, origin) for value in _values(tree.get(role), role, origin)]
        roles[role] = tuple(
            _cast(role, name, (_asked(role, defaults, layers), own), changes, folders, cwd)
            for name, own in entries
        )
    if not roles["extractor"]:
        own_changes = [change for change in changes if change.role == "extractor"]
        roles["extractor"] = tuple(
            Cast(
                role="extractor",
                name=judge.name,
                file=judge.file,
                layers=(*judge.layers, *(change.layer for change in own_changes)),
            )
            for judge in roles["judge"]
        )
    _refuse_twins(roles["candidates"], origin_of(layers, ("candidates",)))
    return roles


def _values(value: Any, role: str, origin: str) -> list[Any]:
    if value is None:
        return []
    if isinstance(value, list):
        if role != "candidates":
            raise ConfigError(f"{origin}: `{role}` takes one model, got {display(value)}")
        return value
    return [value]


def _entry(value: Any, role: str, origin: str) -> tuple[str, Layer]:
    """A name, and what the role's own mapping changes."""
    changed: Mapping[str, Any] = {}
    name = value
    if isinstance(value, Mapping):
        name = value.get("name")
        changed = {str(key): inner for key, inner in value.items() if key != "name"}
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ConfigError(
            f"{origin}: `{role}` names a model (a file of `model/`, without `.yaml`), or is a "
            f"mapping with `name` and what changes; got {display(value)}"
        )
    return name, Layer(origin=origin, tree=changed)


def _asked(role: str, defaults: Mapping[str, Mapping[str, Any]], layers: Sequence[Layer]) -> Layer:
    origin = origin_of(layers, ("benchmark", "role_defaults", role))
    return Layer(origin=origin, tree=defaults.get(role) or {})


def _cast(
    role: str,
    name: str,
    around: tuple[Layer, Layer],
    changes: Sequence[ModelOverride],
    folders: Sequence[Path],
    cwd: Path,
) -> Cast:
    asked, own = around
    file = find_file(folders, f"model/{name}")
    if file is None:
        offered = options(folders, "model")
        raise ConfigError(f"{own.origin}: {role}: {no_option('model', name, offered, folders)}")
    origin = shown(file, cwd)
    whole = read_yaml(file, origin)
    if whole.pop("name", name) != name:
        raise ConfigError(f"{origin}: `name` must be the file's own, `{name}`, or be left out")
    layers = (
        asked,
        Layer(origin=origin, tree=whole),
        own,
        *(change.layer for change in changes if change.is_about(role, name)),
    )
    for layer in layers:
        refuse_secrets(layer)
    return Cast(role=role, name=name, file=origin, layers=layers)


def _refuse_twins(candidates: Sequence[Cast], origin: str) -> None:
    names = [cast.name for cast in candidates]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ConfigError(
            f"{origin}: `candidates` names {', '.join(twice)} twice; tables tell candidates "
            "apart by name, so give the second one a file of its own in `model/`"
        )


def idle_changes(
    changes: Sequence[ModelOverride], roles: Mapping[str, tuple[Cast, ...]]
) -> dict[str, str]:
    """Overrides that reach no model of the run, each with the words for it.

    Alone such an override would be lost in silence; in a sweep another point may have its model.
    """
    casts = [cast for role in roles.values() for cast in role]
    taken = ", ".join(f"{cast.role}: {cast.name}" for cast in casts) or "(none)"
    return {
        change.layer.origin: f"{change.layer.origin}: reaches no model of this run; "
        f"its roles: {taken}"
        for change in changes
        if not any(change.is_about(cast.role, cast.name) for cast in casts)
    }
