"""The files that records name: where they lie and what their bytes hash to."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from ifbench.errors import DatasetError
from ifbench.media.errors import MediaError
from ifbench.media.sources import sha256_of
from ifbench.types import Media, MediaKind


def load_media(kind: MediaKind, uri: str, folder: Path, sha256: str = "") -> Media:
    """A medium with an absolute path and its hash. Raises `DatasetError`.

    A URI with a scheme (`s3://…`) is kept as it is and not looked up; its hash must be given.
    """
    if "://" in uri:
        if not sha256:
            raise DatasetError(f"`{uri}` is not looked up, so its `sha256` must be given")
        return Media(kind=kind, uri=uri, sha256=sha256)
    path = os.path.abspath(folder / uri)  # noqa: PTH100  (`resolve` would follow links)
    found = file_sha256(path)
    if sha256 and sha256 != found:
        raise DatasetError(f"{path} has the SHA-256 {found}, the record says {sha256}")
    return Media(kind=kind, uri=path, sha256=found, duration_s=duration_s(kind, path))


def duration_s(kind: MediaKind, path: str) -> float | None:
    """How long a video or a sound plays by its header, in seconds, for estimates.

    `None` for other media, where the file does not say or cannot be read (the row that shows it
    fails, later and alone), and where PyAV is not installed.
    """
    if kind not in {"video", "audio"}:
        return None
    status = os.stat(path)  # noqa: PTH116  (as for the hash)
    return _duration_s(path, status.st_size, status.st_mtime_ns)


def relative_uri(media: Media, folder: Path) -> str:
    """The URI as it is written into a record file that lies in `folder`."""
    if "://" in media.uri:
        return media.uri
    return Path(os.path.relpath(media.uri, folder)).as_posix()


def file_sha256(path: str) -> str:
    """SHA-256 of a file's bytes, in hex. Raises `DatasetError` when there is no such file."""
    try:
        status = os.stat(path)  # noqa: PTH116  (thousands of times; a `Path` costs more)
        if not os.path.isfile(path):  # noqa: PTH113
            raise DatasetError(f"{path} is no file")
        return _sha256(path, status.st_size, status.st_mtime_ns)
    except OSError as error:
        raise DatasetError(f"{path}: {error.strerror}") from error
    except ValueError as error:  # A null character in a name.
        raise DatasetError(f"{path!r}: {error}") from error


@lru_cache(maxsize=100_000)
def _sha256(path: str, size: int, mtime_ns: int) -> str:  # noqa: ARG001  (size and time: the key)
    return sha256_of(path)


@lru_cache(maxsize=100_000)
def _duration_s(path: str, size: int, mtime_ns: int) -> float | None:  # noqa: ARG001  (as above)
    try:
        from ifbench.media.video_probe import probe_duration

        return probe_duration(Path(path))
    except (ImportError, MediaError):
        return None
