"""What a benchmark is: where its samples come from and how its results are shown."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeAlias

from ifbench.types import Rules, Sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakdown:
    """One table of the report: metrics, a row for each value of a facet."""

    facet: str
    title: str
    name: str = ""
    """What `--by` calls it, where that is not the facet."""
    order: tuple[str, ...] = ()
    """Values that come first, in this order; others follow by name."""
    bins: tuple[str, ...] = ()
    """Ranges of a facet that is a number, `1-4` or `9+`; a number outside of them stands alone."""
    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The samples that it is about: by facet, the values that count."""
    metrics: tuple[str, ...] = ()
    """Its own metrics; empty for the benchmark's."""
    lowest: int = 0
    """Only so many rows, those with the lowest mean over models; 0 for all."""

    @property
    def view(self) -> str:
        """What `--by` calls it."""
        return self.name or self.facet


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
    """Names in `ifbench.metrics.ALL_METRICS`, in the order of the paper's columns."""
    headline: str
    """The metric that ranks models."""
    headline_over: str = ""
    """The facet over whose values the headline is averaged; empty for all samples at once."""
    breakdowns: tuple[Breakdown, ...] = ()
    """What a report shows, unless it is told what to show."""
    further: tuple[Breakdown, ...] = ()
    """More of them, for `--by`."""
    item_metrics: tuple[str, ...] = ()
    """The metrics over items of some constraints alone; empty for `metrics`."""
    kinds: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Constraints by what they are about (semantic, format), where the paper parts them so."""
    groups: tuple[str, ...] = ()
    """The constraints' functional groups, in the order of the paper."""
    rules: tuple[Rules, ...] = ("paper",)
    """The rule sets that its items can be decided by."""
    domains: tuple[str, ...] = ()
    """The constraints' domains, in the order of the paper."""
    is_graded: bool = True
    """Whether it asks, apart from adherence, if answers are right."""
    printed: Printed = lambda _view, _model: {}
    """The paper's own figures in percent, by row and metric, for a view and a model."""
    printed_by: Mapping[str, Printed] = field(default_factory=dict)
    """The same by judge, where the paper has a table for another one than its own."""

    def printed_for(self, judge: str) -> Printed:
        """The paper's figures to set beside those of a judge."""
        return self.printed_by.get(judge, self.printed)

    @property
    def constraint_views(self) -> tuple[str, ...]:
        """Breakdowns by what a constraint is, and not by what a sample is."""
        parts = (("domain", self.domains), ("kind", self.kinds))
        return "group", *(name for name, known in parts if known), "constraint"

    @property
    def at_a_glance(self) -> tuple[str, str]:
        """The two breakdowns that stand at the end of a run."""
        return self.headline_over or self.breakdowns[0].view, "group"

    def breakdown(self, view: str) -> Breakdown:
        """The breakdown that `--by` means: one that is named here, or a facet as it is."""
        named = {one.view: one for one in (*self.breakdowns, *self.further)}
        return named.get(view) or Breakdown(facet=view, title="")

    @property
    def orders(self) -> Mapping[str, tuple[str, ...]]:
        """By facet, the values that come first."""
        return {one.facet: one.order for one in self.breakdowns}

    @property
    def headline_values(self) -> tuple[str, ...]:
        """The values that the headline is averaged over."""
        return self.orders.get(self.headline_over, ())
