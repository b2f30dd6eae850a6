"""How a run stands, from what it has left in its store: its manifest and its last progress.

`run_status` derives, `status_text` shows; neither reads anything. A run that goes on writes its
progress every few seconds. One that has neither ended nor written for a while is *silent*: its
driver was killed, or its host is cut off. On the machine of its driver the first is known at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType
from typing import Literal, TypeAlias

from ifbench.report.progress import call_lines, duration
from ifbench.report.tables import Table, to_terminal
from ifbench.store.manifest import Ending, Manifest
from ifbench.store.progress import RunProgress
from ifbench.visible import visible

SILENT_S = 30.0
"""Three writes to an object store, fifteen to a local one."""
FINISHING_S = 600.0
"""Once its rows are out a run writes its results, which it tells nobody of."""

State: TypeAlias = Literal[
    "starting", "running", "finishing", "silent", "complete", "owed", "interrupted", "failed"
]
GOING_ON = frozenset({"starting", "running", "finishing"})
Counts: TypeAlias = Mapping[tuple[str, ...], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepStatus:
    """How far one step is, over all candidates."""

    name: str
    done: int
    in_hand: int
    per_s: float
    """Over the last minute."""
    left_s: float | None
    """`None` where nothing was done within the last minute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateStatus:
    """How far one candidate's trials are."""

    name: str
    planned: int
    steps: Mapping[str, int]
    """Rows out of each step."""
    complete: int
    owed: int
    """Trials that came out with something undecided."""
    undecided: Mapping[str, int]
    """Those by cause; one trial may have several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStatus:
    """How one model's endpoint fares, over all purposes for which it is asked."""

    name: str
    in_flight: int
    waiting: int
    """Calls that wait for the budget."""
    backing_off: int
    limited: int
    """Tries that the endpoint turned away for asking too much."""
    limited_lately: int
    """Those of the last minute."""
    closed: str
    """Why it is not asked any more; empty while it is."""
    cost_usd: float
    """Of this invocation; 0 where no price is configured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStatus:
    """How a run stands."""

    run_id: str
    benchmark: str
    state: State
    started_at: datetime
    """Of its last invocation."""
    seen_s: float | None
    """Since its last sign of life; `None` once it has ended."""
    elapsed_s: float
    """From the start of its last invocation to its end, or to its last sign of life."""
    host: str
    pid: int
    has_died: bool = False
    """True where it is known that its process has ended without a word."""
    planned: int
    complete: int = 0
    owed: int = 0
    """Trials that came out with something undecided; once it has ended, all that miss something."""
    undecided: Mapping[str, int] = field(default_factory=dict)
    """Those by cause; one trial may have several."""
    left_s: float | None = None
    """Until its slowest step is done, at the rate of the last minute; `None` where unknown."""
    cost_usd: float
    """Over all its invocations."""
    steps: tuple[StepStatus, ...] = ()
    candidates: tuple[CandidateStatus, ...] = ()
    models: tuple[ModelStatus, ...] = ()
    calls: tuple[str, ...] = ()
    """A line for each purpose and model, as the run itself shows them."""

    @property
    def is_going_on(self) -> bool:
        return self.state in GOING_ON


def run_status(
    manifest: Manifest,
    progress: RunProgress | None,
    now: datetime,
    has_died: Callable[[RunProgress], bool] = lambda _: False,
) -> RunStatus:
    """Put together what a run has left. RunProgress of an earlier invocation counts for nothing.

    `has_died` says of the driver that left a progress whether it has ended, where that is known.
    """
    last, counts = manifest.invocations[-1], manifest.counts
    if progress is not None and progress.started_at < last.started_at:
        progress = None
    seen_at = last.finished_at or (last.started_at if progress is None else progress.written_at)
    seen_s = max(0.0, (now - seen_at).total_seconds())
    is_killed = last.ending == "running" and progress is not None and has_died(progress)
    status = RunStatus(
        run_id=manifest.run_id,
        benchmark=_name(manifest.config.get("benchmark")),
        state="silent" if is_killed else _state(last.ending, progress, seen_s),
        has_died=is_killed,
        started_at=last.started_at,
        seen_s=None if last.finished_at else seen_s,
        elapsed_s=max(0.0, (seen_at - last.started_at).total_seconds()),
        host=last.environment.host,
        pid=last.pid,
        planned=counts.planned,
        cost_usd=sum(one.cost_usd for one in (*counts.calls, *counts.preflight)),
    )
    if progress is not None:
        status = _with_progress(status, progress)
    if last.ending == "running":
        return status
    return replace(
        status,
        planned=counts.planned,
        complete=counts.complete,
        owed=counts.planned - counts.complete,
        undecided=dict(counts.undecided),
        left_s=None,
        cost_usd=sum(one.cost_usd for one in (*counts.calls, *counts.preflight)),
    )


def _with_progress(status: RunStatus, progress: RunProgress) -> RunStatus:
    counts, recent = dict(progress.counts), dict(progress.recent)
    steps = tuple(_step(name, counts, recent, progress) for name in progress.steps)
    candidates = tuple(_candidate(name, counts, progress) for name in progress.candidates)
    undecided: Counter[str] = Counter()
    for one in candidates:
        undecided.update(one.undecided)
    return replace(
        status,
        host=progress.host,
        pid=progress.pid,
        planned=progress.planned,
        complete=sum(one.complete for one in candidates),
        owed=sum(one.owed for one in candidates),
        undecided=dict(undecided),
        left_s=_longest([step.left_s for step in steps]),
        cost_usd=status.cost_usd + sum(n for name, n in counts.items() if name[0] == "cost"),
        steps=steps,
        candidates=candidates,
        models=tuple(_model(name, counts, recent) for name in _model_names(counts)),
        calls=tuple(call_lines(counts, {})),
    )


def _state(ending: Ending, progress: RunProgress | None, seen_s: float) -> State:
    if ending != "running":
        return ending
    if progress is not None and progress.is_over:
        return "finishing" if seen_s <= FINISHING_S else "silent"
    if seen_s > SILENT_S:
        return "silent"
    is_begun = progress is not None and any(name[0] == "rows" for name, _ in progress.counts)
    return "running" if is_begun else "starting"


def _step(name: str, counts: Counts, recent: Counts, progress: RunProgress) -> StepStatus:
    done = counts.get(("rows", name, "out"), 0.0)
    lately = recent.get(("rows", name, "out"), 0.0)
    per_s = lately / progress.window_s if progress.window_s > 0 else 0.0
    missing = max(0.0, progress.planned - done)
    left_s = 0.0 if not missing else missing / per_s if per_s else None
    return StepStatus(
        name=name,
        done=round(done),
        in_hand=round(counts.get(("rows", name, "in"), 0.0) - done),
        per_s=per_s,
        left_s=left_s,
    )


def _candidate(name: str, counts: Counts, progress: RunProgress) -> CandidateStatus:
    def of(*event: str) -> int:
        return round(counts.get(event, 0.0))

    causes = {
        words[2]: round(n) for words, n in counts.items() if words[:2] == ("undecided", name) and n
    }
    return CandidateStatus(
        name=name,
        planned=progress.candidates[name],
        steps={step: of("candidates", name, step, "out") for step in progress.steps},
        complete=of("trials", name, "complete"),
        owed=of("trials", name, "owed"),
        undecided=causes,
    )


def _model(name: str, counts: Counts, recent: Counts) -> ModelStatus:
    def of(event: str, source: Counts = counts) -> int:
        return round(
            sum(
                n
                for words, n in source.items()
                if words[0] == "calls" and words[2:] == (name, event)
            )
        )

    return ModelStatus(
        name=name,
        in_flight=max(0, of("in_flight")),
        waiting=max(0, of("waiting")),
        backing_off=max(0, of("backing_off")),
        limited=of("limited"),
        limited_lately=of("limited", recent),
        closed=_closed(name, counts, recent, is_answering=of("answered", recent) > 0),
        cost_usd=sum(n for words, n in counts.items() if words[0] == "cost" and words[2] == name),
    )


def _closed(name: str, counts: Counts, recent: Counts, *, is_answering: bool) -> str:
    """Why an endpoint is closed; one that has answered since is open again."""
    reasons = [words for words in counts if words[:2] == ("closed", name)]
    lately = [words for words in reasons if words in recent]
    if not reasons or (is_answering and not lately):
        return ""
    return max(lately or reasons, key=lambda words: counts[words])[2]


def _model_names(counts: Counts) -> list[str]:
    return sorted(
        {
            *(words[2] for words in counts if words[0] == "calls"),
            *(words[1] for words in counts if words[0] == "closed"),
        }
    )


def _longest(times: Sequence[float | None]) -> float | None:
    """The longest of several times; unknown where one of them is."""
    known = [time for time in times if time is not None]
    return max(known) if known and len(known) == len(times) else None


def _name(value: object) -> str:
    return str(value.get("name", "?")) if isinstance(value, Mapping) else "?"


# ── Showing ──────────────────────────────────────────────────────────────────────────


def status_text(status: RunStatus) -> str:
    """A run's status for a terminal."""
    parts = [*map(visible, _head_lines(status))]
    if status.steps and status.state in {*GOING_ON, "silent"}:
        parts += [to_terminal(_steps_table(status)).rstrip()]
    if status.candidates:
        parts += [to_terminal(_candidates_table(status)).rstrip()]
    parts += [f"  {visible(line)}" for line in (*status.calls, *_model_lines(status))]
    return "\n".join(parts) + "\n"


def _head_lines(status: RunStatus) -> list[str]:
    to_do = status.planned - status.complete - status.owed
    causes = ", ".join(f"{cause} {n}" for cause, n in sorted(status.undecided.items()))
    trials = [
        f"{status.complete:,} of {status.planned:,} trials complete",
        f"{status.owed:,} owed" + (f" ({causes})" if causes else ""),
        f"{to_do:,} to do" if to_do > 0 else "",
        f"{duration(status.left_s)} left" if status.left_s else "",
        f"${status.cost_usd:,.4f}" if status.cost_usd else "",
    ]
    return [
        f"run {status.run_id}: {status.benchmark}, {_told(status)}",
        "  " + ", ".join(part for part in trials if part),
    ]


def _told(status: RunStatus) -> str:
    where = f"on {status.host}, process {status.pid}"
    started = f"{status.started_at:%Y-%m-%d %H:%M} UTC"
    seen = f"seen {duration(status.seen_s or 0)} ago"
    match status.state:
        case "starting" | "running" | "finishing":
            words = MappingProxyType({"finishing": "writing results"}).get(
                status.state, status.state
            )
            return f"{words} for {duration(status.elapsed_s)} {where}, {seen}"
        case "silent" if status.has_died:
            return (
                f"killed: its process has ended, {seen} {where}. The same command goes on with it"
            )
        case "silent":
            return f"silent: last {seen} {where}. Was it killed? The same command goes on with it"
        case "complete":
            return f"complete, in {duration(status.elapsed_s)} from {started}"
        case "owed":
            return f"ended with trials owed, in {duration(status.elapsed_s)} from {started}"
        case "interrupted" | "failed":
            return (
                f"{status.state} after {duration(status.elapsed_s)} from {started}; "
                "the same command goes on with it"
            )


def _steps_table(status: RunStatus) -> Table:
    return Table(
        name="steps",
        title="",
        columns=("step", "done", "in hand", "a second", "left"),
        rows=tuple(
            (
                step.name,
                f"{step.done:,}/{status.planned:,}",
                f"{step.in_hand:,}",
                f"{step.per_s:.1f}",
                "–" if step.left_s is None else duration(step.left_s),
            )
            for step in status.steps
        ),
    )


def _candidates_table(status: RunStatus) -> Table:
    steps = [step.name for step in status.steps]
    return Table(
        name="candidates",
        title="",
        columns=("candidate", "planned", *steps, "complete", "owed", "undecided by cause"),
        rows=tuple(
            (
                one.name,
                f"{one.planned:,}",
                *(f"{one.steps.get(step, 0):,}" for step in steps),
                f"{one.complete:,}",
                f"{one.owed:,}",
                ", ".join(f"{cause} {n:,}" for cause, n in sorted(one.undecided.items())),
            )
            for one in status.candidates
        ),
    )


def _model_lines(status: RunStatus) -> list[str]:
    """Which endpoints hold the run up, and which are not asked any more."""
    lines = []
    for model in status.models:
        if model.closed:
            lines.append(f"{model.name}: CLOSED, its calls are owed: {model.closed}")
        elif model.backing_off or model.limited_lately:
            lines.append(
                f"{model.name}: rate-limited: {model.limited_lately:,} turned away in the last "
                f"minute ({model.limited:,} in all), {model.backing_off:,} backing off"
            )
        elif model.waiting:
            lines.append(f"{model.name}: at its budget: {model.waiting:,} calls wait their turn")
    return lines
