"""Depth and balance are counted outside strings."""

from __future__ import annotations

import pytest

from ifbench.parsing.brackets import balanced_spans, nests_too_deeply


@pytest.mark.parametrize(
    ("text", "is_too_deep"),
    [
        ("[" * 200 + "]" * 200, False),
        ("[" * 201 + "]" * 201, True),
        ("[" * 100_000, True),
        ("[]" * 5_000, False),
        ('"' + "[" * 5_000 + '"', False),
        ("'" + "(" * 5_000 + "'", False),
        ('"""' + "[" * 5_000 + '"""', False),
        (r'"\"' + "[" * 5_000 + '"', False),
        ("({[" * 70, True),
        ("", False),
    ],
)
def test_depth_is_counted_outside_strings(text: str, is_too_deep: bool) -> None:
    assert nests_too_deeply(text) is is_too_deep


@pytest.mark.parametrize(
    ("text", "openings", "spans"),
    [
        ('a {"b": 1} c', "{", ['{"b": 1}']),
        ('it\'s {"b": "}"} c', "{", ['{"b": "}"}']),
        ("{1} {2}", "{", ["{1}", "{2}"]),
        ("{ {1}", "{", ["{1}"]),
        ("[1, (2]) (3, 4)", "(", ["(3, 4)"]),
        ("[[1], [2]]", "[", ["[[1], [2]]"]),
        ("x [1] {2}", "{[", ["[1]", "{2}"]),
        (r'{"a": "\"}"}', "{", [r'{"a": "\"}"}']),
        ("no bracket", "{", []),
        ("}{", "{", []),
    ],
)
def test_balanced_spans_are_found_in_running_text(
    text: str, openings: str, spans: list[str]
) -> None:
    assert [text[start:end] for start, end in balanced_spans(text, openings)] == spans


def test_row_of_openings_is_given_up_early() -> None:
    assert list(balanced_spans("[" * 300_000, "[")) == []
