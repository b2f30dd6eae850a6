"""`ifbench plan`: what `evaluate` would do, without asking anybody."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ifbench.accounting import cost_usd
from ifbench.cli import EXIT_OK
from ifbench.config import load_points
from ifbench.report.tables import Table, render
from ifbench.runs import Run, left_usd, ready
from ifbench.survey import CallSum
from ifbench.types import ModelConfig, Purpose


def run(options: argparse.Namespace) -> int:
    """Survey the store and print the calls that are missing."""
    points = load_points(
        options.overrides, is_sweep=options.multirun, config_dir=options.config_dir
    )
    print(render(plan_tables(ready(points, exact=True)), "terminal"))
    return EXIT_OK


def plan_tables(runs: Sequence[Run]) -> list[Table]:
    """The calls of all runs together; of several runs also a line for each."""
    return [calls_table(runs), *([runs_table(runs)] if len(runs) > 1 else [])]


def calls_table(runs: Sequence[Run]) -> Table:
    """Calls by purpose and model, with tokens, cost and the shortest time."""
    models = {model.name: model for run in runs for model in run.config.models}
    calls = summed(call for run in runs for call in run.survey.further)
    return Table(
        name="calls",
        title=_title(runs),
        columns=(
            "purpose", "model", "stored", "to ask", "then expected", "tokens in", "tokens out",
            "cost", "shortest time",
        ),
        rows=tuple(_row(call, models[call.model]) for call in calls),
        notes=(
            "then expected: calls that hang on answers still missing; of the extractor and the grader, at most.",
            "tokens are estimates: 4 characters a token, pictures by size; out is at most.",
            _cost_note(list(models.values()), sum(map(_cost_of, runs))),
            "shortest time: what the limits allow at best; unknown latency is left out.",
            *_cap_notes(runs),
            *(f"run {run.id}: {words}." for run in runs for words in run.twins),
        ),
    )  # fmt: skip


def runs_table(runs: Sequence[Run]) -> Table:
    """A line for each run: what it asks, and what that adds to the runs before it."""
    return Table(
        name="runs",
        title="Each run",
        columns=(
            "point", "run", "samples", "trials", "stored", "to ask", "then expected",
            "shared", "cost",
        ),
        rows=tuple(_run_row(run) for run in runs),
        notes=("shared: calls that a run above makes already; they are asked, and cost, once.",),
    )  # fmt: skip


def summed(calls: Iterable[CallSum]) -> list[CallSum]:
    """One sum for each purpose and model, in the order in which a trial comes by them."""
    found: dict[tuple[Purpose, str], CallSum] = {}
    for call in calls:
        name = (call.purpose, call.model)
        before = found.get(name, CallSum(purpose=call.purpose, model=call.model))
        found[name] = replace(
            before, **{one: getattr(before, one) + getattr(call, one) for one in _AMOUNTS}
        )
    order = list(Purpose)
    return [found[name] for name in sorted(found, key=lambda one: (order.index(one[0]), one[1]))]


_AMOUNTS = ("stored", "missing", "expected", "input_tokens", "most_output_tokens")


def _title(runs: Sequence[Run]) -> str:
    trials = sum(run.planned for run in runs)
    if len(runs) == 1:
        return f"run {runs[0].id}: {trials} trials over {runs[0].dataset.count} samples"
    return f"{len(runs)} runs, {trials} trials: what they ask together"


def _run_row(run: Run) -> tuple[str, ...]:
    calls, further = run.survey.calls, run.survey.further
    shared = _sum(calls, "missing", "expected") - _sum(further, "missing", "expected")
    return (
        run.title,
        run.id,
        f"{run.dataset.count:,}",
        f"{run.planned:,}",
        f"{_sum(calls, 'stored'):,}",
        f"{_sum(calls, 'missing'):,}",
        f"{_sum(calls, 'expected'):,}",
        f"{shared:,}",
        f"${_cost_of(run):,.2f}" if any(map(_is_priced, run.config.models)) else "no price",
    )


def _sum(calls: Iterable[CallSum], *amounts: str) -> int:
    return sum(getattr(call, one) for call in calls for one in amounts)


def _cost_of(run: Run) -> float:
    """What a run adds to the cost of those before it, at its own prices."""
    models = {model.name: model for model in run.config.models}
    return sum(_cost(call, models[call.model]) for call in run.survey.further)


def shortest_s(call: CallSum, model: ModelConfig) -> float:
    """Seconds below which the model's rates cannot be met; 0 where it has none."""
    calls = call.missing + call.expected
    tokens = call.input_tokens + call.most_output_tokens
    limits = model.limits
    by_requests = calls / limits.requests_per_minute * 60 if limits.requests_per_minute else 0.0
    by_tokens = tokens / limits.tokens_per_minute * 60 if limits.tokens_per_minute else 0.0
    return max(by_requests, by_tokens)


_AT_MOST = frozenset({Purpose.EXTRACT, Purpose.CORRECTNESS})
"""Asked only what rules cannot find or tell."""


def _row(call: CallSum, model: ModelConfig) -> tuple[str, ...]:
    at_most = "≤ " if call.purpose in _AT_MOST and call.expected else ""
    seconds = shortest_s(call, model)
    return (
        call.purpose.value,
        call.model,
        f"{call.stored:,}",
        f"{call.missing:,}",
        f"{at_most}{call.expected:,}",
        f"{call.input_tokens:,}",
        f"≤ {call.most_output_tokens:,}",
        f"${_cost(call, model):,.2f}" if _is_priced(model) else "no price",
        f"{math.ceil(seconds):,} s" if seconds else "no rate limit",
    )


def _cost(call: CallSum, model: ModelConfig) -> float:
    return cost_usd(model.price, call.input_tokens, call.most_output_tokens)


def _cap_notes(runs: Sequence[Run]) -> tuple[str, ...]:
    """Whether `max_usd` may end the asking before all is asked."""
    left = left_usd(runs)
    if left is None or sum(map(_cost_of, runs)) <= left:
        return ()
    return (f"max_usd leaves ${left:,.2f}: what it does not pay for is owed.",)


def _is_priced(model: ModelConfig) -> bool:
    return bool(model.price.input_per_million or model.price.output_per_million)


def _cost_note(models: Sequence[ModelConfig], total: float) -> str:
    """The sum, and whose calls it leaves out: a model without a price does not cost nothing."""
    free = list(dict.fromkeys(m.name for m in models if not _is_priced(m)))
    if not any(map(_is_priced, models)):
        names = free[0] if len(free) == 1 else f"any of the {len(free)} models"
        return f"cost: unknown. No price is configured for {names}."
    left_out = f" No price is configured for {', '.join(free)}." if free else ""
    return f"cost at the configured prices, at most: ${total:,.2f}.{left_out}"
