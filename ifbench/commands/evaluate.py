"""`ifbench evaluate`: the main job, with live progress, the tables and the next command."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from ifbench.benchmarks import get_benchmark
from ifbench.cli import EXIT_BAD_INPUT, EXIT_INTERRUPTED, EXIT_OK, EXIT_OWED, say, say_error
from ifbench.commands.stopping import DRAIN_S, Stopper
from ifbench.config import Point, RunConfig, load_points
from ifbench.errors import IfbenchError
from ifbench.execution.collector import give_back_memory
from ifbench.execution.local import LocalExecutor
from ifbench.execution.step import Step
from ifbench.logs import note_run
from ifbench.pipeline import Evaluation, RunningExecutor, evaluate
from ifbench.report.correctness import nothing_is_checked
from ifbench.report.overview import RunScores, overview_table
from ifbench.report.progress import Progress
from ifbench.report.progress_file import ProgressFile
from ifbench.report.summary import summary_tables
from ifbench.report.tables import Table, render
from ifbench.report.verdicts import verdict_lines
from ifbench.runs import Run, ready
from ifbench.schemas import scores_for_tables
from ifbench.store import iter_scores
from ifbench.tally import of_run, over_runs
from ifbench.types import Cause, FailureKind, Score
from ifbench.visible import visible

SETTLED = frozenset({
    Cause.JUDGE_UNREADABLE, Cause.JUDGE_TRUNCATED, Cause.EXTRACTOR, Cause.PARAMETERS,
    Cause.GRADER_UNREADABLE, Cause.GRADER_TRUNCATED,
})  # fmt: skip
"""Causes that stand until something is changed: the replies behind them are stored."""

CHECKS = frozenset({Cause.VERIFIER_ERROR, Cause.VERIFIER_TIMEOUT})
"""Causes that stand until a check comes to an end: what it reads is stored."""

NOBODY = frozenset({Cause.NO_JUDGE, Cause.NO_EXTRACTOR})
"""Causes that stand until somebody is named to decide: nobody is asked meanwhile."""
UNASKED = (FailureKind.NOT_RUN, FailureKind.SPENDING_CAP)
"""Calls that nobody made."""


def run(options: argparse.Namespace) -> int:
    """Evaluate, print, and say how it came out."""
    points = load_points(
        options.overrides, is_sweep=options.multirun, config_dir=options.config_dir
    )
    again = command_line(options.overrides, options.config_dir, is_sweep=options.multirun)
    return run_points(points, again)


def run_points(points: Sequence[Point], command: str, drain_s: float = DRAIN_S) -> int:
    """The main job for ready configurations; `command` is what to type to go on.

    A stop waits `drain_s` seconds for the answers in flight.
    """
    runs = ready(points)
    if len(runs) == 1:
        note_run(runs[0].id)
    _announce(runs)
    _warn_of_free_models(runs)
    stopper = Stopper(resume=command, drain_s=drain_s)

    @contextmanager
    def watch(
        runs: Sequence[Run], executor: RunningExecutor, steps: tuple[Step, ...]
    ) -> Iterator[None]:
        progress = Progress(
            counts=lambda: over_runs(executor.counts()),
            steps=[step.name for step in steps],
            total=sum(run.planned for run in runs),
            prices={model.name: model.price for run in runs for model in run.config.models},
        )
        with stopper.listening(executor), progress, ExitStack() as stack:
            files = [stack.enter_context(_progress_file(run, executor, steps)) for run in runs]
            yield
            for file in files:  # All at once: a store may answer slowly.
                file.end()

    executor = build_executor(points[0].config)
    try:
        evaluations = evaluate(runs, executor, watch, is_interrupted=lambda: stopper.is_stopped)
    except IfbenchError as error:
        say_error(error)
        say(f"What was answered is stored. Once mended, go on with: {command}")
        return EXIT_BAD_INPUT
    give_back_memory()  # The tables over many trials take about as much as the run took.
    _print_results(runs, evaluations)
    return ended(evaluations, command)


def _progress_file(run: Run, executor: RunningExecutor, steps: tuple[Step, ...]) -> ProgressFile:
    """What `ifbench status` reads from another terminal."""
    names = [model.name for model in run.config.candidates]
    return ProgressFile(
        store=run.store.root,
        run_id=run.id,
        counts=lambda: of_run(executor.counts(), run.id),
        steps=tuple(step.name for step in steps),
        planned=run.planned,
        candidates=dict.fromkeys(names, run.planned // len(names)),
    )


def build_executor(config: RunConfig) -> RunningExecutor:
    """The executor that the configuration names."""
    match config.execution.name:
        case "local":
            return LocalExecutor()
        case "ray":
            from ifbench.execution.ray_data import RayExecutor
            from ifbench.execution.ray_start import RayOptions

            where = config.execution
            options = RayOptions(address=where.address, cpus=where.cpus)
            if where.most_crashes is not None:
                options = replace(options, most_crashes=where.most_crashes)
            return RayExecutor(options)


def command_line(overrides: Sequence[str], config_dir: object, *, is_sweep: bool = False) -> str:
    """The command that goes on with the runs, as one would type it."""
    folder = ["--config-dir", str(config_dir)] if config_dir else []
    sweep = ["-m"] if is_sweep else []
    return shlex.join(["ifbench", "evaluate", *sweep, *folder, *overrides])


_REASON = 300
"""Characters of a reason that are shown; `ifbench show` has the whole."""


def _announce(runs: Sequence[Run]) -> None:
    for run in runs:
        config = run.config
        names = ", ".join(model.name for model in config.candidates)
        judge = config.judge.name if config.judge else "none"
        stored = sum(call.stored for call in run.survey.calls)
        say(
            f"run {run.id}: {config.benchmark.name}, {run.planned} trials "
            f"({run.dataset.count} samples); candidates {names}; judge {judge}; "
            f"{stored} answers {'' if run.survey.is_exact else 'of candidates '}stored already"
        )
        for words in run.twins:
            say(f"  {words}")
    if len(runs) > 1:
        planned = sum(run.planned for run in runs)
        say(f"{len(runs)} runs over one store, {planned} trials together")


def _warn_of_free_models(runs: Sequence[Run]) -> None:
    """A cap counts at the prices that are configured, and nothing where none is."""
    names = dict.fromkeys(
        model.name
        for run in runs
        for model in run.config.models
        if model.name in run.survey.owing and not model.price.usd(1, 1)
    )
    if runs[0].config.max_usd is not None and names:
        say(
            f"max_usd cannot hold for {', '.join(names)}: no price is configured, so that calls "
            "count as free"
        )


# ── What came out ────────────────────────────────────────────────────────────────────


def _print_results(runs: Sequence[Run], evaluations: Sequence[Evaluation]) -> None:
    scores = [scores_for_tables(iter_scores(run.store.root, run.id)) for run in runs]
    for run, evaluation, own in zip(runs, evaluations, scores, strict=True):
        if len(runs) > 1:
            print(f"══ {run.title}  (run {run.id})\n")
        _print_run(run, evaluation, own)
        if len(runs) > 1:
            print()
    if len(runs) > 1:
        print(render([_overview(runs, scores)], "terminal"))


def _overview(runs: Sequence[Run], scores: Sequence[Sequence[Score]]) -> Table:
    return overview_table(
        [
            RunScores(
                run_id=run.id,
                title=run.title,
                benchmark=get_benchmark(run.config.benchmark.name),
                scores=own,
            )
            for run, own in zip(runs, scores, strict=True)
        ]
    )


def _print_run(run: Run, evaluation: Evaluation, scores: Sequence[Score]) -> None:
    store = run.store.root.uri
    benchmark = get_benchmark(run.config.benchmark.name)
    # Where nothing is checked, the tables at a glance would be empty.
    views = None if nothing_is_checked({"": scores}) else benchmark.at_a_glance
    print(render(summary_tables(benchmark, scores, views), "terminal"))
    if evaluation.failed_item is not None:
        print("One failed constraint, as an example:")
        print("\n".join(f"  {line}" for line in verdict_lines(evaluation.failed_item)))
        print()
    for calls in evaluation.manifest.invocations[-1].calls:
        unasked = sum(calls.failed.get(kind, 0) for kind in UNASKED)
        failed = sum(calls.failed.values()) - unasked
        print(
            f"asked {calls.model} as {calls.purpose}: {calls.answered} answers, "
            f"{calls.stored} from the store, {failed} failed"
            + (f", {unasked} not asked" if unasked else "")
            + f"; tokens {calls.input_tokens:,} in, {calls.output_tokens:,} out"
            + (f"; ${calls.cost_usd:,.4f}" if calls.cost_usd else "")
        )
    for model, reason in sorted(evaluation.closed.items()):
        print(visible(f"{model} was asked no more, and its work is owed: {reason}"))
    print(f"results: {store}/results   manifest: {store}/runs/{run.id}/manifest.json")


def ended(evaluations: Sequence[Evaluation], command: str) -> int:
    """Say how the runs came out and what to do now; the exit code of all of them together."""
    for evaluation in evaluations:
        _print_ending(evaluation, is_alone=len(evaluations) == 1)
    endings = {evaluation.ending for evaluation in evaluations}
    if "interrupted" in endings:
        print(f"To go on: {command}")
        return EXIT_INTERRUPTED
    owing = [evaluation for evaluation in evaluations if evaluation.ending == "owed"]
    if owing:
        print("\n".join(_what_helps(owing, command)))
        return EXIT_OWED
    ids = " ".join(evaluation.manifest.run_id for evaluation in evaluations)
    print(
        f"complete. {'More tables' if len(evaluations) == 1 else 'Side by side again'}: ifbench report {ids}"
    )
    return EXIT_OK


def _print_ending(evaluation: Evaluation, *, is_alone: bool) -> None:
    counts, owed = evaluation.manifest.counts, evaluation.owed
    name = "" if is_alone else f"run {evaluation.manifest.run_id}: "
    causes = ", ".join(f"{cause} {n}" for cause, n in counts.undecided.items())
    match evaluation.ending:
        case "interrupted":
            kept = "what an earlier one has left stays: " if evaluation.keeps_earlier else ""
            complete = f"{counts.complete} of {counts.planned} trials are complete"
            print(f"{name}interrupted; {kept}{complete}.")
        case "owed":
            print(f"{name}{owed} of {counts.planned} trials are owed ({causes}).")
            _print_reasons(evaluation)
        case _ if owed:
            print(
                f"{name}{owed} of {counts.planned} trials are undecided ({causes}), "
                "as max_owed allows."
            )


def _what_helps(owing: Sequence[Evaluation], command: str) -> Iterator[str]:
    """What to do about samples that are owed, by the causes."""
    causes = {cause for one in owing for cause in one.manifest.counts.undecided}
    others = causes - {Cause.MEDIA} - NOBODY
    for first in dict.fromkeys(one.unreadable for one in owing if one.unreadable):
        yield visible(f"A picture or video cannot be shown; the first is of {first}")
        yield "Asking again does not help there: mend the file, or the record that names it."
    if causes & NOBODY:
        words = "Some constraints need a judge or an extractor, and none is named: name one"
        yield f"{words} (judge=NAME), or allow for them with max_owed."
    if not others:
        if Cause.MEDIA in causes:
            yield f"Once mended: {command}"
    elif others <= SETTLED | CHECKS:
        if others & SETTLED:
            yield "No call is missing: raise judging.attempts, or mend the data's parameters."
        if others & CHECKS:
            yield f"No call is missing: a check came to no end. To check again: {command}"
    else:
        rejecting = sorted(
            {
                calls.model
                for one in owing
                for calls in one.manifest.invocations[-1].calls
                if calls.failed.get(FailureKind.REJECTED)
            }
        )
        if rejecting:
            yield f"{', '.join(rejecting)} rejected calls, and will again until what it says is mended."
        raised = ", with max_usd raised" if Cause.SPENDING_CAP in causes else ""
        if raised:
            yield "max_usd is reached: nothing more is asked until it is raised."
        yield f"To ask for what is missing{raised}: {command}"


def _print_reasons(evaluation: Evaluation) -> None:
    """One sample for each cause: a file that is broken stays so when it is asked for again."""
    for cause in evaluation.manifest.counts.undecided:
        verdict = evaluation.undecided_items.get(cause)
        # A picture or video that cannot be shown is told with what helps.
        if verdict is not None and verdict.reason and cause != Cause.MEDIA:
            example = f"sample {verdict.sample_id}: {verdict.reason[:_REASON]}"
            print(visible(f"  {cause}, for example {example}"))
