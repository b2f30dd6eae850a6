"""The process between us and a model's server: it ends the server when we are gone.

`python server_guard.py LIFELINE STATUS -- COMMAND…` (the standard library alone) leaves its parent at once (a
new session, adopted by init), starts the command in a process group of its own and waits for the
first of two things: the command ends by itself, or nobody holds the other end of the pipe
LIFELINE any more, however they went (`kill -9`, a node's raylet clearing up). Then it ends the
whole group, the server's own children included. What it does is told on the pipe STATUS, a JSON
object a line: `{"pid": 17}`, then `{"code": 1}`; or `{"error": "no such file"}`.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

POLL_S = 0.1
GRACE_S = 15.0
"""From SIGTERM to SIGKILL: vLLM takes some seconds to let go of its GPUs."""
_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def main(arguments: Sequence[str]) -> None:
    """Run the command until it ends or the lifeline does."""
    lifeline, status = int(arguments[0]), int(arguments[1])
    if os.fork():
        os._exit(0)  # The starter waits for this process only, and is left with no child.
    os.setsid()
    for descriptor in (lifeline, status):
        os.set_inheritable(descriptor, False)  # noqa: FBT003 - takes no names
    try:
        process = subprocess.Popen(
            list(arguments[3:]),
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=_end_with_guard,  # noqa: PLW1509 - this process has one thread
        )
    except OSError as error:
        _tell(status, {"error": str(error)})
        return
    _tell(status, {"pid": process.pid})
    while process.poll() is None and not _is_cut(lifeline):
        pass
    _end_group(process)
    _tell(status, {"code": process.returncode})


def _end_with_guard() -> None:
    """Have the kernel end the command, should this very process be killed. Linux only."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _is_cut(lifeline: int) -> bool:
    """Wait a moment; true once the pipe is at its end. Nothing is ever written into it."""
    ready, _, _ = select.select([lifeline], [], [], POLL_S)
    return bool(ready)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Ask the group to end, then end it; the first process may be gone before its children."""
    _signal(process.pid, signal.SIGTERM)
    deadline = time.monotonic() + GRACE_S
    while _is_there(process) and time.monotonic() < deadline:
        time.sleep(POLL_S)
    _signal(process.pid, signal.SIGKILL)
    process.wait()


def _is_there(process: subprocess.Popen[bytes]) -> bool:
    """True while a process of the group lives."""
    process.poll()  # A child that nobody waits for counts as one of its group.
    try:
        os.killpg(process.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # One of another user is left; it is not ours to wait for.
        return False
    return True


def _signal(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _tell(status: int, what: dict[str, Any]) -> None:
    with suppress(OSError):  # Nobody may be left to hear it.
        os.write(status, json.dumps(what).encode() + b"\n")


if __name__ == "__main__":
    main(sys.argv[1:])
