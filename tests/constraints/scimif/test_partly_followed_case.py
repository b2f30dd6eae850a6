"""The kind of case that SciMIF's Figure 9 shows: procedure and structure obeyed, lower case not.

Symbols are letters: R, E, B and L break "all lowercase" though every word is small.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from factories import make_score
from ifbench.constraints import all_constraints
from ifbench.constraints.constraint import Check, decide
from ifbench.metrics import csr, drfr, isr
from ifbench.types import Outcome

STEPS = [
    "find the voltage that the moving rod induces",
    "find the current from the resistance",
    "find the force on the rod",
]
ANSWER = (
    "1. the rod cuts field lines, so the induced voltage is E = B L v.\n"
    "2. the current in the loop is E/R.\n"
    "3. the force on the rod is the current times B L.\n\n"
    "final answer: 0.12 n"
)


def check(name: str, answer: str, **params: object) -> Check:
    constraint = all_constraints()[name]
    return decide(constraint, answer, constraint.params(**params))


def test_capital_symbols_break_lower_case_and_nothing_else():
    case = check("general:all_lowercase", ANSWER)
    assert case.outcome is Outcome.FAIL
    assert case.evidence[0].text == "E"
    assert check("general:all_lowercase", ANSWER.lower()).outcome is Outcome.PASS
    assert check("general:response_structure", ANSWER, position="end").outcome is Outcome.PASS


def test_one_broken_constraint_of_three_leaves_no_followed_instruction():
    steps = all_constraints()["physics:analysis_steps"]
    parts = steps.method.parts(steps.params(steps=STEPS))
    score = replace(
        make_score((True, True, False), constraints=("steps", "structure", "case")),
        requirements=((True,) * parts, (True,), (False,)),
    )
    assert csr([score]) == pytest.approx(2 / 3)
    assert isr([score]) == 0
    assert drfr([score]) == pytest.approx(4 / 5)
