"""The process that serves the embedded model to everyone on this machine.

It is llama.cpp's own OpenAI-compatible server, run by `xllamacpp`, and is started by
`server_lease.py` as `python -m ifbench.engines.llama_server FOLDER SPEC`. It leaves its parent
at once (a new session, adopted by init), so that neither Ctrl-C in a terminal nor the end of
the worker that started it takes it from the others; and it ends by itself `IDLE_S` after the
last of its users is gone, however they went.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ifbench.engines.file_lock import open_for_lock, try_lock

IDLE_S = 10.0
CHECK_S = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSpec:
    """What a server serves; two specs that differ are two servers."""

    weights: str
    """Path of a GGUF file."""
    alias: str
    """The model id that replies carry."""
    context: int
    """Tokens of prompt and answer together, for each slot."""
    slots: int
    """Requests that are worked on at once; more wait their turn."""
    threads: int
    cache_prompt: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a server listens. The token keeps other users of the machine out."""

    url: str
    token: str
    pid: int


@dataclass(frozen=True, slots=True)
class ServerFolder:
    """The files by which a server and its users know of each other."""

    path: Path

    @property
    def starting(self) -> Path:
        """Held by whoever looks for the server, starts it, or ends it."""
        return self.path / "starting.lock"

    @property
    def users(self) -> Path:
        """Held, shared, by each user for as long as it lives."""
        return self.path / "users.lock"

    @property
    def alive(self) -> Path:
        """Held by the server for as long as it lives."""
        return self.path / "alive.lock"

    @property
    def address(self) -> Path:
        return self.path / "address.json"

    @property
    def log(self) -> Path:
        return self.path / "server.log"


def main(arguments: list[str]) -> None:
    """Serve until nobody is left. The lock on `alive` comes as an inherited descriptor."""
    folder, spec = ServerFolder(Path(arguments[0])), ServerSpec(**json.loads(arguments[1]))
    if os.fork():
        os._exit(0)  # The starter waits for this process only, and is left with no child.
    os.setsid()
    token = secrets.token_urlsafe(24)
    try:
        server = _start(spec, token)
    except RuntimeError as error:  # Its reason stands in the log, above this.
        sys.exit(f"llama.cpp: {error}")
    save_address(folder, Address(url=server.listening_address, token=token, pid=os.getpid()))
    _wait_until_unused(folder)
    os._exit(0)  # Without the server's own farewell: nobody is there to hear it.


def _start(spec: ServerSpec, token: str) -> Any:
    """A server that listens on a free port. Its log says why, where this raises RuntimeError."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = spec.weights
    params.model_alias = {spec.alias}
    params.n_ctx = spec.context * spec.slots  # llama.cpp divides it among the slots.
    params.n_parallel = spec.slots
    for threads in (params.cpuparams, params.cpuparams_batch):
        threads.n_threads, threads.poll = spec.threads, 0
    params.cache_prompt = spec.cache_prompt
    if not spec.cache_prompt:
        params.cache_ram_mib = 0
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [token]
    params.ui = params.endpoint_slots = False
    params.verbosity = 2  # Warnings and errors; one level more is six lines a request.
    return xllamacpp.Server(params)


def _wait_until_unused(folder: ServerFolder) -> None:
    """Return once nobody has used the server for `IDLE_S`, holding the lock that starts one."""
    users = open_for_lock(folder.users)
    last_used = time.monotonic()
    while True:
        time.sleep(CHECK_S)
        if not try_lock(users, fcntl.LOCK_EX):
            last_used = time.monotonic()
            continue
        if time.monotonic() - last_used >= IDLE_S and _may_end(folder):
            return
        fcntl.flock(users, fcntl.LOCK_UN)


def _may_end(folder: ServerFolder) -> bool:
    """True, with the starting lock ours until we end, unless somebody is about to use us."""
    starting = open_for_lock(folder.starting)
    if try_lock(starting, fcntl.LOCK_EX):
        folder.address.unlink(missing_ok=True)
        return True
    os.close(starting)
    return False


def save_address(folder: ServerFolder, address: Address) -> None:
    """Say where the server listens, to its own user only."""
    draft = folder.path / "address.draft"
    draft.touch(mode=0o600)
    draft.write_text(json.dumps(asdict(address)), encoding="ascii")
    draft.replace(folder.address)


def load_address(folder: ServerFolder) -> Address | None:
    """Where a server said that it listens; it may be gone since."""
    try:
        return Address(**json.loads(folder.address.read_text(encoding="ascii")))
    except (OSError, ValueError, TypeError):
        return None


if __name__ == "__main__":
    main(sys.argv[1:])
