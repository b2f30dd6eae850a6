"""Compaction: many small journal files become few sorted parts.

The order of steps is what makes it safe to kill at any point: a part is published whole, and
only when all parts are there are the files that they replace deleted. In between, rows stand
twice, which no look-up minds, and the next compaction removes. A file that a writer may still
write to is left alone.
"""

from __future__ import annotations

import logging
import os
import secrets
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from ifbench import schemas
from ifbench.errors import StoreError
from ifbench.store.copies import Copies
from ifbench.store.journal import journal_folder, parts_folder, row_order
from ifbench.store.location import Location, lock, resolve
from ifbench.store.objects import told
from ifbench.store.part_file import PartFile, in_range, part_buffer
from ifbench.store.stream_file import Damage, State, StreamFile, sound_rows

_log = logging.getLogger(__name__)

PART_BYTES = 128 << 20
"""Size of a part before compression, and about what compaction holds in memory at once."""
STALE = timedelta(hours=24)
"""Without locks and without its mark of the end, a file this old has lost its writer."""
_AT_ONCE = 16
_ORDER = [("key", "ascending"), ("writer", "ascending"), ("row", "ascending")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """What one compaction did."""

    merged: int = 0
    """Files that were replaced."""
    parts: int = 0
    """Parts that replace them."""
    rows: int = 0
    """Rows in those parts."""
    damaged: int = 0
    """Files with damage, kept under `responses/damaged/`."""


class Step(Protocol):
    """Called before each step that changes the store; a test interrupts there."""

    def __call__(self, name: str) -> None: ...


def _go_on(name: str) -> None:
    """Interrupt nothing."""


@dataclass(slots=True)
class _Source:
    """A file to merge: how to read a range of it, and where it goes afterwards."""

    folder: Location
    file: StreamFile | PartFile
    is_damaged: bool = False


def compact(uri: str | Location, *, size: int = PART_BYTES, before: Step = _go_on) -> Compaction:
    """Merge what no writer holds into parts, each key once, the first answer kept.

    Large parts stay as they are. Raises StoreError when another compaction is at work here,
    when a part is damaged, and when the store cannot be read or written. Nothing is lost then.
    """
    root = resolve(uri)
    if not root.is_local:
        root = replace(root, copies=Copies())  # Each object is read more than once.
    with _alone(root):
        try:
            return _compact(root, size, before)
        except FileNotFoundError as error:
            raise StoreError(f"{root.uri}: another compaction is at work: {error}") from error
        except OSError as error:
            raise StoreError(f"{root.uri}: it cannot be compacted: {told(error)}") from error


@contextmanager
def _alone(root: Location) -> Iterator[None]:
    # Without locks (object stores) two compactions at once only leave rows that stand twice.
    if not root.is_local:
        yield
        return
    folder = root.child("responses")
    Path(folder.path).mkdir(parents=True, exist_ok=True)
    handle = os.open(folder.file(".compaction.lock"), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if lock(handle) is False:
            raise StoreError(f"{root.uri}: another compaction is at work")
        yield
    finally:
        os.close(handle)


def _compact(root: Location, size: int, before: Step) -> Compaction:
    streams = _mergeable(journal_folder(root))
    folder = parts_folder(root)
    names = sorted(folder.files(".parquet"))
    folder.fetch(names)
    parts = [_Source(folder, PartFile(folder, name)) for name in names]
    small = [part for part in parts if _bytes(part) < size // 2]
    if not streams and len(small) < 2:  # One part alone is as merged as can be.
        return Compaction()
    large = [part.file for part in parts if part not in small]
    sources = [*streams, *small]
    rows = written = 0
    for low, high in _ranges(sources, size):
        merged = _merge(sources, large, low, high)
        if merged.num_rows:
            _publish(root, merged, before)
            rows, written = rows + merged.num_rows, written + 1
    before("delete")
    for _ in _retired(root, sources):
        before("deleted")
    return Compaction(
        merged=len(sources),
        parts=written,
        rows=rows,
        damaged=sum(source.is_damaged for source in sources),
    )


def _bytes(source: _Source) -> int:
    file = source.file
    return file.bytes if isinstance(file, PartFile) else file.scanned


# ── What may be merged ───────────────────────────────────────────────────────────────


def _mergeable(folder: Location) -> list[_Source]:
    """The journal files that have no writer any more, read once to find what is damaged."""
    names = sorted(folder.files(".arrow"))
    folder.fetch(names)
    found = (_Source(folder, StreamFile(folder, name)) for name in names)
    return [source for source in found if _is_left(source)]


def _is_left(source: _Source) -> bool:
    file = source.file
    assert isinstance(file, StreamFile)
    _, damages = file.scan()
    _tell(source, damages)
    match file.state:
        case State.SEALED | State.ABANDONED:
            return True
        case State.LIVE:
            return False
        case State.UNKNOWN:
            path = source.folder.file(file.name)
            written = source.folder.filesystem.get_file_info(path).mtime
            return written is not None and datetime.now(UTC) - written > STALE


def _tell(source: _Source, damages: Sequence[Damage]) -> None:
    for damage in damages:
        source.is_damaged = True
        _log.warning("%s: from byte %d: %s", source.file.where, damage.offset, damage.reason)


# ── Merging ──────────────────────────────────────────────────────────────────────────


def _ranges(sources: Sequence[_Source], size: int) -> list[tuple[str, str | None]]:
    """Ranges of keys, each of about `size` bytes; together they hold every key."""
    import pyarrow.compute as pc  # A tenth of a second, and most commands compact nothing.

    keys = pa.chunked_array(
        [chunk for source in sources for chunk in _keys(source.file)], pa.string()
    )
    ordered = keys.take(pc.sort_indices(keys))
    count = max(1, -(-sum(map(_bytes, sources)) // size))
    cuts = {ordered[len(ordered) * at // count].as_py() for at in range(1, count) if len(ordered)}
    bounds = sorted(cuts - {""})
    return list(zip(["", *bounds], [*bounds, None], strict=True))


def _keys(file: StreamFile | PartFile) -> Sequence[pa.Array]:
    if isinstance(file, PartFile):
        return list(file.keys().chunks)
    return [batch.column("key") for batch in _again(file)]


def _again(file: StreamFile) -> Iterator[pa.RecordBatch]:
    """The batches of a file from its start."""
    fresh = StreamFile(file.folder, file.name)
    fresh.state = State.ABANDONED if file.state == State.SEALED else file.state
    yield from fresh.batches([])


def _merge(
    sources: Sequence[_Source], large: Sequence[Any], low: str, high: str | None
) -> pa.Table:
    """The sound rows of a range, ordered, one a key; those that large parts hold are left out."""
    tables = [_read_range(source, low, high) for source in sources]
    rows = pa.concat_tables(tables).sort_by(_ORDER)
    held = _held(large, low, high)
    keys = rows.column("key").to_pylist()
    firsts = [
        at
        for at, key in enumerate(keys)
        if (at == 0 or keys[at - 1] != key) and not _is_held(rows, at, key, held)
    ]
    return rows.take(schemas.indices(firsts)).replace_schema_metadata(schemas.RESPONSES.metadata)


def _read_range(source: _Source, low: str, high: str | None) -> pa.Table:
    file = source.file
    if isinstance(file, PartFile):
        table = file.read_range(low, high)
    else:
        batches = [in_range(batch, low, high) for batch in _again(file)]
        table = pa.Table.from_batches(batches, file.schema or schemas.RESPONSES)
    return schemas.upgraded(_sound(source, table), "responses", file.where)


def _sound(source: _Source, table: pa.Table) -> pa.Table:
    """The rows whose sum is right; the others mark their file as damaged."""
    kept = []
    for start in range(0, table.num_rows, _CHECK_ROWS):
        piece = table.slice(start, _CHECK_ROWS)
        rows = sound_rows(piece, range(piece.num_rows), source.file.where)
        good = [at for at, row in enumerate(rows) if row is not None]
        if len(good) < piece.num_rows:
            source.is_damaged = True
            _log.warning(
                "%s: %d damaged rows are left out", source.file.where, piece.num_rows - len(good)
            )
        kept.append(piece if len(good) == piece.num_rows else piece.take(schemas.indices(good)))
    return pa.concat_tables(kept) if kept else table


_CHECK_ROWS = 512


def _held(large: Sequence[PartFile], low: str, high: str | None) -> dict[str, tuple[str, int]]:
    columns = ["key", "writer", "row"]
    held: dict[str, tuple[str, int]] = {}
    for part in large:
        for row in part.read_range(low, high, columns).to_pylist():
            held[row["key"]] = min(row_order(row), held.get(row["key"], row_order(row)))
    return held


def _is_held(rows: pa.Table, at: int, key: str, held: dict[str, tuple[str, int]]) -> bool:
    if key not in held:
        return False
    return held[key] <= (rows["writer"][at].as_py(), rows["row"][at].as_py())


# ── Changing the store ───────────────────────────────────────────────────────────────


def _publish(root: Location, merged: pa.Table, before: Step) -> None:
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    before("publish")
    parts_folder(root).write_whole(f"{stamp}-{secrets.token_hex(4)}.parquet", part_buffer(merged))
    before("published")


def _retired(root: Location, sources: Sequence[_Source]) -> Iterator[None]:
    """Take the sources away one by one; several at once where each is a few requests."""
    if root.is_local:
        for source in sources:
            _retire(root, source)
            yield
        return
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for deleting in [pool.submit(_retire, root, source) for source in sources]:
            yield deleting.result()


def _retire(root: Location, source: _Source) -> None:
    if source.is_damaged:
        source.folder.move(source.file.name, root.child("responses", "damaged"))
    else:
        source.folder.delete(source.file.name)
