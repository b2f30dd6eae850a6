"""The executor of a cluster: each step is a pool of actors, rows stream between the pools.

Ray stands behind this module and `ray_limiter.py`. Why it is shaped so (measured reasons): an actor is a plain
class that owns its event loop in a thread, since an async class shares one loop with
whatever Ray fuses into it and hands rows back in input order; blocks are small and many, or
the first actor that is ready takes them all; a block is one binary cell that holds all its rows
(pickled apart, rows cost twice as much), with an explicit schema; and no row ever raises,
since Ray would run a whole block again. A worker may run a block twice after a crash: what
it had been answered is in the journal by then, so nothing is paid twice.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import pickle
import re
import signal
import tempfile
import threading
import time
import uuid
import warnings
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import chain, islice
from typing import Any

import pyarrow as pa

from ifbench.constraints import all_constraints
from ifbench.errors import IfbenchError, PrerequisiteError
from ifbench.execution.crashes import Ledger, Places, RowId, row_id, row_name, set_apart
from ifbench.execution.handling import handled
from ifbench.execution.in_hand import InHand
from ifbench.execution.leaving import is_leaving
from ifbench.execution.model_servers import Finder
from ifbench.execution.ray_limiter import RayLimiter, leave_limiter
from ifbench.execution.ray_metrics import open_metrics
from ifbench.execution.step import Lane, Rows, Seat, Step, Work, lanes_of
from ifbench.logs import Logging, current, start_logging
from ifbench.tally import Tally, over_runs
from ifbench.types import Trial

_log = logging.getLogger(__name__)

BLOCK = pa.schema([pa.field("trials", pa.binary(), nullable=False)])
MOST_ROWS_PER_BLOCK = 32
MOST_LANES = 8
"""Pools of workers for the first step, each some 200 MB; more candidates than that share them."""
MOST_CALLS = 24
"""Blocks that one actor holds at once; each takes a thread."""
REPORT_INTERVAL_S = 0.5
STDERR = 2
_UNPICKLING = threading.Lock()
"""Rows bring the modules of their parameters, where pydantic parses docstrings: two threads that do so
at once may end in a `SystemError` of Python 3.11's parser (its issue 106905), and a block is lost."""
CORE_LINE = re.compile(rb"\[\d{4}-\d\d-\d\d [\d:,.]+ [A-Z] \d+ \d+\] \S+:\d+: ")
"""How a line of Ray's C++ part begins: `[2026-01-31 10:00:00,123 I 17 17] logging.cc:303: `."""
ENVIRONMENT = {
    # Both ends of a connection must agree; a local start would else switch tokens on and leave
    # one in the home directory.
    "RAY_AUTH_MODE": "disabled",
    "RAY_worker_niceness": "0",  # Else workers yield to all else.
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_USAGE_STATS_ENABLED": "0",  # Nothing is sent to anybody but the models.
}
"""What Ray reads from its environment; what the user has set there stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RayOptions:
    """How to reach a cluster and how to cut the work."""

    address: str | None = None
    """`None` starts Ray on this machine; `auto` or an address joins a running cluster."""
    rows_per_block: int | None = None
    """`None` takes a quarter of what the first step's worker handles at once, 32 at most."""
    num_cpus: int | None = None
    """CPUs that a cluster started here claims to have; `None` takes the machine's."""
    num_gpus: int | None = None
    """GPUs that a cluster started here claims to have; `None` takes what Ray finds."""
    object_store_mb: int = 512
    """Shared memory of a cluster started here."""
    cpus: int | None = None
    """CPUs that the cluster may grow to; `None` takes those that it has at the start."""
    most_crashes: int = 3
    """Workers that may die with a row in hand before it is set apart."""
    rows_at_once: int = 50_000
    """Rows whose blocks lie in memory at once, 2 KB each. What is more goes through in turns, each
    with workers of its own, which cost some seconds to start."""


class RayExecutor:
    """Runs steps as Ray Data actor pools."""

    def __init__(self, options: RayOptions | None = None) -> None:
        self.options = options or RayOptions()
        self.servers: Finder | None = None
        self._tally = Tally()
        self._order = _Order.GO_ON
        self._board: Any = None
        self._run = uuid.uuid4().hex

    def stop(self) -> None:
        """Begin no further call anywhere; rows in flight come out, the rest as not run."""
        self._order = max(self._order, _Order.STOP)

    def let_go(self) -> None:
        """Stop, and cancel the rows in flight; they come out as they went in."""
        self._order = _Order.LET_GO

    def counts(self) -> dict[tuple[str, ...], float]:
        """What has happened so far, over all workers."""
        return self._tally.snapshot()

    def run(self, rows: Rows, steps: tuple[Step, ...]) -> Iterator[Trial]:
        """Yield finished rows. A worker's failure to start ends the run and is raised here."""
        ray = start_ray(self.options)
        # Beside the driver, so that it outlives the other nodes.
        here = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
            ray.get_runtime_context().get_node_id(), soft=True
        )
        board = (
            ray.remote(num_cpus=0, max_restarts=-1, max_concurrency=64)(_Board)
            .options(scheduling_strategy=here)
            .remote()
        )
        watch = threading.Thread(
            target=self._watch, args=(ray, board), daemon=True, name="ifbench-board"
        )
        self._board = board
        watch.start()
        name = ("rows", steps[-1].name, "out")
        out = int(over_runs(self.counts()).get(name, 0))  # Of the groups that ran before.
        try:
            lanes = _joined(lanes_of(rows, steps[0]))
            for turn in turns(lanes, self.options.rows_at_once):
                for table in _tables(self._dataset(turn, steps, board)):
                    for trial in _trials(table):
                        out += 1
                        yield trial
                if self._order is not _Order.GO_ON:
                    break  # What is left is not begun.
        except ray.exceptions.RayError as error:
            raise _understandable(error) from error
        finally:
            self._board = None
            watch.join(timeout=5)
            self._collect_rest(ray, board, name, out)
            ray.kill(board)
            leave_limiter(self._run)

    def _dataset(self, lanes: tuple[Lane, ...], steps: tuple[Step, ...], board: Any) -> Any:
        """The lanes through the first step, each through a pool of its own, then all of them as
        one through the others.
        """
        from ray.data import DataContext

        ray = start_ray(self.options)
        _quiet_data()
        context = DataContext.get_current()
        context.enable_progress_bars = False
        context.print_on_execution_start = False
        context.execution_no_progress_timeout_s = -1  # waiting for a quota is no hang
        context.memory_usage_poll_interval_s = None  # else each block has a thread that polls
        given = {
            "board": board,
            "run": self._run,
            "logs": current(),
            "servers": self.servers,
            "most_crashes": self.options.most_crashes,
        }
        first, *others = steps
        there = ray.cluster_resources().get("CPU", 0.0)
        cpus = affordable((*(first for _ in lanes), *others), max(there, self.options.cpus or 0))
        sizes: list[int] = []
        datasets: list[Any] = []
        for lane in lanes:
            step = replace(first, in_flight=lane.in_flight)
            sizes.append(self.options.rows_per_block or _rows_per_block(step))
            # Unlike `from_arrow_refs` it sends no task for each block to ask what is in it.
            blocks = list(_blocks(lane.rows, sizes[-1])) or [_block(())]
            datasets.append(_pooled(ray.data.from_blocks(blocks), step, cpus[0], sizes[-1], given))
        dataset = datasets[0].union(*datasets[1:]) if len(datasets) > 1 else datasets[0]
        for step, own_cpus in zip(others, cpus[len(lanes) :], strict=True):
            dataset = _pooled(dataset, step, own_cpus, min(sizes), given)
        return dataset

    def _watch(self, ray: Any, board: Any) -> None:
        while self._board is board:
            self._collect(ray, board)
            time.sleep(REPORT_INTERVAL_S)

    def _collect_rest(self, ray: Any, board: Any, name: tuple[str, ...], expected: int) -> None:
        """The last counts travel beside the last rows: wait for them, but not for ever."""
        deadline = time.monotonic() + 5
        self._collect(ray, board)
        while over_runs(self.counts()).get(name, 0) < expected and time.monotonic() < deadline:
            time.sleep(0.05)
            self._collect(ray, board)

    def _collect(self, ray: Any, board: Any) -> None:
        try:
            counts = ray.get(board.collect.remote(self._order), timeout=10)
        except ray.exceptions.RayError:  # the board restarts, or the cluster is gone
            return
        self._tally.merge(counts)
        _warn_of_deaths(counts)


def _warn_of_deaths(counts: dict[tuple[str, ...], float]) -> None:
    for words, died in counts.items():
        if words[0] == "workers" and words[2] == "died":
            rows = counts.get((*words[:2], "rows"), 0.0)
            _log.warning(
                "%d worker(s) of step %s died with %d rows in hand, which are begun again",
                died, words[1], rows,
            )  # fmt: skip


def _tables(dataset: Any) -> Iterator[pa.Table]:
    """What comes out of Ray. Raises `IfbenchError` where its pipeline breaks."""
    try:
        yield from dataset.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0)
    # Beside Ray's own errors Ray Data hands on whatever broke inside of it.
    except Exception as error:
        _log.info("Ray's pipeline ended early", exc_info=error)
        raise _understandable(error) from error


def _joined(lanes: tuple[Lane, ...]) -> tuple[Lane, ...]:
    """At most `MOST_LANES`: a pool of workers is a process. Further candidates share a lane."""
    groups = [lanes[start::MOST_LANES] for start in range(min(MOST_LANES, len(lanes)))]
    return tuple(
        Lane(
            name=", ".join(lane.name for lane in group),
            rows=(row for lane in group for row in lane.rows),
            in_flight=sum(lane.in_flight for lane in group),
        )
        for group in groups
    )


def turns(lanes: tuple[Lane, ...], most: int) -> Iterator[tuple[Lane, ...]]:
    """The lanes in pieces of `most` rows together; there is one turn at least.

    The rows of a turn are to be read before the next one is asked for. The slowest lane makes up
    each turn's time, as it does the whole run's.
    """
    left = [(lane, iter(lane.rows)) for lane in lanes]
    while True:
        share = max(1, most // len(left))
        yield tuple(replace(lane, rows=islice(rows, share)) for lane, rows in left)
        heads = [(lane, next(rows, None), rows) for lane, rows in left]
        left = [(lane, chain((head,), rows)) for lane, head, rows in heads if head is not None]
        if not left:
            return


def _pooled(
    dataset: Any, step: Step, cpus: float, rows_per_block: int, given: dict[str, Any]
) -> Any:
    """A data set through the pool of a step's workers."""
    from ray.data import ActorPoolStrategy

    calls = _calls(step, rows_per_block)
    return dataset.map_batches(
        type(step.name, (_Worker,), {}),  # so that Ray's tools show the step's name
        batch_size=None,  # a block stays whole: one sample's trials share a worker
        batch_format="pyarrow",
        zero_copy_batch=True,
        num_cpus=cpus,
        num_gpus=step.gpus or None,
        fn_constructor_kwargs={"step": step, **given},
        compute=ActorPoolStrategy(
            size=step.workers,
            max_tasks_in_flight_per_actor=calls + calls // 2,
            max_concurrent_calls_per_actor=calls,
            enable_true_multi_threading=True,
        ),
    )


def start_ray(options: RayOptions) -> Any:
    """Join or start Ray once in this process and return the module.

    Raises `PrerequisiteError` where Ray is missing or does not come up.
    """
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError as error:
        raise PrerequisiteError(
            "execution=ray needs Ray: install `ifbench[ray]`, or use execution=local"
        ) from error
    warnings.filterwarnings("ignore", module=r"ray\.")
    if ray.is_initialized():
        return ray
    settings: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    if options.address is None:
        settings |= {
            "include_dashboard": False,
            "num_cpus": options.num_cpus,
            "num_gpus": options.num_gpus,
            "object_store_memory": options.object_store_mb * 2**20,
            "_skip_env_hook": True,
        }
    else:
        settings |= {"address": options.address}
    # A reference of an earlier cluster in this process that is let go later would free the object of
    # the same number in this one: Ray numbers a driver's objects from 1 in each.
    gc.collect()
    for last in (False, False, True):  # Ray gives a slow machine a fixed 30 s
        try:
            with _quiet_core(), _own_signals():
                ray.init(**settings)
            return ray
        # Of a node that starts too slowly Ray raises a bare `Exception`.
        except Exception as error:
            ray.shutdown()
            if last or options.address is not None:
                where = options.address or "on this machine"
                raise PrerequisiteError(f"Ray did not come up ({where}): {error}") from error
    raise AssertionError("unreachable")


@contextmanager
def _quiet_core() -> Iterator[None]:
    """Keep Ray's C++ part off the user's terminal, where Python's log levels do not reach.

    It warns of each of Ray Data's own actors (Ray's issue 57733); what fails is raised in Python
    all the same. Its level is read as it starts, and it announces the level on the terminal, so
    what comes while it starts is held back and shown without its lines.
    """
    name = "RAY_BACKEND_LOG_LEVEL"
    if name in os.environ:
        yield
        return
    os.environ[name] = "fatal"
    terminal = os.dup(STDERR)
    with tempfile.TemporaryFile() as held:
        os.dup2(held.fileno(), STDERR)
        try:
            yield
        finally:
            os.dup2(terminal, STDERR)
            os.environ.pop(name, None)
            held.seek(0)
            for line in held:
                if not CORE_LINE.match(line):
                    os.write(terminal, line)
            os.close(terminal)


def _quiet_data() -> None:
    """Keep Ray Data's log off the terminal; its file in Ray's session folder has all of it.

    It talks of its own idle actors, and of an error twice in full; ours are the lines to read.
    """
    for handler in logging.getLogger("ray.data").handlers:
        if handler.name == "console":
            handler.setLevel(logging.CRITICAL)


@contextmanager
def _own_signals() -> Iterator[None]:
    """Keep this process's answer to SIGTERM, on which a run drains.

    Ray sets one of its own as it starts, in Python and in C++, and ends the process at once.
    """
    is_main = threading.current_thread() is threading.main_thread()
    handler = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if is_main and callable(handler):  # Where nobody listens, Ray's own is better than none.
            signal.signal(signal.SIGTERM, handler)


class _Order(IntEnum):
    """What the driver has its workers do."""

    GO_ON = 0
    STOP = 1
    """Begin no further call."""
    LET_GO = 2
    """Wait for no call either."""


class _Board:
    """One small actor: gathers the workers' counts and what they have in hand, and tells them to
    stop.
    """

    def __init__(self) -> None:
        self._tally = Tally()
        self._order = _Order.GO_ON
        self._ledger = Ledger()
        self._lock = threading.Lock()

    def report(
        self, counts: dict[tuple[str, ...], float], ended: tuple[str, str] | None = None
    ) -> _Order:
        """Take counts, and perhaps a worker and the name of what it has just handed on."""
        self._tally.merge(counts)
        if ended is not None:
            with self._lock:
                self._ledger.end(*ended)
        return self._order

    def start(self, worker: str, step: str) -> None:
        """A worker is there, for the first time or after it has died."""
        with self._lock:
            lost = self._ledger.begin_worker(worker)
        if lost:
            self._tally.merge({("workers", step, "died"): 1, ("workers", step, "rows"): lost})

    def begin_block(self, worker: str, name: str, rows: Sequence[RowId]) -> tuple[int, ...]:
        """See `Ledger.begin_block`."""
        with self._lock:
            return self._ledger.begin_block(worker, name, rows)

    def begin_row(self, worker: str, row: RowId) -> None:
        """See `Ledger.begin_row`."""
        with self._lock:
            self._ledger.begin_row(worker, row)

    def excuse(self, worker: str) -> None:
        """See `Ledger.excuse`."""
        with self._lock:
            self._ledger.excuse(worker)

    def collect(self, order: _Order) -> dict[tuple[str, ...], float]:
        self._order = max(self._order, order)
        return self._tally.drain()


class _Worker:
    """One actor of a step's pool: an event loop in a thread, and the step's work on it."""

    def __init__(
        self,
        step: Step,
        board: Any,
        run: str,
        logs: Logging,
        servers: Finder | None,
        most_crashes: int,
    ) -> None:
        import ray

        start_logging(logs)  # To this process's file in Ray's session folder.
        all_constraints()  # Before there are threads; see `_UNPICKLING`.
        self._ray, self._board, self._step = ray, board, step
        self._most_crashes = most_crashes
        self._id = ray.get_runtime_context().get_actor_id()  # The same after a restart.
        self._ask_board("start", self._id, step.name)
        self._tally, self._metrics = Tally(), open_metrics()
        self._stopping = threading.Event()
        self._in_hand = InHand()
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._context: AbstractAsyncContextManager[Work] = step.build(
            Seat(
                run=run,
                find_limiter=RayLimiter,
                tally=self._tally,
                stopping=self._stopping.is_set,
                servers=servers,
            )
        )
        self._work: Work = self._on_loop(self._context.__aenter__())
        self._places: Places = self._on_loop(self._make_places())
        self._staying: asyncio.Event = self._on_loop(self._make_staying())
        threading.Thread(target=self._report, daemon=True).start()

    def __call__(self, block: pa.Table) -> pa.Table:
        rows, name = _trials(block), uuid.uuid4().hex
        # Told before anything is done, for what is done may be the end of this process.
        ids = [row_id(self._step.name, row) for row in rows]
        deaths = self._ask_board("begin_block", self._id, name, ids) or (0,) * len(rows)
        done = self._on_loop(self._all(rows, deaths))
        # Sent before the block is: an actor may be let go right after its last block.
        self._board.report.remote(self._counts(), (self._id, name))
        return _block(done)

    def _ask_board(self, what: str, *words: Any) -> Any:
        """`None` where it restarts, or its node has gone: then it has forgotten everything."""
        try:
            return self._ray.get(getattr(self._board, what).remote(*words), timeout=10)
        except self._ray.exceptions.RayError:
            return None

    def _counts(self) -> dict[tuple[str, ...], float]:
        """What has been counted since the last time, told to Ray's metrics as well."""
        counts = self._tally.drain()
        if self._metrics is not None:
            self._metrics.add(over_runs(counts))
        return counts

    async def _make_places(self) -> Places:
        return Places(self._step.in_flight, self._most_crashes)

    async def _make_staying(self) -> asyncio.Event:
        staying = asyncio.Event()
        staying.set()
        return staying

    async def _all(self, rows: Sequence[Trial], deaths: Sequence[int]) -> list[Trial]:
        pairs = zip(rows, deaths, strict=True)
        return await asyncio.gather(*(self._one(row, times) for row, times in pairs))

    async def _one(self, row: Trial, deaths: int) -> Trial:
        if deaths >= self._most_crashes:
            row, deaths = set_apart(row, self._step.name, deaths), 0
        async with self._places.place(deaths):
            # On a node that goes, a row that has not begun stays until Ray gives it to another.
            await self._staying.wait()
            async with self._watched(row, deaths):
                return await handled(row, self._work, self._step.name, self._in_hand, self._tally)

    @asynccontextmanager
    async def _watched(self, row: Trial, deaths: int) -> AsyncIterator[None]:
        """Enter a row by itself that workers have died with; others stand with their block."""
        if not deaths:
            yield
            return
        name = row_id(self._step.name, row)
        await asyncio.to_thread(self._ask_board, "begin_row", self._id, name)
        yield
        self._board.report.remote({}, (self._id, row_name(name)))

    def _on_loop(self, coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    def _report(self) -> None:
        while True:
            time.sleep(REPORT_INTERVAL_S)
            held = is_leaving() and not self._stopping.is_set()
            self._loop.call_soon_threadsafe(self._staying.clear if held else self._staying.set)
            if held:
                self._board.excuse.remote(self._id)
            try:
                order = self._ray.get(self._board.report.remote(self._counts()), timeout=10)
            except self._ray.exceptions.RayError:
                continue
            if order >= _Order.STOP:
                self._stopping.set()
            if order is _Order.LET_GO:
                self._loop.call_soon_threadsafe(self._in_hand.let_go)


def _understandable(error: BaseException) -> IfbenchError:
    """The error of ours that a worker raised, or Ray's own in one line."""
    seen: BaseException | None = error
    while seen is not None:
        cause = getattr(seen, "cause", None)
        for one in (cause, seen):
            if isinstance(one, IfbenchError):
                return one
        seen = seen.__cause__ or seen.__context__
    last = str(error).strip().splitlines()[-1:] or [""]
    return IfbenchError(f"a worker could not go on ({type(error).__name__}): {last[0].strip()}")


def _blocks(rows: Iterable[Trial], size: int) -> Iterator[pa.Table]:
    """Blocks of about `size` rows; the trials of one sample are never parted."""
    block: list[Trial] = []
    for row in rows:
        if len(block) >= size and row.item.sample.id != block[-1].item.sample.id:
            yield _block(block)
            block = []
        block.append(row)
    if block:
        yield _block(block)


def _block(rows: Sequence[Trial]) -> pa.Table:
    cell = pickle.dumps(tuple(rows), protocol=pickle.HIGHEST_PROTOCOL)
    return pa.table({"trials": pa.array([cell], pa.binary())}, schema=BLOCK)


def _trials(block: pa.Table) -> tuple[Trial, ...]:
    """The rows of a block. Ray may hand over several blocks as one table."""
    with _UNPICKLING:
        return tuple(
            trial
            for cell in block["trials"]
            for trial in pickle.loads(cell.as_py())  # noqa: S301 - our own rows
        )


def _rows_per_block(step: Step) -> int:
    """Few enough that blocks end at different times, many enough that Ray's work is shared.

    A block costs Ray about as much processor time as five calls of a model cost us.
    """
    return max(1, min(MOST_ROWS_PER_BLOCK, step.in_flight // 4))


def _calls(step: Step, rows_per_block: int) -> int:
    """Blocks that an actor holds at once: half as many rows again as it handles at once.

    With just as many, one slow row idles its block's other slots. More would go to the first
    actor that is ready and be missed by the others.
    """
    return min(MOST_CALLS, max(2, -(-3 * step.in_flight // (2 * rows_per_block))))


def affordable(steps: Sequence[Step], cpus: float) -> list[float]:
    """The CPUs that each actor claims, scaled down so that the pools never take all of them.

    Ray does not warn when actors hold every CPU; its own tasks, and the pools that come last, then
    wait for ever. `cpus` are those of the cluster, or those that it may grow to: claims that do not
    fit yet wait in Ray as demand, which is what an autoscaler looks at, and are placed as machines
    join. Pools have a fixed size for it: of one that may vary Ray Data trims to its share of the
    present cluster what waits (`DefaultActorAutoscaler`), and the demand is gone; and each worker
    of a pool has its part of a model's calls, so that a smaller pool would ask for less.
    """
    claimed = sum(step.workers * step.cpus for step in steps)
    available = 0.7 * (cpus or 1.0)
    scale = min(1.0, available / claimed) if claimed else 1.0
    return [max(0.01, round(step.cpus * scale, 3)) for step in steps]
