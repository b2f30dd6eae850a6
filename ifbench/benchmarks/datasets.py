"""Which samples a run is about: a record file or a set that ships, narrowed as configured."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from ifbench.benchmarks import get_benchmark
from ifbench.benchmarks.binding import unknown_name
from ifbench.benchmarks.records import dataset_sha256
from ifbench.benchmarks.scimif.release import fit_places
from ifbench.config.values import Benchmark as BenchmarkConfig
from ifbench.errors import ConfigError, DatasetError
from ifbench.told import told
from ifbench.types import Sample

_log = logging.getLogger(__name__)

BUILTIN = "builtin:"
_BUILTIN_SETS = {
    f"{name}_starter": Path(__file__).parent / name / "starter" / "starter.jsonl"
    for name in ("scimif", "videoif")
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """The samples of a run, read afresh each time, and the hash of what they say."""

    config: BenchmarkConfig
    path: Path
    sha256: str
    count: int
    constraints: frozenset[str]
    """The constraints that its checklists name."""

    def samples(self) -> Iterator[Sample]:
        """The samples, in the order of the file."""
        samples = get_benchmark(self.config.name).load(self.path, check=False)
        return _narrowed(samples, self.config, self.path)


def open_dataset(config: BenchmarkConfig) -> Dataset:
    """Read and check a data set as a whole.

    Raises `DatasetError` for a defect or for ids that it does not hold, `ConfigError` for a
    set that does not ship.
    """
    path = data_path(config.data)
    count = 0
    names: set[str] = set()
    samples = told(get_benchmark(config.name).load(path, check=False), f"reading {path}: samples")

    def counted() -> Iterator[Sample]:
        nonlocal count
        for sample in _narrowed(samples, config, path):
            count += 1
            names.update(item.constraint_id for item in sample.checklist)
            yield sample

    sha256 = dataset_sha256(counted())
    for _ in samples:  # What `limit` leaves out is to be sound as well.
        pass
    if count == 0:
        raise DatasetError(f"{path}: no sample is left to ask (see `benchmark.ids` and `limit`)")
    return Dataset(
        config=config, path=path, sha256=sha256, count=count, constraints=frozenset(names)
    )


def data_path(data: str) -> Path:
    """The file behind `benchmark.data`: a path, or `builtin:NAME`."""
    if not data.startswith(BUILTIN):
        return Path(data)
    name = data.removeprefix(BUILTIN)
    if name not in _BUILTIN_SETS:
        raise ConfigError(
            f"benchmark.data: {unknown_name('built-in set', name, _BUILTIN_SETS)}; "
            f"known: {', '.join(BUILTIN + known for known in _BUILTIN_SETS)}"
        )
    return _BUILTIN_SETS[name]


def _narrowed(samples: Iterator[Sample], config: BenchmarkConfig, path: Path) -> Iterator[Sample]:
    if config.ids is not None:
        samples = _only(samples, config.ids, path)
    if config.variant == "original":
        samples = (original(sample) for sample in samples if _has_original(sample, path))
    return islice(samples, config.limit)


def original(sample: Sample) -> Sample:
    """The sample before augmentation: the original question, and nothing to check.

    Facets stay, so that breakdowns of both runs have the same rows.
    """
    words = fit_places(sample.original_instruction, sample.media)
    return replace(sample, instruction=words, checklist=())


_TOLD: set[Path] = set()
"""A file is read several times; what is left out of it is said once a process."""


def _has_original(sample: Sample, path: Path) -> bool:
    if sample.original_instruction.strip():
        return True
    if path not in _TOLD:
        _TOLD.add(path)
        words = "%s: samples without `original_instruction` are left out, the first: %s"
        _log.warning(words, path, sample.id)
    return False


def _only(samples: Iterator[Sample], ids: tuple[str, ...], path: Path) -> Iterator[Sample]:
    """The named samples; those that the file does not hold are an error, once it is read."""
    wanted = set(ids)
    seen: set[str] = set()
    known: list[str] = []
    for sample in samples:
        known.append(sample.id)
        if sample.id in wanted:
            seen.add(sample.id)
            yield sample
    for missing in sorted(wanted - seen):
        raise DatasetError(f"{path}: {unknown_name('sample', missing, known)} (benchmark.ids)")
