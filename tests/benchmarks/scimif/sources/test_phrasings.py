from __future__ import annotations

import re
from random import Random

import pytest

from ifbench.benchmarks.scimif.sources.phrasings import PHRASINGS, phrase
from ifbench.benchmarks.scimif.taxonomy import CATEGORIES

GENERAL = [name for members in CATEGORIES.values() for name in members]
PARAMS = {
    "general:decimal_number": {"places": 1},
    "general:json_constraint": {"required_keys": ["band_gap"]},
    "general:xml_constraint": {"root": "answer"},
    "general:csv_constraint": {"header": ["property", "value"]},
    "general:choose_from": {"options": ["Yes", "No"]},
    "general:response_structure": {"position": "middle"},
    "general:number_response": {"n": 4},
}
SAID = {
    "general:decimal_number": r"one (?:decimal place|digit)\b",
    "general:json_constraint": r'"band_gap"',
    "general:xml_constraint": r"<answer>|called answer",
    "general:csv_constraint": r"property,value",
    "general:choose_from": r'"Yes" and "No"',
    "general:response_structure": r"\bmiddle\b.*both before and after",
    "general:number_response": r"\b4\b.*entities",
}


@pytest.mark.parametrize("constraint", GENERAL)
def test_each_general_constraint_has_at_least_four_phrasings(constraint):
    assert len(set(PHRASINGS[constraint])) >= 4


@pytest.mark.parametrize("constraint", GENERAL)
def test_every_phrasing_says_its_parameters_in_one_clean_sentence(constraint):
    params = PARAMS.get(constraint, {})
    sentences = {phrase(constraint, params, "entities", Random(n)) for n in range(200)}
    assert len(sentences) == len(PHRASINGS[constraint])
    for sentence in sentences:
        assert sentence.endswith(".")
        assert not re.search(r"  |\{\w|\.\.$|<image>", sentence), sentence
        assert re.search(SAID.get(constraint, ""), sentence), sentence


@pytest.mark.parametrize("places", range(5))
def test_places_are_written_out_in_the_right_number(places):
    sentence = phrase("general:decimal_number", {"places": places}, "", Random(places))
    assert ("one decimal place" in sentence or "one digit" in sentence) == (places == 1)
    assert not re.search(r"one (?:digits|decimal places)", sentence)
