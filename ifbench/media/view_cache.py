"""Keeps encoded views by content: in memory up to a bound, and on disk where a folder is given.

An entry on disk is a file of its own: a line of JSON, then the bytes. It is written beside its
place and renamed, so that any number of processes may share the folder; one that is torn or
foreign counts as absent and is written again.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import zlib
from collections import OrderedDict
from dataclasses import fields
from pathlib import Path

from ifbench.media.blobs import Blob

_DESCRIBED = tuple(field.name for field in fields(Blob) if field.name != "data")


class MemoryCache:
    """The blobs that were used last, at most `max_bytes` of them. Any thread may use it."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._blobs: OrderedDict[str, Blob] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> Blob | None:
        with self._lock:
            blob = self._blobs.get(key)
            if blob is not None:
                self._blobs.move_to_end(key)
            return blob

    def put(self, key: str, blob: Blob) -> None:
        with self._lock:
            if key in self._blobs or len(blob.data) > self._max_bytes:
                return
            self._blobs[key] = blob
            self._bytes += len(blob.data)
            while self._bytes > self._max_bytes:
                _, oldest = self._blobs.popitem(last=False)
                self._bytes -= len(oldest.data)

    @property
    def bytes_held(self) -> int:
        return self._bytes


def load_blob(folder: Path, key: str) -> Blob | None:
    """The blob under a key; `None` where there is none that can be read."""
    try:
        head, _, data = _place(folder, key).read_bytes().partition(b"\n")
        described = json.loads(head)
        blob = Blob(data=data, **{name: described[name] for name in _DESCRIBED})
        return blob if described["crc32"] == zlib.crc32(data) else None
    except (OSError, ValueError, LookupError, TypeError):
        return None


def save_blob(folder: Path, key: str, blob: Blob) -> None:
    """Keep a blob. A full or read-only disk costs speed only, so it is passed over."""
    described = {name: getattr(blob, name) for name in _DESCRIBED}
    head = json.dumps({**described, "crc32": zlib.crc32(blob.data)})
    place = _place(folder, key)
    draft = place.with_name(f"{place.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(head.encode("ascii") + b"\n" + blob.data)
        draft.replace(place)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink()


def _place(folder: Path, key: str) -> Path:
    return folder / key[:2] / key  # no folder holds more than some thousands of files
