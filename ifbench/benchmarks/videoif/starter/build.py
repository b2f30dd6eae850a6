"""Makes the starter set: `python -m ifbench.benchmarks.videoif.starter.build [FOLDER]`.

Annotations follow from the scenes and from the hashes of the media that lie in the folder, bit for
bit. The media are written only with `--media`, for encoders differ from version to version.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterator
from pathlib import Path

from ifbench.benchmarks.binding import bind_params
from ifbench.benchmarks.records import save_records, with_derived_facets
from ifbench.benchmarks.videoif.starter.draft import Demand, Draft
from ifbench.benchmarks.videoif.starter.drawing import save_video, subtitles
from ifbench.benchmarks.videoif.starter.samples import drafts
from ifbench.benchmarks.videoif.starter.scenes import Video
from ifbench.benchmarks.videoif.starter.videos import VIDEOS
from ifbench.benchmarks.videoif.tree import render
from ifbench.types import ChecklistItem, Media, Sample, Task

HERE = Path(__file__).parent
RECORDS = "starter.jsonl"


def save_media(folder: Path) -> None:
    """Draw and encode every video, and write the subtitles of those with speech."""
    for part in ("videos", "subtitles"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    for video in VIDEOS.values():
        save_video(video, _video_path(video, folder))
        if video.lines:
            words = subtitles(video)
            _subtitles_path(video, folder).write_text(words, encoding="utf-8", newline="\n")


def save_annotations(folder: Path) -> int:
    """Write the records beside their media; returns the number of samples."""
    return save_records((_sample(draft, folder) for draft in drafts()), folder / RECORDS)


def _video_path(video: Video, folder: Path) -> Path:
    return folder / "videos" / f"{video.id}.mp4"


def _subtitles_path(video: Video, folder: Path) -> Path:
    return folder / "subtitles" / f"{video.id}.srt"


def _sample(draft: Draft, folder: Path) -> Sample:
    request = draft.request
    sample = Sample(
        id=draft.id,
        benchmark="videoif",
        instruction=render(draft.tree) if draft.tree else request.words,
        original_instruction=request.question,
        active_instruction=request.words if draft.tree else "",
        tree=draft.tree,
        media=tuple(_media(request.video, folder)),
        checklist=tuple(map(_item, request.demands)),
        tasks=tuple(Task(name=ask.task, description=ask.words) for ask in request.asks),
        facets={
            "instruction_type": draft.kind,
            "domain": request.video.domain,
            "language": draft.language,
            "source": "starter",
        },
        provenance={
            "source": "ifbench starter set",
            "licence": "Apache-2.0",
            "built_by": "ifbench.benchmarks.videoif.starter.build",
        },
    )
    return with_derived_facets(sample)


def _item(demand: Demand) -> ChecklistItem:
    return ChecklistItem(
        constraint_id=demand.constraint_id,
        params=bind_params(demand.constraint_id, demand.params),
        scope=demand.scope,
        question=demand.question,
        evidence=demand.evidence,
    )


def _media(video: Video, folder: Path) -> Iterator[Media]:
    path = _video_path(video, folder)
    yield Media(kind="video", uri=str(path), sha256=_sha256(path))
    if video.lines:
        path = _subtitles_path(video, folder)
        yield Media(kind="subtitles", uri=str(path), sha256=_sha256(path))


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main() -> None:
    """Build into the package, or into the folder named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=HERE)
    parser.add_argument("--media", action="store_true", help="draw and encode the videos as well")
    options = parser.parse_args()
    if options.media:
        save_media(options.folder)
    print(f"{save_annotations(options.folder)} samples in {options.folder / RECORDS}")  # noqa: T201


if __name__ == "__main__":
    main()
