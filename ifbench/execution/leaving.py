"""A node that is about to go: its workers begin nothing more, and what is in flight comes in.

A pod that is taken away (a spot node, a preempted queue, a cluster that shrinks) runs `leave`
before it is stopped. It leaves a note; workers of the same node read it and hold the rows that
they have not begun, which Ray then gives to other nodes. An answer in flight is stored as ever,
so nothing is asked twice. Without `IFBENCH_LEAVING_FILE` in the environment nothing is read.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

VARIABLE = "IFBENCH_LEAVING_FILE"
"""Names the note: a path that all processes of a node share, and no other node."""
DRIVER = "jobs/evaluate.py"
WORKER = "MapWorker"
"""Stands in the titles that Ray gives to workers of its data pipelines."""
POLL_S = 0.2


def is_leaving() -> bool:
    """True once this node is about to go."""
    note = os.environ.get(VARIABLE)
    return Path(note).exists() if note else False


def leave(seconds: float, processes: Path = Path("/proc")) -> None:
    """Leave the note, stop a driver of this node in order, and wait until both have ended.

    Returns as soon as none of our processes is left, and after `seconds` in any case.
    """
    note = os.environ.get(VARIABLE)
    if note:
        Path(note).touch()
    for pid in drivers(processes):
        with suppress(ProcessLookupError):  # it has ended meanwhile
            os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and _ours(processes):
        time.sleep(POLL_S)


def drivers(processes: Path) -> list[int]:
    """The processes that run the main job; the shells around them are not among them."""
    return [
        pid for pid, words in _commands(processes) if any(word.endswith(DRIVER) for word in words)
    ]


def _ours(processes: Path) -> bool:
    return any(
        WORKER in words[0] or any(word.endswith(DRIVER) for word in words)
        for _, words in _commands(processes)
    )


def _commands(processes: Path) -> Iterator[tuple[int, list[str]]]:
    """Command lines, as Linux shows them; of a process that has ended there is none."""
    for folder in processes.iterdir():
        if not folder.name.isdigit():
            continue
        try:
            line = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        words = [os.fsdecode(word) for word in line.split(b"\0") if word]
        if words:
            yield int(folder.name), words
