"""Boxes: nested, unclosed, escaped, and of any pair of marks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ifbench.parsing.boxes import boxes_in


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        (r"\boxed{5}", ["5"]),
        (r"\fbox{5}", ["5"]),
        (r"\boxed {5}", ["5"]),
        (r"\boxed{\frac{1}{2}}", [r"\frac{1}{2}"]),
        (r"\boxed{\{1, 2\}}", [r"\{1, 2\}"]),
        (r"\boxed{a \} b}", [r"a \} b"]),
        (r"\boxed{4} or \boxed{5}", ["4", "5"]),
        (r"\boxed{\fbox{5}}", [r"\fbox{5}", "5"]),
        (r"\boxed{}", [""]),
        (r'{"a": "\\boxed{5}"}', ["5"]),
        (r"the \boxed command", []),
        (r"boxed{5}", []),
        (r"\boxedx{5}", []),
        (r"\unboxed{5}", []),
    ],
)
def test_boxes_hold_what_their_braces_hold(text: str, contents: list[str]) -> None:
    found = boxes_in(text)
    assert [box.content(text) for box in found] == contents
    assert all(box.is_closed for box in found)


def test_an_unclosed_box_runs_to_the_end() -> None:
    text = r"\boxed{5 + \frac{1}{2}"
    (box,) = boxes_in(text)
    assert not box.is_closed
    assert box.end == len(text)


def test_a_nested_box_knows_its_depth() -> None:
    outer, inner = boxes_in(r"\boxed{a \boxed{b} c}")
    assert (outer.depth, inner.depth) == (0, 1)
    assert outer.start < inner.start < inner.end < outer.end


def test_a_box_inside_an_unclosed_one_is_closed() -> None:
    outer, inner = boxes_in(r"\boxed{a \boxed{b} c")
    assert (outer.is_closed, inner.is_closed) == (False, True)


@pytest.mark.parametrize(
    ("text", "wrapper", "contents"),
    [
        ("[5]", ("[", "]"), ["5"]),
        ("[a [b] c]", ("[", "]"), ["a [b] c", "b"]),
        (r"\[x\] [5]", ("[", "]"), ["5"]),
        (r"\[x\] [5]", (r"\[", r"\]"), ["x"]),
        ("**5** and **6**", ("**", "**"), ["5", "6"]),
        ("**5", ("**", "**"), []),
        ("<answer>5</answer>", ("<answer>", "</answer>"), ["5"]),
        ("<<5>>", ("<<", ">>"), ["5"]),
        ("ANS{a{b}c}", ("ANS{", "}"), ["a{b}c"]),
        ("】5【", ("【", "】"), [""]),
    ],
)
def test_any_pair_of_marks_can_be_a_wrapper(
    text: str, wrapper: tuple[str, str], contents: list[str]
) -> None:
    found = boxes_in(text, (wrapper,))
    assert [box.content(text) for box in found] == contents


def test_a_wrapper_needs_two_marks() -> None:
    with pytest.raises(ValueError, match="two marks"):
        boxes_in("a", (("[", ""),))


@given(st.text(alphabet="\\boxed{} f", max_size=60))
def test_boxes_lie_in_the_text_in_order(text: str) -> None:
    starts = []
    for box in boxes_in(text):
        assert 0 <= box.start < box.inner_start <= box.inner_end <= box.end <= len(text)
        starts.append(box.start)
    assert starts == sorted(starts)
