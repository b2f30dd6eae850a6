from __future__ import annotations

import pytest
from deciding import params_of, passes, seen, settled
from pydantic import ValidationError

DATE = {"kind": "date", "format": "YYYY-MM-DD"}


@pytest.mark.parametrize(
    ("text", "params", "expected"),
    [
        ("2024-02-29", DATE, True),
        ("2023-02-29", DATE, False),
        ("2024-2-9", DATE, False),
        ("2024-13-01", DATE, False),
        ("٢٠٢٤-٠٢-٢٩", DATE, False),
        ("**2024-02-29**.", DATE, True),
        ("It was on 2024-02-29", DATE, False),
        ("It was on 2024-02-29, not 2024-03-01.", {**DATE, "scope": "all"}, True),
        ("It was on 2024-02-29, not 1 March 2024.", {**DATE, "scope": "all"}, False),
        ("It was on [2024-02-29].", {**DATE, "scope": "all", "open": "[", "close": "]"}, True),
        ("It was on 2024-02-29.", {**DATE, "scope": "all", "open": "[", "close": "]"}, False),
        ("No date here.", {**DATE, "scope": "all"}, False),
        ("2024-02-29\n2024-03-01", DATE, False),
        ("2024-02-29; 2024-03-01", {**DATE, "multiple": True}, True),
        ("2024-02-29; March", {**DATE, "multiple": True}, False),
        ("29/02/2024", {"kind": "date", "format": "DD/MM/YYYY"}, True),
        ("February 29, 2024", {"kind": "date", "format": "MMMM DD, YYYY"}, True),
        ("01:05", {"kind": "time", "format": "MM:SS"}, True),
        ("01:65", {"kind": "time", "format": "MM:SS"}, False),
        ("1:05", {"kind": "time", "format": "MM:SS"}, False),
        ("00:01:05", {"kind": "time", "format": "HH:MM:SS"}, True),
        ("at 01:05 and 02:10", {"kind": "time", "format": "MM:SS", "scope": "all"}, True),
        ("at 01:05 and 2:1", {"kind": "time", "format": "MM:SS", "scope": "all"}, False),
        ("12", {"kind": "integer"}, True),
        ("12.0", {"kind": "integer"}, False),
        ("1,200", {"kind": "integer"}, False),
        ("1st", {"kind": "integer"}, False),
        ("lamp", {"kind": "word"}, True),
        ("red lamp", {"kind": "word"}, False),
        ("B", {"kind": "letter"}, True),
        ("b", {"kind": "letter"}, False),
        ("ID-07", {"pattern": r"ID-\d{2}"}, True),
        ("ID-7", {"pattern": r"ID-\d{2}"}, False),
        ("the ID-07", {"pattern": r"ID-\d{2}"}, False),
        ("on", {"values": ["on", "off"]}, True),
        ("On", {"values": ["on", "off"]}, False),
        ("[lamp]", {"kind": "word", "open": "[", "close": "]"}, True),
        ("lamp", {"kind": "word", "open": "[", "close": "]"}, False),
    ],
)
def test_values_are_parsed_and_not_only_matched(text, params, expected):
    assert passes("normalized_value_format", text, **params) is expected


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"kind": "date"},
        {"kind": "time", "format": "SS"},
        {"pattern": "("},
        {"pattern": r"(?:a+)+"},
        {"pattern": r"(a*)*b"},
        {"kind": "word", "scope": "all"},
    ],
)
def test_forms_that_say_nothing_or_never_end_are_refused(params):
    with pytest.raises(ValidationError):
        params_of("normalized_value_format", **params)


OPTIONS = {"options": ["yes", "no", "unknown"]}


@pytest.mark.parametrize(
    ("text", "params", "expected"),
    [
        ("yes", OPTIONS, True),
        ("**Unknown.**", OPTIONS, True),
        ('"No"', OPTIONS, True),
        ("not known", OPTIONS, False),
        ("no, unknown", OPTIONS, False),
        ("Yes, the lamp goes on.", OPTIONS, False),
        ("Yes, the lamp goes on.", {**OPTIONS, "allow_explanation": True}, True),
        ("Yes", {**OPTIONS, "ignore_case": False}, False),
        ("maybe", OPTIONS, False),
    ],
)
def test_one_option_is_chosen_and_no_substring_decides(text, params, expected):
    assert passes("closed_set_option_output", text, **params) is expected


@pytest.mark.parametrize(
    ("text", "params", "expected"),
    [
        ("- 9:58 on\n- 10:02 off", {"key": "time"}, True),
        ("- 10:02 off\n- 9:58 on", {"key": "time"}, False),
        ("- 10:02 off\n- 9:58 on", {"key": "time", "direction": "descending"}, True),
        ("- 0:05 a\n- 0:05 b", {"key": "time"}, True),
        ("- 0:05 a\n- 0:05 b", {"key": "time", "ties": False}, False),
        ("| at | what |\n|-|-|\n| 0:05 | a |\n| 1:00:00 | b |", {"key": "time"}, True),
        ('[{"start": "0:09"}, {"start": "0:05"}]', {"key": "time"}, False),
        ("- 2 cars\n- 10 dogs", {"key": "number"}, True),
        ("- 1,000 cars\n- 10 dogs", {"key": "number"}, False),
        ("- ant\n- Bee\n- cat", {"key": "alpha"}, True),
        ("- bee\n- ant", {"key": "alpha"}, False),
        ("- first this\n- then that", {"key": "time"}, None),
        ("- b\n- a", {"key": "judge"}, None),
        ("- 0:05 a\n- then b\n- 0:09 c", {"key": "time"}, None),  # One part has no time.
        ("- it burns for 9 s\n- it burns for 5 s", {"key": "time"}, None),  # Lengths, not times.
        ("- 9 s: on\n- 5 s: off", {"key": "time"}, False),
        ("- Éclair\n- Fig", {"key": "alpha"}, True),  # Accents are for ties.
        ("- Fig\n- Éclair", {"key": "alpha"}, False),
        ("- cafe\n- café", {"key": "alpha", "ties": False}, True),
    ],
)
def test_order_is_read_off_keys_where_every_part_has_one(text, params, expected):
    assert settled("output_ordering", text, **params) is expected


def test_a_judge_of_order_is_shown_the_parts():
    assert seen("output_ordering", "- near\n- far") == "its 2 parts in order: 1. near; 2. far."
