"""SciMIF's public release: its records turned into samples.

One file a subject (`output_data/chemistry.jsonl`), pictures in an `images` folder beside it or
beside its folder. Names become the paper's, free-text parameters become typed ones, ids become
`<subject>/<id>` (they are unique inside a subject only). The release has defects of many kinds
(`docs/records.md` lists them): what can be read is read, what cannot is said.
"""

from __future__ import annotations

import json
import logging
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, StrictFloat, StrictInt, StrictStr, ValidationError

from ifbench.benchmarks.binding import describe
from ifbench.benchmarks.json_lines import Defects, Line, json_lines
from ifbench.benchmarks.media_files import load_media
from ifbench.benchmarks.records import load_records, with_derived_facets
from ifbench.benchmarks.scimif.aliases import (
    ORIGINS,
    RELEASE_ONLY,
    SUBJECTS,
    canonical_id,
    close_names,
    task_type,
)
from ifbench.benchmarks.scimif.parameters import bind_release_params
from ifbench.benchmarks.scimif.taxonomy import DISCIPLINES, TASKS
from ifbench.errors import DatasetError
from ifbench.media.errors import MediaError
from ifbench.media.places import split_markers
from ifbench.types import ChecklistItem, Media, MediaPolicy, Sample

log = logging.getLogger(__name__)

RECORDS = "output_data"
"""Where the release's folder holds its records; pictures lie in `images` beside it."""

_IMAGE_NAME = re.compile(r"\.(?:jpe?g|png|gif|webp|bmp|tiff?)$", re.IGNORECASE)


class _InstructionForm(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    instruction_name: str
    source: Literal["original", "core_task", "added_general"]
    required_parameters: StrictStr | StrictInt | StrictFloat | None = None


class _ReleaseForm(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    id: StrictInt | StrictStr
    task: str
    original_question: str = ""
    edit_question: str
    answer: Any = None
    choose_instruction: list[str] = []
    instruction_list: list[_InstructionForm]
    image: str | None = None


# ── Either form ──────────────────────────────────────────────────────────────────────


def load_samples(path: Path | str, *, check: bool = True) -> Iterator[Sample]:
    """The samples of a file in our record form or in the release's, told apart by their fields.

    A folder is the release's: one file a subject. Raises `DatasetError` before the first sample,
    or, without `check`, once the last one is read.
    """
    path = Path(path)
    is_foreign = path.is_dir() or is_release(path)
    return (load_release if is_foreign else load_records)(path, check=check)


def is_release(path: Path) -> bool:
    """True when the first object of a file has the release's fields and not ours."""
    line = next(json_lines(path, Defects(path)), None)
    return line is not None and "format" not in line.fields and "edit_question" in line.fields


def load_release(path: Path | str, *, check: bool = True) -> Iterator[Sample]:
    """The samples of one subject's file, or of every subject's file in a folder.

    All files are checked first, as `load_records` does. Raises `DatasetError`.
    """
    files = _subject_files(Path(path))
    for file in files if check else ():
        for _ in _read(file):
            pass
    return (sample for file in files for sample in _read(file))


def _subject_files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    if (path / RECORDS).is_dir():  # The release as a whole.
        path /= RECORDS
    by_discipline: dict[str, Path] = {}
    for file in sorted(path.glob("*.jsonl")):
        discipline = SUBJECTS.get(file.stem.lower())
        if discipline is None:
            continue
        if discipline in by_discipline:
            raise DatasetError(f"{by_discipline[discipline]} and {file} are both {discipline}")
        by_discipline[discipline] = file
    if not by_discipline:
        raise DatasetError(
            f"{path}: neither release is in it: a file of a subject ({_expected_names()}), or "
            "annotations/annotations.jsonl, is expected"
        )
    return [by_discipline[name] for name in DISCIPLINES if name in by_discipline]


def subject_of(path: Path) -> str:
    """The discipline that a file's name, or its folder's, says. Raises `DatasetError`."""
    for word in (path.name.split(".")[0], path.absolute().parent.name):
        if word.lower() in SUBJECTS:
            return SUBJECTS[word.lower()]
    raise DatasetError(
        f"{path}: the subject is not in the name of the file or its folder; "
        f"expected {_expected_names()}"
    )


def _expected_names() -> str:
    return ", ".join(f"{name}.jsonl" for name in SUBJECTS)


# ── One file ─────────────────────────────────────────────────────────────────────────


def _read(path: Path) -> Iterator[Sample]:
    discipline = subject_of(path)
    images = _images_folder(path)
    defects = Defects(path)
    lines_of: dict[str, int] = {}
    for line in json_lines(path, defects):
        problems: list[str] = []
        sample = _read_line(line, discipline, images, problems)
        if sample is not None:
            first = lines_of.setdefault(sample.id, line.number)
            if first != line.number:
                problems.append(f"the id `{sample.id}` stands on line {first} already")
        defects.add(line.number, *problems)
        if sample is None or problems:
            continue
        task = sample.facets["task_type"]
        if task not in TASKS:
            _warn_of_unknown_task(task, path, line.number)
        yield sample
    if not lines_of and not defects.count:
        raise DatasetError(f"{path}: the file holds no record")
    defects.raise_any()


def _images_folder(path: Path) -> Path:
    beside = path.absolute().parent / "images"
    above = path.absolute().parent.parent / "images"
    return above if above.is_dir() and not beside.is_dir() else beside


_WARNED: set[tuple[Path, str]] = set()
"""A file is read several times; what it says is said once a process."""


def _warn_of_unknown_task(task: str, path: Path, number: int) -> None:
    if (path, task) in _WARNED:
        return
    _WARNED.add((path, task))
    log.warning("%s line %d: the task `%s` is not in SciMIF's Table 12", path, number, task)


def _read_line(line: Line, discipline: str, images: Path, problems: list[str]) -> Sample | None:
    try:
        form = _ReleaseForm.model_validate(line.fields)
    except ValidationError as error:
        problems += _wrong_values(error)
        return None
    checklist = _checklist(form, problems)
    media = _media(form.image or "", images, problems)
    instruction = fit_places(form.edit_question, media)
    task = task_type(discipline, form.task) or f"{discipline}:{form.task.strip()}"
    row = TASKS.get(task)
    sample = Sample(
        id=f"{discipline}/{form.id}",
        benchmark="scimif",
        instruction=instruction,
        original_instruction=form.original_question,
        media=media,
        checklist=checklist,
        reference=form.answer,
        facets={
            "discipline": discipline,
            "task_type": task,
            "source": row.source if row else "unknown",
        },
        provenance=_provenance(form, checklist, instruction),
    )
    return with_derived_facets(sample)


_EITHER = {"id": "a whole number or a text", "required_parameters": "a text or a number"}
"""Fields with several types, of each of which pydantic tells that a value is none."""

_TYPES = frozenset({"str", "int", "float"})


def _wrong_values(error: ValidationError) -> list[str]:
    """What is wrong with a record, once for each value."""
    either: dict[tuple[str | int, ...], str] = {}
    for entry in error.errors(include_url=False):
        *place, kind = entry["loc"]
        if kind in _TYPES and place and place[-1] in _EITHER:
            words = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in place)[1:]
            found = json.dumps(entry["input"], ensure_ascii=False, default=repr)
            found = found if len(found) <= 60 else found[:59] + "…"
            either[*place] = f"{words}: {_EITHER[str(place[-1])]} is expected, found {found}"
    others = [
        words
        for entry, words in zip(
            error.errors(include_url=False), describe(error, _ReleaseForm), strict=True
        )
        if entry["loc"][:-1] not in either
    ]
    return [*either.values(), *others]


def _checklist(form: _ReleaseForm, problems: list[str]) -> tuple[ChecklistItem, ...]:
    items = []
    for index, entry in enumerate(form.instruction_list):
        constraint_id = canonical_id(entry.instruction_name)
        if constraint_id is None:
            close = close_names(entry.instruction_name)
            hint = f"; did you mean {' or '.join(f'`{name}`' for name in close)}?" if close else ""
            problems.append(
                f"instruction_list[{index}]: unknown instruction `{entry.instruction_name}`{hint}"
            )
            continue
        raw = None if entry.required_parameters is None else str(entry.required_parameters)
        items.append(
            ChecklistItem(
                constraint_id=constraint_id,
                params=bind_release_params(constraint_id, raw, form.edit_question),
                origin="release" if constraint_id == RELEASE_ONLY else ORIGINS[entry.source],
                raw=raw or "",
            )
        )
    return tuple(items)


def _provenance(
    form: _ReleaseForm, checklist: tuple[ChecklistItem, ...], instruction: str
) -> dict[str, str]:
    """Where the record is from, and what in it is odd."""
    chosen = Counter(canonical_id(name) or name for name in form.choose_instruction)
    core = Counter(
        canonical_id(entry.instruction_name)
        for entry in form.instruction_list
        if entry.source == "core_task"
    )
    notes = {
        "chosen_instructions": ", ".join(form.choose_instruction) if chosen != core else "",
        "image_places": "marks taken out" if instruction != form.edit_question else "",
        "damage": "[REDACTED] in the question" if "[REDACTED]" in form.edit_question else "",
        "repeated_constraints": ", ".join(
            name for name, n in Counter(item.constraint_id for item in checklist).items() if n > 1
        ),
    }
    return {
        "form": "SciMIF release",
        "release_id": str(form.id),
        "release_task": form.task,
        **{name: note for name, note in notes.items() if note},
    }


# ── Pictures ─────────────────────────────────────────────────────────────────────────


def fit_places(question: str, media: tuple[Media, ...]) -> str:
    """The question, without its `<image>` marks where they are not as many as the pictures.

    Pictures that no mark has a place for stand before the text. Most questions have no mark,
    PhysUniBench's end with one, and a rewritten question may have lost or doubled it.
    """
    try:
        split_markers(question, media, MediaPolicy())
    except MediaError:
        return question.replace("<image>", "").strip()
    return question


def _media(value: str, images: Path, problems: list[str]) -> tuple[Media, ...]:
    media = []
    for name in image_names(value, images):
        try:
            media.append(load_media("image", name, images))
        except DatasetError as error:
            problems.append(f"image: {error}")
    return tuple(media)


def image_names(value: str, images: Path) -> list[str]:
    """The names in a comma-joined list, below the images folder.

    A name may hold blanks and even commas: pieces are joined until they name a file that
    exists, or end as a picture's name does.
    """
    names: list[str] = []
    pieces = value.split(",")
    while pieces and any(piece.strip() for piece in pieces):
        joined = [_normal(",".join(pieces[:n])) for n in range(1, len(pieces) + 1)]
        taken = next((n for n, name in enumerate(joined, 1) if (images / name).is_file()), None)
        if taken is None:
            taken = next((n for n, name in enumerate(joined, 1) if _IMAGE_NAME.search(name)), 1)
        names.append(joined[taken - 1])
        pieces = pieces[taken:]
    return names


def _normal(name: str) -> str:
    """The path as the release's own clean-up writes it."""
    path = name.strip().replace("\\", "/").removeprefix("./").removeprefix("images/")
    if path.startswith("materials/"):
        path = "material/" + path.removeprefix("materials/")
    return path.replace("PhysUnivBench", "PhysUniBench")


# ── Places ───────────────────────────────────────────────────────────────────────────


def places_of(path: Path) -> dict[str, str]:
    """Where each sample of `load_samples(path)` stands, by id: `FILE line N`."""
    is_foreign = path.is_dir() or is_release(path)
    found: dict[str, str] = {}
    for file in _subject_files(path) if is_foreign else [path]:
        prefix = f"{subject_of(file)}/" if is_foreign else ""
        for line in json_lines(file, Defects(file)):
            found.setdefault(f"{prefix}{line.fields.get('id')}", f"{file} line {line.number}")
    return found
