from __future__ import annotations

import pytest

from ifbench.parsing.list_items import inline_items, list_items


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- a\n  - b\n- c", [("bullet", None, 0), ("bullet", None, 1), ("bullet", None, 0)]),
        ("1. a\n   - b\n2. c", [("numbered", 1, 0), ("bullet", None, 1), ("numbered", 2, 0)]),
        ("3) a", [("numbered", 3, 0)]),
        ("(1) a\n(2) b", [("numbered", 1, 0), ("numbered", 2, 0)]),
        ("**1.** a", [("numbered", 1, 0)]),
        ("① a\n② b", [("numbered", 1, 0), ("numbered", 2, 0)]),
        ("一、a\n二、b", [("numbered", 1, 0), ("numbered", 2, 0)]),
        ("1.第一步", [("numbered", 1, 0)]),
        ("1.5 km", []),
        ("• a\n・ b", [("bullet", None, 0)] * 2),
        ("a) x\nb) y", [("lettered", 1, 0), ("lettered", 2, 0)]),
        ("A. Smith", []),
        ("b) y\nc) z", []),
        ("---\n***\n* * *", []),
        ("*Verse 1*", []),
        ("* Verse 1*", []),
        ("**Bold** text", []),
        ("-5 °C", []),
        ("- ", []),
        ("```\n- a\n```\n- b", [("bullet", None, 0)]),
        ("> - a", [("bullet", None, 0)]),
    ],
)
def test_items_are_read_from_the_source(text, expected):
    assert [(item.marker, item.number, item.depth) for item in list_items(text)] == expected


def test_an_item_says_its_words_and_place():
    (item,) = list_items("x\n- [x] **red** lamp\r\n")
    assert item.words == "red lamp"
    assert "x\n- [x] **red** lamp\r\n"[item.start : item.end] == "- [x] **red** lamp"


@pytest.mark.parametrize(
    ("text", "count"), [("1. a 2. b 3. c", 3), ("1. a", 0), ("2. a 3. b", 0), ("1.5 and 2.5", 0)]
)
def test_inline_items_count_up_from_one(text, count):
    assert len(inline_items(text)) == count
