from __future__ import annotations

import pytest
from deciding import params_of, passes
from pydantic import ValidationError

SEGMENTS = {"items": [{"start": "", "end": ""}]}


@pytest.mark.parametrize(
    ("text", "params", "expected"),
    [
        ('{"a": 1}', {}, True),
        ("[1, 2]", {}, True),
        ("42", {}, False),
        ('"words"', {}, False),
        ('```json\n{"a": 1}\n```', {}, True),
        ('Here you are: {"a": 1}', {}, False),
        ('Here you are: {"a": 1}', {"scope": "embedded"}, True),
        ('{"a": NaN}', {}, False),
        ('{"a": 1, "a": 2}', {}, False),
        ("{'a': 1}", {}, False),
        ('{"a": 1,}', {}, False),
        ('{"a": 1}', {"top_level": "array"}, False),
        ('{"a": 1}', {"required_keys": ["a", "b"]}, False),
        ('{"a": 1, "b": 2}', {"required_keys": ["a"]}, True),
        ('{"a": 1, "b": 2}', {"required_keys": ["a"], "extra_keys": False}, False),
        ('[{"a": 1}, {"a": 2}]', {"required_keys": ["a"]}, True),
        ('[{"a": 1}, {"b": 2}]', {"required_keys": ["a"]}, False),
        ('{"x": {"note": 1}}', {"forbidden_keys": ["note"]}, False),
        ('{"items": [{"start": 1, "end": 2}]}', {"skeleton": SEGMENTS}, True),
        ('{"items": [{"start": 1, "end": 2}, {"start": 1}]}', {"skeleton": SEGMENTS}, False),
        ('{"items": {}}', {"skeleton": SEGMENTS}, False),
        ('{"items": [], "more": 1}', {"skeleton": SEGMENTS}, True),
        ('{"items": [], "more": 1}', {"skeleton": SEGMENTS, "extra_keys": False}, False),
    ],
)
def test_json_is_read_strictly_and_its_names_are_compared(text, params, expected):
    assert passes("structured_json_output", text, **params) is expected


TABLE = "| stage | what |\n|-|-|\n| 1 | on |\n| 2 | off |"


@pytest.mark.parametrize(
    ("text", "params", "expected"),
    [
        (TABLE, {}, True),
        (TABLE, {"columns_count": 2, "rows": 2}, True),
        (TABLE, {"columns_count": 3}, False),
        (TABLE, {"rows": 3}, False),
        (TABLE, {"min_rows": 3}, False),
        (TABLE, {"columns": ["Stage", "What"]}, True),
        (TABLE, {"columns": ["what", "stage"]}, False),
        ("| **stage** | `what` |\n|---|---|\n| a | b |", {"columns": ["stage", "what"]}, True),
        ("stage | what\n-|-\n1 | on", {}, True),  # Outer pipes may be left out.
        ("| a | b |\n|---|---|\n| x \\| y | z |", {"columns_count": 2, "rows": 1}, True),
        ("# Stages\n\n" + TABLE, {}, True),
        ("**Stages**\n\n" + TABLE, {}, True),
        ("Here is the table:\n\n" + TABLE, {}, False),
        ("Here is the table:\n\n" + TABLE, {"scope": "embedded"}, True),
        (TABLE + "\n\n" + TABLE, {}, False),
        (TABLE + "\n\n" + TABLE, {"scope": "embedded"}, True),
        ("| a | b |\n| 1 | 2 |", {}, False),  # No delimiter row.
        ("```\n" + TABLE + "\n```", {"format": "markdown"}, False),  # Code, not a table.
        ("a,b\n1,2", {}, True),
        ("a,b\n1,2", {"format": "markdown"}, False),
        ("```csv\na,b\n1,2\n```", {"format": "csv"}, True),
        ("a,b\n1,2,3", {}, False),
        (TABLE, {"format": "csv"}, False),
        ("First it goes on, then off.\nThen, again, on.", {}, False),
        ("plain text", {}, False),
    ],
)
def test_tables_are_those_of_gfm_or_csv(text, params, expected):
    assert passes("table_output", text, **params) is expected


@pytest.mark.parametrize(
    ("text", "params", "expected"),
    [
        ("1. a\n2. b", {}, True),
        ("- a\n- b", {}, True),
        ("- a\n- b", {"markers": "numbered"}, False),
        ("1. a\n2. b", {"markers": "bullet"}, False),
        ("1. a", {}, False),
        ("1. a", {"min_items": 1}, True),
        ("1. a\n1. b\n1. c", {}, False),
        ("1. a\n1. b\n1. c", {"consecutive": False}, True),
        ("2. a\n3. b", {}, True),
        ("2. a\n3. b", {"start": 1}, False),
        ("1. a\n   more of a\n2. b", {}, True),
        ("1. a\n\n   more of a\n\n2. b", {}, True),
        ("1. a\n   - inner\n2. b", {"markers": "numbered"}, True),
        ("The events:\n1. a\n2. b", {}, True),
        ("The events:\n1. a\n2. b", {"lead_in": False}, False),
        ("There is a lamp.\n1. a\n2. b", {}, False),
        ("1. a\n2. b\n\nThat is all.", {}, False),
        ("1. a\n2. b\n\nThat is all.", {"scope": "embedded"}, True),
        ("# Events\n\n1. a\n2. b", {}, True),
        ("First 1. a and 2. b", {}, False),
        ("First 1. a and 2. b", {"inline": True}, True),
        ("1、第一\n2、第二", {"markers": "numbered"}, True),
        ("a) x\nb) y", {"markers": "lettered"}, True),
        ("A. Smith waves.\nThen he goes.", {}, False),
        ("One line.\nAnother line.", {}, False),
        ("-5 °C\n-6 °C", {}, False),
        ("---\n---", {}, False),
        ("・灯りがつく\n・ドアが開く", {"markers": "bullet"}, True),  # Japanese has no blank here.
        ("•The lamp\n•The door", {}, True),
        ("・・・\n・・・そして", {}, False),  # An ellipsis.
        ("– a\n– b", {"markers": "bullet"}, True),
        ("●a\n○b", {"markers": "bullet"}, True),
        ("１．灯亮了\n２．门开了", {"markers": "numbered"}, True),
        ("１．５秒亮\n２．６秒灭", {"markers": "numbered"}, False),  # Numbers with a decimal point.
    ],
)
def test_a_list_is_what_is_written_as_one(text, params, expected):
    assert passes("ordered_list_output", text, **params) is expected


EXACTLY_TWO = {"min": 2, "max": 2}


@pytest.mark.parametrize(
    ("text", "params", "expected"),
    [
        ("- a\n- b", EXACTLY_TWO, True),
        ("• a\n• b", EXACTLY_TWO, True),
        ("- a\n- b\n- c", EXACTLY_TWO, False),
        ("- a\n- b", {"max": 3}, True),
        ("- a\n- b\n- c\n- d", {"max": 3}, False),
        ("- a\n  - inner\n- b", EXACTLY_TWO, False),  # Figure 11.
        ("- a\n  - inner\n- b", {**EXACTLY_TWO, "nested": "top_level"}, True),
        ("- a\n- b\n\n---\n\n*Verse 1*", EXACTLY_TWO, True),
        ("- a\n- b\n```\n- code\n```", EXACTLY_TWO, True),
        ("- [ ] a\n- [x] b", EXACTLY_TWO, True),
        ("1. a\n2. b", {**EXACTLY_TWO, "markers": "bullet"}, False),
        ("2", EXACTLY_TWO, False),  # The release reads a bare number as so many items.
        ("a, b", EXACTLY_TWO, False),
        ("No list at all.", {"max": 3}, False),
        ("1. a, 2. b", EXACTLY_TWO, False),
        ("First: 1. a and 2. b", {**EXACTLY_TWO, "inline": True}, True),
    ],
)
def test_list_items_are_counted_as_written(text, params, expected):
    assert passes("list_item_count_constraint", text, **params) is expected


@pytest.mark.parametrize(
    ("text", "params", "expected"),
    [
        ("a\n\nb", EXACTLY_TWO, True),
        ("a\nb", EXACTLY_TWO, False),
        ("a\r\n\r\nb", EXACTLY_TWO, True),
        ("a\n \t \nb", EXACTLY_TWO, True),
        ("\n\na\n\n\n\nb\n\n", EXACTLY_TWO, True),
        ("# Title\n\na\n\nb", EXACTLY_TWO, True),
        ("# Title\n\na\n\nb", {**EXACTLY_TWO, "count_headings": True}, False),
        ("**Title**\n\na\n\nb", EXACTLY_TWO, True),
        ("***bold*** text\n\nb", EXACTLY_TWO, True),
        ("a\n\n***\n\nb", EXACTLY_TWO, True),
        ("a\n\nb\n* * *\nc", {**EXACTLY_TWO, "separator": "***"}, True),
        ("a\n\nb\n\nc", {**EXACTLY_TWO, "separator": "***"}, False),
        ("- a\n\n- b", EXACTLY_TWO, False),
        ("- a\n\n- b", {**EXACTLY_TWO, "lists_as_one": False}, True),
        ("```\na\n\nb\n```", EXACTLY_TWO, False),
        ("a\n\nb\n\nc", {"min": 2}, True),
        ("a", {"min": 2}, False),
    ],
)
def test_paragraphs_are_parted_by_blank_lines(text, params, expected):
    assert passes("paragraph_count_constraint", text, **params) is expected


@pytest.mark.parametrize(
    ("text", "params", "expected"),
    [
        ("# A lamp\n\nText.", {}, True),
        ("#A lamp\n\nText.", {}, False),
        ("A lamp\n===\n\nText.", {}, True),
        ("**A lamp**\n\nText.", {}, True),
        ("**A lamp** goes on.", {}, False),
        ("Title: A lamp\nText.", {}, True),
        ("标题：一盏灯\n正文。", {}, True),
        ("<<A lamp>>\nText.", {}, True),
        ("<<>>\nText.", {}, False),
        ("<< >>\nText.", {}, False),
        ("[A lamp]\nText.", {"style": "wrapped", "open": "[", "close": "]"}, True),
        ("# A lamp\nText.", {"style": "wrapped"}, False),
        ("Text.\n\n# A lamp", {}, False),
        ("Text.\n\n# A lamp", {"placement": "last"}, True),
        ("Text.\n\n# A lamp\n\nMore.", {"placement": "anywhere"}, True),
        ("# One two three", {"max_words": 2}, False),
        ("# One two", {"max_words": 2}, True),
        ("A lamp\n\nText.", {}, False),
        ("Title: <<Lamp>>\nIt is on.", {"style": "wrapped"}, True),
        ("It is on. Title: <<Lamp>>", {"style": "wrapped"}, False),
        ("# Lamp — on\n\nx", {"max_words": 2}, True),  # A dash is no word.
        ("# 灯亮了\n\nx", {"max_words": 2}, False),  # Each ideograph is one, as for a length.
    ],
)
def test_a_title_has_words_and_a_mark(text, params, expected):
    assert passes("title_requirement", text, **params) is expected


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("paragraph_count_constraint", {}),
        ("paragraph_count_constraint", {"min": 3, "max": 2}),
        ("structured_json_output", {"extra_keys": False}),
        ("structured_json_output", {"top_level": "scalar"}),
        ("table_output", {"columns_count": 0}),
        ("ordered_list_output", {"markers": "dotted"}),
        ("title_requirement", {"open": ""}),
    ],
)
def test_parameters_that_no_answer_can_meet_are_refused(name, params):
    with pytest.raises(ValidationError):
        params_of(name, **params)
