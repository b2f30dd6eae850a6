from __future__ import annotations

from ifbench.told import told


def test_a_long_reading_says_how_far_it_is(capsys):
    assert list(told("abc", "reading f.jsonl", every_s=0)) == ["a", "b", "c"]
    assert capsys.readouterr().err.splitlines() == [
        f"ifbench: reading f.jsonl: {count} so far" for count in (0, 1, 2)
    ]


def test_of_a_reading_whose_length_is_known_that_is_told_too(capsys):
    assert list(told("ab", "reading", 2_000_000, every_s=0)) == ["a", "b"]
    assert capsys.readouterr().err.splitlines() == [
        f"ifbench: reading: {count} of 2,000,000 so far" for count in (0, 1)
    ]


def test_a_short_reading_says_nothing(capsys):
    assert list(told(range(3), "reading")) == [0, 1, 2]
    assert capsys.readouterr().err == ""
