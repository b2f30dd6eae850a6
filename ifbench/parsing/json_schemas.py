"""JSON Schema 2020-12, without the network: a schema may refer only to itself.

The library takes a second to import, so that happens with the first schema.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ifbench.parsing.flaws import excerpt

if TYPE_CHECKING:
    from jsonschema.protocols import Validator


def check_schema(schema: Mapping[str, Any]) -> None:
    """Raise `ValueError` unless this is a schema whose references and patterns all work."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    try:
        Draft202012Validator.check_schema(
            schema, format_checker=Draft202012Validator.FORMAT_CHECKER
        )
    except SchemaError as error:
        raise ValueError(f"schema: {error.message} at {error.json_path}") from error
    _check_references(schema)
    try:
        _new_validator(schema).is_valid({})
    except RecursionError:
        raise ValueError("schema: a reference leads back to itself without end") from None


def schema_violation(value: Any, schema: str) -> str:
    """The first breach of a schema (given as JSON text) in words; empty where there is none."""
    for error in _validator(schema).iter_errors(value):
        return f"against the schema at {error.json_path}: {excerpt(error.message, 160)}"
    return ""


def _check_references(schema: Mapping[str, Any]) -> None:
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import DRAFT202012

    resolver = REGISTRY.resolver_with_root(DRAFT202012.create_resource(schema))
    for reference in _references(schema):
        if not reference.startswith("#"):
            raise ValueError(f"schema: $ref “{reference}” leads outside the schema")
        try:
            resolver.lookup(reference)
        except Unresolvable as error:
            raise ValueError(f"schema: $ref “{reference}” names nothing") from error


@lru_cache(maxsize=256)
def _validator(schema: str) -> Validator:
    return _new_validator(json.loads(schema))


def _new_validator(schema: Mapping[str, Any]) -> Validator:
    from jsonschema import Draft202012Validator
    from jsonschema_specifications import REGISTRY

    # The library's default registry fetches what a reference names; this one never does.
    return Draft202012Validator(schema, registry=REGISTRY)


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, Mapping):
        for key, value in schema.items():
            if key in {"$ref", "$dynamicRef"} and isinstance(value, str):
                yield value
            else:
                yield from _references(value)
    elif isinstance(schema, list | tuple):
        for value in schema:
            yield from _references(value)
