"""Ray's agent of a node serves what the workers count, in the form that Prometheus reads."""

from __future__ import annotations

import asyncio
import re
import sys
import threading
import time
import urllib.request
from contextlib import asynccontextmanager

import pytest

from factories import make_model, make_sample
from ifbench.execution.metric_updates import METRICS, exported_names
from ifbench.execution.ray_metrics import AGENT_NEEDS, RayMetrics, is_gathered, open_metrics
from ifbench.execution.step import Step
from ifbench.types import Trial, WorkItem

PATIENCE_S = 240.0
"""For a start of Ray on a busy machine; the agent hands on what it has every few seconds."""


def test_without_an_agent_nothing_is_declared(monkeypatch):
    monkeypatch.setattr("ifbench.execution.ray_metrics.find_spec", lambda name: None)
    assert not is_gathered()
    assert open_metrics() is None


@pytest.mark.ray
def test_all_metrics_are_declared_with_their_tags_and_take_counts():
    metrics = RayMetrics()
    for name, metric in METRICS.items():
        assert metrics._instruments[name].info["tag_keys"] == metric.tags
    metrics.add(
        {
            ("calls", "judge", "m", "answered"): 2.0,
            ("calls", "judge", "m", "in_flight"): -1.0,
            ("latency", "judge", "m", "0.5", "tries"): 2.0,
            ("latency", "judge", "m", "0.5", "seconds"): 0.8,
        }
    )


@asynccontextmanager
async def counts_a_call(seat):
    async def work(row: Trial) -> Trial:
        seat.tally.merge(
            {
                ("calls", "candidate", "m", "answered"): 1.0,
                ("latency", "candidate", "m", "0.5", "tries"): 1.0,
                ("latency", "candidate", "m", "0.5", "seconds"): 0.4,
            }
        )
        return row

    yield work


@asynccontextmanager
async def stays(seat):
    """So that the workers are there until their metrics have been asked for."""

    async def work(row: Trial) -> Trial:
        for _ in range(1500):
            if seat.stopping():
                break
            await asyncio.sleep(0.1)
        return row

    yield work


@pytest.mark.ray
@pytest.mark.soak
@pytest.mark.timeout(600)
# A start that Ray gives up, on a busy machine, leaves processes of its own to the collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.skipif(
    not is_gathered(), reason=f"Ray gathers metrics only with ray[default]: {AGENT_NEEDS}"
)
def test_prometheus_finds_what_the_workers_count():
    import ray
    from ray import cloudpickle

    from ifbench.execution.ray_data import RayExecutor
    from ifbench.execution.ray_start import RayOptions

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    executor = RayExecutor(RayOptions(num_cpus=4, rows_per_block=4))
    item = WorkItem(sample=make_sample("s"), candidate=make_model("c"))
    rows = [Trial(item=item) for _ in range(8)]
    steps = (
        Step(name="first", build=counts_a_call, in_flight=8),
        Step(name="second", build=stays, in_flight=8),
    )
    thread = threading.Thread(target=lambda: list(executor.run(rows, steps)), daemon=True)
    thread.start()
    try:
        found = _wait_for_series(ray, exported_names(METRICS["ifbench_calls"])[0])
    finally:
        executor.stop()
        thread.join(60)
        ray.shutdown()
    assert found["ray_ifbench_calls_total"] == 8
    assert found["ray_ifbench_rows_total"] >= 8
    assert found["ray_ifbench_call_seconds_count"] == 8


def _wait_for_series(ray, name: str) -> dict[str, float]:
    deadline = time.monotonic() + PATIENCE_S
    found: dict[str, float] = {}
    while time.monotonic() < deadline and not found.get(name):
        time.sleep(1.0)
        if ray.is_initialized():
            found = _sums(ray.nodes()[0]["MetricsExportPort"])
    return found


def _sums(port: int) -> dict[str, float]:
    """Each series that is ours, summed over its labels."""
    sums: dict[str, float] = {}
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as reply:
            text = reply.read().decode()
    except OSError:
        return sums
    for line in text.splitlines():
        if found := re.fullmatch(r"(ray_ifbench_\w+)\{.*\} (\S+)", line):
            sums[found[1]] = sums.get(found[1], 0.0) + float(found[2])
    return sums
