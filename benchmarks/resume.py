"""Going on with a run that is nearly done: time to the first new call, and memory.

    python benchmarks/resume.py [--trials 200000] [--owed 100] [--small]
        [--arms local,judged,unjudged,middle,ended,ray,ray_judged]

Each sample is put five times to each of two models, so that 200,000 trials are of 20,000 samples.
A store is filled with answers of 600 characters (with the product's own writer), all but those to
the last `owed` trials; `judged` has a judge's reply for each as well, and `unjudged` has all
answers, so that only the judge's replies to the last are owed; in `middle` they are owed to a few
trials in the middle of the plan (give --owed 20: more would be met by a look at some of them);
`ended` is like it, but the run had come to its end, and its results name the trials that were
owed. Then `ifbench evaluate` is started against a local endpoint: shown are the seconds until the
endpoint gives its first new answer and the command's own processor time by then (the clock says
little on a busy machine), until all owed answers are there, and the peak memory of the command's
own process and of its whole tree, up to the end of the command, which is stopped (as by Ctrl-C)
once nothing is owed (`--to-the-end` lets it verify and score all trials anew).

Baseline, in the same run: one process reads every stored row into a dict of plain Python rows,
and does nothing else.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from command_runs import REPLY, TEXT, answered, prepare_environment, said, start, write_model
from process_memory import MemoryWatch
from throughput import write_samples

TARGET_S, TARGET_MB = 60.0, 1500.0
ATTEMPTS, MODELS = 5, ("one", "other")


class Arm(NamedTuple):
    """How the command is run."""

    execution: str
    is_judged: bool
    is_answered: bool = False
    """Only the judge's replies are owed."""
    owed_at: float = 1.0
    """Where in the plan the trials that are owed end, as a share of it."""
    has_results: bool = False
    """The run had ended, and left results that say what is owed."""


ARMS = {
    "local": Arm("local", is_judged=False),
    "judged": Arm("local", is_judged=True),
    "unjudged": Arm("local", is_judged=True, is_answered=True),
    "middle": Arm("local", is_judged=True, is_answered=True, owed_at=0.5),
    "ended": Arm("local", is_judged=True, is_answered=True, owed_at=0.5, has_results=True),
    "ray": Arm("ray", is_judged=False),
    "ray_judged": Arm("ray", is_judged=True),
}


# ── Filling the store ────────────────────────────────────────────────────────────────


def overrides(folder: Path, arm: Arm) -> list[str]:
    return [
        "benchmark=scimif",
        f"benchmark.data={folder / 'samples.jsonl'}",
        f"candidates=[{','.join(MODELS)}]",
        f"attempts={ATTEMPTS}",
        *(["judge=judge"] if arm.is_judged else ["judge=null"]),
        f"execution={arm.execution}",
        f"store.uri={folder / 'store'}",
        "correctness=none",
    ]


def prepare(folder: Path, arm: Arm, trials: int, owed: int, url: str) -> None:
    """Write samples, models and all answers but the last `owed`."""
    for name in (*MODELS, "judge"):
        write_model(folder, name, engine="openai_chat", base_url=url, limits={"concurrency": 16})
    write_samples(folder, trials // (ATTEMPTS * len(MODELS)), is_judged=arm.is_judged)
    last = round(arm.owed_at * trials)
    code = f"import resume; resume.fill({str(folder)!r}, {list(arm)!r}, {last - owed}, {last})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def fill(folder: str, arm: list, first: int, last: int) -> None:
    """Store the answers to all trials but those of these places, as a run would."""
    from ifbench.config import load_points
    from ifbench.runs import ready, trials

    own = Arm(*arm)
    given = overrides(Path(folder), own)
    (run,) = ready(load_points(given, is_sweep=False, config_dir=Path(folder) / "conf"))
    journal, some = run.store.journal, []
    with run.store.results(run.id, run.dataset.sha256) as results:
        for place, row in enumerate(trials(run.config, run.dataset)):
            is_owed = first <= place < last
            if not is_owed or own.is_answered:
                some += answers(row.item, None if is_owed else run.config.judge)
            if own.has_results:
                results.add(score(row.item, is_owed=is_owed), ())
            if len(some) >= 200:
                journal.append(some)
                some = []
        journal.append(some)
        journal.close()
        results.commit()


def score(item, *, is_owed: bool):
    """How a trial was scored whose judge did not answer, or did."""
    from ifbench.types import Cause, Score

    count = len(item.sample.checklist)
    value = None if is_owed else True
    return Score(
        sample_id=item.sample.id,
        benchmark="scimif",
        candidate=item.candidate.name,
        attempt=item.attempt,
        judge="judge",
        extractor="none",
        grader="none",
        constraints=tuple(one.constraint_id for one in item.sample.checklist),
        satisfied=(value,) * count,
        requirements=((value,),) * count,
        causes=(Cause.TRANSPORT,) if is_owed else (),
    )


def answers(item, judge) -> Iterator:
    """The candidate's answer, and the judge's to what it is asked of that."""
    from ifbench.engines.scripted import example_of
    from ifbench.keys import prompt_key
    from ifbench.stages.judge import ask_judge
    from ifbench.stages.prepare import prepare
    from ifbench.types import Response, Stop, Usage

    def answer(prompt, text: str) -> Response:
        return Response(
            key=prompt_key(prompt),
            purpose=prompt.purpose,
            model=prompt.model.model,
            text=text,
            stop=Stop.STOP,
            usage=Usage(input_tokens=40, output_tokens=120),
        )

    own = answer(prepare(item), f"{TEXT} By {item.candidate.name}, for the {item.attempt}. time.")
    yield own
    asked = () if judge is None else ask_judge(item, own, judge).values()
    for prompt in {id(prompt): prompt for prompt in asked}.values():
        yield answer(prompt, json.dumps(example_of(prompt.reply_schema)))


# ── The baseline ─────────────────────────────────────────────────────────────────────


class Figures(NamedTuple):
    """What was measured of one arm."""

    first_s: float
    first_cpu_s: float
    """Processor time of the command's own process by then."""
    owed_s: float
    peak: float
    peak_of_tree: float


READ_ALL = """
import sys
from pathlib import Path
import pyarrow as pa, pyarrow.parquet as pq
rows = {}
for path in sorted(Path(sys.argv[1]).glob("responses/*/*.*")):
    if path.suffix == ".parquet":
        batches = pq.ParquetFile(path).iter_batches()
    elif path.suffix == ".arrow":
        batches = iter(pa.ipc.open_stream(path.read_bytes()))
    else:
        continue
    for batch in batches:
        rows.update((row["key"], row) for row in batch.to_pylist())
print(len(rows))
"""


def read_all(store: Path) -> Figures:
    """Every stored row in a dict, in a process of its own."""
    started = time.monotonic()
    child = subprocess.Popen([sys.executable, "-c", READ_ALL, str(store)], stdout=subprocess.PIPE)
    watch = MemoryWatch(child, 0.1)
    watch.join()
    took_s = time.monotonic() - started
    assert child.returncode == 0
    return Figures(took_s, 0.0, took_s, watch.peak, watch.peak_of_tree)


# ── The command ──────────────────────────────────────────────────────────────────────


def resume(folder: Path, arm: Arm, owed: int, log: Path, *, to_the_end: bool) -> Figures:
    started = time.monotonic()
    child = start(folder, "evaluate", overrides(folder, arm))
    watch = MemoryWatch(child)
    calls = owed * (2 if arm.is_judged and not arm.is_answered else 1)
    first_cpu_s = 0.0
    while child.poll() is None and (given := len(answered(log))) < calls:
        first_cpu_s = first_cpu_s if given else cpu_s(child.pid)
        time.sleep(0.05)
    if child.poll() is None and not to_the_end:
        time.sleep(1.0)  # So that the last answers are stored and scored.
        child.send_signal(signal.SIGINT)
    watch.join()
    given = [one.moment for one in answered(log)]
    assert given, f"nothing was asked:\n{said(folder)}"
    first_s, owed_s = given[0] - started, given[-1] - started
    return Figures(first_s, first_cpu_s, owed_s, watch.peak, watch.peak_of_tree)


def cpu_s(pid: int) -> float:
    """Processor time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(name: str, options: argparse.Namespace, folder: Path) -> Iterator[str]:
    arm, log = ARMS[name], folder / "log"
    prepare_environment(log)
    from tests.engines.endpoint import EndpointProcess

    with EndpointProcess(reply=REPLY) as endpoint:
        prepare(folder, arm, options.trials, options.owed, endpoint.url)
        base = read_all(folder / "store")
        found = resume(folder, arm, options.owed, log, to_the_end=options.to_the_end)
    yield row(f"{name}: reading all", base, "", "")
    yield row(
        f"{name}: ifbench",
        found,
        "pass" if found.first_s < TARGET_S else "SHORT",
        "pass" if found.peak < TARGET_MB else "SHORT",
    )
    ratios = found.first_s / base.first_s, found.peak / base.peak
    yield f"| {name}: ratio | {ratios[0]:.2f} | | | {ratios[1]:.2f} | |"


def row(name: str, one: Figures, first: str, peak: str) -> str:
    return (
        f"| {name} | {one.first_s:.1f} {first} | {one.first_cpu_s:.1f} | {one.owed_s:.1f} "
        f"| {one.peak:.0f} {peak} "
        f"| {one.peak_of_tree:.0f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trials", type=int, default=200_000)
    parser.add_argument("--owed", type=int, default=100)
    parser.add_argument("--arms", default="local,judged,unjudged,ray")
    parser.add_argument("--to-the-end", action="store_true", help="verify all trials anew as well")
    parser.add_argument("--small", action="store_true", help="2,000 trials, without Ray")
    options = parser.parse_args()
    if options.small:
        options.trials, options.owed, options.arms = 2000, 20, "local,ended"
    print(f"{options.trials:,} trials, all but {options.owed} stored")
    print(f"| | first new answer s (target {TARGET_S:.0f}) | its own CPU s by then | all owed s "
          f"| peak MB of the driver (target {TARGET_MB:.0f}) | of the whole tree |")  # fmt: skip
    print("|---|---|---|---|---|---|", flush=True)
    for name in options.arms.split(","):
        with tempfile.TemporaryDirectory() as folder:
            for line in measure(name, options, Path(folder)):
                print(line, flush=True)
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"load of the machine at the end: {load}; {os.cpu_count()} CPUs")


if __name__ == "__main__":
    main()
