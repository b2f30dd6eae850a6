"""Files of one JSON object a line, read so that every defect of a file is reported at once."""

from __future__ import annotations

import codecs
import gzip
import json
import math
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from ifbench.benchmarks.encodings import not_utf8, other_encoding
from ifbench.errors import DatasetError

SHOWN = 20
"""Defects that a message spells out; the rest are counted."""


class Defects:
    """The defects of one file, collected while it is read and raised together."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.count = 0
        self._shown: list[str] = []

    def add(self, line: int, *messages: str) -> None:
        """Note what is wrong with a line (counted from 1)."""
        for message in messages:
            self.count += 1
            if len(self._shown) < SHOWN:
                self._shown.append(f"{self.path} line {line}: {message}")

    def raise_any(self) -> None:
        """Raise `DatasetError` when there is at least one defect."""
        if self.count == 0:
            return
        if self.count == 1:
            raise DatasetError(self._shown[0])
        shown = "" if self.count <= SHOWN else f"; the first {SHOWN}"
        raise DatasetError("\n  ".join([f"{self.count} defects{shown}:", *self._shown]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line that holds a JSON object."""

    number: int
    text: str
    fields: dict[str, Any]


def json_lines(path: Path, defects: Defects) -> Iterator[Line]:
    """The objects of a file; what is no object is noted in `defects`.

    A byte-order mark, blank lines and CRLF are accepted, `.gz` is unpacked. Raises
    `DatasetError` at once for what no line can mend: no file, a JSON array, UTF-16.
    """
    with _open(path) as file:
        for number, raw in enumerate(_lines(file, path), start=1):
            words = raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw
            if number == 1:
                _refuse_other_files(words, path)
            if words.strip():
                line = _parse(number, words)
                if isinstance(line, Line):
                    yield line
                else:
                    defects.add(number, line)


def _open(path: Path) -> BinaryIO:
    if path.is_dir():
        raise DatasetError(f"{path}: a folder; a file of records is expected")
    try:
        return cast("BinaryIO", gzip.open(path)) if path.suffix == ".gz" else path.open("rb")
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read: {error.strerror}") from error


def _lines(file: BinaryIO, path: Path) -> Iterator[bytes]:
    try:
        yield from file
    except (OSError, EOFError, zlib.error) as error:  # A gz file that is none, or is cut off.
        raise DatasetError(f"{path}: cannot be read: {error}") from error


def _refuse_other_files(first: bytes, path: Path) -> None:
    if other := other_encoding(first):
        raise DatasetError(f"{path} {other}")
    if first.lstrip().startswith(b"["):
        raise DatasetError(
            f"{path}: this is a JSON array; one object a line is expected "
            f"(`jq -c '.[]' {path.name}` makes one of the other)"
        )
    if first.startswith(b"PAR1"):
        raise DatasetError(f"{path}: this is a Parquet file; JSON Lines are expected")


def _parse(number: int, raw: bytes) -> Line | str:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return not_utf8(error)
    try:
        fields = parse_strict(text)
        if has_escaped_surrogates(text):
            refuse_surrogates(fields)
    except json.JSONDecodeError as error:
        return f"no JSON at character {error.pos + 1}: {error.msg} (one record stands on one line)"
    except (ValueError, RecursionError) as error:
        return f"not usable JSON: {error}"
    if not isinstance(fields, dict):
        return f"an object is expected, found {type(fields).__name__}"
    return Line(number=number, text=text, fields=fields)


def parse_strict(text: str) -> Any:
    """A JSON value. Raises `ValueError` for NaN, infinities and keys that stand twice."""
    return json.loads(
        text, object_pairs_hook=_unique, parse_constant=_refuse_constant, parse_float=_finite
    )


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        first = min(name for name, count in counts.items() if count > 1)
        raise ValueError(f"the key `{first}` stands twice in one object")
    return fields


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"`{text}` is too large for a number")
    return value


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"`{name}` is no JSON number")


def has_escaped_surrogates(text: str) -> bool:
    """Whether a JSON text spells halves of pairs at all; most that do spell both."""
    return "\\ud" in text.lower()


def refuse_surrogates(value: Any) -> None:
    """Raise `ValueError` where half of a pair stands alone in a JSON value."""
    # `\ud800` alone is legal JSON and illegal UTF-8: it would break the store much later.
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError("half of a surrogate pair, which is no character") from error
