"""Objects that this process has fetched, each once, in a file that ends with the process.

Nothing in a store's journal changes under its name, so what was fetched stays true. A look-up
then costs no request, and a row can still be read after compaction has deleted its object.
"""

from __future__ import annotations

import mmap
import os
import tempfile
import threading
import weakref
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pyarrow as pa

from ifbench.store.objects import gone_is_not_found

_AT_ONCE = 16
"""Fetches in flight: a fetch is mostly waiting."""
_CHUNK_BYTES = 8 << 20


class Copies:
    """One temporary file, below TMPDIR, of as many bytes as were fetched. Any thread may use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._handle = -1
        self._end = 0
        self._places: dict[str, tuple[int, int]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Copies, ()

    def open(self, filesystem: Any, path: str) -> Any:
        """An object as an Arrow file. Raises FileNotFoundError, and OSError as for any read."""
        self.fetch(filesystem, (path,))
        offset, length = self._places[path]
        if not length:
            return pa.BufferReader(b"")
        mapped = mmap.mmap(self._handle, length, offset=offset, access=mmap.ACCESS_READ)
        return pa.BufferReader(pa.py_buffer(mapped))

    def fetch(self, filesystem: Any, paths: Iterable[str]) -> None:
        """Fetch what is not there yet, several at once. Errors as for `open`."""
        missing = [path for path in paths if path not in self._places]
        if len(missing) == 1:
            self._fetch(filesystem, missing[0])
        elif missing:
            with ThreadPoolExecutor(min(_AT_ONCE, len(missing))) as pool:
                for _ in pool.map(lambda path: self._fetch(filesystem, path), missing):
                    pass

    def _fetch(self, filesystem: Any, path: str) -> None:
        with gone_is_not_found(), filesystem.open_input_file(path) as source:
            length = source.size()
            offset = self._reserve(length)
            at = 0
            while at < length:
                data = source.read_at(min(_CHUNK_BYTES, length - at), at)
                if not data:
                    raise OSError(f"{path} ended after {at} of {length} bytes")
                _write(self._handle, data, offset + at)
                at += len(data)
        self._places[path] = (offset, length)

    def add(self, path: str, data: bytes) -> None:
        """Keep what this process has put itself."""
        offset = self._reserve(len(data))
        _write(self._handle, data, offset)
        self._places[path] = (offset, len(data))

    def _reserve(self, length: int) -> int:
        """Room at an offset that can be mapped."""
        with self._lock:
            if self._handle < 0:
                self._handle, path = tempfile.mkstemp(prefix="ifbench-copies-")
                os.unlink(path)  # noqa: PTH108 (gone with the last process that holds it)
                weakref.finalize(self, os.close, self._handle)
            offset = self._end
            self._end += -(-length // mmap.ALLOCATIONGRANULARITY) * mmap.ALLOCATIONGRANULARITY
            return offset


def _write(handle: int, data: bytes, offset: int) -> None:
    rest = memoryview(data)
    while rest:
        written = os.pwrite(handle, rest, offset)
        rest, offset = rest[written:], offset + written
