"""Which form a data set has, told by what lies there: ours, or one of two public releases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ifbench.benchmarks.benchmark import Loader
from ifbench.benchmarks.scimif import release as scimif
from ifbench.benchmarks.videoif import annotations as videoif


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How a data set is read, and where each of its samples stands."""

    load: Loader
    places: Callable[[Path], Mapping[str, str]]
    """From ids to `FILE line N`."""


def form_of(path: Path) -> Form:
    """The form of a file or a folder; SciMIF's loader reads our own form as well."""
    if videoif.is_release(path):
        return Form(load=videoif.load_annotations, places=videoif.places_of)
    return Form(load=scimif.load_samples, places=scimif.places_of)
