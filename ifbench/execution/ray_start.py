"""Joins or starts Ray, once in a process, without its noise and with our own answer to SIGTERM."""

from __future__ import annotations

import gc
import logging
import os
import re
import signal
import tempfile
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ifbench.errors import PrerequisiteError

STDERR = 2
CORE_LINE = re.compile(rb"\[\d{4}-\d\d-\d\d [\d:,.]+ [A-Z] \d+ \d+\] \S+:\d+: ")
"""How a line of Ray's C++ part begins: `[2026-01-31 10:00:00,123 I 17 17] logging.cc:303: `."""
ENVIRONMENT = {
    # Both ends of a connection must agree; a local start would else switch tokens on and leave
    # one in the home directory.
    "RAY_AUTH_MODE": "disabled",
    "RAY_worker_niceness": "0",  # Else workers yield to all else.
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_USAGE_STATS_ENABLED": "0",  # Nothing is sent to anybody but the models.
    # Ray prints these among the tables; that a worker died is told in our own words.
    "RAY_DEDUP_LOGS_SKIP_REGEX": r"^(A worker died or was killed|Task .+ failed\. There are .+ retries)",
}
"""What Ray reads from its environment; what the user has set there stays."""
OWN_ENVIRONMENT = {
    # For a dashboard's lists of tasks and handlers, which a cluster started here does not have:
    # a twelfth of the processor time of its processes.
    "RAY_task_events_report_interval_ms": "0",
    "RAY_event_stats": "0",
}
"""The same for a cluster that is started here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RayOptions:
    """How to reach a cluster and how to cut the work."""

    address: str | None = None
    """`None` starts Ray on this machine; `auto` or an address joins a running cluster."""
    rows_per_block: int | None = None
    """`None` takes half of what the first step's worker handles at once, 64 at most."""
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


def start_ray(options: RayOptions) -> Any:
    """Join or start Ray once in this process and return the module.

    Raises `PrerequisiteError` where Ray is missing or does not come up.
    """
    own = OWN_ENVIRONMENT if options.address is None else {}
    for name, value in (ENVIRONMENT | own).items():
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


def quiet_data() -> None:
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
