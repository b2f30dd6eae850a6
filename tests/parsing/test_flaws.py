"""Places are given as offsets into the text, whatever ends its lines."""

from __future__ import annotations

import pytest

from ifbench.parsing.flaws import Flaw, excerpt, offset_of


@pytest.mark.parametrize(
    ("text", "line", "column", "offset"),
    [
        ("abc", 1, 2, 2),
        ("ab\ncd", 2, 1, 4),
        ("ab\r\ncd", 2, 1, 5),
        ("ab\rcd", 2, 0, 3),
        ("ab\n\ncd", 3, 0, 4),
        ("ab", 1, 9, 2),
        ("ab\n", 9, 0, 3),
        ("ab", 2, 0, 2),
        ("", 1, 0, 0),
    ],
)
def test_line_and_column_become_an_offset(text: str, line: int, column: int, offset: int) -> None:
    assert offset_of(text, line, column) == offset


def test_flaw_moves_with_its_text() -> None:
    assert Flaw(reason="x", start=1, end=3).moved(4) == Flaw(reason="x", start=5, end=7)


def test_excerpt_is_one_short_line() -> None:
    assert excerpt("a\n  b\tc") == "a b c"
    assert excerpt("x" * 50) == "x" * 39 + "…"
