"""The metrics of a run, and what a worker's counts come to in them. Knows nothing of Ray.

Every tag is one of few: models, purposes, steps, outcomes, causes. No sample and no message is
a tag, so the number of series does not grow with a run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["counter", "gauge", "histogram"]
Counts: TypeAlias = Mapping[tuple[str, ...], float]
STATES = ("in_flight", "waiting", "backing_off")
"""Events of calls that are levels, not sums."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One metric as it is declared."""

    name: str
    kind: Kind
    words: str
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """A change of one series: a counter's and a gauge's growth, a histogram's observations."""

    metric: str
    tags: tuple[str, ...]
    """Values, in the order of the metric's tags."""
    amount: float
    times: int = 1
    """How often `amount` was observed; 1 for what is no histogram."""


METRICS: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric(
            name="ifbench_calls",
            kind="counter",
            words="Calls of models that are over: answered, stored (found, not asked), failed:KIND",
            tags=("purpose", "model", "outcome"),
        ),
        Metric(
            name="ifbench_calls_now",
            kind="gauge",
            words="Calls that are in flight, waiting for the budget, or backing off",
            tags=("purpose", "model", "state"),
        ),
        Metric(
            name="ifbench_call_seconds",
            kind="histogram",
            words="How long a try of a call took, whatever came of it",
            tags=("purpose", "model"),
        ),
        Metric(
            name="ifbench_retries",
            kind="counter",
            words="Tries that were made again after a back-off",
            tags=("purpose", "model"),
        ),
        Metric(
            name="ifbench_limited",
            kind="counter",
            words="Tries that the endpoint turned away for asking too much (429 and the like)",
            tags=("purpose", "model"),
        ),
        Metric(
            name="ifbench_closed",
            kind="counter",
            words="Refusals on which an endpoint was closed, or calls not made as it is",
            tags=("model",),
        ),
        Metric(
            name="ifbench_tokens",
            kind="counter",
            words="Tokens, as the endpoint counts them",
            tags=("purpose", "model", "direction"),
        ),
        Metric(
            name="ifbench_cost_usd",
            kind="counter",
            words="US dollars for tokens, at the prices configured",
            tags=("purpose", "model"),
        ),
        Metric(
            name="ifbench_rows",
            kind="counter",
            words="Rows that came out of a step",
            tags=("step", "candidate"),
        ),
        Metric(
            name="ifbench_rows_in_hand",
            kind="gauge",
            words="Rows that a step has begun and not handed on",
            tags=("step", "candidate"),
        ),
        Metric(
            name="ifbench_trials",
            kind="counter",
            words="Trials that came out: complete, or owed",
            tags=("candidate", "outcome"),
        ),
        Metric(
            name="ifbench_undecided_trials",
            kind="counter",
            words="Trials that are owed, by cause; one may have several",
            tags=("candidate", "cause"),
        ),
        Metric(
            name="ifbench_verdicts",
            kind="counter",
            words="Verdicts on constraints and tasks; the cause is set where it is undecided",
            tags=("candidate", "outcome", "cause"),
        ),
    )
}


def exported_names(metric: Metric) -> tuple[str, ...]:
    """The series in which Prometheus finds a metric: Ray adds a prefix, and `_total` to sums."""
    name = f"ray_{metric.name}"
    match metric.kind:
        case "counter":
            return (f"{name}_total",)
        case "gauge":
            return (name,)
        case "histogram":
            return (f"{name}_bucket", f"{name}_count", f"{name}_sum")


def updates(counts: Counts) -> Iterator[Update]:
    """What a tally's growth since the last report (see `tally.py` for the names) comes to."""
    for words, amount in counts.items():
        if not amount:
            continue
        match words:
            case ("calls", purpose, model, event):
                yield _of_call(purpose, model, event, amount)
            case ("latency", purpose, model, bucket, "tries"):
                seconds = counts.get((*words[:4], "seconds"), 0.0)
                yield _of_latency(purpose, model, bucket, round(amount), seconds)
            case ("tokens", purpose, model, way):
                yield Update(metric="ifbench_tokens", tags=(purpose, model, way), amount=amount)
            case ("cost", purpose, model, "usd"):
                yield Update(metric="ifbench_cost_usd", tags=(purpose, model), amount=amount)
            case ("closed", model, _):
                yield Update(metric="ifbench_closed", tags=(model,), amount=amount)
            case ("candidates", candidate, step, way):
                yield from _of_row(step, candidate, way, amount)
            case ("trials", candidate, outcome):
                yield Update(metric="ifbench_trials", tags=(candidate, outcome), amount=amount)
            case ("undecided", candidate, cause):
                name = "ifbench_undecided_trials"
                yield Update(metric=name, tags=(candidate, cause), amount=amount)
            case ("verdicts", candidate, outcome, cause):
                name = "ifbench_verdicts"
                yield Update(metric=name, tags=(candidate, outcome, cause), amount=amount)
            case _:  # What has no metric, as rows by step alone.
                continue


def levels(
    before: Mapping[tuple[str, ...], float], changes: Iterable[Update]
) -> dict[tuple[str, ...], float]:
    """Gauges after some changes, those that changed, by metric and tags."""
    after: dict[tuple[str, ...], float] = {}
    for change in changes:
        series = (change.metric, *change.tags)
        if METRICS[change.metric].kind == "gauge":
            after[series] = after.get(series, before.get(series, 0.0)) + change.amount
    return after


def _of_call(purpose: str, model: str, event: str, amount: float) -> Update:
    if event in STATES:
        return Update(metric="ifbench_calls_now", tags=(purpose, model, event), amount=amount)
    if event in ("retried", "limited"):
        name = "ifbench_retries" if event == "retried" else "ifbench_limited"
        return Update(metric=name, tags=(purpose, model), amount=amount)
    return Update(metric="ifbench_calls", tags=(purpose, model, event), amount=amount)


def _of_latency(purpose: str, model: str, bucket: str, tries: int, seconds: float) -> Update:
    """The tries of one bucket, each at their mean: its count is exact, and so is the sum."""
    mean = seconds / tries
    return Update(
        metric="ifbench_call_seconds",
        tags=(purpose, model),
        amount=mean if bucket == "inf" else min(mean, float(bucket)),
        times=tries,
    )


def _of_row(step: str, candidate: str, way: str, amount: float) -> Iterator[Update]:
    tags = (step, candidate)
    held = amount if way == "in" else -amount
    yield Update(metric="ifbench_rows_in_hand", tags=tags, amount=held)
    if way == "out":
        yield Update(metric="ifbench_rows", tags=tags, amount=amount)
