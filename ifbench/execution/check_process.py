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
from contextlib import ExitStack
from typing import IO, Final

from ifbench.errors import PrerequisiteError
from ifbench.execution.check_frames import (
    BROKEN,
    CALLS,
    LENGTH,
    RECEIVED,
    EncodedCall,
    Frame,
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
_SLICE_S = 0.25
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
        self.batches = 0
        """How many were sent: what the first leaves behind is there when the second begins."""
        self._buffer = bytearray()
        self._frames: deque[Frame] = deque()
        with ExitStack() as opened:
            try:
                self._process = self._open(opened, catalogue, time_s, memory_mb)
            except OSError as error:  # No memory, no process or no descriptor to be had.
                raise PrerequisiteError(
                    f"the process for checks cannot be started: {error}"
                ) from error
            self._files = opened.pop_all()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests = self._process.stdin.fileno()
        self._replies = self._process.stdout.fileno()
        os.set_blocking(self._requests, False)
        self._can_write = _poll(self._requests, select.POLLOUT)
        self._can_read = _poll(self._replies, select.POLLIN)
        self._await_start()

    def _open(
        self, opened: ExitStack, catalogue: str, time_s: float, memory_mb: int
    ) -> subprocess.Popen[bytes]:
        place_file = opened.enter_context(_shared_file())
        place = place_file.fileno()
        self._place = opened.enter_context(mmap.mmap(place, LENGTH.size))
        self._errors = opened.enter_context(tempfile.TemporaryFile())  # noqa: SIM115  # closed with the rest
        arguments = (str(os.getpid()), catalogue, *map(str, (time_s, memory_mb, place)))
        return subprocess.Popen(
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

    def send(self, calls: Sequence[EncodedCall], *, singly: bool = False) -> None:
        """Hand over calls; on return the first of them begins. Singly: each result comes at once.

        Raises `ProcessEndedError` or `TimeoutError`: then none has begun.
        """
        tell_s = 0.0 if singly else TELL_S
        self._write(pack(CALLS, (tell_s, calls)))
        kind, _ = self.receive(SEND_S)
        assert kind == RECEIVED
        self.batches += 1

    @property
    def place(self) -> int:
        """Which of the calls sent last is in work, or was when the process ended."""
        (index,) = LENGTH.unpack_from(self._place)
        return int(index)

    def receive(self, timeout_s: float) -> Frame:
        """The next frame. Raises `TimeoutError`, or `ProcessEndedError`."""
        left_s = timeout_s
        while not self._frames:
            left_s = _wait(self._can_read, left_s)
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
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._files.close()

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
        left_s = SEND_S
        view = memoryview(data)
        while view:
            left_s = _wait(self._can_write, left_s)
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


def _wait(ready: select.poll, left_s: float) -> float:
    """Until the pipe is ready (or broken, which the caller meets); what is left of the time.

    It is counted in slices. Who was suspended together with the process has let it run for one
    slice at most, however late the clock says that it is. Raises `TimeoutError`.
    """
    while True:
        slice_s = min(max(left_s, 0.0), _SLICE_S)
        begin = time.monotonic()
        if ready.poll(slice_s * 1_000):
            return left_s - min(time.monotonic() - begin, slice_s)
        if left_s <= slice_s:
            raise TimeoutError("it does not answer")
        left_s -= slice_s


def _in_words(status: int) -> str:
    if status >= 0:
        return f"the process ended with exit code {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    return f"the process was ended by {name}"
