"""Decimal places and scientific notation, with the near misses."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from ifbench.constraints.constraint import Check, decide
from ifbench.constraints.scimif.precision import (
    DecimalNumber,
    ScientificAnnotation,
    decimal_number,
    scientific_annotation,
)
from ifbench.types import Outcome


def decimals(text: str, places: int, **more: Any) -> Check:
    return decide(decimal_number, text, DecimalNumber(places=places, **more))


def scientific(text: str, **params: Any) -> Check:
    return decide(scientific_annotation, text, ScientificAnnotation(**params))


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("1.50", 2), ("The yield is 12.50%.", 2), ("1,234.50 g", 2), ("12.00–15.00 °C", 2),
        ("x² = 2.25", 2), ("It is 10.", 0), ("Step 2: the mass of H2O is 18.02 g", 2),
        ("1. Weigh 5.00 g.\n2. Add 2.50 mL.", 2), ('{"step": 1, "mass": 7.400}', 3),
        ("2.50 × 10^3 J", 2), ("2.50e-3", 2), (r"$E = \frac{1}{2}mv^{2} = 12.50\,\text{J}$", 2),
        ("质量为5.00克", 2), ("As shown [12], it is 3.14.", 2), ("On 2024-05-03 it was 3.14.", 2),
        ('```json\n{"v": 3.14}\n```', 2), ("−3.14 and +3.14", 2), ("٣٫١٤", 2),
        ("(1.50 ± 0.05) × 10^3 J", 2), ("2 H2 + O2 → 2 H2O gives 571.66 kJ", 2),
        ("| m (g) | T |\n|---|---|\n| 5.00 | 3.10 |", 2), ("a pH of 7.40 (Fig. 3)", 2),
    ],
)  # fmt: skip
def test_answers_with_the_asked_places_pass(text: str, places: int) -> None:
    check = decimals(text, places)
    assert check.outcome is Outcome.PASS, check.reason


@pytest.mark.parametrize(
    ("text", "places", "wrong"),
    [
        ("1.5", 2, ["1.5"]), ("1.500", 2, ["1.500"]), ("It is 10.", 2, ["10"]),
        ("1.50 and 1.5", 2, ["1.5"]), ("1,234.5", 2, ["1,234.5"]), ("12.0–15.00", 2, ["12.0"]),
        ("3 mol and 2.50 g", 2, ["3"]), ("7.4", 3, ["7.4"]), ("2.5 × 10^3", 2, ["2.5 × 10^3"]),
        ("(1.50 ± 0.1) × 10^3 J", 2, ["0.1"]), ("10.0", 0, ["10.0"]), ("3,14", 2, ["3", "14"]), ("1/2", 2, ["1", "2"]),
    ],
)  # fmt: skip
def test_other_places_fail_and_are_quoted(text: str, places: int, wrong: list[str]) -> None:
    check = decimals(text, places)
    assert check.outcome is Outcome.FAIL
    assert [piece.text for piece in check.evidence] == wrong
    assert check.found["wrong"] == len(wrong)
    assert f"`{wrong[0]}`" in check.reason


@pytest.mark.parametrize("text", ["No number here.", "Step 2", "H2O", "x_{1}"])
def test_an_answer_without_a_quantity_fails(text: str) -> None:
    check = decimals(text, 2)
    assert check.outcome is Outcome.FAIL
    assert "no number" in check.reason


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        (r"2 + 3.5 gives \boxed{5.50}", Outcome.PASS),
        (r"2.00 + 3.50 gives \boxed{5.5}", Outcome.FAIL),
        ("2 + 3.5. The final answer is 5.50 g.", Outcome.PASS),
        ("2 + 3.5, that is 5.50 g", Outcome.PASS),
        ("2.00 + 3.50, that is 5.5 g", Outcome.FAIL),
        ('{"n": 3, "answer": 5.50}', Outcome.PASS),
        ("The final answer is copper. It melts at 1085.00 °C.", Outcome.FAIL),
        ("**Final Answers**\n1. 4.50 kg\n2. 3.20 m", Outcome.PASS),
        ("**Final Answers**\n\n1. 4.50 kg\n\n2. 3.2 m", Outcome.FAIL),
        ("## Final Answer\n\n4.50 kg\n\nWe used g = 9.8.", Outcome.PASS),
    ],
)
def test_scope_final_reads_the_final_answer_only(text: str, outcome: Outcome) -> None:
    assert decimals(text, 2, scope="final").outcome is outcome


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ('{"n": 3, "mass": 7.400}', Outcome.PASS),
        ('{"n": 3.000, "mass": 7.4}', Outcome.FAIL),
        ('{"n": 3.000}', Outcome.FAIL),
        ("n: 3\nmass: 7.400 g", Outcome.PASS),
        ('{"mass": "unknown"}', Outcome.FAIL),
    ],
)
def test_scope_keys_reads_the_named_values_from_the_source(text: str, outcome: Outcome) -> None:
    assert decimals(text, 3, scope="keys", keys=("mass",)).outcome is outcome


def test_a_decimal_comma_counts_only_where_it_is_asked_for() -> None:
    assert decimals("3,14 kg", 2).outcome is Outcome.FAIL
    assert decimals("3,14 kg", 2, decimal_mark=",").outcome is Outcome.PASS


@pytest.mark.parametrize(
    "text",
    [
        "1.5e-3", "6.02E23", "1.5 × 10^{-3}", r"$1.5\times10^{-3}$", "1.5·10⁻³ m", "1.5 x 10^5",
        "The energy is 2.0 × 10^3 J in Step 2, at 3.0 × 10^2 K.", "0.0e0", "-2.5 × 10^3", "10^5 cells",
        "(1.50 ± 0.05) × 10^3 m", "1.50 × 10^3 ± 0.05 × 10^3 m", '{"v": 1.5e-3}', "H2O has 3.34 × 10²² molecules",
    ],
)  # fmt: skip
def test_scientific_notation_passes_in_every_spelling(text: str) -> None:
    check = scientific(text)
    assert check.outcome is Outcome.PASS, check.reason


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("1500", ["1500"]), ("0.0015", ["0.0015"]), ("3 × 10 cells", ["3", "10"]),
        ("15 × 10^3", ["15 × 10^3"]), ("0.5e3", ["0.5e3"]),
        ("1.5 × 10^3 J, that is 1500 J", ["1500"]), ("1.5 × 10-3", ["1.5", "10", "3"]),
    ],
)  # fmt: skip
def test_other_notations_fail_and_are_quoted(text: str, wrong: list[str]) -> None:
    check = scientific(text)
    assert check.outcome is Outcome.FAIL
    assert [piece.text for piece in check.evidence] == wrong


def test_the_mantissa_may_be_open_or_counted() -> None:
    assert scientific("15 × 10^3", normalized=False).outcome is Outcome.PASS
    assert scientific("1.50 × 10^3", mantissa_places=2).outcome is Outcome.PASS
    assert scientific("1.5 × 10^3", mantissa_places=2).outcome is Outcome.FAIL
    assert scientific("10^3", mantissa_places=2).outcome is Outcome.FAIL
    assert scientific("2 × 10^3", mantissa_places=0).outcome is Outcome.PASS


@pytest.mark.parametrize(
    "params",
    [
        {}, {"places": -1}, {"places": 21}, {"places": 2, "scope": "keys"},
        {"places": 2, "keys": ["mass"]}, {"places": 2, "scope": "some"},
        {"places": 2, "decimal_mark": ";"}, {"places": "two"},
    ],
)  # fmt: skip
def test_params_that_make_no_sense_are_refused(params: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        DecimalNumber.model_validate(params)


def test_zero_places_survive_as_a_parameter() -> None:
    assert DecimalNumber.model_validate({"places": 0}).places == 0
    assert ScientificAnnotation.model_validate({"mantissa_places": 0}).mantissa_places == 0
