"""`ifbench status`: how runs stand, read from what they leave in the store, while they go on."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

from pydantic import TypeAdapter

from ifbench.cli import EXIT_OK
from ifbench.commands.report import find_runs, latest_of, started_runs
from ifbench.report.status import RunStatus, run_status, status_text
from ifbench.store import Store
from ifbench.store.manifest import Invocation, Manifest
from ifbench.store.progress import has_died, load_progress

WATCH_S = 2.0
_STATUS = TypeAdapter(RunStatus)
_STATUSES = TypeAdapter(tuple[RunStatus, ...])


def run(options: argparse.Namespace) -> int:
    """Show each run chosen, once or until none of them goes on. Nothing is asked or changed."""
    store = Store(options.store)
    found = chosen(store, options.runs)
    if not options.watch:
        print(_shown(found, options.format), end="")
        return EXIT_OK
    while True:
        _show_again(found, options.format)
        if not any(status.is_going_on for status in found):
            return EXIT_OK
        time.sleep(WATCH_S)
        found = [status_of(store, store.load_manifest(status.run_id)) for status in found]


def chosen(store: Store, names: Sequence[str]) -> list[RunStatus]:
    """The runs named; without names all that go on, or else those of the latest command: a sweep
    leaves several. Raises `StoreError`.
    """
    if names:
        manifests = {one.run_id: one for one in find_runs(store, names)}
        return [status_of(store, manifest) for manifest in manifests.values()]
    runs = started_runs(store)
    latest = latest_of(runs).invocations[-1]
    found = [status_of(store, one) for one in runs if one.invocations[-1].ending == "running"]
    going_on = [status for status in found if status.is_going_on]
    return going_on or [
        status_of(store, one) for one in runs if is_together(one.invocations[-1], latest)
    ]


def is_together(one: Invocation, other: Invocation) -> bool:
    """True for what one command did: its runs begin in the same instant."""
    return (one.started_at, one.pid) == (other.started_at, other.pid)


def status_of(store: Store, manifest: Manifest) -> RunStatus:
    """How one run stands now."""
    progress = load_progress(store.root, manifest.run_id)
    return run_status(manifest, progress, datetime.now(UTC), partial(has_died, store.root))


def _shown(found: Sequence[RunStatus], form: str) -> str:
    if form == "json":
        return _STATUSES.dump_json(tuple(found), indent=2).decode() + "\n"
    return "\n".join(status_text(status) for status in found)


def _show_again(found: Sequence[RunStatus], form: str) -> None:
    """One more time: in place on a terminal, below elsewhere; JSON is an object a line."""
    if form == "json":
        text = "".join(_STATUS.dump_json(status).decode() + "\n" for status in found)
    else:
        text = _shown(found, form)
        if sys.stdout.isatty():
            text = f"\x1b[H\x1b[2J{text}"
    print(text, flush=True, end="")
