"""Where the final answer stands, sections, first and last words."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from ifbench.constraints.constraint import Check, decide
from ifbench.constraints.scimif.structure import ResponseStructure, response_structure
from ifbench.types import Outcome


def structure(text: str, **params: Any) -> Check:
    return decide(response_structure, text, ResponseStructure.model_validate(params))


@pytest.mark.parametrize(
    ("text", "positions"),
    [
        ("Answer: 5 N", "beginning end"),
        ("Answer: 5 N\n\nForce is mass times acceleration.", "beginning"),
        ("Force is mass times acceleration.\n\nAnswer: 5 N", "end"),
        ("We use F = ma.\n\nThe answer is 5 N.\n\nThis is small.", "middle"),
        ("We use F = ma. The answer is 5 N. This is small.", "middle"),
        ("The answer is 5 N. We use F = ma.", "beginning"),
        ("## Final Answer\n\n5 N", "beginning end"),
        ("# Solution\n\n## Final answer\n5 N\n\n## Why\n\nF = ma", "beginning"),
        ("## Why\n\nF = ma\n\n## Final Answer\n\n5 N\n\n---\n", "end"),
        ("We use F = ma.\n\n$$\n\\boxed{5}\n$$\n", "end"),
        ("\\boxed{5}\n\nWe use F = ma.", "beginning"),
        ("The force \\boxed{5} N is small.\n\nWe use F = ma.", "beginning"),
        ('{"answer": 5, "why": "F = ma"}', "beginning end"),
        ("Answer: 5 N.\n\nWe use F = ma.\n\nSo the answer is 5 N.", "beginning end"),
        ("第一步。\n\n答案：5 牛", "end"),
        ("The answer is obtained as follows. We use F = ma. Therefore it is 5 N.", "end"),
        ("F = ma.\n\n**Final Answers**\n\n1. 5 N\n\n2. 3 m", "end"),
        # No mark: a conclusion, the last quantity, a bare first line.
        ("We use F = ma.\n\nTherefore it is 5 N.", "end"),
        ("We use F = ma.\n\nTherefore it is 5 N.\n\nThank you.", "middle"),
        ("5 N\n\nWe use F = ma with m = 2 kg.", "beginning end"),
        ("Copper\n\nIt conducts best.", "beginning end"),
        ("We use F = ma.\n\nIt is 5 N.", "end"),
        ("Yes. The reaction is exothermic since ΔH < 0, as we see.\n\nIt is.", "beginning middle"),
        ("Sure!\n\nWe use F = ma.\n\nIt is 5 N.", "end"),
        ("**Solution**\n\nWe use F = ma.\n\nIt is 5 N.", "end"),
        ("**Step 1:** Take m = 2 kg.\n\nIt is 5 N.", "end"),
        ("Conclusion: it is stable.\n\nReason: it lies at 0 eV.", "beginning"),
        ("We use F = ma.\n\n**Conclusion:**\n\nIt is 5 N.", "end"),
        (
            "so the current is found.\n\nthe final result $1.9\\,\\Omega\\leq r\\leq 9.9\\,\\Omega$.",
            "end",
        ),
    ],
)
def test_position_of_the_final_answer(text: str, positions: str) -> None:
    held = [
        position
        for position in ("beginning", "middle", "end")
        if structure(text, position=position).outcome is Outcome.PASS
    ]
    assert " ".join(held) == positions


def test_what_stands_in_the_way_is_quoted() -> None:
    check = structure("Answer: 5 N\n\nWe use F = ma.", position="end")
    assert [piece.text for piece in check.evidence] == ["We use F = ma."]
    check = structure("We use F = ma.\n\nAnswer: 5 N", position="beginning")
    assert [piece.text for piece in check.evidence] == ["We use F = ma."]


def test_a_marker_of_the_user_must_be_there_and_tells_the_answer() -> None:
    text = "The answer is near.\n\nRESULT => 5 N"
    assert structure(text, answer_marker="Result =>").outcome is Outcome.PASS
    assert structure(text, answer_marker="Result =>", position="end").outcome is Outcome.PASS
    assert structure(text, answer_marker="Result =>", position="beginning").outcome is Outcome.FAIL
    assert structure(text, answer_marker="Verdict:").outcome is Outcome.FAIL
    assert structure("**Result**: 5 N", answer_marker="Result:").outcome is Outcome.PASS
    assert structure("We see.\nRESULT =>", answer_marker="Result =>").outcome is Outcome.FAIL


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Analysis: a\nConclusion: b", ""),
        ("## Analysis\n\na\n\n## Conclusion\n\nb", ""),
        ("**Analysis**\na\n\n**Conclusion**\nb", ""),
        ("Analysis：甲\nConclusion：乙", ""),
        ("Conclusion: b\nAnalysis: a", "order Conclusion, Analysis"),
        ("Analysis: a", "no section `Conclusion`"),
        ("Analysis:\nConclusion: b", "`Analysis` has no content"),
        ("Analysis: a\nConclusion:", "`Conclusion` has no content"),
        ("My analysis: a\nConclusion: b", "no section `Analysis`"),
        ("(1) Analysis: a\n(2) Conclusion: b", ""),
        ("**1. Analysis**\na\n**2. Conclusion**\nb", ""),
        ("【Analysis】a\n【Conclusion】b", ""),
        ("一、Analysis\na\n二、Conclusion\nb", ""),
        ("Step 1: Analysis\na\nStep 2: Conclusion\nb", ""),
        ("## 🔍 Analysis\na\n## ✅ Conclusion\nb", ""),
        ("The 1. Analysis\nConclusion: b", "no section `Analysis`"),
        ("Conclusion: later\nAnalysis: a\nConclusion: b", ""),
    ],
)
def test_sections_are_there_in_order_with_content(text: str, reason: str) -> None:
    check = structure(text, sections=["Analysis", "Conclusion"])
    assert check.outcome is (Outcome.FAIL if reason else Outcome.PASS)
    assert not reason or reason in check.reason


def test_order_and_last_section_are_choices() -> None:
    text = "Conclusion: b\nAnalysis: a"
    wanted = {"sections": ["Analysis", "Conclusion"], "order": False}
    assert structure(text, **wanted).outcome is Outcome.PASS
    assert structure(text, **wanted, answer_last=True).outcome is Outcome.FAIL


def test_answer_last_without_sections_means_at_the_end() -> None:
    assert structure("F = ma.\n\nAnswer: 5 N", answer_last=True).outcome is Outcome.PASS
    assert structure("Answer: 5 N\n\nF = ma.", answer_last=True).outcome is Outcome.FAIL


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("Sure: it is 5. That is all.", Outcome.PASS),
        ("**Sure**: it is 5. **That is all.**", Outcome.PASS),
        ("“Sure, it is 5. That is all.”", Outcome.PASS),
        ("sure, it is 5. THAT IS ALL.", Outcome.PASS),
        ("> Sure, it is 5.\n\nThat is\nall.", Outcome.PASS),
        ("It is 5. That is all.", Outcome.FAIL),
        ("**Sure**, it is 5. That is all.", Outcome.PASS),
        ("Sure, it is 5. That is all", Outcome.FAIL),
        ("Sure, that is all, is it?", Outcome.FAIL),
        ("Sure", Outcome.FAIL),
    ],
)
def test_first_and_last_words_without_their_dress(text: str, outcome: Outcome) -> None:
    assert structure(text, starts_with="Sure", ends_with="That is all.").outcome is outcome


def test_a_final_stop_that_is_not_asked_for_does_no_harm() -> None:
    assert structure("It is 5. That is all.", ends_with="that is all").outcome is Outcome.PASS


def test_every_problem_is_named() -> None:
    check = structure("a", sections=["Analysis"], starts_with="b", ends_with="c")
    assert check.found["problems"] == 3
    assert check.reason.count(";") == 2


@pytest.mark.parametrize(
    "params",
    [
        {}, {"order": True}, {"sections": []}, {"sections": ["A", "a:"]}, {"sections": [" "]},
        {"starts_with": "  "}, {"position": "top"}, {"position": "beginning", "answer_last": True},
    ],
)  # fmt: skip
def test_params_that_ask_for_nothing_or_contradict_are_refused(params: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ResponseStructure.model_validate(params)


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("answer: 4\nnote: hmm", "fail"),
        ("work: 2 + 2\nanswer: 4\n\n**Note:** hmm", "fail"),
        ("work: 2 + 2\nanswer: 4", "pass"),
        ("answer:\nmass: 4 g\nvolume: 3 mL", "pass"),
        ("answer: 4, because\n2 + 2 = 4", "pass"),
    ],
)
def test_no_other_label_may_follow_an_answer_of_one_line(text, outcome):
    params = ResponseStructure(sections=("answer",), answer_last=True)
    assert response_structure.method.check(text, params).outcome == outcome
