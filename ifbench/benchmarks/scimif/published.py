"""The paper's printed figures, so that a report can set ours beside them.

`published.json` holds Tables 3, 4, 13, 15 and 16 as printed, in percent, `printed.py` Table 14; what would have to be
read off a graph is left out. The rows of Table 3 are consistent: overall is the mean ISR.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias

from ifbench.benchmarks.scimif.printed import TABLE_14, PrintedAssociation

Printed: TypeAlias = Mapping[str, Mapping[str, float]]
"""Percent, by row and by metric."""


@cache
def tables() -> Mapping[str, Any]:
    """The data file."""
    text = files(__package__).joinpath("published.json").read_text(encoding="utf-8")
    found: Mapping[str, Any] = json.loads(text)
    return found


def printed(view: str, model: str) -> Printed:
    """What the paper prints for a model (our name or the paper's) in one view; empty where nothing.

    Views are facets (`discipline`, `source`, `discipline+modality`), sets of constraints (`group`,
    `domain`), `overall`, and `association` (Table 14, whose figures are no percentages).
    """
    match view:
        case "discipline":
            row = _row("table_3", model)
            return {label: cells for label, cells in row.items() if isinstance(cells, Mapping)}
        case "overall":
            row = _row("table_3", model)
            return {"overall": {"ISR": row["overall"]}} if row else {}
        case "group":
            return _drfr(_row("table_4", model))
        case "domain":
            return _drfr(_row("table_13", model))
        case "source":
            return _drfr(_row("table_15", model))
        case "discipline+modality":
            row = _row("table_16", model)
            return _drfr(
                {f"{name}, {kind}": value for kind in row for name, value in row[kind].items()}
            )
        case "association":
            found = next((row for row in TABLE_14 if _alike(row.model, model)), None)
            return _association(found) if found else {}
    return {}


def _row(table: str, model: str) -> Mapping[str, Any]:
    rows: Mapping[str, Mapping[str, Any]] = tables()[table]
    return next((row for name, row in rows.items() if _alike(name, model)), {})


def _association(row: PrintedAssociation) -> Printed:
    return {"all": {"phi": row.phi, "jaccard": row.jaccard, "p": row.p_value}}


def _alike(printed_name: str, model: str) -> bool:
    """Names but for case and punctuation: Table 14 writes Claude-Sonnet-4-6, the others 4.6."""
    one, two = (name.casefold().replace(".", "-") for name in (printed_name, model))
    return one == two


def _drfr(row: Mapping[str, float]) -> Printed:
    return {label: {"DRFR": value} for label, value in row.items()}
