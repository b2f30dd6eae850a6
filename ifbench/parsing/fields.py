"""Named fields of an answer and their values, whatever markup they are written in.

`{"weather": "clear"}`, `weather: clear`, `<weather>clear</weather>`, a table's row or column: a
constraint on the values does not ask for one of these, other constraints do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from ifbench.parsing.text_forms import bare_span, comparable, lowered


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedValue:
    """A named value; `text[start:end]` is the value without quotes and emphasis."""

    name: str
    value: str
    start: int
    end: int


def fields_in(text: str, names: Sequence[str]) -> Mapping[str, tuple[NamedValue, ...]]:
    """Every value of each name, in order; names that stand nowhere have none.

    Case does not count, and blank, underscore and hyphen are one character in a name. Cells of
    tables and of markup are read only where no name has a value of its own.
    """
    found = list(_labelled(text, names)) or list(_in_cells(text, names))
    return {name: tuple(field for field in found if field.name == _key(name)) for name in names}


def _key(name: str) -> str:
    return comparable(name).replace("-", " ")


def _field(name: str, text: str, start: int, end: int) -> NamedValue:
    start, end = bare_span(text, start, end)
    return NamedValue(name=_key(name), value=text[start:end], start=start, end=end)


# ── Labels ───────────────────────────────────────────────────────────────────────────

_STRING = re.compile(r"\"((?:[^\"\\\n]|\\.)*+)\"|'((?:[^'\\\n]|\\.)*+)'|“([^”\n]*+)”")
_SCALAR = re.compile(r"[^\s\[{,}][^,}\n]*+")
_SEPARATOR = re.compile(r"(?:\s*[,;|]|\s+and\b|\s)[\s{(*_`\"'-]*\Z")


def _labelled(text: str, names: Sequence[str]) -> Iterator[NamedValue]:
    """`name: value`, quoted or not, and `<name>value</name>`."""
    labels = list(_label_pattern(tuple(names)).finditer(lowered(text)))
    ends = (*(label.start() for label in labels[1:]), len(text))
    for label, limit in zip(labels, ends, strict=False):  # Without a label there is one end.
        name = label["element"] or label["name"]
        yield _field(name, text, *_value_span(text, label.end(), limit, label["element"]))


@lru_cache(maxsize=128)
def _label_pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    spelled = sorted((_spelled(name) for name in names), key=len, reverse=True)
    name = "|".join(spelled)
    return re.compile(
        rf"<(?P<element>{name})>|(?<!\w)(?P<name>{name})(?!\w)[\"'’”*_`]{{0,4}}\s{{0,3}}[:：=]"
        r"(?:[*_]{1,3}(?=[^\S\n]))?[^\S\n]{0,9}"
    )


def _spelled(name: str) -> str:
    return r"[\s_-]".join(map(re.escape, _key(name).split()))


def _value_span(text: str, start: int, limit: int, element: str | None) -> tuple[int, int]:
    """A string's inside, a quoted key's scalar, or all up to the next tag, label or line."""
    string = _STRING.match(text, start)
    if string is not None and string.lastindex is not None:
        return string.span(string.lastindex)
    scalar = _SCALAR.match(text, start, limit)
    if scalar is not None and text[max(start - 14, 0) : start].rstrip(" :")[-1:] in {'"', "'"}:
        return scalar.span()
    stops = (text.find(stop, start, limit) for stop in (("<",) if element else ("\n", "</")))
    stop = min((place for place in stops if place >= 0), default=-1)
    if stop < 0:
        # Between one label and the next on the same line stand a comma and the label's quotes.
        window = max(start, limit - 20)
        gap = _SEPARATOR.search(text, window, limit) if limit < len(text) else None
        stop = gap.start() if gap else limit
    end = stop
    while end > start and text[end - 1] in " \t,;|}])":
        end -= 1
    return start, max(end, start)


# ── Cells ────────────────────────────────────────────────────────────────────────────

_CELL = re.compile(r"[^|,\n]+")
_MARKED_UP = re.compile(r"(?<=>)[^<>]+(?=<)")


def _in_cells(text: str, names: Sequence[str]) -> Iterator[NamedValue]:
    """Values beside their names in rows of two, below them in columns, or in cells of markup."""
    wanted = {_key(name) for name in names}
    if "<" in text:
        cells = [cell for cell in _cells(text, _MARKED_UP.finditer(text)) if cell.value]
        yield from _beside(text, cells, wanted)
        return
    rows = list(_rows(text))
    for header, row in pairwise(rows):
        if len(header) == len(row) and wanted <= {_key(cell.value) for cell in header}:
            for above, cell in zip(header, row, strict=True):
                yield _field(above.value, text, cell.start, cell.end)
            return
    for row in rows:
        if len(row) == 2:
            yield from _beside(text, row, wanted)


def _beside(text: str, cells: Sequence[NamedValue], wanted: set[str]) -> Iterator[NamedValue]:
    for name, cell in pairwise(cells):
        if _key(name.value.rstrip(":：")) in wanted:
            yield _field(name.value.rstrip(":："), text, cell.start, cell.end)


def _rows(text: str) -> Iterator[Sequence[NamedValue]]:
    """Rows of cells, without the line of dashes below a table's header."""
    position = 0
    for line in text.splitlines(keepends=True):
        start, position = position, position + len(line)
        cells = [cell for cell in _cells(text, _CELL.finditer(text, start, position)) if cell.value]
        if cells and not all(set(cell.value) <= set("-: ") for cell in cells):
            yield cells


def _cells(text: str, matches: Iterable[re.Match[str]]) -> Iterator[NamedValue]:
    for match in matches:
        start, end = bare_span(text, *match.span())
        yield NamedValue(name="", value=text[start:end], start=start, end=end)
