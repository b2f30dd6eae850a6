"""What the parameters of a constraint mean, for its reference: the texts below the fields.

Pydantic could take them in with the class (`use_attribute_docstrings`), but it reads and parses
the source of each class for it, in every process that only wants to check an answer.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from ifbench.constraints.constraint import Params


def parameter_schema(params: type[Params]) -> dict[str, Any]:
    """The JSON Schema of a constraint's parameters, each with the text that stands below it."""
    schema = params.model_json_schema()
    inner = schema.get("$defs", {})
    for kind in _all_kinds(Params):
        if kind is params:
            _describe(schema, _texts(kind))
        elif kind.__name__ in inner:
            _describe(inner[kind.__name__], _texts(kind))
    return schema


def _all_kinds(base: type[Params]) -> Iterator[type[Params]]:
    yield base
    for kind in base.__subclasses__():
        yield from _all_kinds(kind)


def _describe(schema: dict[str, Any], texts: Mapping[str, str]) -> None:
    for name, field in schema.get("properties", {}).items():
        if name in texts:
            field.setdefault("description", texts[name])


def _texts(kind: type[Params]) -> dict[str, str]:
    """The text below each field, by the name that records use; a subclass may write one anew."""
    texts: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if issubclass(base, Params) and base is not Params:
            texts |= _own_texts(base)
    return {kind.model_fields[name].alias or name: text for name, text in texts.items()}


def _own_texts(kind: type[Params]) -> dict[str, str]:
    """Raises OSError where the source is not there, as in a zipped package."""
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(definition, ast.ClassDef)
    body = definition.body
    return {
        field.target.id: inspect.cleandoc(below.value.value)
        for field, below in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
        and isinstance(below.value.value, str)
    }
