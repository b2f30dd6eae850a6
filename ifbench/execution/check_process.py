"""The parent's hold on one process that runs checks: start it, send, receive, kill.

Results come some at a time. Which call is in work stands in a few bytes that both processes map:
they outlive the child, so that it is known which call has ended it.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Sequence
from typing import IO, Final

from ifbench.constraints.running import CheckCall
from ifbench.errors import PrerequisiteError
from ifbench.execution.check_frames import (
    BROKEN,
    CALLS,
    LENGTH,
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

TELL_S = 0.1
"""Results gather for so long: to wake the parent for each costs as much as a quick check."""

_READ_BYTES = 1 << 18
_COMMAND: Final = (
    "import sys; from ifbench.execution.check_server import serve;"
    " serve(int(sys.argv[1]), sys.argv[2], float(sys.argv[3]), *map(int, sys.argv[4:]))"
)


class ProcessEndedError(Exception):
    """The process is gone; `by_clock` when it ran out of processor time."""

    def __init__(self, status: int) -> None:
        self.by_clock = status == -signal.SIGPROF
        self.by_signal = status < 0
        super().__init__(_in_words(status))


class CheckProcess:
    """One child process. Not thread-safe: one thread starts it and talks to it."""

    def __init__(self, *, catalogue: str, time_s: float, memory_mb: int) -> None:
        """Raises `PrerequisiteError` when the process cannot be started."""
        self._place_file = _shared_file()
        place = self._place_file.fileno()
        self._place = mmap.mmap(place, LENGTH.size)
        arguments = (str(os.getpid()), catalogue, *map(str, (time_s, memory_mb, place)))
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
            pass_fds=(place,),
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

    def send(self, calls: Sequence[CheckCall], *, singly: bool = False) -> None:
        """Hand over calls; on return the first of them begins. Singly: each result comes at once.

        Raises `ProcessEndedError` or `TimeoutError`: then none has begun.
        """
        tell_s = 0.0 if singly else TELL_S
        self._write(pack(CALLS, (tell_s, [encode_call(call) for call in calls])))
        kind, _ = self.receive(SEND_S)
        assert kind == RECEIVED

    @property
    def place(self) -> int:
        """Which of the calls sent last is in work, or was when the process ended."""
        (index,) = LENGTH.unpack_from(self._place)
        return int(index)

    def receive(self, timeout_s: float) -> Frame:
        """The next frame. Raises `TimeoutError`, or `ProcessEndedError`."""
        deadline = time.monotonic() + timeout_s
        while not self._frames:
            _wait(self._can_read, deadline)
            data = os.read(self._replies, _READ_BYTES)
            if not data:
                raise ProcessEndedError(self._process.wait())
            self._buffer += data
            self._frames.extend(unpack(self._buffer))
        return self._frames.popleft()

    def end(self) -> None:
        """Kill the process, whatever it does. Any thread may call; `kill` is still owed."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    def kill(self) -> None:
        """Kill the process and close its pipes. May be called twice."""
        self.end()
        self._process.wait()
        self._place.close()
        for file in (self._process.stdin, self._process.stdout, self._errors, self._place_file):
            if file is not None:
                file.close()

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


def _shared_file() -> IO[bytes]:
    """A few bytes for both processes to map: on Linux in memory, as a disk may be full."""
    if sys.platform == "linux":
        file: IO[bytes] = os.fdopen(os.memfd_create("ifbench-place"), "r+b", buffering=0)
    else:
        file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  # closed by `kill`
    file.write(bytes(LENGTH.size))
    return file


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
