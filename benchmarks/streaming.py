"""A streamed pipeline beside one with a barrier between its steps.

    python benchmarks/streaming.py [--waves 20] [--concurrency 32] [--latency 0.5] [--small]

The candidate and the judge are scripted and answer after `latency` seconds, `concurrency` calls
at once each; every sample has three checks by script and one by the judge. `streamed` runs the
steps as an evaluation does: each row goes on as soon as it is ready. Baseline, in the same run:
the same steps, each of which ends before the next begins, as where a step writes a file for the
next. Both are told beside the ideal of waves * latency (streamed) and twice that (barrier).
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from throughput import write_samples


def config_of(folder: Path, name: str, options: argparse.Namespace):
    from ifbench.config.values import Benchmark, Execution, RunConfig, StoreConfig
    from ifbench.types import Limits, ModelConfig

    candidate, judge = (
        ModelConfig(
            name=role,
            engine="scripted",
            model=role,
            options={"latency_s": options.latency},
            limits=Limits(concurrency=options.concurrency),
        )
        for role in ("candidate", "judge")
    )
    return RunConfig(
        benchmark=Benchmark(name="scimif", data=str(folder / "samples.jsonl")),
        candidates=(candidate,),
        judge=judge,
        correctness="none",
        execution=Execution(name="local"),
        store=StoreConfig(uri=str(folder / name)),
    )


def streamed(rows: Iterable, steps: tuple) -> Iterator:
    from ifbench.execution.local import LocalExecutor

    return LocalExecutor().run(rows, steps)


def with_barriers(rows: Iterable, steps: tuple) -> Iterator:
    for step in steps:
        rows = list(streamed(rows, (step,)))
    return iter(rows)


def timed(run: Callable, config) -> tuple[float, float]:
    """Seconds on the clock, and of the processor in this process and its ended children."""
    from ifbench.benchmarks.datasets import open_dataset
    from ifbench.runs import trials
    from ifbench.workers import evaluation_steps

    rows = list(trials(config, open_dataset(config.benchmark)))
    before, started = cpu_s(), time.monotonic()
    done = list(run(rows, evaluation_steps({"": config})))
    took_s, used_s = time.monotonic() - started, cpu_s() - before
    assert len(done) == len(rows)
    assert all(row.score is not None and row.score.is_complete for row in done)
    return took_s, used_s


def cpu_s() -> float:
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--waves", type=int, default=20, help="samples are waves * concurrency")
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--latency", type=float, default=0.5, help="seconds")
    parser.add_argument("--small", action="store_true", help="5 waves of 8 calls of 0.1 s")
    options = parser.parse_args()
    if options.small:
        options.waves, options.concurrency, options.latency = 5, 8, 0.1
    count, ideal_s = options.waves * options.concurrency, options.waves * options.latency
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_samples(folder, count, is_judged=True)
        timed(streamed, config_of(folder, "warm", options))  # Imports and templates.
        found = {
            "barrier": timed(with_barriers, config_of(folder, "barrier", options)),
            "streamed": timed(streamed, config_of(folder, "streamed", options)),
        }
    print("| pipeline | s | of the barrier | of its ideal | CPU ms a row |")
    print("|---|---|---|---|---|")
    for (arm, (took_s, used_s)), ideal in zip(found.items(), (2 * ideal_s, ideal_s), strict=True):
        print(f"| {arm} | {took_s:.1f} | {took_s / found['barrier'][0]:.2f} "
              f"| {took_s / ideal:.2f} | {1000 * used_s / count:.1f} |")  # fmt: skip
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"load of the machine at the end: {load}; {os.cpu_count()} CPUs")


if __name__ == "__main__":
    main()
