"""Yes or no, alone or with an explanation."""

from __future__ import annotations

import pytest

from ifbench.parsing.yes_no import read_yes_no


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("Yes", 0), ("yes.", 0), ("NO", 1), ("**No**", 1), ("“No.”", 1), ("\n Yes \n", 0),
        (r"\boxed{Yes}", 0), (r"$\text{No}$", 1), ("know", None), ("notice", None), ("Yesterday", None),
        ("none", None), ("Yes, it is.", None), ("No other gas.", None), ("Yes no", None),
        ("Yes!", 0), ("**No!**", 1), ("(Yes)", 0), ("- No", 1), ("Yes\u200b", 0), ("\ufeffNo", 1),
        ("Yes?", None), ("(Yes) (no)", None), ("Yes! No!", None), ("!", None), ("()", None),
        ("The answer is yes.", None), ("True", None), ("是", None),
    ],
)  # fmt: skip
def test_yes_or_no_stands_alone(text: str, index: int | None) -> None:
    assert read_yes_no(text, ("yes", "no"), explanation=False).index == index


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("Yes", 0), ("Yes, it is.", 0), ("**Yes** — it is.", 0), ("No\n\nIt is not.", 1),
        ("Yes, no other gas reacts.", 0), ("Yes: there is no doubt.", 0), ("Yes. No. 5 is it.", None),
        ("Yes. Wait. No, it is not.", None), ("Yes.\n\nThe answer is no.", None),
        ("Yes and no.", None), ("Yes or no", None), ("Yes, and no other gas reacts.", 0),
        ("It is so: yes.", None), ("Nothing reacts.", None), ("Yesterday.", None),
        ("Yes\nNo", None), ("Yes\nNo other gas reacts.", 0), ("Yes. Final answer:No", None),
        ("Yes, it is; answer = no", None), ("Yes. In short: it is.", 0),
    ],
)  # fmt: skip
def test_with_an_explanation_the_first_word_decides(text: str, index: int | None) -> None:
    assert read_yes_no(text, ("yes", "no"), explanation=True).index == index


@pytest.mark.parametrize(("text", "index"), [("是", 0), ("否。", 1), ("是的", None), ("yes", None)])
def test_labels_may_be_words_of_another_language(text: str, index: int | None) -> None:
    assert read_yes_no(text, ("是", "否"), explanation=False).index == index


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("否。", 1), ("是，因为没有否定的理由。", 0), ("是。否。", None), ("是。所以答案是否。", None),
        ("是\n否", None),
    ],
)  # fmt: skip
def test_an_explanation_in_chinese_has_no_blanks(text: str, index: int | None) -> None:
    assert read_yes_no(text, ("是", "否"), explanation=True).index == index
