"""`ifbench constraints`: every constraint, its parameters, and an answer that passes and fails."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from typing import Any

from ifbench.benchmarks.binding import unknown_name
from ifbench.cli import EXIT_OK
from ifbench.constraints import all_constraints
from ifbench.constraints.constraint import Constraint, Extracted, Judged, Scripted
from ifbench.constraints.parameter_docs import parameter_schema
from ifbench.errors import DatasetError
from ifbench.report.tables import Table, render


def run(options: argparse.Namespace) -> int:
    """Print the registry, whole or in part."""
    known = all_constraints()
    for name in options.id:
        if name not in known:
            raise DatasetError(
                f"{unknown_name('constraint', name, known)}; all of them: ifbench constraints"
            )
    chosen = [known[name] for name in options.id] or list(known.values())
    if options.json:
        print(json.dumps([as_json(one) for one in chosen], indent=2, ensure_ascii=False))
    elif options.markdown:
        print(reference(chosen))
    elif options.id:
        print("\n\n".join(_long(one) for one in chosen))
    else:
        print(render([_table(chosen)], "terminal"))
    return EXIT_OK


def method_name(constraint: Constraint) -> str:
    """How it is decided: `script`, `extract, then script`, `judge`, or a script before the judge."""
    match constraint.method:
        case Scripted():
            return "script"
        case Extracted():
            return "extract, then script"
        case Judged():
            return (
                "script where the parameters allow, else judge"
                if _has_script(constraint)
                else "judge"
            )


def _has_script(constraint: Constraint) -> bool:
    method = constraint.method
    return isinstance(method, Judged) and method.settle is not None


def as_json(constraint: Constraint) -> dict[str, Any]:
    """Everything a tool needs to use the constraint."""
    example = constraint.example
    return {
        "id": constraint.id,
        "benchmark": constraint.benchmark,
        "group": constraint.group,
        "domain": constraint.domain,
        "category": constraint.category,
        "method": method_name(constraint),
        "version": constraint.method.version,
        "description": constraint.description,
        "params": parameter_schema(constraint.params),
        "example": {
            "instruction": example.instruction,
            "params": dict(example.params),
            "passing": example.passing,
            "failing": example.failing,
        },
    }


def reference(constraints: Sequence[Constraint]) -> str:
    """The reference as Markdown, by domain; `docs/constraints.md` is this over all constraints."""
    lines = [
        "# Constraints",
        "",
        "Made by `ifbench constraints --markdown` from the registry; do not edit by hand. A verdict",
        "names the version of the rule that decided it.",
    ]
    domain = ""
    for one in sorted(constraints, key=lambda one: one.domain != "general"):
        if one.domain != domain:
            domain = one.domain
            lines += ["", f"## {_TITLES.get(domain, domain.capitalize())}"]
        lines += ["", *_section(one)]
    return "\n".join(lines)


_TITLES = {"videoif": "Video-IFBench"}
"""Headings of domains that are no common word."""


def _rubric(constraint: Constraint) -> str:
    """What the judge is told of this kind of constraint; empty where a script decides."""
    method = constraint.method
    return method.rubric if isinstance(method, Judged) else ""


def _section(constraint: Constraint) -> Iterator[str]:
    example, schema = constraint.example, parameter_schema(constraint.params)
    yield f"### `{constraint.id}`"
    yield ""
    yield constraint.description
    yield ""
    yield (
        f"Group {constraint.group}; decided by {method_name(constraint)}, "
        f"rule {constraint.method.version}."
    )
    yield ""
    if properties := _properties(constraint):
        yield "| parameter | kind | default | meaning |"
        yield "| --- | --- | --- | --- |"
        for name, field in properties.items():
            needed = name in schema.get("required", ())
            default = "required" if needed else f"`{json.dumps(field.get('default'))}`"
            about = " ".join(field.get("description", "").split())
            yield f"| `{name}` | {_cell(_kind(field))} | {_cell(default)} | {_cell(about)} |"
        yield ""
    if rubric := _rubric(constraint):
        yield f"The judge is told: {rubric}"
        yield ""
    yield f"Asked for, say, as: {example.instruction}"
    if example.params:
        yield f"With `{json.dumps(dict(example.params), ensure_ascii=False)}`:"
    yield ""
    yield from ("```text", f"passes: {example.passing!r}", f"fails:  {example.failing!r}", "```")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _table(constraints: list[Constraint]) -> Table:
    return Table(
        title=f"{len(constraints)} constraints",
        columns=("id", "benchmark", "group", "decided by", "parameters"),
        rows=tuple(
            (
                one.id,
                one.benchmark,
                one.group,
                method_name(one),
                ", ".join(_properties(one)) or "none",
            )
            for one in constraints
        ),
        notes=("Details and an example: ifbench constraints ID; for tools: --json.",),
    )


def _properties(constraint: Constraint) -> dict[str, Any]:
    """Parameters under the names that records use."""
    return dict(parameter_schema(constraint.params).get("properties", {}))


def _long(constraint: Constraint) -> str:
    example = constraint.example
    schema = parameter_schema(constraint.params)
    return "\n".join(
        [
            f"{constraint.id}  (group {constraint.group}, {method_name(constraint)})",
            f"  {constraint.description}",
            *([f"  the judge is told: {rubric}"] if (rubric := _rubric(constraint)) else ()),
            "  parameters:",
            *(_parameter(name, field, schema) for name, field in _properties(constraint).items()),
            f"  asked for, say, as: {example.instruction}",
            f"  with: {json.dumps(dict(example.params), ensure_ascii=False)}",
            f"  passes: {example.passing!r}",
            f"  fails:  {example.failing!r}",
        ]
    )


def _parameter(name: str, field: dict[str, Any], schema: dict[str, Any]) -> str:
    kind = _kind(field)
    needed = (
        "required" if name in schema.get("required", ()) else f"default {field.get('default')!r}"
    )
    about = f": {' '.join(field['description'].split())}" if "description" in field else ""
    return f"    {name} ({kind}, {needed}){about}"


def _kind(field: dict[str, Any]) -> str:
    if "enum" in field:
        return " | ".join(map(str, field["enum"]))
    kinds = [str(one["type"]) for one in field.get("anyOf", ()) if "type" in one]
    return str(field.get("type") or " or ".join(kinds) or "see --json")
