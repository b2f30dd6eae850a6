"""Verifier speed: samples a second on one core, with the isolation on, beside two baselines.

    python benchmarks/verifiers.py [--seconds 10] [--core 0]

A sample is one answer of about 1,000 characters with three checks on it
(`data/verifier_answers.jsonl`). Parent and child share one core. The baselines: the same
checks called directly, without any bound; and a process for each sample, the plain way to
isolate. All run in turn in one run. On a busy machine the clock says little: the rate per
second of processor time (parent and child together) is what a quiet core would do.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ifbench.constraints import all_constraints
from ifbench.constraints.running import CheckCall, run_check
from ifbench.execution.sandbox import Sandbox
from ifbench.types import Outcome

DATA = Path(__file__).parent / "data" / "verifier_answers.jsonl"
AIM = 2_000
SANDBOX = "sandbox, batches"
IN_FLIGHT = 64
"""Rows that are checked at once through the asynchronous front."""

Sample = tuple[CheckCall, ...]


def load_samples() -> list[Sample]:
    """The committed answers, with their parameters bound as a run binds them."""
    constraints = all_constraints()
    samples = []
    for line in DATA.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        samples.append(
            tuple(
                CheckCall(
                    constraint_id=item["constraint"],
                    params=constraints[item["constraint"]].params.model_validate(item["params"]),
                    text=record["response"],
                )
                for item in record["checklist"]
            )
        )
    return samples


def run_directly(samples: Sequence[Sample]) -> None:
    for sample in samples:
        for call in sample:
            run_check(call)


def run_in_sandbox(sandbox: Sandbox, samples: Sequence[Sample]) -> None:
    sandbox.run([call for sample in samples for call in sample])


def run_in_rows(sandbox: Sandbox, samples: Sequence[Sample]) -> None:
    """As the verify step asks: a row at a time, many rows at once."""

    async def all_rows() -> None:
        gate = asyncio.Semaphore(IN_FLIGHT)

        async def row(sample: Sample) -> None:
            async with gate:
                await sandbox.check(sample)

        await asyncio.gather(*(row(sample) for sample in samples))

    asyncio.run(all_rows())


_ONE_SAMPLE = """
import json, sys
from ifbench.constraints.running import CheckCall, run_check
for name, params, text in json.load(sys.stdin):
    run_check(CheckCall(constraint_id=name, params=params, text=text))
"""


def run_in_processes(samples: Sequence[Sample]) -> None:
    for sample in samples:
        calls = [(call.constraint_id, call.params_json, call.text) for call in sample]
        subprocess.run(
            [sys.executable, "-c", _ONE_SAMPLE], input=json.dumps(calls), text=True, check=True
        )


@dataclass(frozen=True, slots=True)
class Rate:
    """Samples a second, of the least disturbed pass."""

    by_clock: float
    by_processor: float


def measure(
    run: Callable[[Sequence[Sample]], None],
    samples: Sequence[Sample],
    seconds: float,
    processor_s: Callable[[], float],
) -> Rate:
    by_clock = by_processor = 0.0
    end = time.monotonic() + seconds
    while by_clock == 0.0 or time.monotonic() < end:
        start, worked = time.perf_counter(), processor_s()
        run(samples)
        by_clock = max(by_clock, len(samples) / (time.perf_counter() - start))
        by_processor = max(by_processor, len(samples) / (processor_s() - worked))
    return Rate(by_clock, by_processor)


def own_processor_s() -> float:
    """Time of this process and of children that have ended."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


def with_child_s(sandbox: Sandbox) -> float:
    """Time of this process and of the sandbox's, which still runs."""
    process = sandbox._runner._process
    assert process is not None
    # In nanoseconds, of the thread that does all its work; `stat` counts in steps of 10 ms.
    worked_ns = Path(f"/proc/{process._process.pid}/schedstat").read_text().split()[0]
    return time.process_time() + int(worked_ns) / 1e9


def describe(samples: Sequence[Sample], sandbox: Sandbox) -> None:
    """What is measured, and that isolation changes no verdict."""
    calls = [call for sample in samples for call in sample]
    isolated = sandbox.run(calls)
    assert isolated == [run_check(call) for call in calls], "isolation changed a verdict"
    outcomes = Counter(check.outcome for check in isolated if check)
    assert not outcomes[Outcome.UNDECIDED], "a check is undecided"
    characters = sum(len(sample[0].text) for sample in samples) / len(samples)
    print(
        f"{len(samples)} samples, {len(calls)} checks, {characters:.0f} characters on average;"
        f" {outcomes[Outcome.PASS]} pass, {outcomes[Outcome.FAIL]} fail"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--seconds", type=float, default=10.0, help="time for each way (default 10)"
    )
    parser.add_argument(
        "--core", type=int, default=None, help="core to run on (default: the first)"
    )
    arguments = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        core = min(os.sched_getaffinity(0)) if arguments.core is None else arguments.core
        os.sched_setaffinity(0, {core})  # Children inherit it.
    samples = load_samples()
    with Sandbox() as sandbox:
        describe(samples, sandbox)
        both = partial(with_child_s, sandbox)
        rates = {
            "direct, no isolation": measure(
                run_directly, samples, arguments.seconds, own_processor_s
            ),
            SANDBOX: measure(partial(run_in_sandbox, sandbox), samples, arguments.seconds, both),
            f"sandbox, {IN_FLIGHT} rows in flight": measure(
                partial(run_in_rows, sandbox), samples, arguments.seconds, both
            ),
        }
    rates["one process a sample"] = measure(run_in_processes, samples[:9], 0, own_processor_s)
    isolated = rates[SANDBOX]
    print(f"{'samples a second':28} {'by clock':>10} {'by processor':>13}   sandbox : this")
    for way, rate in rates.items():
        ratio = isolated.by_processor / rate.by_processor
        print(f"{way:28} {rate.by_clock:10,.1f} {rate.by_processor:13,.1f}   {ratio:14.2f}")
    print(f"aim: {AIM:,} on one core with isolation; {isolated.by_processor / AIM:.2f} of it")


if __name__ == "__main__":
    main()
