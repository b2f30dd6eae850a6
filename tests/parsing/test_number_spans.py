"""Spans whose numbers have one role: what stands elsewhere in a text does not bear on them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ifbench.parsing.number_spans import special_spans
from ifbench.parsing.numbers import quantities_in

# One of each kind of span, so that no kind is passed over for want of its mark.
_ALL_KINDS = '\n^{a} _{b} <sup>c</sup> <SUB>d</SUB> https://e.f \\tag{g} \\sqrt[h]{i} \\frac{1}{2} j a id="k"\n'
_PIECES = (
    "^", "_", "{", "}", "(", ")", " ", "\t", "\n", "x", ")", "12", "2.50", "<sup>", "</sup>", "<Sub>",
    "</Sub>", "\\begin{", "\\end{", "\\color{red!", "\\hspace*{", "\\tag{", "\\cite{", "\\\\[", "]",
    "\\sqrt", "[", "\\frac", "{1}", "{2}", "id=", '"', "'", "www.", "10.1234/", "doi:", "→", "H2O", "  ",
)  # fmt: skip


@given(st.lists(st.sampled_from(_PIECES), max_size=12).map("".join))
def test_a_kind_of_span_is_found_whatever_else_the_text_holds(text: str) -> None:
    alone = special_spans(text + "\n}")
    beside = special_spans(text + "\n}" + _ALL_KINDS)
    assert alone == [span for span in beside if span[0] <= len(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x_(12) = 5.00", ["5.00"]),
        ("(x)_(12) = 5.00", ["5.00"]),
        ("x^ (12) = 5.00", ["5.00"]),
        ("x^(12) = 5.00", ["5.00"]),
        ("a mass _(of 12.5 g)_ is 5.00", ["12.5", "5.00"]),
        ("y^{2}, a mass _(of 12.5 g)_ is 5.00", ["12.5", "5.00"]),
        (r"{\color{red!20} 5.00}", ["5.00"]),
        (r"\hspace*{2em} 5.00", ["5.00"]),
        (r"\begin{array2} 5.00 \end{array2}", ["5.00"]),
        ("10<Sup>2 or 3</Sup> 5.00", ["10", "5.00"]),
    ],
)
def test_digits_of_markup_are_no_quantities(text: str, expected: list[str]) -> None:
    assert [text[number.start : number.end] for number in quantities_in(text)] == expected
