"""Answers in the form of Video-IFBench's public runner: one `*.response.json` a case.

A file's name is made of the video's id and the instruction's key, with all but a few ASCII
characters turned into `_`, so that two names can become one. Which case a file is about is
therefore read inside of it, and nothing is written over a file of the same name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from ifbench.benchmarks.binding import describe
from ifbench.benchmarks.json_lines import SHOWN, parse_strict
from ifbench.errors import DatasetError
from ifbench.types import Json, Response, Sample

ENDING = ".response.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedAnswer:
    """One file: which case it answers, with what."""

    file: Path
    case_id: str
    text: str | None
    """`None` where the runner got no answer, whether it noted an error or an empty text."""
    instruction: str | None
    """What was asked, where the file says so."""


class _FileForm(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    case_id: Annotated[str, StringConstraints(pattern=r"\S")]
    response_text: str
    error: Any = None
    meta: dict[str, Any] = {}


# ── In ───────────────────────────────────────────────────────────────────────────────


def is_released_answer(path: Path) -> bool:
    """True for a folder, and for a file of the runner's: the runner writes no other form."""
    return path.is_dir() or path.name.endswith(ENDING)


def read_answers(path: Path) -> Iterator[ReleasedAnswer]:
    """The answers of a folder's files, or of one file, by name.

    Folders below are not searched: they are other runs. Raises `DatasetError` with every
    defect (the first twenty spelled out) once all files are read.
    """
    files = sorted(path.glob(f"*{ENDING}")) if path.is_dir() else [path]
    if not files:
        raise DatasetError(f"{path}: no file in it ends with `{ENDING}`")
    defects: list[str] = []
    for file in files:
        try:
            yield _answer(file)
        except DatasetError as error:
            defects.append(str(error))
    raise_all(defects)


def raise_all(defects: list[str]) -> None:
    """Raise `DatasetError` with all that is wrong, if anything is."""
    if len(defects) == 1:
        raise DatasetError(defects[0])
    if defects:
        shown = "" if len(defects) <= SHOWN else f"; the first {SHOWN}"
        raise DatasetError("\n  ".join([f"{len(defects)} defects{shown}:", *defects[:SHOWN]]))


def _answer(file: Path) -> ReleasedAnswer:
    try:
        fields = parse_strict(file.read_text(encoding="utf-8-sig"))
        json.dumps(fields, ensure_ascii=False).encode("utf-8")  # Halves of surrogate pairs.
    except OSError as error:
        raise DatasetError(f"{file}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:  # No UTF-8 and no JSON are both.
        raise DatasetError(f"{file}: not usable JSON: {error}") from error
    if not isinstance(fields, dict):
        raise DatasetError(f"{file}: an object is expected, found {type(fields).__name__}")
    try:
        form = _FileForm.model_validate({**fields, "meta": fields.get("_meta") or {}})
    except ValidationError as error:
        raise DatasetError(f"{file}: {'; '.join(describe(error, _FileForm))}") from error
    asked = form.meta.get("instruction")
    has_text = not form.error and form.response_text.strip()
    return ReleasedAnswer(
        file=file,
        case_id=form.case_id,
        text=form.response_text if has_text else None,
        instruction=asked if isinstance(asked, str) else None,
    )


# ── Out ──────────────────────────────────────────────────────────────────────────────


def response_files(answered: Iterable[tuple[Sample, Response]]) -> Iterator[tuple[str, str]]:
    """File names and contents for the release's own scorer.

    Raises `DatasetError` where two samples would be written to one file.
    """
    owners: dict[str, str] = {}
    for sample, response in answered:
        name = file_name(sample)
        other = owners.setdefault(name, sample.id)
        if other != sample.id:
            raise DatasetError(
                f"samples {other} and {sample.id} would both be written to `{name}`: the release's "
                "file names keep ASCII letters, digits, `.`, `_` and `-` only. Export them one "
                "by one (benchmark.ids)"
            )
        yield name, json.dumps(_file_form(sample, response), ensure_ascii=False, indent=2)


def file_name(sample: Sample) -> str:
    """`<video>__<key>.response.json`, by the release's rule; by the id where a record has neither."""
    video = sample.facets.get("video_id") or "sample"
    key = sample.provenance.get("instruction_key") or sample.id
    return f"{_reduced(video)}__{_reduced(key)}{ENDING}"


def _reduced(words: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]", "_", words)


def _file_form(sample: Sample, response: Response) -> Mapping[str, Json]:
    kinds = {medium.kind for medium in sample.media}
    return {
        "case_id": sample.id,
        "response_text": response.text,
        "_meta": {
            "video_id": sample.facets.get("video_id", ""),
            "video_path": sample.provenance.get("video_path", ""),
            "instruction_id": sample.id,
            "instruction_key": sample.provenance.get("instruction_key", ""),
            "instruction_type": sample.facets.get("instruction_type", ""),
            "instruction": sample.instruction,
            "active_instruction": sample.active_instruction or sample.instruction,
            "constraints": [
                {
                    "constraint_id": item.constraint_id.partition(":")[2] or item.constraint_id,
                    "checklist_query": item.question,
                    "judge_context": item.evidence,
                }
                for item in sample.checklist
            ],
            "tasks": [
                {"task_name": task.name, "task_description": task.description}
                for task in sample.tasks
            ],
            "include_asr_input": "subtitles" in kinds,
            "runner": {
                "model": response.model,
                "api_base": response.endpoint,
                "elapsed_sec": response.seconds,
            },
        },
    }
