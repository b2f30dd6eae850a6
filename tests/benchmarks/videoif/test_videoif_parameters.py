from __future__ import annotations

import pytest

from ifbench.benchmarks.videoif.constraint_types import TYPES
from ifbench.benchmarks.videoif.parameters import read_params
from ifbench.types import UnboundParams


def read(name: str, query: str, context: str = "") -> dict | str:
    """What differs from the defaults, or `unbound`."""
    params = read_params(name, query, context)
    if isinstance(params, UnboundParams):
        assert params.raw == query
        assert params.reason
        return "unbound"
    return params.model_dump(exclude_defaults=True)


CASES = [
    ("response_length_constraint", "Is the response at most 60 words?", {"max": 60}),
    ("response_length_constraint", "Is it no more than sixty words?", {"max": 60}),
    ("response_length_constraint", "Is the answer 80 to 120 words long?", {"min": 80, "max": 120}),
    ("response_length_constraint", "Is it between 80 and 120 words?", {"min": 80, "max": 120}),
    ("response_length_constraint", "Has it fewer than 50 words?", {"max": 49}),
    ("response_length_constraint", "Is it 50 words or fewer?", {"max": 50}),
    ("response_length_constraint", "Does it contain exactly 1,000 words?", {"min": 1000, "max": 1000}),
    ("response_length_constraint", "Has it more than 20 words?", {"min": 21}),
    ("response_length_constraint", "Is it exactly three sentences?", {"min": 3, "max": 3, "unit": "sentence"}),
    ("response_length_constraint", "回答是否不超过200字？", {"max": 200, "unit": "zh_length"}),
    ("response_length_constraint", "回答是否在100字以内？", {"max": 100, "unit": "zh_length"}),
    ("response_length_constraint", "回答是否为80到120个字？", {"min": 80, "max": 120, "unit": "zh_length"}),
    ("response_length_constraint", "Is each bullet at most 10 words?", "unbound"),
    ("response_length_constraint", "Are there 10 words per sentence?", "unbound"),
    ("response_length_constraint", "Is it 50 words in 3 sentences?", "unbound"),
    ("response_length_constraint", "Is the answer short?", "unbound"),
    ("response_length_constraint", "Is it no longer than 50 words?", {"max": 50}),
    ("response_length_constraint", "Is it at least 50 but no more than 80 words?", {"min": 50, "max": 80}),
    ("response_length_constraint", "Is it about 50 words?", "unbound"),
    ("response_length_constraint", "Is the word count between 80 and 120?", {"min": 80, "max": 120}),
    ("response_length_constraint", "Is it at most twenty-five words?", "unbound"),
    ("response_length_constraint", "Is it at most two hundred words?", "unbound"),
    ("response_length_constraint", "是否不超过二十五字？", "unbound"),
    ("response_length_constraint", "Is it at most 2.5 words?", "unbound"),
    ("paragraph_count_constraint", "Does it have exactly 3 paragraphs?", {"min": 3, "max": 3}),
    ("paragraph_count_constraint", "Is it written in two short paragraphs?", {"min": 2, "max": 2}),
    ("paragraph_count_constraint", "Is it a single paragraph?", {"min": 1, "max": 1}),
    ("paragraph_count_constraint", "回答是否恰好三段？", {"min": 3, "max": 3}),
    ("paragraph_count_constraint", "Are there two paragraphs separated by '***'?", {"min": 2, "max": 2, "separator": "***"}),
    ("paragraph_count_constraint", "Is it well structured?", "unbound"),
    ("list_item_count_constraint", "Are there no more than 5 items?", {"max": 5}),
    ("list_item_count_constraint", "Are there exactly five bullet points?", {"min": 5, "max": 5, "markers": "bullet"}),
    ("list_item_count_constraint", "Does the numbered list have 3 items?", {"min": 3, "max": 3, "markers": "numbered"}),
    ("list_item_count_constraint", "列表是否最多4条？", {"max": 4}),
    ("list_item_count_constraint", "Does the list cover 3 dogs?", "unbound"),
    ("ordered_list_output", "Is the answer an ordered list?", {"markers": "numbered"}),
    ("ordered_list_output", "Is it a bullet list?", {"markers": "bullet"}),
    ("ordered_list_output", "Is it an ordered list or a bullet list?", {}),
    ("required_keyword_inclusion", 'Does it include the keyword "touchdown"?', {"keywords": ("touchdown",)}),
    ("required_keyword_inclusion", "Does it include the word touchdown exactly three times?", {"keywords": ("touchdown",), "min_count": 3, "max_count": 3}),
    ("required_keyword_inclusion", "Does it use 'lamp' and 'door' at least twice?", {"keywords": ("lamp", "door"), "min_count": 2}),
    ("required_keyword_inclusion", "Does it use either 'lamp' or 'door'?", {"keywords": ("lamp", "door"), "match": "any"}),
    ("required_keyword_inclusion", "是否包含关键词“灯”？", {"keywords": ("灯",)}),
    ("required_keyword_inclusion", "Does it include the word count?", "unbound"),
    ("required_keyword_inclusion", "Does it contain both keywords: sunset and ocean?", {"keywords": ("sunset", "ocean")}),
    ("required_keyword_inclusion", "Does it name the sport?", "unbound"),
    ("forbidden_keyword_exclusion", "Does it avoid mentioning she, he, it, they, or we?", {"keywords": ("she", "he", "it", "they", "we")}),
    ("forbidden_keyword_exclusion", "Is it without any form of the word 'move'?", {"keywords": ("move",), "inflections": True}),
    ("forbidden_keyword_exclusion", "Does it avoid mentioning colors?", "unbound"),
    ("forbidden_keyword_exclusion", "Does it avoid red, blue, or very green objects?", "unbound"),
    ("structured_json_output", "Is it a JSON object with keys reason and evidence_segments?", {"top_level": "object", "required_keys": ("reason", "evidence_segments")}),
    ("structured_json_output", "Is it JSON with keys a, b and no other keys?", {"required_keys": ("a", "b"), "extra_keys": False}),
    ("structured_json_output", 'Is it a JSON array whose fields are "start" and "end"?', {"top_level": "array", "required_keys": ("start", "end")}),
    ("structured_json_output", "Is the output valid JSON?", {}),
    ("structured_json_output", "Is it JSON with the right keys?", "unbound"),
    ("table_output", "Is it a Markdown table?", {"format": "markdown"}),
    ("table_output", "Is it a two-column table?", {"columns_count": 2}),
    ("table_output", 'Is it a table with columns "time" and "event"?', {"columns": ("time", "event")}),
    ("table_output", "Is it a table with the columns Time, Speaker, and Content?", {"columns": ("Time", "Speaker", "Content")}),
    ("table_output", "Is it a table with the columns of the first figure and nothing else?", {}),
    ("table_output", "Is it a CSV table of 3 columns and at least 4 rows?", {"format": "csv", "columns_count": 3, "min_rows": 4}),
    ("closed_set_option_output", "Is the answer exactly one of: yes, no, unknown?", {"options": ("yes", "no", "unknown")}),
    ("closed_set_option_output", "Is it one of ['A', 'B']?", {"options": ("A", "B")}),
    ("closed_set_option_output", "Is the answer either yes or no?", {"options": ("yes", "no")}),
    ("closed_set_option_output", "Is it one of the options?", "unbound"),
    ("normalized_value_format", "Are dates in [YYYY-MM-DD] format?", {"kind": "date", "format": "YYYY-MM-DD", "scope": "all"}),
    ("normalized_value_format", "Are all timestamps in MM:SS format?", {"kind": "time", "format": "MM:SS", "scope": "all"}),
    ("normalized_value_format", "Is only a single capital letter returned?", {"kind": "letter"}),
    ("normalized_value_format", "Is the label normalized?", "unbound"),
    ("response_language", "Is the entire answer in Spanish?", {"languages": ("es",)}),
    ("response_language", "Is it in both English and Chinese?", {"languages": ("en", "zh")}),
    ("response_language", "Is it in Simplified Chinese?", {"languages": ("zh-hans",)}),
    ("response_language", "回答是否全部使用日语？", {"languages": ("ja",)}),
    ("response_language", "Is it in Spanish rather than English?", "unbound"),
    ("response_language", "Is it in Klingon?", "unbound"),
    ("title_requirement", "Is there a short title before the summary?", {}),
    ("title_requirement", "Is there a title of at most 5 words at the beginning?", {"max_words": 5}),
    ("title_requirement", "Is there a title wrapped in << and >>?", {"style": "wrapped", "placement": "anywhere"}),
    ("title_requirement", "Is there a bold title at the end?", {"style": "bold", "placement": "last"}),
    ("entity_label_set_restriction", "Are entities named only by these names: [Anna, John]?", {"labels": ("Anna", "John")}),
    ("entity_label_set_restriction", "Are only the given labels used?", "unbound"),
    ("output_ordering", "Are events in chronological order?", {"key": "time"}),
    ("output_ordering", "Are they in reverse chronological order?", {"key": "time", "direction": "descending"}),
    ("output_ordering", "Are they from farthest to nearest?", {}),
    ("text_type_restriction", "Is any quoted on-screen text in uppercase?", {"case": "upper"}),
    ("text_type_restriction", "Is all text except quotes in uppercase?", {}),
    ("first_person_perspective", "Is it from the perspective of the woman in red?", {"entity": "the woman in red"}),
    ("temporal_anchor", "Is it all before the door opens?", {}),
    ("verbatim_speech_constraint", 'Does it say "Mind the step."?', {"expected_utterance": "Mind the step."}),
    ("unheard_of", "Is it?", "unbound"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "query", "expected"), CASES)
def test_a_query_is_read_where_it_is_plain_and_left_where_it_is_not(name, query, expected):
    assert read(name, query) == expected


def test_an_utterance_may_stand_in_the_context():
    read_back = read("verbatim_speech_constraint", "Is it verbatim?", 'The guide says "Go on."')
    assert read_back == {"expected_utterance": "Go on."}


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize(
    "query", ["", "?", "\ud800", "a" * 9000, "[" * 6000, '"' * 6000, "1 " * 3000, "one of: " * 900]
)
def test_no_query_breaks_a_reader(name, query):
    read_params(name, query, query)
