"""From a work item to the candidate's prompt."""

from __future__ import annotations

from dataclasses import replace

from ifbench.media.errors import MediaError
from ifbench.media.places import split_markers
from ifbench.types import Failure, FailureKind, Prompt, Purpose, Sampling, WorkItem


def prepare(item: WorkItem) -> Prompt | Failure:
    """The prompt that the candidate gets, or why it cannot be built.

    The number of pictures must equal the number of places in the instruction; where it does
    not, nothing is sent and the row fails, kind *media*.
    """
    sample, candidate = item.sample, item.candidate
    try:
        parts = split_markers(sample.instruction, sample.media, candidate.media)
    except MediaError as error:
        return Failure(kind=FailureKind.MEDIA, message=f"sample {sample.id}: {error}")
    return Prompt(
        purpose=Purpose.CANDIDATE,
        model=candidate,
        parts=parts,
        sampling=_for_attempt(candidate.sampling, item.attempt),
        attempt=item.attempt,
    )


def _for_attempt(sampling: Sampling, attempt: int) -> Sampling:
    """Repeats draw with seeds of their own; with one seed they would only repeat a text."""
    if sampling.seed is None or attempt == 0:
        return sampling
    return replace(sampling, seed=sampling.seed + attempt)
