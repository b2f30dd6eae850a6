"""What the public scorer's functions decide, loose and brittle as they are."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ifbench.benchmarks.videoif.constraint_types import RELEASE_ONLY, SCRIPTED_BY_RELEASE, TYPES
from ifbench.constraints.constraint import Extracted, Judged, decide_extracted
from ifbench.constraints.scimif_release.rule import ReleaseParams
from ifbench.constraints.videoif_release import release_rules
from ifbench.constraints.videoif_release.rules import FUNCTIONS
from ifbench.stages.extract import ask_extractions, read_extractions
from ifbench.stages.judge import ask_judge, read_judge
from ifbench.types import Outcome
from tests.factories import make_item, make_model, make_response, make_sample, make_work


def says_yes(name: str, text: str, **given: Any) -> bool:
    rule = release_rules()[f"videoif:{name}"]
    check = decide_extracted(rule, (text, json.dumps(given)), ReleaseParams())
    assert check.reason
    return check.outcome is Outcome.PASS


def test_eleven_types_have_functions_and_the_others_one_judge():
    rules = release_rules()
    assert set(rules) == {*TYPES, RELEASE_ONLY}
    functions = {name for name, rule in rules.items() if isinstance(rule.method, Extracted)}
    assert functions == {*SCRIPTED_BY_RELEASE, RELEASE_ONLY}
    assert len(FUNCTIONS) == 11
    judges = {rule.id for rule in rules.values() if isinstance(rule.method, Judged)}
    assert judges == {"release:videoif_item"}


CASES = [
    ("structured_json_output", 'Here: {"a": NaN} so', {"required_keys": ["a"]}, True),
    ("structured_json_output", '{"a": 1, "a": 2}', {}, True),
    ("structured_json_output", '{"a": 1, "b": 2}', {"schema": {"a": 0}}, False),
    ("structured_json_output", "[1]", {}, False),
    ("structured_json_output", "[1]", {"top_level": "array"}, True),
    ("structured_json_output", "no json", {}, False),
    ("table_output", "| a | b |\n|---|---|\n| 1 | 2 |", {}, True),
    ("table_output", "| a | b |\n|-|-|\n| 1 | 2 |", {}, False),  # It wants three dashes.
    ("table_output", "| a | b |\n|---|---|\n| 1 \\| 2 | 3 |", {}, False),  # Cut at an escaped pipe.
    ("table_output", "Well, so\nthen, off", {}, True),
    ("table_output", "| a | b |\n|---|---|\n| 1 | 2 |", {"allowed_formats": ["csv"]}, False),
    ("ordered_list_output", "Text\n- one\nText", {}, True),
    ("ordered_list_output", "1. a\n1. b", {"min_items": 2}, True),
    ("ordered_list_output", "- a", {"allow_bullets": False}, False),
    ("closed_set_option_output", "**Yes.**", {"allowed_options": ["yes", "no"]}, True),
    ("closed_set_option_output", "Yes, it is", {"allowed_options": ["yes"]}, False),
    ("closed_set_option_output", "Yes, it is", {"allowed_options": ["yes"], "allow_explanation": True}, True),
    ("response_length_constraint", "a - b", {"max_count": 2}, False),  # A dash is a word.
    ("response_length_constraint", "灯亮了。", {"max_count": 1}, True),  # A sentence is a word.
    ("response_length_constraint", "灯亮了。", {"min_count": 4, "max_count": 4, "unit": "zh_length"}, True),
    ("response_length_constraint", "a b c", {}, True),  # Without bounds anything passes.
    ("paragraph_count_constraint", "# T\n\na", {"max_count": 1}, False),
    ("list_item_count_constraint", "5", {"min_count": 5, "max_count": 5}, True),
    ("list_item_count_constraint", "a, b, c", {"min_count": 3}, True),
    ("list_item_count_constraint", '["a", "b"]', {"min_count": 2, "max_count": 2}, True),
    ("list_item_count_constraint", "one line\nanother", {"min_count": 2}, True),
    ("required_keyword_inclusion", "history", {"keywords": ["story"]}, False),
    ("required_keyword_inclusion", "the story", {"keywords": ["story", "x"], "match_all": False}, True),
    ("required_keyword_inclusion", "text", {}, False),
    ("forbidden_keyword_exclusion", "_he_ goes", {"keywords": ["he"]}, True),  # `_` hides it.
    ("forbidden_keyword_exclusion", "he goes", {"keywords": ["he"]}, False),
    ("forbidden_keyword_exclusion", "他走了", {"keywords": ["他"]}, False),
    ("normalized_value_format", "2023-02-29", {"allowed_patterns": [r"\d{4}-\d\d-\d\d"]}, True),
    ("normalized_value_format", "a; b", {"allowed_values": ["a", "b"]}, False),
    ("normalized_value_format", "a; b", {"allowed_values": ["a", "b"], "allow_multiple": True}, True),
    ("normalized_value_format", "a", {"allowed_patterns": ["("]}, False),
    ("verbatim_speech_constraint", "“Go  on.”", {"expected_utterance": "Go on."}, True),
    ("verbatim_speech_constraint", "go on.", {"expected_utterance": "Go on."}, False),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "given", "expected"), CASES)
def test_functions_decide_as_described(name, text, given, expected):
    assert says_yes(name, text, **given) is expected


def test_unknown_parameters_are_dropped_and_wrong_types_bent_or_defaulted():
    assert says_yes("response_length_constraint", "a b", max_count="2", colour="red")
    assert says_yes("ordered_list_output", "- a", min_items="many")


def test_a_missing_call_counts_as_no():
    rule = release_rules()["videoif:paragraph_count_constraint"]
    check = decide_extracted(rule, ("a",), ReleaseParams())
    assert check.outcome is Outcome.FAIL
    assert "missing" in check.reason


@pytest.mark.parametrize(
    "text",
    ["x", "\ud800", "[" * 90_000, "|" * 50_000, "- a\n" * 20_000, ",\n" * 40_000, "-" * 100_000],
)
@pytest.mark.parametrize("given", ["{}", "", "[", "[1]", "null", '{"min_count": {}}', "[" * 9000])
def test_no_text_and_no_parameters_break_a_function(text, given):
    for name in FUNCTIONS:
        decide_extracted(release_rules()[f"videoif:{name}"], (text, given), ReleaseParams())


QUERY = "Is it exactly two paragraphs?"


def test_the_extraction_gets_the_query_and_an_empty_part_is_the_whole_answer():
    item = make_item("videoif:paragraph_count_constraint", question=QUERY)
    work, answer = make_work(make_sample(checklist=(item,))), make_response("a\n\nb")
    prompts = ask_extractions(work, answer, make_model("x"), indices=[0], rules="release")
    assert QUERY in prompts[0].parts[0].text
    call = {"function_name": "paragraph_count_constraint", "parameters": '{"max_count": 2}'}
    reply = make_response(json.dumps({"extracted_response": "", "function_calls": [call]}))
    found = read_extractions(work, answer, {0: reply}, rules="release")[0]
    assert found == ("a\n\nb", '{"max_count": 2}')


def test_the_releases_judge_gets_query_and_context():
    item = make_item("videoif:temporal_anchor", question="All before?", evidence="It opens at 9.")
    work, answer = make_work(make_sample(checklist=(item,))), make_response("A lamp.")
    words = ask_judge(work, answer, make_model("j"), rules="release")[0].parts[0].text
    assert "All before?" in words
    assert "It opens at 9." in words
    reply = make_response('{"rationale": "so", "answer": "Yes"}')
    assert read_judge(work, answer, {0: reply}, rules="release")[0].outcome is Outcome.PASS
