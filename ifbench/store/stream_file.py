"""Journal files: Arrow IPC streams of `responses`, read message by message.

A stream grows only at its end and is read while it grows, so a reader keeps the place of each
batch and goes on from the last whole one. Damage costs the batch that it is in: behind it the
reader looks for the next message.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import pyarrow as pa

from ifbench import schemas
from ifbench.store.location import Location, is_locked

_NO_KEYS = schemas.rows_to_batch([]).column("key")
END_OF_STREAM = b"\xff\xff\xff\xff\x00\x00\x00\x00"
_MARK = b"\xff\xff\xff\xff"
_CHUNK_BYTES = 8 << 20
_BAD_MESSAGE = (pa.ArrowException, OSError, EOFError, KeyError, ValueError)
"""What Arrow raises for a message that is cut off or damaged."""


class State(StrEnum):
    """Who may still write to a file."""

    SEALED = "sealed"
    """Its writer closed it."""
    LIVE = "live"
    """A writer on this file system holds it."""
    ABANDONED = "abandoned"
    """Its writer is gone."""
    UNKNOWN = "unknown"
    """No end of stream, and no lock that could be asked."""


@dataclass(frozen=True, slots=True)
class Damage:
    """Bytes of a file that hold no row that can be read."""

    offset: int
    length: int
    reason: str


@dataclass(slots=True)
class StreamFile:
    """What is known of one journal file: where its batches are and how far it was read."""

    folder: Location
    name: str
    offsets: array[int] = field(default_factory=lambda: array("q"))
    lengths: array[int] = field(default_factory=lambda: array("q"))
    starts: array[int] = field(default_factory=lambda: array("q"))
    """For each batch the number of rows before it."""
    rows: int = 0
    scanned: int = 0
    """Bytes that need not be read again."""
    schema: pa.Schema | None = None
    state: State = State.UNKNOWN

    @property
    def where(self) -> str:
        """How messages call the file."""
        return f"{self.folder.uri}/{self.name}"

    def add_batch(self, offset: int, length: int, rows: int) -> int:
        """Note a batch; returns the number of its first row."""
        first = self.rows
        self.offsets.append(offset)
        self.lengths.append(length)
        self.starts.append(first)
        self.rows += rows
        return first

    def scan(self) -> tuple[pa.Array, tuple[Damage, ...]]:
        """The keys of the rows that came since the last scan, and what could not be read.

        Raises FileNotFoundError when the file is gone, StoreError for an unknown version.
        """
        damages: list[Damage] = []
        if self.state != State.SEALED:
            # Asked before reading: a writer that ends in between has then written all it will.
            self.state = self._state()
        keys = [batch.column("key") for batch in self.batches(damages)]
        whole = pa.concat_arrays(keys) if keys else _NO_KEYS
        return whole, tuple(damages)

    def _state(self) -> State:
        held = is_locked(self.folder.file(self.name)) if self.folder.is_local else None
        return {True: State.LIVE, False: State.ABANDONED, None: State.UNKNOWN}[held]

    def batches(self, damages: list[Damage]) -> Iterator[pa.RecordBatch]:
        """The batches behind `scanned`, their keys validated; adds what is damaged to `damages`."""
        with self.folder.open_file(self.name) as source:
            size = source.size()
            wanted = _CHUNK_BYTES
            while self.scanned < size and self.state != State.SEALED:
                data = source.read_at(min(wanted, size - self.scanned), self.scanned)
                is_tail = self.scanned + len(data) >= size
                before = self.scanned
                yield from self._read_chunk(data)
                if self.scanned > before:
                    wanted = _CHUNK_BYTES
                elif not is_tail:
                    wanted *= 4  # One message is longer than the chunk.
                elif not self._skip_damage(data, damages):
                    return

    def _read_chunk(self, data: bytes) -> Iterator[pa.RecordBatch]:
        whole = pa.py_buffer(data)
        at = 0
        while at < whole.size and self.state != State.SEALED:
            if data[at : at + 8] == END_OF_STREAM:
                self.state = State.SEALED
                self.scanned += 8
                return
            message = _read_message(whole.slice(at))
            if message is None:
                return
            length, content = message
            batch = self._decode(content, length)
            if isinstance(content, pa.Schema):
                if not self._takes(content):
                    return
            elif batch is None:
                return
            else:
                self.add_batch(self.scanned, length, batch.num_rows)
            at += length
            self.scanned += length
            if batch is not None:
                yield batch

    def _takes(self, schema: pa.Schema) -> bool:
        try:
            schemas.file_version(schema, "responses", self.where)
        except schemas.UnlabelledError:
            return False
        self.schema = schema
        return True

    def _decode(self, content: Any, length: int) -> pa.RecordBatch | None:
        if self.schema is None or isinstance(content, pa.Schema):
            return None
        return _decode_batch(content, self.schema, length)

    def _skip_damage(self, data: bytes, damages: list[Damage]) -> bool:
        """Move behind the damage at the start of `data`, the rest of the file."""
        offset = self.scanned
        if self.schema is None:
            return self._give_up(data, damages, "it does not begin with a readable schema")
        at = data.find(_MARK, 8)
        while at >= 0:
            if at % 8 == 0 and self._is_message(data, at):
                damages.append(Damage(offset, at, "the bytes are damaged"))
                self.scanned += at
                return True
            at = data.find(_MARK, at + 1)
        return self._give_up(data, damages, "the last batch is cut off")

    def _is_message(self, data: bytes, at: int) -> bool:
        if data[at : at + 8] == END_OF_STREAM:
            return at + 8 == len(data)
        message = _read_message(pa.py_buffer(data).slice(at))
        return message is not None and self._decode(message[1], message[0]) is not None

    def _give_up(self, data: bytes, damages: list[Damage], reason: str) -> bool:
        # What a live writer has half written is no damage; without locks it may yet be written.
        if self.state != State.LIVE:
            damages.append(Damage(self.scanned, len(data), reason))
        if self.state == State.ABANDONED:
            self.scanned += len(data)
        return False

    def read(self, rows: Sequence[int]) -> list[tuple[int, schemas.Row | None]]:
        """Some rows by number, each with its content, or None where that is damaged.

        Only the batches of those rows are read. Raises FileNotFoundError.
        """
        by_batch: dict[int, list[int]] = {}
        for row in sorted(rows):
            by_batch.setdefault(bisect_right(self.starts, row) - 1, []).append(row)
        found: list[tuple[int, schemas.Row | None]] = []
        with self.folder.open_file(self.name) as source:
            for number, wanted in by_batch.items():
                data = source.read_at(self.lengths[number], self.offsets[number])
                first = self.starts[number]
                contents = self._read_rows(data, [row - first for row in wanted])
                found.extend(zip(wanted, contents, strict=True))
        return found

    def _read_rows(self, data: bytes, rows: Sequence[int]) -> list[schemas.Row | None]:
        message = _read_message(pa.py_buffer(data))
        batch = None if message is None else self._decode(message[1], message[0])
        if batch is None:
            return [None] * len(rows)
        return sound_rows(pa.Table.from_batches([batch]), rows, self.where)


def _read_message(data: pa.Buffer) -> tuple[int, Any] | None:
    """The length and the content (a schema or a batch message) of the message at the start."""
    source = pa.BufferReader(data)
    try:
        message = pa.ipc.read_message(source)
        content = pa.ipc.read_schema(message) if message.type == "schema" else message
    except _BAD_MESSAGE:
        return None
    return source.tell(), content


def _decode_batch(message: Any, schema: pa.Schema, length: int) -> pa.RecordBatch | None:
    """The batch, unless its frame or its keys are damaged."""
    try:
        batch = pa.ipc.read_record_batch(message, schema)
        keys = batch.column("key")
        keys.validate(full=True)
        # A damaged length may swallow the messages behind it: then the sizes differ.
        is_whole = pa.ipc.get_record_batch_size(batch) == length and keys.null_count == 0
    except _BAD_MESSAGE:
        return None
    return batch if is_whole else None


def sound_rows(stored: pa.Table, rows: Sequence[int], where: str) -> list[schemas.Row | None]:
    """Rows of a `responses` table as it was stored; None for each that is damaged."""
    try:
        # Before anything is read: offsets that lie would lead out of the file's memory.
        stored.validate(full=True)
        return [_if_sound(row) for row in _upgraded(_picked(stored, rows), where)]
    except _BAD_MESSAGE:
        if len(rows) == stored.num_rows == 1:
            return [None]
    return [sound_rows(stored.slice(row, 1), [0], where)[0] for row in rows]


def _picked(stored: pa.Table, rows: Sequence[int]) -> pa.Table:
    is_run = len(rows) > 0 and list(rows) == list(range(rows[0], rows[0] + len(rows)))
    return stored.slice(rows[0], len(rows)) if is_run else stored.take(schemas.indices(rows))


def _upgraded(stored: pa.Table, where: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = schemas.upgraded(stored, "responses", where).to_pylist()
    return rows


def _if_sound(row: schemas.Row) -> schemas.Row | None:
    try:
        return row if schemas.row_crc(row) == row["crc32"] else None
    except UnicodeError:
        return None
