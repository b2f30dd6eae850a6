"""Requests a second against an endpoint of 1 s: a plain loop, `local` and `ray`, side by side.

    python benchmarks/throughput.py [--settings 1:128:20,0.2:64:60] [--rounds 1] [--small]

A setting is an endpoint's latency, the calls in flight, and how many waves of them are asked.

The ideal is concurrency / latency. The plain loop asks through the same client and the same
journal (ifbench's asker) and does nothing else; `local` and `ray` also verify and score. Each
arm is a process of its own with an empty store, and the endpoint is another. Every answer
holds the moment at which the endpoint gave it: the rate is counted over the waves in the
middle, without the first four (start-up) and the last three (where there is less and less to
ask). Processor time is that of the arm's processes in the same window, endpoint excluded.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ARMS = ("loop", "local", "ray", "ray2")
"""`ray2` is `ray` with `execution.workers.generate=2`: two event loops ask."""
FIRST_WAVES, LAST_WAVES = 4, 3
STEPS = ["name the force", "name the way", "multiply"]
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


def timed_reply(_: Mapping[str, object]) -> str:
    """What the endpoint says (it loads this file): an answer, and when it was given."""
    return f"the work is 12.50 j, given at {time.monotonic():.6f}"


# ── One arm, in a process of its own ─────────────────────────────────────────────────


def run_arm(arm: str, url: str, folder: Path, concurrency: int, count: int) -> list[float]:
    """Ask everything; the moments of the answers, in order."""
    from ifbench.benchmarks.datasets import open_dataset
    from ifbench.commands.evaluate import build_executor
    from ifbench.config.values import Benchmark, Execution, RunConfig, StoreConfig, Workers
    from ifbench.keys import prompt_key
    from ifbench.runs import trials
    from ifbench.stages.prepare import prepare
    from ifbench.store import open_store
    from ifbench.types import Limits, ModelConfig, Prompt
    from ifbench.workers import evaluation_steps

    model = ModelConfig(
        name="candidate",
        engine="openai_chat",
        model="candidate",
        base_url=url,
        limits=Limits(concurrency=concurrency),
    )
    config = RunConfig(
        benchmark=Benchmark(name="scimif", data=str(write_samples(folder, count))),
        candidates=(model,),
        execution=Execution(
            name="ray" if arm in {"ray", "ray2"} else "local",
            workers=Workers(generate=2 if arm == "ray2" else 1),
        ),
        store=StoreConfig(uri=str(folder / "store")),
    )
    rows = list(trials(config, open_dataset(config.benchmark)))
    if arm == "loop":
        asyncio.run(plain_loop(model, rows, config.store.uri))
    else:
        finished = list(build_executor(config).run(rows, evaluation_steps({"": config})))
        assert all(row.score is not None and row.score.is_complete for row in finished)
        assert len(finished) == count
    journal = open_store(config.store.uri).journal
    prompts = [prompt for row in rows if isinstance(prompt := prepare(row.item), Prompt)]
    answers = journal.lookup([prompt_key(prompt) for prompt in prompts])
    assert len(answers) == count, f"{len(answers)} of {count} answers are stored"
    return sorted(float(answer.text.rsplit(" ", 1)[1]) for answer in answers.values())


async def plain_loop(model, rows, store_uri: str) -> None:
    """Tasks that ask for one row after the other: twice as many as the limiter lets through."""
    from ifbench.engines.build import open_asker
    from ifbench.engines.engine import no_media
    from ifbench.stages.prepare import prepare
    from ifbench.store import open_store

    journal = open_store(store_uri).journal
    left = iter(rows)
    async with open_asker([model], journal, no_media) as ask:

        async def work() -> None:
            for row in left:
                await ask(prepare(row.item))

        await asyncio.gather(*(work() for _ in range(2 * model.limits.concurrency)))
    journal.close()


def write_samples(folder: Path, count: int, *, is_judged: bool = False) -> Path:
    """Short questions with three checks each, and one item for a judge where there is one."""
    from ifbench.benchmarks.records import FORMAT

    path = folder / "samples.jsonl"
    checks = (
        ("general:all_lowercase", {}),
        ("general:decimal_number", {"places": 2}),
        ("general:json_constraint", {}),
        *((("physics:analysis_steps", {"steps": STEPS}),) if is_judged else ()),
    )
    with path.open("w") as file:
        for number in range(count):
            question = f"A force of {number + 2} N moves a cart by 3.1 m. What is the work in J?"
            record = {
                "format": FORMAT,
                "id": f"cart-{number}",
                "benchmark": "scimif",
                "instruction": f"{question} Use lower case only and two decimal places.",
                "checklist": [{"constraint": name, "params": params} for name, params in checks],
            }
            file.write(json.dumps(record) + "\n")
    return path


# ── Processor time of an arm, read from outside ──────────────────────────────────────


class Used(NamedTuple):
    """Processor seconds by process name, up to a moment."""

    moment: float
    seconds: Counter[str]


class Watch:
    """Reads every second what the tree under one process has used."""

    def __init__(self, root: int) -> None:
        self._root = root
        self._last: dict[int, tuple[str, float]] = {}
        self.seen: list[Used] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        self._thread.join()

    def between(self, start: float, end: float) -> Counter[str]:
        """Processor seconds by process between two moments."""
        inside = [used for used in self.seen if start <= used.moment <= end]
        if len(inside) < 2:
            return Counter()
        used = Counter(inside[-1].seconds)
        used.subtract(inside[0].seconds)
        share = (end - start) / (inside[-1].moment - inside[0].moment)
        return Counter({name: seconds * share for name, seconds in used.items()})

    def _run(self) -> None:
        while not self._over.wait(1.0):
            self._last |= _tree(self._root)  # One that has ended keeps what it had used.
            total: Counter[str] = Counter()
            for name, seconds in self._last.values():
                total[name] += seconds
            self.seen.append(Used(time.monotonic(), total))


def _tree(root: int) -> dict[int, tuple[str, float]]:
    """Name and processor seconds of a process and all below it."""
    seen: dict[int, tuple[int, str, float]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat, command = (entry / "stat").read_text(), (entry / "cmdline").read_bytes()
            except OSError:  # It has ended meanwhile.
                continue
            fields = stat.rpartition(")")[2].split()
            seconds = (int(fields[11]) + int(fields[12])) * TICK_S
            seen[int(entry.name)] = (int(fields[1]), _name(command), seconds)
    inside = {root}
    while more := {pid for pid, row in seen.items() if row[0] in inside} - inside:
        inside |= more
    return {pid: seen[pid][1:] for pid in inside if pid in seen}


def _name(command: bytes) -> str:
    words = command.decode(errors="replace").split("\0")
    if "ray::" in words[0]:
        return words[0].split(".")[0].replace("ray::MapWorker(MapBatches", "ray::step").rstrip(")")
    for word in words:
        if "check_server" in word:
            return "checks"
        if word.endswith(("/raylet", "/gcs_server", ".py")):
            return Path(word).name
    return Path(words[0]).name


# ── All arms, one after the other ────────────────────────────────────────────────────


class Targets(NamedTuple):
    """What `ray` is to reach in a setting."""

    of_ideal: float
    of_loop: float

    def told(self, of_ideal: float, of_loop: float) -> str:
        is_met = of_ideal >= self.of_ideal and of_loop >= self.of_loop
        ideal = f"{self.of_ideal} of the ideal, " if self.of_ideal else ""
        return f"{ideal}{self.of_loop} of the loop: {'pass' if is_met else 'SHORT'}"


TARGETS = {(1.0, 128): Targets(0.93, 0.97), (0.2, 64): Targets(0.0, 0.9)}
"""By latency and calls in flight."""


class Figures(NamedTuple):
    """What one arm did in its window."""

    per_s: float
    first_answer_s: float
    """From the start of the arm's process to the first answer."""
    cpu_ms: Counter[str]
    """A call, by process."""


def measure(arm: str, options: argparse.Namespace, folder: Path) -> Figures:
    from tests.engines.endpoint import EndpointProcess

    count = options.concurrency * options.waves
    folder.mkdir()
    with EndpointProcess(latency_s=options.latency, reply=f"{__file__}:timed_reply") as endpoint:
        started = time.monotonic()
        child = subprocess.Popen(
            [
                *(sys.executable, __file__, "--arm", arm, "--url", endpoint.url),
                *("--folder", str(folder)),
                *("--settings", f"{options.latency}:{options.concurrency}:{options.waves}"),
            ],
            stdout=subprocess.PIPE,
        )
        watch = Watch(child.pid)
        output, _ = child.communicate()
        watch.stop()
        assert child.returncode == 0, f"the arm `{arm}` has failed"
    moments = json.loads(output.splitlines()[-1])
    # Whole waves, so that it does not matter whether answers come evenly or in bunches.
    first, last = FIRST_WAVES * options.concurrency, count - LAST_WAVES * options.concurrency
    start, end = moments[first], moments[last]
    used = watch.between(start, end)
    return Figures(
        per_s=(last - first) / (end - start),
        first_answer_s=moments[0] - started,
        cpu_ms=Counter({name: s * 1000 / (last - first) for name, s in used.items()}),
    )


def rows_of(
    found: Mapping[str, Sequence[Figures]], ideal: float, targets: Targets | None
) -> Iterator[str]:
    yield (
        "| arm | requests a second | of the ideal | of the loop | CPU ms a call | first answer s "
        "| target |"
    )
    yield "|---|---|---|---|---|---|---|"
    yield f"| ideal | {ideal:.1f} | 1 | | | | |"
    loops = [figures.per_s for figures in found.get("loop", ())]
    for arm, several in found.items():
        rate = statistics.median(figures.per_s for figures in several)
        of_loop = (
            statistics.median(
                figures.per_s / loop for figures, loop in zip(several, loops, strict=False)
            )
            if loops
            else float("nan")
        )
        cpu = statistics.median(figures.cpu_ms.total() for figures in several)
        first = statistics.median(figures.first_answer_s for figures in several)
        told = targets.told(rate / ideal, of_loop) if targets and arm.startswith("ray") else ""
        yield (
            f"| {arm} | {rate:.1f} | {rate / ideal:.3f} | {of_loop:.3f} | {cpu:.2f} "
            f"| {first:.1f} | {told} |"
        )


def print_processes(found: Mapping[str, Sequence[Figures]]) -> None:
    for arm, several in found.items():
        words = [f"{name} {ms:.2f}" for name, ms in several[-1].cpu_ms.most_common() if ms >= 0.02]
        print(f"{arm}: CPU ms a call by process: {', '.join(words)}")


def compare(options: argparse.Namespace) -> None:
    """All arms in one setting."""
    sys.path.insert(0, str(Path(__file__).parent.parent))  # For the tests' endpoint.
    found: dict[str, list[Figures]] = {arm: [] for arm in options.arms.split(",")}
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(options.rounds):
            for arm, several in found.items():
                several.append(measure(arm, options, Path(folder) / f"{arm}-{turn}"))
    print(f"latency {options.latency:g} s, {options.concurrency} calls in flight")
    targets = TARGETS.get((options.latency, options.concurrency))
    print("\n".join(rows_of(found, options.concurrency / options.latency, targets)))
    print_processes(found)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--settings", default="1:128:20,0.2:64:60", help="LATENCY:CALLS:WAVES,…")
    parser.add_argument("--rounds", type=int, default=1, help="the tables show medians")
    parser.add_argument("--arms", default=",".join(ARMS))
    parser.add_argument("--small", action="store_true", help="a short look at `loop` and `local`")
    for inner in ("--arm", "--url", "--folder"):
        parser.add_argument(inner, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.small:
        options.settings, options.arms = "0.2:16:12", "loop,local"
    for setting in options.settings.split(","):
        latency, concurrency, waves = setting.split(":")
        options.latency, options.concurrency, options.waves = (
            float(latency), int(concurrency), int(waves),
        )  # fmt: skip
        if options.arm:
            count = options.concurrency * options.waves
            folder = Path(options.folder)
            print(json.dumps(run_arm(options.arm, options.url, folder, options.concurrency, count)))
            return
        compare(options)
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"{options.rounds} rounds; load of the machine at the end: {load}; {os.cpu_count()} CPUs")


if __name__ == "__main__":
    main()
