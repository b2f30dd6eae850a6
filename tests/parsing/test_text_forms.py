"""Typography decides nothing, and places stay places."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ifbench.parsing.text_forms import bare, bare_span, comparable, fold, lowered


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("“a” ‘b’", "\"a\" 'b'"),
        ("a\u00a0b\u2009c\u202fd\u3000e", "a b c d e"),
        ("well\u2011known", "well-known"),
        ("Ａ：（１）", "A:(1)"),
        ("x² µm Å", "x² µm Å"),
        ("a\r\nb", "a \nb"),
    ],
)
def test_folding_knows_quotes_blanks_hyphens_and_full_width(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(st.text())
def test_folding_and_lowering_keep_places(text: str) -> None:
    assert len(fold(text)) == len(text)
    assert len(lowered(text)) == len(text)


@pytest.mark.parametrize(
    ("left", "right"),
    [("Köln", "Ko\u0308ln"), ("A  b\nc", "a b c"), ("clear_sky", "Clear sky"), ("“x”", '"x"')],
)
def test_comparable_forms_of_equal_words_are_equal(left: str, right: str) -> None:
    assert comparable(left) == comparable(right)


@pytest.mark.parametrize(("left", "right"), [("Co", "CO"), ("a", "b"), ("é", "e")])
def test_comparable_forms_keep_accents_and_case_where_asked(left: str, right: str) -> None:
    assert comparable(left, ignore_case=False) != comparable(right, ignore_case=False)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("**Yes.**", "Yes"),
        (" “Yes”. ", "Yes"),
        ("__a__", "a"),
        ("`a`", "a"),
        ("$a$", "a"),
        (r"\(a\)", "a"),
        (r"\boxed{\text{a}}", "a"),
        (r"$$\boxed{a}$$", "a"),
        ("a.", "a"),
        ("**a", "**a"),
        ("a b", "a b"),
        ("(a)", "(a)"),
        ("'", "'"),
        ("**", "**"),
        ("", ""),
        (" . ", ""),
    ],
)
def test_bare_words_have_no_dress(text: str, words: str) -> None:
    assert bare(text) == words


@given(st.text(alphabet="*_`\"'$. \\(){}ab", max_size=40))
def test_bare_span_lies_in_the_text(text: str) -> None:
    start, end = bare_span(text)
    assert 0 <= start <= end <= len(text)
