"""How these tests put a text to a type of Video-IFBench."""

from __future__ import annotations

from typing import Any

from ifbench.constraints import all_constraints
from ifbench.constraints.constraint import (
    Check,
    Constraint,
    Judged,
    Params,
    decide,
    decide_extracted,
)
from ifbench.types import Outcome


def constraint_of(name: str) -> Constraint:
    return all_constraints()[f"videoif:{name}"]


def params_of(name: str, **params: Any) -> Params:
    return constraint_of(name).params.model_validate(params)


def passes(name: str, text: str, **params: Any) -> bool:
    """Whether a scripted type lets a text pass."""
    check = decide(constraint_of(name), text, params_of(name, **params))
    assert check.outcome is not Outcome.UNDECIDED, check.reason
    return check.outcome is Outcome.PASS


def settled(name: str, text: str, **params: Any) -> bool | None:
    """What the script before the judge says; `None` where the judge is asked."""
    method = constraint_of(name).method
    assert isinstance(method, Judged)
    assert method.settle is not None
    check = method.settle(text, params_of(name, **params))
    return None if check is None else check.outcome is Outcome.PASS


def seen(name: str, text: str, **params: Any) -> str:
    """What a judge is told that a script saw."""
    method = constraint_of(name).method
    assert isinstance(method, Judged)
    assert method.prepare is not None
    return method.prepare(text, params_of(name, **params)).get("seen", "")


def decide_labels(mentions: tuple[str, ...], **params: Any) -> Check:
    name = "entity_label_set_restriction"
    return decide_extracted(constraint_of(name), mentions, params_of(name, **params))
