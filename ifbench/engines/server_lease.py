"""Finds the machine's server for the embedded model, starts it where there is none, and keeps
it for as long as the lease is held.

All of it rests on three locks that the kernel keeps (`ServerFolder`): nothing here trusts a
process id, and nothing has to be cleaned up after a `kill -9`.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from urllib.parse import urlsplit

import ifbench
from ifbench.engines.file_lock import is_held, locked, open_for_lock, try_lock
from ifbench.engines.llama_server import Address, ServerFolder, ServerSpec, load_address
from ifbench.errors import PrerequisiteError
from ifbench.health import is_healthy
from ifbench.keys import content_key

START_S = 300.0
"""A server that has not begun to listen by then is given up; the default takes about 1 s."""
HEALTH_S = 5.0
HEALTH_TRIES = 3
POLL_S = 0.05
LAST_LINES = 8

# llama.cpp's threads spin while they wait for each other. Where other work wants the same CPUs,
# that cost more than half of the speed (1.5 against 3.7 tokens a second, load 7 on two cores).
PATIENT_THREADS = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0"}


class ServerLease:
    """One user's hold on a server. Its methods block and belong into a thread."""

    def __init__(self, spec: ServerSpec, root: Path | None = None) -> None:
        self._spec = spec
        self._root = root
        self._users: int | None = None

    def address(self) -> Address:
        """A server that answers, started if need be. Raises `PrerequisiteError`."""
        try:
            folder = ServerFolder((self._root or runtime_folder()) / server_key(self._spec))
            folder.path.mkdir(mode=0o700, exist_ok=True)
            with locked(folder.starting):
                joined = _join(folder)  # Anew each time: somebody may have cleared the folder.
                self.close()
                self._users = joined
                return _running(folder, self._spec)
        except OSError as error:
            raise PrerequisiteError(
                f"the server of the embedded model cannot be started: {error}"
            ) from error

    def close(self) -> None:
        """Let go; the server ends some seconds after its last user."""
        if self._users is not None:
            os.close(self._users)
            self._users = None


def runtime_folder() -> Path:
    """A folder of this user alone, the same for all processes on the machine.

    Raises `PrerequisiteError` when somebody else got there first: what lies in it is trusted.
    """
    path = Path(tempfile.gettempdir()) / f"ifbench-{os.getuid()}"
    path.mkdir(mode=0o700, exist_ok=True)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise PrerequisiteError(
            f"{path} is not a folder of yours alone; remove it, or set TMPDIR to another folder"
        )
    return path


def server_key(spec: ServerSpec) -> str:
    """Names a server by all that it depends on, the weights' file and llama.cpp included."""
    import importlib.metadata

    found = Path(spec.weights).stat()
    return content_key(
        {
            **asdict(spec),
            "file": [found.st_size, found.st_mtime_ns, found.st_ino],
            "xllamacpp": importlib.metadata.version("xllamacpp"),
        }
    )[:16]


def _join(folder: ServerFolder) -> int:
    users = open_for_lock(folder.users)
    while not try_lock(users, fcntl.LOCK_SH):  # The server looks whether anybody is left.
        time.sleep(POLL_S)
    return users


def _running(folder: ServerFolder, spec: ServerSpec) -> Address:
    """The server that is there, or else a new one. Needs `starting` and `users`."""
    if not is_held(folder.alive):
        _launch(folder, spec)
    address = _listening(folder)
    if any(_answers(address) for _ in range(HEALTH_TRIES)):
        return address
    if is_held(folder.alive):  # It hangs; and as it holds the lock, the id is still its own.
        os.kill(address.pid, signal.SIGKILL)
    while is_held(folder.alive):
        time.sleep(POLL_S)
    _launch(folder, spec)
    return _listening(folder)


def _listening(folder: ServerFolder) -> Address:
    """Where the server listens, as soon as it does; whoever launched it may be dead by now."""
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        address = load_address(folder)
        if address is not None:
            return address
        if not is_held(folder.alive):
            raise PrerequisiteError(
                f"the server of the embedded model ended while it started: {_last_words(folder)}"
            )
        time.sleep(POLL_S)
    raise PrerequisiteError(
        f"the server of the embedded model does not listen after {START_S:g} s; "
        f"its log is {folder.log}"
    )


def _answers(address: Address) -> bool:
    parts = urlsplit(address.url)
    assert parts.hostname is not None
    assert parts.port is not None
    return is_healthy(parts.hostname, parts.port, timeout_s=HEALTH_S)


def _launch(folder: ServerFolder, spec: ServerSpec) -> None:
    """Start a server, which is loading its weights when this returns."""
    folder.address.unlink(missing_ok=True)
    alive = open_for_lock(folder.alive)
    command = (sys.executable, "-m", "ifbench.engines.llama_server")
    packages = [str(Path(ifbench.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    try:
        try_lock(alive, fcntl.LOCK_EX)
        with folder.log.open("wb") as log:  # Of this server alone; the last one's is gone.
            subprocess.run(  # Returns at once: the process that is to stay has been forked off.
                (*command, str(folder.path), json.dumps(asdict(spec))),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(alive,),  # The lock lives as long as the server's copy is open.
                cwd="/",
                env={
                    **PATIENT_THREADS,
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join(filter(None, packages)),
                },
                start_new_session=True,
                check=False,
            )
    finally:
        os.close(alive)


def _last_words(folder: ServerFolder) -> str:
    text = folder.log.read_text(encoding="utf-8", errors="replace")
    lines = [line for line in text.splitlines() if line.strip()]
    return "\n".join(lines[-LAST_LINES:]) or "it wrote nothing"
