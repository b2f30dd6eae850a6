"""What travels through Ray Data: blocks of one binary cell that holds all their rows.

Rows that are pickled apart cost twice as much. The schema is explicit, as columns that are inferred
differ from block to block.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa

from ifbench.types import Trial

BLOCK = pa.schema([pa.field("trials", pa.binary(), nullable=False)])
_UNPICKLING = threading.Lock()
"""Rows bring the modules of their parameters, where pydantic parses docstrings: two threads that do so
at once may end in a `SystemError` of Python 3.11's parser (its issue 106905), and a block is lost."""


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
    cell = pickle.dumps(tuple(rows), protocol=pickle.HIGHEST_PROTOCOL)
    return pa.table({"trials": pa.array([cell], pa.binary())}, schema=BLOCK)


def trials_of(block: pa.Table) -> tuple[Trial, ...]:
    """The rows of a block. Ray may hand over several blocks as one table."""
    with _UNPICKLING:
        return tuple(
            trial
            for cell in block["trials"]
            for trial in pickle.loads(cell.as_py())  # noqa: S301 - our own rows
        )
