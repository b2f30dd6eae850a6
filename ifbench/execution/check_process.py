"""The parent's hold on one process that runs checks: start it, send, receive, kill."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Sequence
from typing import Final

from ifbench.constraints.running import CheckCall
from ifbench.errors import PrerequisiteError
from ifbench.execution.check_frames import (
    BROKEN,
    CALLS,
    RECEIVED,
    Frame,
    encode_call,
    pack,
    unpack,
)

START_S = 120.0
"""Time for a new process to import every constraint, on a machine that is busy."""
SEND_S = 60.0
"""Time for a process to take a batch in."""

GATHER_S = 0.005
"""Time in which replies gather; a pipe holds those of some hundred checks."""

_READ_BYTES = 1 << 18
_COMMAND: Final = (
    "import sys; from ifbench.execution.check_server import serve;"
    " serve(int(sys.argv[1]), sys.argv[2], float(sys.argv[3]), int(sys.argv[4]))"
)


class ProcessEndedError(Exception):
    """The process is gone; `by_clock` when it ran out of processor time."""

    def __init__(self, status: int) -> None:
        self.by_clock = status == -signal.SIGPROF
        super().__init__(_in_words(status))


class CheckProcess:
    """One child process. Not thread-safe: one thread starts it and talks to it."""

    def __init__(self, *, catalogue: str, time_s: float, memory_mb: int) -> None:
        """Raises `PrerequisiteError` when the process cannot be started."""
        arguments = (str(os.getpid()), catalogue, str(time_s), str(memory_mb))
        self._buffer = bytearray()
        self._frames: deque[Frame] = deque()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # closed by `kill`
        self._process = subprocess.Popen(
            # A child that is forked, not spawned, would inherit locks that a thread holds.
            [sys.executable, "-P", "-c", _COMMAND, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            bufsize=0,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=True,  # Ctrl-C in the terminal goes to the parent alone.
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests = self._process.stdin.fileno()
        self._replies = self._process.stdout.fileno()
        os.set_blocking(self._requests, False)
        self._can_write = _poll(self._requests, select.POLLOUT)
        self._can_read = _poll(self._replies, select.POLLIN)
        self._await_start()

    def send(self, calls: Sequence[CheckCall]) -> None:
        """Hand over calls; on return the first of them begins.

        Raises `ProcessEndedError` or `TimeoutError`: then none has begun.
        """
        self._write(pack(CALLS, [encode_call(call) for call in calls]))
        kind, _ = self.receive(SEND_S)
        assert kind == RECEIVED

    def receive(self, timeout_s: float) -> Frame:
        """The next frame. Raises `TimeoutError`, or `ProcessEndedError`."""
        if not self._frames:
            self._frames.extend(self.receive_some(timeout_s))
        return self._frames.popleft()

    def receive_some(self, timeout_s: float, *, more_follow: bool = False) -> Sequence[Frame]:
        """The next frames, one at least. Raises `TimeoutError`, or `ProcessEndedError`.

        Where more follow, it lets some of them gather: to be woken for each costs as much as a
        quick check. They stay in the pipe, so that none is lost when the process ends.
        """
        if self._frames:
            frames = list(self._frames)
            self._frames.clear()
            return frames
        deadline = time.monotonic() + timeout_s
        while True:
            _wait(self._can_read, deadline)
            if more_follow:
                time.sleep(GATHER_S)
            data = os.read(self._replies, _READ_BYTES)
            if not data:
                raise ProcessEndedError(self._process.wait())
            self._buffer += data
            if frames := unpack(self._buffer):
                return frames

    def end(self) -> None:
        """Kill the process, whatever it does. Any thread may call; `kill` is still owed."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    def kill(self) -> None:
        """Kill the process and close its pipes. May be called twice."""
        self.end()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._errors):
            if pipe is not None:
                pipe.close()

    def _await_start(self) -> None:
        try:
            kind, body = self.receive(START_S)
        except (ProcessEndedError, TimeoutError) as error:
            self._errors.seek(0)
            said = self._errors.read().decode(errors="replace").strip()
            self.kill()
            raise PrerequisiteError(
                f"the process for checks did not start: {error}; {said[-500:]}"
            ) from error
        if kind == BROKEN:
            self.kill()
            raise PrerequisiteError(f"the constraints cannot be imported: {body}")

    def _write(self, data: bytes) -> None:
        deadline = time.monotonic() + SEND_S
        view = memoryview(data)
        while view:
            _wait(self._can_write, deadline)
            try:
                view = view[os.write(self._requests, view) :]
            except BrokenPipeError:
                raise ProcessEndedError(self._process.wait()) from None


def _poll(descriptor: int, event: int) -> select.poll:
    ready = select.poll()  # Unlike select, it takes descriptors above 1,023.
    ready.register(descriptor, event)
    return ready


def _wait(ready: select.poll, deadline: float) -> None:
    """Until the pipe is ready (or broken, which the caller meets). Raises `TimeoutError`."""
    if not ready.poll(max(deadline - time.monotonic(), 0.0) * 1_000):
        raise TimeoutError("it does not answer")


def _in_words(status: int) -> str:
    if status >= 0:
        return f"the process ended with exit code {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    return f"the process was ended by {name}"
