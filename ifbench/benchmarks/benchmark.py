"""What a benchmark is: where its samples come from and how its results are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

from ifbench.types import Rules, Sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakdown:
    """One table of the report: the metrics, a row for each value of a facet."""

    facet: str
    title: str
    order: tuple[str, ...] = ()
    """Values that come first, in this order; others follow by name."""


class Loader(Protocol):
    """Reads our record form or the public release's."""

    def __call__(self, path: Path, /, *, check: bool = True) -> Iterator[Sample]:
        """Raises `DatasetError` with every defect: before it yields, or else at the end."""
        ...


Printed: TypeAlias = Callable[[str, str], Mapping[str, Mapping[str, float]]]
"""A paper's own figures by row and column, for a view and a model; empty where it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """A benchmark is a value: adding one is a folder and a line in `get_benchmark`."""

    name: str
    title: str
    load: Loader
    metrics: tuple[str, ...]
    """Names in `ifbench.metrics.METRICS`, in the order of the paper's columns."""
    headline: str
    """The metric that ranks models."""
    headline_over: str = ""
    """The facet over whose values the headline is averaged; empty for all samples at once."""
    breakdowns: tuple[Breakdown, ...] = ()
    groups: tuple[str, ...] = ()
    """The constraints' functional groups, in the order of the paper."""
    rules: tuple[Rules, ...] = ("paper",)
    """The rule sets that its items can be decided by."""
    domains: tuple[str, ...] = ()
    """The constraints' domains, in the order of the paper."""
    printed: Printed = lambda _view, _model: {}
    """The paper's own figures in percent, by row and metric, for a view and a model."""

    @property
    def orders(self) -> Mapping[str, tuple[str, ...]]:
        """By facet, the values that come first."""
        return {one.facet: one.order for one in self.breakdowns}

    @property
    def headline_values(self) -> tuple[str, ...]:
        """The values that the headline is averaged over."""
        return self.orders.get(self.headline_over, ())
