"""Our own record form: one sample a line, versioned, checked as a whole before it is used.

`docs/records.md` describes the form field by field. Both benchmarks use it; other forms are
turned into it by their own loaders.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, PlainValidator, StringConstraints, ValidationError

from ifbench.benchmarks.binding import bind_params, describe
from ifbench.benchmarks.json_lines import SHOWN, Defects, Line, json_lines
from ifbench.benchmarks.media_files import load_media, relative_uri
from ifbench.benchmarks.videoif.tree import (
    is_same_instruction,
    tree_facets,
    tree_from_json,
    tree_to_json,
    true_path,
)
from ifbench.errors import DatasetError
from ifbench.keys import KeySet, content_key
from ifbench.media.errors import MediaError
from ifbench.media.places import split_markers
from ifbench.types import (
    ChecklistItem,
    Json,
    Media,
    MediaKind,
    MediaPolicy,
    Origin,
    Sample,
    Scope,
    Task,
    UnboundParams,
)

VERSION = 1
"""The version that is written; every version up to it is read."""

FORMAT = f"ifbench/{VERSION}"


# ── The form of a line ───────────────────────────────────────────────────────────────


class _Form(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def _scope(value: object) -> Scope:
    if value in ("response", "answer") or (type(value) is int and value >= 0):
        return value
    raise ValueError('`"response"`, `"answer"` or the index of a task is expected')


_Word = Annotated[str, StringConstraints(pattern=r"\S")]
_Sha256 = Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{64})?$")]


class MediaForm(_Form):
    """One entry of `media`."""

    kind: MediaKind
    uri: _Word
    sha256: _Sha256 = ""


class UnboundForm(_Form):
    """Parameters that no parser could read."""

    raw: str
    reason: str


class ItemForm(_Form):
    """One entry of `checklist`; `unbound` stands in the place of `params`."""

    constraint: _Word
    params: dict[str, Any] = {}
    unbound: UnboundForm | None = None
    origin: Origin = "general"
    scope: Annotated[Scope, PlainValidator(_scope)] = "response"
    question: str = ""
    evidence: str = ""
    raw: str = ""


class TaskForm(_Form):
    """One entry of `tasks`."""

    name: _Word
    description: str = ""


class RecordForm(_Form):
    """One line of a record file."""

    format: str
    id: _Word
    benchmark: Literal["scimif", "videoif"]
    instruction: _Word
    original_instruction: str = ""
    active_instruction: str = ""
    tree: dict[str, Any] | None = None
    media: list[MediaForm] = []
    checklist: list[ItemForm] = []
    tasks: list[TaskForm] = []
    reference: Any = None
    facets: dict[str, str] = {}
    provenance: dict[str, str] = {}


# ── Loading ──────────────────────────────────────────────────────────────────────────


def load_records(path: Path | str, *, check: bool = True) -> Iterator[Sample]:
    """The samples of a record file, one by one, in the order of the file.

    The whole file is checked first, so that nothing is asked of a model before the last line
    is known to be good; the samples are not held in memory for that. Without `check` it is
    checked as it is read, by one who reads all of it before the first call. Raises
    `DatasetError` with every defect (the first twenty spelled out).
    """
    path = Path(path)
    for _ in _read(path) if check else ():
        pass
    return _read(path)


def _read(path: Path) -> Iterator[Sample]:
    defects = Defects(path)
    seen = KeySet()
    for line in json_lines(path, defects):
        sample = _read_line(line, path.parent, defects)
        if sample is None:
            continue
        first = None
        if not seen.add(sample.id) and defects.count < SHOWN:
            first = _line_of(sample.id, path, before=line.number)
        if first is None:
            yield sample
        else:
            defects.add(line.number, f"the id `{sample.id}` stands on line {first} already")
    if not seen and not defects.count:
        raise DatasetError(f"{path}: the file holds no record")
    defects.raise_any()


def _line_of(sample_id: str, path: Path, before: int) -> int | None:
    """The sound line above another on which an id stands, if there is one.

    Looked for only where an id seems to stand twice, so that no id need be held in memory.
    """
    ignored = Defects(path)
    for line in json_lines(path, ignored):
        if line.number >= before:
            return None
        if line.fields.get("id") == sample_id and _read_line(line, path.parent, ignored):
            return line.number
    return None


def _read_line(line: Line, folder: Path, defects: Defects) -> Sample | None:
    wrong_version = _check_version(line.fields)
    if wrong_version:
        defects.add(line.number, wrong_version)
        return None
    try:
        form = RecordForm.model_validate_json(line.text.strip())
    except ValidationError as error:
        defects.add(line.number, *describe(error, RecordForm))
        return None
    problems: list[str] = []
    sample = _to_sample(form, folder, problems)
    is_whole = len(sample.media) == len(form.media) and len(sample.checklist) == len(form.checklist)
    if is_whole:  # Else what is left out would be found missing once more.
        problems += _contradictions(sample)
    defects.add(line.number, *problems)
    return None if problems else with_derived_facets(sample)


def _check_version(fields: Mapping[str, Any]) -> str:
    value = fields.get("format")
    if value is None:
        return f"the key `format` is missing; `{FORMAT}` is expected"
    version = re.fullmatch(r"ifbench/([1-9]\d{0,5})", str(value), re.ASCII)
    if version is None:
        return f"format: `{FORMAT}` is expected, found {value!r}"
    if int(version[1]) > VERSION:
        return f"format: `{value}` was written by a newer ifbench; this one reads up to `{FORMAT}`"
    return ""


def _to_sample(form: RecordForm, folder: Path, problems: list[str]) -> Sample:
    media: list[Media] = []
    for index, entry in enumerate(form.media):
        try:
            media.append(load_media(entry.kind, entry.uri, folder, entry.sha256))
        except DatasetError as error:
            problems.append(f"media[{index}]: {error}")
    tree = None
    if form.tree is not None:
        try:
            tree = tree_from_json(form.tree)
        except DatasetError as error:
            problems.append(f"tree: {error}")
    checklist: list[ChecklistItem] = []
    for index, item in enumerate(form.checklist):
        try:
            checklist.append(_to_item(item))
        except DatasetError as error:
            problems.append(f"checklist[{index}]: {error}")
    return Sample(
        id=form.id,
        benchmark=form.benchmark,
        instruction=form.instruction,
        original_instruction=form.original_instruction,
        active_instruction=form.active_instruction,
        tree=tree,
        media=tuple(media),
        checklist=tuple(checklist),
        tasks=tuple(Task(name=task.name, description=task.description) for task in form.tasks),
        reference=form.reference,
        facets=form.facets,
        provenance=form.provenance,
    )


def _to_item(form: ItemForm) -> ChecklistItem:
    if form.unbound is not None and form.params:
        raise DatasetError("`params` and `unbound` exclude each other")
    return ChecklistItem(
        constraint_id=form.constraint,
        params=bind_params(form.constraint, form.params)
        if form.unbound is None
        else UnboundParams(raw=form.unbound.raw, reason=form.unbound.reason),
        origin=form.origin,
        scope=form.scope,
        question=form.question,
        evidence=form.evidence,
        raw=form.raw,
    )


def _contradictions(sample: Sample) -> list[str]:
    """Where the parts of one record do not agree with each other."""
    problems = []
    try:
        split_markers(sample.instruction, sample.media, MediaPolicy())
    except MediaError as error:
        problems.append(f"instruction: {error}")
    for index, item in enumerate(sample.checklist):
        if isinstance(item.scope, int) and item.scope >= len(sample.tasks):
            problems.append(
                f"checklist[{index}].scope: there is no task {item.scope}; "
                f"the record has {len(sample.tasks)} tasks, counted from 0"
            )
    problems += _tree_problems(sample)
    for name, value in derived_facets(sample).items():
        if sample.facets.get(name, value) != value:
            problems.append(f"facets.{name}: found `{sample.facets[name]}`, the record has {value}")
    return problems


def _tree_problems(sample: Sample) -> list[str]:
    """Where the conditions of a record and its active instruction do not agree."""
    if sample.tree is None:
        return []
    leaf = true_path(sample.tree).instruction
    if is_same_instruction(sample.active_instruction, leaf):
        return []
    return [f"active_instruction: the true path of `tree` leads to another: {leaf[:80]!r}"]


# ── Facets that follow from the rest ─────────────────────────────────────────────────


def derived_facets(sample: Sample) -> Mapping[str, str]:
    """The facets that every sample has, whatever its source says."""
    return {
        "benchmark": sample.benchmark,
        "modality": "multimodal" if sample.media else "text",
        "n_constraints": str(len(sample.checklist)),
        **({"n_tasks": str(len(sample.tasks))} if sample.benchmark == "videoif" else {}),
        **({} if sample.tree is None else tree_facets(sample.tree)),
    }


def _question(sample: Sample) -> str:
    """A short name for what a sample was made from: samples that augment one question share it.

    Media count by content, like everywhere.
    """
    words = sample.original_instruction or sample.instruction
    return content_key([words, [medium.sha256 for medium in sample.media]])[:12]


def with_derived_facets(sample: Sample) -> Sample:
    """The sample with its derived facets filled in, and `question` where it names none."""
    question = {"question": sample.facets.get("question") or _question(sample)}
    return replace(sample, facets={**sample.facets, **derived_facets(sample), **question})


# ── Saving ───────────────────────────────────────────────────────────────────────────


def save_records(samples: Iterable[Sample], path: Path | str) -> int:
    """Write samples to a record file and return how many.

    The file appears when it is complete: a run that dies leaves what stood there before.
    Raises `DatasetError` when the file cannot be written.
    """
    path = Path(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    count = 0
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("w", encoding="utf-8", newline="\n") as file:
            for sample in samples:
                file.write(record_line(sample, path.parent) + "\n")
                count += 1
        part.replace(path)
    except OSError as error:
        raise DatasetError(f"{path}: cannot be written: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)
    return count


def record_line(sample: Sample, folder: Path) -> str:
    """One line, without its end; media paths are relative to `folder`."""
    return json.dumps(
        {"format": FORMAT, **_fields(sample, [_media_form(m, folder) for m in sample.media])},
        ensure_ascii=False,
        allow_nan=False,
    )


def _media_form(media: Media, folder: Path) -> dict[str, str]:
    return {"kind": media.kind, "uri": relative_uri(media, folder), "sha256": media.sha256}


def _fields(sample: Sample, media: list[dict[str, str]]) -> dict[str, Json]:
    return {
        "id": sample.id,
        "benchmark": sample.benchmark,
        "instruction": sample.instruction,
        "original_instruction": sample.original_instruction,
        "active_instruction": sample.active_instruction,
        **({} if sample.tree is None else {"tree": tree_to_json(sample.tree)}),
        "media": media,
        "checklist": [_item_form(item) for item in sample.checklist],
        "tasks": [{"name": task.name, "description": task.description} for task in sample.tasks],
        "reference": sample.reference,
        "facets": dict(sample.facets),
        "provenance": dict(sample.provenance),
    }


def _item_form(item: ChecklistItem) -> dict[str, Json]:
    bound: dict[str, Json]
    if isinstance(item.params, UnboundParams):
        bound = {"unbound": {"raw": item.params.raw, "reason": item.params.reason}}
    else:
        # Defaults are left out: a record says what it sets.
        bound = {
            "params": item.params.model_dump(mode="json", exclude_defaults=True, by_alias=True)
        }
    return {
        "constraint": item.constraint_id,
        **bound,
        "origin": item.origin,
        "scope": item.scope,
        "question": item.question,
        "evidence": item.evidence,
        # The text decides under `rules=release`, so it counts; without one the hash is as ever.
        **({"raw": item.raw} if item.raw else {}),
    }


# ── Hashes ───────────────────────────────────────────────────────────────────────────


def dataset_sha256(samples: Iterable[Sample]) -> str:
    """One hash for the content of a data set, in hex.

    Media count by their hashes, so that the same data in another folder, or in another order,
    has the same hash. Only a hash for each sample is held in memory.
    """
    digests = (
        bytes.fromhex(
            content_key(
                _fields(sample, [{"kind": m.kind, "sha256": m.sha256} for m in sample.media])
            )
        )
        for sample in samples
    )
    whole = hashlib.sha256()
    for number, key in enumerate(_sorted_hex(digests)):
        whole.update(f"\n{key}".encode() if number else key.encode())
    return whole.hexdigest()


def _sorted_hex(digests: Iterable[bytes]) -> Iterator[str]:
    """Digests in order, in hex, held at 32 bytes each: by first byte, then one part at a time."""
    by_head = [bytearray() for _ in range(256)]
    size = hashlib.sha256().digest_size
    for digest in digests:
        by_head[digest[0]] += digest
    for own in by_head:
        yield from sorted(own[at : at + size].hex() for at in range(0, len(own), size))
