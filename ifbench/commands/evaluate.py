"""`ifbench evaluate`: the main job, with live progress, the tables and the next command."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ifbench.benchmarks import get_benchmark
from ifbench.cli import EXIT_BAD_INPUT, EXIT_INTERRUPTED, EXIT_OK, EXIT_OWED
from ifbench.commands.stopping import DRAIN_S, Stopper
from ifbench.config import RunConfig, load_config
from ifbench.errors import IfbenchError
from ifbench.execution.local import LocalExecutor
from ifbench.execution.step import Step
from ifbench.pipeline import Evaluation, Run, RunningExecutor, evaluate, ready
from ifbench.report.progress import Progress
from ifbench.report.summary import summary_tables
from ifbench.report.tables import render
from ifbench.report.verdicts import verdict_lines
from ifbench.schemas import table_to_scores
from ifbench.store import read_scores
from ifbench.types import Cause, FailureKind

SETTLED = frozenset({
    Cause.JUDGE_UNREADABLE, Cause.JUDGE_TRUNCATED, Cause.EXTRACTOR, Cause.PARAMETERS,
    Cause.GRADER_UNREADABLE, Cause.GRADER_TRUNCATED,
})  # fmt: skip
"""Causes that stand until something is changed: the replies behind them are stored."""


def run(options: argparse.Namespace) -> int:
    """Evaluate, print, and say how it came out."""
    config = load_config(options.overrides, config_dir=options.config_dir)
    return run_config(config, command_line(options.overrides, options.config_dir))


def run_config(config: RunConfig, command: str, drain_s: float = DRAIN_S) -> int:
    """The main job for a ready configuration; `command` is what to type to go on.

    A stop waits `drain_s` seconds for the answers in flight.
    """
    run_ = ready(config)
    _announce(run_)
    stopper = Stopper(resume=command, drain_s=drain_s)

    @contextmanager
    def watch(run: Run, executor: RunningExecutor, steps: tuple[Step, ...]) -> Iterator[None]:
        progress = Progress(
            counts=executor.counts,
            steps=[step.name for step in steps],
            total=run.survey.trials,
            prices={model.name: model.price for model in run.config.models},
        )
        with stopper.listening(executor), progress:
            yield

    try:
        evaluation = evaluate(
            run_, build_executor(config), watch, is_interrupted=lambda: stopper.is_stopped
        )
    except IfbenchError as error:
        print(f"ifbench: {error}", file=sys.stderr)
        print(f"What was answered is stored. Once mended, go on with: {command}", file=sys.stderr)
        return EXIT_BAD_INPUT
    _print_results(run_, evaluation)
    return _end(evaluation, command)


def build_executor(config: RunConfig) -> RunningExecutor:
    """The executor that the configuration names."""
    match config.execution.name:
        case "local":
            return LocalExecutor()
        case "ray":
            from ifbench.execution.ray_data import RayExecutor, RayOptions

            return RayExecutor(RayOptions(address=config.execution.address))


def command_line(overrides: Sequence[str], config_dir: object) -> str:
    """The command that goes on with a run, as one would type it."""
    folder = ["--config-dir", str(config_dir)] if config_dir else []
    return shlex.join(["ifbench", "evaluate", *folder, *overrides])


_REASON = 300
"""Characters of a reason that are shown; `ifbench show` has the whole."""


def _announce(run: Run) -> None:
    config = run.config
    names = ", ".join(model.name for model in config.candidates)
    judge = config.judge.name if config.judge else "none"
    stored = sum(call.stored for call in run.survey.calls)
    print(
        f"run {run.id}: {config.benchmark.name}, {run.survey.trials} trials "
        f"({run.dataset.count} samples); candidates {names}; judge {judge}; "
        f"{stored} answers stored already",
        file=sys.stderr,
        flush=True,
    )


def _print_results(run: Run, evaluation: Evaluation) -> None:
    store = run.store.root.uri
    scores = table_to_scores(read_scores(store, run.id))
    benchmark = get_benchmark(run.config.benchmark.name)
    print(render(summary_tables(benchmark, scores, benchmark.at_a_glance), "terminal"))
    if evaluation.failed_item is not None:
        print("One failed constraint, as an example:")
        print("\n".join(f"  {line}" for line in verdict_lines(evaluation.failed_item)))
        print()
    for calls in evaluation.manifest.invocations[-1].calls:
        unasked = calls.failed.get(FailureKind.NOT_RUN, 0)
        failed = sum(calls.failed.values()) - unasked
        print(
            f"asked {calls.model} as {calls.purpose}: {calls.answered} answers, "
            f"{calls.stored} from the store, {failed} failed"
            + (f", {unasked} not asked" if unasked else "")
            + f"; tokens {calls.input_tokens:,} in, {calls.output_tokens:,} out"
            + (f"; ${calls.cost_usd:,.4f}" if calls.cost_usd else "")
        )
    print(f"results: {store}/results   manifest: {store}/runs/{run.id}/manifest.json")


def _print_reasons(evaluation: Evaluation) -> None:
    """One sample for each cause: a file that is broken stays so when it is asked for again."""
    for cause in evaluation.manifest.counts.undecided:
        verdict = evaluation.undecided_items.get(cause)
        if verdict is not None and verdict.reason:
            print(f"  {cause}, for example sample {verdict.sample_id}: {verdict.reason[:_REASON]}")


def _end(evaluation: Evaluation, command: str) -> int:
    counts = evaluation.manifest.counts
    owed = evaluation.owed
    causes = ", ".join(f"{cause} {n}" for cause, n in counts.undecided.items())
    match evaluation.ending:
        case "interrupted":
            print(f"interrupted; {counts.complete} of {counts.planned} trials are complete.")
            print(f"To go on: {command}")
            return EXIT_INTERRUPTED
        case "owed":
            print(f"{owed} of {counts.planned} trials are owed ({causes}).")
            _print_reasons(evaluation)
            if counts.undecided.keys() <= SETTLED:
                print("No call is missing: raise judging.attempts, or mend the data's parameters.")
            else:
                print(f"To ask for what is missing: {command}")
            return EXIT_OWED
    if owed:
        print(f"{owed} of {counts.planned} trials are undecided ({causes}), as max_owed allows.")
    print(f"complete. More tables: ifbench report {evaluation.manifest.run_id}")
    return EXIT_OK
