"""Makes the starter set: `python -m ifbench.benchmarks.scimif.starter.build [FOLDER]`."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from ifbench.benchmarks.binding import bind_params
from ifbench.benchmarks.records import save_records, with_derived_facets
from ifbench.benchmarks.scimif.starter.biology import biology
from ifbench.benchmarks.scimif.starter.chemistry import chemistry
from ifbench.benchmarks.scimif.starter.draft import Draft
from ifbench.benchmarks.scimif.starter.geography import geography
from ifbench.benchmarks.scimif.starter.material import material
from ifbench.benchmarks.scimif.starter.physics import physics
from ifbench.benchmarks.scimif.starter.quantities import quantities
from ifbench.benchmarks.scimif.starter.release_words import release_words
from ifbench.types import ChecklistItem, Media, Sample

HERE = Path(__file__).parent
RECORDS = "starter.jsonl"


def drafts() -> Iterator[Draft]:
    """Every draft, the disciplines in turn, so that the first few samples are of each."""
    decks = [list(deck()) for deck in (chemistry, geography, biology, material, physics)]
    for place in range(max(map(len, decks))):
        yield from chain.from_iterable(deck[place : place + 1] for deck in decks)
    yield from quantities()


def build(folder: Path) -> int:
    """Write the records and pictures; returns the number of samples."""
    (folder / "images").mkdir(parents=True, exist_ok=True)
    return save_records((_sample(draft, folder) for draft in drafts()), folder / RECORDS)


def _sample(draft: Draft, folder: Path) -> Sample:
    sample = Sample(
        id=draft.id,
        benchmark="scimif",
        instruction=draft.instruction,
        original_instruction=draft.original_instruction,
        media=tuple(_picture(draft, folder)),
        checklist=tuple(
            ChecklistItem(
                constraint_id=demand.constraint_id,
                params=bind_params(demand.constraint_id, demand.params),
                origin="general" if demand.origin == "general" else "scientific",
                raw=release_words(demand.constraint_id, demand.params),
            )
            for demand in draft.demands
        ),
        reference=draft.reference,
        facets={
            "discipline": draft.discipline,
            "task_type": draft.task_type,
            "source": "starter",
        },
        provenance={
            "source": "ifbench starter set",
            "licence": "Apache-2.0",
            "built_by": "ifbench.benchmarks.scimif.starter.build",
        },
    )
    return with_derived_facets(sample)


def _picture(draft: Draft, folder: Path) -> Iterator[Media]:
    if draft.picture is None:
        return
    path = folder / "images" / f"{draft.id}.png"
    draft.picture().save(path, optimize=True)
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    yield Media(kind="image", uri=str(path), sha256=sha256)


def main() -> None:
    """Build into the package, or into the folder named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=HERE)
    folder = parser.parse_args().folder
    print(f"{build(folder)} samples in {folder / RECORDS}")  # noqa: T201


if __name__ == "__main__":
    main()
