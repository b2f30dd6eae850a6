"""The paper's printed figures, so that a report can set ours beside them.

`published.json` holds Tables 1 to 4 as printed, in percent, and of Figure 6 what section 4.3.3
says in words; what would have to be read off a graph is left out.

The paper calls Overall a mean over samples. With the sizes that the project page gives (Single
498, Multi 400, Selection 284, Nested 284) the printed columns come to up to 3.9 points less than
the printed Overall, and no fixed weights give it within less than 1.5.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, TypeAlias

from ifbench.benchmarks.videoif.taxonomy import INSTRUCTION_TYPES

Printed: TypeAlias = Mapping[str, Mapping[str, float]]
"""Percent, by row and by metric."""

COUNT_BINS = ("1-4", "5-8", "9+")
"""Of tasks and of constraints (Table 2)."""

DEPTH_BINS = ("2-4", "5-7", "8-14")
"""Figure 6."""

_TABLES: Mapping[str, str] = MappingProxyType(
    {
        "task_count": "table_2a",
        "constraint_count": "table_2b",
        "depth_bin": "figure_6",
        "n_branches": "table_3a",
        "branch_position": "table_3b",
    }
)
"""Views whose table has a row a model and a column a value. In Tables 2a, 3 and Figure 6 that is
the task pass rate (TPR); 2a counts over Single and Multi, 2b the TISR over Single."""


@cache
def tables() -> Mapping[str, Any]:
    """The data file."""
    text = files(__package__).joinpath("published.json").read_text(encoding="utf-8")
    found: Mapping[str, Any] = json.loads(text)
    return found


def printed(view: str, model: str) -> Printed:
    """What the paper prints for a model (our name or the paper's) in one view; empty where nothing.

    Views are `instruction_type` and `overall` (Table 1, judged by Qwen3.5-397B-A17B-Instruct)
    and those of `_TABLES`; rows are a facet's values or the bins above.
    """
    return _view(view, model, main="table_1")


def printed_small_judge(view: str, model: str) -> Printed:
    """The same of Table 4, where Qwen3.5-35B-A3B judges; `change` is its printed difference."""
    if view == "change":
        row = _row("table_4", model)
        return {"overall": row["changes"]} if row else {}
    return _view(view, model, main="table_4") if view in {"instruction_type", "overall"} else {}


def _view(view: str, model: str, *, main: str) -> Printed:
    if view in {"instruction_type", "overall"}:
        row = _row(main, model)
        names = INSTRUCTION_TYPES if view == "instruction_type" else ("overall",)
        return {name: row[name] for name in names} if row else {}
    return _row(_TABLES[view], model) if view in _TABLES else {}


def _row(table: str, model: str) -> Mapping[str, Any]:
    rows: Mapping[str, Mapping[str, Any]] = tables()[table]
    return next((row for name, row in rows.items() if name.casefold() == model.casefold()), {})
