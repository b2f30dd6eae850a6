"""The journal of answered calls: append one durably, find one by its key.

Many processes share one journal. Each writes files of its own (`writer.py`) and reads
everyone's through an index of keys; a text is read only when its row is asked for.

    responses/journal/WRITER.arrow       one file a writer, appended to
    responses/parts/NAME.parquet         what compaction made of such files
"""

from __future__ import annotations

import logging
import os
import threading
import weakref
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self, TypeAlias

import numpy as np
import pyarrow as pa

from ifbench import schemas
from ifbench.errors import StoreError
from ifbench.store.index import KeyIndex, Place, fingerprint, fingerprints
from ifbench.store.location import Location, resolve
from ifbench.store.part_file import PartFile
from ifbench.store.stream_file import StreamFile
from ifbench.store.writer import GroupWriter, new_writer_name
from ifbench.types import Response

_log = logging.getLogger(__name__)

Found: TypeAlias = dict[str, schemas.Row]
_LISTINGS = 5
"""Tries of listing a folder that others change until two listings agree."""


def journal_folder(root: Location) -> Location:
    """Where writers put their files."""
    return root.child("responses", "journal")


def parts_folder(root: Location) -> Location:
    """Where compaction puts its parts."""
    return root.child("responses", "parts")


class Journal:
    """All answered calls of a store. Any thread may use it.

    A copy made by pickle or fork is a new writer with a file of its own.
    """

    def __init__(self, uri: str | Location, writer: str | None = None) -> None:
        """Read the keys of all that is stored; nothing is written before the first append.

        Raises StoreError for a store that cannot be read and for a file of an unknown version.
        """
        self._root = resolve(uri)
        self._warned: set[tuple[str, str]] = set()
        self._start(writer or new_writer_name(datetime.now(UTC)))
        self.refresh()
        _journals.add(self)

    def _start(self, writer: str) -> None:
        self._lock = threading.RLock()
        self._index = KeyIndex()
        self._files: dict[int, StreamFile | PartFile] = {}
        self._numbers: dict[str, int] = {}
        """The number of each file that is still there, by what messages call it."""
        self._next_number = 0
        self._is_read = False
        self._writer = GroupWriter(journal_folder(self._root), writer, _noting(self))
        # Also runs at the end of the interpreter, so that what is queued is written.
        self._closing = weakref.finalize(self, self._writer.close)

    def __reduce__(self) -> tuple[Any, ...]:
        return Journal, (self._root,)

    def _after_fork(self) -> None:
        """Become another writer; the keys are read again once they are asked for."""
        self._closing.detach()
        self._writer.abandon()
        self._start(new_writer_name(datetime.now(UTC)))

    def _read_once(self) -> None:
        if not self._is_read:
            self.refresh()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __len__(self) -> int:
        """Stored rows; a key that was answered twice counts twice."""
        self._read_once()
        with self._lock:
            return len(self._index)

    # ── Writing ──────────────────────────────────────────────────────────────────────

    def append(self, responses: Sequence[Response]) -> None:
        """Store answers; they are durable when this returns.

        Raises StoreError when they cannot be written (then every later append fails too), and
        ValueError for a response that is not answered: that call is owed and must stay unknown.
        """
        if responses:
            self._put(tuple(responses)).result()

    def append_soon(self, response: Response) -> Future[None]:
        """Store one answer; the future ends when it is durable. Errors as for `append`."""
        return self._put((response,))

    def _put(self, responses: tuple[Response, ...]) -> Future[None]:
        for response in responses:
            if not response.is_answered:
                raise ValueError(
                    f"the response {response.key} failed ({response.failure}); "
                    "only answered calls are stored"
                )
        return self._writer.put(responses)

    def _note(self, file: StreamFile, first: int, keys: Sequence[str]) -> None:
        with self._lock:
            number = self._numbers.get(file.where)
            if number is None:
                number = self._adopt(file)
            self._index.add(np.array(_prints(keys), dtype=np.uint64), number, first)

    def close(self) -> None:
        """Write what is queued and seal the file. Look-up still works."""
        self._closing()

    # ── Reading ──────────────────────────────────────────────────────────────────────

    def stored(self, keys: Iterable[str]) -> frozenset[str]:
        """Those of the keys that the index knows: enough for a plan, and no row is read.

        A key that is not stored is named with a chance of one in 2^64 for each stored row.
        """
        wanted = list(dict.fromkeys(keys))
        self._read_once()
        with self._lock:
            places = self._index.find(_prints(wanted))
        return frozenset(key for key, found in zip(wanted, places, strict=True) if found)

    def lookup(self, keys: Iterable[str]) -> Mapping[str, Response]:
        """The stored answers under these keys; what is missing is left out.

        Of several answers under one key the first counts: by writer's name, then row.
        """
        wanted = list(dict.fromkeys(keys))
        if not wanted:
            return {}
        self._read_once()
        for _ in range(_LISTINGS):
            try:
                return self._to_responses(self._read_rows(wanted))
            except FileNotFoundError:  # Merged into a part since the index was made.
                self.refresh()
        raise StoreError(f"{self._root.uri}: files vanish faster than they can be read")

    def _read_rows(self, keys: Sequence[str]) -> Found:
        with self._lock:
            places = self._index.find(_prints(keys))
            by_file = _group(places)
            files = {number: self._files[number] for number in by_file}
        wanted = set(keys)
        found: Found = {}
        for number, rows in by_file.items():
            for at, row in files[number].read(rows):
                if row is None:
                    self._warn(files[number].where, f"row {at}", "it is damaged")
                elif (key := schemas.unescape(row["key"])) in wanted:
                    found[key] = min(row, found.get(key, row), key=row_order)
        return found

    def _to_responses(self, found: Found) -> dict[str, Response]:
        try:
            return {key: schemas.row_to_response(row) for key, row in found.items()}
        except ValueError as error:  # Its sum is right, so it is no damage.
            raise StoreError(
                f"{self._root.uri}: a stored answer is not understood: {error}"
            ) from error

    def refresh(self) -> None:
        """Take in what other writers have stored since. Raises StoreError."""
        with self._lock:
            for _ in range(_LISTINGS):
                try:
                    self._refresh()
                except FileNotFoundError:  # Compaction took a file away after the listing.
                    continue
                except (OSError, pa.ArrowException) as error:
                    raise StoreError(
                        f"{self._root.uri}: the store cannot be read: {error}"
                    ) from error
                self._is_read = True
                return
        raise StoreError(f"{self._root.uri}: files vanish faster than they can be listed")

    def _refresh(self) -> None:
        streams, parts = _list(self._root)
        self._forget(set(streams) | set(parts))
        for where, (folder, name) in parts.items():
            if where not in self._numbers:
                part = PartFile(folder, name)
                prints = fingerprints(part.keys())
                self._index.add(prints, self._adopt(part), 0)
        for where, (folder, name) in streams.items():
            if not self._is_own(name):
                self._scan(where, folder, name)

    def _forget(self, present: set[str]) -> None:
        gone = [number for where, number in self._numbers.items() if where not in present]
        if gone:
            self._index.drop(gone)
            self._files = {n: f for n, f in self._files.items() if n not in gone}
            self._numbers = {w: n for w, n in self._numbers.items() if w in present}

    def _scan(self, where: str, folder: Location, name: str) -> None:
        number = self._numbers.get(where)
        file = StreamFile(folder, name) if number is None else self._files[number]
        assert isinstance(file, StreamFile)
        first = file.rows
        keys, damages = file.scan()
        for damage in damages:
            self._warn(where, f"byte {damage.offset}", damage.reason)
        number = self._adopt(file) if number is None else number
        self._index.add(fingerprints(keys), number, first)

    def _is_own(self, name: str) -> bool:
        stem = name.removesuffix(".arrow")
        writer, _, count = stem.rpartition("-")
        return self._writer.name in (stem, writer if count.isdigit() else stem)

    def _adopt(self, file: StreamFile | PartFile) -> int:
        number, self._next_number = self._next_number, self._next_number + 1
        self._files[number] = file
        self._numbers[file.where] = number
        return number

    def _warn(self, where: str, place: str, reason: str) -> None:
        with self._lock:
            if (where, place) in self._warned:
                return
            self._warned.add((where, place))
        _log.warning("%s: from %s: %s; what is lost there is asked again", where, place, reason)


def _prints(keys: Iterable[str]) -> list[int]:
    return [fingerprint(schemas.escape(key)) for key in keys]


def row_order(row: schemas.Row) -> tuple[str, int]:
    """Of rows under one key the least counts: by writer (so by time), then by row."""
    return row["writer"], row["row"]


def _group(places: Iterable[Iterable[Place]]) -> dict[int, list[int]]:
    by_file: dict[int, list[int]] = {}
    for several in places:
        for place in several:
            by_file.setdefault(place.file, []).append(place.row)
    return by_file


_Listing: TypeAlias = dict[str, tuple[Location, str]]


def _list(root: Location) -> tuple[_Listing, _Listing]:
    """Journal files, then parts: a journal file missing here is in a part that is not."""
    streams = _entries(journal_folder(root), ".arrow")
    parts = _entries(parts_folder(root), ".parquet")
    for _ in range(_LISTINGS):  # A listing may miss a part that replaces two others meanwhile.
        again = _entries(parts_folder(root), ".parquet")
        if again.keys() == parts.keys():
            break
        parts = again
    return streams, parts


def _entries(folder: Location, suffix: str) -> _Listing:
    return {f"{folder.uri}/{name}": (folder, name) for name in sorted(folder.files(suffix))}


def _noting(journal: Journal) -> Any:
    """The journal's own note of a written batch, without keeping the journal alive."""
    reference = weakref.ref(journal)

    def note(file: StreamFile, first: int, keys: Sequence[str]) -> None:
        alive = reference()
        if alive is not None:
            alive._note(file, first, keys)  # noqa: SLF001 (its own)

    return note


_journals: weakref.WeakSet[Journal] = weakref.WeakSet()


def _renew_after_fork() -> None:
    for journal in list(_journals):
        journal._after_fork()  # noqa: SLF001 (its own)


os.register_at_fork(after_in_child=_renew_after_fork)
