"""The results of runs: verdicts and scores as Parquet, one file a run in each partition.

    results/scores/benchmark=B/candidate=C/judge=J/rules=R/RUN.parquet
    results/verdicts/…                                      likewise

A run's rows stream into a hidden folder, or into one on this machine where the store is on
objects, and are put in their place by `commit`; before that nothing of them can be read. Judges and rules stand side by side, so that a swap keeps the old.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Literal, Self, TypeAlias, TypedDict, Unpack
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import fs

from ifbench import schemas
from ifbench.errors import StoreError
from ifbench.store.location import Location, resolve
from ifbench.store.objects import told
from ifbench.types import CAUSE_OF_FAILURE, Score, Verdict

ResultTable: TypeAlias = Literal["verdicts", "scores"]
_Partition: TypeAlias = tuple[str, str, str, str]

_BUFFER_ROWS = 512
"""Rows of one partition that wait as values; a run holds no more, however long it is."""
_GROUP_BYTES = 1 << 20
"""Then what waits as Arrow is written as one row group. The writer keeps some hundred bytes for
each column of each group until the file is closed: with small groups 150 bytes a trial."""
_PUBLISHING_POLLS = 10
_PUBLISHING_WAIT_S = 0.2
"""Another command may publish the same run; a mark that stays longer was left by a kill."""
_READ_ROWS = 4096
_NAME_BYTES = 200
"""File systems allow 255 bytes for a name."""
_EMPTY = "__HIVE_DEFAULT_PARTITION__"  # How Hive, Spark and Arrow write a missing value.


class Partition(TypedDict, total=False):
    """Which partitions to read; what is left out is not narrowed."""

    benchmark: str
    candidate: str
    judge: str
    rules: str


class ResultsWriter:
    """Takes the verdicts and the score of each trial of one run. Not for several threads."""

    def __init__(self, uri: str | Location, run_id: str, dataset_sha256: str) -> None:
        self._root = resolve(uri)
        self._run_id = checked_run_id(run_id)
        self._dataset_sha256 = dataset_sha256
        self._staging = _staging(self._root, run_id)
        self._scores: dict[_Partition, _StagedFile] = {}
        self._verdicts: dict[_Partition, _StagedFile] = {}

    def add(self, score: Score, verdicts: Sequence[Verdict]) -> None:
        """Add one trial. Raises StoreError when its rows cannot be written."""
        partition = (score.benchmark, score.candidate, score.judge, score.rules)
        if partition not in self._scores:
            self._open(partition)
        self._scores[partition].add((score,))
        self._verdicts[partition].add(verdicts)

    def _open(self, partition: _Partition) -> None:
        number = len(self._scores)
        run = {"run_id": self._run_id, "dataset_sha256": self._dataset_sha256}
        self._scores[partition] = _StagedFile(
            self._staging,
            f"scores-{number}.parquet",
            schemas.SCORES,
            lambda rows: schemas.scores_to_table(rows, **run),
        )
        self._verdicts[partition] = _StagedFile(
            self._staging,
            f"verdicts-{number}.parquet",
            schemas.VERDICTS,
            lambda rows: schemas.verdicts_to_table(
                rows, benchmark=partition[0], judge=partition[2], **run
            ),
        )

    def commit(self) -> None:
        """Make the rows readable, in place of those that this run had published before.

        Raises StoreError. While files move, a mark says so; readers of the run refuse it then.
        """
        for staged in (*self._scores.values(), *self._verdicts.values()):
            staged.finish()
        marks = _marks(self._root)
        mark = f"{self._run_id}.mark"
        name = f"{self._run_id}.parquet"
        try:
            marks.write_whole(mark, b"")
            published = {
                _publish(self._root, table, name, partition, staged)
                for table, files in (("verdicts", self._verdicts), ("scores", self._scores))
                for partition, staged in files.items()
            }
            _delete_others(self._root, name, published)
            marks.delete(mark)
        except OSError as error:
            raise StoreError(
                f"{self._root.uri}: results cannot be published: {told(error)}; the answers are "
                "stored, so give the same command again"
            ) from error
        self.abort()

    def abort(self) -> None:
        """Forget what was not committed."""
        for staged in (*self._scores.values(), *self._verdicts.values()):
            staged.close()
        self._scores.clear()
        self._verdicts.clear()
        self._staging.delete_tree()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.abort()


def _staging(root: Location, run_id: str) -> Location:
    """Where rows wait for `commit`: moved at once on a disk, and put in one piece on objects."""
    if root.is_local:
        return root.child("results", f".{run_id}-{secrets.token_hex(4)}")
    folder = tempfile.mkdtemp(prefix="ifbench-results-")
    return Location(fs.LocalFileSystem(), folder, folder)


class _StagedFile:
    """A Parquet file in the making, a small batch of rows at a time."""

    def __init__(
        self,
        folder: Location,
        name: str,
        schema: pa.Schema,
        to_table: Callable[[Sequence[Any]], pa.Table],
    ) -> None:
        self.folder = folder
        self.name = name
        self._schema = schema
        self._to_table = to_table
        self._rows: list[Any] = []
        self._waiting: list[pa.Table] = []
        self._sink: Any = None
        self._writer: Any = None

    def add(self, rows: Sequence[Any]) -> None:
        self._rows.extend(rows)
        if len(self._rows) >= _BUFFER_ROWS:
            self._pack()
            if sum(table.nbytes for table in self._waiting) >= _GROUP_BYTES:
                self._flush()

    def _pack(self) -> None:
        """Rows that wait as Arrow take a tenth of what they take as values."""
        self._waiting.append(self._to_table(self._rows))
        self._rows.clear()

    def _flush(self) -> None:
        try:
            if self._writer is None:
                self._sink = self.folder.open_stream(self.name)
                self._writer = pq.ParquetWriter(self._sink, self._schema, compression="zstd")
            self._writer.write_table(pa.concat_tables(self._waiting))
        except (OSError, pa.ArrowException) as error:
            raise StoreError(f"{self.folder.uri}: results cannot be written: {error}") from error
        self._waiting.clear()

    def finish(self) -> None:
        """Write the rest and make the file durable; a file without rows is one, too."""
        self._pack()
        self._flush()
        try:
            self.close()
            self.folder.sync(self.name)
        except (OSError, pa.ArrowException) as error:
            raise StoreError(f"{self.folder.uri}: results cannot be written: {error}") from error

    def close(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()
            self._sink.close()


# ── Reading ──────────────────────────────────────────────────────────────────────────


def read_scores(
    uri: str | Location,
    run_id: str | None = None,
    columns: Sequence[str] | None = None,
    **partition: Unpack[Partition],
) -> pa.Table:
    """The scores of one run, or of all runs, as one table of the current schema."""
    return _read(resolve(uri), "scores", run_id, columns, partition)


def read_verdicts(
    uri: str | Location,
    run_id: str | None = None,
    columns: Sequence[str] | None = None,
    **partition: Unpack[Partition],
) -> pa.Table:
    """The verdicts of one run, or of all runs, as one table of the current schema."""
    return _read(resolve(uri), "verdicts", run_id, columns, partition)


def iter_scores(
    uri: str | Location,
    run_id: str | None = None,
    columns: Sequence[str] | None = None,
    **partition: Unpack[Partition],
) -> Iterator[pa.Table]:
    """Like `read_scores`, a few thousand rows at a time."""
    return _iterate(resolve(uri), "scores", run_id, columns, partition)


def iter_verdicts(
    uri: str | Location,
    run_id: str | None = None,
    columns: Sequence[str] | None = None,
    **partition: Unpack[Partition],
) -> Iterator[pa.Table]:
    """Like `read_verdicts`, a few thousand rows at a time."""
    return _iterate(resolve(uri), "verdicts", run_id, columns, partition)


TrialId: TypeAlias = tuple[str, str, int]
"""A sample's id, a candidate's name, and the attempt."""


def trials_with_failed_calls(uri: str | Location, run_id: str, most: int) -> frozenset[TrialId]:
    """Some trials of which a call had failed, or was not made, as a run published its results.

    What has become of them since nobody says here, and of a run without results, or with some
    that cannot be read, nothing is known: it tells where to look first, no more.
    """
    found: list[TrialId] = []
    with suppress(StoreError):
        columns = ("sample_id", "candidate", "attempt", "causes", "ungraded")
        for table in iter_scores(uri, run_id, columns):
            undecided = pc.or_(
                pc.greater(pc.list_value_length(table["causes"]), 0),
                pc.is_valid(table["ungraded"]),
            )
            found += (
                (
                    schemas.unescape(row["sample_id"]),
                    schemas.unescape(row["candidate"]),
                    row["attempt"],
                )
                for row in table.filter(undecided).to_pylist()
                if _ASKED_AGAIN & {*row["causes"], row["ungraded"]}
            )
            if len(found) >= most:
                break
    return frozenset(found[:most])


_ASKED_AGAIN = frozenset(cause.value for cause in CAUSE_OF_FAILURE.values())


def _read(
    root: Location,
    table: ResultTable,
    run_id: str | None,
    columns: Sequence[str] | None,
    partition: Partition,
) -> pa.Table:
    empty = pa.Table.from_batches([], schemas.SCHEMAS[table])
    pieces = list(_iterate(root, table, run_id, columns, partition))
    return pa.concat_tables([empty if columns is None else empty.select(columns), *pieces])


def _iterate(
    root: Location,
    table: ResultTable,
    run_id: str | None,
    columns: Sequence[str] | None,
    partition: Partition,
) -> Iterator[pa.Table]:
    files = [
        (folder, name)
        for folder in _partition_folders(root.child("results", table), partition)
        for name in sorted(folder.files(".parquet"))
        if run_id is None or name == f"{checked_run_id(run_id)}.parquet"
    ]
    half = _half_published(root, {name.removesuffix(".parquet") for _, name in files})
    for folder, name in files:
        if name.removesuffix(".parquet") in half:
            raise StoreError(
                f"{root.uri}: the results of run {name.removesuffix('.parquet')} are only half "
                "published; give its command again"
            )
        yield from _read_file(folder, name, table, columns)


def _half_published(root: Location, runs: set[str]) -> set[str]:
    """Those of the runs whose files are being replaced, after a wait for them to be done."""
    for _ in range(_PUBLISHING_POLLS):
        half = {name.removesuffix(".mark") for name in _marks(root).files(".mark")} & runs
        if not half:
            break
        time.sleep(_PUBLISHING_WAIT_S)
    return half


def _read_file(
    folder: Location, name: str, table: ResultTable, columns: Sequence[str] | None
) -> Iterator[pa.Table]:
    where = f"{folder.uri}/{name}"
    try:
        with folder.filesystem.open_input_file(folder.file(name)) as source:
            file = pq.ParquetFile(source)
            version = schemas.file_version(file.schema_arrow, table, where)
            is_current = version == max(schemas.READERS[table])
            for batch in file.iter_batches(_READ_ROWS, columns=columns if is_current else None):
                piece = schemas.READERS[table][version](pa.Table.from_batches([batch]))
                kept = piece if columns is None else piece.select(columns)
                yield kept.replace_schema_metadata(schemas.SCHEMAS[table].metadata)
    except (OSError, pa.ArrowException) as error:
        raise StoreError(f"{where}: the results cannot be read: {error}") from error


# ── Folders ──────────────────────────────────────────────────────────────────────────


def checked_run_id(run_id: str) -> str:
    """The run's id, if it can be a file's name. Raises ValueError."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}", run_id):
        raise ValueError(f"a run's id is letters, digits, `_`, `-` and `.`, got {run_id!r}")
    return run_id


def encoded(value: str) -> str:
    """A partition's value as part of a folder's name; no two values share one.

    A name that would be too long is cut and ends in a hash; the column in the file is whole.
    """
    name = quote(value, safe="", errors="surrogatepass") or _EMPTY
    if len(name) <= _NAME_BYTES:
        return name
    digest = hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{name[: _NAME_BYTES - 17].rstrip('%')}~{digest}"


def _partition_path(partition: _Partition) -> tuple[str, ...]:
    names = ("benchmark", "candidate", "judge", "rules")
    return tuple(f"{name}={encoded(v)}" for name, v in zip(names, partition, strict=True))


def _partition_folders(top: Location, partition: Partition) -> list[Location]:
    folders = [top]
    for name in ("benchmark", "candidate", "judge", "rules"):
        value = partition.get(name)
        wanted = None if value is None else f"{name}={encoded(str(value))}"
        folders = [
            folder.child(entry)
            for folder in folders
            for entry in folder.folders()
            if entry.startswith(f"{name}=") and wanted in (None, entry)
        ]
    return folders


def _marks(root: Location) -> Location:
    return root.child("results", "publishing")


def _publish(
    root: Location, table: str, name: str, partition: _Partition, staged: _StagedFile
) -> str:
    target = root.child("results", table, *_partition_path(partition))
    if target.is_local:
        staged.folder.move(staged.name, target, name)
    else:
        with pa.memory_map(staged.folder.file(staged.name)) as source:
            target.write_whole(name, source.read_buffer())
    return target.file(name)


def _delete_others(root: Location, name: str, kept: set[str]) -> None:
    for table in ("verdicts", "scores"):
        for folder in _partition_folders(root.child("results", table), Partition()):
            if name in folder.files(".parquet") and folder.file(name) not in kept:
                folder.delete(name)
