"""The checks of a choice; how answers are read is tested with `parsing.options`."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from ifbench.constraints.constraint import decide
from ifbench.constraints.scimif.selection import ChooseFrom, Judge, choose_from, judge
from ifbench.types import Outcome


@pytest.mark.parametrize(
    ("params", "text", "extracted"),
    [
        ({"options": ["metal", "insulator"]}, "Metal.", "metal"),
        ({"options": ["metal", "insulator"], "mode": "label"}, "(B)", "insulator"),
        ({"options": ["x", "y"], "labels": ["P", "Q"], "mode": "label"}, "Q", "y"),
        ({"labels": ["A", "B"], "mode": "label"}, "B.", "B"),
        ({"options": ["metal", "insulator"], "mode": "contains"}, "It is a metal.", "metal"),
        (
            {"options": ["x1", "x2"], "mode": "label", "allow_explanation": True},
            "The field is strong. The answer is B.",
            "x2",
        ),
    ],
)
def test_a_choice_is_extracted(params: dict[str, Any], text: str, extracted: str) -> None:
    check = decide(choose_from, text, ChooseFrom.model_validate(params))
    assert (check.outcome, check.extracted) == (Outcome.PASS, extracted)
    assert check.evidence


@pytest.mark.parametrize(
    ("params", "text", "reason"),
    [
        ({"options": ["metal", "insulator"]}, "It is a metal.", "not one of the options alone"),
        ({"options": ["metal", "insulator"]}, "gas", "`metal`, `insulator`"),
        ({"options": ["metal", "insulator"], "mode": "contains"}, "gas", "none of the options"),
        ({"options": ["metal", "ore"], "mode": "contains"}, "metal or ore", "2 options"),
    ],
)
def test_what_is_no_choice_fails_with_the_options_named(
    params: dict[str, Any], text: str, reason: str
) -> None:
    check = decide(choose_from, text, ChooseFrom.model_validate(params))
    assert check.outcome is Outcome.FAIL
    assert reason in check.reason


@pytest.mark.parametrize(
    "params",
    [
        {}, {"options": []}, {"options": ["a"]}, {"options": ["a", "A"]}, {"options": ["a", " "]},
        {"options": ["a", "b"], "labels": ["A"]}, {"labels": ["A", "B"], "mode": "contains"},
        {"options": [f"o{n}" for n in range(27)], "mode": "label"}, {"options": ["a_b", "a b"]},
        {"options": ["a", "b"], "mode": "fuzzy"}, {"options": "ab"},
    ],
)  # fmt: skip
def test_choices_that_make_no_sense_are_refused(params: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ChooseFrom.model_validate(params)


def test_options_that_differ_in_case_alone_need_case() -> None:
    params = ChooseFrom(options=("Co", "CO"), ignore_case=False)
    assert decide(choose_from, "CO", params).extracted == "CO"


@pytest.mark.parametrize(
    ("text", "explanation", "outcome"),
    [
        ("Yes", False, Outcome.PASS),
        ("**No.**", False, Outcome.PASS),
        ("Yes, it is.", False, Outcome.FAIL),
        ("Yes, it is.", True, Outcome.PASS),
        ("I know.", False, Outcome.FAIL),
        ("It is so. Yes.", True, Outcome.FAIL),
    ],
)
def test_judge_wants_yes_or_no(text: str, outcome: Outcome, *, explanation: bool) -> None:
    assert decide(judge, text, Judge(explanation=explanation)).outcome is outcome


def test_judge_quotes_what_is_too_much() -> None:
    check = decide(judge, "No, it is endothermic.", Judge())
    assert [piece.text for piece in check.evidence] == [", it is endothermic"]
    assert "more than `no`" in check.reason


@pytest.mark.parametrize("labels", [["yes", "Yes"], ["yes", " "], ["yes"], ["a", "b", "c"]])
def test_judge_labels_are_two_different_words(labels: list[str]) -> None:
    with pytest.raises(ValidationError):
        Judge.model_validate({"labels": labels})
