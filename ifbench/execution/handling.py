"""One row through one step, as every executor does it: counted, and named in what is logged."""

from __future__ import annotations

from ifbench.execution.in_hand import InHand
from ifbench.execution.step import Work
from ifbench.logs import Row, about
from ifbench.tally import RunTally, Tally
from ifbench.types import Trial

STORE_IS_FULL = "the store takes no more answers; those in flight are waited for"
"""Said once, where rows raise `StoreError`: nothing new is asked then."""


async def handled(row: Trial, work: Work, step: str, in_hand: InHand, tally: Tally) -> Trial:
    """The row as it comes out of the step; as it came in where it was let go."""
    item, own = row.item, tally.of(row.run)
    _count(own, step, item.candidate.name, "in")
    with about(
        Row(
            run=row.run,
            sample=item.sample.id,
            candidate=item.candidate.name,
            step=step,
            attempt=item.attempt,
        )
    ):
        done = await in_hand.carry(work, row)
    _count(own, step, item.candidate.name, "out")
    return done


def _count(tally: RunTally, step: str, candidate: str, way: str) -> None:
    tally.add("rows", step, way)
    tally.add("candidates", candidate, step, way)
