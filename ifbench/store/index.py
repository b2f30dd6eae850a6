"""Where each key is stored: 16 bytes a row, so that millions of rows fit into every worker.

The index holds the first 64 bits of a key and may so name a row of another key; who reads the
row compares the whole key. Several rows may bear one key, and all of them are named.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Prints: TypeAlias = npt.NDArray[np.uint64]

_MERGE_ROWS = 20_000
"""Rows that may wait in the dictionary before the arrays are sorted anew."""
_HEX_LENGTH = 64
_HEX_HEAD = re.compile("[0-9a-f]{16}")
_DIGITS = np.full(256, 255, dtype=np.uint8)
_DIGITS[np.frombuffer(b"0123456789abcdef", dtype=np.uint8)] = np.arange(16, dtype=np.uint8)


@dataclass(frozen=True, slots=True)
class Place:
    """A row of a file, both by number."""

    file: int
    row: int


def fingerprint(key: str) -> int:
    """The first 64 bits of a key: of its own hex digits, or of its hash for any other text."""
    if len(key) == _HEX_LENGTH and _HEX_HEAD.match(key):
        return int(key[:16], 16)
    return int.from_bytes(hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()[:8], "big")


def fingerprints(keys: Any) -> Prints:
    """The fingerprints of an Arrow array of strings, without a Python loop where all are hex."""
    if len(keys) == 0:
        return np.empty(0, dtype=np.uint64)
    chunks = keys.chunks if isinstance(keys, pa.ChunkedArray) else [keys]
    return np.concatenate([_chunk_fingerprints(chunk) for chunk in chunks])


def _chunk_fingerprints(keys: pa.Array) -> Prints:
    offsets = np.frombuffer(keys.buffers()[1], dtype=np.int32)[
        keys.offset : keys.offset + len(keys) + 1
    ]
    if (np.diff(offsets) == _HEX_LENGTH).all():
        letters = np.frombuffer(keys.buffers()[2], dtype=np.uint8)[offsets[0] : offsets[-1]]
        digits = _DIGITS[letters.reshape(len(keys), _HEX_LENGTH)[:, :16]]
        if (digits < 16).all():
            packed = (digits[:, 0::2] << 4) | digits[:, 1::2]
            return packed.reshape(-1).view(">u8").astype(np.uint64)
    return np.array([fingerprint(key) for key in keys.to_pylist()], dtype=np.uint64)


class KeyIndex:
    """Fingerprints to places. Not safe for threads: its owner holds a lock."""

    def __init__(self) -> None:
        self._prints: Prints = np.empty(0, dtype=np.uint64)
        self._files = np.empty(0, dtype=np.uint32)
        self._rows = np.empty(0, dtype=np.uint32)
        self._recent: dict[int, list[Place]] = {}
        self._recent_rows = 0

    def __len__(self) -> int:
        """Rows, not keys: a key may stand in several."""
        return len(self._prints) + self._recent_rows

    def add(self, prints: Prints, file: int, first_row: int) -> None:
        """Add the rows of one file that begin at `first_row`."""
        if len(prints) >= _MERGE_ROWS:
            self._append(prints, np.full(len(prints), file), np.arange(len(prints)) + first_row)
            return
        for row, value in enumerate(prints.tolist(), first_row):
            self._recent.setdefault(value, []).append(Place(file, row))
        self._recent_rows += len(prints)
        if self._recent_rows > max(_MERGE_ROWS, len(self._prints) // 32):
            self._merge_recent()

    def _merge_recent(self) -> None:
        entries = [(value, p.file, p.row) for value, ps in self._recent.items() for p in ps]
        values, files, rows = zip(*entries, strict=True)
        self._recent.clear()
        self._recent_rows = 0
        self._append(np.array(values, dtype=np.uint64), np.array(files), np.array(rows))

    def _append(self, prints: Prints, files: Any, rows: Any) -> None:
        every = np.concatenate([self._prints, prints])
        order = np.argsort(every, kind="stable")
        self._prints = every[order]
        self._files = np.concatenate([self._files, files.astype(np.uint32)])[order]
        self._rows = np.concatenate([self._rows, rows.astype(np.uint32)])[order]

    def find(self, values: Sequence[int]) -> list[list[Place]]:
        """For each fingerprint the places that may hold its key, perhaps none."""
        if not len(self._prints):  # A store that is young, which is asked for one key at a time.
            return [list(self._recent.get(value, ())) for value in values]
        wanted = np.array(values, dtype=np.uint64)
        lows = np.searchsorted(self._prints, wanted, side="left").tolist()
        highs = np.searchsorted(self._prints, wanted, side="right").tolist()
        return [
            [Place(int(self._files[at]), int(self._rows[at])) for at in range(low, high)]
            + self._recent.get(value, [])
            for value, low, high in zip(values, lows, highs, strict=True)
        ]

    def drop(self, files: Iterable[int]) -> None:
        """Forget all rows of some files."""
        gone = set(files)
        kept = ~np.isin(self._files, list(gone))
        self._prints, self._files, self._rows = (
            self._prints[kept],
            self._files[kept],
            self._rows[kept],
        )
        left = {
            value: rest
            for value, places in self._recent.items()
            if (rest := [place for place in places if place.file not in gone])
        }
        self._recent = left
        self._recent_rows = sum(map(len, left.values()))
