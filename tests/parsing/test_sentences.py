from __future__ import annotations

import pytest

from ifbench.parsing.sentences import sentences_in


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One. Two! Three?", 3),
        ("Dr. Smith ran 3.5 km, e.g. fast.", 1),
        ("See Fig. 3 and No. 4.", 1),
        ("It ended at 5 p.m. He left.", 2),
        ("J. R. Smith waves.", 1),
        ("He stopped... then went on.", 1),
        ("He stopped... Then he went on.", 2),
        ('"Stop!" he said. He left.', 2),
        ('He said "Stop!" Then he left.', 2),
        ("今天好。明天呢？后天！", 3),
        ("A line\nthat goes on.", 1),
        ("- one\n- two\n- three", 3),
        ("- one goes\n  on here\n- two", 2),
        ("# Head\nText.", 2),
        ("| a | b |\n|---|---|\n| c | d |", 2),
        ("No stop", 1),
        ("...", 0),
        ("", 0),
    ],
)
def test_sentences_end_where_a_reader_sees_an_end(text, count):
    assert len(sentences_in(text)) == count
