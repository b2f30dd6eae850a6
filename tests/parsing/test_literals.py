"""Python literals are read, not run."""

from __future__ import annotations

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ifbench.parsing.flaws import Flaw
from ifbench.parsing.literals import (
    MAX_LITERAL_CHARACTERS,
    PythonLiteral,
    joins_strings,
    parse_literal,
)

LITERALS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.binary() | st.floats(allow_nan=False,
    allow_infinity=False),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)  # fmt: skip


@given(LITERALS)
def test_what_python_prints_is_read_back(value: object) -> None:
    found = parse_literal(repr(value))
    assert isinstance(found, PythonLiteral)
    assert found.value == value
    assert type(found.value) is type(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[1, 2]", [1, 2]),
        ("  [1,\n 2]  \n", [1, 2]),
        ("[1, # one\n 2]", [1, 2]),
        ("([1])", [1]),
        ("(1)", 1),
        ("(1,)", (1,)),
        ("1, 2", (1, 2)),
        ("()", ()),
        ("{1, 2}", {1, 2}),
        ("{}", {}),
        ("-1", -1),
        ("[1 + 2j]", [1 + 2j]),
        ("[1_000]", [1000]),
        ("[0x10]", [16]),
        ("'a' \"b\"", "ab"),
        ("'''a\nb'''", "a\nb"),
        (r"['C\C=C']", [r"C\C=C"]),
        ("{'a': 1, 'a': 2}", {"a": 2}),
        ("['日本']", ["日本"]),
    ],
)
def test_literals_are_read(text: str, value: object) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = parse_literal(text)
    assert isinstance(found, PythonLiteral)
    assert found.value == value


FLAWS = [
    ("[true]", "True, False and None", ""),
    ("{'a': null}", "True, False and None", ""),
    ("[a]", "more than literals", ""),
    ("[1 + 1]", "more than literals", ""),
    ("[2 ** 9]", "more than literals", ""),
    ("list((1, 2))", "more than literals", ""),
    ("[x for x in (1, 2)]", "more than literals", ""),
    ("[f'{1}']", "more than literals", ""),
    ("[nan]", "no literal", ""),
    ("__import__('os').system('true')", "more than literals", ""),
    ("[“a”]", "typographic", "“a”"),
    ("[1, 2", "never closed", "[1, 2"),
    ("[1, 2)", "does not match", ")"),
    ("[1 2]", "comma", "1 2"),
    ("{[1]: 2}", "unhashable", ""),
    ("[1] [2]", "more than literals", ""),
    ("[1]\n[2]", "not Python", "[2]"),
    ("[1] # first", "beside", ""),
    ("# here\n[1]", "beside", ""),
    ("- a\n- b", "not Python", ""),
    ("answer = [1]", "assignment", "answer = "),
    ("x: list = [1]", "not Python", ":"),
    ("[1];", "not Python", ";"),
    ("Here is the list: [1]", "not Python", ""),
    ("", "not Python", ""),
    ("[\0]", "null", ""),
    ("['\ud800']", "surrogate", ""),
    ("[" + "9" * 5_000 + "]", "digits", ""),
    ("[" * 100_000, "nested deeper than 200", ""),
    ("[" * 201 + "]" * 201, "nested deeper than 200", ""),
    ("-" * 100_000 + "1", "too deeply", ""),
    ("1" + "+1" * 50_000, "too deeply", ""),
    ("[" + "1," * MAX_LITERAL_CHARACTERS + "]", "more than 1,000,000", ""),
]


@pytest.mark.parametrize(("text", "words", "place"), FLAWS, ids=[text[:20] for text, *_ in FLAWS])
def test_anything_else_is_a_flaw(text: str, words: str, place: str) -> None:
    flaw = parse_literal(text)
    assert isinstance(flaw, Flaw)
    assert words in flaw.reason
    assert len(flaw.reason) < 200
    assert text[flaw.start : flaw.end].startswith(place)


@pytest.mark.parametrize("text", ["answer = [1]", "x=[1]", " größe =\n[1]"])
def test_assignment_can_be_let_pass(text: str) -> None:
    found = parse_literal(text, allow_assignment=True)
    assert isinstance(found, PythonLiteral)
    assert found.value == [1]


@pytest.mark.parametrize("text", ["a.b = [1]", "a == [1]", "a = b = [1]", "2x = [1]"])
def test_only_a_plain_assignment_is_let_pass(text: str) -> None:
    assert isinstance(parse_literal(text, allow_assignment=True), Flaw)


@pytest.mark.parametrize(
    ("text", "joined"),
    [("['a' 'b']", True), ("['a'\n 'b']", True), ("['a', 'b']", False), ("['it''s']", True),
     ("[\"it's\", 'x']", False), ("['a', # x\n 'b']", False)],
)  # fmt: skip
def test_strings_side_by_side_are_noticed(text: str, joined: bool) -> None:
    assert joins_strings(text) is joined


@pytest.mark.parametrize(
    "piece", ["a ", "()", "() ", "True ", "-", "not ", "2**", "lambda:", "1 if 1 else ", "1+", "~"]
)
def test_what_fills_the_parsers_stack_is_no_literal(piece):
    assert isinstance(parse_literal(f"{piece * 8_000}1"), Flaw)
    assert isinstance(parse_literal(f"[{piece * 8_000}1]"), Flaw)
