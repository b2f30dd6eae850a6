"""A folder on any file system that Arrow reaches, and the few ways in which the store uses it.

Local folders can append, rename and lock; object stores can only put whole objects. What is
written here is either there in full or not there at all.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pyarrow as pa
from pyarrow import fs

from ifbench.errors import StoreError
from ifbench.store.copies import Copies
from ifbench.store.objects import PATIENCE_S, gone_is_not_found, patiently, put, told

_OBJECT_STORES = frozenset({"s3", "gcs", "abfs"})
"""Here an object shows up with its last byte; elsewhere a file shows up with its first."""


@dataclass(frozen=True, slots=True)
class Location:
    """A folder: the file system, the path on it, and how a person calls it."""

    filesystem: Any
    """A `pyarrow.fs.FileSystem`."""
    path: str
    uri: str
    options: str = ""
    """What stands behind the `?` of the URI: no secrets, and not in messages."""
    session: str = ""
    """Names the writers of one command, who share out the prompts and need not follow each
    other."""
    patience_s: float = PATIENCE_S
    """How long a put to an object store is tried again."""
    copies: Copies | None = field(default=None, compare=False)
    """Keeps what is read here; only for folders whose files never change."""

    @property
    def address(self) -> str:
        """What opens this location again, in any process and by anyone who has the keys."""
        return f"{self.uri}?{self.options}" if self.options else self.uri

    @property
    def is_local(self) -> bool:
        """True when files here can be appended to, renamed at once and locked."""
        return isinstance(self.filesystem, fs.LocalFileSystem)

    def child(self, *names: str) -> Location:
        """A folder below this one."""
        return replace(self, path="/".join((self.path, *names)), uri="/".join((self.uri, *names)))

    def file(self, name: str) -> str:
        """The path of a file in this folder."""
        return f"{self.path}/{name}"

    def files(self, suffix: str = "") -> dict[str, int]:
        """Names and sizes of the files here, hidden ones left out; empty without a folder."""
        return {
            info.base_name: info.size or 0
            for info in self._entries()
            if info.type == fs.FileType.File and info.base_name.endswith(suffix)
        }

    def folders(self) -> list[str]:
        """Names of the folders here, in order, hidden ones left out."""
        return sorted(i.base_name for i in self._entries() if i.type == fs.FileType.Directory)

    def _entries(self) -> list[Any]:
        selector = fs.FileSelector(self.path, allow_not_found=True)
        for tries_left in (2, 1, 0):
            # Arrow lists, fails, and then asks whether the folder exists: one that was made in
            # between is an error to it.
            try:
                found = self.filesystem.get_file_info(selector)
            except FileNotFoundError:
                if not tries_left:
                    raise
            else:
                break
        return [info for info in found if not info.base_name.startswith(".")]

    def read_whole(self, name: str) -> bytes:
        """The bytes of one small file. Raises FileNotFoundError."""
        path = self.file(name)
        with gone_is_not_found(), self.filesystem.open_input_file(path) as source:
            return bytes(source.read())

    def open_file(self, name: str) -> Any:
        """An Arrow file to read from, of the copy where one is kept. Raises FileNotFoundError."""
        if self.copies is None:
            return self.filesystem.open_input_file(self.file(name))
        return self.copies.open(self.filesystem, self.file(name))

    def fetch(self, names: Iterable[str]) -> None:
        """Get copies of several files at once, where copies are kept. Raises FileNotFoundError."""
        if self.copies is not None:
            self.copies.fetch(self.filesystem, [self.file(name) for name in names])

    def write_whole(self, name: str, data: bytes | pa.Buffer) -> None:
        """Put a file here, durable on return; a reader sees the old one or the new one."""
        if not self.is_local:
            self._put_whole(name, data)
            return
        staged = self.file(f".{name}.{secrets.token_hex(4)}.tmp")
        Path(self.path).mkdir(parents=True, exist_ok=True)
        try:
            with open(staged, "xb") as sink:  # noqa: PTH123 (paths here are Arrow's strings)
                sink.write(data)
                sink.flush()
                os.fsync(sink.fileno())
            os.replace(staged, self.file(name))  # noqa: PTH105
        except BaseException:
            Path(staged).unlink(missing_ok=True)
            raise
        sync_folder(self.path)

    @property
    def is_objects(self) -> bool:
        """True when a file here shows up whole, with its last byte."""
        return self.filesystem.type_name in _OBJECT_STORES

    def _put_whole(self, name: str, data: bytes | pa.Buffer) -> None:
        if self.is_objects:
            patiently(lambda: put(self.filesystem, self.file(name), data), self.patience_s)
            return
        staged = f".{name}.{secrets.token_hex(4)}.tmp"
        self._put(staged, data)
        self.move(staged, self, name)

    def _put(self, name: str, data: bytes | pa.Buffer) -> None:
        with self.open_stream(name) as sink:
            sink.write(data)

    def delete(self, name: str) -> None:
        """Delete a file; that it is gone already is no error."""
        try:
            self.filesystem.delete_file(self.file(name))
        except FileNotFoundError:
            return

    def move(self, name: str, target: Location, new_name: str = "") -> None:
        """Move a file into another folder of the same file system, over any of its name there."""
        path, goal = self.file(name), target.file(new_name or name)
        if self.is_local:
            Path(target.path).mkdir(parents=True, exist_ok=True)
            os.replace(path, goal)  # noqa: PTH105
            sync_folder(target.path)
            return
        try:
            self.filesystem.move(path, goal)
        except FileNotFoundError:
            self.filesystem.create_dir(target.path, recursive=True)
            self.filesystem.move(path, goal)

    def open_stream(self, name: str) -> Any:
        """An Arrow stream that writes a new file here; it is durable only after `sync`."""
        try:
            return self.filesystem.open_output_stream(self.file(name))
        except FileNotFoundError:  # Object stores know no folders; others want them made.
            self.filesystem.create_dir(self.path, recursive=True)
            return self.filesystem.open_output_stream(self.file(name))

    def sync(self, name: str) -> None:
        """Make a closed file durable; object stores did so when it was closed."""
        if self.is_local:
            _sync_path(self.file(name))

    def delete_tree(self) -> None:
        """Delete this folder with all that is in it; that it is gone already is no error."""
        try:
            self.filesystem.delete_dir(self.path)
        except FileNotFoundError:
            return

    def check_writable(self) -> None:
        """Write and delete a small file. Raises StoreError with the reason."""
        name = f"writable-{secrets.token_hex(4)}.probe"
        at_once = replace(self, patience_s=0)  # What does not work now is for the user to mend.
        try:
            at_once.write_whole(name, b"ifbench")
            self.delete(name)
        except (OSError, pa.ArrowException) as error:
            raise StoreError(f"{self.uri}: the store cannot be written: {told(error)}") from error


def resolve(uri: str | Location) -> Location:
    """The location that a URI or a plain path names. Raises StoreError.

    A URI holds no keys: it is shown and stored with a run. It may end in `#session=NAME`.
    """
    if isinstance(uri, Location):
        return uri
    if "://" not in uri:
        if not uri.strip():
            raise StoreError("the store's location is empty; expected a path or a URI")
        path = os.path.abspath(os.path.expanduser(uri))  # noqa: PTH100, PTH111
        return Location(fs.LocalFileSystem(), path, uri)
    whole, _, session = uri.partition(f"#{_SESSION}")
    plain, _, options = whole.partition("?")
    shown = _without_user(plain).rstrip("/")
    _refuse_keys(plain, options, shown)
    try:
        filesystem, path = fs.FileSystem.from_uri(_opened_late(plain, options))
    except (OSError, ValueError) as error:  # Arrow's own errors derive from these.
        reason = told(error).replace(whole, shown)
        for _, value in parse_qsl(options):
            reason = reason.replace(value, "…")
        raise StoreError(f"{shown}: no store can be opened there: {reason}") from error
    if filesystem.type_name in _OBJECT_STORES and not path.strip("/"):
        raise StoreError(f"{whole}: no store can be opened there: no bucket is named")
    return Location(filesystem, path.rstrip("/"), shown, options, session)


def session_address(root: Location, session: str) -> str:
    """The location's address for the writers of one session; the plain one on a local disk."""
    return root.address if root.is_local else f"{root.address}#{_SESSION}{session}"


_SESSION = "session="


def _opened_late(plain: str, options: str) -> str:
    """The URI for Arrow: a small object on S3 is then one request instead of three."""
    if plain.startswith("s3://") and "allow_delayed_open" not in options:
        options = "&".join(filter(None, (options, "allow_delayed_open=true")))
    return f"{plain}?{options}" if options else plain


def _without_user(plain: str) -> str:
    return re.sub(r"//[^/@]*@", "//", plain)


def _refuse_keys(plain: str, options: str, shown: str) -> None:
    """Raise StoreError where keys stand in a URI."""
    is_named = any(_SECRET.search(name) for name, _ in parse_qsl(options, keep_blank_values=True))
    if is_named or re.search(r"//[^/@]*:[^/@]*@", plain):
        raise StoreError(
            f"{shown}: no store can be opened there: keys may not stand in a URI, which is "
            "stored with each run; for s3:// set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        )


_SECRET = re.compile(r"key|secret|token|password|credential|\bsas|\bsig", re.IGNORECASE)


def sync_folder(path: str) -> None:
    """Make what was created in or renamed into a local folder durable."""
    try:
        _sync_path(path)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # Some network disks cannot.
            raise


def _sync_path(path: str) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def lock(handle: int) -> bool | None:
    """Take the lock of an open local file: False when another holds it, None without locks."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def is_locked(path: str) -> bool | None:
    """True while a process holds the file's lock; None where that cannot be known.

    Raises FileNotFoundError.
    """
    handle = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return None
    finally:
        os.close(handle)
    return False
