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
import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self, TypeAlias

import numpy as np
import pyarrow as pa

from ifbench import schemas
from ifbench.errors import StoreError
from ifbench.store.aside import spill_folder
from ifbench.store.copies import Copies
from ifbench.store.index import KeyIndex, Place, fingerprint, fingerprints
from ifbench.store.location import Location, resolve
from ifbench.store.objects import told
from ifbench.store.part_file import PartFile
from ifbench.store.stream_file import StreamFile
from ifbench.store.writer import GroupWriter, new_writer_name, session_mark
from ifbench.types import Response

_log = logging.getLogger(__name__)

Found: TypeAlias = dict[str, schemas.Row]
FOLLOW_S = 0.05
"""How often a look-up that misses looks for what others have stored."""
FOLLOW_OBJECTS_S = 5.0
"""The same on object stores, where it is three requests and one for each new object."""
_FOLLOW_SHARE = 20
"""A look around pauses so many times as long as it took: at most 5 % of the time goes there."""
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
        self._root = _copying(resolve(uri))
        self._start(writer or self._new_name())
        self.refresh()
        _journals.add(self)

    def _start(self, writer: str) -> None:
        self._lock = threading.RLock()
        self._refreshing = threading.Lock()
        self._next_look = 0.0
        self._index = KeyIndex()
        self._files: dict[int, StreamFile | PartFile] = {}
        self._numbers: dict[str, int] = {}
        """The number of each file that is still there, by what messages call it."""
        self._next_number = 0
        self._is_read = False
        self._writer = GroupWriter(
            journal_folder(self._root), writer, _noting(self), aside=spill_folder(self._root)
        )
        # Also runs at the end of the interpreter, so that what is queued is written.
        self._closing = weakref.finalize(self, self._writer.close)

    def __reduce__(self) -> tuple[Any, ...]:
        return Journal, (self._root,)

    def _after_fork(self) -> None:
        """Become another writer; the keys are read again once they are asked for."""
        self._closing.detach()
        self._writer.abandon()
        self._root = _copying(self._root)
        self._start(self._new_name())

    def _new_name(self) -> str:
        return new_writer_name(datetime.now(UTC), self._root.session)

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
        """Store one answer; the future ends when it is durable, or with what `append` raises.

        Then it has been set aside where that can be done: see `GroupWriter.put`.
        """
        return self._put((response,), is_urgent=False)

    def _put(self, responses: tuple[Response, ...], *, is_urgent: bool = True) -> Future[None]:
        for response in responses:
            if not response.is_answered:
                raise ValueError(
                    f"the response {response.key} failed ({response.failure}); "
                    "only answered calls are stored"
                )
        return self._writer.put(responses, is_urgent=is_urgent)

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

        Of several answers under one key the first counts: by writer's name, then row. A key
        that is missing is looked for in what others have stored lately (see `_follow`).
        """
        wanted = list(dict.fromkeys(keys))
        if not wanted:
            return {}
        self._read_once()
        found = self._look_up(wanted)
        if len(found) < len(wanted) and self._follow():
            found = self._look_up(wanted)
        return found

    def _look_up(self, wanted: Sequence[str]) -> dict[str, Response]:
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
        self._take_in_others(is_followed=lambda _: True)

    def _follow(self) -> bool:
        """Take in what others have stored lately, if it is time; True when it is known now.

        On object stores this happens in the background and leaves out the writers of the same
        session: each would have to fetch what all the others have put.
        """
        with self._lock:
            if time.monotonic() < self._next_look:
                return False
            self._next_look = float("inf")
        if self._root.is_local:
            self._look_around(lambda _: True, FOLLOW_S)
            return True
        mark = session_mark(self._root.session)

        def is_followed(name: str) -> bool:
            return not mark or f"{mark}-" not in name

        threading.Thread(
            target=self._look_around,
            args=(is_followed, FOLLOW_OBJECTS_S),
            name="ifbench-journal-follower",
            daemon=True,
        ).start()
        return False

    def _look_around(self, is_followed: Callable[[str], bool], pause_s: float) -> None:
        start = time.monotonic()
        try:
            self._take_in_others(is_followed)
        except StoreError as error:  # To know less costs a call at worst, and no answer.
            _log.debug("what others have stored is not known: %s", error)
        end = time.monotonic()
        self._next_look = end + max(pause_s, _FOLLOW_SHARE * (end - start))

    def _take_in_others(self, is_followed: Callable[[str], bool]) -> None:
        with self._refreshing:
            for _ in range(_LISTINGS):
                try:
                    self._refresh(is_followed)
                except FileNotFoundError:  # Compaction took a file away after the listing.
                    continue
                except (OSError, pa.ArrowException) as error:
                    raise StoreError(
                        f"{self._root.uri}: the store cannot be read: {told(error)}"
                    ) from error
                self._is_read = True
                return
        raise StoreError(f"{self._root.uri}: files vanish faster than they can be listed")

    def _refresh(self, is_followed: Callable[[str], bool]) -> None:
        with self._lock:
            known = set(self._numbers)
        streams, parts = _list(self._root)
        gone = known - set(streams) - set(parts)
        new_parts = {where: part for where, part in parts.items() if where not in known}
        streams = {
            where: (folder, name)
            for where, (folder, name) in streams.items()
            if not self._is_own(name) and (where in known or is_followed(name))
        }
        # All that is slow happens before the lock is taken.
        new_streams = [entry for where, entry in streams.items() if where not in known]
        for folder, names in _by_folder([*new_streams, *new_parts.values()]):
            folder.fetch(names)
        opened = [PartFile(folder, name) for folder, name in new_parts.values()]
        with self._lock:
            self._forget(gone)
            for part in opened:
                prints = fingerprints(part.keys())
                self._index.add(prints, self._adopt(part), 0)
            for where, (folder, name) in streams.items():
                self._scan(where, folder, name)

    def _forget(self, wheres: set[str]) -> None:
        gone = {number for where, number in self._numbers.items() if where in wheres}
        if gone:
            self._index.drop(gone)
            self._files = {n: f for n, f in self._files.items() if n not in gone}
            self._numbers = {w: n for w, n in self._numbers.items() if w not in wheres}

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
        mine = object()
        if _warned.setdefault((where, place), mine) is not mine:  # In one step: threads, forks.
            return
        _log.warning("%s: from %s: %s; what is lost there is asked again", where, place, reason)


_warned: dict[tuple[str, str], object] = {}
"""Files and places of which this process has warned: a command opens a store several times, to look
up what is stored and to work, and damage is told once."""


def _copying(root: Location) -> Location:
    """The same place, with copies of its own: files of object stores never change."""
    return root if root.is_local else replace(root, copies=Copies())


def _by_folder(entries: Iterable[tuple[Location, str]]) -> list[tuple[Location, list[str]]]:
    names: dict[str, tuple[Location, list[str]]] = {}
    for folder, name in entries:
        names.setdefault(folder.path, (folder, []))[1].append(name)
    return list(names.values())


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
