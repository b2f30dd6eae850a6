"""One check as a unit of work that can be sent to another process, and how it is run."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from ifbench.constraints import all_constraints
from ifbench.constraints.constraint import (
    Check,
    Constraint,
    Judged,
    Params,
    Scripted,
    decide,
    decide_extracted,
    locate,
)
from ifbench.constraints.grading import CORRECTNESS, GradingParams, check_correctness


class CheckCall(NamedTuple):
    """A constraint, its parameters, and the final text that it is to be checked on.

    A tuple for the same reason as `Check`: it is built on both sides of a sandbox.
    """

    constraint_id: str
    """Or `CORRECTNESS`, whose parameters are `GradingParams`."""
    params: Params | str
    """As bound, or as the JSON text of it."""
    text: str
    quotations: tuple[str, ...] | None = None
    """What the extractor quoted; `None` before it was asked."""

    @property
    def params_json(self) -> str:
        """The parameters as JSON text; what stands at its default is left out."""
        if isinstance(self.params, str):
            return self.params
        # What `model_dump_json` does, in two thirds of the time.
        serializer = self.params.__pydantic_serializer__
        return serializer.to_json(self.params, exclude_defaults=True, by_alias=True).decode()


def run_check(call: CheckCall, constraints: Mapping[str, Constraint] | None = None) -> Check | None:
    """Decide by script; `None` when the extractor must be asked first.

    Raises `KeyError` for an unknown constraint, `TypeError` for a judged one, pydantic's
    `ValidationError` for parameters in JSON text that do not fit, and what a faulty check raises.
    """
    if call.constraint_id == CORRECTNESS:
        given = call.params
        told = _read_params(GradingParams, given) if isinstance(given, str) else given
        assert isinstance(told, GradingParams), "correctness has parameters of its own"
        return check_correctness(call.text, told)
    known = all_constraints() if constraints is None else constraints
    constraint = known[call.constraint_id]
    params = call.params
    if isinstance(constraint.method, Judged):
        raise TypeError(f"{constraint.id} is decided by a judge")
    if isinstance(params, str):
        params = _read_params(constraint.params, params)
    if isinstance(constraint.method, Scripted):
        return decide(constraint, call.text, params)
    if call.quotations is None:
        return locate(constraint, call.text, params)
    return decide_extracted(constraint, call.quotations, params, text=call.text)


@lru_cache(maxsize=4096)
def _read_params(kind: type[Params], params: str) -> Params:
    """Parameters belong to a sample and are frozen: each is read once, not once an answer."""
    return kind.model_validate_json(params)
