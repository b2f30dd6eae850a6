"""How time and the driver's memory grow with the number of trials planned.

    python benchmarks/growth.py [--planned 10000,1000000] [--ran 10000,100000] [--small]

Each sample is put five times to each of two scripted models, so that a million trials are of
100,000 samples. `plan` is `ifbench plan` over an empty store, at every size whole. `evaluate`
runs all trials through the pipeline, which at a million would take hours here: it is measured
at two smaller sizes, and what stands for the largest planned size is *extrapolated*, on the line
through both. Memory is the peak of the command's own process, beside that
of the first size.

Baseline, in the same run: planning as one would write it down, with a list of all trials and a
set of the keys of all prompts.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from command_runs import prepare_environment, said, start, write_model
from process_memory import MemoryWatch
from throughput import write_samples

ATTEMPTS, MODELS = 5, ("one", "other")
TARGET = 2.0


class Taken(NamedTuple):
    """What a command took."""

    seconds: float
    peak: float
    """MB of its own process."""
    peak_of_tree: float


def overrides(folder: Path, execution: str) -> list[str]:
    return [
        "benchmark=scimif",
        f"benchmark.data={folder / 'samples.jsonl'}",
        f"candidates=[{','.join(MODELS)}]",
        f"attempts={ATTEMPTS}",
        f"execution={execution}",
        f"store.uri={folder / 'store'}",
        *("judge=null", "correctness=none"),
    ]


NAIVE = """
import sys
from pathlib import Path
import growth
growth.plan_naively(Path(sys.argv[1]))
"""


def plan_naively(folder: Path) -> None:
    """All trials in a list, all keys in a set."""
    from ifbench.benchmarks.datasets import open_dataset
    from ifbench.config import load_config
    from ifbench.keys import prompt_key
    from ifbench.runs import trials
    from ifbench.stages.prepare import prepare

    config = load_config(overrides(folder, "local"), config_dir=folder / "conf")
    rows = list(trials(config, open_dataset(config.benchmark)))
    keys = {prompt_key(prepare(row.item)) for row in rows}
    print(len(rows), len(keys))


def measure(folder: Path, count: int, what: str) -> Taken:
    """One command over `count` trials, from an empty store."""
    folder.mkdir()
    for name in MODELS:
        write_model(folder, name, engine="scripted", limits={"concurrency": 64})
    write_samples(folder, count // (ATTEMPTS * len(MODELS)))
    began = time.monotonic()
    if what == "naive":
        child = subprocess.Popen([sys.executable, "-c", NAIVE, str(folder)], stdout=-3)
    else:
        command, _, execution = what.partition(" ")
        child = start(folder, command, overrides(folder, execution or "local"))
    watch = MemoryWatch(child, 0.2)
    watch.join()
    took_s = time.monotonic() - began
    assert child.returncode == 0, said(folder)
    return Taken(took_s, watch.peak, watch.peak_of_tree)


def line(what: str, count: int, one: Taken, first: Taken, target: str = "") -> str:
    return (
        f"| {what} | {count:,} | {one.seconds:.1f} | {one.peak:.0f} | {one.peak / first.peak:.2f} "
        f"| {one.peak_of_tree:.0f} | {target} |"
    )


def verdict(ratio: float) -> str:
    return f"at most {TARGET:.0f}: {'pass' if ratio <= TARGET else 'SHORT'}"


def print_arm(folder: Path, what: str, counts: Sequence[int], largest: int) -> None:
    found = {count: measure(folder / f"{what}-{count}", count, what) for count in counts}
    first, last = found[counts[0]], found[counts[-1]]
    for count, one in found.items():
        is_told = count == largest > counts[0] and what != "naive"
        told = verdict(one.peak / first.peak) if is_told else ""
        print(line(what, count, one, first, told), flush=True)
    if counts[-1] < largest and len(counts) > 1:
        steps = (largest - counts[0]) / (counts[-1] - counts[0])
        peak = first.peak + steps * (last.peak - first.peak)
        seconds = first.seconds + steps * (last.seconds - first.seconds)
        print(f"| {what}, *extrapolated* | {largest:,} | {seconds:.0f} | {peak:.0f} "
              f"| {peak / first.peak:.2f} | | {verdict(peak / first.peak)} |", flush=True)  # fmt: skip


def numbers(text: str) -> list[int]:
    return [int(one) for one in text.split(",") if one]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--planned", type=numbers, default=[10_000, 1_000_000])
    parser.add_argument("--ran", type=numbers, default=[10_000, 100_000])
    parser.add_argument("--arms", default="plan,naive,evaluate local,evaluate ray")
    parser.add_argument("--small", action="store_true", help="100 and 1,000 trials, without Ray")
    options = parser.parse_args()
    if options.small:
        options.planned, options.ran = [100, 1000], [100, 500]
        options.arms = "plan,naive,evaluate local"
    print("| what | trials | s | peak MB of the driver | of the first | of the tree | target |")
    print("|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare_environment(folder / "log")
        for what in options.arms.split(","):
            counts = options.ran if what.startswith("evaluate") else options.planned
            print_arm(folder, what, counts, options.planned[-1])
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"load of the machine at the end: {load}; {os.cpu_count()} CPUs")


if __name__ == "__main__":
    main()
