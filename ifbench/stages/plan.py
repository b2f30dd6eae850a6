"""Which work a run consists of: each sample put to each candidate, so many times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ifbench.types import ModelConfig, Sample, WorkItem


def plan(
    samples: Iterable[Sample], candidates: Sequence[ModelConfig], attempts: int = 1
) -> Iterator[WorkItem]:
    """Work items, all of one sample next to each other.

    Neighbours share a worker. So a judge prompt that two candidates' equal answers give rise
    to is asked once, and no candidate waits for another's last sample.
    """
    for sample in samples:
        for attempt in range(attempts):
            for candidate in candidates:
                yield WorkItem(sample=sample, candidate=candidate, attempt=attempt)
