"""A sweep over three endpoints of unlike speed: its time beside that of the slowest alone.

    python benchmarks/fair.py [--samples 480] [--concurrency 8] [--executions local,ray] [--small]

The endpoints answer after 0.2, 0.5 and 1 s and take `concurrency` calls at once each. Each model
answers all samples: first each alone, then all three in one sweep; every run is an
`ifbench evaluate` with an empty store. The time of a run is that from the first answer to the
last (starting up is the same for all and told apart). Baselines, in the same run: the slowest
alone, and the sum of all three, which is what a sweep takes that has one model after the other.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from command_runs import REPLY, answered, prepare_environment, said, start, write_model
from throughput import write_samples

LATENCIES_S = {"fast": 0.2, "medium": 0.5, "slow": 1.0}
TARGET = 1.1


class Taken(NamedTuple):
    """What a run took."""

    seconds: float
    start_s: float
    """From the start of the command to the first answer."""


def run(folder: Path, log: Path, execution: str, names: Sequence[str], samples: int) -> Taken:
    """One `ifbench evaluate` over some of the models."""
    before, started = len(answered(log)), time.monotonic()
    child = start(
        folder,
        "evaluate",
        [
            "benchmark=scimif",
            f"benchmark.data={folder / 'samples.jsonl'}",
            f"candidates=[{','.join(names)}]",
            f"execution={execution}",
            f"store.uri={folder / f'store-{execution}-{len(names)}-{names[0]}'}",
            *("judge=null", "correctness=none"),
        ],
    )
    child.wait()
    given = answered(log)[before:]
    assert len(given) == samples * len(names), f"{len(given)} answers:\n{said(folder)}"
    return Taken(given[-1].moment - given[0].moment, given[0].moment - started)


def measure(options: argparse.Namespace, folder: Path) -> None:
    log = folder / "log"
    prepare_environment(log)
    from tests.engines.endpoint import EndpointProcess

    write_samples(folder, options.samples)
    with ExitStack() as stack:
        for name, latency_s in LATENCIES_S.items():
            endpoint = stack.enter_context(EndpointProcess(latency_s=latency_s, reply=REPLY))
            write_model(
                folder,
                name,
                engine="openai_chat",
                base_url=endpoint.url,
                limits={"concurrency": options.concurrency},
            )
        print("| execution | run | s | of the slowest alone | first answer after s | target |")
        print("|---|---|---|---|---|---|", flush=True)
        for execution in options.executions.split(","):
            alone = {
                name: run(folder, log, execution, (name,), options.samples) for name in LATENCIES_S
            }
            times = [one.seconds for one in alone.values()]
            slowest, whole = max(times), sum(times)
            sweep = run(folder, log, execution, tuple(LATENCIES_S), options.samples)
            for name, one in alone.items():
                print(f"| {execution} | {name} alone | {one.seconds:.1f} "
                      f"| {one.seconds / slowest:.2f} | {one.start_s:.1f} | |")  # fmt: skip
            print(
                f"| {execution} | one after the other | {whole:.1f} | {whole / slowest:.2f} | | |"
            )
            ratio = sweep.seconds / slowest
            print(
                f"| {execution} | sweep | {sweep.seconds:.1f} | {ratio:.3f} | {sweep.start_s:.1f} "
                f"| at most {TARGET}: {'pass' if ratio <= TARGET else 'SHORT'} |",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=480)
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--executions", default="local,ray")
    parser.add_argument("--small", action="store_true", help="48 samples, `local` alone")
    options = parser.parse_args()
    if options.small:
        options.samples, options.executions = 48, "local"
    with tempfile.TemporaryDirectory() as folder:
        measure(options, Path(folder))
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"load of the machine at the end: {load}; {os.cpu_count()} CPUs")


if __name__ == "__main__":
    main()
