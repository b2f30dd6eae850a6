"""Validates a composed tree into a `RunConfig`, and says in plain words what is wrong."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from difflib import get_close_matches
from functools import cache
from types import GenericAlias
from typing import Any, TypeVar, get_args, get_type_hints

from ifbench.config.addresses import interpolated, read_address
from ifbench.config.layers import Layer, Path, origin_of, spell
from ifbench.config.modes import of_modes_meant
from ifbench.config.overrides import ROLES
from ifbench.config.roles import Cast
from ifbench.config.secrets import display
from ifbench.config.values import RunConfig
from ifbench.errors import ConfigError
from ifbench.keys import canonical_json, engine_identity
from ifbench.types import MediaPolicy, ModelConfig, Sampling

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """How a role is asked where the model's own file does not say."""

    sampling: Sampling = field(default_factory=Sampling)
    media: MediaPolicy = field(default_factory=MediaPolicy)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleDefaults:
    """`benchmark.role_defaults`: the benchmark's own protocol, role by role."""

    candidates: Asked = field(default_factory=Asked)
    judge: Asked = field(default_factory=Asked)
    extractor: Asked = field(default_factory=Asked)
    grader: Asked = field(default_factory=Asked)
    transcriber: Asked = field(default_factory=Asked)


def check_role_defaults(tree: Any, layers: Sequence[Layer]) -> None:
    """Raise ConfigError where the defaults of a role would not do."""
    prefix: Path = ("benchmark", "role_defaults")
    _validated(RoleDefaults, tree, lambda path: (origin_of(layers, (*prefix, *path)), prefix))


def check_run(
    tree: Mapping[str, Any], layers: Sequence[Layer], roles: Mapping[str, tuple[Cast, ...]]
) -> RunConfig:
    """The whole run, or a ConfigError with every mistake, one a line."""

    def place(path: Path) -> tuple[str, Path]:
        cast, inner = _cast_at(path, roles)
        if cast is None:
            return origin_of(layers, path), ()
        return _place_in_model(cast, inner), ()

    filled = {**tree, **_filled(roles)}
    config = _validated(RunConfig, filled, place, roles)
    _refuse_two_of_one_name(config)
    refuse_shared_keys(config.models, config.candidates)
    return config


def _filled(roles: Mapping[str, tuple[Cast, ...]]) -> Mapping[str, Any]:
    one = {role: _model_tree(roles[role][0]) if roles[role] else None for role in ROLES[1:]}
    return {"candidates": [_model_tree(cast) for cast in roles["candidates"]], **one}


def _model_tree(cast: Cast) -> Mapping[str, Any]:
    """What a model came to, its address filled in."""
    tree = cast.tree
    found = interpolated(tree)
    if found is not None:
        raise ConfigError(
            f"{_place_in_model(cast, found)}: `{spell(found)}` may not read the environment or "
            "other keys; only `base_url` may (`${oc.env:NAME,default}`)"
        )
    address = tree.get("base_url")
    if not isinstance(address, str):
        return tree
    origin = _place_in_model(cast, ("base_url",))
    return {**tree, "base_url": read_address(address, os.environ, origin)}


def _cast_at(path: Path, roles: Mapping[str, tuple[Cast, ...]]) -> tuple[Cast | None, Path]:
    """The model that a path of the whole run lies in, and the path within that model."""
    match path:
        case ("candidates", int(index), *rest):
            return roles["candidates"][index], tuple(rest)
        case (str(role), *rest) if rest and role in ROLES and roles.get(role):
            return roles[role][0], tuple(rest)
    return None, path


def _place_in_model(cast: Cast, inner: Path) -> str:
    return origin_of(cast.layers, inner, default=cast.file)


# ── Pydantic's findings in our words ─────────────────────────────────────────────────


@cache
def _adapter(kind: Any) -> Any:
    from pydantic import ConfigDict, TypeAdapter

    # A tuple of one: the settings then hold for every dataclass inside, none of which knows
    # pydantic. JSON mode with `strict` takes a list for a tuple, but no "5" for 5.
    one: Any = GenericAlias(tuple, (kind,))
    return TypeAdapter(one, config=ConfigDict(extra="forbid", strict=True))


def _validated(kind: type[T], tree: Any, place: Any, roles: Any = None) -> T:
    from pydantic import ValidationError

    odd = _no_number(tree)
    if odd is not None:
        origin, prefix = place(odd)
        raise ConfigError(
            f"{origin}: `{spell((*prefix, *odd))}`: `nan` and `inf` are not numbers that a config "
            "may hold"
        )
    written = json.dumps([tree])
    form: Any = kind  # A class is hashable; mypy's cache asks to be told.
    try:
        found: tuple[T] = _adapter(form).validate_json(written)
    except ValidationError as error:
        details = [d for d in error.errors(include_url=False) if not _follows(d, error)]
        meant = of_modes_meant(details, (json.loads(written)[0],))
        lines = dict.fromkeys(_line(detail, kind, place, roles) for detail in meant)
        raise ConfigError("\n".join(lines)) from None
    return found[0]


def _no_number(tree: Any, path: Path = ()) -> Path | None:
    """Where a tree holds NaN or an infinity."""
    if isinstance(tree, float) and not math.isfinite(tree):
        return path
    inner: Iterable[tuple[str | int, Any]] = ()
    if isinstance(tree, Mapping):
        inner = ((str(key), value) for key, value in tree.items())
    elif isinstance(tree, list | tuple):
        inner = enumerate(tree)
    return next((odd for key, value in inner if (odd := _no_number(value, (*path, key)))), None)


def _follows(detail: Mapping[str, Any], error: Any) -> bool:
    """True for a list that is "too short" because its entries have mistakes of their own."""
    if detail["type"] != "too_short":
        return False
    place = detail["loc"]
    return any(
        other["loc"][: len(place)] == place and len(other["loc"]) > len(place)
        for other in error.errors(include_url=False)
    )


_NAMED = re.compile(r"`([a-z_.]+)")


def _line(detail: Mapping[str, Any], kind: type, place: Any, roles: Any) -> str:
    path: Path = tuple(detail["loc"][1:])
    origin, prefix = place(path)
    if detail["type"] == "value_error" and (named := _NAMED.match(str(detail["ctx"]["error"]))):
        origin, _ = place((*path, *named[1].split(".")))  # Of two keys that do not go together.
    shown = path
    if roles is not None:
        cast, inner = _cast_at(path, roles)
        shown = inner if cast is not None else path
    key = spell((*prefix, *shown)) or "the run"
    return f"{origin}: {_words(detail, key, path, kind)}"


def _words(detail: Mapping[str, Any], key: str, path: Path, kind: type) -> str:
    context, value = detail.get("ctx") or {}, detail["input"]
    got = f"got {display(value, str(path[-1]) if path else '')}"
    match detail["type"]:
        case "missing":
            return f"`{key}` is missing"
        case "unexpected_keyword_argument":
            around = (detail["kind"], path[-1:]) if "kind" in detail else (kind, path)
            return f"unknown key `{key}`{_neighbours(*around)}"
        case "greater_than":
            return f"`{key}` must be above {_number(context['gt'])}, {got}"
        case "greater_than_equal":
            return f"`{key}` must be at least {_number(context['ge'])}, {got}"
        case "less_than":
            return f"`{key}` must be below {_number(context['lt'])}, {got}"
        case "less_than_equal":
            return f"`{key}` must be at most {_number(context['le'])}, {got}"
        case "literal_error":
            choices = re.findall(r"'([^']*)'", context["expected"])
            return f"`{key}` must be one of {', '.join(choices)}; {got}{_close(value, choices)}"
        case "too_short":
            return f"`{key}` must not be empty"
        case "predicate_failed":
            return f"`{key}` must not be empty, {got}; {_PLACES[str(path[-1])]} is expected"
        case "value_error":
            return f"`{key}`: {context['error']}"
        case "string_type" if not isinstance(value, dict | list | None):
            return f"`{key}` must be text, {got}: put it in quotes"
        case _:
            return f"`{key}` must be {_expected(detail)}, {got}"


_PLACES = {
    "data": "a file, a release's folder, or `builtin:NAME`",
    "uri": "a folder, or a URI that `pyarrow.fs` reads,",
}
_EXPECTED = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "text",
    "tuple_type": "a list",
    "dataclass_type": "a mapping",
    "mapping_type": "a mapping",
    "dict_type": "a mapping",
}


def _expected(detail: Mapping[str, Any]) -> str:
    words = str(detail["msg"]).lower().replace("input should be ", "")
    return _EXPECTED.get(detail["type"], words)


def _number(bound: float) -> str:
    return f"{bound:g}"


def _close(found: Any, choices: Sequence[str]) -> str:
    close = get_close_matches(found, choices, n=1) if isinstance(found, str) else []
    return f" (did you mean `{close[0]}`?)" if close else ""


def _neighbours(kind: Any, path: Path) -> str:
    """What the mapping around an unknown key does know."""
    for name in path[:-1]:
        if isinstance(name, str):
            inner = fields_of(kind).get(name)
            if inner is None:
                return ""
            kind = inner
    names = [name for name in fields_of(kind) if not (kind is ModelConfig and name == "name")]
    return f"{_close(path[-1], names)}; keys here: {', '.join(names)}"


def fields_of(kind: Any) -> Mapping[str, Any]:
    """Fields of a dataclass, each with the dataclass it holds, or the field's own type."""
    if not is_dataclass(kind):
        return {}
    hints = get_type_hints(kind)
    return {entry.name: _dataclass_in(hints[entry.name]) for entry in fields(kind)}


def _dataclass_in(hint: Any) -> Any:
    return next((kind for kind in _leaves(hint) if is_dataclass(kind)), hint)


def _leaves(hint: Any) -> Iterator[Any]:
    parts = get_args(hint)
    for part in parts:
        yield from _leaves(part)
    if not parts:
        yield hint


def check_override_key(layer: Layer) -> None:
    """Raise ConfigError where the command line sets a key that no run has."""
    path = layer.removed or _deepest(layer.tree)
    kind: Any = RunConfig
    for index, name in enumerate(path):
        if not is_dataclass(kind) or kind is ModelConfig:
            return
        known = fields_of(kind)
        if path[: index + 1] == ("benchmark", "role_defaults"):
            return
        if name not in known:
            key = spell(tuple(path[: index + 1]))
            raise ConfigError(f"{layer.origin}: unknown key `{key}`{_neighbours(kind, (name,))}")
        kind = known[str(name)]


def _deepest(tree: Mapping[str, Any]) -> Path:
    path: list[str] = []
    inner: Any = tree
    while isinstance(inner, Mapping) and len(inner) == 1:
        name = next(iter(inner))
        path.append(name)
        inner = inner[name]
    return tuple(path)


# ── Models that would be taken for one another ───────────────────────────────────────


def refuse_shared_keys(models: Iterable[ModelConfig], candidates: Sequence[ModelConfig]) -> None:
    """Stored answers are found by engine, model and revision; one such name, one deployment.

    Raises ConfigError for two of `models`, of one run or of several over one store.
    """
    seen: dict[tuple[str, str, str], ModelConfig] = {}
    for model in models:
        key = (canonical_json(engine_identity(model)), model.model, model.revision)
        other = seen.setdefault(key, model)
        both = model in candidates and other in candidates
        if other.engine != model.engine:
            differs = f"`engine` ({other.engine} and {model.engine})"
        elif other.base_url != model.base_url:
            differs = f"`base_url` ({other.base_url} and {model.base_url})"
        elif both and asdict(other)["options"] != asdict(model)["options"]:
            differs = "`options`"
        else:
            continue
        raise ConfigError(
            f"models `{other.name}` and `{model.name}` are both `{model.model}` "
            f"but differ in {differs}: answers of one would be taken for the other's. Give one "
            "of them a `revision` of its own, such as `revision: fp8`"
        )


_BY_NAME = ("engine", "base_url", "api_key_env", "options", "price")
"""What a worker looks up by a model's name; all else goes along with each prompt."""


def _refuse_two_of_one_name(config: RunConfig) -> None:
    """A worker opens one client for each name, so roles of one name share what opens it."""
    seen: dict[str, ModelConfig] = {}
    for model in config.models:
        other = asdict(seen.setdefault(model.name, model))
        one = asdict(model)
        differing = [field for field in _BY_NAME if one[field] != other[field]]
        if differing:
            raise ConfigError(
                f"model `{model.name}` takes two roles with two settings of "
                f"`{'`, `'.join(differing)}`. Set it for both "
                f"(`model.{model.name}.{differing[0]}…`) or give one role a file of its own in "
                "`conf/model/`"
            )
