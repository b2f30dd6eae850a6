"""`ifbench show`: one sample, whole: what is asked, what is checked, what came of it."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence

from ifbench.benchmarks.binding import unknown_name
from ifbench.benchmarks.datasets import open_dataset
from ifbench.benchmarks.videoif.tree import branch_holds
from ifbench.cli import EXIT_OK
from ifbench.commands.report import find_run
from ifbench.config import load_config
from ifbench.errors import DatasetError
from ifbench.report.verdicts import verdict_lines
from ifbench.schemas import table_to_scores, table_to_verdicts
from ifbench.store import Manifest, Store, read_scores, read_verdicts
from ifbench.types import (
    ChecklistItem,
    Response,
    Sample,
    Score,
    Tree,
    UnboundParams,
    Verdict,
)
from ifbench.visible import visible

_DEFAULTS = ("candidates=[scripted]", "judge=null", "execution=local")


def run(options: argparse.Namespace) -> int:
    """Print a sample and, where a run has put it to models, their answers and verdicts."""
    name, overrides = options.sample, options.overrides
    if name is not None and _OVERRIDE.match(name):  # The id is what was left out.
        name, overrides = None, [name, *overrides]
    config = load_config([*_DEFAULTS, *overrides], config_dir=options.config_dir)
    samples = {sample.id: sample for sample in open_dataset(config.benchmark).samples()}
    if name not in samples:
        raise DatasetError(visible(_no_such_sample(name, samples, config.benchmark.data)))
    print("\n".join(sample_lines(samples[name])))
    store = Store(config.store.uri)
    runs = [find_run(store, options.run)] if options.run else store.list_runs()
    if runs:
        print("\n".join(_run_lines(store, options.run, runs, samples[name])))
    return EXIT_OK


_OVERRIDE = re.compile(r"[+~]*[a-z_]+(?:\.\S+?)*=")
_MOST_IDS = 8


def _no_such_sample(name: str | None, samples: Mapping[str, Sample], data: str) -> str:
    """What was asked for, what looks like it, and some of what there is."""
    problem = (
        "the id of a sample is needed, as in `ifbench show ID`"
        if name is None
        else unknown_name("sample", name, samples)
    )
    some = ", ".join(list(samples)[:_MOST_IDS]) + (", …" if len(samples) > _MOST_IDS else "")
    return f"{problem}; {data} has {len(samples)}: {some}"


def sample_lines(sample: Sample) -> Iterator[str]:
    """The sample as a reader wants it."""
    yield visible(f"sample {sample.id} ({sample.benchmark})")
    yield visible("  ".join(f"{name}: {value}" for name, value in sample.facets.items()))
    yield ""
    yield sample.instruction
    yield ""
    if sample.tree is not None:
        yield "branches (+: true of the video, as the data say):"
        yield from (f"  {line}" for line in _tree_lines(sample.tree))
    if sample.active_instruction:
        yield f"to be carried out: {sample.active_instruction}"
    for medium in sample.media:
        yield visible(f"{medium.kind}: {medium.uri} (sha256 {medium.sha256[:12]}…)")
    for index, task in enumerate(sample.tasks):
        words = f"{task.name}{': ' if task.description else ''}{task.description}"
        yield visible(f"task [{index}] {words}")
    for index, item in enumerate(sample.checklist):
        yield from _item_lines(index, item)
    if sample.reference is not None:
        yield f"reference: {json.dumps(sample.reference, ensure_ascii=False)}"
    if sample.provenance:
        places = "; ".join(f"{name} {value}" for name, value in sample.provenance.items())
        yield visible(f"from: {places}")


def _tree_lines(tree: Tree, level: int = 0) -> Iterator[str]:
    for position, branch in enumerate(tree.branches):
        mark = "+" if branch_holds(tree, position) else "-"
        words = f"{'  ' * level}{mark} {branch.condition or 'else'}"
        yield words if isinstance(branch.then, Tree) else f"{words}: {branch.then}"
        if isinstance(branch.then, Tree):
            yield from _tree_lines(branch.then, level + 1)


def _item_lines(index: int, item: ChecklistItem) -> Iterator[str]:
    params = item.params
    shown = (
        f"not bound: {params.raw!r} ({params.reason})"
        if isinstance(params, UnboundParams)
        else json.dumps(params.model_dump(mode="json", exclude_defaults=True))
    )
    where = f", of task [{item.scope}] alone" if isinstance(item.scope, int) else ""
    yield visible(f"[{index}] {item.constraint_id} {shown} ({item.origin}{where})")
    if item.question:
        yield visible(f"    asked: {item.question}")
    if item.evidence:
        yield visible(f"    known: {item.evidence}")


def _run_lines(
    store: Store, name: str | None, runs: Sequence[Manifest], sample: Sample
) -> Iterator[str]:
    yield ""
    manifest, scores = _latest_with(store, runs, sample)
    if manifest is None:
        where = "no run of this store holds" if name is None else f"run {name} does not hold"
        yield f"{where} this sample"
        return
    verdicts = table_to_verdicts(read_verdicts(store.root, manifest.run_id))
    for score in scores:
        own = [
            v
            for v in verdicts
            if (v.sample_id, v.candidate, v.attempt) == (sample.id, score.candidate, score.attempt)
        ]
        yield from _answer_lines(store, manifest.run_id, score, own)


def _latest_with(
    store: Store, runs: Sequence[Manifest], sample: Sample
) -> tuple[Manifest | None, list[Score]]:
    """The latest of the runs that put this very sample to models.

    Another data set may use the same id: its constraints and facets tell it apart.
    """
    asked = tuple(item.constraint_id for item in sample.checklist)
    for manifest in reversed(runs):
        scores = [
            score
            for score in table_to_scores(read_scores(store.root, manifest.run_id))
            if score.sample_id == sample.id
            and score.constraints == asked
            and sample.facets.items() <= score.facets.items()
        ]
        if scores:
            return manifest, scores
    return None, []


def _answer_lines(
    store: Store, run_id: str, score: Score, verdicts: list[Verdict]
) -> Iterator[str]:
    yield visible(f"run {run_id}, {score.candidate}, attempt {score.attempt}:")
    keys = {score.response_key, *(key for v in verdicts for key in v.asked)} - {""}
    stored = store.journal.lookup(keys)
    answer = stored.get(score.response_key)
    yield from _response_lines(answer, "answer")
    if answer is None and score.failure is not None:
        yield f"  no answer: {score.failure.value}"
    told: set[str] = set()
    for verdict in verdicts:
        place = _PLACES[verdict.aspect].format(verdict.item)
        yield from _verdict_lines(place, verdict)
        for key in (key for key in verdict.asked if key not in told):
            yield from _response_lines(stored.get(key), "asked, it said")
        if told & {*verdict.asked}:
            yield "  asked together with one above"
        told |= {*verdict.asked}


_PLACES = {"constraint": "[{}] ", "task": "task [{}] ", "correctness": ""}
"""How the sample's own lines call what a verdict is about."""


def _verdict_lines(place: str, verdict: Verdict) -> Iterator[str]:
    first, *others = verdict_lines(verdict)
    yield f"  {place}{first}"
    yield from (f"      {line}" for line in others)


def _response_lines(response: Response | None, title: str) -> Iterator[str]:
    if response is None:
        return
    yield f"  {title} ({response.model}, stopped by {response.stop.value}):"
    yield from (f"    | {line}" for line in response.text.splitlines() or [""])
    if response.failure is not None:
        yield f"    failure: {response.failure.kind.value}: {visible(response.failure.message)}"
