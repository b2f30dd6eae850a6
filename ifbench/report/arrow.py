"""Tables as Arrow files: a typed column for every value, and in the schema what they rest on.

Numbers are float64, counts int64, yes and no are bool, names are strings, counts by kind a map.
A number that is not known is null.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any

import pyarrow as pa

from ifbench.errors import StoreError
from ifbench.report.cells import Value
from ifbench.report.tables import Table
from ifbench.schemas import escape

VERSION = "1"


def save_arrow(tables: Sequence[Table], path: Path, about: Mapping[str, str]) -> list[Path]:
    """Write tables as Arrow IPC files and say which.

    A file holds one table: `out.arrow` is written where there is one, and `out.NAME.arrow` for
    each where there are several. `about` goes into the schema. Raises `StoreError`.
    """
    written: list[Path] = []
    for table in tables:
        place = path if len(tables) == 1 else path.with_suffix(f".{table.name}{path.suffix}")
        same = (place.with_suffix(f".{n}{path.suffix}") for n in count(2))
        place = next(one for one in chain([place], same) if one not in written)
        data = to_arrow(table, about)
        try:
            with pa.OSFile(str(place), "wb") as sink, pa.ipc.new_file(sink, data.schema) as writer:
                writer.write_table(data)
        except OSError as error:
            raise StoreError(f"{place}: cannot be written: {error}") from error
        written.append(place)
    return written


def to_arrow(table: Table, about: Mapping[str, str]) -> pa.Table:
    """A table with its title, its notes and `about` in the schema's metadata."""
    columns = {name: [row[name] for row in table.data] for name in table.names}
    schema = pa.schema(
        [pa.field(name, _type(values)) for name, values in columns.items()],
        metadata={
            **{f"ifbench.{name}": value for name, value in about.items()},
            "ifbench.report": table.name,
            "ifbench.report_version": VERSION,
            "ifbench.title": table.title,
            "ifbench.notes": "\n".join(table.notes),
        },
    )
    stored = {name: [_stored(value) for value in values] for name, values in columns.items()}
    return pa.Table.from_pydict(stored, schema=schema)


def _type(values: Iterable[Value]) -> pa.DataType:
    """By the values that are known; a column without any is one of numbers."""
    kinds = {type(value) for value in values if value is not None}
    if not kinds or kinds <= {int, float}:
        return pa.int64() if kinds == {int} else pa.float64()
    if kinds == {bool}:
        return pa.bool_()
    return pa.map_(pa.string(), pa.int64()) if kinds == {dict} else pa.string()


def _stored(value: Value) -> Any:
    if isinstance(value, Mapping):
        return [(escape(kind), amount) for kind, amount in value.items()]
    return escape(value) if isinstance(value, str) else value
