"""The executor of a cluster: each step is a pool of actors, rows stream between the pools.

The one module that imports Ray. Why it is shaped so (measured reasons): an actor is a plain
class that owns its event loop in a thread, since an async class shares one loop with
whatever Ray fuses into it and hands rows back in input order; blocks are small and many, or
the first actor that is ready takes them all; a block is a table with one binary column and
an explicit schema, since inferred ones differ from block to block; and no row ever raises,
since Ray would run a whole block again. A worker may run a block twice after a crash: what
it had been answered is in the journal by then, so nothing is paid twice.
"""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import threading
import time
import uuid
import warnings
from collections.abc import Iterable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from ifbench.errors import IfbenchError, PrerequisiteError
from ifbench.execution.step import Seat, Step, Work
from ifbench.tally import Tally
from ifbench.types import Trial

ROW = pa.schema([pa.field("trial", pa.binary(), nullable=False)])
REPORT_INTERVAL_S = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class RayOptions:
    """How to reach a cluster and how to cut the work."""

    address: str | None = None
    """`None` starts Ray on this machine; `auto` or an address joins a running cluster."""
    rows_per_block: int = 16
    num_cpus: int | None = None
    """CPUs that a cluster started here claims to have; `None` takes the machine's."""
    object_store_mb: int = 512
    """Shared memory of a cluster started here."""


class RayExecutor:
    """Runs steps as Ray Data actor pools."""

    def __init__(self, options: RayOptions | None = None) -> None:
        self.options = options or RayOptions()
        self._tally = Tally()
        self._stopping = threading.Event()
        self._board: Any = None

    def stop(self) -> None:
        """Begin no further call anywhere; rows in flight come out, the rest as not run."""
        self._stopping.set()

    def counts(self) -> dict[tuple[str, ...], float]:
        """What has happened so far, over all workers."""
        return self._tally.snapshot()

    def run(self, rows: Iterable[Trial], steps: tuple[Step, ...]) -> Iterator[Trial]:
        """Yield finished rows. A worker's failure to start ends the run and is raised here."""
        ray = start_ray(self.options)
        board = ray.remote(num_cpus=0, max_restarts=-1, max_concurrency=64)(_Board).remote()
        watch = threading.Thread(
            target=self._watch, args=(ray, board), daemon=True, name="ifbench-board"
        )
        self._board = board
        watch.start()
        out = 0
        try:
            for table in self._dataset(rows, steps, board).iter_batches(
                batch_size=None, batch_format="pyarrow", prefetch_batches=0
            ):
                for cell in table["trial"]:
                    out += 1
                    yield pickle.loads(cell.as_py())  # noqa: S301 - our own row
        except ray.exceptions.RayError as error:
            raise _understandable(error) from error
        finally:
            self._board = None
            watch.join(timeout=5)
            self._collect_rest(ray, board, ("rows", steps[-1].name, "out"), out)
            ray.kill(board)

    def _dataset(self, rows: Iterable[Trial], steps: tuple[Step, ...], board: Any) -> Any:
        from ray.data import ActorPoolStrategy, DataContext

        ray = start_ray(self.options)

        context = DataContext.get_current()
        context.enable_progress_bars = False
        context.print_on_execution_start = False
        context.execution_no_progress_timeout_s = -1  # waiting for a quota is no hang
        refs = [ray.put(block) for block in _blocks(rows, self.options.rows_per_block)]
        dataset = ray.data.from_arrow_refs(refs or [ray.put(ROW.empty_table())])
        run = uuid.uuid4().hex
        for step, cpus in zip(steps, _affordable(steps, ray.cluster_resources()), strict=True):
            dataset = dataset.map_batches(
                _Worker,
                batch_size=None,  # a block stays whole: one sample's trials share a worker
                batch_format="pyarrow",
                zero_copy_batch=True,
                num_cpus=cpus,
                num_gpus=step.gpus or None,
                fn_constructor_kwargs={"step": step, "board": board, "run": run},
                compute=ActorPoolStrategy(
                    size=step.workers,
                    max_tasks_in_flight_per_actor=2 * _calls(step, self.options),
                    max_concurrent_calls_per_actor=_calls(step, self.options),
                    enable_true_multi_threading=True,
                ),
            )
        return dataset

    def _watch(self, ray: Any, board: Any) -> None:
        while self._board is board:
            self._collect(ray, board)
            time.sleep(REPORT_INTERVAL_S)

    def _collect_rest(self, ray: Any, board: Any, name: tuple[str, ...], expected: int) -> None:
        """The last counts travel beside the last rows: wait for them, but not for ever."""
        deadline = time.monotonic() + 5
        self._collect(ray, board)
        while self._tally.snapshot().get(name, 0) < expected and time.monotonic() < deadline:
            time.sleep(0.05)
            self._collect(ray, board)

    def _collect(self, ray: Any, board: Any) -> None:
        try:
            counts = ray.get(board.collect.remote(stopping=self._stopping.is_set()), timeout=10)
        except ray.exceptions.RayError:  # the board restarts, or the cluster is gone
            return
        self._tally.merge(counts)


def start_ray(options: RayOptions) -> Any:
    """Join or start Ray once in this process and return the module.

    Raises `PrerequisiteError` where Ray is missing or does not come up.
    """
    # Both ends of a connection must agree; a local start would else switch tokens on and
    # leave one in the home directory.
    os.environ.setdefault("RAY_AUTH_MODE", "disabled")
    os.environ.setdefault("RAY_worker_niceness", "0")  # else workers yield to all else
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
    except ImportError as error:
        raise PrerequisiteError(
            "execution=ray needs Ray: install `ifbench[ray]`, or use execution=local"
        ) from error
    # Ray Data talks of its own idle actors and progress bars; ours are the lines a user reads.
    warnings.filterwarnings("ignore", module=r"ray\.")
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    if ray.is_initialized():
        return ray
    settings: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    if options.address is None:
        settings |= {
            "include_dashboard": False,
            "num_cpus": options.num_cpus,
            "object_store_memory": options.object_store_mb * 2**20,
            "_skip_env_hook": True,
        }
    else:
        settings |= {"address": options.address}
    for last in (False, True):  # Ray gives a slow machine a fixed 30 s; one more try is enough
        try:
            ray.init(**settings)
            return ray
        except (ConnectionError, TimeoutError, RuntimeError, ValueError) as error:
            ray.shutdown()
            if last or options.address is not None:
                where = options.address or "on this machine"
                raise PrerequisiteError(f"Ray did not come up ({where}): {error}") from error
    raise AssertionError("unreachable")


class _Board:
    """One small actor: gathers the workers' counts, tells them to stop, hands out seats."""

    def __init__(self) -> None:
        self._tally = Tally()
        self._seats: dict[str, int] = {}
        self._stopping = False

    def seat(self, step: str) -> int:
        self._seats[step] = self._seats.get(step, -1) + 1
        return self._seats[step]

    def report(self, counts: dict[tuple[str, ...], float]) -> bool:
        self._tally.merge(counts)
        return self._stopping

    def collect(self, *, stopping: bool) -> dict[tuple[str, ...], float]:
        self._stopping = self._stopping or stopping
        return self._tally.drain()


class _Worker:
    """One actor of a step's pool: an event loop in a thread, and the step's work on it."""

    def __init__(self, step: Step, board: Any, run: str) -> None:
        import ray

        self._ray, self._board, self._step, self._run = ray, board, step, run
        self._tally = Tally()
        self._stopping = threading.Event()
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        # A rebuilt actor takes the next seat; shares of a quota are by number modulo count.
        seat = ray.get(board.seat.remote(step.name)) % step.workers
        self._context: AbstractAsyncContextManager[Work] = step.build(
            Seat(
                index=seat,
                count=step.workers,
                tally=self._tally,
                stopping=self._stopping.is_set,
            )
        )
        self._work: Work = self._on_loop(self._context.__aenter__())
        self._slots: asyncio.Semaphore = self._on_loop(self._make_slots())
        threading.Thread(target=self._report, daemon=True).start()

    def __call__(self, block: pa.Table) -> pa.Table:
        cells = self._on_loop(self._all([cell.as_py() for cell in block["trial"]]))
        # Sent before the block is: an actor may be let go right after its last block.
        self._board.report.remote(self._tally.drain())
        return pa.table({"trial": pa.array(cells, pa.binary())}, schema=ROW)

    async def _make_slots(self) -> asyncio.Semaphore:
        return asyncio.Semaphore(self._step.in_flight)

    async def _all(self, cells: list[bytes]) -> list[bytes]:
        return await asyncio.gather(*(self._one(cell) for cell in cells))

    async def _one(self, cell: bytes) -> bytes:
        async with self._slots:
            self._tally.add("rows", self._step.name, "in")
            done = await self._work(pickle.loads(cell))  # noqa: S301 - our own row
            self._tally.add("rows", self._step.name, "out")
            return pickle.dumps(done, protocol=pickle.HIGHEST_PROTOCOL)

    def _on_loop(self, coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    def _report(self) -> None:
        while True:
            time.sleep(REPORT_INTERVAL_S)
            try:
                if self._ray.get(self._board.report.remote(self._tally.drain()), timeout=10):
                    self._stopping.set()
            except self._ray.exceptions.RayError:
                continue


def _understandable(error: BaseException) -> IfbenchError:
    """The error of ours that a worker raised, or Ray's own in one line."""
    seen: BaseException | None = error
    while seen is not None:
        cause = getattr(seen, "cause", None)
        for one in (cause, seen):
            if isinstance(one, IfbenchError):
                return one
        seen = seen.__cause__ or seen.__context__
    last = str(error).strip().splitlines()[-1:] or [type(error).__name__]
    return IfbenchError(f"a worker could not go on: {last[0].strip()}")


def _blocks(rows: Iterable[Trial], size: int) -> Iterator[pa.Table]:
    """Tables of about `size` rows; the trials of one sample are never parted."""
    block: list[Trial] = []
    for row in rows:
        if len(block) >= size and row.item.sample.id != block[-1].item.sample.id:
            yield _table(block)
            block = []
        block.append(row)
    if block:
        yield _table(block)


def _table(rows: Iterable[Trial]) -> pa.Table:
    cells = [pickle.dumps(row, protocol=pickle.HIGHEST_PROTOCOL) for row in rows]
    return pa.table({"trial": pa.array(cells, pa.binary())}, schema=ROW)


def _calls(step: Step, options: RayOptions) -> int:
    """Blocks that an actor holds at once: three times the rows that may run.

    With just as many, one slow row idles its block's other slots.
    """
    return max(2, -(-3 * step.in_flight // options.rows_per_block))


def _affordable(steps: tuple[Step, ...], resources: dict[str, float]) -> list[float]:
    """The CPUs each actor claims, scaled down so that the pools never take all.

    Ray does not warn when actors hold every CPU; its own tasks then wait for ever.
    """
    claimed = sum(step.workers * step.cpus for step in steps)
    available = 0.7 * resources.get("CPU", 1.0)
    scale = min(1.0, available / claimed) if claimed else 1.0
    return [max(0.01, round(step.cpus * scale, 3)) for step in steps]
