"""Parts: Parquet files of `responses` that compaction made, sorted by key.

A part is published whole, so one that cannot be opened is an error and no torn file.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ifbench import schemas
from ifbench.errors import StoreError
from ifbench.store.location import Location
from ifbench.store.stream_file import sound_rows

GROUP_ROWS = 64
"""Rows of one row group: the least that a look-up has to unpack (benchmarks/store.py)."""
_LABELS = ["purpose", "model", "stop", "returned_model", "fingerprint", "endpoint",
           "failure_kind", "writer"]  # fmt: skip


class PartFile:
    """One open part. Safe to use from several threads."""

    def __init__(self, folder: Location, name: str) -> None:
        """Open it. Raises FileNotFoundError; StoreError when it cannot be read."""
        self.name = name
        self.where = f"{folder.uri}/{name}"
        self._lock = threading.Lock()
        try:
            source = folder.open_file(name)
            self._file = pq.ParquetFile(source, page_checksum_verification=True)
        except FileNotFoundError:
            raise
        except (pa.ArrowException, OSError) as error:
            raise StoreError(
                f"{self.where}: the part cannot be read: {error}; bring it back from a copy, "
                "or move it away to have its answers asked again"
            ) from error
        schemas.file_version(self._file.schema_arrow, "responses", self.where)
        meta = self._file.metadata
        sizes = [meta.row_group(at).num_rows for at in range(meta.num_row_groups)]
        self._starts = [sum_ - size for sum_, size in zip(_running(sizes), sizes, strict=True)]
        self.rows: int = meta.num_rows
        self.bytes: int = sum(
            meta.row_group(at).total_byte_size for at in range(meta.num_row_groups)
        )

    def keys(self) -> pa.ChunkedArray:
        """The keys of all rows, in order."""
        with self._lock:
            return self._file.read(columns=["key"]).column(0)

    def read(self, rows: Sequence[int]) -> list[tuple[int, schemas.Row | None]]:
        """Some rows by number, each with its content, or None where that is damaged."""
        by_group: dict[int, list[int]] = {}
        for row in sorted(rows):
            by_group.setdefault(bisect_right(self._starts, row) - 1, []).append(row)
        found: list[tuple[int, schemas.Row | None]] = []
        for group, wanted in by_group.items():
            table = self._read_group(group)
            if table is None:
                found.extend((row, None) for row in wanted)
                continue
            numbers = [row - self._starts[group] for row in wanted]
            found.extend(zip(wanted, sound_rows(table, numbers, self.where), strict=True))
        return found

    def _read_group(self, group: int) -> pa.Table | None:
        try:
            with self._lock:
                return self._file.read_row_group(group, use_threads=False)
        except (pa.ArrowException, OSError):
            return None

    def read_range(self, low: str, high: str | None, columns: list[str] | None = None) -> pa.Table:
        """The rows with `low <= key`, and `key < high` unless that is None.

        Raises StoreError where a row group is damaged: a part is never merged in part.
        """
        groups = [at for at in range(len(self._starts)) if self._overlaps(at, low, high)]
        try:
            with self._lock:
                table = self._file.read_row_groups(groups, columns=columns)
        except (pa.ArrowException, OSError) as error:
            raise StoreError(f"{self.where}: the part is damaged: {error}") from error
        return in_range(table, low, high)

    def _overlaps(self, group: int, low: str, high: str | None) -> bool:
        statistics = self._file.metadata.row_group(group).column(0).statistics
        if statistics is None or not statistics.has_min_max:
            return True
        return statistics.max >= low and (high is None or statistics.min < high)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def in_range(data: Any, low: str, high: str | None) -> Any:
    """The rows of a table or batch with `low <= key`, and `key < high` unless that is None."""
    import pyarrow.compute as pc  # A tenth of a second, and most commands compact nothing.

    inside = pc.greater_equal(data.column("key"), low)
    if high is not None:
        inside = pc.and_(inside, pc.less(data.column("key"), high))
    return data.filter(inside)


def part_buffer(table: pa.Table) -> pa.Buffer:
    """A table of `responses` as the bytes of a part."""
    sink = pa.BufferOutputStream()
    pq.write_table(
        table,
        sink,
        row_group_size=GROUP_ROWS,
        compression="zstd",
        use_dictionary=_LABELS,
        write_statistics=["key"],
        write_page_checksum=True,
    )
    return sink.getvalue()


def _running(sizes: Iterable[int]) -> Iterator[int]:
    total = 0
    for size in sizes:
        total += size
        yield total
