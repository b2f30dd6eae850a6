"""What tells runs apart, by their manifests, in words; and what two runs may be compared as."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ifbench.keys import canonical_json
from ifbench.store import Manifest
from ifbench.types import JsonObject

_Path: TypeAlias = tuple[str, ...]
_Leaves: TypeAlias = Mapping[_Path, str]

_ROLES = ("judge", "extractor", "grader", "transcriber")
_SELECTION = ("ids", "where", "limit")
"""Which samples of the data a run asks. The hash of its data is of these samples alone."""
_DECIDE = frozenset({"judge", "extractor", "grader", "judging", "correctness", "rules"})
"""Who or what decides on answers: two runs that differ in nothing else are of the same answers."""
_BENCHMARK = ("benchmark", "name")
_DATA = ("benchmark", "data")
_MODEL = ("candidates", "name")
_VARIANT = ("benchmark", "variant")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """Two runs that are compared."""

    names: tuple[str, str]
    """All that tells each from the other."""
    is_of_same_answers: bool = True
    """True where they differ at most in who decides: then verdicts agree or not, item by item."""


def sides(first: Manifest, second: Manifest, compared: tuple[Collection[str], ...]) -> Sides:
    """Two runs by all that tells apart what is compared of them, or else by their ids.

    `compared` are the candidates of each that stand in the comparison. Which samples are asked,
    and how often, is no difference: only what both have is compared.
    """
    runs = (first, second)
    identities = [
        _cut_down(identity, names) for identity, names in zip(named(runs), compared, strict=True)
    ]
    paths, flat = _differing(identities)
    if paths:
        one, two = (_side_name(paths, leaves) for leaves in flat)
    else:
        one, two = (", ".join(run.candidates) for run in runs)
    if one == two:
        one, two = first.run_id, second.run_id
    return Sides(names=(one, two), is_of_same_answers=all(path[0] in _DECIDE for path in paths))


def differences(identities: Sequence[JsonObject]) -> tuple[str, ...]:
    """For each run, by its identity, what tells it from the others, in words.

    Names come first. Left out is what goes along with the name that it stands under (a judge's
    temperature), or with the benchmark (how judges are asked).
    """
    paths, flat = _differing(identities)
    return tuple(", ".join(_words(paths, leaves)) for leaves in flat)


def named(runs: Sequence[Manifest]) -> list[JsonObject]:
    """The runs' identities, with their data by the file's name in the place of a hash.

    A part of the hash follows where files of one name hold something else.
    """
    return [
        {**run.identity, "benchmark": {**_benchmark(run), "data": name}}
        for run, name in zip(runs, _data_names(runs), strict=True)
    ]


def without(identity: JsonObject, *names: str) -> JsonObject:
    """An identity without some parts, as `attempts` or `benchmark.limit`."""
    inner = {name.partition(".")[2] for name in names if name.startswith("benchmark.")}
    benchmark = {k: v for k, v in identity.get("benchmark", {}).items() if k not in inner}
    kept = {name: value for name, value in identity.items() if name not in names}
    return {**kept, "benchmark": benchmark}


# ── Data ─────────────────────────────────────────────────────────────────────────────


def _data_names(runs: Sequence[Manifest]) -> list[str]:
    files: dict[tuple[str, str], str] = {}
    hashes: dict[tuple[str, str], set[str]] = {}
    found: list[tuple[str, str, str]] = []
    for run in runs:
        which = canonical_json(
            {name: _benchmark(run).get(name) for name in (*_SELECTION, "variant")}
        )
        file = files.setdefault((which, run.dataset_sha256), _file(run))  # The same, elsewhere.
        hashes.setdefault((which, file), set()).add(run.dataset_sha256)
        found.append((which, file, run.dataset_sha256))
    return [
        file if len(hashes[which, file]) == 1 else f"{file} (sha256 {sha256[:12]})"
        for which, file, sha256 in found
    ]


def _file(run: Manifest) -> str:
    benchmark = run.config.get("benchmark")
    return str(benchmark.get("data", "?")) if isinstance(benchmark, Mapping) else "?"


def _benchmark(run: Manifest) -> JsonObject:
    found: JsonObject = run.identity.get("benchmark", {})
    return found


# ── Words ────────────────────────────────────────────────────────────────────────────


def _cut_down(identity: JsonObject, candidates: Collection[str]) -> JsonObject:
    """What of a run's identity is compared."""
    kept = [model for model in identity.get("candidates", ()) if model["name"] in candidates]
    rest = without(identity, "attempts", *(f"benchmark.{name}" for name in _SELECTION))
    return {**rest, "candidates": kept}


def _side_name(paths: Sequence[_Path], leaves: _Leaves) -> str:
    if list(paths) == [_MODEL]:
        return leaves[_MODEL]
    return ", ".join(_words(paths, leaves, {_MODEL: "model"}, bare=_VARIANT))


def _words(
    paths: Sequence[_Path],
    leaves: _Leaves,
    called: Mapping[_Path, str] | None = None,
    bare: _Path = (),
) -> list[str]:
    """What one run has at each of the paths; a variant alone can stand for itself."""
    found = []
    for path in paths:
        value = _value(path, leaves)
        if path == bare:
            found.append("augmented" if value == "none" else str(value))
        elif value is not None:
            found.append(f"{(called or {}).get(path) or _spoken(path)} {value}")
    return found


def _value(path: _Path, leaves: _Leaves) -> str | None:
    """What stands there; what a model that is not there would have is `None`."""
    if path in leaves:
        return leaves[path]
    if path[-1] == "name" and len(path) == 2:
        return "none"
    beside = path[0] != "candidates" and any(one[:-1] == path[:-1] for one in leaves)
    return "default" if beside else None


def _differing(identities: Sequence[JsonObject]) -> tuple[list[_Path], list[_Leaves]]:
    """The paths that tell the runs apart, names first, and the leaves of each run."""
    flat: list[_Leaves] = [dict(_leaves(one)) for one in map(_with_extractor, identities)]
    if all(one.get("extractor") == one.get("judge") for one in identities):
        flat = [{k: v for k, v in leaves.items() if k[0] != "extractor"} for leaves in flat]
    paths = dict.fromkeys(path for leaves in flat for path in leaves)
    shown: list[_Path] = []
    for path in sorted(paths, key=lambda path: (path[-1] != "name", len(path))):
        above = [one for one in shown if one[0] == path[0] or one == _BENCHMARK]
        if _kinds(flat, [*above, path]) > _kinds(flat, above):
            shown.append(path)
    return shown, flat


def _with_extractor(identity: JsonObject) -> JsonObject:
    """The judge extracts where nobody else is named; then it is said so, and not named again."""
    judge = identity.get("judge")
    if judge is None or identity.get("extractor") != judge:
        return identity
    return {**identity, "extractor": {"name": "the judge"}}


def _kinds(flat: Sequence[_Leaves], paths: Sequence[_Path]) -> int:
    return len({tuple(leaves.get(path) for path in paths) for leaves in flat})


def _leaves(tree: JsonObject, path: _Path = ()) -> list[tuple[_Path, str]]:
    found: list[tuple[_Path, str]] = []
    for name, value in tree.items():
        if isinstance(value, Mapping):
            found += _leaves(value, (*path, name))
        elif name == "candidates":
            found += _leaves({model["name"]: model for model in value}, (*path, name))
            found.append(((*path, name, "name"), "+".join(model["name"] for model in value)))
        elif value is None and not path and name in _ROLES:
            found.append(((name, "name"), "none"))
        else:
            found.append(((*path, name), _text(value)))
    return found


def _text(value: Any) -> str:
    return "none" if value is None else str(value)


def _spoken(path: _Path) -> str:
    if path == _DATA:
        return "data"
    return ".".join(path[:-1] if path[-1] == "name" else path)
