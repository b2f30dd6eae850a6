"""Stands in until the parser of checklist queries is merged; then this file is that one."""

from __future__ import annotations

from ifbench.constraints.constraint import Params
from ifbench.types import UnboundParams


def read_params(constraint_id: str, query: str, context: str) -> Params | UnboundParams:
    """The typed parameters of a constraint, read from the words of its checklist."""
    del constraint_id, context
    return UnboundParams(raw=query, reason="no parser reads it yet")
