"""JSON, Python literals and CSV: what passes, what fails, and the near misses between."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from ifbench.constraints import all_constraints
from ifbench.constraints.constraint import Check, decide
from ifbench.types import Outcome


def check(name: str, text: str, **params: Any) -> Check:
    constraint = all_constraints()[f"general:{name}"]
    return decide(constraint, text, constraint.params.model_validate(params))


def verdict(name: str, text: str, params: dict[str, Any]) -> bool:
    found = check(name, text, **params)
    assert found.outcome is not Outcome.UNDECIDED
    assert found.reason
    for place in found.evidence:
        quoted = text[place.start : place.end]
        assert quoted
        assert quoted.startswith(place.text.removesuffix("…"))
    return found.outcome is Outcome.PASS


EMBEDDED = {"scope": "embedded"}

# ── JSON ─────────────────────────────────────────────────────────────────────────────

SCHEMA = {
    "schema": {
        "type": "object",
        "properties": {"mass": {"type": "number", "exclusiveMinimum": 0}},
        "required": ["mass"],
    }
}

JSON: list[tuple[str, dict[str, Any], bool]] = [
    ('{"mass": 7.400}', {}, True),
    ("{}", {}, True),
    ('\n {"a": [1, {"b": null}]} \n', {}, True),
    ('```json\n{"a": 1}\n```', {}, True),
    ('```\n{"a": 1}\n```', {}, True),
    ('~~~\n{"a": "```"}\n~~~', {}, True),
    ('{"smiles": "C\\\\C=C\\\\C"}', {}, True),
    ('{"smiles": "C\\C=C"}', {}, False),
    ("{'mass': 7.4}", {}, False),
    ('{"a": 1,}', {}, False),
    ('{"a": NaN}', {}, False),
    ('{"a": Infinity}', {}, False),
    ('{"a": True}', {}, False),
    ('{"a": 1, "a": 2}', {}, False),
    ('{"a": {"b": 1, "b": 1}}', {}, False),
    ('{"a": 1} {"b": 2}', {}, False),
    ('{"a": 1}\n// done', {}, False),
    ('{"a": "x\ny"}', {}, False),
    ("{“a”: 1}", {}, False),
    ('{"a": 1', {}, False),
    ('```json\n{"a": 1}', {}, False),
    ('Here is your JSON: {"a": 1}', {}, False),
    ('{"a": 1} Hope this helps!', {}, False),
    ('Here:\n```json\n{"a": 1}\n```', {}, False),
    ('```json\n{"a": 1}\n```\n```json\n{"b": 2}\n```', {}, False),
    ('json\n{"a": 1}', {}, False),
    ("[1, 2]", {}, False),
    ('"text"', {}, False),
    ("42", {}, False),
    ("null", {}, False),
    ("[" * 100_000, {}, False),
    ('{"a":' * 100_000, {}, False),
    ('```json\n{"a": 1}\n```', {"allow_fence": False}, False),
    ('{"a": 1}', {"allow_fence": False}, True),
    ("[1, 2]", {"top_level": "array"}, True),
    ('{"a": 1}', {"top_level": "array"}, False),
    ("[1, 2]", {"top_level": "any"}, True),
    ("42", {"top_level": "any"}, True),
    ("null", {"top_level": "any"}, True),
    ("forty-two", {"top_level": "any"}, False),
    ('{"a": 1, "b": 2}', {"required_keys": ["a"]}, True),
    ('{"A": 1}', {"required_keys": ["a"]}, False),
    ('{"x": {"a": 1}}', {"required_keys": ["a"]}, False),
    ('{"a": null}', {"required_keys": ["a"]}, True),
    ('{"a": 1}', {"required_keys": ["a"], "extra_keys": False}, True),
    ('{"a": 1, "b": 2}', {"required_keys": ["a"], "extra_keys": False}, False),
    ('[{"a": 1}, {"a": 2}]', {"top_level": "array", "required_keys": ["a"]}, True),
    ('[{"a": 1}, {"b": 2}]', {"top_level": "array", "required_keys": ["a"]}, False),
    ("[1]", {"top_level": "array", "required_keys": ["a"]}, False),
    ('{"a": 1, "a": 2}', {"unique_keys": False}, True),
    ("[1, 2]", {"top_level": "array", "length": 2}, True),
    ("[1, 2, 3]", {"top_level": "array", "length": 2}, False),
    ("{}", {"length": 0}, True),
    ('{"a": 1}', {"length": 0}, False),
    ("42", {"top_level": "any", "length": 1}, False),
    ('{"mass": 1}', SCHEMA, True),
    ('{"mass": 0}', SCHEMA, False),
    ('{"mass": "1"}', SCHEMA, False),
    ('{"Mass": 1}', SCHEMA, False),
    ('The answer is {"a": 1}, as asked.', EMBEDDED, True),
    ('It\'s {x: 1} or {"a": 1}', EMBEDDED, True),
    (r'With \frac{a}{b}: {"a": 1}', EMBEDDED, True),
    ('A\n```json\n{"a": 1}\n```\nB', EMBEDDED, True),
    ('{"a": 1}\n```json\n{"a": 1,}\n```', EMBEDDED, False),
    ("no object here", EMBEDDED, False),
    ("{", EMBEDDED, False),
    ("[1, 2]", EMBEDDED, False),
]


@pytest.mark.parametrize(
    ("text", "params", "passes"), JSON, ids=[f"{i}-{row[0][:20]}" for i, row in enumerate(JSON)]
)
def test_json_is_strict_and_alone(text: str, params: dict[str, Any], passes: bool) -> None:
    assert verdict("json_constraint", text, params) is passes


@pytest.mark.parametrize(
    ("text", "params", "words"),
    [
        ("{'a': 1}", {}, "not a JSON object: "),
        ("{'a': 1}", {}, "strings need double quotes"),
        ("[1]", {}, "the top level is an array, not an object"),
        ("null", {}, "the top level is null"),
        ('{"a": 1}', {"required_keys": ["b", "c"]}, "these keys are missing: “b”, “c”"),
        (
            '[{"b": 1}, {}]',
            {"top_level": "array", "required_keys": ["b"]},
            "missing in element 2: “b”",
        ),
        (
            '{"a": 1, "b": 1}',
            {"required_keys": ["a"], "extra_keys": False},
            "these keys were not asked for: “b”",
        ),
        ("[1]", {"top_level": "array", "length": 2}, "it holds 1 element, not 2"),
        ('{"mass": 0}', SCHEMA, "against the schema at $.mass: 0 is less than"),
        ('Sure! {"a": 1}', {}, "text stands before a JSON object: “Sure!”"),
        ('{"a": 1} Bye.', {}, "text stands after a JSON object: “Bye.”"),
        ('Sure!\n```json\n{"a": 1}\n```\nBye.', {}, "text stands before a JSON object: “Sure!”"),
        (
            '```json\n{}\n```\n```json\n{"a": 1}\n```',
            EMBEDDED,
            "the last of 2 fenced blocks was read",
        ),
    ],
)
def test_json_reason_can_be_acted_on(text: str, params: dict[str, Any], words: str) -> None:
    assert words in check("json_constraint", text, **params).reason


def test_evidence_shows_the_place_of_the_mistake() -> None:
    text = '```json\n{"a": 1, "a": 2}\n```'
    (place,) = check("json_constraint", text).evidence
    assert (place.start, text[place.start : place.end]) == (text.rindex('"a"'), '"a":')
    (before,) = check("json_constraint", 'Well, well.\n{"a": 1}').evidence
    assert before.text == "Well, well."


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"schema": {"type": "objekt"}}, "objekt"),
        ({"schema": {"$ref": "http://localhost/schema"}}, "outside"),
        ({"schema": {"properties": {"a": {"pattern": "("}}}}, "regex"),
        ({"extra_keys": False}, "required_keys"),
        ({"length": -1}, "length"),
        ({"top_level": "list"}, "top_level"),
        ({"required": ["a"]}, "required"),
    ],
)
def test_json_params_are_checked_at_load(params: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        all_constraints()["general:json_constraint"].params.model_validate(params)


def test_schema_survives_the_way_through_json() -> None:
    kind = all_constraints()["general:json_constraint"].params
    params = kind.model_validate(SCHEMA)
    assert kind.model_validate_json(params.model_dump_json()) == params


# ── Python literals ──────────────────────────────────────────────────────────────────

LISTS: list[tuple[str, dict[str, Any], bool]] = [
    ("[1, 2.5, 'a', None, True]", {}, True),
    ("[]", {}, True),
    ("```python\n[1, 2]\n```", {}, True),
    ("[\n  1,\n  2,\n]", {}, True),
    ("([1])", {}, True),
    ("[1, 2", {}, False),
    ("- a\n- b", {}, False),
    ("1. a\n2. b", {}, False),
    ("a, b", {}, False),
    ("(1, 2)", {}, False),
    ("{1, 2}", {}, False),
    ("'[1, 2]'", {}, False),
    ("[true, null]", {}, False),
    ("[a, b]", {}, False),
    ("[“a”]", {}, False),
    ("list((1, 2))", {}, False),
    ("[1] + [2]", {}, False),
    ("[x for x in (1, 2)]", {}, False),
    ("[1, 2] # two", {}, False),
    ("The list is [1, 2].", {}, False),
    ("[1]\n[2]", {}, False),
    ("[" * 100_000, {}, False),
    ("[1, 2]", {"length": 2}, True),
    ("['a' 'b']", {"length": 2}, False),
    ("[[1, 2]]", {"length": 2}, False),
    ("[]", {"length": 0}, True),
    ("[1]", {"length": 0}, False),
    ("[1, 2]", {"min_length": 2}, True),
    ("[1]", {"min_length": 2}, False),
    ("['a', 'b']", {"element_type": "str"}, True),
    ("['a', 1]", {"element_type": "str"}, False),
    ("[1, 2.0]", {"element_type": "number"}, True),
    ("[1, True]", {"element_type": "number"}, False),
    ("[1, True]", {"element_type": "int"}, False),
    ("[1, 2.0]", {"element_type": "int"}, False),
    ("[[1], [2]]", {"element_type": "list"}, True),
    ("[]", {"element_type": "str"}, True),
    ("answer = [1]", {}, False),
    ("answer = [1]", {"allow_assignment": True}, True),
    ("```python\n[1]\n```", {"allow_fence": False}, False),
    ("It is [1, 2], I think.", EMBEDDED, True),
    ("See [a] and [1].", EMBEDDED, True),
    ("A\n```python\n[1]\n```", EMBEDDED, True),
    ("[1]\n```python\nx = 1\n```", EMBEDDED, False),
    ("[see above]", EMBEDDED, False),
]


@pytest.mark.parametrize(
    ("text", "params", "passes"), LISTS, ids=[f"{i}-{row[0][:20]}" for i, row in enumerate(LISTS)]
)
def test_list_is_a_literal_and_alone(text: str, params: dict[str, Any], passes: bool) -> None:
    assert verdict("list_constraint", text, params) is passes


TUPLES: list[tuple[str, dict[str, Any], bool]] = [
    ("(1, 2)", {}, True),
    ("(1,)", {}, True),
    ("()", {}, True),
    ("1, 2", {}, True),  # Python's tuple is made by the comma, not by the brackets.
    ("('a', (1, 2))", {}, True),
    ("```python\n(1, 2)\n```", {}, True),
    ("(1)", {}, False),
    ("('a')", {}, False),
    ("('a' 'b')", {}, False),
    ("[1, 2]", {}, False),
    ("tuple([1, 2])", {}, False),
    ("(1, 2", {}, False),
    ("(a, b)", {}, False),
    ("(1, 2).", {}, False),
    ("The pair (1, 2)", {}, False),
    ("(1, 2)", {"length": 2}, True),
    ("((1, 2))", {"length": 2}, True),
    ("((1, 2),)", {"length": 2}, False),
    ("point = (1, 2)", {"allow_assignment": True}, True),
    ("The pair (1, 2) it is", EMBEDDED, True),
    ("The pair (as said) it is", EMBEDDED, False),
]


@pytest.mark.parametrize(("text", "params", "passes"), TUPLES)
def test_tuple_is_a_literal_and_alone(text: str, params: dict[str, Any], passes: bool) -> None:
    assert verdict("tuple_constraint", text, params) is passes


DICTIONARIES: list[tuple[str, dict[str, Any], bool]] = [
    ("{'a': 1}", {}, True),
    ('{"a": 1}', {}, True),
    ("{}", {}, True),
    ("{1: 'a', (1, 2): 'b'}", {}, True),
    ("{'a': {'b': [1, None]}}", {}, True),
    ("{'stable': True}", {}, True),
    ('{"stable": true}', {}, False),
    ('{"a": null}', {}, False),
    ("{1, 2}", {}, False),
    ("{a: 1}", {}, False),
    ("dict(a=1)", {}, False),
    ("{'a': 1", {}, False),
    ("{[1]: 2}", {}, False),
    ("'a': 1", {}, False),
    ("[{'a': 1}]", {}, False),
    ("{'a': 1}\nDone.", {}, False),
    ("{'a': 1, 'b': 2}", {"length": 2}, True),
    ("{'a': 1, 'a': 2}", {"length": 2}, False),
    ("{'a': 1, 'b': 2}", {"element_type": "int"}, True),
    ("{'a': 1, 'b': '2'}", {"element_type": "int"}, False),
    ("It is {'a': 1}.", EMBEDDED, True),
    ("A set {1, 2}, a dict {'a': 1}.", EMBEDDED, True),
    ("A set {1, 2}.", EMBEDDED, False),
]


@pytest.mark.parametrize(("text", "params", "passes"), DICTIONARIES)
def test_dictionary_is_a_literal_and_alone(text: str, params: dict[str, Any], passes: bool) -> None:
    assert verdict("dictionary_constraint", text, params) is passes


@pytest.mark.parametrize(
    ("name", "text", "params", "words"),
    [
        ("list", "(1, 2)", {}, "not a Python list: it is of the type tuple"),
        ("tuple", "[(1, 2), (3, 4)]", {}, "it is of the type list"),
        ("tuple", "(1)", {}, "it is of the type int (a tuple of one element ends with a comma)"),
        ("dictionary", "{1, 2}", {}, "it is of the type set"),
        ("list", "['a' 'b']", {"length": 2}, "it holds 1 element, not 2 (two strings side by side"),
        ("list", "[1]", {"min_length": 2}, "it holds 1 element, fewer than 2"),
        ("list", "[1, 'a']", {"element_type": "int"}, "element 2 ('a') is not of the type int"),
        ("list", "[true]", {}, "Python writes True, False and None"),
        ("list", "Sure: [1]", {}, "text stands before a Python list: “Sure:”"),
        ("list", "x = [1]", {}, "text stands before a Python list: “x =”"),
        ("list", "```python\n[1]\n```", {"allow_fence": False}, "a code fence stands around"),
    ],
)
def test_literal_reason_can_be_acted_on(
    name: str, text: str, params: dict[str, Any], words: str
) -> None:
    assert words in check(f"{name}_constraint", text, **params).reason


def test_literal_params_are_checked_at_load() -> None:
    kind = all_constraints()["general:list_constraint"].params
    for params in ({"length": 1, "min_length": 2}, {"element_type": "string"}, {"length": -1}):
        with pytest.raises(ValidationError):
            kind.model_validate(params)


# ── CSV ──────────────────────────────────────────────────────────────────────────────

HEADER = {"header": ["a", "b"]}

CSV: list[tuple[str, dict[str, Any], bool]] = [
    ("a,b\n1,2", {}, True),
    ("a,b\r\n1,2\r\n", {}, True),
    ("\n\na,b\n1,2\n\n\n", {}, True),
    ('a,b\n"x, y",2', {}, True),
    ('a,b\n"x\ny",2', {}, True),
    ('a,b\n"say ""x""",2', {}, True),
    ("a,b\n1,", {}, True),
    ("```csv\na,b\n1,2\n```", {}, True),
    ("a,b", {}, False),
    ("Yes, this is a sentence.", {}, False),
    ("a\n1\n2", {}, False),
    ("a,b\n1", {}, False),
    ("a,b\n1,2,3", {}, False),
    ("a,b\n\n1,2", {}, False),
    ('a,b\n"1,2', {}, False),
    ('a,b\n"1"x,2', {}, False),
    ('a,b\n1, "x, y"', {}, False),
    ("a;b\n1;2", {}, False),
    ("| a | b |\n|---|---|\n| 1 | 2 |", {}, False),
    ("Here is the CSV:\na,b\n1,2", {}, False),
    ("a,b\n1,2\n\nHope this helps!", {}, False),
    ("a,b\n1,234\n2,5,6", {}, False),
    ("```csv\na,b\n1,2\n```", {"allow_fence": False}, False),
    ("a;b\n1;2,5", {"delimiter": ";"}, True),
    ("a\tb\n1\t", {"delimiter": "\t"}, True),
    ("a,b\n1,2", HEADER, True),
    (" a , b\n1,2", HEADER, True),
    ("A,b\n1,2", HEADER, False),
    ("b,a\n1,2", HEADER, False),
    ("1,2\n3,4", HEADER, False),
    ("a,b\n1,2\n3,4", {"rows": 3}, True),
    ("a,b\n1,2\n3,4\n\n", {"rows": 3}, True),
    ("a,b\n1,2\n3,4", {"rows": 2}, False),
    ("a,b\n1,2\n3,4", {"rows": 2, **HEADER}, True),
    ("a,b\n1,2", {"rows": 2, **HEADER}, False),
    ("a,b\n1,2", {"columns": 2}, True),
    ("a,b\n1,2", {"columns": 3}, False),
    ("a\n1", {"columns": 1}, True),
    ('"a","b"\n"1","2"', {"quote_all": True}, True),
    ('"a","b"\n"x\n""y""",""', {"quote_all": True}, True),
    ('"a","b"\n1,"2"', {"quote_all": True}, False),
    ('"a","b"\n"1",', {"quote_all": True}, False),
    ("The table:\n\na,b\n1,2\n\nDone, well.", EMBEDDED, True),
    ("The table:\n```csv\na,b\n1,2\n```\n", EMBEDDED, True),
    ("The table:\n```csv\na,b\n1\n```\n", EMBEDDED, False),
    ("No table, sorry.", EMBEDDED, False),
]


@pytest.mark.parametrize(("text", "params", "passes"), CSV)
def test_csv_is_rectangular_and_alone(text: str, params: dict[str, Any], passes: bool) -> None:
    assert verdict("csv_constraint", text, params) is passes


@pytest.mark.parametrize(
    ("text", "params", "words"),
    [
        ("a,b\n1", {}, "not CSV: line 2 has 1 field, not 2"),
        ("a,b\n\n1,2", {}, "line 2 is blank"),
        ('a,b\n"1,2', {}, "a quote is opened and never closed"),
        ('a,b\n1, "x, y"', {}, "a blank before an opening quote?"),
        ("a,b", {}, "at least one row"),
        ("a b\n1 2", {}, "not split by “,”"),
        ("a,b\n1,2", {"header": ["a", "c"]}, "the header is “a”, “b”, not “a”, “c”"),
        ("a,b\n1,2", {"rows": 3, **HEADER}, "it holds 1 row beside the header, not 3"),
        ('"a","b"\n"1",2', {"quote_all": True}, "line 2 has a field outside quotes"),
        ("Here:\n\na,b\n1,2", {}, "text stands before CSV: “Here:”"),
    ],
)
def test_csv_reason_can_be_acted_on(text: str, params: dict[str, Any], words: str) -> None:
    assert words in check("csv_constraint", text, **params).reason


@pytest.mark.parametrize(
    "params",
    [{"delimiter": '"'}, {"delimiter": "\n"}, {"delimiter": ";;"}, {"delimiter": ""},
     {"columns": 3, **HEADER}, {"rows": 0}, {"quoted": True}],
)  # fmt: skip
def test_csv_params_are_checked_at_load(params: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        all_constraints()["general:csv_constraint"].params.model_validate(params)
