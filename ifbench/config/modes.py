"""A setting that is of one of several kinds, told apart by its `mode`: how a video is sent.

Pydantic tries every kind and reports on each; a reader wants to hear of the one that was meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, get_args

from ifbench.types import AudioPolicy, VideoPolicy

Detail = Mapping[str, Any]
"""One finding of pydantic's."""

_KINDS: Mapping[str, type] = {
    kind.__name__: kind for union in (VideoPolicy, AudioPolicy) for kind in get_args(union)
}


def of_modes_meant(details: Sequence[Detail], root: Any) -> Iterator[Detail]:
    """The findings without those on kinds that were not meant; `root` is what was validated.

    Those on a kind lose its name from their place and carry its class as `kind`.
    """
    unions: dict[tuple[Any, ...], list[Detail]] = {}
    for detail in details:
        split = _split(detail["loc"])
        if split is None:
            yield detail
        else:
            unions.setdefault(detail["loc"][:split], []).append(detail)
    for place, found in unions.items():
        yield from _meant(place, found, _at(root, place))


def _split(place: tuple[Any, ...]) -> int | None:
    """Where in a place a kind's name stands."""
    return next((at for at, name in enumerate(place) if name in _KINDS), None)


def _at(root: Any, place: Iterable[Any]) -> Any:
    for step in place:
        root = root[step]
    return root


def _meant(place: tuple[Any, ...], found: list[Detail], value: Any) -> Iterator[Detail]:
    at = len(place)
    modes = {_mode(detail["loc"][at]): detail["loc"][at] for detail in found}
    if not isinstance(value, Mapping):
        yield {**found[0], "loc": place}
        return
    mode = value.get("mode", next(iter(modes)))
    if mode not in modes:
        expected = ", ".join(repr(name) for name in modes)
        context = {"expected": expected}
        yield {"loc": (*place, "mode"), "type": "literal_error", "input": mode, "ctx": context}
        return
    for detail in found:
        if detail["loc"][at] == modes[mode]:
            loc = (*place, *detail["loc"][at + 1 :])
            yield {**detail, "loc": loc, "kind": _KINDS[modes[mode]]}


def _mode(name: str) -> str:
    (mode,) = (str(entry.default) for entry in fields(_KINDS[name]) if entry.name == "mode")
    return mode
