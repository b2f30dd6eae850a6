"""Where the final answer stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ifbench.parsing.answers import (
    final_answer,
    regions_after,
    sentence_around,
    stated_answers,
    values_of,
)


@pytest.mark.parametrize(
    ("text", "found_by", "content"),
    [
        (r"\boxed{4}, no: \boxed{5.00}\,\text{kg}", "box", "5.00"),
        (r"The answer is 4. \boxed{5}", "box", "5"),
        (r"\boxed{5} and \boxed{ }", "box", "5"),
        (r"\boxed{5} and \boxed{6", "box", "5"),
        ("<answer> 8 </answer> is it", "box", "8"),
        ("The final answer is 5.00 m/s. It took 3 steps.", "marker", "5.00 m/s"),
        ("The answer is 4. No, the answer is 5.", "marker", "5"),
        ("Final Answer:\n\n5.00 g\n\nThanks for all 3.", "marker", "5.00 g"),
        ("## Final Answer\n\n5.00 g\n", "marker", "5.00 g"),
        ("**Answer:** 5 g", "marker", "5 g"),
        ("**Answer**: 5 g", "marker", "5 g"),
        ("FINAL ANSWER: 5 G", "marker", "5 G"),
        ("The correct answer is: **B**", "marker", "B"),
        ("The answer to part (a) is 7 m.", "marker", "7 m"),
        ("答案：5 克", "marker", "5 克"),
        ("最终答案是5克。共3步", "marker", "5克"),
        ("The final result is 5.", "marker", "5"),
        ("Answer: approx. 5.00 m. Good.", "marker", "approx. 5.00 m"),
        ("Unanswered: 4. So x = 5.", "number", "5"),
        ("The answers vary. So x = 5", "number", "5"),
        ("The answer is not 4. So x = 5", "number", "5"),
        ('{"answer": 5.00, "why": "the answer is 6"}', "key", "5.00"),
        ("{'final_answer': '5.00 g', 'n': 3}", "key", "5.00 g"),
        ('```json\n{"result": {"v": 7.400}}\n```', "key", '{"v": 7.400}'),
        ('Here: {"answer": [1, 2], "n": 3}', "key", "[1, 2]"),
        ("x = 3 m and y = 4.0 m in Step 2", "number", "4.0"),
        ("It is copper.\nA metal.\n", "line", "A metal."),
        ("copper", "line", "copper"),
    ],
)
def test_the_final_answer_is_found_by_the_first_rule_that_holds(
    text: str, found_by: str, content: str
) -> None:
    region = final_answer(text)
    assert region is not None
    assert (region.found_by, region.content(text)) == (found_by, content)
    assert region.outer_start <= region.start <= region.end


def test_only_a_blank_text_has_no_final_answer() -> None:
    assert final_answer(" \n") is None


@given(st.lists(st.sampled_from(
    ["answer", "is", ":", "\n", "\\boxed{", "}", '{"answer": ', "5.0", " ", "**", "final ", "."]
)))  # fmt: skip
def test_regions_lie_in_the_text(pieces: list[str]) -> None:
    text = "".join(pieces)
    for region in (*stated_answers(text), *filter(None, [final_answer(text)])):
        assert 0 <= region.start <= region.end <= len(text)
        assert 0 <= region.outer_start <= region.outer_end <= len(text)


@pytest.mark.parametrize(
    ("text", "keys", "values"),
    [
        ('{"mass": 7.400, "n": 3}', ("mass",), ["7.400"]),
        ("{'mass': '7.4 g'}", ("mass",), ["7.4 g"]),
        ('{"Mass": [1.0, {"a": 2}], "b": 3}', ("mass",), ['[1.0, {"a": 2}]']),
        ('{"a": 1, "b": 2}', ("b", "a"), ["1", "2"]),
        ("<mass>7.4</mass>", ("mass",), ["7.4"]),
        ("mass: 7.4 g\nlength: 3", ("mass",), ["7.4 g"]),
        ("- **Mass**: 7.4 g", ("mass",), ["7.4 g"]),
        ("the mass is 7.4", ("mass",), []),
        ('{"mass_2": 1}', ("mass",), []),
        ('{"mass": "a \\" b", "n": 1}', ("mass",), ['a \\" b']),
    ],
)
def test_values_of_keys_are_spans_of_the_source(
    text: str, keys: tuple[str, ...], values: list[str]
) -> None:
    assert [region.content(text) for region in values_of(text, keys)] == values


def test_regions_after_a_marker_of_the_user() -> None:
    text = "Result => 5 m. Good.\nRESULT => 6 m"
    assert [r.content(text) for r in regions_after(text, "result =>")] == ["5 m", "6 m"]


@pytest.mark.parametrize(
    ("text", "word", "sentence"),
    [
        ("One. Two words. Three.", "words", "Two words"),
        ("One\nTwo words\nThree", "words", "Two words"),
        ("It is 5.0 m e.g. two words here. Three.", "words", "It is 5.0 m e.g. two words here"),
        ("1. Two words. Three.", "words", "1. Two words"),
        ("一。两个词 words。三", "words", "两个词 words"),
    ],
)
def test_the_sentence_around_a_place(text: str, word: str, sentence: str) -> None:
    place = text.index(word)
    start, end = sentence_around(text, place, place + len(word))
    assert text[start:end] == sentence
