"""Sections begin at labels that open a line."""

from __future__ import annotations

import pytest

from ifbench.parsing.sections import content_lines, sections_in

LABELS = ("Analysis", "Final answer")


@pytest.mark.parametrize(
    "text",
    [
        "Analysis: a\nFinal answer: b",
        "Analysis：a\nFinal answer：b",
        "## Analysis\n\na\n\n## Final Answer\n\nb",
        "**Analysis**\na\n\n**Final answer**\nb",
        "**Analysis:** a\n**Final Answer:** b",
        "1. Analysis: a\n2. Final answer: b",
        "- Analysis: a\n- Final answer: b",
        "ANALYSIS - a\nFINAL ANSWER - b",
        "[Analysis] a\nFinal answer: b".replace("] a", "]: a"),
        "Analysis\n========\na\n\nFinal answer\n------\nb",
        "### 1. Analysis of forces\na\n### Final answer\nb",
    ],
)
def test_labels_and_headings_open_sections(text: str) -> None:
    first, second = sections_in(text, LABELS)
    assert (first.label, second.label) == LABELS
    assert "a" in text[first.content_start : first.end].lower()
    assert text[second.content_start : second.end].strip(" \n-") == "b"


@pytest.mark.parametrize(
    "text",
    [
        "The analysis: a",
        "Analysis of the forces\na",
        "Analyses: a",
        "My final answer: b",
        "Reanalysis: a",
    ],
)
def test_mentions_open_no_section(text: str) -> None:
    assert sections_in(text, LABELS) == ()


def test_of_several_places_the_last_one_opens_the_section() -> None:
    text = "Final answer: to come\nAnalysis: a\nFinal answer: b"
    assert [section.label for section in sections_in(text, LABELS)] == list(LABELS)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a\n\n# Heading\n---\n$$\nb\n", ["a", "b"]),
        ("```json\n{1}\n```", ["{1}"]),
        ("\n\n", []),
        ("a", ["a"]),
    ],
)
def test_content_lines_say_something(text: str, lines: list[str]) -> None:
    assert [text[slice(*span)] for span in content_lines(text, 0, len(text))] == lines
