"""JSON is read strictly, and a flaw names the mistake and its place."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ifbench.keys import canonical_json
from ifbench.parsing.flaws import Flaw
from ifbench.parsing.json_text import JsonText, parse_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)  # fmt: skip


@given(VALUES)
def test_what_is_written_as_json_is_read_back(value: object) -> None:
    assert parse_json(canonical_json(value)) == JsonText(value=value)


@pytest.mark.parametrize(
    "text",
    ["null", "0", '""', " {}\n", '{"a": 1e5}', '"C\\\\C=C"', '{"a": "x", "A": "y"}', '"\\ud800"',
     '{"a": {"b": 1}, "c": {"b": 2}}', '"NaN"', '"a\u2028b"', "-0", "1E+2"],
)  # fmt: skip
def test_valid_json_is_read(text: str) -> None:
    assert isinstance(parse_json(text), JsonText)


FLAWS = [
    ("{'a': 1}", "double quotes", "'a'"),
    ('{"a": 1,}', "comma", "}"),
    ("[1, 2,]", "comma", "]"),
    ('{"a": NaN}', "NaN", "NaN"),
    ('{"a": "NaN", "b": Infinity}', "Infinity", "Infinity"),
    ('{"a": -Infinity}', "-Infinity", "-Infinity"),
    ('{"a": 1, "b": 2, "a": 3}', "“a” stands twice", '"a":'),
    ('{"x": {"a": 1, "a": 1}}', "“a” stands twice", '"a":'),
    ('{"a": True}', "true, false and null", "True"),
    ('{"a": None}', "true, false and null", "None"),
    ('{"a": 1} // note', "more follows", "// note"),
    ('{"a": 1 // note\n}', "no comments", "// note"),
    ('{"a": 1 /* note */}', "no comments", "/* note"),
    ("{“a”: 1}", "typographic", "“a”"),
    ('{"a": 1}{"b": 2}', "more follows", '{"b": 2}'),
    ('{"a": 1}\n{"b": 2}', "more follows", '{"b": 2}'),
    ('{"a": "x\ny"}', "line break", "\n"),
    ('{"a": "x\ty"}', "tab", "\t"),
    ('{"a": "C\\C=C"}', "backslash", "\\C"),
    ("{a: 1}", "names need double quotes", "a:"),
    ('{"a": .5}', "digit", ".5"),
    ('{"a": +5}', "digit", "+5"),
    ('{"a": undefined}', "no such value", "undefined"),
    ('{"a": 01}', "delimiter", "1}"),
    ('{"a" 1}', "delimiter", "1}"),
    ('{"a": 1', "before it is complete", ""),
    ('{"a": "x', "before it is complete", '"x'),
    ("", "before it is complete", ""),
    ("   ", "before it is complete", ""),
    ("The answer", "expecting value", "The answer"),
    ("\ufeff{}", "BOM", "\ufeff"),
]


@pytest.mark.parametrize(("text", "words", "place"), FLAWS)
def test_flaw_names_the_mistake_and_its_place(text: str, words: str, place: str) -> None:
    flaw = parse_json(text)
    assert isinstance(flaw, Flaw)
    assert words in flaw.reason
    assert text[flaw.start : flaw.end].startswith(place)


def test_repeated_names_can_be_let_pass() -> None:
    assert parse_json('{"a": 1, "a": 2}', unique_keys=False) == JsonText(value={"a": 2})


def test_names_are_told_apart_after_their_escapes_are_read() -> None:
    flaw = parse_json('{"a": 1, "\\u0061": 2}')
    assert isinstance(flaw, Flaw)
    assert "stands twice" in flaw.reason


def test_numbers_of_any_length_are_json() -> None:
    assert parse_json("9" * 3_000) == JsonText(value=int("9" * 3_000))
    found = parse_json("[" + "9" * 5_000 + "]")
    assert isinstance(found, JsonText)
    assert found.value == [math.inf]
    assert isinstance(parse_json('{"a": 1, "a": ' + "9" * 5_000 + "}"), Flaw)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "[" * 201 + "]" * 201])
def test_deep_nesting_is_a_flaw(text: str) -> None:
    flaw = parse_json(text)
    assert isinstance(flaw, Flaw)
    assert "nested deeper than 200" in flaw.reason
