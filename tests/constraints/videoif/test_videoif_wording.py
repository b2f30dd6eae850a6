from __future__ import annotations

import pytest
from deciding import decide_labels, params_of, passes
from pydantic import ValidationError

from ifbench.types import Outcome


@pytest.mark.parametrize(
    ("text", "params", "expected"),
    [
        ("A touchdown.", {"keywords": ["touchdown"]}, True),
        ("Two touchdowns.", {"keywords": ["touchdown"]}, False),
        ("Two touchdowns.", {"keywords": ["touchdown"], "inflections": True}, True),
        ("Two touchdowns.", {"keywords": ["touchdown"], "whole_word": False}, True),
        ("Touchdown!", {"keywords": ["touchdown"], "ignore_case": False}, False),
        ("prehistory", {"keywords": ["story"]}, False),
        ("a _touch_ and **down**", {"keywords": ["touch", "down"]}, True),
        ("touch", {"keywords": ["touch", "down"]}, False),
        ("touch", {"keywords": ["touch", "down"], "match": "any"}, True),
        ("a a a", {"keywords": ["a"], "min_count": 3, "max_count": 3}, True),
        ("a a a a", {"keywords": ["a"], "min_count": 3, "max_count": 3}, False),
        ("red\n  lamp", {"keywords": ["red lamp"]}, True),
        ("It’s on", {"keywords": ["it's"]}, True),
        ("C++ and U.S.", {"keywords": ["C++", "U.S."]}, True),
        ("这盏灯亮了", {"keywords": ["灯"]}, True),
        ("这盏灯亮了", {"keywords": ["门"]}, False),
        ("cafe", {"keywords": ["café"]}, False),
        ("cafe\u0301", {"keywords": ["café"]}, True),
        ("see [here](http://lamp.org)", {"keywords": ["lamp"]}, False),  # Nobody reads it.
        ("la\u00admp", {"keywords": ["lamp"]}, True),  # A soft hyphen.
        ("می\u200cخواهم", {"keywords": ["می\u200cخواهم"]}, True),
    ],
)
def test_keywords_are_whole_words_that_a_reader_sees(text, params, expected):
    assert passes("required_keyword_inclusion", text, **params) is expected


@pytest.mark.parametrize(
    ("text", "params", "expected"),
    [
        ("The shepherd sees the item.", {"keywords": ["he", "it", "she"]}, True),
        ("Then _he_ goes.", {"keywords": ["he"]}, False),
        ("Then **sh**e goes.", {"keywords": ["she"]}, False),
        ("HE goes.", {"keywords": ["he"]}, False),
        ("He's gone.", {"keywords": ["he"]}, False),
        ("It is irreparable.", {"keywords": ["para"]}, True),
        ("It moved.", {"keywords": ["move"]}, True),
        ("It moved.", {"keywords": ["move"], "inflections": True}, False),
        ("It is moving.", {"keywords": ["move"], "inflections": True}, False),
        ("He carries it.", {"keywords": ["carry"], "inflections": True}, False),
        ("It stopped.", {"keywords": ["stop"], "inflections": True}, False),
        ("An opera.", {"keywords": ["open"], "inflections": True}, True),
        ("她走了", {"keywords": ["她"]}, False),
        ("the l\u200bamp", {"keywords": ["lamp"]}, False),  # A mark that nobody sees.
    ],
)
def test_a_banned_word_is_found_in_any_dress_and_in_no_other_word(text, params, expected):
    assert passes("forbidden_keyword_exclusion", text, **params) is expected


@pytest.mark.parametrize(
    ("text", "params", "expected"),
    [
        ("one two three", {"min": 3, "max": 3}, True),
        ("one two three", {"max": 2}, False),
        ("one two three", {"min": 4}, False),
        ("- one\n- two", {"max": 2}, True),
        ("1. one\n2. two", {"max": 2}, True),  # The numbers of a list are no words.
        ("don't — well-known 3.14", {"min": 3, "max": 3}, True),
        ("| a | b |\n|---|---|\n| c | d |", {"min": 4, "max": 4}, True),
        ("这盏灯亮了。", {"min": 5, "max": 5}, True),
        ("这盏灯亮了。", {"min": 1, "max": 1, "cjk": "run"}, True),
        ("这盏灯亮了。", {"min": 6, "max": 6, "unit": "zh_length"}, True),
        ("这盏灯亮了。", {"max": 5, "unit": "zh_length", "count_punctuation": False}, True),
        ("用 GPU 跑 2 次", {"min": 5, "max": 5, "unit": "zh_length"}, True),
        ("ab c.", {"min": 4, "max": 4, "unit": "character"}, True),
        ("ab c.", {"max": 3, "unit": "character", "count_punctuation": False}, True),
        ("👩‍👩‍👧e\u0301", {"max": 2, "unit": "character"}, True),
        ("It is 3.5 m, e.g. here. Done.", {"min": 2, "max": 2, "unit": "sentence"}, True),
    ],
)
def test_length_is_of_what_a_reader_sees(text, params, expected):
    assert passes("response_length_constraint", text, **params) is expected


LABELS = {"labels": ["Anna", "John Smith"]}


@pytest.mark.parametrize(
    ("mentions", "params", "outcome"),
    [
        (("Anna", "John Smith"), LABELS, Outcome.PASS),
        (("anna", "John  Smith"), LABELS, Outcome.PASS),
        (("anna",), {**LABELS, "ignore_case": False}, Outcome.FAIL),
        (("Anna's",), LABELS, Outcome.PASS),
        (("the Anna",), LABELS, Outcome.PASS),
        (("Anna Lee",), LABELS, Outcome.FAIL),
        (("John",), LABELS, Outcome.FAIL),
        (("Anna", "she"), LABELS, Outcome.PASS),
        (("Anna", "she"), {**LABELS, "allow_pronouns": False}, Outcome.FAIL),
        (("Anna", "the woman"), LABELS, Outcome.FAIL),
        ((), LABELS, Outcome.PASS),
        (("Anna:", "John Smith,"), LABELS, Outcome.PASS),  # Marks that follow a name are not of it.
    ],
)
def test_each_name_is_one_of_the_labels(mentions, params, outcome):
    assert decide_labels(mentions, **params).outcome is outcome


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("required_keyword_inclusion", {"keywords": []}),
        ("required_keyword_inclusion", {"keywords": [" "]}),
        ("required_keyword_inclusion", {"keywords": ["a"], "min_count": 3, "max_count": 2}),
        ("response_length_constraint", {"unit": "word"}),
        ("response_length_constraint", {"max": 5, "unit": "page"}),
        ("entity_label_set_restriction", {"labels": []}),
    ],
)
def test_empty_or_contradictory_parameters_are_refused(name, params):
    with pytest.raises(ValidationError):
        params_of(name, **params)
