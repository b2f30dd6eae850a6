"""Whether an answer is right, as a script that runs where the checks of constraints run.

It is no constraint: it belongs to no checklist and the registry does not hold it. It shares their
isolation, since it reads the same hostile texts and asks RDKit about the same molecules.
"""

from __future__ import annotations

from typing import Any

from ifbench.constraints.constraint import (
    MAX_CHARACTERS,
    Check,
    Params,
    failed,
    passed,
    undecided,
)
from ifbench.parsing.equality import Hints, compare
from ifbench.parsing.measures import Tolerance
from ifbench.parsing.molecules import Readable
from ifbench.parsing.option_words import Options
from ifbench.parsing.options import Mode
from ifbench.types import Cause

CORRECTNESS = "correctness"
"""What stands for a constraint's id in calls and verdicts."""
GRADING_VERSION = 2


class GradingParams(Params):
    """All that the script is told of a sample."""

    reference: Any
    question: str = ""
    """The question that the reference answers, before augmentation."""
    options: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    mode: Mode = "exact"
    ignore_case: bool = True
    system: Readable | None = None
    """The notation, where a molecule is asked for."""
    equal: float = Tolerance().equal
    different: float = Tolerance().different

    @property
    def hints(self) -> Hints:
        """The same as the comparison takes it."""
        offered = Options(texts=self.options, labels=self.labels, ignore_case=self.ignore_case)
        return Hints(
            question=self.question,
            options=offered if self.options or self.labels else None,
            mode=self.mode,
            system=self.system,
            tolerance=Tolerance(equal=self.equal, different=self.different),
        )


def check_correctness(text: str, params: GradingParams) -> Check:
    """Passed where the answer surely is right, failed where it surely is wrong.

    Everything else is undecided, cause *no grader*: it is left to one.
    """
    if not text.strip():
        return failed("the answer is empty")
    if len(text) > MAX_CHARACTERS:
        return _left(f"the answer has {len(text):,} characters")
    try:
        found = compare(text, params.reference, params.hints)
    except RecursionError:
        return _left("the answer is nested too deeply to be read")
    if found is None:
        return _left("no rule can tell whether the answer says what the reference says")
    if found.is_equal:
        return passed(found.reason, extracted=found.read)
    return failed(found.reason, extracted=found.read)


def _left(reason: str) -> Check:
    return undecided(Cause.NO_GRADER, reason)
