"""From one command line with several values for some keys to a configuration for each point.

Which values a key has, and in which order their combinations come, is Hydra's to say: its parser
reads `a,b`, `choice(…)`, `range(…)` and `glob(…)`, its basic sweeper makes the product. Every
point is then loaded as if it had been typed alone, and gives the errors that it would give alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from ifbench.config.check import refuse_shared_keys
from ifbench.config.folders import find_file, options, search_folders
from ifbench.config.load import Loaded, load, load_config
from ifbench.config.overrides import ROLES, origin_of_override
from ifbench.config.secrets import display_override
from ifbench.config.values import RunConfig
from ifbench.errors import ConfigError
from ifbench.told import told


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One configuration of a sweep; of a command without one, the only one."""

    config: RunConfig
    name: str = ""
    """What is swept, as this point has it: `benchmark=videoif judge=gpt-4.1`."""


def load_points(
    overrides: Sequence[str],
    *,
    is_sweep: bool,
    config_dir: Path | None = None,
    cwd: Path | None = None,
) -> tuple[Point, ...]:
    """Every point of a command line, in Hydra's order; with `is_sweep` false there is one.

    Raises ConfigError, which in a sweep names the point.
    """
    if not is_sweep:
        return (Point(config=load_config(overrides, config_dir=config_dir, cwd=cwd)),)
    here = (cwd or Path.cwd()).resolve()
    lines = expand(overrides, folders=search_folders(config_dir, here))
    every = told(lines, "reading the points of the sweep", len(lines))
    loaded = [_load(line, config_dir, cwd) for line in every]
    _refuse_idle(lines, loaded)
    points = tuple(
        Point(config=one.config, name=line.name) for line, one in zip(lines, loaded, strict=True)
    )
    _refuse_two_pipelines(points)
    _refuse_two_deployments(points)
    return points


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The command line of one point."""

    name: str
    """What is swept in it."""
    overrides: tuple[str, ...]

    def error(self, words: str) -> ConfigError:
        return ConfigError(f"point `{self.name}`: {words}" if self.name else words)


def _load(line: Line, config_dir: Path | None, cwd: Path | None) -> Loaded:
    try:
        return load(line.overrides, config_dir=config_dir, cwd=cwd)
    except ConfigError as error:
        raise line.error(str(error)) from error


# ── Hydra ────────────────────────────────────────────────────────────────────────────


def expand(overrides: Sequence[str], *, folders: Sequence[Path]) -> tuple[Line, ...]:
    """The command line of each point. Raises ConfigError."""
    from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
    from hydra.errors import HydraException

    swept = {text: parsed for text in overrides if (parsed := _sweep(text, folders)) is not None}
    _refuse_overridden(overrides, swept)
    # Hydra's keys have no room for names with dots and dashes: each goes by a number meanwhile.
    for number, parsed in enumerate(swept.values()):
        parsed.key_or_group = f"{_NUMBERED}{number}"
    try:
        _refuse_too_many(swept)
        (batch,) = BasicSweeper.split_arguments(list(swept.values()), None)
    except HydraException as error:
        raise ConfigError(f"the sweep cannot be expanded: {error}") from None
    return tuple(_line(overrides, tuple(swept), chosen) for chosen in batch)


def _line(overrides: Sequence[str], swept: Sequence[str], chosen: Sequence[str]) -> Line:
    """The command line in which each swept override has the value that was chosen for it."""
    values = (one.partition("=")[2] for one in chosen)
    texts = {
        text: f"{text.partition('=')[0]}={value}" for text, value in zip(swept, values, strict=True)
    }
    return Line(
        name=" ".join(map(display_override, texts.values())),
        overrides=tuple(texts.get(text, text) for text in overrides),
    )


_NUMBERED = "swept"
MOST_POINTS = 1000


def _sweep(text: str, folders: Sequence[Path]) -> Any:
    """Hydra's reading of an override with several values; `None` of any other.

    What cannot be read at all is the loader's to say.
    """
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException

    key, equals, value = text.partition("=")
    try:
        parsed = OverridesParser.create().parse_override(f"{_NUMBERED}={value}")
    except HydraException:
        return None
    if not equals or text.startswith("~") or not parsed.is_sweep_override():
        return None
    group = key.lstrip("+").strip()
    parsed.config_loader = _Names(folders, "model" if group in ROLES else group)  # type: ignore[assignment]
    return parsed


def _refuse_overridden(overrides: Sequence[str], swept: Mapping[str, Any]) -> None:
    """Raise ConfigError where a later override has the key of a swept one: it would hold in all
    points, which would bear the names of values that they do not have.
    """
    keys = [text.partition("=")[0].lstrip("+~").strip() for text in overrides]
    for at, text in enumerate(overrides):
        if text in swept and keys[at] in keys[at + 1 :]:
            later = overrides[at + 1 + keys[at + 1 :].index(keys[at])]
            raise ConfigError(
                f"{origin_of_override(later)}: stands behind `{display_override(text)}` and would "
                f"take its place in every point; give `{keys[at]}` once"
            )


def _refuse_too_many(swept: Mapping[str, Any]) -> None:
    """Raise ConfigError for an override that means nothing, and for more points than anyone means.

    Hydra would make a list of them all first.
    """
    count = 1
    for text, parsed in swept.items():
        few = list(islice(parsed.sweep_iterator(), MOST_POINTS + 1))
        if not few:
            raise ConfigError(f"{origin_of_override(text)}: matches nothing")
        if isinstance(parsed.config_loader, _Names):
            parsed.config_loader.refuse_odd(map(str, few))
        count *= len(few)
    if count > MOST_POINTS:
        raise ConfigError(f"the sweep has more than {MOST_POINTS} points, of which each is a run")


class _Names:
    """What `glob(…)` chooses from: the options of a group, or the models that a role can take.

    Stands where Hydra expects its loader of configurations, of which it asks this alone.
    """

    def __init__(self, folders: Sequence[Path], group: str) -> None:
        self._folders, self._group = folders, group

    def get_group_options(self, *_: object, **__: object) -> list[str]:
        return list(options(self._folders, self._group))

    def refuse_odd(self, chosen: Iterable[str]) -> None:
        """Raise ConfigError where one of the chosen files has a name that no override can have."""
        for name in chosen:
            file = find_file(self._folders, f"{self._group}/{name}")
            if file is not None and not _is_plain(name):
                raise ConfigError(
                    f"{file}: `{name}` cannot be chosen on a command line, where it reads as "
                    "something else than a name; rename the file with letters, digits, `-`, `_` "
                    "and `.`"
                )


def _is_plain(name: str) -> bool:
    """Whether a name, as it stands, is one value of an override, and this very text."""
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException

    try:
        parsed = OverridesParser.create().parse_override(f"{_NUMBERED}={name}")
    except HydraException:
        return False
    return not parsed.is_sweep_override() and parsed.value() == name


# ── What points may not differ in ────────────────────────────────────────────────────


def _refuse_idle(lines: Sequence[Line], loaded: Sequence[Loaded]) -> None:
    """A setting of a model is lost only where no point has the model."""
    pairs = list(zip(lines, loaded, strict=True))
    used = {
        origin_of_override(text)
        for line, one in pairs
        for text in line.overrides
        if origin_of_override(text) not in one.idle
    }
    for line, one in pairs:
        for origin, words in one.idle.items():
            if origin not in used:
                raise line.error(words)


_SHARED = ("store", "execution", "max_usd", "max_owed")


def _refuse_two_pipelines(points: Sequence[Point]) -> None:
    """One command has one store, one place where it runs, one purse and one measure of its end."""
    first = points[0]
    for point in points[1:]:
        for key in _SHARED:
            if getattr(point.config, key) != getattr(first.config, key):
                raise ConfigError(
                    f"points `{first.name}` and `{point.name}` differ in `{key}`: a sweep is one "
                    f"run over one store, so `{key}` is the same for all; give two commands"
                )


def _refuse_two_deployments(points: Sequence[Point]) -> None:
    refuse_shared_keys(
        [model for point in points for model in point.config.models],
        [model for point in points for model in point.config.candidates],
    )
