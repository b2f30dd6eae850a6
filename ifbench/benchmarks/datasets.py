"""Which samples a run is about: a record file or a set that ships, narrowed as configured."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from ifbench.benchmarks import get_benchmark
from ifbench.benchmarks.binding import unknown_name
from ifbench.benchmarks.hub import HUB, hub_folder
from ifbench.benchmarks.records import dataset_sha256
from ifbench.benchmarks.scimif.release import fit_places
from ifbench.benchmarks.videoif.variants import VARIANTS
from ifbench.config.values import Benchmark as BenchmarkConfig
from ifbench.errors import ConfigError, DatasetError
from ifbench.told import told
from ifbench.types import MediaKind, Sample

_log = logging.getLogger(__name__)

WHERE = "benchmark.where"
MAX_LISTED = 12
"""Values of a facet that a message lists."""

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
    media: frozenset[MediaKind] = frozenset()
    """The kinds of media that its samples show."""
    stamps: Mapping[Path, Stamp | None]
    """Of the files that it was read from."""

    def samples(self) -> Iterator[Sample]:
        """The samples, in the order of the file.

        Raises `DatasetError`, before the first or behind the last one, where a file is no longer
        what was read when the data set was opened: scores of two data sets would be mixed.
        """
        self._refuse_changes()
        samples = get_benchmark(self.config.name).load(self.path, check=False)
        yield from _narrowed(samples, self.config, self.path)
        self._refuse_changes()

    def _refuse_changes(self) -> None:
        found = _stamps(self.path)
        for file in sorted({*found, *self.stamps}):
            if found.get(file) != self.stamps.get(file):
                raise DatasetError(
                    f"{file}: the file is another than when the run began, so the run ends before "
                    "its scores mix two data sets; the same command starts a run of the data as "
                    "they are now"
                )


Stamp: TypeAlias = tuple[int, int, int]
"""What a file that is written anew has otherwise: its number on the disk, its size and its time."""


def _stamps(path: Path) -> Mapping[Path, Stamp | None]:
    """Of a file, or of the files of records in a release's folder; `None` for one that is gone."""
    files = [*path.glob("*.jsonl"), *path.glob("*/*.jsonl")] if path.is_dir() else [path]
    return {file: _stamp(file) for file in files}


def _stamp(file: Path) -> Stamp | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def open_dataset(config: BenchmarkConfig) -> Dataset:
    """Read and check a data set as a whole.

    Raises `DatasetError` for a defect or for ids that it does not hold, `ConfigError` for a
    set that does not ship.
    """
    path = data_path(config.data)
    stamps = _stamps(path)  # Before it is read: a change meanwhile is one, too.
    count = 0
    names: set[str] = set()
    kinds: set[MediaKind] = set()
    samples = told(get_benchmark(config.name).load(path, check=False), f"reading {path}: samples")

    def counted() -> Iterator[Sample]:
        nonlocal count
        for sample in _narrowed(samples, config, path):
            count += 1
            names.update(item.constraint_id for item in sample.checklist)
            kinds.update(medium.kind for medium in sample.media)
            yield sample

    sha256 = dataset_sha256(counted())
    for _ in samples:  # What `limit` leaves out is to be sound as well.
        pass
    if count == 0:
        raise DatasetError(
            f"{path}: no sample is left to ask (see `benchmark.ids`, `where`, `variant` and `limit`)"
        )
    return Dataset(
        config=config,
        path=path,
        sha256=sha256,
        count=count,
        constraints=frozenset(names),
        media=frozenset(kinds),
        stamps=stamps,
    )


def data_path(data: str) -> Path:
    """The file or folder behind `benchmark.data`: a path, `builtin:NAME`, or `hub:OWNER/NAME`."""
    if data.startswith(HUB):
        return hub_folder(data)
    if not data.startswith(BUILTIN):
        _refuse_short_name(data)
        return Path(data)
    name = data.removeprefix(BUILTIN)
    if name not in _BUILTIN_SETS:
        raise ConfigError(
            f"benchmark.data: {unknown_name('built-in set', name, _BUILTIN_SETS)}; "
            f"known: {', '.join(BUILTIN + known for known in _BUILTIN_SETS)}"
        )
    return _BUILTIN_SETS[name]


def _refuse_short_name(data: str) -> None:
    """Raise `ConfigError` for a word that is no file but (a part of) a built-in set's name."""
    meant = [BUILTIN + name for name in _BUILTIN_SETS if data.strip().lower() in name]
    if meant and not Path(data).exists():
        raise ConfigError(
            f"benchmark.data: there is no file `{data}`; a set that the package carries is named "
            f"{' or '.join(f'`{name}`' for name in meant)}"
        )


def _narrowed(samples: Iterator[Sample], config: BenchmarkConfig, path: Path) -> Iterator[Sample]:
    if config.ids is not None:
        samples = _only(samples, config.ids, path)
    if config.where:
        wanted = {facet: config.wanted(facet) for facet in config.where}
        samples = _where(samples, wanted, path)
    if config.variant == "original":
        samples = (original(sample) for sample in samples if _has_original(sample, path))
    elif config.variant is not None:
        samples = _varied(samples, config.variant, path)
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


def _varied(samples: Iterator[Sample], variant: str, path: Path) -> Iterator[Sample]:
    """The samples that a variant makes of these; once all are read, what it left out is said."""
    made_of, left_out = 0, 0
    for sample in samples:
        variants = list(VARIANTS[variant]([sample]))
        made_of += bool(variants)
        left_out += not variants
        yield from variants
    if (path, variant) not in _TOLD_OF_VARIANTS:
        _TOLD_OF_VARIANTS.add((path, variant))
        words = (
            "%s: benchmark.variant=%s is made of %d samples; %d that it does not fit are left out"
        )
        _log.warning(words, path, variant, made_of, left_out)


_TOLD_OF_VARIANTS: set[tuple[Path, str]] = set()


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


def _where(
    samples: Iterator[Sample], wanted: Mapping[str, tuple[str, ...]], path: Path
) -> Iterator[Sample]:
    """The samples with one of the wanted values of each facet.

    A facet or a value that no sample has is an error, once the samples are read: a slip of the
    pen would else narrow a run in silence.
    """
    seen: dict[str, set[str]] = defaultdict(set)
    for sample in samples:
        for facet, value in sample.facets.items():
            seen[facet].update({value} if facet in wanted else ())
        if all(sample.facets.get(facet) in values for facet, values in wanted.items()):
            yield sample
    for facet, values in wanted.items():
        if facet not in seen:
            known = ", ".join(sorted(seen)) or "none"
            raise DatasetError(
                f"{path}: {unknown_name('facet', facet, seen)}; known: {known} ({WHERE})"
            )
        for value in sorted(set(values) - seen[facet]):
            raise DatasetError(
                f"{path}: no sample has `{facet}` = `{value}`; found: {_listed(seen[facet])} ({WHERE})"
            )


def _listed(values: set[str]) -> str:
    shown = sorted(values)[:MAX_LISTED]
    return ", ".join(shown) + (", …" if len(values) > len(shown) else "")
