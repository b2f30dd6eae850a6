"""How far a run is, for whoever looks at its store while it goes on.

runs/RUN/progress.json     replaced as a whole every few seconds by the run's driver

It is told, not kept: nothing is decided by it, and a run whose file is lost loses nothing.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, TypeAlias

import pyarrow as pa
from pydantic import TypeAdapter, ValidationError

from ifbench.store.location import Location, resolve
from ifbench.store.manifest import fault_of
from ifbench.store.results import checked_run_id

_log = logging.getLogger(__name__)

PROGRESS_VERSION: Final = 1
_NAME = "progress.json"

Counted: TypeAlias = tuple[tuple[tuple[str, ...], float], ...]
"""Counters of a tally with their names; JSON has no keys of several words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProgress:
    """What a run's driver knew at one moment."""

    version: int = PROGRESS_VERSION
    run_id: str
    host: str
    pid: int
    started_at: datetime
    """When this invocation began to work on rows."""
    written_at: datetime
    is_over: bool = False
    """True once every row is out: results are being written."""
    planned: int
    """Trials of the whole run."""
    candidates: Mapping[str, int] = field(default_factory=dict)
    """Planned trials of each candidate."""
    steps: tuple[str, ...] = ()
    counts: Counted = ()
    """The tally of this invocation (see `tally.py` for the names)."""
    recent: Counted = ()
    """How much each counter has grown within the last `window_s`; those that have not are left
    out."""
    window_s: float = 0.0


_PROGRESS = TypeAdapter(RunProgress)


def save_progress(uri: str | Location, progress: RunProgress) -> None:
    """Write a run's progress as a whole. Raises OSError or an Arrow error where it cannot be."""
    folder = resolve(uri).child("runs", checked_run_id(progress.run_id))
    text = json.dumps(_PROGRESS.dump_python(progress, mode="json"), ensure_ascii=True) + "\n"
    folder.write_whole(_NAME, text.encode())


def load_progress(uri: str | Location, run_id: str) -> RunProgress | None:
    """A run's last progress; `None` where there is none that this version reads."""
    folder = resolve(uri).child("runs", checked_run_id(run_id))
    try:
        content = json.loads(folder.read_whole(_NAME))
        if not isinstance(content, dict) or content.get("version") != PROGRESS_VERSION:
            return None
        return _PROGRESS.validate_python(content, strict=False)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, pa.ArrowException) as error:
        reason = fault_of(error) if isinstance(error, ValidationError) else error
        _log.warning("%s/%s: the progress cannot be read: %s", folder.uri, _NAME, reason)
        return None
