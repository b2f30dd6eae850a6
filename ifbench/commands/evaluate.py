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
from ifbench.logs import note_run
from ifbench.pipeline import Evaluation, Run, RunningExecutor, evaluate, ready
from ifbench.report.correctness import nothing_is_checked
from ifbench.report.progress import Progress
from ifbench.report.progress_file import ProgressFile
from ifbench.report.summary import summary_tables
from ifbench.report.tables import render
from ifbench.report.verdicts import verdict_lines
from ifbench.schemas import tables_to_scores
from ifbench.store import iter_scores
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
    note_run(run_.id)
    _announce(run_)
    _warn_of_free_models(run_)
    stopper = Stopper(resume=command, drain_s=drain_s)

    @contextmanager
    def watch(run: Run, executor: RunningExecutor, steps: tuple[Step, ...]) -> Iterator[None]:
        progress = Progress(
            counts=executor.counts,
            steps=[step.name for step in steps],
            total=run.survey.trials,
            prices={model.name: model.price for model in run.config.models},
        )
        with stopper.listening(executor), progress, _progress_file(run, executor, steps):
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


def _progress_file(run: Run, executor: RunningExecutor, steps: tuple[Step, ...]) -> ProgressFile:
    """What `ifbench status` reads from another terminal."""
    names = [model.name for model in run.config.candidates]
    return ProgressFile(
        store=run.store.root,
        run_id=run.id,
        counts=executor.counts,
        steps=tuple(step.name for step in steps),
        planned=run.survey.trials,
        candidates=dict.fromkeys(names, run.survey.trials // len(names)),
    )


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
        f"{stored} answers {'' if run.survey.is_exact else 'of candidates '}stored already",
        file=sys.stderr,
        flush=True,
    )


def _warn_of_free_models(run: Run) -> None:
    """A cap counts at the prices that are configured, and nothing where none is."""
    names = [
        model.name
        for model in run.config.models
        if model.name in run.survey.owing and not model.price.usd(1, 1)
    ]
    if run.config.max_usd is not None and names:
        print(
            f"max_usd cannot hold for {', '.join(names)}: no price is configured, so that calls "
            "count as free",
            file=sys.stderr,
            flush=True,
        )


def _print_results(run: Run, evaluation: Evaluation) -> None:
    store = run.store.root.uri
    scores = tables_to_scores(iter_scores(run.store.root, run.id), whole=False)
    benchmark = get_benchmark(run.config.benchmark.name)
    # Where nothing is checked, the tables at a glance would be empty.
    views = None if nothing_is_checked({"": scores}) else benchmark.at_a_glance
    print(render(summary_tables(benchmark, scores, views), "terminal"))
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
    for model, reason in sorted(evaluation.closed.items()):
        print(f"{model} was asked no more, and its work is owed: {reason}")
    print(f"results: {store}/results   manifest: {store}/runs/{run.id}/manifest.json")


def _what_helps(evaluation: Evaluation, command: str) -> Iterator[str]:
    """What to do about samples that are owed, by the causes."""
    causes = evaluation.manifest.counts.undecided.keys()
    others = causes - {Cause.MEDIA}
    if Cause.MEDIA in causes:
        yield f"A picture or video cannot be shown; the first is of {evaluation.unreadable}"
        yield "Asking again does not help there: mend the file, or the record that names it."
    if causes == {Cause.MEDIA}:
        yield f"Once mended: {command}"
    elif others <= SETTLED:
        yield "No call is missing: raise judging.attempts, or mend the data's parameters."
    else:
        if Cause.SPENDING_CAP in causes:
            yield "max_usd is reached: nothing more is asked until it is raised."
        yield f"To ask for what is missing: {command}"


def _print_reasons(evaluation: Evaluation) -> None:
    """One sample for each cause: a file that is broken stays so when it is asked for again."""
    for cause in evaluation.manifest.counts.undecided:
        verdict = evaluation.undecided_items.get(cause)
        # A picture or video that cannot be shown is told with what helps.
        if verdict is not None and verdict.reason and cause != Cause.MEDIA:
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
            print("\n".join(_what_helps(evaluation, command)))
            return EXIT_OWED
    if owed:
        print(f"{owed} of {counts.planned} trials are undecided ({causes}), as max_owed allows.")
    print(f"complete. More tables: ifbench report {evaluation.manifest.run_id}")
    return EXIT_OK
