"""Relations between entities as an answer lists them: tuples, arrows, or JSON objects.

Names of chemicals and genes hold commas, brackets and hyphens (`2,4-D`, `benzo[a]pyrene`,
`K(ATP) channel`), so a slot ends only at a separator outside brackets and quotes, and a comma
between two locants (`1,2-`, `N,N-`) is part of its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ifbench.parsing.embedded_json import json_values_in
from ifbench.parsing.text_forms import bare, bare_span, comparable
from ifbench.types import Json

RelationForm: TypeAlias = Literal["tuple", "arrow", "json"]
"""`(head, relation, tail)`, `head -> relation -> tail`, `{"head": …, "relation": …, …}`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """One relation: what stands in each slot, without quotes and emphasis."""

    slots: tuple[str, ...]
    start: int
    end: int


def find_relations(text: str, form: RelationForm, names: Sequence[str]) -> tuple[Relation, ...]:
    """Every relation that an answer lists, be its slots as many as the names or not.

    Only what stands by itself is a relation: a bracket in a sentence ("insulin (a hormone)") is
    none, nor is a header that repeats the slots' names.
    """
    match form:
        case "tuple":
            found = _tuples(text, len(names))
        case "arrow":
            found = _arrows(text)
        case "json":
            found = _objects(text, names)
    header = [comparable(name) for name in names]
    return tuple(one for one in found if [comparable(slot) for slot in one.slots] != header)


# ── Tuples ───────────────────────────────────────────────────────────────────────────

# Before a tuple stands the beginning of a line or list item, a label, another tuple, an opening
# mark, or "are"; after it a stop, a closing mark, another tuple, or the end of the line.
_BEFORE = re.compile(
    r"(?:\n[ \t>]*(?:[-*+•]|\d{1,3}[.)])?|[\[{,;:：，；、|>=)*]|\\\(|\b(?:and|or|is|are))"
    r"[ \t*_`\"'“]*\Z"
)
_AFTER = re.compile(
    r"[*_`\"'”]{0,4}(?:[^\S\n]*(?:[,;.:，；。、\]}|<(（\n]|\\\)|\Z)|\s(?:and|or)\b)"
)
_WINDOW = 40  # Characters that are read before a bracket.
_ROUND = re.compile(r"[()（）\n]")
_BETWEEN = re.compile(r"[)）]\s*[,;，；]\s*(?=[(（])")


def _tuples(text: str, count: int) -> Iterator[Relation]:
    for start, end in _bracketed(text):
        before = text[max(start - _WINDOW, 0) : start]
        if _BEFORE.search(before if start > _WINDOW else "\n" + before) and _AFTER.match(text, end):
            slots = _split_tuple(text[start + 1 : end - 1], count)
            yield Relation(slots=slots, start=start, end=end)


def _bracketed(text: str) -> Iterator[tuple[int, int]]:
    """The outermost round brackets of each line; a tuple does not run over its line's end.

    Where one is not closed (a name that lost its bracket), a line is parted at `), (`.
    """
    depth = start = 0
    for mark in _ROUND.finditer(text):
        if mark[0] == "\n":
            yield from _parted(text, start, mark.start()) if depth else ()
            depth = 0
        elif mark[0] in "(（":
            start = mark.start() if depth == 0 else start
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                yield start, mark.end()
    yield from _parted(text, start, len(text)) if depth else ()


def _parted(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for border in _BETWEEN.finditer(text, start, end):
        yield start, border.start() + 1
        start = border.end()
    last = max(text.rfind(")", start, end), text.rfind("）", start, end)) + 1
    if last > start:
        yield start, last


def _split_tuple(inner: str, count: int) -> tuple[str, ...]:
    """The slots: at commas before a blank where that gives the right number, else at all.

    Where brackets are not closed, they do not hide a comma.
    """
    commas = list(_outer_commas(inner))
    outer = [place for place in commas if _is_wide(inner, place)]
    if len(outer) + 1 == count:
        return tuple(_cut(inner, outer))
    if inner.count("(") != inner.count(")"):
        wide = [mark.start() for mark in _COMMA.finditer(inner) if _is_wide(inner, mark.start())]
        if len(wide) + 1 == count:
            return tuple(_cut(inner, wide))
    return tuple(_cut(inner, commas))


def _is_wide(inner: str, place: int) -> bool:
    return not inner[place + 1 : place + 2].strip()


_COMMA = re.compile(r"[,，]")
_MARK = re.compile(r"[\"'“”‘’,，()（）\[\]{}]")
_CLOSING = {'"': '"', "'": "'", "“": "”", "‘": "’"}
_QUOTE_END = re.compile(r"\s*(?:[,，]|\Z)")
_LOCANT_BEFORE = re.compile(r"(?:\d|['′]|(?<![A-Za-z])[NOSCHPα-ωΑ-Ω])\Z")
_LOCANT_AFTER = re.compile(r"\d|[NOSCHPα-ωΑ-Ω](?![A-Za-z])")


def _outer_commas(inner: str) -> Iterator[int]:
    depth, slot_start, closing = 0, 0, ""
    for mark in _MARK.finditer(inner):
        place, sign = mark.start(), mark[0]
        if closing:
            if sign == closing and _QUOTE_END.match(inner, mark.end()):
                closing = ""
        elif sign in _CLOSING and not inner[slot_start : min(place, slot_start + 9)].strip():
            is_closed = inner.find(_CLOSING[sign], place + 1, place + _LONGEST_SLOT) > 0
            closing = _CLOSING[sign] if is_closed else ""
        elif sign in "([{（":
            depth += 1
        elif sign in ")]}）":
            depth = max(depth - 1, 0)
        elif sign in ",，" and depth == 0 and not _is_locant_comma(inner, place):
            yield place
            slot_start = mark.end()


_LONGEST_SLOT = 500


def _is_locant_comma(inner: str, place: int) -> bool:
    before = inner[max(place - 2, 0) : place]
    return bool(_LOCANT_BEFORE.search(before) and _LOCANT_AFTER.match(inner, place + 1))


def _cut(words: str, places: Iterable[int]) -> Iterator[str]:
    start = 0
    for place in (*places, len(words)):
        slot = bare(words[start:place])
        yield slot if re.search(r"\w", slot) else ""
        start = place + 1


# ── Arrows ───────────────────────────────────────────────────────────────────────────

_ARROW = re.compile(
    r"(?<=\s)-{1,3}\[? ?(?=\w[\w ]{0,40}\]?-{1,3}>)|-{1,3}>|={1,2}>|[→⟶➔➝⇒⟹]|\\(?:long)?(?:right|Right)arrow(?![A-Za-z])|\\to\b"
)
_LINE = re.compile(r"[^\n]+")
_LEAD = re.compile(
    r"[ \t>]*(?:[-*+•][ \t]|\d{1,3}[.)][ \t])?[ \t\[\"'`*_$]*(?:\w[\w \t]{0,40}[:：]\s)?"
)
_PIECE_END = re.compile(r"\s*;\s*|\"\s*,\s*\"|'\s*,\s*'")


def _arrows(text: str) -> Iterator[Relation]:
    for line in _LINE.finditer(text):
        lead = _LEAD.match(text, *line.span())
        start = lead.end() if lead else line.start()
        for piece_start, piece_end in _pieces(text, start, line.end()):
            arrows = list(_ARROW.finditer(text, piece_start, piece_end))
            if arrows:
                ends = [arrow.start() for arrow in arrows] + [piece_end]
                starts = [piece_start] + [arrow.end() for arrow in arrows]
                slots = (
                    bare(text[a:b]).strip("\"'`*_$[], ") for a, b in zip(starts, ends, strict=True)
                )
                yield Relation(slots=tuple(slots), start=piece_start, end=piece_end)


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for border in _PIECE_END.finditer(text, start, end):
        yield start, border.start()
        start = border.end()
    yield start, bare_span(text, start, end)[1] if start < end else end


# ── JSON objects ─────────────────────────────────────────────────────────────────────


def _objects(text: str, names: Sequence[str]) -> Iterator[Relation]:
    for found in json_values_in(text):
        for slots in _elements(found.value, names):
            yield Relation(slots=slots, start=found.start, end=found.end)


def _elements(value: Json, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """An object with one of the names is a relation; else what it or a list holds is looked at."""
    if isinstance(value, dict):
        fields = {comparable(str(name)): one for name, one in value.items()}
        if any(comparable(name) in fields for name in names):
            yield tuple(_slot(fields.get(comparable(name))) for name in names)
            return
        for one in value.values():
            if isinstance(one, list):
                yield from _elements(one, names)
    elif isinstance(value, list):
        for one in value:
            if isinstance(one, dict):
                yield from _elements(one, names)
            else:
                yield ()  # An element that is no object has none of the slots.


def _slot(value: Json) -> str:
    return str(value).strip() if isinstance(value, str | int | float) else ""
