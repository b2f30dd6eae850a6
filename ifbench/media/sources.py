"""Reads the file that a medium names, and makes sure that it is that file.

A `uri` is a path on this machine or whatever `pyarrow.fs` opens (`s3://`, `gs://`, `file://`).
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from ifbench.media.errors import MediaError
from ifbench.types import Media

_CHUNK_BYTES = 4 * 2**20


def sha256_of(path: str | Path) -> str:
    """SHA-256 of a file's bytes, in hex; the file is never whole in memory. Raises OSError."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_source(media: Media, max_bytes: int | None = None) -> bytes:
    """The bytes of a medium.

    Raises `MediaError` when the file cannot be read, is larger than `max_bytes` (then it is not
    read), or is not the one that `media.sha256` names.
    """
    try:
        with _open(media.uri) as file:
            size = file.seek(0, 2)
            file.seek(0)
            if max_bytes is not None and size > max_bytes:
                raise MediaError(
                    f"{media.uri} has {size:,} bytes; at most {max_bytes:,} may be sent"
                )
            data = file.read()
    except (OSError, ValueError) as error:  # pyarrow calls an unknown scheme a ValueError.
        raise MediaError(f"{media.uri} cannot be read: {error}") from error
    _check_hash(media, hashlib.sha256(data).hexdigest())
    return data


@contextmanager
def source_file(media: Media) -> Iterator[Path]:
    """The medium as a file on this machine, for what is too large to be read whole.

    What lies elsewhere is copied into a temporary file. Raises `MediaError` as `read_source` does.
    """
    if "://" not in media.uri:
        path = Path(media.uri).absolute()
        try:
            found = sha256_of(path)
        except (OSError, ValueError) as error:
            raise MediaError(f"{media.uri} cannot be read: {error}") from error
        _check_hash(media, found)
        yield path
        return
    with tempfile.NamedTemporaryFile(suffix=Path(media.uri).suffix) as copy:
        digest = hashlib.sha256()
        try:
            with _open(media.uri) as file:
                while chunk := file.read(_CHUNK_BYTES):
                    digest.update(chunk)
                    copy.write(chunk)
            copy.flush()
        except (OSError, ValueError) as error:
            raise MediaError(f"{media.uri} cannot be read: {error}") from error
        _check_hash(media, digest.hexdigest())
        yield Path(copy.name)


def _check_hash(media: Media, found: str) -> None:
    if found != media.sha256.lower():
        raise MediaError(
            f"{media.uri} is not the file that the record names: its SHA-256 is {found}, "
            f"expected {media.sha256}"
        )


@contextmanager
def _open(uri: str) -> Iterator[BinaryIO]:
    if "://" not in uri:
        with Path(uri).open("rb") as file:
            yield file
        return
    from pyarrow import fs  # only for what a plain path does not reach: it takes 40 ms to import

    system, path = fs.FileSystem.from_uri(uri)
    with system.open_input_file(path) as file:
        # NativeFile reads and seeks as a binary file does; pyarrow has no types that say so.
        yield cast("BinaryIO", file)
