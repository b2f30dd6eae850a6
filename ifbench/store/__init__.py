"""The durable store: answered calls, results and manifests, below one path or URI.

`Journal` holds what was paid for; `ResultsWriter` and the manifests hold what is derived from
it. `docs/storage.md` shows the layout and says what may be deleted.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ifbench.errors import StoreError
from ifbench.store import manifest as manifests
from ifbench.store.aside import take_in
from ifbench.store.compaction import Compaction, compact
from ifbench.store.journal import Journal, journal_folder
from ifbench.store.location import Location, resolve
from ifbench.store.manifest import Manifest, run_id
from ifbench.store.results import (
    ResultsWriter,
    TrialId,
    iter_scores,
    iter_verdicts,
    read_scores,
    read_verdicts,
    trials_with_failed_calls,
)

__all__ = [
    "Compaction",
    "Journal",
    "Location",
    "Manifest",
    "ResultsWriter",
    "Store",
    "TrialId",
    "check_store",
    "compact",
    "iter_scores",
    "iter_verdicts",
    "open_store",
    "read_scores",
    "read_verdicts",
    "run_id",
    "trials_with_failed_calls",
]

_log = logging.getLogger(__name__)

TIDY_AT_FILES = 32
"""Journal files at which they are worth merging."""


class Store:
    """One store. Opening it reads nothing; its journal is read when it is first asked for."""

    def __init__(self, uri: str | Location) -> None:
        """Raises StoreError for a location that names no file system."""
        self.root = resolve(uri)
        self._journal: Journal | None = None
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return Store, (self.root,)

    @property
    def journal(self) -> Journal:
        """The answered calls. Raises StoreError when they cannot be read."""
        with self._lock:
            if self._journal is None:
                self._journal = Journal(self.root)
            return self._journal

    def results(self, run_id: str, dataset_sha256: str) -> ResultsWriter:
        """A writer of the results of one run."""
        return ResultsWriter(self.root, run_id, dataset_sha256)

    def save_manifest(self, manifest: Manifest) -> None:
        """Write a run's manifest. Raises StoreError."""
        manifests.save_manifest(self.root, manifest)

    def load_manifest(self, run_id: str) -> Manifest:
        """The manifest of a run. Raises StoreError when there is none or it is damaged."""
        return manifests.load_manifest(self.root, run_id)

    def run_ids(self) -> list[str]:
        """The ids of all runs, also of those whose manifests cannot be read."""
        return manifests.run_ids(self.root)

    def list_runs(self) -> list[Manifest]:
        """The manifests of all runs, the oldest first."""
        return manifests.list_runs(self.root)

    def compact(self) -> Compaction:
        """Merge small journal files into parts. Raises StoreError."""
        return compact(self.root)

    def tidy(self, files: int = TIDY_AT_FILES) -> Compaction | None:
        """Compact when the journal has come to many files; each invocation leaves a few.

        What keeps it from that is a warning: nothing is lost, and the next run tries again.
        """
        try:
            if len(journal_folder(self.root).files(".arrow")) < files:
                return None
            return compact(self.root)
        except (StoreError, OSError) as error:
            _log.warning("the journal stays in many files for now: %s", error)
            return None

    def close(self) -> None:
        """Write what is queued in the journal, if it was opened."""
        with self._lock:
            if self._journal is not None:
                self._journal.close()


def open_store(uri: str | Location) -> Store:
    """A store that can be written to, with what was set aside on this machine taken in.

    Raises StoreError, with the reason, when it cannot.
    """
    store = Store(uri)
    for folder in (store.root, *_written(store.root)):
        folder.check_writable()
    take_in(store.root, journal_folder(store.root))
    return store


def check_store(uri: str | Location) -> Location:
    """Where a store is, or would be made; it is left as it is. Raises StoreError, with the reason,
    when nothing can be written there.
    """
    root = resolve(uri)
    path = Path(root.path)
    if root.is_local and not os.path.lexists(path):
        above = next(one for one in path.parents if os.path.lexists(one))
        if not (above.is_dir() and os.access(above, os.W_OK | os.X_OK)):
            raise StoreError(f"{root.uri}: the store cannot be made: {above} cannot be written")
        return root
    for folder in (root, *_written(root)):
        folder.check_writable()
    return root


def _written(root: Location) -> list[Location]:
    """The folders below a local store that runs write into, where they are there already: each
    may have an owner of its own, or something else in its place.
    """
    names = (("responses",), ("responses", "journal"), ("runs",), ("results",))
    folders = [root.child(*name) for name in names if root.is_local]
    return [folder for folder in folders if os.path.lexists(folder.path)]
