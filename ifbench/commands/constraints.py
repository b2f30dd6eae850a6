"""`ifbench constraints`: every constraint, its parameters, and an answer that passes and fails."""

from __future__ import annotations

import argparse
import json
from typing import Any

from ifbench.benchmarks.binding import unknown_name
from ifbench.cli import EXIT_OK
from ifbench.constraints import all_constraints
from ifbench.constraints.constraint import Constraint, Extracted, Judged, Scripted
from ifbench.errors import DatasetError
from ifbench.report.tables import Table, render


def run(options: argparse.Namespace) -> int:
    """Print the registry, whole or in part."""
    known = all_constraints()
    for name in options.id:
        if name not in known:
            raise DatasetError(unknown_name("constraint", name, known))
    chosen = [known[name] for name in options.id] or list(known.values())
    if options.json:
        print(json.dumps([as_json(one) for one in chosen], indent=2, ensure_ascii=False))
    elif options.id:
        print("\n\n".join(_long(one) for one in chosen))
    else:
        print(render([_table(chosen)], "terminal"))
    return EXIT_OK


def method_name(constraint: Constraint) -> str:
    """How it is decided: `script`, `extract, then script`, or `judge`."""
    match constraint.method:
        case Scripted():
            return "script"
        case Extracted():
            return "extract, then script"
        case Judged():
            return "judge"


def as_json(constraint: Constraint) -> dict[str, Any]:
    """Everything a tool needs to use the constraint."""
    example = constraint.example
    return {
        "id": constraint.id,
        "group": constraint.group,
        "domain": constraint.domain,
        "category": constraint.category,
        "method": method_name(constraint),
        "version": constraint.method.version,
        "description": constraint.description,
        "params": constraint.params.model_json_schema(),
        "example": {
            "instruction": example.instruction,
            "params": dict(example.params),
            "passing": example.passing,
            "failing": example.failing,
        },
    }


def _table(constraints: list[Constraint]) -> Table:
    return Table(
        title=f"{len(constraints)} constraints",
        columns=("id", "group", "decided by", "parameters"),
        rows=tuple(
            (one.id, one.group, method_name(one), ", ".join(_properties(one)) or "none")
            for one in constraints
        ),
        notes=("Details and an example: ifbench constraints ID; for tools: --json.",),
    )


def _properties(constraint: Constraint) -> dict[str, Any]:
    """Parameters under the names that records use."""
    return dict(constraint.params.model_json_schema().get("properties", {}))


def _long(constraint: Constraint) -> str:
    example = constraint.example
    schema = constraint.params.model_json_schema()
    return "\n".join(
        [
            f"{constraint.id}  (group {constraint.group}, {method_name(constraint)})",
            f"  {constraint.description}",
            "  parameters:",
            *(_parameter(name, field, schema) for name, field in _properties(constraint).items()),
            f"  asked for, say, as: {example.instruction}",
            f"  with: {json.dumps(dict(example.params), ensure_ascii=False)}",
            f"  passes: {example.passing!r}",
            f"  fails:  {example.failing!r}",
        ]
    )


def _parameter(name: str, field: dict[str, Any], schema: dict[str, Any]) -> str:
    kind = field.get("type") or ("one of several" if "anyOf" in field else "see --json")
    if "enum" in field:
        kind = " | ".join(map(str, field["enum"]))
    needed = (
        "required" if name in schema.get("required", ()) else f"default {field.get('default')!r}"
    )
    about = f": {' '.join(field['description'].split())}" if "description" in field else ""
    return f"    {name} ({kind}, {needed}){about}"
