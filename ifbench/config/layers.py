"""Who said what: settings as layers, the strongest last, each with the place it came from.

Hydra merges; this keeps the account, so that a mistake can name its file or its override.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Tree: TypeAlias = Mapping[str, Any]
Path: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """Settings from one place. `removed` takes a key away, back to its default."""

    origin: str
    """How a message calls the place: a file, or an override of the command line."""
    tree: Tree
    removed: Path | None = None


def merge(layers: Sequence[Layer]) -> dict[str, Any]:
    """All layers in one tree: mappings are joined key by key, anything else is replaced."""
    tree: dict[str, Any] = {}
    for layer in layers:
        tree = _joined(tree, layer.tree)
        if layer.removed is not None:
            tree = _without(tree, layer.removed)
    return tree


def _joined(lower: Tree, upper: Tree) -> dict[str, Any]:
    joined = dict(lower)
    for key, value in upper.items():
        below = joined.get(key)
        both = isinstance(below, Mapping) and isinstance(value, Mapping)
        joined[key] = _joined(below, value) if both else value  # type: ignore[arg-type]  # both are mappings
    return joined


def _without(tree: Tree, path: Path) -> dict[str, Any]:
    first, *rest = path
    if not rest:
        return {key: value for key, value in tree.items() if key != first}
    inner = tree.get(str(first))
    if not isinstance(inner, Mapping):
        return dict(tree)
    return {**tree, str(first): _without(inner, tuple(rest))}


def nested(path: Sequence[str], value: Any) -> dict[str, Any]:
    """`{"a": {"b": value}}` from `("a", "b")`."""
    for key in reversed(path):
        value = {key: value}
    assert isinstance(value, dict)
    return value


def origin_of(layers: Sequence[Layer], path: Path, default: str = "") -> str:
    """The strongest layer that sets `path`, or else the nearest key above it.

    Where no layer does, the `default`, or else the weakest layer's origin.
    """
    for length in range(len(path), 0, -1):
        for layer in reversed(layers):
            if holds(layer.tree, path[:length]):
                return layer.origin
    return default or (layers[0].origin if layers else "the configuration")


def holds(tree: Any, path: Path) -> bool:
    """True when the tree has a value (perhaps `None`) at the path."""
    for key in path:
        in_mapping = isinstance(tree, Mapping) and key in tree
        in_list = isinstance(tree, list) and isinstance(key, int) and key < len(tree)
        if not (in_mapping or in_list):
            return False
        tree = tree[key]
    return True


def spell(path: Path) -> str:
    """`a.b[0]` from `("a", "b", 0)`."""
    text = ""
    for key in path:
        text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else key
    return text
