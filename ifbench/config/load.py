"""The whole way from the command line to a `RunConfig`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ifbench.config.check import check_override_key, check_role_defaults, check_run
from ifbench.config.compose import compose
from ifbench.config.folders import groups, options, search_folders
from ifbench.config.layers import Layer, merge, origin_of, spell
from ifbench.config.overrides import read_overrides, refuse_secrets
from ifbench.config.roles import cast_roles, idle_changes
from ifbench.config.values import RunConfig
from ifbench.errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A configuration, and what of its command line it has no use for."""

    config: RunConfig
    idle: Mapping[str, str]
    """Settings of models that take no part, by origin, with the words for it."""


def load_config(
    overrides: Sequence[str] = (),
    *,
    config_dir: Path | None = None,
    cwd: Path | None = None,
    name: str = "evaluate",
) -> RunConfig:
    """Compose `NAME.yaml` with the overrides, fill in the models and validate.

    `config_dir` is searched first, then `conf` below `cwd` (the working folder), then what
    ifbench ships. Touches nothing but those files and the environment variables that a
    `base_url` and `store.uri` name. Every mistake is a ConfigError, raised before anything runs.
    """
    loaded = load(overrides, config_dir=config_dir, cwd=cwd, name=name)
    for words in loaded.idle.values():
        raise ConfigError(words)
    return loaded.config


def load(
    overrides: Sequence[str],
    *,
    config_dir: Path | None = None,
    cwd: Path | None = None,
    name: str = "evaluate",
) -> Loaded:
    """As `load_config`, with settings that reach no model told instead of refused."""
    here = (cwd or Path.cwd()).resolve()
    folders = search_folders(config_dir, here)
    models = options(folders, "model")
    line = read_overrides(overrides, groups=groups(folders), models=models)
    for layer in line.layers:
        check_override_key(layer)
    composed = compose(name, line, folders=folders, cwd=here)
    for layer in composed.layers:
        refuse_secrets(layer)
    _refuse_unset(merge(composed.layers), composed.layers)  # Hydra lets `???` override nothing.
    _refuse_unplaced_overlay(composed.tree, composed.layers)

    tree, defaults = _role_defaults(composed.tree, composed.layers)
    roles = cast_roles(tree, composed.layers, defaults, line.models, folders=folders, cwd=here)
    filled = {**tree, "experiment": composed.experiment}
    config = check_run(filled, composed.layers, roles)
    return Loaded(config=config, idle=idle_changes(line.models, roles))


def _role_defaults(
    tree: Mapping[str, Any], layers: Sequence[Layer]
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The tree without `benchmark.role_defaults`, and those."""
    benchmark = tree.get("benchmark")
    if not isinstance(benchmark, Mapping):
        return tree, {}
    defaults = benchmark.get("role_defaults") or {}
    check_role_defaults(defaults, layers)
    rest = {key: value for key, value in benchmark.items() if key != "role_defaults"}
    return {**tree, "benchmark": rest}, defaults


def _refuse_unset(tree: Any, layers: Sequence[Layer], path: tuple[str | int, ...] = ()) -> None:
    """Raise ConfigError for what a file leaves to the user (`???`)."""
    if isinstance(tree, Mapping):
        for key, value in tree.items():
            _refuse_unset(value, layers, (*path, str(key)))
    elif tree == "???":
        key = spell(path)
        example = "[NAME]" if key == "candidates" else "NAME" if len(path) == 1 else "VALUE"
        raise ConfigError(
            f"{origin_of(layers, path)}: `{key}` is missing; set it, as in `{key}={example}`"
        )


def _refuse_unplaced_overlay(tree: Mapping[str, Any], layers: Sequence[Layer]) -> None:
    overlay = tree.get("experiment")
    if isinstance(overlay, Mapping):
        raise ConfigError(
            f"{origin_of(layers, ('experiment',))}: the first line of an experiment must be "
            "`# @package _global_`, so that its keys are those of the run"
        )
