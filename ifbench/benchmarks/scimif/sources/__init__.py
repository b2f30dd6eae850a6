"""Samples from a data set's own files: seeds, with general constraints added by template."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from random import Random
from types import MappingProxyType

from ifbench.benchmarks.binding import bind_params, unknown_name
from ifbench.benchmarks.records import with_derived_facets
from ifbench.benchmarks.scimif.sources.compatibility import compatible, select
from ifbench.benchmarks.scimif.sources.llm4mat_bench import LLM4MAT_BENCH
from ifbench.benchmarks.scimif.sources.mol_instructions import MOL_INSTRUCTIONS
from ifbench.benchmarks.scimif.sources.phrasings import phrase
from ifbench.benchmarks.scimif.sources.source import Seed, Skipped, Source
from ifbench.errors import ConfigError
from ifbench.types import ChecklistItem, Sample

log = logging.getLogger(__name__)

SOURCES: Mapping[str, Source] = MappingProxyType(
    {source.name: source for source in (MOL_INSTRUCTIONS, LLM4MAT_BENCH)}
)

MAX_CHARACTERS = 4_000
"""Of a question, before constraints are added. Formulas and bond lengths make about two tokens
for three characters, and a small model has 4,096 for question and answer together."""


def from_source(
    name: str,
    file: Path | str,
    *,
    seed: int = 0,
    per_sample: int = 3,
    limit: int | None = None,
    max_characters: int = MAX_CHARACTERS,
) -> Iterator[Sample]:
    """Samples from one file of a source, with up to `per_sample` general constraints each.

    The same arguments give the same samples on every machine. How many records were left out,
    and why, is logged at the end. Raises `ConfigError` for arguments that cannot be, and
    `DatasetError` for a file that is not the source's or a record that is broken.
    """
    if name not in SOURCES:
        raise ConfigError(f"{unknown_name('source', name, SOURCES)}; known: {', '.join(SOURCES)}")
    if not 1 <= per_sample <= 6:
        raise ConfigError(f"`per_sample` must be from 1 to 6 (one a category), got {per_sample}")
    if max_characters < 200:
        raise ConfigError(f"`max_characters` must be at least 200, got {max_characters}")
    if limit is not None and limit < 1:
        raise ConfigError(f"`limit` must be at least 1, got {limit}")
    samples = _samples(SOURCES[name], Path(file), seed, per_sample, max_characters)
    return islice(samples, limit)


def _samples(
    source: Source, file: Path, seed: int, per_sample: int, max_characters: int
) -> Iterator[Sample]:
    skipped: Counter[str] = Counter()
    for index, found in enumerate(source.read(file, max_characters)):
        if isinstance(found, Skipped):
            skipped[found.reason] += 1
        else:
            rng = Random(f"{seed}:{source.name}:{index}")  # noqa: S311  (no secret; repeatable)
            yield augment(found, source, rng, seed, per_sample)
    for reason, count in skipped.most_common():
        log.warning("%s: %d left out: %s", file, count, reason)


def augment(seed: Seed, source: Source, rng: Random, number: int, per_sample: int) -> Sample:
    """A seed with constraints that fit it and each other, one sentence for each."""
    chosen = select(compatible(seed), per_sample, rng)
    sentences = [
        phrase(offer.constraint_id, offer.params, seed.answer_name, rng) for offer in chosen
    ]
    sample = Sample(
        id=f"{source.name}/{seed.id}",
        benchmark="scimif",
        instruction=f"{seed.question}\n\n{' '.join(sentences)}",
        original_instruction=seed.question,
        media=() if seed.image is None else (seed.image,),
        checklist=tuple(
            ChecklistItem(
                constraint_id=offer.constraint_id,
                params=bind_params(offer.constraint_id, offer.params),
                origin="general",
            )
            for offer in chosen
        ),
        reference=seed.reference,
        facets={
            "discipline": seed.discipline,
            "task_type": seed.task_type,
            "source": seed.source,
            "answer": seed.answer.value,
        },
        provenance={
            **seed.provenance,
            "source": source.title,
            "licence": source.licence,
            "built_by": "templates of ifbench",
            "seed": str(number),
        },
    )
    return with_derived_facets(sample)
