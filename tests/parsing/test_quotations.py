import time

import pytest

from ifbench.parsing.quotations import quotation_span, stands_in, stands_whole

TEXT = "  First,  add\nthe acid.\tThen café at 20 °C."


@pytest.mark.parametrize(
    ("quotation", "place"),
    [
        ("add\nthe acid", "add\nthe acid"),
        ("add the acid", "add\nthe acid"),
        (" First, add ", "First,  add"),
        ("acid. Then café", "acid.\tThen café"),
        ("acid. Then cafe\u0301", "acid.\tThen café"),
        ("20 °C.", "20 °C."),
        ("F", "F"),
    ],
)
def test_quotation_is_found_however_blanks_and_accents_are_written(quotation, place):
    assert stands_in(quotation, TEXT)
    start, end = quotation_span(quotation, TEXT)
    assert TEXT[start:end] == place


@pytest.mark.parametrize(
    "quotation", ["", "  ", "first, add", "add acid", "addthe acid", "cafe", "20 ° C"]
)
def test_words_that_the_text_does_not_hold_stand_nowhere(quotation):
    assert not stands_in(quotation, TEXT)
    assert quotation_span(quotation, TEXT) is None


def test_place_in_a_text_that_is_not_composed_is_unknown_though_the_words_stand_there():
    text = "a  cafe\u0301"
    assert stands_in("a café", text)
    assert quotation_span("a café", text) is None
    assert quotation_span("cafe\u0301", text) == (3, 8)


def test_long_repetitive_texts_take_little_time():
    begin = time.process_time()
    assert not stands_in("a " * 20_000 + "b", "a " * 400_000)
    assert time.process_time() - begin < 2


@pytest.mark.parametrize(
    ("words", "text", "is_whole"),
    [
        ("CCO", "It is CCO.", True),
        ("CCO", "**CCO**", True),
        ("CCO", "分子CCO是", True),
        ("CCO", "CCO", True),
        ("CCO", "First CCOCC, then CCO", True),
        ("CCO", "First CCOCC, then CCN", False),
        ("propane", "cyclopropane", False),
        ("acetic acid", "glacial acetic\n acid", True),
        ("acetic acid", "peracetic acid", False),
        ("", "CCO", False),
        ("CCC", "no", False),
    ],
)
def test_a_piece_of_a_longer_word_does_not_stand_whole(words, text, is_whole):
    assert stands_whole(words, text) is is_whole


def test_whole_words_are_looked_for_in_little_time():
    start = time.process_time()
    assert not stands_whole("C" * 500, "C" * 1_000_000)
    assert not stands_whole("a", "a" * 1_000_000)
    assert not stands_whole("ab" * 5_000, "ab" * 500_000)
    assert not stands_whole("-a", "-ab" * 300_000)
    assert time.process_time() - start < 2
