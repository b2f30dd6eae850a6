"""A worker's counts as Prometheus metrics, by way of Ray's agent on its node.

Ray's agent of a node gathers the metrics of its workers and serves them to Prometheus. It does so
only where `ray[default]` is installed; elsewhere nothing is declared and nothing is sent.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from ifbench.execution.metric_updates import METRICS, Metric, levels, updates
from ifbench.tally import LATENCY_BOUNDS_S

AGENT_NEEDS = ("opencensus", "opentelemetry", "prometheus_client")
"""Without these Ray starts its agent in a minimal form, which gathers nothing."""


def is_gathered() -> bool:
    """True where Ray's agent of this node can gather metrics."""
    return all(find_spec(name) is not None for name in AGENT_NEEDS)


class RayMetrics:
    """The metrics of one worker process. Any thread may add to them."""

    def __init__(self) -> None:
        self._instruments = {metric.name: _declared(metric) for metric in METRICS.values()}
        self._levels: dict[tuple[str, ...], float] = {}
        self._lock = threading.Lock()

    def add(self, counts: Mapping[tuple[str, ...], float]) -> None:
        """Add what has been counted since the last time."""
        changes = list(updates(counts))
        for change in changes:
            metric = METRICS[change.metric]
            tags = dict(zip(metric.tags, change.tags, strict=True))
            if metric.kind == "counter":
                self._instruments[metric.name].inc(change.amount, tags=tags)
            elif metric.kind == "histogram":
                for _ in range(change.times):
                    self._instruments[metric.name].observe(change.amount, tags=tags)
        with self._lock:
            now = levels(self._levels, changes)
            self._levels |= now
            for (name, *values), level in now.items():
                tags = dict(zip(METRICS[name].tags, values, strict=True))
                # Reports of two threads may come in the wrong order, and a level below zero then.
                self._instruments[name].set(max(0.0, level), tags=tags)


def open_metrics() -> RayMetrics | None:
    """This worker's metrics; `None` where nobody gathers them."""
    return RayMetrics() if is_gathered() else None


def _declared(metric: Metric) -> Any:
    """One of Ray's metrics; these have no types of their own."""
    from ray.util.metrics import Counter, Gauge, Histogram

    match metric.kind:
        case "counter":
            return Counter(metric.name, description=metric.words, tag_keys=metric.tags)
        case "gauge":
            return Gauge(metric.name, description=metric.words, tag_keys=metric.tags)
        case "histogram":
            return Histogram(
                metric.name,
                description=metric.words,
                # The tally's own, or the counts would not be exact.
                boundaries=list(LATENCY_BOUNDS_S),
                tag_keys=metric.tags,
            )
