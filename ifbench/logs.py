"""Logging: quiet by default, on standard error, each line with the row that it is about.

A line is text, or with `IFBENCH_LOG=json` (or `--log-format json`) one JSON object. Which row a
line is about is known from a context variable: whatever is logged while a row is handled, on
the event loop or in a thread that it started, carries the row's sample, candidate and step.

This is for what happens on the way. Results, progress and what a command has to say to its user
are no log lines, and stay as they are.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Literal, TypeAlias, cast, get_args

from ifbench.visible import visible_lines

Form: TypeAlias = Literal["text", "json"]
VARIABLE = "IFBENCH_LOG"
LEVELS = (logging.WARNING, logging.INFO, logging.DEBUG)
"""By how often `-v` is given. It is about our own loggers: others keep to warnings."""
_OURS = "ifbench"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What is handled just now."""

    run: str = ""
    """The id of its run, where several are handled together."""
    sample: str
    candidate: str
    step: str
    attempt: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Logging:
    """How a process logs; workers are handed the driver's."""

    form: Form = "text"
    verbosity: int = 0
    run: str = ""
    """The run's id, once it is known."""


_row: ContextVar[Row | None] = ContextVar("ifbench_row", default=None)
_now = Logging()


@contextmanager
def about(row: Row) -> Iterator[None]:
    """What is logged within is about this row; tasks and threads begun within inherit it."""
    token = _row.set(row)
    try:
        yield
    finally:
        _row.reset(token)


def start_logging(settings: Logging) -> None:
    """Log to standard error from now on; called again, it replaces what it set before."""
    global _now  # noqa: PLW0603 - a process has one standard error
    _now = settings
    handler = _Stderr()
    handler.setFormatter(_JsonLines() if settings.form == "json" else _Lines())
    handler.set_name(_OURS)
    root = logging.getLogger()
    for old in [one for one in root.handlers if one.get_name() == _OURS]:
        root.removeHandler(old)
    root.addHandler(handler)
    logging.getLogger(_OURS).setLevel(LEVELS[min(settings.verbosity, len(LEVELS) - 1)])
    logging.captureWarnings(capture=True)


def current() -> Logging:
    """How this process logs, to be handed to its workers."""
    return _now


def note_run(run_id: str) -> None:
    """From now on lines carry this run's id."""
    global _now  # noqa: PLW0603
    _now = replace(_now, run=run_id)


def form_of_environment(default: Form = "text") -> Form:
    """What `IFBENCH_LOG` asks for; a word that it does not know is as none."""
    word = os.environ.get(VARIABLE, "").strip().lower()
    return cast("Form", word) if word in get_args(Form) else default


class _Stderr(logging.Handler):
    """Writes to what is standard error at the moment, one whole line at a time."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            sys.stderr.write(self.format(record) + "\n")
            sys.stderr.flush()
        except (OSError, ValueError):  # Nobody reads any more.
            return


class _Lines(logging.Formatter):
    """`ifbench: MESSAGE  (sample S, candidate C, step)`."""

    def format(self, record: logging.LogRecord) -> str:
        row = _row.get()
        where = f"  (sample {row.sample}, candidate {row.candidate}, {row.step})" if row else ""
        return visible_lines(f"ifbench: {super().format(record)}{where}")


class _JsonLines(logging.Formatter):
    """One JSON object a line; names that do not apply are left out."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if _now.run:
            line["run"] = _now.run
        if (row := _row.get()) is not None:
            line |= {name: value for name, value in asdict(row).items() if name != "run" or value}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=True)
