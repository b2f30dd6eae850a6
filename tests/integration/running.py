"""Runs `ifbench` as processes of its own against a counting endpoint, and says what was asked of it.

place = Place(folder, endpoint, log)
place.write_model("candidate", limits={"concurrency": 8})
done = place.evaluate("benchmark.limit=12")     ...  done.code, done.out, done.err
place.prompts()                                 ...  how often each prompt was asked
"""

from __future__ import annotations

import atexit
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml

from engines.endpoint import EndpointProcess, Fault, digest
from ifbench.benchmarks.datasets import data_path
from ifbench.cli import main
from ifbench.store import Store, read_scores, read_verdicts

REPLIES = Path(__file__).with_name("replies.py")
VIDEO_REPLIES = Path(__file__).with_name("video_replies.py")
BOTH_REPLIES = Path(__file__).with_name("both_replies.py")
LOG = "IFBENCH_TEST_LOG"
"""Names the file in which the endpoint notes what it answered; see `replies.py`."""
PREFLIGHT = '"content":"Hello"'
"""Stands in the body of a preflight call and of no other."""
SCRIPTS = Path(sys.executable).parent
"""Where `ifbench` itself is."""
WAIT_S = 240.0
"""Patience for a start on a machine that is busy."""
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    ["ifbench.commands.evaluate", "ifbench.commands.plan", "hydra", "openai"]
)
"""Processes that find imported what most commands import: two seconds of work for each otherwise."""


@dataclass(frozen=True, kw_only=True)
class Finished:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def last_line(self) -> str:
        """The last line of what was printed for the user."""
        return self.out.strip().splitlines()[-1]


@dataclass(kw_only=True)
class Running:
    """A command that goes on, in a process group of its own."""

    process: subprocess.Popen[str]
    out: Path

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Send a signal to the whole group, as a terminal does."""
        os.killpg(self.process.pid, number)

    def wait(self, timeout_s: float = WAIT_S) -> Finished:
        """Until it ends; the streams are those of a terminal, in one file."""
        code = self.process.wait(timeout_s)
        said = self.out.read_text()
        return Finished(code=code, out=said, err=said)


@dataclass(kw_only=True)
class Place:
    """One user's folder: a configuration, a store, and an endpoint that both models ask."""

    folder: Path
    endpoint: EndpointProcess
    log: Path
    execution: str = "local"
    environment: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._log_starts = self.log.stat().st_size if self.log.exists() else 0
        self.endpoint.reset()
        self.endpoint.behave()
        for name in ("candidate", "judge"):
            self.write_model(name)

    @property
    def store(self) -> str:
        return str(self.folder / "store")

    def write_model(self, name: str, **fields: Any) -> None:
        """Write one file of `conf/model/`; `limits` are what tests change most."""
        whole = {
            "engine": "openai_chat",
            "model": name,
            "base_url": self.endpoint.url,
            **fields,
            "limits": {"concurrency": 8, "timeout_s": 30, **fields.get("limits", {})},
        }
        path = self.folder / "conf" / "model" / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(whole))

    # ── Commands ─────────────────────────────────────────────────────────────────────

    def command(self, *overrides: str, name: str = "evaluate") -> list[str]:
        """The command line; an override of the same key later in it wins."""
        usual = {
            "candidates": "[candidate]",
            "judge": "judge",
            "execution": self.execution,
            "store.uri": self.store,
        }
        given = {override.partition("=")[0] for override in overrides}
        kept = [f"{key}={value}" for key, value in usual.items() if key not in given]
        return [name, "--config-dir", str(self.folder / "conf"), *kept, *overrides]

    def evaluate(self, *overrides: str) -> Finished:
        """Run `ifbench evaluate` to its end."""
        return self.run(self.command(*overrides))

    def run(self, arguments: Sequence[str]) -> Finished:
        """Run any command of `ifbench` to its end."""
        if "execution=ray" in arguments:
            return self._run([sys.executable, "-m", "ifbench.cli", *arguments])
        streams = [self.folder / f"{name}-{time.monotonic_ns()}.txt" for name in ("out", "err")]
        process = FORKS.Process(
            target=_command, args=(list(arguments), self.folder, self._env(), streams)
        )
        process.start()
        process.join(2 * WAIT_S)
        if process.exitcode is None:
            process.kill()
            raise TimeoutError(f"`ifbench {' '.join(arguments)}` did not end")
        out, err = (stream.read_text(errors="surrogateescape") for stream in streams)
        return Finished(code=process.exitcode, out=out, err=err)

    def run_line(self, line: str) -> Finished:
        """Give a line to the shell, as a user does who copies it from the screen."""
        return self._run(["/bin/sh", "-c", line])

    def _run(self, words: Sequence[str]) -> Finished:
        done = subprocess.run(
            words,
            cwd=self.folder,
            env=self._env(),
            capture_output=True,
            text=True,
            timeout=2 * WAIT_S,
            check=False,
        )
        return Finished(code=done.returncode, out=done.stdout, err=done.stderr)

    @contextmanager
    def start(self, *overrides: str) -> Iterator[Running]:
        """`ifbench evaluate` as a group of its own; what is left of it at the end is killed."""
        with self.start_program("-m", "ifbench.cli", *self.command(*overrides)) as running:
            yield running

    @contextmanager
    def start_program(self, *arguments: str) -> Iterator[Running]:
        """Python as a group of its own; what is left of it at the end is killed."""
        screen = self.folder / f"screen-{time.monotonic_ns()}.txt"
        with screen.open("w") as sink:
            process = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=self.folder,
                env=self._env(),
                stdout=sink,
                stderr=sink,
                text=True,
                start_new_session=True,
                preexec_fn=_heed_ctrl_c,  # noqa: PLW1509 - no thread of ours holds a lock
            )
        try:
            yield Running(process=process, out=screen)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(WAIT_S)

    def _env(self) -> dict[str, str]:
        path = f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}"
        return {**os.environ, "PATH": path, **self.environment}

    # ── What the endpoint saw ────────────────────────────────────────────────────────

    def behave(self, *faults: Fault) -> None:
        """How the endpoint treats prompts from now on; preflight is answered as ever."""
        self.endpoint.behave(Fault(match=PREFLIGHT), *faults)

    def slow_down(self, latency_s: float) -> None:
        """Let every answer take so long."""
        self.behave(Fault(latency_s=latency_s))

    def prompts(self) -> Counter[str]:
        """How often each prompt arrived since the start or the last `forget`, preflight apart."""
        arrived = Counter(self.endpoint.counts()["arrived"])
        for identity in [identity for identity in arrived if identity in self._preflights()]:
            del arrived[identity]
        return arrived

    def settled(self) -> frozenset[str]:
        """The prompts whose answers went out whole, preflight apart."""
        return frozenset(self.endpoint.counts()["answered"]) - self._preflights()

    def preflights(self) -> int:
        """How many preflight calls arrived."""
        arrived = self.endpoint.counts()["arrived"]
        return sum(n for identity, n in arrived.items() if identity in self._preflights())

    def _preflights(self) -> set[str]:
        names = [path.stem for path in (self.folder / "conf" / "model").iterdir()]
        hello = [{"role": "user", **json.loads(f"{{{PREFLIGHT}}}")}]
        return {digest({"model": name, "messages": hello}) for name in names}

    def forget(self) -> None:
        """Count from nothing again."""
        self.endpoint.reset()

    def answered(self, model: str | None = None) -> list[Mapping[str, Any]]:
        """What the endpoint noted of each answer that it gave in this place, preflight apart."""
        with self.log.open() as log:
            log.seek(self._log_starts)
            lines = [json.loads(line) for line in log]
        return [
            line for line in lines if line["kind"] != "preflight" and model in (None, line["model"])
        ]

    def wait_for(self, arrivals: int) -> None:
        """Until so many prompts have arrived."""
        wait_until(lambda: self.prompts().total() >= arrivals, f"{arrivals} prompts")

    def wait_for_preflight(self) -> None:
        """Until the first preflight call has arrived."""
        wait_until(lambda: self.preflights() > 0, "preflight")

    # ── What is stored ───────────────────────────────────────────────────────────────

    def stored(self) -> int:
        """Answers in the journal."""
        return len(Store(self.store).journal)

    def results(self, **partition: str) -> Results:
        """The scores and verdicts of all runs here, in one order."""
        return Results(
            scores=_rows(read_scores(self.store, **partition)),
            verdicts=_rows(read_verdicts(self.store, **partition)),
        )

    def samples_with(self, word: str) -> list[str]:
        """Ids of the starter samples whose instruction holds a word."""
        lines = data_path("builtin:scimif_starter").read_text().splitlines()
        records = [json.loads(line) for line in lines]
        return [record["id"] for record in records if word in record["instruction"]]

    def invocations(self) -> list[Mapping[str, Any]]:
        """How often each run's command was given, and how each time ended."""
        manifests = sorted(Path(self.store).glob("runs/*/manifest.json"))
        return [one for path in manifests for one in json.loads(path.read_text())["invocations"]]

    def causes(self) -> Counter[str]:
        """How many trials miss something, by cause."""
        return Counter(cause for row in self.results().scores for cause in row["causes"])


def _command(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str], streams: Sequence[Path]
) -> None:
    """A command in a process that was forked for it: its folder, its environment, its streams."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, stream in enumerate(streams, start=1):
        os.dup2(os.open(stream, os.O_WRONLY | os.O_CREAT, 0o600), number)
    try:
        code = main(arguments)
    finally:
        atexit._run_exitfuncs()  # Which a process of `multiprocessing` leaves out.
    sys.exit(code)


def _heed_ctrl_c() -> None:
    """A shell without job control has what it starts in the background ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@dataclass(frozen=True, kw_only=True)
class Results:
    """Results as plain rows. No column depends on when or where a run took place."""

    scores: list[dict[str, Any]]
    verdicts: list[dict[str, Any]]


def _rows(table: pa.Table) -> list[dict[str, Any]]:
    return sorted(table.to_pylist(), key=lambda row: json.dumps(row, sort_keys=True, default=str))


def wait_until(
    is_so: Callable[[], bool], what: str, timeout_s: float = WAIT_S, every_s: float = 0.02
) -> None:
    """Poll; raises `TimeoutError`."""
    deadline = time.monotonic() + timeout_s
    while not is_so():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {timeout_s:g} s for {what}")
        time.sleep(every_s)


# ── Kills, and what they may cost ────────────────────────────────────────────────────


@dataclass(frozen=True, kw_only=True)
class Kill:
    """What stood at the instant of a kill."""

    asked: frozenset[str]
    """Prompts that had arrived."""
    in_flight: int
    """Most calls that can have been under way: those at the endpoint a moment before, and all
    that arrived from then on. The moment is long enough for an earlier answer to be stored."""


SETTLE_S = 0.15
"""Time for an answer to travel to the client and to its disk."""


def killed(place: Place, kill: Callable[[], None]) -> Kill:
    """Kill something, and say what was under way."""
    before = place.endpoint.counts()
    time.sleep(SETTLE_S)
    kill()
    after = place.endpoint.counts()
    return Kill(
        asked=frozenset(place.prompts()),
        in_flight=before["in_flight"] + after["total"] - before["total"],
    )


def assert_paid_once(prompts: Counter[str], wanted: frozenset[str], allowed: int) -> None:
    """Every prompt was asked, and `allowed` calls at most were made for nothing."""
    assert set(prompts) == wanted
    assert prompts.total() - len(prompts) <= allowed


# ── Processes ────────────────────────────────────────────────────────────────────────


def descendants(pid: int) -> dict[int, str]:
    """The processes below one, by id, with their titles."""
    parents: dict[int, int] = {}
    titles: dict[int, str] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                stat = (entry / "stat").read_text()
                parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
                titles[int(entry.name)] = (
                    (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                )
    found: dict[int, str] = {}
    below = {pid}
    while below:
        below = {child for child, parent in parents.items() if parent in below}
        found |= {child: titles[child] for child in below}
    return found


def ray_workers(pid: int) -> list[int]:
    """Below a driver on Ray: workers, the board and processes for checks. Ray's own agents, which
    take a minute to end, are none of them.
    """
    names = ("MapWorker", "ray::Board", "check_server")
    return [one for one, title in descendants(pid).items() if any(name in title for name in names)]


def alive(pids: Sequence[int]) -> list[int]:
    """Those of the processes that still run; the dead that nobody has waited for do not."""
    running = []
    for pid in pids:
        with suppress(OSError):
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
            if state != "Z":
                running.append(pid)
    return running
