"""The writing half of a journal: one thread that makes whatever is queued durable at once.

While one batch is on its way to the disk, the next one gathers. So a row that somebody stands and
waits for waits for one commit, and many rows share one. Rows of callers who go on meanwhile gather
a little longer where commits follow each other closely: a commit costs what ten rows do.
"""

from __future__ import annotations

import logging
import os
import queue
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol, TypeAlias

import pyarrow as pa

from ifbench import schemas
from ifbench.errors import StoreError
from ifbench.store.location import Location, lock, sync_folder
from ifbench.store.objects import told
from ifbench.store.stream_file import END_OF_STREAM, State, StreamFile
from ifbench.types import Response

_log = logging.getLogger(__name__)

MAX_BATCH_ROWS = 256
MAX_BATCH_BYTES = 1 << 20
"""A batch takes no further row once it holds this much text: a look-up reads all of it."""
OBJECT_LINGER_S = 0.2
"""On an object store: how long a batch gathers before it is put, as each put is an object."""
LINGER_S = 0.01
"""On a disk: how long a batch gathers that nobody stands and waits for, where the last one was less
than `BUSY_S` ago."""
BUSY_S = 0.05

_sync = getattr(os, "fdatasync", os.fsync)


def new_writer_name(now: datetime, session: str = "") -> str:
    """A name that no other writer has: when, where, which process, which session, and chance."""
    host = "".join(c if c.isalnum() else "-" for c in socket.gethostname())[:40]
    stamp = now.astimezone(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    return f"{stamp}-{host}-{os.getpid()}{session_mark(session)}-{secrets.token_hex(4)}"


def session_mark(session: str) -> str:
    """What the names of a session's writers hold."""
    return f"-s{session}" if session else ""


class Sink(Protocol):
    """Where batches go. Errors are OSError and Arrow's."""

    def write(self, batch: pa.RecordBatch) -> tuple[StreamFile, int]:
        """Make a batch durable; returns its file and the number of its first row."""
        ...

    def close(self) -> None:
        """Mark the end, so that the file may be merged."""
        ...

    def abandon(self) -> None:
        """Let go of the file and write nothing more."""
        ...


class AppendedFile:
    """One local stream file, locked while it is open. It shows up only once it is locked."""

    def __init__(self, folder: Location, writer: str) -> None:
        """Create the file. Raises FileExistsError for a writer's name that was used before."""
        self._file = StreamFile(folder, f"{writer}.arrow", schema=schemas.RESPONSES)
        self._file.state = State.LIVE
        path = folder.file(self._file.name)
        Path(folder.path).mkdir(parents=True, exist_ok=True)
        staged = folder.file(f".{self._file.name}.tmp")
        self._handle = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
        try:
            lock(self._handle)
            self._file.scanned = self._put(schemas.RESPONSES.serialize())
            _refuse_reuse(path)
            os.rename(staged, path)  # noqa: PTH104 (paths here are Arrow's strings)
            sync_folder(folder.path)
        except BaseException:
            os.close(self._handle)
            raise
        finally:
            Path(staged).unlink(missing_ok=True)

    def write(self, batch: pa.RecordBatch) -> tuple[StreamFile, int]:
        offset = self._file.scanned
        length = self._put(batch.serialize())
        if os.fstat(self._handle).st_nlink == 0:
            raise FileNotFoundError(f"{self._file.where} was deleted while it was written")
        self._file.scanned += length
        return self._file, self._file.add_batch(offset, length, batch.num_rows)

    def _put(self, data: pa.Buffer | bytes) -> int:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._handle, rest) :]
        _sync(self._handle)
        return len(memoryview(data))

    def close(self) -> None:
        try:
            self._put(END_OF_STREAM)
            self._file.state = State.SEALED
        finally:
            self.abandon()

    def abandon(self) -> None:
        os.close(self._handle)


def _refuse_reuse(path: str) -> None:
    if Path(path).exists():
        raise FileExistsError(f"{path} exists: a writer's name is used once")


class PutObjects:
    """One small sealed stream for each batch, for stores that cannot append."""

    def __init__(self, folder: Location, writer: str) -> None:
        self._folder = folder
        self._writer = writer
        self._count = 0
        self._schema = schemas.RESPONSES.serialize().to_pybytes()

    def write(self, batch: pa.RecordBatch) -> tuple[StreamFile, int]:
        name = f"{self._writer}-{self._count:06d}.arrow"
        body = batch.serialize().to_pybytes()
        whole = self._schema + body + END_OF_STREAM
        self._folder.write_whole(name, whole)
        self._count += 1
        if self._folder.copies is not None:
            self._folder.copies.add(self._folder.file(name), whole)
        file = StreamFile(self._folder, name, schema=schemas.RESPONSES, state=State.SEALED)
        return file, file.add_batch(len(self._schema), len(body), batch.num_rows)

    def close(self) -> None:
        """Nothing is left to do: each object was sealed when it was put."""

    def abandon(self) -> None:
        """Nothing is held."""


class _Aside:
    """Keeps on this machine what came in after the store failed. Its file is made when needed."""

    def __init__(self, folder: Location, writer: str) -> None:
        self._folder = folder
        self._name = f"{writer}-kept"
        self._file: AppendedFile | None = None
        self._kept = self._lost = 0
        self._reason = ""

    def keep(self, batch: pa.RecordBatch) -> None:
        try:
            if self._file is None:
                self._file = AppendedFile(self._folder, self._name)
            self._file.write(batch)
        except (OSError, pa.ArrowException) as error:
            self._lost += batch.num_rows
            self._reason = str(error)
        else:
            self._kept += batch.num_rows

    @property
    def told(self) -> str:
        """What became of the answers, for the end of a message."""
        path = self._folder.path
        kept = f"; answers still in flight are kept in {path} and taken in then"
        lost = f"; {self._lost} answers could not be kept in {path} either ({self._reason})"
        return (kept if self._kept else "") + (lost if self._lost else "")

    def close(self) -> None:
        if self._kept or self._lost:
            _log.warning(
                "%s: the store did not take %d answers; %d of them are kept there, and the next "
                "command on this machine takes them in%s",
                self._folder.path,
                self._kept + self._lost,
                self._kept,
                f"; the others have to be asked again: {self._reason}" if self._lost else "",
            )
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):
                file.close()

    def abandon(self) -> None:
        if self._file is not None:
            self._file.abandon()


Written: TypeAlias = Callable[[StreamFile, int, Sequence[str]], None]
"""Told of each durable batch: its file, its first row's number there, the keys of its rows."""


@dataclass(frozen=True, slots=True)
class _Order:
    rows: Sequence[Response]
    done: Future[None]
    is_urgent: bool = True
    """False where the caller goes on with other things meanwhile."""

    @property
    def size(self) -> int:
        return sum(len(row.text) + len(row.reasoning) for row in self.rows)


class GroupWriter:
    """Owns the thread and the sink. The sink is made with the first row: no row, no file."""

    def __init__(self, folder: Location, writer: str, written: Written, *, aside: Location) -> None:
        """Answers that `folder` does not take go to `aside`, a local folder."""
        self.name = writer
        self._folder = folder
        self._aside = _Aside(aside, writer)
        self._written = written
        self._orders: queue.SimpleQueue[_Order | None] = queue.SimpleQueue()
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self._sink: Sink | None = None
        self._at_work: Sequence[_Order] = ()
        self._rows = 0
        self._committed_at = -BUSY_S
        self._error: StoreError | None = None
        self._is_closed = self._has_ended = False

    def put(self, rows: Sequence[Response], *, is_urgent: bool = True) -> Future[None]:
        """Queue rows; the future ends when they are durable.

        Once the store has failed, each row is still set aside, as it was paid for, and its future
        ends with StoreError after that. Raises StoreError once closed.
        """
        done: Future[None] = Future()
        done.set_running_or_notify_cancel()  # It was paid for: nobody can call it back.
        with self._guard:
            if self._is_closed:
                raise StoreError(f"{self._folder.uri}: the journal is closed")
            if self._has_ended:  # By a bug: else it takes orders until it is closed.
                raise StoreError(str(self._error))
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="ifbench-journal", daemon=True
                )
                self._thread.start()
            self._orders.put(_Order(rows, done, is_urgent))
        return done

    def close(self) -> None:
        """Write what is queued and seal the file. A second call does nothing."""
        with self._guard:
            thread, was_closed, self._is_closed = self._thread, self._is_closed, True
            if thread is not None and not was_closed:
                self._orders.put(None)
        if thread is not None:
            thread.join()

    def abandon(self) -> None:
        """In a forked child: let go of the parent's file, whose lock the child would keep."""
        with suppress(OSError):
            self._aside.abandon()
        if self._sink is not None:
            with suppress(OSError):
                self._sink.abandon()

    def _run(self) -> None:
        try:
            self._work()
        finally:  # Nobody may wait for ever, not even for a thread that a bug has ended.
            error = self._fail(RuntimeError("the journal's thread has ended"))
            with self._guard:
                self._has_ended = True
            for order in (*self._at_work, *self._left()):
                if not order.done.done():
                    order.done.set_exception(StoreError(str(error)))

    def _left(self) -> Iterator[_Order]:
        with suppress(queue.Empty):
            while True:
                order = self._orders.get_nowait()
                if order is not None:
                    yield order

    def _work(self) -> None:
        is_open = True
        while is_open:
            self._at_work, is_open = self._gather()
            self._commit(self._at_work)
        self._aside.close()
        sink, self._sink = self._sink, None
        if sink is not None:
            try:
                sink.close() if self._error is None else sink.abandon()
            except (OSError, pa.ArrowException) as error:
                self._fail(error)

    def _gather(self) -> tuple[list[_Order], bool]:
        first = self._orders.get()
        if first is None:
            return [], False
        if (seconds := self._linger_s(first)) and not self._is_closed and self._error is None:
            time.sleep(seconds)
        orders, rows, size = [first], len(first.rows), first.size
        while rows < MAX_BATCH_ROWS and size < MAX_BATCH_BYTES:
            try:
                order = self._orders.get_nowait()
            except queue.Empty:
                return orders, True
            if order is None:
                return orders, False
            orders.append(order)
            rows, size = rows + len(order.rows), size + order.size
        return orders, True

    def _linger_s(self, first: _Order) -> float:
        if not self._folder.is_local:
            return OBJECT_LINGER_S
        is_busy = time.monotonic() - self._committed_at < BUSY_S
        return LINGER_S if is_busy and not first.is_urgent else 0.0

    def _commit(self, orders: Sequence[_Order]) -> None:
        error = self._write(orders)
        self._committed_at = time.monotonic()
        if error is not None:
            for order in orders:
                order.done.set_exception(StoreError(str(error)))

    def _write(self, orders: Sequence[_Order]) -> StoreError | None:
        responses = [response for order in orders for response in order.rows]
        if not responses:
            return None
        try:
            batch = self._batch(responses)
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            self._refuse(orders, error)
            return None
        self._rows += len(responses)
        if self._error is not None:
            self._aside.keep(batch)
            return self._with_aside(self._error)
        try:
            file, first = self._open_sink().write(batch)
        except (OSError, pa.ArrowException) as error:
            self._aside.keep(batch)
            return self._with_aside(self._fail(error))
        self._written(file, first, [response.key for response in responses])
        for order in orders:
            order.done.set_result(None)
        return None

    def _batch(self, responses: Sequence[Response]) -> pa.RecordBatch:
        return schemas.rows_to_batch(
            [
                schemas.response_to_row(response, self.name, row)
                for row, response in enumerate(responses, self._rows)
            ]
        )

    def _refuse(self, orders: Sequence[_Order], error: Exception) -> None:
        """One row that no column can hold fails alone; its neighbours are written."""
        if len(orders) == 1:
            orders[0].done.set_exception(ValueError(f"a response cannot be stored: {error}"))
            return
        for order in orders:
            self._commit([order])

    def _open_sink(self) -> Sink:
        if self._sink is None:
            make = AppendedFile if self._folder.is_local else PutObjects
            self._sink = make(self._folder, self.name)
        return self._sink

    def _fail(self, error: Exception) -> StoreError:
        with self._guard:
            self._error = self._error or StoreError(
                f"{self._folder.uri}: answers can no longer be stored: {told(error)}; "
                f"mend the {'disk' if self._folder.is_local else 'store'} and give the same "
                "command again"
            )
            return self._error

    def _with_aside(self, error: StoreError) -> StoreError:
        """The error, with what has become so far of the answers that came in after it."""
        return StoreError(f"{error}{self._aside.told}")
