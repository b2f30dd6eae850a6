"""The executor of a cluster: each step is a pool of actors, rows stream between the pools.

Ray stands behind this module and its neighbours. Why it is shaped so (measured reasons): a worker
is a plain class with a loop of its own (`ray_worker.py`); blocks are small and many, or the first
actor that is ready takes them all; a block is one binary cell (`ray_blocks.py`); and no row ever
raises, since Ray would run a whole block again.
"""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any

import pyarrow as pa

from ifbench.errors import IfbenchError, StoreError
from ifbench.execution.handling import STORE_IS_FULL
from ifbench.execution.model_servers import Finder
from ifbench.execution.ray_blocks import blocks_of, trials_of
from ifbench.execution.ray_board import Board, Heard, Order
from ifbench.execution.ray_limiter import leave_limiter
from ifbench.execution.ray_start import RayOptions, quiet_data, start_ray
from ifbench.execution.ray_worker import REPORT_INTERVAL_S, Worker
from ifbench.execution.step import Lane, Rows, Step, lanes_of
from ifbench.logs import current
from ifbench.tally import Tally, over_runs, spent_usd
from ifbench.types import Trial

_log = logging.getLogger(__name__)

MOST_ROWS_PER_BLOCK = 64
MOST_LANES = 8
"""Pools of workers for the first step, each some 200 MB; more candidates than that share them."""
MOST_CALLS = 24
"""Blocks that one actor holds at once; each takes a thread."""


class RayExecutor:
    """Runs steps as Ray Data actor pools."""

    def __init__(self, options: RayOptions | None = None) -> None:
        self.options = options or RayOptions()
        self.servers: Finder | None = None
        self._tally = Tally()
        self._order = Order.GO_ON
        self._run, self._spent_usd = uuid.uuid4().hex, 0.0
        self._failures: tuple[str, ...] = ()

    def stop(self) -> None:
        """Begin no further call anywhere; rows in flight come out, the rest as not run."""
        self._order = max(self._order, Order.STOP)

    def let_go(self) -> None:
        """Stop, and cancel the rows in flight; they come out as they went in."""
        self._order = Order.LET_GO

    def counts(self) -> dict[tuple[str, ...], float]:
        """What has happened so far, over all workers."""
        return self._tally.snapshot()

    def run(self, rows: Rows, steps: tuple[Step, ...]) -> Iterator[Trial]:
        """Yield finished rows. A worker's failure to start ends the run and is raised here.

        So does a store that takes no more answers, once the rows in flight have come in: what they
        were answered is paid for, and is set aside.
        """
        ray = start_ray(self.options)
        # The limiter forgets a group of rows, and the purse of it, with its end.
        self._run, self._spent_usd = uuid.uuid4().hex, spent_usd(self.counts())
        # Beside the driver, so that it outlives the other nodes.
        here = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
            ray.get_runtime_context().get_node_id(), soft=True
        )
        board = (
            ray.remote(num_cpus=0, max_restarts=-1)(Board)
            .options(scheduling_strategy=here)
            .remote()
        )
        over = threading.Event()
        watch = threading.Thread(
            target=self._watch, args=(ray, board, over), daemon=True, name="ifbench-board"
        )
        watch.start()
        name = ("rows", steps[-1].name, "out")
        out = int(over_runs(self.counts()).get(name, 0))  # Of the groups that ran before.
        try:
            lanes = _joined(lanes_of(rows, steps[0]))
            for turn in turns(lanes, self.options.rows_at_once):
                dataset = self._dataset(turn, steps, board)
                for table in () if dataset is None else _tables(dataset):
                    for trial in trials_of(table):
                        out += 1
                        yield trial
                if self._order is not Order.GO_ON:
                    break  # What is left is not begun.
        except ray.exceptions.RayError as error:
            raise _understandable(error) from error
        finally:
            over.set()
            watch.join(timeout=5)
            self._collect_rest(ray, board, name, out)
            ray.kill(board)
            leave_limiter(self._run)
        if self._failures:
            raise StoreError("\n".join(self._failures))

    def _dataset(self, lanes: tuple[Lane, ...], steps: tuple[Step, ...], board: Any) -> Any:
        """The lanes through the first step, each through a pool of its own, then all of them as
        one through the others; `None` where there is no row, as workers are dear to start.
        """
        from ray.data import DataContext

        ray = start_ray(self.options)
        quiet_data()
        context = DataContext.get_current()
        context.enable_progress_bars = False
        context.print_on_execution_start = False
        context.execution_no_progress_timeout_s = -1  # waiting for a quota is no hang
        context.memory_usage_poll_interval_s = None  # else each block has a thread that polls
        given = {
            "board": board,
            "run": self._run,
            "spent_usd": self._spent_usd,
            "logs": current(),
            "servers": self.servers,
            "most_crashes": self.options.most_crashes,
        }
        first, *others = pools(steps)
        there = ray.cluster_resources().get("CPU", 0.0)
        claiming = (*(first[0] for _ in lanes), *(pool[0] for pool in others))
        cpus = affordable(claiming, max(there, self.options.cpus or 0))
        sizes: list[int] = []
        datasets: list[Any] = []
        for lane in lanes:
            pool = (replace(first[0], in_flight=lane.in_flight), *first[1:])
            size = self.options.rows_per_block or _rows_per_block(lane.in_flight)
            if blocks := list(blocks_of(lane.rows, size)):
                # Unlike `from_arrow_refs` it sends no task for each block to ask what is in it.
                dataset = ray.data.from_blocks(blocks)
                datasets.append(_pooled(dataset, pool, cpus[0], size, given))
                sizes.append(size)
        if not datasets:
            return None
        dataset = datasets[0].union(*datasets[1:]) if len(datasets) > 1 else datasets[0]
        for pool, own_cpus in zip(others, cpus[len(lanes) :], strict=True):
            dataset = _pooled(dataset, pool, own_cpus, min(sizes), given)
        return dataset

    def _watch(self, ray: Any, board: Any, over: threading.Event) -> None:
        while not over.wait(REPORT_INTERVAL_S):
            self._collect(ray, board)

    def _collect_rest(self, ray: Any, board: Any, name: tuple[str, ...], expected: int) -> None:
        """The last counts travel beside the last rows: wait for them, but not for ever."""
        deadline = time.monotonic() + 5
        self._collect(ray, board)
        while over_runs(self.counts()).get(name, 0) < expected and time.monotonic() < deadline:
            time.sleep(0.05)
            self._collect(ray, board)

    def _collect(self, ray: Any, board: Any) -> None:
        try:
            heard: Heard = ray.get(board.collect.remote(self._order), timeout=10)
        except ray.exceptions.RayError:  # the board restarts, or the cluster is gone
            return
        self._tally.merge(heard.counts)
        _warn_of_deaths(heard.counts)
        if heard.failures:
            if not self._failures:
                _log.warning(STORE_IS_FULL)
            self._failures = heard.failures
            self.stop()


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


def pools(steps: tuple[Step, ...]) -> tuple[tuple[Step, ...], ...]:
    """The steps of each pool of workers: a light one goes with the step before it."""
    found: list[tuple[Step, ...]] = []
    for step in steps:
        if found and step.is_light and step.workers == found[-1][0].workers:
            found[-1] = (*found[-1], step)
        else:
            found.append((step,))
    return tuple(found)


def _pooled(
    dataset: Any, pool: tuple[Step, ...], cpus: float, rows_per_block: int, given: dict[str, Any]
) -> Any:
    """A data set through a pool of workers."""
    from ray.data import ActorPoolStrategy

    step = pool[0]
    calls = _calls(step, rows_per_block)
    return dataset.map_batches(
        type("_".join(one.name for one in pool), (Worker,), {}),  # Ray's tools show its name.
        batch_size=None,  # a block stays whole: one sample's trials share a worker
        batch_format="pyarrow",
        zero_copy_batch=True,
        num_cpus=cpus,
        num_gpus=step.gpus or None,
        fn_constructor_kwargs={"steps": pool, **given},
        compute=ActorPoolStrategy(
            size=step.workers,
            max_tasks_in_flight_per_actor=calls + calls // 2,
            max_concurrent_calls_per_actor=calls,
            enable_true_multi_threading=True,
        ),
    )


def _understandable(error: BaseException) -> IfbenchError:
    """The error of ours that a worker raised, or Ray's own in one line."""
    seen: BaseException | None = error
    while seen is not None:
        cause = getattr(seen, "cause", None)
        for one in (cause, seen):
            if isinstance(one, IfbenchError):
                return one
        seen = seen.__cause__ or seen.__context__
    # Ray's text is a chain of tracebacks, the first cause first; what it says below is of itself.
    cause, _, _ = str(error).partition("\nThe above exception was the direct cause")
    last = cause.strip().splitlines()[-1:] or [""]
    return IfbenchError(f"a worker could not go on ({type(error).__name__}): {last[0].strip()}")


def _rows_per_block(in_flight: int) -> int:
    """Few enough that blocks end at different times, many enough that Ray's work is shared.

    A block costs Ray and us about as much processor time as ten calls of a model, over all steps.
    """
    return max(1, min(MOST_ROWS_PER_BLOCK, in_flight // 2))


def _calls(step: Step, rows_per_block: int) -> int:
    """Blocks that an actor holds at once: six times the rows that it handles at once.

    A block is handed on with its slowest row: were there just as many, slow rows, which every
    endpoint has some of, would idle the places of all others. Where a pool has several actors it
    is half as many again, as the first that is ready would take what the others then miss.
    """
    most = 6 * step.in_flight if step.workers == 1 else -(-3 * step.in_flight // 2)
    return min(MOST_CALLS, max(2, -(-most // rows_per_block)))


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
