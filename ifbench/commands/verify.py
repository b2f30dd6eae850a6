"""`ifbench verify`: score answers that somebody already has, line by line."""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TextIO

from ifbench.benchmarks.binding import bind_params, unknown_name
from ifbench.benchmarks.encodings import not_utf8, other_encoding
from ifbench.benchmarks.json_lines import parse_strict
from ifbench.cli import EXIT_BAD_INPUT, EXIT_OK, EXIT_OWED, say
from ifbench.config import load_config
from ifbench.constraints import all_constraints
from ifbench.errors import DatasetError
from ifbench.execution.local import LocalExecutor
from ifbench.types import (
    ChecklistItem,
    ModelConfig,
    Purpose,
    Response,
    Sample,
    Stop,
    Trial,
    UnboundParams,
    Verdict,
    WorkItem,
)
from ifbench.workers import evaluation_steps

_FIELDS = ("id", "constraint", "params", "raw", "response", "instruction", "reference")
_GIVEN = ModelConfig(name="given", engine="scripted", model="given")
_DEFAULTS = ("candidates=[scripted]", "judge=null", "correctness=none", "execution=local")
"""Nobody is asked unless a judge (or an extractor) is named on the command line."""
_EMPTY = 'an answer that is empty is `""`'


def run(options: argparse.Namespace) -> int:
    """Verify every line; a bad line becomes an error line and never stops the others."""
    config = load_config([*_DEFAULTS, *options.overrides], config_dir=options.config_dir)
    with ExitStack() as stack:
        if config.judge is None and config.extractor is None:  # Then there is nothing to keep.
            folder = stack.enter_context(TemporaryDirectory())
            config = replace(config, store=replace(config.store, uri=folder))
        steps = evaluation_steps({"": config}, config.max_usd)[1:]
        _refuse_same_file(options.file, options.output)
        desk = _Desk(stack.enter_context(_input(options.file)), _name(options.file))
        out = stack.enter_context(_output(options.output))
        for trial in LocalExecutor().run(desk.trials(), steps):
            desk.enter(trial)
            desk.write_ready(out)
        desk.write_ready(out)
    counts = desk.outcomes
    words = "  ".join(f"{n} {outcome}" for outcome, n in sorted(counts.items()))
    say(f"{sum(counts.values())} lines: {words or 'nothing to verify'}")
    if counts["error"]:
        return EXIT_BAD_INPUT
    return EXIT_OWED if counts["undecided"] else EXIT_OK


class _Desk:
    """Lines in, results out in the same order, holding only those that are not their turn yet."""

    def __init__(self, lines: Iterable[str], name: str) -> None:
        self._lines = lines
        self._name = name
        self._heads: dict[int, dict[str, Any]] = {}
        self._results: dict[int, dict[str, Any]] = {}
        self._next = 0
        self.outcomes: Counter[str] = Counter()

    def trials(self) -> Iterator[Trial]:
        """A trial for each good line; a bad line's result stands at once.

        Raises `DatasetError` where all of the file is in another encoding.
        """
        place = 0
        for number, line in enumerate(self._lines, start=1):
            if number == 1 and (other := other_encoding(_bytes_of(line))):
                raise DatasetError(f"{self._name} {other}")
            if not line.strip():
                continue
            head: dict[str, Any] = {"line": number, "id": None, "constraint": None}
            try:
                trial = _trial(line, head, place)
            except DatasetError as error:
                reason = f"{self._name} line {number}: {error}"
                self._results[place] = {**head, **_outcome("error", reason)}
            else:
                self._heads[place] = head
                yield trial
            place += 1

    def enter(self, trial: Trial) -> None:
        """Take a verified trial back."""
        place = int(trial.item.sample.id)
        (verdict,) = (one for one in trial.verdicts if one.aspect == "constraint")
        self._results[place] = {**self._heads.pop(place), **_verdict_fields(verdict)}

    def write_ready(self, out: TextIO) -> None:
        """Write what is next in turn."""
        while (result := self._results.pop(self._next, None)) is not None:
            self._next += 1
            self.outcomes[result["outcome"]] += 1
            del result["line"]
            print(json.dumps(result, ensure_ascii=True), file=out)


def _trial(line: str, head: dict[str, Any], place: int) -> Trial:
    """One line as a trial; fills in what `head` can say of it. Raises `DatasetError`."""
    fields = _fields(line)
    head |= {name: fields.get(name) for name in ("id", "constraint")}
    for name in fields:
        if name not in _FIELDS:
            raise DatasetError(f"{unknown_name('key', name, _FIELDS)}; known: {', '.join(_FIELDS)}")
    constraint_id = fields.get("constraint")
    if not isinstance(constraint_id, str):
        raise DatasetError(f"`constraint` must be a constraint's id, found {constraint_id!r}")
    params = fields.get("params")
    params = {} if params is None else params
    if not isinstance(params, Mapping):
        raise DatasetError(f"`params` must be an object, found {params!r}")
    if "response" not in fields:
        raise DatasetError(f"the key `response` is missing; {_EMPTY}")
    response = fields["response"]
    if response is None:
        raise DatasetError(f"the key `response` is null: there is nothing to verify; {_EMPTY}")
    if not isinstance(response, str):
        raise DatasetError(f"`response` must be text, found {response!r}")
    raw = fields.get("raw")
    if raw is not None and not isinstance(raw, str):
        raise DatasetError(f"`raw` must be the parameters as text, found {raw!r}")
    sample = Sample(
        id=str(place),
        benchmark="given",
        instruction=str(fields.get("instruction") or ""),
        checklist=(_item(constraint_id, params, raw or ""),),
        reference=fields.get("reference"),
    )
    return Trial(item=WorkItem(sample=sample, candidate=_GIVEN), response=_given(response))


def _item(constraint_id: str, params: Mapping[str, Any], raw: str) -> ChecklistItem:
    """Text alone is what `rules=release` decides on; the paper's rules need typed parameters."""
    if raw and not params and constraint_id in all_constraints():
        unbound = UnboundParams(raw=raw, reason="no typed parameters are given")
        return ChecklistItem(constraint_id=constraint_id, params=unbound, raw=raw)
    bound = bind_params(constraint_id, params)
    return ChecklistItem(constraint_id=constraint_id, params=bound, raw=raw)


def _given(text: str) -> Response:
    """An answer from outside. An empty one has no failure of its own; every check fails it."""
    return Response(key="", purpose=Purpose.CANDIDATE, model="given", text=text, stop=Stop.STOP)


def _bytes_of(line: str) -> bytes:
    """A line as it stands in the file; bytes that are no UTF-8 came in as surrogates."""
    return line.encode("utf-8", "surrogateescape")


def _fields(line: str) -> Mapping[str, Any]:
    try:
        _bytes_of(line).decode("utf-8")
    except UnicodeDecodeError as error:
        raise DatasetError(not_utf8(error)) from error
    try:
        fields = parse_strict(line.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise DatasetError(f"no JSON: {error}") from error
    if not isinstance(fields, dict):
        raise DatasetError(f"an object is expected, found {type(fields).__name__}")
    return fields


def _verdict_fields(verdict: Verdict) -> dict[str, Any]:
    evidence = [{"start": e.start, "end": e.end, "text": e.text} for e in verdict.evidence]
    cause = {"cause": verdict.cause.value} if verdict.cause else {}
    return {**_outcome(verdict.outcome.value, verdict.reason), "evidence": evidence, **cause}


def _outcome(outcome: str, reason: str) -> dict[str, Any]:
    return {"outcome": outcome, "reason": reason, "evidence": []}


def _refuse_same_file(source: Path, target: Path | None) -> None:
    """Writing over what is being read would lose it."""
    if target is not None and target.exists() and source.exists() and target.samefile(source):
        raise DatasetError(f"{target}: the output is the input; name another file")


def _name(path: Path) -> str:
    return "standard input" if str(path) == "-" else str(path)


def _input(path: Path) -> AbstractContextManager[TextIO]:
    if str(path) == "-":
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
        return nullcontext(sys.stdin)
    try:
        return path.open(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read: {error.strerror}") from error


def _output(path: Path | None) -> AbstractContextManager[TextIO]:
    if path is None:
        return nullcontext(sys.stdout)
    try:
        return path.open("w", encoding="utf-8")
    except OSError as error:
        raise DatasetError(f"{path}: cannot be written: {error.strerror}") from error
