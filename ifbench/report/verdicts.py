"""A verdict in lines that a person reads: what was asked, what was found, where."""

from __future__ import annotations

from collections.abc import Iterator

from ifbench.types import Verdict
from ifbench.visible import visible


def verdict_lines(verdict: Verdict) -> Iterator[str]:
    """The item, its outcome and reason, and the places in the answer that it rests on."""
    cause = f" ({verdict.cause.value})" if verdict.cause else ""
    about = f"sample {verdict.sample_id}, {verdict.constraint_id}"
    yield f"{visible(about)}: {verdict.outcome.value}{cause}"
    if verdict.reason:
        yield f"reason: {visible(verdict.reason)}"
    if len(verdict.requirements) > 1:
        met = sum(part is True for part in verdict.requirements)
        yield f"requirements: {met} of {len(verdict.requirements)} met"
    for one in verdict.evidence[:3]:
        yield f"evidence: {one.text!r} (characters {one.start} to {one.end} of the answer)"
    if len(verdict.evidence) > 3:
        yield f"evidence: {len(verdict.evidence) - 3} more places"
    if verdict.extracted is not None:
        yield f"read from the answer: {verdict.extracted!r}"
    yield f"decided by: {verdict.grader}"
