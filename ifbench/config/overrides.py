"""The command line's `KEY=VALUE` arguments, sorted by what they are about.

Values are Hydra's grammar throughout. Keys are of three kinds: a group (`execution=local`),
a key of the run (`benchmark.limit=6`), and a setting of a model, under the model's name
(`model.gpt-5.2.sampling.temperature=0`) or under its role (`judge.limits.concurrency=4`).
Hydra's own grammar has no room for names with dots and dashes in a key, so the third kind
is split here, and only its value is left to Hydra.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any

from ifbench.config.layers import Layer, nested, spell
from ifbench.config.secrets import ADVICE, STORE_ADVICE, display_override, find_secret
from ifbench.errors import ConfigError
from ifbench.types import ModelConfig

ROLES = ("candidates", "judge", "extractor", "grader", "transcriber")
MODEL_FIELDS = tuple(entry.name for entry in fields(ModelConfig) if entry.name != "name")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOverride:
    """A setting of a model: of `name` wherever it stands, of a role, or of one candidate."""

    role: str | None
    name: str | None
    layer: Layer

    def is_about(self, role: str, name: str) -> bool:
        return self.role in (None, role) and self.name in (None, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrides:
    """A command line, read. Each kind keeps the order in which it was written."""

    choices: tuple[str, ...]
    """Chosen options of groups, as Hydra takes them."""
    values: tuple[str, ...]
    """Keys of the run, as Hydra takes them, each made able to add a key."""
    layers: tuple[Layer, ...]
    """What `values` say."""
    models: tuple[ModelOverride, ...]


def read_overrides(
    texts: Sequence[str], *, groups: Iterable[str], models: Sequence[str]
) -> Overrides:
    """Sort and parse. `models` are the names known; whether a key of the run exists is
    the caller's to check. Raises ConfigError with the override and what to write instead.
    """
    choices: list[str] = []
    values: list[str] = []
    layers: list[Layer] = []
    changes: list[ModelOverride] = []
    offered = frozenset(groups)
    for text in texts:
        key = _key_of(text)
        target = _model_target(text, key, models)
        if target is not None:
            changes.append(target)
        elif key.partition("@")[0].replace("/", ".") in offered:
            _refuse_odd_choice(text, key)
            choices.append(text)
        else:
            layer = _run_layer(text)
            layers.append(layer)
            values.append(text if text.startswith("~") else "++" + text.lstrip("+"))
    return Overrides(
        choices=tuple(choices), values=tuple(values), layers=tuple(layers), models=tuple(changes)
    )


def origin_of_override(text: str) -> str:
    return f"command line, `{display_override(text)}`"


def _key_of(text: str) -> str:
    key = text.partition("=")[0].lstrip("+~").strip()
    if not key or ("=" not in text and not text.startswith("~")):
        raise ConfigError(
            f"{origin_of_override(text)}: settings are written KEY=VALUE, such as "
            "`judge=gpt-4.1` or `benchmark.limit=6`"
        )
    if key == "hydra" or key.startswith(("hydra.", "hydra/")):
        raise ConfigError(
            f"{origin_of_override(text)}: Hydra's own settings have no effect here; "
            "another folder of configuration is `--config-dir DIR`"
        )
    if key == "model" or key.startswith(("model/", "model@")):
        raise ConfigError(
            f"{origin_of_override(text)}: a model takes a role: `candidates=[NAME]`, "
            "`judge=NAME`, `extractor=NAME`, `grader=NAME` or `transcriber=NAME`; one of its "
            "settings is `model.NAME.limits.concurrency=4`"
        )
    return key


def _refuse_odd_choice(text: str, key: str) -> None:
    """A group takes the name of one option; Hydra's finer forms are not of use here."""
    value = text.partition("=")[2].strip()
    if text.startswith("~") or "@" in key or "/" in key or value[:1] in {"{", "["}:
        raise ConfigError(
            f"{origin_of_override(text)}: give one option of the group, as in `{key}=NAME`, "
            f"and single settings as in `{key}.SETTING=VALUE`"
        )
    parse(text, text)


# ── Settings of models ───────────────────────────────────────────────────────────────


def _model_target(text: str, key: str, models: Sequence[str]) -> ModelOverride | None:
    first, dot, rest = key.partition(".")
    if not dot or first not in (*ROLES, "model"):
        return None
    name = _leading_name(rest, models)
    if first == "model":
        if name is None:
            raise ConfigError(_unknown_name(text, rest, models))
        return _change(text, None, name, rest[len(name) + 1 :])
    is_field = rest.partition(".")[0] in MODEL_FIELDS
    if first == "candidates" and name is not None and not is_field:
        return _change(text, first, name, rest[len(name) + 1 :])
    return _change(text, first, None, rest)


def _leading_name(rest: str, models: Sequence[str]) -> str | None:
    """The longest known name that `rest` begins with; names may hold dots."""
    leading = [name for name in models if rest == name or rest.startswith(f"{name}.")]
    return max(leading, key=len, default=None)


def _unknown_name(text: str, rest: str, models: Sequence[str]) -> str:
    guess = re.split(rf"\.(?:{'|'.join(MODEL_FIELDS)})(?:\.|$)", rest)[0]
    close = get_close_matches(guess, models, n=1)
    hint = f"did you mean `{close[0]}`? " if close else ""
    return (
        f"{origin_of_override(text)}: no model `{guess}`; {hint}"
        f"models here: {', '.join(sorted(models))}"
    )


def _change(text: str, role: str | None, name: str | None, field_path: str) -> ModelOverride:
    path = tuple(field_path.split(".")) if field_path else ()
    origin = origin_of_override(text)
    if text.startswith("~"):
        layer = Layer(origin=origin, tree={}, removed=path)
    else:
        value = parse(f"value={text.partition('=')[2]}", text)
        layer = Layer(origin=origin, tree=nested(path, value) if path else {})
    refuse_secrets(layer)
    if not path or path[0] not in MODEL_FIELDS:
        raise ConfigError(f"{origin}: {_no_setting(path)}")
    return ModelOverride(role=role, name=name, layer=layer)


def _no_setting(path: tuple[str, ...]) -> str:
    close = get_close_matches(path[0], MODEL_FIELDS, n=1) if path else []
    found = f"no setting `{path[0]}`; " if path else "a setting is missing; "
    hint = f"did you mean `{close[0]}`? " if close else ""
    return (
        f"{found}{hint}settings of a model: {', '.join(MODEL_FIELDS)}; those of one of several "
        "candidates are `candidates.NAME.SETTING=VALUE`"
    )


# ── Keys of the run ──────────────────────────────────────────────────────────────────


def _run_layer(text: str) -> Layer:
    key = tuple(text.partition("=")[0].lstrip("+~").strip().split("."))
    _refuse_listed_facets(text)
    value = parse(text, text)
    if text.startswith("~"):
        return Layer(origin=origin_of_override(text), tree={}, removed=key)
    layer = Layer(origin=origin_of_override(text), tree=nested(key, value))
    refuse_secrets(layer)
    return layer


_FACET = re.compile(r"[\[('\"]*(\w{1,64})\s*[=:]\s*([\w.+-]{1,64})")


def _refuse_listed_facets(text: str) -> None:
    """Raise ConfigError for `benchmark.where=[FACET=VALUE]`, which is no mapping, and say how."""
    key, _, value = text.lstrip("+").partition("=")
    if key.strip() != "benchmark.where" or value.strip()[:1] in {"{", ""}:
        return
    found = _FACET.match(value.strip())
    facet, wanted = found.groups() if found else ("FACET", "VALUE")
    raise ConfigError(
        f"{origin_of_override(text)}: a facet is a key of its own: "
        f"`benchmark.where.{facet}={wanted}`; for several values "
        f"`'benchmark.where.{facet}=[{wanted},OTHER]'`"
    )


def refuse_secrets(layer: Layer) -> None:
    """Raise ConfigError where a layer holds a secret; the message names the key alone."""
    path = find_secret(layer.tree)
    if path is None:
        return
    if path[-1] == "api_key_env":
        raise ConfigError(
            f"{layer.origin}: `{spell(path)}` must be the name of an environment variable "
            "(capitals, digits and `_`, such as OPENAI_API_KEY), never the key itself; "
            "what was found is not shown"
        )
    advice = STORE_ADVICE if path[0] == "store" else ADVICE
    raise ConfigError(
        f"{layer.origin}: `{spell(path)}` holds what looks like a secret. A config is stored "
        f"and shown, so {advice}; what was found is not shown"
    )


def parse(override: str, written: str) -> Any:
    """The value of an override, read by Hydra's grammar. `written` is what the user typed."""
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException

    origin = origin_of_override(written)
    key, _, value = written.partition("=")
    try:
        parsed = OverridesParser.create().parse_override(override)
    except HydraException:
        quoted = "'" + value.replace("'", "\\'") + "'"
        raise ConfigError(
            f"{origin}: the value cannot be read. A text with `=`, `,`, brackets, quotes or "
            f'`:` followed by a blank goes in quotes: "{display_override(f"{key}={quoted}")}"; '
            "a list is [a,b] and a mapping {a:1,b:2}"
        ) from None
    if parsed.is_sweep_override():
        raise ConfigError(
            f"{origin}: one value is expected, and this is several. To have a run for each (a "
            "sweep), give `-m` to `ifbench evaluate` or `plan`. "
            f'A list is written in brackets: "{display_override(f"{key}=[{value}]")}"; '
            "a text with commas in quotes"
        )
    return parsed.value()
