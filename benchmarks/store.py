"""The store's speed: commits, opening and look-up, beside plainer ways of doing the same.

    python benchmarks/store.py [--rows 200000] [--text 1500]

Figures are ratios within one run, so that a busy machine can still be compared with itself.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from ifbench import schemas
from ifbench.store import Journal, compact
from ifbench.types import Purpose, Response, Stop, Usage

T = TypeVar("T")


def timed(run: Callable[[], T]) -> tuple[float, T]:
    start = time.perf_counter()
    result = run()
    return time.perf_counter() - start, result


def key_of(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()


def answers(rows: int, length: int) -> Iterator[Response]:
    """Answers of words, so that compression has about as much to do as with real ones."""
    rng = random.Random(0)
    words = [rng.randbytes(3).hex() for _ in range(4000)]
    for number in range(rows):
        text = " ".join(rng.choices(words, k=length // 7))
        yield Response(
            key=key_of(number),
            purpose=Purpose.CANDIDATE,
            model="some-model",
            text=text,
            stop=Stop.STOP,
            usage=Usage(input_tokens=300, output_tokens=400),
            seconds=1.5,
            endpoint="http://127.0.0.1:8000/v1",
        )


def fill(journal: Journal, responses: Iterator[Response]) -> None:
    """Append as a run does: a good many rows in flight, one future each."""
    pending: list[Any] = []
    for response in responses:
        pending.append(journal.append_soon(response))
        if len(pending) >= 128:
            for future in pending:
                future.result()
            pending.clear()
    for future in pending:
        future.result()


def commit_latency(folder: Path, length: int) -> None:
    some = list(answers(400, length))
    with Journal(str(folder / "one")) as journal:
        journal.append([some[0]])
        times = sorted(timed(lambda r=r: journal.append([r]))[0] for r in some[1:200])  # type: ignore[misc]
    with (folder / "plain").open("ab", buffering=0) as plain:

        def write(response: Response) -> None:
            plain.write(json.dumps([response.key, response.text]).encode() + b"\n")
            os.fdatasync(plain.fileno())

        base = sorted(timed(lambda r=r: write(r))[0] for r in some[1:200])  # type: ignore[misc]
    print(f"one durable append: median {times[100] * 1e3:.2f} ms, 95 % {times[189] * 1e3:.2f} ms")
    print(f"  a JSON line and fdatasync: median {base[100] * 1e3:.2f} ms; "
          f"ratio {times[100] / base[100]:.2f}")  # fmt: skip
    with Journal(str(folder / "many")) as journal, ThreadPoolExecutor(32) as pool:
        alone, _ = timed(lambda: [journal.append([r]) for r in some[:200]])
        shared, _ = timed(lambda: list(pool.map(lambda r: journal.append([r]), some[200:])))
    print(f"32 threads share commits: {200 / shared:,.0f} appends/s, "
          f"{alone / shared:.1f} times one thread's")  # fmt: skip


def read_everything(folder: Path) -> dict[str, Response]:
    """The naive way: every row of every file into memory."""
    found: dict[str, Response] = {}
    for path in sorted(folder.glob("responses/*/*")):
        if path.suffix == ".parquet":
            batches = pq.ParquetFile(path).iter_batches()
        else:
            batches = iter(pa.ipc.open_stream(path.read_bytes()))
        for batch in batches:
            for row in batch.to_pylist():
                found[row["key"]] = schemas.row_to_response(row)
    return found


def reading(folder: Path, rows: int, what: str) -> None:
    naive, everything = timed(lambda: read_everything(folder))
    assert len(everything) == rows
    del everything
    opening, journal = timed(lambda: Journal(str(folder)))
    print(f"{what}: open {rows:,} rows in {opening:.2f} s; "
          f"reading everything takes {naive / opening:.0f} times as long")  # fmt: skip
    numbers = random.Random(1).sample(range(rows), 1000)
    single, _ = timed(lambda: [journal.lookup([key_of(n)]) for n in numbers])
    several, found = timed(lambda: journal.lookup(map(key_of, numbers)))
    assert len(found) == 1000
    absent, _ = timed(lambda: [journal.lookup([key_of(-n - 1)]) for n in numbers])
    known, _ = timed(lambda: journal.stored(map(key_of, range(rows))))
    print(f"  look-up: {single:.2f} ms one by one, {several:.2f} ms in a thousand, "
          f"{absent * 1e3:.0f} µs absent")  # fmt: skip
    print(f"  which of {rows:,} keys are stored: {known:.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--text", type=int, default=1500, help="characters of an answer")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        commit_latency(folder, options.text)
        store = folder / "store"
        made, _ = timed(lambda: sum(1 for _ in answers(options.rows, options.text)))
        with Journal(str(store)) as journal:
            filling, _ = timed(lambda: fill(journal, answers(options.rows, options.text)))
        print(f"128 in flight: {options.rows / (filling - made):,.0f} durable rows/s")
        reading(store, options.rows, "journal")
        compacting, done = timed(lambda: compact(str(store)))
        print(f"compaction: {compacting:.1f} s, {done}")
        reading(store, options.rows, "parts")


if __name__ == "__main__":
    main()
