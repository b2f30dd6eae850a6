"""Keeps renderings by content: in memory up to a bound, and on disk where a folder is given.

An entry on disk is a file of its own: a line of JSON, then the blobs' bytes one after the other.
It is written beside its place and renamed, so that any number of processes may share the folder;
one that is torn or foreign counts as absent and is written again.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import threading
import zlib
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

from ifbench.media.blobs import Blob, Rendering

_DESCRIBED = tuple(field.name for field in fields(Blob) if field.name != "data")


class MemoryCache:
    """The renderings that were used last, at most `max_bytes` of them. Any thread may use it."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._kept: OrderedDict[str, Rendering] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> Rendering | None:
        with self._lock:
            rendering = self._kept.get(key)
            if rendering is not None:
                self._kept.move_to_end(key)
            return rendering

    def put(self, key: str, rendering: Rendering) -> None:
        with self._lock:
            if key in self._kept or rendering.size > self._max_bytes:
                return
            self._kept[key] = rendering
            self._bytes += rendering.size
            while self._bytes > self._max_bytes:
                _, oldest = self._kept.popitem(last=False)
                self._bytes -= oldest.size

    @property
    def bytes_held(self) -> int:
        return self._bytes


def load_rendering(folder: Path, key: str) -> Rendering | None:
    """The rendering under a key; `None` where there is none that can be read."""
    try:
        with _place(folder, key).open("rb") as file:
            head = json.loads(file.readline())
            blobs = tuple(
                Blob(
                    data=_checked(file.read(described["bytes"]), described["crc32"]),
                    **{name: described[name] for name in _DESCRIBED},
                )
                for described in head["blobs"]
            )
            return Rendering(blobs=blobs, notes=tuple(head["notes"]))
    except (OSError, ValueError, LookupError, TypeError):
        return None


def save_rendering(folder: Path, key: str, rendering: Rendering) -> None:
    """Keep a rendering. A full or read-only disk costs speed only, so it is passed over."""
    described = [
        {
            **{name: getattr(blob, name) for name in _DESCRIBED},
            "bytes": len(blob.data),
            "crc32": zlib.crc32(blob.data),
        }
        for blob in rendering.blobs
    ]
    head = json.dumps({"blobs": described, "notes": rendering.notes})
    place = _place(folder, key)
    draft = place.with_name(f"{place.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("wb") as file:
            file.write(head.encode("ascii") + b"\n")
            file.writelines(blob.data for blob in rendering.blobs)
        draft.replace(place)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink()


@contextlib.contextmanager
def alone(folder: Path, key: str) -> Iterator[None]:
    """Hold the only right, among the processes that share the folder, to make what is under a key.

    Some keys share a lock. Where the file system has no locks, it is made twice at worst.
    """
    place = _place(folder, key).with_name("making.lock")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        file = place.open("ab")
    except OSError:
        yield
        return
    with file:  # Closing it gives the lock back.
        with contextlib.suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _checked(data: bytes, crc32: int) -> bytes:
    if zlib.crc32(data) != crc32:
        raise ValueError("torn")
    return data


def _place(folder: Path, key: str) -> Path:
    return folder / key[:2] / key  # no folder holds more than some thousands of files
