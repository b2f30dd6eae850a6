"""Lets Hydra compose a run's tree, and notes which file said what.

Hydra keeps process-wide state. It is set up, used and put back under a lock, so that
configs can be loaded from any thread, and inside a program that uses Hydra itself.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ifbench.config.addresses import read_store_uri
from ifbench.config.folders import find_file, not_yaml, options, read_yaml, shown
from ifbench.config.layers import Layer, nested, origin_of, spell
from ifbench.config.overrides import Overrides, origin_of_override
from ifbench.errors import ConfigError

_HYDRA = threading.Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed:
    """A run's tree before its models are filled in; plain, interpolations resolved."""

    tree: Mapping[str, Any]
    layers: tuple[Layer, ...]
    """Where each key came from, weakest first, the command line's last."""
    experiment: str | None


def compose(name: str, overrides: Overrides, *, folders: Sequence[Path], cwd: Path) -> Composed:
    """Compose `NAME.yaml` with the chosen options. Raises ConfigError, and no Hydra error."""
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException
    from yaml import YAMLError

    if find_file(folders, name) is None:
        raise ConfigError(f"no `{name}.yaml`; folders searched: {', '.join(map(str, folders))}")
    for text in overrides.choices:
        _check_choice(text, folders, cwd)
    try:
        config, parts = _compose(name, overrides, folders)
    except (HydraException, OmegaConfBaseException) as error:
        raise ConfigError(_reworded(error, folders)) from None
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        file = Path(mark.name) if mark else folders[0]
        raise ConfigError(not_yaml(error, shown(file, cwd))) from None
    experiment = config.hydra.runtime.choices.get("experiment")
    files = ((find_file(folders, part), package) for part, package in parts)
    layers = [_layer(file, package, cwd) for file, package in files if file is not None]
    layers.extend(overrides.layers)
    return Composed(tree=_plain(config, layers), layers=tuple(layers), experiment=experiment)


def _check_choice(text: str, folders: Sequence[Path], cwd: Path) -> None:
    key, _, option = text.partition("=")
    group = key.lstrip("+~").strip()
    option = option.strip().strip("'\"")
    offered = options(folders, group)
    may_be_left_out = group == "experiment" and option == "null"
    if option not in offered and not may_be_left_out:
        raise ConfigError(
            f"{origin_of_override(text)}: {no_option(group, option, offered, folders)}"
        )
    file = find_file(folders, f"{group}/{option}")
    if file is not None:  # Hydra stumbles over some mistakes without a word on the file.
        read_yaml(file, shown(file, cwd))


def no_option(group: str, found: str, offered: Sequence[str], folders: Sequence[Path]) -> str:
    """The words for a name that a group does not have."""
    close = get_close_matches(found, offered, n=1)
    hint = f" did you mean `{close[0]}`?" if close else ""
    searched = ", ".join(str(folder / group) for folder in folders)
    return (
        f"no {group} `{found}`;{hint} choices: {', '.join(offered) or '(none)'}"
        f" (folders searched: {searched})"
    )


# ── Hydra ────────────────────────────────────────────────────────────────────────────


def _compose(
    name: str, overrides: Overrides, folders: Sequence[Path]
) -> tuple[Any, tuple[tuple[str, str], ...]]:
    """Hydra's config, and what it is made of in order: (file's name, package) pairs."""
    from hydra import compose as hydra_compose
    from hydra.core.global_hydra import GlobalHydra
    from hydra.types import RunMode

    first, *others = folders
    with _set_up(first):
        loader: Any = GlobalHydra.instance().config_loader()  # Its type hides `repository`.
        path = loader.get_search_path()
        for folder in others:  # Hydra's schema source must stay the last one.
            path.prepend("ifbench", f"file://{folder}", anchor="schema")
        loader.repository.initialize_sources(path)
        choices = _without_left_out(overrides.choices)
        defaults = loader.compute_defaults_list(name, choices, RunMode.RUN).defaults
        config = hydra_compose(name, [*choices, *overrides.values], return_hydra_config=True)
    return config, tuple((entry.config_path or "", entry.package or "") for entry in defaults)


def _without_left_out(choices: Sequence[str]) -> list[str]:
    """The choices as Hydra takes them: an overlay is left out by `~experiment`, not by null."""
    pairs = [[word.strip() for word in text.lstrip("+").partition("=")] for text in choices]
    chosen = [option for key, _, option in pairs if key == "experiment"]
    if chosen[-1:] == ["null"]:
        others = (
            text for text, pair in zip(choices, pairs, strict=True) if pair[0] != "experiment"
        )
        return [*others, "~experiment"]
    null = ["experiment", "=", "null"]  # One that a later choice replaces.
    return [text for text, pair in zip(choices, pairs, strict=True) if pair != null]


@contextmanager
def _set_up(folder: Path) -> Iterator[None]:
    """Hydra set up on a folder, for one thread at a time; afterwards all is as it was."""
    from hydra import initialize_config_dir
    from hydra.core.global_hydra import GlobalHydra

    with _HYDRA:
        other = GlobalHydra.instance().hydra  # Of a program that uses Hydra itself.
        GlobalHydra.instance().clear()
        try:
            with initialize_config_dir(str(folder), version_base="1.3", job_name="ifbench"):
                yield
        finally:
            GlobalHydra.instance().hydra = other


def _layer(file: Path, package: str, cwd: Path) -> Layer:
    origin = shown(file, cwd)
    path = [part for part in package.split(".") if part]
    body = {key: value for key, value in read_yaml(file, origin).items() if key != "defaults"}
    return Layer(origin=origin, tree=nested(path, body))


def _reworded(error: Exception, folders: Sequence[Path]) -> str:
    """Hydra's error in our words."""
    from hydra.errors import MissingConfigException

    missing = getattr(error, "missing_cfg_file", None)
    if isinstance(error, MissingConfigException) and missing:
        group, _, found = str(missing).rpartition("/")
        return no_option(group, found, options(folders, group), folders)
    cause = error.__cause__ or error
    return "the configuration does not fit together: " + " ".join(str(cause).split())


def _plain(config: Any, layers: Sequence[Layer]) -> dict[str, Any]:
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    written = OmegaConf.to_container(config, resolve=False)
    assert isinstance(written, dict)
    del written["hydra"]
    _fill_store_uri(written, layers)
    refuse_resolvers(written, layers)
    try:
        tree = OmegaConf.to_container(OmegaConf.create(written), resolve=True)
    except OmegaConfBaseException as error:
        raise ConfigError(
            "an interpolation cannot be resolved: " + " ".join(str(error).split())
        ) from None
    assert isinstance(tree, dict)
    return {str(key): value for key, value in tree.items()}


def _fill_store_uri(tree: dict[Any, Any], layers: Sequence[Layer]) -> None:
    store = tree.get("store")
    if isinstance(store, dict) and isinstance(uri := store.get("uri"), str):
        store["uri"] = read_store_uri(uri, os.environ, origin_of(layers, ("store", "uri")))


def refuse_resolvers(tree: Any, layers: Sequence[Layer], path: tuple[str | int, ...] = ()) -> None:
    """Raise ConfigError on `${oc.env:…}` and the like: what an environment variable holds
    would be stored with the run. References to other keys (`${judge}`) are welcome.
    """
    if isinstance(tree, Mapping):
        for key, value in tree.items():
            refuse_resolvers(value, layers, (*path, str(key)))
    elif isinstance(tree, list):
        for index, value in enumerate(tree):
            refuse_resolvers(value, layers, (*path, index))
    elif isinstance(tree, str) and "${" in tree and ":" in tree.partition("${")[2]:
        raise ConfigError(
            f"{origin_of(layers, path)}: `{spell(path)}` may not read the environment; "
            "only a model's `base_url` and `store.uri` may (`${oc.env:NAME,default}`)"
        )
