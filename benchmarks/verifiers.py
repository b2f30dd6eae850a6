"""Verifier speed: samples a second on one core, with the isolation on, beside two baselines.

    python benchmarks/verifiers.py [--seconds 10] [--core 0]

A sample is one answer of about 1,000 characters with three checks on it
(`data/verifier_answers.jsonl`). Parent and child share one core. The baselines: the same
checks called directly, without any bound; and a process for each sample, the plain way to
isolate. All run in turn in one run; compare the ratios, for the machine may be busy.
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
from pathlib import Path

from ifbench.constraints import all_constraints
from ifbench.constraints.running import CheckCall, run_check
from ifbench.execution.sandbox import Sandbox
from ifbench.types import Outcome

DATA = Path(__file__).parent / "data" / "verifier_answers.jsonl"
AIM = 2_000
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


def samples_a_second(
    run: Callable[[Sequence[Sample]], None], samples: Sequence[Sample], seconds: float
) -> float:
    """The best of the passes that fit the time: the least disturbed one."""
    best = 0.0
    end = time.monotonic() + seconds
    while best == 0.0 or time.monotonic() < end:
        start = time.perf_counter()
        run(samples)
        best = max(best, len(samples) / (time.perf_counter() - start))
    return best


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
        rates = {
            "direct, no isolation": samples_a_second(run_directly, samples, arguments.seconds),
            "sandbox, batches": samples_a_second(
                lambda some: run_in_sandbox(sandbox, some), samples, arguments.seconds
            ),
            f"sandbox, {IN_FLIGHT} rows in flight": samples_a_second(
                lambda some: run_in_rows(sandbox, some), samples, arguments.seconds
            ),
        }
    rates["one process a sample"] = samples_a_second(run_in_processes, samples[:9], 0)
    isolated = rates["sandbox, batches"]
    for way, rate in rates.items():
        print(f"{way:32} {rate:9,.1f} samples/s   the sandbox makes {isolated / rate:8.2f} of it")
    print(f"aim: {AIM:,} samples/s on one core with isolation: {isolated / AIM:.2f} of it")


if __name__ == "__main__":
    main()
