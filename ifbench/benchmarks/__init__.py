"""The benchmarks, by name."""

from __future__ import annotations

from ifbench.benchmarks.benchmark import Benchmark
from ifbench.benchmarks.binding import unknown_name
from ifbench.benchmarks.scimif import SCIMIF
from ifbench.benchmarks.videoif.benchmark import VIDEOIF
from ifbench.errors import ConfigError

BENCHMARKS = {benchmark.name: benchmark for benchmark in (SCIMIF, VIDEOIF)}


def get_benchmark(name: str) -> Benchmark:
    """The benchmark called `name`. Raises `ConfigError` with the known names."""
    if name in BENCHMARKS:
        return BENCHMARKS[name]
    raise ConfigError(
        f"{unknown_name('benchmark', name, BENCHMARKS)}; known: {', '.join(BENCHMARKS)}"
    )
