"""Reasoning is taken out, and nothing else is touched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ifbench.parsing.final_text import final_text


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("<think>", "</think>"),
        ("<thinking>", "</thinking>"),
        ("<reasoning>", "</reasoning>"),
        ("<reason>", "</reason>"),
        ("<analysis>", "</analysis>"),
        ("[THINK]", "[/THINK]"),
        ("◁think▷", "◁/think▷"),
        ("<THINK>", "</Think>"),
        ("<think >", "</think >"),
    ],
)
def test_a_block_in_any_known_tag_goes(opening: str, closing: str) -> None:
    read = final_text(f"{opening}2 + 2 is 4{closing}\n\nIt is 4.\n")
    assert read.text == "\n\nIt is 4.\n"
    assert read.reasoning == "2 + 2 is 4"
    assert read.closed
    assert final_text(f"2 + 2 is 4{closing}It is 4.").text == "It is 4."
    unclosed = final_text(f"{opening}2 + 2 is 4, It is")
    assert (unclosed.text, unclosed.closed) == ("", False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is 4.", "It is 4."),
        ("  It\n\n is 4. \n", "  It\n\n is 4. \n"),
        ("a\r\nb", "a\r\nb"),
        ("e\u0301 \u00b2", "e\u0301 \u00b2"),
        ("<think>a</think>b<think>c</think>d", "bd"),
        ("<think>a<think>b</think>c</think>d", "d"),
        ("a</think>b</think>c", "c"),
        ("<think></think>", ""),
        ("It is 4.<think>or", ""),
        ("<think>a</reasoning>b</think>c", "c"),
        ("Write `<think>` first.", "Write `<think>` first."),
        ("thinking about </p>", "thinking about </p>"),
        ("<thinker>a</thinker>", "<thinker>a</thinker>"),
        ("<r><reasoning>a</reasoning><v>5</v></r>", "<r><reasoning>a</reasoning><v>5</v></r>"),
        ("```xml\n<analysis>a</analysis>\n```", "```xml\n<analysis>a</analysis>\n```"),
        ('{"a": "<reason>b</reason>"}', '{"a": "<reason>b</reason>"}'),
        ("<think>x</think><r><reason>a</reason></r>", "<r><reason>a</reason></r>"),
        ("It is 4.<|im_end|>", "It is 4."),
        ("It is 4.<|eot_id|>\n", "It is 4.\n"),
        ("It is 4.</s>", "It is 4."),
        ("<s>4</s>", "<s>4</s>"),
        ("a < b and c > d", "a < b and c > d"),
    ],
)
def test_the_rest_stays_as_it_is(text: str, expected: str) -> None:
    assert final_text(text).text == expected


@pytest.mark.parametrize(
    ("text", "expected", "closed"),
    [
        (
            "<|channel|>analysis<|message|>a<|end|><|channel|>final<|message|>It is 4.<|return|>",
            "It is 4.",
            True,
        ),
        ("<|channel|>final <|constrain|>json<|message|>{}", "{}", True),
        ("<|start|>assistant<|channel|>analysis<|message|>a and", "", False),
        (
            "<|channel|>commentary<|message|>a<|end|><|channel|>final<|message|>b<|end|>",
            "b",
            True,
        ),
    ],
)
def test_of_channels_the_final_one_stays(text: str, expected: str, *, closed: bool) -> None:
    read = final_text(text)
    assert (read.text, read.closed) == (expected, closed)


@pytest.mark.parametrize("text", [None, ""])
def test_nothing_is_an_empty_text(text: str | None) -> None:
    assert final_text(text, reasoning="r") == final_text("", "r")
    assert final_text(text).text == ""


def test_reasoning_given_apart_comes_first() -> None:
    assert final_text("<think>b</think>c", reasoning="a").reasoning == "a\nb"


@given(st.text(max_size=60))
def test_a_text_without_marks_is_kept_whole(text: str) -> None:
    if not set("<[◁") & set(text):
        assert final_text(text).text == text


@given(st.lists(st.sampled_from(["<think>", "</think>", "[THINK]", "a", "\n", "<|channel|>"])))
def test_any_mixture_of_marks_is_read(pieces: list[str]) -> None:
    text = "".join(pieces)
    read = final_text(text)
    assert len(read.text) <= len(text)
    assert read.closed or not read.text


def test_a_byte_order_mark_is_no_part_of_the_answer():
    assert final_text('\ufeff{"a": 1}').text == '{"a": 1}'
