"""Collections that are read without a syntax tree are what Python makes of them."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ifbench.parsing.plain_literals import MAX_DEPTH, NotPlainError, read_plain

_PIECES = (
    "true", "NaN", "1e400", "-0", "1E5", '"', "'",
    "[", "]", "(", ")", "{", "}", "[", "]", ",", ", ", ":", ": ", " ", "\n", "1", "-1", "0", "1.5",
    "-0.0", "1e5", "'a'", '"b"', "''", "True", "None", "'é'", "()", "[]", "{}", "(1,)", "'a': 1",
    "01", "1.", "1_0", "0x1", "+1", "- 1", "2j", "'''", "b''", "null", "x", "\\", "#", "\r", "'\\n'",
    "\x0c", "\xa0", "'\ud800'", "'a('", "')'", "(1, 2)", "((1, 2), 'b')", "'k': (1, 2)",
)  # fmt: skip


@given(
    st.lists(st.sampled_from(_PIECES), max_size=12).map("".join),
    st.sampled_from(("[]", "()", "{}", "[(]", "{1:}", "")),
)
def test_what_is_plain_is_read_as_python_reads_it(inner: str, around: str) -> None:
    source = f"{around[: len(around) // 2]}{inner}{around[len(around) // 2 :]}"
    try:
        value = read_plain(source)
    except NotPlainError:
        return
    assert repr(value) == repr(ast.literal_eval(source))


@given(
    st.lists(st.sampled_from(_PIECES), max_size=12).map("".join),
    st.sampled_from(("[]", "()", "{}")),
)
def test_what_json_reads_as_well_is_read_as_python_reads_it(inner: str, around: str) -> None:
    long = "'" + 90 * "a" + "'" + (": 1, " if around == "{}" else ", ")
    source = f"{around[0]}{long}{inner}{around[1]}"
    try:
        value = read_plain(source)
    except NotPlainError:
        return
    assert repr(value) == repr(ast.literal_eval(source))


@pytest.mark.parametrize(
    "source",
    ["[1, -2.5, 1e3]", "[" * 150 + "]" * 150, "(1, {'a': 'b'})", '[1, "it\'s"]', "['a(', 1]", "('S-01', 8.05)", "{'a': {'b': [True, None]}, 'a': ()}", '["é",\n "",]', "(1,)",
     f"[('{60 * 'a'}', 1), ('b', (2, 3))]", f"{{'{60 * 'a'}': (1, 2), 'b': [(3, 4), ()]}}"],
)  # fmt: skip
def test_common_collections_are_plain(source: str) -> None:
    assert repr(read_plain(source)) == repr(ast.literal_eval(source))


@pytest.mark.parametrize(
    "source",
    ["1", "'a'", "(1)", "[(1)]", "{1, 2}", "{[1]: 2}", "['a' 'b']", r"['\n']", "[1 + 2]", "[x]", "[01]",
     "[1]]", "[1", "[1)", "[,]", "{'a'}", "{'a': }", "[1] # one", "['\ud800']", "[1]*3", "", "x = [1]",
     f"[('{90 * 'a'}'), 1]", f"[('{90 * 'a'}', 1], (2, 3)]", f"('{90 * 'a'}', 1]", f"['{90 * 'a'}', 1)",
     "[" * (MAX_DEPTH + 1) + "()" + "]" * (MAX_DEPTH + 1)],
)  # fmt: skip
def test_the_rest_is_left_to_python(source: str) -> None:
    with pytest.raises(NotPlainError):
        read_plain(source)
