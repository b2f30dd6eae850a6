"""Video-IFBench's public release: its annotations turned into samples.

`annotations/annotations.jsonl` holds one video a line with all its instructions; paths are
relative to the folder above. A name that the paper does not know is a defect, and so is a video
that is not there; what a conditional instruction's words do not tell is left open and said by
`ifbench data check`. `docs/records.md` has the table of fields.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from pydantic import ValidationError

from ifbench.benchmarks.binding import describe, unknown_name
from ifbench.benchmarks.json_lines import Defects, Line, json_lines
from ifbench.benchmarks.media_files import load_media
from ifbench.benchmarks.records import load_records, with_derived_facets
from ifbench.benchmarks.videoif.aliases import (
    ALIASES,
    INSTRUCTION_ALIASES,
    canonical_id,
)
from ifbench.benchmarks.videoif.annotation_form import (
    ConstraintForm,
    InstructionForm,
    TaskForm,
    VideoForm,
    all_forms,
)
from ifbench.benchmarks.videoif.conditions import tree_or_none
from ifbench.benchmarks.videoif.constraint_types import RELEASE_ONLY
from ifbench.benchmarks.videoif.parameters import read_params
from ifbench.benchmarks.videoif.taxonomy import task_name
from ifbench.errors import DatasetError
from ifbench.media.errors import MediaError
from ifbench.media.places import split_markers
from ifbench.types import ChecklistItem, Media, MediaPolicy, Sample, Task

log = logging.getLogger(__name__)

ANNOTATIONS = PurePosixPath("annotations/annotations.jsonl")
"""Where the release's folder holds its records."""

DURATIONS: Mapping[str, float] = MappingProxyType(
    {"under 1 min": 60, "1-3 min": 180, "3-5 min": 300, "5-10 min": 600}
)
"""Bins of a video's length and their upper ends in seconds; videos of the paper have 10 s to
10 min (section 1). The bins are ours: the paper draws its own in a figure only."""

_LONGEST = "10 min or more"

DURATION_ORDER = (*DURATIONS, _LONGEST)


# ── Either form ──────────────────────────────────────────────────────────────────────


def load_samples(path: Path | str, *, check: bool = True) -> Iterator[Sample]:
    """The samples of a file in our record form or in the release's, told apart by their fields.

    A folder is the release's. Raises `DatasetError` before the first sample, or, without
    `check`, once the last one is read.
    """
    path = Path(path)
    is_foreign = path.is_dir() or is_release(path)
    return (load_annotations if is_foreign else load_records)(path, check=check)


def is_release(path: Path) -> bool:
    """True for a folder with annotations, and for a file whose first object is a video."""
    if path.is_dir():
        return (path / ANNOTATIONS).is_file()
    line = next(json_lines(path, Defects(path)), None)
    return line is not None and "format" not in line.fields and "video_path" in line.fields


def load_annotations(path: Path | str, *, check: bool = True) -> Iterator[Sample]:
    """The samples of the release's folder, or of its annotations file: one an instruction.

    Everything is checked first, as `load_records` does. Raises `DatasetError`.
    """
    file = annotations_file(Path(path))
    for _ in _read(file) if check else ():
        pass
    return _read(file)


def annotations_file(path: Path) -> Path:
    """The file of records behind a path. Raises `DatasetError` for a folder without one."""
    if not path.is_dir():
        return path
    if not (path / ANNOTATIONS).is_file():
        raise DatasetError(f"{path}: no {ANNOTATIONS} in it, so it is not the release's folder")
    return path / ANNOTATIONS


def _root(file: Path) -> Path:
    """The folder that paths in the annotations start from."""
    folder = file.absolute().parent
    return folder.parent if folder.name == ANNOTATIONS.parent.name else folder


# ── One file ─────────────────────────────────────────────────────────────────────────


def _read(file: Path) -> Iterator[Sample]:
    root = _root(file)
    defects = Defects(file)
    oddities = _Oddities()
    lines_of: dict[str, int] = {}
    for line in json_lines(file, defects):
        video = _video(line, defects)
        if video is None:
            continue
        oddities.note(video, line.number)
        problems: list[str] = []
        media = _media(video, root, problems)
        for index, form in enumerate(video.instructions):
            own: list[str] = []
            sample = _sample(form, video, media, own)
            if sample.id in lines_of:
                own.append(f"the id `{sample.id}` stands on line {lines_of[sample.id]} already")
            lines_of.setdefault(sample.id, line.number)
            problems += [f"instructions[{index}]: {words}" for words in own]
            if media and not own:
                yield sample
        defects.add(line.number, *problems)
    if not lines_of and not defects.count:
        raise DatasetError(f"{file}: the file holds no instruction")
    defects.raise_any()
    oddities.tell(file)


def _video(line: Line, defects: Defects) -> VideoForm | None:
    try:
        return VideoForm.model_validate_json(line.text.strip())
    except ValidationError as error:
        defects.add(line.number, *describe(error, VideoForm))
        return None


def _sample(
    form: InstructionForm, video: VideoForm, media: tuple[Media, ...], problems: list[str]
) -> Sample:
    kind = INSTRUCTION_ALIASES.get(form.instruction_type.strip().lower())
    if kind is None:
        words = unknown_name("instruction_type", form.instruction_type, INSTRUCTION_ALIASES)
        problems.append(f"{words}; known: {', '.join(INSTRUCTION_ALIASES)}")
    checklist = _checklist(form.constraints or (), problems)
    active = form.active_instruction or ""
    if active.strip() == form.instruction.strip():
        active = ""
    instruction = fit_places(form.instruction, media)
    sample = Sample(
        id=_id(form, video, problems),
        benchmark="videoif",
        instruction=instruction,
        active_instruction=active,
        tree=tree_or_none(instruction, active, kind or ""),
        media=media,
        checklist=checklist,
        tasks=_tasks(form.tasks or ()),
        facets=_facets(form, video, kind or ""),
        provenance=_provenance(form, video, checklist, instruction),
    )
    return with_derived_facets(sample)


def _id(form: InstructionForm, video: VideoForm, problems: list[str]) -> str:
    """The release's own case id, so that its answers and ours find each other."""
    own, key = (form.instruction_id or "").strip(), (form.instruction_key or "").strip()
    if not own and not key:
        problems.append("`instruction_id` is missing, and so is `instruction_key`")
    return own or f"{video.video_id}/{key}"


def _checklist(forms: Sequence[ConstraintForm], problems: list[str]) -> tuple[ChecklistItem, ...]:
    """One item an entry: a type that stands twice makes two items, told apart by their place."""
    items = []
    for index, form in enumerate(forms):
        constraint_id = canonical_id(form.constraint_id)
        if constraint_id is None:
            words = unknown_name("constraint", form.constraint_id, ALIASES)
            problems.append(f"constraints[{index}]: {words}")
            continue
        query, context = form.checklist_query or "", form.judge_context or ""
        items.append(
            ChecklistItem(
                constraint_id=constraint_id,
                params=read_params(constraint_id, query, context),
                origin="release" if constraint_id == RELEASE_ONLY else "general",
                question=query,
                evidence=context,
                raw=query,
            )
        )
    return tuple(items)


def _tasks(forms: Sequence[TaskForm]) -> tuple[Task, ...]:
    return tuple(
        Task(
            name=task_name(form.name) or form.name.strip(),
            description=(form.description or "").strip(),
        )
        for form in forms
    )


def _facets(form: InstructionForm, video: VideoForm, kind: str) -> dict[str, str]:
    path = PurePosixPath(video.video_path)
    found = {
        "instruction_type": kind,
        "video_id": video.video_id,
        "domain": path.parts[1] if len(path.parts) > 2 else "",
        "duration": "" if video.duration_sec is None else duration_bin(video.duration_sec),
        "language": (form.language or "").strip(),
    }
    return {name: value for name, value in found.items() if value}


def duration_bin(seconds: float) -> str:
    """The bin of `DURATIONS` that a length falls into; each ends just below its bound."""
    return next((name for name, end in DURATIONS.items() if seconds < end), _LONGEST)


def _provenance(
    form: InstructionForm,
    video: VideoForm,
    checklist: tuple[ChecklistItem, ...],
    instruction: str,
) -> dict[str, str]:
    """Where the record is from, and what in it is odd."""
    counts = Counter(item.constraint_id for item in checklist)
    notes = {
        "instruction_key": (form.instruction_key or "").strip(),
        "release_type": form.instruction_type
        if form.instruction_type in {"compose", "chain"}
        else "",
        "video_path": video.video_path,
        "duration_s": "" if video.duration_sec is None else f"{video.duration_sec:g}",
        "media_places": "marks taken out" if instruction != form.instruction else "",
        "repeated_constraints": ", ".join(name for name, count in counts.items() if count > 1),
    }
    return {
        "form": "Video-IFBench release",
        **{name: note for name, note in notes.items() if note},
    }


# ── Video and subtitles ──────────────────────────────────────────────────────────────


def _media(video: VideoForm, root: Path, problems: list[str]) -> tuple[Media, ...]:
    """The video, and its subtitles where there are some; nothing where there is no video."""
    path = PurePosixPath(video.video_path)
    if path.is_absolute() or ".." in path.parts or not path.name:
        problems.append(
            f"video_path: a path below the data set's folder is expected, found {video.video_path!r}"
        )
        return ()
    try:
        seen = load_media("video", video.video_path, root)
        words = _subtitles(path)
        found = next((name for name in words if (root / name).is_file()), None)
        return (seen,) if found is None else (seen, load_media("subtitles", str(found), root))
    except DatasetError as error:
        problems.append(f"video_path: {error}")
        return ()


def _subtitles(video: PurePosixPath) -> Iterator[PurePosixPath]:
    """Where subtitles of a video would lie: `subtitles/` in the place of `videos/`."""
    below = video.relative_to("videos") if video.parts[0] == "videos" else video
    for ending in (".srt", ".vtt"):
        yield PurePosixPath("subtitles") / below.with_suffix(ending)


_MARK = re.compile(r"<(?:image|video|audio)>")


def fit_places(instruction: str, media: tuple[Media, ...]) -> str:
    """The instruction, without its marks for media where they are not as many as the media.

    The release shows the video beside the text; a `<video>` in its words is a slip of its author.
    """
    try:
        split_markers(instruction, media, MediaPolicy())
    except MediaError:
        return _MARK.sub("", instruction).strip()
    return instruction


# ── What is odd and yet loads ────────────────────────────────────────────────────────

_TOLD: set[Path] = set()
"""A file is read several times; what is odd in it is said once a process."""


@dataclass(slots=True)
class _Oddities:
    """Keys that are not read and tasks that Table 5 does not hold, each with its first line."""

    keys: dict[str, int] = field(default_factory=dict)
    tasks: dict[str, int] = field(default_factory=dict)

    def note(self, video: VideoForm, number: int) -> None:
        for form in all_forms(video):
            for key in form.model_extra or ():
                self.keys.setdefault(key, number)
            if isinstance(form, TaskForm) and task_name(form.name) is None:
                self.tasks.setdefault(form.name, number)

    def tell(self, file: Path) -> None:
        if file in _TOLD:
            return
        _TOLD.add(file)
        for what, found in (
            ("keys that are not read", self.keys),
            ("names of tasks that Table 5 of the paper does not hold", self.tasks),
        ):
            if found:
                shown = ", ".join(f"`{name}`" for name in list(found)[:_SHOWN])
                more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
                first = next(iter(found.values()))
                log.warning("%s: %s: %s%s (the first on line %d)", file, what, shown, more, first)


_SHOWN = 8


# ── Places ───────────────────────────────────────────────────────────────────────────


def places_of(path: Path) -> Mapping[str, str]:
    """Where each sample of `load_annotations(path)` stands, by id: `FILE line N`."""
    file = annotations_file(path)
    found: dict[str, str] = {}
    for line in json_lines(file, Defects(file)):
        video = _video(line, Defects(file))
        for form in video.instructions if video else ():
            assert video is not None
            found.setdefault(_id(form, video, []), f"{file} line {line.number}")
    return found
