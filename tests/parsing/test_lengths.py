from __future__ import annotations

import pytest

from ifbench.parsing.lengths import (
    count_characters,
    count_chinese,
    count_length,
    count_words,
    words_of,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("don't stop", ["don't", "stop"]),
        ("3.14 and 1,234.5", ["3.14", "and", "1,234.5"]),
        ("well-known km/h", ["well-known", "km/h"]),
        ("apple/banana", ["apple", "banana"]),
        ("a - b — c | d", ["a", "b", "c", "d"]),
        ("snake_case _he_", ["snake_case", "he"]),
        ("1. one\n2) two", ["one", "two"]),
        ("- [x] done", ["done"]),
        ("# Head\n> said", ["Head", "said"]),
        ("[text](http://example.org/a_b)", ["text"]),
        ('![alt](x.png "t")', ["alt"]),
        ("```python\nx = 1\n```", ["x", "1"]),
        ("<b>bold</b> a < b", ["bold", "a", "b"]),
        ("灯 on亮", ["灯", "on", "亮"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("문이 열린다", ["문이", "열린다"]),
        ("🎉 👍", []),
        ("e\u0301te\u0301", ["e\u0301te\u0301"]),
    ],
)  # fmt: skip
def test_words_are_those_that_a_reader_sees(text, words):
    assert words_of(text) == words


def test_ideographs_count_one_each_or_as_runs():
    assert count_words("灯亮了 on") == 4
    assert count_words("灯亮了 on", cjk="run") == 2


@pytest.mark.parametrize(
    ("text", "with_marks", "without"),
    [("ab c.", 4, 3), ("“灯。”", 4, 1), ("e\u0301", 1, 1), ("👩‍👩‍👧", 1, 0), ("**a**", 1, 1), ("", 0, 0)],
)  # fmt: skip
def test_characters_are_clusters_without_blanks(text, with_marks, without):
    assert count_characters(text) == with_marks
    assert count_characters(text, count_punctuation=False) == without


def test_chinese_units_count_marks_where_asked():
    assert count_chinese("他跑了 5 km。") == 6
    assert count_chinese("他跑了 5 km。", count_punctuation=False) == 5


def test_units_are_counted_by_name():
    text = "One two. Three!"
    assert [count_length(text, unit) for unit in ("word", "sentence", "character")] == [3, 2, 13]
