"""Fences are told by line, marker and length, as CommonMark does."""

from __future__ import annotations

import pytest

from ifbench.parsing.fences import fence_around, fences_in, fences_of

INSIDE = [
    ("```json\n{}\n```", "json", "{}\n"),
    ("```\n{}\n```", "", "{}\n"),
    ("~~~ json\n{}\n~~~", "json", "{}\n"),
    ("````json\n```\n````", "json", "```\n"),
    ("```json\n{}\n`````", "json", "{}\n"),
    ("   ```json\n{}\n   ```", "json", "{}\n"),
    ("\n\n```json\n{}\n```\n\n", "json", "{}\n"),
    ("        ```json\n{}\n```", "json", "{}\n"),  # Blanks before the first line are stripped.
    ("```json\n{}\n```   ", "json", "{}\n"),
    ("```json\r\n{}\r\n```", "json", "{}\r\n"),
    ("```JSON title=x\n{}\n```", "json", "{}\n"),
    ("```{.python}\n1\n```", "python", "1\n"),
    ('```json\n{"a": "```"}\n```', "json", '{"a": "```"}\n'),
    ("```\n```", "", ""),
    ("~~~\n```\n~~~", "", "```\n"),
    ("```json\n    ```\n```", "json", "    ```\n"),
]


@pytest.mark.parametrize(("text", "language", "body"), INSIDE)
def test_one_fence_around_everything_is_found(text: str, language: str, body: str) -> None:
    fence = fence_around(text)
    assert fence is not None
    assert (fence.language, text[fence.body_start : fence.body_end]) == (language, body)
    assert text[fence.start : fence.end].strip() == text.strip()


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "",
        "Here:\n```json\n{}\n```",
        "```json\n{}\n```\nDone.",
        "```json\n{}\n```\n```json\n{}\n```",
        "```json\n{}",  # Cut off.
        "```json\n{}\n``",
        "````json\n{}\n```",
        "```json\n{}\n~~~",
        "```json {} ```",  # Inline code.
        "``json\n{}\n``",
        "```a`b\n{}\n```",
        "```json\n{}\n``` end",
        "> ```json\n> {}\n> ```",
    ],
)
def test_anything_else_is_not_one_fence(text: str) -> None:
    assert fence_around(text) is None


def test_fences_come_in_order_and_the_last_may_be_cut_off() -> None:
    text = "a\n```x\n1\n```\nb\n~~~y\n2"
    found = fences_in(text)
    assert [(fence.info, fence.is_closed) for fence in found] == [("x", True), ("y", False)]
    assert [text[fence.body_start : fence.body_end] for fence in found] == ["1\n", "2"]


def test_only_closed_fences_of_the_wanted_languages_are_taken() -> None:
    text = "```json\n1\n```\n```python\n2\n```\n```\n3\n```\n```JSON\n4\n```\n```json\n5"
    assert [text[f.body_start : f.body_end] for f in fences_of(text, {"json"})] == ["1\n", "4\n"]


def test_rows_of_markers_take_linear_time() -> None:
    assert len(fences_in("```\n" * 60_000)) == 30_000
