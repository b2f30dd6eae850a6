"""`ifbench plan`: what `evaluate` would do, without asking anybody."""

from __future__ import annotations

import argparse
import math

from ifbench.accounting import cost_usd
from ifbench.cli import EXIT_OK
from ifbench.config import RunConfig, load_config
from ifbench.pipeline import Run, ready
from ifbench.report.tables import Table, render
from ifbench.survey import CallSum
from ifbench.types import ModelConfig, Purpose


def run(options: argparse.Namespace) -> int:
    """Survey the store and print the calls that are missing."""
    run_ = ready(load_config(options.overrides, config_dir=options.config_dir), exact=True)
    print(render([plan_table(run_)], "terminal"))
    return EXIT_OK


def plan_table(run: Run) -> Table:
    """Calls by purpose and model, with tokens, cost and the shortest time."""
    models = {model.name: model for model in run.config.models}
    rows = [_row(call, models[call.model]) for call in run.survey.calls]
    total_cost = sum(_cost(call, models[call.model]) for call in run.survey.calls)
    return Table(
        title=f"run {run.id}: {run.survey.trials} trials over {run.dataset.count} samples",
        columns=(
            "purpose", "model", "stored", "to ask", "then expected", "tokens in", "tokens out",
            "cost", "shortest time",
        ),
        rows=tuple(rows),
        notes=(
            "then expected: calls that hang on answers still missing; of the extractor and the grader, at most.",
            "tokens are estimates: 4 characters a token, pictures by size; out is at most.",
            _cost_note(run.config, total_cost),
            "shortest time: what the limits allow at best; unknown latency is left out.",
        ),
    )  # fmt: skip


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


def _is_priced(model: ModelConfig) -> bool:
    return bool(model.price.input_per_million or model.price.output_per_million)


def _cost_note(config: RunConfig, total: float) -> str:
    """The sum, and whose calls it leaves out: a model without a price does not cost nothing."""
    free = list(dict.fromkeys(m.name for m in config.models if not _is_priced(m)))
    if not any(map(_is_priced, config.models)):
        names = free[0] if len(free) == 1 else f"any of the {len(free)} models"
        return f"cost: unknown. No price is configured for {names}."
    left_out = f" No price is configured for {', '.join(free)}." if free else ""
    return f"cost at the configured prices, at most: ${total:,.2f}.{left_out}"
