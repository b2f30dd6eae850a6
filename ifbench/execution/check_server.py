"""The process that runs checks: how it bounds them, and its loop.

The parent is `sandbox.Sandbox`; `check_process.CheckProcess` starts it.
"""

from __future__ import annotations

import ctypes
import importlib
import mmap
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, NamedTuple

from ifbench.constraints.constraint import Check, Constraint, undecided
from ifbench.constraints.running import CheckCall, run_check
from ifbench.execution.check_frames import (
    BROKEN,
    LENGTH,
    MEMORY,
    READY,
    RECEIVED,
    RESULTS,
    EncodedCheck,
    encode_check,
    load_frame,
    pack,
)
from ifbench.execution.collector import spare_what_is_there
from ifbench.types import Cause

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def serve(parent: int, catalogue: str, time_s: float, memory_mb: int, place: int) -> None:
    """Answer frames until the parent closes the pipe. The parent starts this in a new process.

    `place` is the descriptor of the file in which the parent finds the call in work.
    """
    requests, replies = _private_pipes()
    _end_with(parent)
    try:
        constraints = _load_catalogue(catalogue)
    except Exception as error:  # noqa: BLE001  # Whatever an import raises is told to the parent.
        _write(replies, pack(BROKEN, f"{type(error).__name__}: {error}"))
        return
    spare_what_is_there()
    in_work = mmap.mmap(place, LENGTH.size)
    _silence()
    _bound_memory(memory_mb)
    _write(replies, pack(READY, None))
    while (asked := _read(requests)) is not None:
        tell_s, calls = asked
        bounds = _Bounds(time_s, memory_mb, tell_s)
        LENGTH.pack_into(in_work, 0, 0)
        _write(replies, pack(RECEIVED, None))
        for frame in _answers(calls, constraints, in_work, bounds):
            _write(replies, frame)


class _Bounds(NamedTuple):
    """What a check may take, and for how long results gather before they are told."""

    time_s: float
    memory_mb: int
    tell_s: float


def _answers(
    calls: Sequence[tuple[Any, ...]],
    constraints: Mapping[str, Constraint],
    in_work: mmap.mmap,
    bounds: _Bounds,
) -> Iterator[bytes]:
    """Frames of results, as long as there is memory."""
    # The kernel ends this process when a check has used up its time, even in the middle of a call
    # into C. It counts this process's work, not a busy machine's delay.
    signal.setitimer(signal.ITIMER_PROF, bounds.time_s + bounds.tell_s)
    told_until, told_at = 0, time.monotonic()
    results: list[EncodedCheck] = []
    for index, call in enumerate(calls):
        LENGTH.pack_into(in_work, 0, index)
        kind, result = _answer(call, constraints, bounds.memory_mb)
        results.append(result)
        now = time.monotonic()
        if now - told_at >= bounds.tell_s or index + 1 == len(calls) or kind == MEMORY:
            yield _frame(kind, results, calls[told_until:])
            if kind == MEMORY:
                return  # The parent replaces this process.
            signal.setitimer(signal.ITIMER_PROF, bounds.time_s + bounds.tell_s)
            told_until, told_at, results = index + 1, now, []
    signal.setitimer(signal.ITIMER_PROF, 0)


def _answer(
    call: tuple[Any, ...], constraints: Mapping[str, Constraint], memory_mb: int
) -> tuple[str, EncodedCheck]:
    try:
        return RESULTS, encode_check(run_check(CheckCall(*call), constraints))
    except MemoryError:
        return MEMORY, encode_check(out_of_memory(call[0], memory_mb))
    except Exception as error:  # noqa: BLE001  # A check's bug must not reach its neighbours.
        return RESULTS, _raised(call, error)


def _raised(call: tuple[Any, ...], error: Exception) -> EncodedCheck:
    reason = f"{call[0]} raised {type(error).__name__}: {error}"
    return encode_check(undecided(Cause.VERIFIER_ERROR, reason[:500]))


def _frame(kind: str, results: Sequence[EncodedCheck], calls: Sequence[tuple[Any, ...]]) -> bytes:
    """The results of the first of the calls. One that is more than built-in values is undecided."""
    try:
        return pack(kind, results)
    except ValueError:
        return pack(kind, list(map(_sendable, results, calls)))


def _sendable(result: EncodedCheck, call: tuple[Any, ...]) -> EncodedCheck:
    try:
        pack(RESULTS, result)
    except ValueError as error:
        return _raised(call, error)
    return result


def out_of_memory(constraint_id: str, memory_mb: int) -> Check:
    """The check wanted more memory than a check gets."""
    return undecided(
        Cause.VERIFIER_ERROR, f"{constraint_id} ran into its memory bound of {memory_mb} MB"
    )


def _private_pipes() -> tuple[BinaryIO, int]:
    """The pipes to the parent, under new numbers: a check that prints must not write frames."""
    requests, replies = os.dup(0), os.dup(1)
    with open(os.devnull, "r+b", buffering=0) as nothing:  # noqa: PTH123  # a device, not a file
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)  # While importing, all output goes to the parent's record of errors.
    return os.fdopen(requests, "rb"), replies


def _silence() -> None:
    with open(os.devnull, "wb", buffering=0) as nothing:  # noqa: PTH123  # a device, not a file
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)


def _end_with(parent: int) -> None:
    """Ctrl-C is the parent's business; its death is ours, in the middle of a check too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # It died before the line above.
            os._exit(1)


def _bound_memory(memory_mb: int) -> None:
    """Grant `memory_mb` on top of what the process has now."""
    if sys.platform != "linux":
        return  # macOS does not hold a process to such limits.
    with open("/proc/self/statm", encoding="ascii") as sizes:  # noqa: PTH123  # not a file
        pages = int(sizes.read().split()[0])
    limit = pages * resource.getpagesize() + memory_mb * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _load_catalogue(catalogue: str) -> Mapping[str, Constraint]:
    module, _, name = catalogue.partition(":")
    load: Callable[[], Mapping[str, Constraint]] = getattr(importlib.import_module(module), name)
    return load()


def _read(requests: BinaryIO) -> tuple[float, list[tuple[Any, ...]]] | None:
    head = requests.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (size,) = LENGTH.unpack(head)
    data = requests.read(size)
    if len(data) < size:
        return None
    asked: tuple[float, list[tuple[Any, ...]]] = load_frame(data)[1]
    return asked


def _write(replies: int, data: bytes) -> None:
    written = os.write(replies, data)
    while written < len(data):  # The pipe was nearly full.
        written += os.write(replies, memoryview(data)[written:])
