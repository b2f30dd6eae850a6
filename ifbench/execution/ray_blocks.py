"""What travels through Ray Data: blocks of one binary cell that holds all their rows.

Rows that are pickled apart cost twice as much. The schema is explicit, as columns that are inferred
differ from block to block. Our values are pickled as a class and its fields: what a frozen dataclass
does by itself looks its fields up one by one, for each value anew, and takes three times as long.
"""

from __future__ import annotations

import io
import pickle
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any

import pyarrow as pa

from ifbench import types
from ifbench.types import Trial

BLOCK = pa.schema([pa.field("trials", pa.binary(), nullable=False)])
_UNPICKLING = threading.Lock()
"""Rows bring the modules of their parameters: one thread imports them, and the others find them whole."""


def blocks_of(rows: Iterable[Trial], size: int) -> Iterator[pa.Table]:
    """Blocks of about `size` rows; the trials of one sample are never parted."""
    block: list[Trial] = []
    for row in rows:
        if len(block) >= size and row.item.sample.id != block[-1].item.sample.id:
            yield block_of(block)
            block = []
        block.append(row)
    if block:
        yield block_of(block)


def block_of(rows: Sequence[Trial]) -> pa.Table:
    cell = io.BytesIO()
    pickler = pickle.Pickler(cell, protocol=pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = _reducers()
    pickler.dump(tuple(rows))
    return pa.table({"trials": pa.array([cell.getvalue()], pa.binary())}, schema=BLOCK)


def trials_of(block: pa.Table) -> tuple[Trial, ...]:
    """The rows of a block. Ray may hand over several blocks as one table."""
    with _UNPICKLING:
        return tuple(
            trial
            for cell in block["trials"]
            for trial in pickle.loads(cell.as_py())  # noqa: S301 - our own rows
        )


# ── Our values in a pickle ───────────────────────────────────────────────────────────


@cache
def _reducers() -> dict[type, Callable[[Any], tuple[Any, ...]]]:
    """How the pickler takes each of the values that flow apart."""
    kinds = (value for value in vars(types).values() if isinstance(value, type))
    # `attrgetter` gives no tuple for one name; values of one field are few, and stay as they are.
    return {kind: _reducer(kind) for kind in kinds if is_dataclass(kind) and len(fields(kind)) > 1}


def _reducer(kind: type) -> Callable[[Any], tuple[Any, ...]]:
    values = attrgetter(*_names(kind))
    return lambda value: (_made, (kind, values(value)))


def _made(kind: type, values: tuple[Any, ...]) -> Any:
    """A value with these fields; frozen, so that they are set where they lie."""
    value: Any = object.__new__(kind)
    for put, field in zip(_putters(kind), values, strict=True):
        put(value, field)
    return value


@cache
def _putters(kind: type) -> tuple[Callable[[Any, Any], None], ...]:
    return tuple(getattr(kind, name).__set__ for name in _names(kind))


def _names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))
