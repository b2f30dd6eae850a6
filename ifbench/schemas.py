"""Arrow schemas of the stored tables, and the way of a value into a row and back.

Three tables are stored: `responses` (the journal and its parts), `verdicts` and `scores` (the
results of a run). Each schema is written out and carries its table's name and version; none is
inferred from data. A file of an older version is upgraded by `READERS`; one of a version that
is not in there is refused.

Texts: an Arrow string is UTF-8 and cannot hold a lone surrogate, which a model's text can.
`escape` writes such a character as U+0010 and four hex digits, and U+0010 itself likewise; every
other text is stored as it is, so that any tool can read the column.
"""

from __future__ import annotations

import re
import struct
import sys
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import pyarrow as pa

from ifbench.errors import StoreError
from ifbench.score_table import PARTS, QUESTION, Filling, Part, ScoreTable
from ifbench.types import (
    Cause,
    Evidence,
    Failure,
    FailureKind,
    Outcome,
    Purpose,
    Response,
    Score,
    Stop,
    Usage,
    Verdict,
)

TableName: TypeAlias = Literal["responses", "verdicts", "scores"]
Row: TypeAlias = Mapping[str, Any]
Readers: TypeAlias = Mapping[str, Mapping[int, Callable[[pa.Table], pa.Table]]]


def _schema(table: TableName, version: int, columns: Sequence[pa.Field]) -> pa.Schema:
    return pa.schema(columns, metadata={"ifbench.table": table, "ifbench.version": str(version)})


def _columns(type: pa.DataType, *names: str) -> tuple[pa.Field, ...]:
    return tuple(pa.field(name, type, nullable=False) for name in names)


_YES_NO = pa.list_(pa.bool_())
"""A null stands for undecided."""

RESPONSES: Final = _schema(
    "responses",
    1,
    (
        *_columns(pa.string(), "key", "purpose", "model", "text", "reasoning", "stop"),
        *_columns(pa.int64(), "input_tokens", "output_tokens", "reasoning_tokens", "cached_tokens"),
        *_columns(pa.float64(), "seconds"),
        *_columns(pa.int64(), "tries"),
        *_columns(pa.string(), "returned_model", "fingerprint", "endpoint"),
        pa.field("failure_kind", pa.string()),
        pa.field("failure_message", pa.string()),
        *_columns(pa.string(), "writer"),
        *_columns(pa.int64(), "row"),
        *_columns(pa.uint32(), "crc32"),
    ),
)
"""`writer` and `row` say who wrote the row first and where; they outlive compaction and settle
which of two answers under one key counts. `crc32` is of all other columns."""

VERDICTS: Final = _schema(
    "verdicts",
    2,
    (
        *_columns(pa.string(), "run_id", "dataset_sha256", "benchmark", "judge"),
        *_columns(pa.string(), "sample_id", "candidate"),
        *_columns(pa.int64(), "attempt"),
        *_columns(pa.string(), "aspect"),
        *_columns(pa.int64(), "item"),
        *_columns(pa.string(), "constraint_id", "outcome"),
        pa.field("cause", pa.string()),
        *_columns(_YES_NO, "requirements"),
        *_columns(pa.string(), "grader", "rules", "reason"),
        *_columns(
            pa.list_(
                pa.struct([("start", pa.int64()), ("end", pa.int64()), ("text", pa.string())])
            ),
            "evidence",
        ),
        pa.field("extracted", pa.string()),
        *_columns(pa.list_(pa.string()), "asked"),
        pa.field("grade", pa.string()),
    ),
)
"""Version 2 adds `grade`."""

SCORES: Final = _schema(
    "scores",
    2,
    (
        *_columns(pa.string(), "run_id", "dataset_sha256", "benchmark"),
        *_columns(pa.string(), "sample_id", "candidate"),
        *_columns(pa.int64(), "attempt"),
        *_columns(pa.string(), "judge", "extractor", "grader", "rules"),
        *_columns(pa.list_(pa.string()), "constraints"),
        *_columns(_YES_NO, "satisfied"),
        *_columns(pa.list_(_YES_NO), "requirements"),
        *_columns(_YES_NO, "tasks_done"),
        pa.field("correct", pa.bool_()),
        pa.field("grade", pa.string()),
        pa.field("graded_by", pa.string()),
        pa.field("ungraded", pa.string()),
        *_columns(pa.list_(pa.string()), "causes"),
        *_columns(pa.int64(), "undecided"),
        *_columns(pa.bool_(), "is_complete"),
        *_columns(pa.string(), "response_key", "stop"),
        pa.field("failure", pa.string()),
        *_columns(pa.int64(), "input_tokens", "output_tokens", "reasoning_tokens", "cached_tokens"),
        *_columns(pa.map_(pa.string(), pa.string()), "facets"),
    ),
)
"""`undecided` and `is_complete` are the score's own properties, kept so that a table of what is
complete needs no other column. Version 2 adds `grade`, `graded_by` and `ungraded`."""

SCHEMAS: Mapping[str, pa.Schema] = {
    "responses": RESPONSES,
    "verdicts": VERDICTS,
    "scores": SCORES,
}


# ── Versions ─────────────────────────────────────────────────────────────────────────


def _as_is(table: pa.Table) -> pa.Table:
    return table


def _with_nulls(schema: pa.Schema) -> Callable[[pa.Table], pa.Table]:
    """Upgrade a table that lacks columns in which a null says what was true before them."""

    def upgrade(table: pa.Table) -> pa.Table:
        columns = [
            table[field.name]
            if field.name in table.column_names
            else pa.chunked_array([pa.nulls(table.num_rows, field.type)])
            for field in schema
        ]
        return pa.table(columns, schema=schema)

    return upgrade


READERS: Final[Readers] = {
    "responses": {1: _as_is},
    "verdicts": {1: _with_nulls(VERDICTS), 2: _as_is},
    "scores": {1: _with_nulls(SCORES), 2: _as_is},
}
"""For each version that can be read, the function that makes the current table out of it.
The column `key` of `responses` keeps its name and type in every version."""


class UnlabelledError(StoreError):
    """The file does not say that it holds this table; a damaged file often does not."""


def file_version(
    schema: pa.Schema, table: TableName, where: str, readers: Readers = READERS
) -> int:
    """The version that a file declares, if it is of this table and one that can be read.

    Raises UnlabelledError for a file that is not of this table, StoreError for a version that
    this ifbench does not know.
    """
    metadata = schema.metadata or {}
    name = metadata.get(b"ifbench.table", b"").decode("utf-8", "replace")
    version = metadata.get(b"ifbench.version", b"").decode("utf-8", "replace")
    if name != table or not re.fullmatch(r"[0-9]{1,6}", version):
        raise UnlabelledError(f"{where}: expected the table `{table}`, found `{name or 'no name'}`")
    known = readers[table]
    if int(version) not in known:
        readable = ", ".join(str(number) for number in sorted(known))
        advice = "; a newer ifbench wrote it" if int(version) > max(known) else ""
        raise StoreError(
            f"{where}: `{table}` has schema version {version}, "
            f"this ifbench reads {readable}{advice}"
        )
    if int(version) == max(known) and schema.names != SCHEMAS[table].names:
        raise UnlabelledError(f"{where}: the columns are not those of `{table}` {version}")
    return int(version)


def upgraded(data: pa.Table, table: TableName, where: str, readers: Readers = READERS) -> pa.Table:
    """A stored table of any version that can be read, as the current version."""
    return readers[table][file_version(data.schema, table, where, readers)](data)


# ── Texts ────────────────────────────────────────────────────────────────────────────

_UNSTORABLE = re.compile("[\x10\ud800-\udfff]")
_ESCAPED = re.compile("\x10([0-9a-f]{4})")


def escape(text: str) -> str:
    """The text as an Arrow string can hold it; the same text unless it holds what is escaped."""
    return _UNSTORABLE.sub(lambda found: f"\x10{ord(found[0]):04x}", text)


def unescape(text: str) -> str:
    """What `escape` was given."""
    if "\x10" not in text:
        return text
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


def _escape_or_none(text: str | None) -> str | None:
    return None if text is None else escape(text)


def _unescape_or_none(text: str | None) -> str | None:
    return None if text is None else unescape(text)


# ── Responses ────────────────────────────────────────────────────────────────────────

_CHECKED = tuple(name for name in RESPONSES.names if name != "crc32")


def row_crc(row: Row) -> int:
    """CRC-32 over all columns of a response's row but the sum itself."""
    values = (row[name] for name in _CHECKED)
    words = ("\x00" if v is None else v if isinstance(v, str) else repr(v) for v in values)
    return zlib.crc32("\x1f".join(words).encode())


def response_to_row(response: Response, writer: str, row: int) -> dict[str, Any]:
    """A response as the row number `row` of `writer`."""
    failure = response.failure
    columns: dict[str, Any] = {
        "key": escape(response.key),
        "purpose": response.purpose.value,
        "model": escape(response.model),
        "text": escape(response.text),
        "reasoning": escape(response.reasoning),
        "stop": response.stop.value,
        **_usage_to_columns(response.usage),
        "seconds": float(response.seconds),
        "tries": response.tries,
        "returned_model": escape(response.returned_model),
        "fingerprint": escape(response.fingerprint),
        "endpoint": escape(response.endpoint),
        "failure_kind": None if failure is None else failure.kind.value,
        "failure_message": None if failure is None else escape(failure.message),
        "writer": escape(writer),
        "row": row,
    }
    return {**columns, "crc32": row_crc(columns)}


def row_to_response(row: Row) -> Response:
    """The response in a row. Raises ValueError for a name that its enum does not hold."""
    kind = row["failure_kind"]
    return Response(
        key=unescape(row["key"]),
        purpose=Purpose(row["purpose"]),
        model=unescape(row["model"]),
        text=unescape(row["text"]),
        reasoning=unescape(row["reasoning"]),
        stop=Stop(row["stop"]),
        usage=_columns_to_usage(row),
        seconds=row["seconds"],
        tries=row["tries"],
        returned_model=unescape(row["returned_model"]),
        fingerprint=unescape(row["fingerprint"]),
        endpoint=unescape(row["endpoint"]),
        failure=None
        if kind is None
        else Failure(kind=FailureKind(kind), message=unescape(row["failure_message"])),
    )


def rows_to_batch(rows: Sequence[Row]) -> pa.RecordBatch:
    """Rows of `responses` as one batch. Raises OverflowError for what a column cannot hold."""
    return _batch(rows, RESPONSES)


def _batch(rows: Sequence[Row], schema: pa.Schema) -> pa.RecordBatch:
    arrays = [_array(kind, [row[name] for row in rows]) for name, kind in _fields_of(schema)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _fields_of(schema: pa.Schema) -> Sequence[tuple[str, pa.DataType]]:
    """Names and types of a schema's columns. Arrow makes new objects of them for each who looks."""
    found = _fields.get(id(schema))
    if found is None:
        found = _fields[id(schema)] = (schema, [(field.name, field.type) for field in schema])
    return found[1]


_fields: dict[int, tuple[pa.Schema, Sequence[tuple[str, pa.DataType]]]] = {}
"""By the schema's address; it is held, so that no other comes to lie there."""
_STRING = pa.string()
_NUMBERS = {pa.int64(): "q", pa.uint32(): "I", pa.float64(): "d"}
"""As `struct` calls them."""


def _array(type: pa.DataType, values: Sequence[Any]) -> pa.Array:
    """An array of plain values; a map is a sequence of its pairs.

    `pa.array` would do, but it imports pandas wherever that is installed: half a second of
    processor time and more for each process, and not possible at the end of the interpreter,
    when a journal is still written. Numbers are packed by `struct`: of a batch of few rows, as a
    journal writes them, NumPy would take most of the time.
    """
    if (letter := _NUMBERS.get(type)) is not None:
        return _numbers(type, letter, values)
    if type == _STRING:
        return _texts(values)
    count, known = len(values), _known(values)
    if pa.types.is_struct(type):
        parts = [_array(one.type, [value[one.name] for value in values]) for one in type]
        return pa.Array.from_buffers(type, count, [known], children=parts)
    if pa.types.is_map(type):
        pairs = pa.struct([type.key_field, type.item_field])
        names = (type.key_field.name, type.item_field.name)
        inside = [dict(zip(names, pair, strict=True)) for value in values for pair in value]
        ends = _ends(map(len, values))
        return pa.Array.from_buffers(type, count, [known, ends], children=[_array(pairs, inside)])
    if pa.types.is_list(type):
        inside = [one for value in values for one in value]
        parts = [_array(type.value_type, inside)]
        return pa.Array.from_buffers(type, count, [known, _ends(map(len, values))], children=parts)
    assert type == pa.bool_(), type
    bits = pa.py_buffer(np.packbits(np.array(values, dtype=bool), bitorder="little"))
    return pa.Array.from_buffers(type, count, [known, bits])


def _numbers(type: pa.DataType, letter: str, values: Sequence[Any]) -> pa.Array:
    known = _known(values)
    there = values if known is None else [value or 0 for value in values]
    try:
        data = struct.pack(f"={len(values)}{letter}", *there)
    except struct.error as error:
        raise OverflowError(f"a column of {type} cannot hold one of its values") from error
    return pa.Array.from_buffers(type, len(values), [known, pa.py_buffer(data)])


def _texts(values: Sequence[str | None]) -> pa.Array:
    pieces = [b"" if value is None else value.encode() for value in values]
    buffers = [_known(values), _ends(map(len, pieces)), pa.py_buffer(b"".join(pieces))]
    return pa.Array.from_buffers(_STRING, len(values), buffers)


def _known(values: Sequence[Any]) -> pa.Buffer | None:
    """The bits that say which values are there; `None` where all are."""
    if None not in values:
        return None
    bits = np.array([value is not None for value in values], dtype=bool)
    return pa.py_buffer(np.packbits(bits, bitorder="little"))


def _ends(lengths: Iterable[int]) -> pa.Buffer:
    """Where each of some pieces begins, and the last one ends."""
    ends = [*accumulate(lengths, initial=0)]
    if ends[-1] > _MOST_BYTES:
        raise OverflowError("the texts of one batch are longer than 2 GiB")
    return pa.py_buffer(struct.pack(f"={len(ends)}i", *ends))


_MOST_BYTES = 2**31 - 1


def indices(rows: Sequence[int]) -> pa.Array:
    """Row numbers for `take`, made without pandas."""
    return _array(pa.int64(), rows)


def _usage_to_columns(usage: Usage) -> dict[str, int]:
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
        "cached_tokens": usage.cached_tokens,
    }


def _columns_to_usage(row: Row) -> Usage:
    return Usage(
        input_tokens=row["input_tokens"],
        output_tokens=row["output_tokens"],
        reasoning_tokens=row["reasoning_tokens"],
        cached_tokens=row["cached_tokens"],
    )


# ── Verdicts ─────────────────────────────────────────────────────────────────────────


def verdicts_to_table(
    verdicts: Iterable[Verdict], *, benchmark: str, judge: str, run_id: str, dataset_sha256: str
) -> pa.Table:
    """Verdicts of one run, one benchmark and one judge as a table."""
    of_run = {
        "run_id": run_id,
        "dataset_sha256": dataset_sha256,
        "benchmark": escape(benchmark),
        "judge": escape(judge),
    }
    rows = [{**of_run, **_verdict_to_columns(verdict)} for verdict in verdicts]
    return pa.Table.from_batches([_batch(rows, VERDICTS)])


def _verdict_to_columns(verdict: Verdict) -> dict[str, Any]:
    return {
        "sample_id": escape(verdict.sample_id),
        "candidate": escape(verdict.candidate),
        "attempt": verdict.attempt,
        "aspect": verdict.aspect,
        "item": verdict.item,
        "constraint_id": escape(verdict.constraint_id),
        "outcome": verdict.outcome.value,
        "cause": None if verdict.cause is None else verdict.cause.value,
        "requirements": list(verdict.requirements),
        "grader": escape(verdict.grader),
        "rules": verdict.rules,
        "reason": escape(verdict.reason),
        "evidence": [
            {"start": place.start, "end": place.end, "text": escape(place.text)}
            for place in verdict.evidence
        ],
        "extracted": _escape_or_none(verdict.extracted),
        "asked": [escape(key) for key in verdict.asked],
        "grade": verdict.grade,
    }


def table_to_verdicts(table: pa.Table) -> list[Verdict]:
    """The verdicts in a table of the current version."""
    return [_row_to_verdict(row) for row in table.to_pylist()]


def _row_to_verdict(row: Row) -> Verdict:
    return Verdict(
        sample_id=unescape(row["sample_id"]),
        candidate=unescape(row["candidate"]),
        attempt=row["attempt"],
        aspect=row["aspect"],
        item=row["item"],
        constraint_id=unescape(row["constraint_id"]),
        outcome=Outcome(row["outcome"]),
        cause=None if row["cause"] is None else Cause(row["cause"]),
        requirements=tuple(row["requirements"]),
        grader=unescape(row["grader"]),
        rules=row["rules"],
        reason=unescape(row["reason"]),
        evidence=tuple(
            Evidence(start=place["start"], end=place["end"], text=unescape(place["text"]))
            for place in row["evidence"]
        ),
        extracted=_unescape_or_none(row["extracted"]),
        asked=tuple(unescape(key) for key in row["asked"]),
        grade=row["grade"],
    )


# ── Scores ───────────────────────────────────────────────────────────────────────────


def scores_to_table(scores: Iterable[Score], *, run_id: str, dataset_sha256: str) -> pa.Table:
    """Scores of one run as a table."""
    of_run = {"run_id": run_id, "dataset_sha256": dataset_sha256}
    rows = [{**of_run, **_score_to_columns(score)} for score in scores]
    return pa.Table.from_batches([_batch(rows, SCORES)])


def _score_to_columns(score: Score) -> dict[str, Any]:
    return {
        "benchmark": escape(score.benchmark),
        "sample_id": escape(score.sample_id),
        "candidate": escape(score.candidate),
        "attempt": score.attempt,
        "judge": escape(score.judge),
        "extractor": escape(score.extractor),
        "grader": escape(score.grader),
        "rules": score.rules,
        "constraints": [escape(name) for name in score.constraints],
        "satisfied": list(score.satisfied),
        "requirements": [list(parts) for parts in score.requirements],
        "tasks_done": list(score.tasks_done),
        "correct": score.correct,
        "grade": score.grade,
        "graded_by": score.graded_by,
        "ungraded": None if score.ungraded is None else score.ungraded.value,
        "causes": [cause.value for cause in score.causes],
        "undecided": score.undecided,
        "is_complete": score.is_complete,
        "response_key": escape(score.response_key),
        "stop": score.stop.value,
        "failure": None if score.failure is None else score.failure.value,
        **_usage_to_columns(score.usage),
        "facets": [(escape(name), escape(label)) for name, label in score.facets.items()],
    }


def table_to_scores(table: pa.Table) -> list[Score]:
    """The scores in a table of the current version."""
    return tables_to_scores((table,))


def scores_for_tables(tables: Iterable[pa.Table]) -> ScoreTable:
    """The scores in some tables of the current version, as reports want them, in few bytes each.

    Usage is left out, and a word stands in the place of each response's key: a report asks only
    whether there was one.
    """
    filling = Filling()
    for batch in (one for table in tables for one in table.to_batches(_ROWS_AT_ONCE)):
        identities = (batch.column(name).to_pylist() for name in ("sample_id", "attempt", "facets"))
        parts = [_part(batch, names) for names in PARTS.values()]
        for sample_id, attempt, facets, *common in zip(*identities, *parts, strict=True):
            question = next((unescape(label) for name, label in facets if name == QUESTION), None)
            filling.add((unescape(sample_id), question), attempt, common, _read_part)
    return filling.table()


def _part(batch: pa.RecordBatch, names: Sequence[str]) -> list[tuple[Any, ...]]:
    """Some fields of each score as they are stored, but hashable."""
    known = [name for name in names if name in SCORES.names]
    columns = (map(_FROZEN.get(name, _same), batch.column(name).to_pylist()) for name in known)
    return list(zip(*columns, strict=True))


def _read_part(part: Part, stored: tuple[Any, ...]) -> tuple[Any, ...]:
    if part in _AS_IT_IS:  # Not made anew: there may be one for each sample.
        return stored
    names = (name for name in PARTS[part] if name in SCORES.names)
    read = tuple(_READ[name](value) for name, value in zip(names, stored, strict=True))
    return (*read, Usage()) if part == "answer" else read


_AS_IT_IS: Final[frozenset[Part]] = frozenset({"items", "verdicts"})
"""Parts that `_FROZEN` reads already."""


def _same(value: Any) -> Any:
    return value


@lru_cache(maxsize=1024)
def _once(value: tuple[Any, ...]) -> tuple[Any, ...]:
    """The first of equal tuples: of `(True, False)` and the like one is enough."""
    return value


def _tuples(value: Iterable[Iterable[Any]]) -> tuple[tuple[Any, ...], ...]:
    return tuple(map(tuple, value))


_FROZEN: Final[Mapping[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(("satisfied", "tasks_done", "causes"), tuple),
    "constraints": lambda names: tuple(sys.intern(unescape(name)) for name in names),
    "requirements": lambda parts: tuple(_once(tuple(one)) for one in parts),
    "facets": lambda pairs: tuple(pair for pair in pairs if pair[0] != QUESTION),
    "response_key": lambda key: "stored" if key else "",
}
_READ: Final[Mapping[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(("benchmark", "candidate", "judge", "extractor", "grader"), unescape),
    **dict.fromkeys(("rules", "correct", "grade", "graded_by", "response_key"), _same),
    **dict.fromkeys(("satisfied", "tasks_done"), tuple),
    "requirements": _tuples,
    "constraints": lambda names: tuple(map(unescape, names)),
    "facets": lambda pairs: {unescape(name): unescape(label) for name, label in pairs},
    "ungraded": lambda cause: None if cause is None else Cause(cause),
    "causes": lambda causes: tuple(map(Cause, causes)),
    "stop": Stop,
    "failure": lambda kind: None if kind is None else FailureKind(kind),
}
"""From a column of scores to the field."""


def tables_to_scores(tables: Iterable[pa.Table]) -> list[Score]:
    """The scores in some tables of the current version; parts that are equal are held once.

    Of a million scores most parts are: who judged, what was asked for, how it came out.
    """
    held: dict[tuple[str, Any], Any] = {}

    def once(kind: str, value: Any, made: Any = None) -> Any:
        return held.setdefault((kind, value), value if made is None else made)

    return [
        _row_to_score(row, once)
        for table in tables
        for batch in table.to_batches(max_chunksize=_ROWS_AT_ONCE)
        for row in batch.to_pylist()
    ]


_ROWS_AT_ONCE = 1024
"""Rows that are held as plain Python values at once: some 5 KB each."""


def _row_to_score(row: Row, once: Callable[..., Any]) -> Score:
    fields = {name: read(row[name]) for name, read in _READ.items()}
    facets = fields.pop("facets")
    return Score(
        sample_id=once("sample", unescape(row["sample_id"])),
        attempt=row["attempt"],
        response_key=unescape(row["response_key"]),
        usage=once("usage", _columns_to_usage(row)),
        facets=once("facets", tuple(facets.items()), facets),
        **{name: once(name, value) for name, value in fields.items() if name != "response_key"},
    )
