"""A schema is checked when it is loaded, and never leads to the network."""

from __future__ import annotations

import pytest

from ifbench.keys import canonical_json
from ifbench.parsing.json_schemas import check_schema, schema_violation


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "objekt"}, "objekt"),
        ({"properties": {"a": {"minimum": "1"}}}, r"\$.properties.a.minimum"),
        ({"pattern": "(["}, "regex"),
        ({"$ref": "https://example.org/schema.json"}, "outside"),
        ({"properties": {"a": {"$ref": "other.json#/a"}}}, "outside"),
        ({"$ref": "#/$defs/none"}, "names nothing"),
        ({"$ref": "#"}, "without end"),
        ({"allOf": [{"$ref": "#"}]}, "without end"),
    ],
)
def test_unusable_schema_is_refused(schema: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        check_schema(schema)


TREE = {
    "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}},
    "$ref": "#/$defs/node",
}


@pytest.mark.parametrize(
    ("value", "schema", "words"),
    [
        ({"a": 1}, {"required": ["a"]}, ""),
        ({"b": 1}, {"required": ["a"]}, "at $: 'a' is a required property"),
        ({"a": "1"}, {"properties": {"a": {"type": "number"}}}, "at $.a: '1' is not of type"),
        ({"a": 1.0}, {"properties": {"a": {"type": "integer"}}}, ""),
        ({"a": True}, {"properties": {"a": {"type": "integer"}}}, "not of type"),
        ([1, 1], {"uniqueItems": True}, "non-unique"),
        ([1, "x"], {"prefixItems": [{"type": "integer"}, {"type": "string"}]}, ""),
        ({"next": {"next": {}}}, TREE, ""),
        ({"next": {"next": 1}}, TREE, "at $.next.next"),
    ],
)
def test_first_breach_is_told_with_its_path(
    value: object, schema: dict[str, object], words: str
) -> None:
    check_schema(schema)
    found = schema_violation(value, canonical_json(schema))
    assert words in found
    assert bool(words) is bool(found)
