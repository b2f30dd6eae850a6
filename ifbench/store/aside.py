"""Answers set aside on this machine when the store takes no more, and taken in at the next start.

They lie below `$IFBENCH_SPILL`, else `~/.local/state/ifbench/spill`, in a folder for each store,
as journal files like any other. Taking one in is one put under a name of its own, so that being
killed on the way, or two processes that do it at once, cost nothing.
"""

from __future__ import annotations

import hashlib
import logging
import os
from pathlib import Path

import pyarrow as pa
from pyarrow import fs

from ifbench.errors import StoreError
from ifbench.store.location import Location, is_locked
from ifbench.store.objects import told

_log = logging.getLogger(__name__)


def spill_folder(root: Location) -> Location:
    """Where this machine keeps what a store did not take. The folder need not exist."""
    given = os.environ.get("IFBENCH_SPILL")
    top = Path(given).expanduser() if given else Path.home() / ".local/state/ifbench/spill"
    what = f"{root.filesystem.type_name} {root.path} {root.options}"
    path = top.absolute() / hashlib.sha256(what.encode()).hexdigest()[:16]
    return Location(fs.LocalFileSystem(), str(path), str(path))


def take_in(root: Location, journal: Location) -> int:
    """Put into the journal what was set aside here by processes that have ended.

    Returns the number of files. Raises StoreError; what was not taken in stays where it is.
    """
    folder = spill_folder(root)
    taken = 0
    try:
        for name in sorted(folder.files(".arrow")):
            try:
                if is_locked(folder.file(name)):
                    continue
                journal.write_whole(name, folder.read_whole(name))
            except FileNotFoundError:  # Another process was quicker.
                continue
            folder.delete(name)
            taken += 1
    except (OSError, pa.ArrowException) as error:
        raise StoreError(
            f"{root.uri}: the answers kept in {folder.path} cannot be taken in: {told(error)}"
        ) from error
    if taken:
        _log.info("%s: answers kept in %s were taken in", root.uri, folder.path)
    return taken
