"""φ, Jaccard and χ² on tables worked out by hand, and on the paper's own Table 14."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factories import make_score
from ifbench.analysis.association import (
    Contingency,
    associations,
    chi_squared_tail,
    contingency,
)
from ifbench.benchmarks.scimif.printed import SAMPLES, TABLE_14
from ifbench.types import Score

PRINTED = {row.model: row for row in TABLE_14}


def graded(correct: bool | None, *satisfied: bool | None) -> Score:
    return make_score(satisfied, correct=correct)


def make_table(cf: int, cv: int, if_: int, iv: int) -> Contingency:
    return Contingency(
        correct_followed=cf, correct_violated=cv, incorrect_followed=if_, incorrect_violated=iv
    )


# ── Which cell ───────────────────────────────────────────────────────────────────────


def test_one_broken_item_is_a_violation():
    scores = [
        graded(True, True, True),
        graded(True, True, False),
        graded(False, True),
        graded(False, False),
        graded(False, False, False),
    ]
    assert contingency(scores).cells == (1, 1, 1, 2)


def test_what_is_undecided_on_either_side_stands_in_no_cell():
    table = contingency([graded(None, True), graded(True, True, None)])
    assert (table.n, table.undecided) == (0, 2)


def test_a_sample_without_items_is_left_out():
    table = contingency([graded(True), graded(True, True)])
    assert (table.n, table.undecided) == (1, 0)


# ── The coefficients ─────────────────────────────────────────────────────────────────


def test_a_table_worked_out_by_hand():
    # Expected counts are 20, 30, 20, 30: χ² = 100/20 + 100/30 + 100/20 + 100/30 = 50/3.
    table = make_table(30, 20, 10, 40)
    assert table.chi_squared == pytest.approx(50 / 3)
    assert table.phi == pytest.approx(math.sqrt(50 / 3 / 100))
    assert table.jaccard == pytest.approx(0.5)
    assert table.p_value == pytest.approx(4.4557e-5, rel=1e-4)


def test_an_inverse_association_has_a_negative_phi_and_the_same_p():
    forth, back = make_table(30, 20, 10, 40), make_table(20, 30, 40, 10)
    assert back.phi == pytest.approx(-forth.phi)
    assert back.p_value == pytest.approx(forth.p_value)


@given(st.tuples(*[st.integers(1, 3000)] * 4))
def test_phi_is_the_root_of_the_statistic_over_n(cells):
    table = make_table(*cells)
    expected = [
        sum(cells[i] for i in row) * sum(cells[i] for i in column) / table.n
        for row, column in (((0, 1), (0, 2)), ((0, 1), (1, 3)), ((2, 3), (0, 2)), ((2, 3), (1, 3)))
    ]
    statistic = sum((o - e) ** 2 / e for o, e in zip(cells, expected, strict=True))
    assert table.chi_squared == pytest.approx(statistic, rel=1e-6, abs=1e-9)
    assert -1 <= table.phi <= 1


@pytest.mark.parametrize(
    ("statistic", "p"), [(0.0, 1.0), (3.841458820694124, 0.05), (6.634896601021213, 0.01)]
)
def test_tail_has_the_textbook_quantiles(statistic, p):
    assert chi_squared_tail(statistic) == pytest.approx(p, rel=1e-12)


@pytest.mark.parametrize(
    ("cells", "jaccard"),
    [
        ((0, 0, 0, 0), None),
        ((0, 0, 0, 7), None),
        ((5, 5, 0, 0), 0.5),
        ((0, 0, 5, 5), 0.0),
        ((5, 0, 5, 0), 0.5),
        ((7, 0, 0, 0), 1.0),
    ],
)
def test_a_zero_margin_gives_no_phi_and_no_p(cells, jaccard):
    table = make_table(*cells)
    assert (table.phi, table.chi_squared, table.p_value) == (None, None, None)
    assert table.jaccard == jaccard


# ── Several models ───────────────────────────────────────────────────────────────────


def spread(cf: int, cv: int, if_: int, iv: int) -> list[Score]:
    cells = [(True, True), (True, False), (False, True), (False, False)]
    return [
        graded(*cell)
        for cell, count in zip(cells, (cf, cv, if_, iv), strict=True)
        for _ in range(count)
    ]


def test_p_is_corrected_for_the_models_that_were_tested():
    # p of the first table is 0.0455: significant alone, not beside a second model.
    alone = associations({"a": spread(30, 20, 20, 30)})
    beside = associations({"a": spread(30, 20, 20, 30), "b": spread(25, 25, 25, 25)})
    assert alone[0].is_significant is True
    assert [one.is_significant for one in beside] == [False, False]
    assert beside[0].corrected_p == pytest.approx(2 * alone[0].corrected_p)
    assert beside[1].corrected_p == 1.0


def test_a_model_without_a_test_does_not_count_as_one():
    found = associations({"a": spread(30, 20, 20, 30), "all right": spread(9, 1, 0, 0)})
    assert [one.tests for one in found] == [1, 1]
    assert (found[1].corrected_p, found[1].is_significant) == (None, None)


# ── SciMIF, Table 14 ─────────────────────────────────────────────────────────────────


def reachable(row, n: int) -> bool:
    """True when some φ and p that print as the row's belong together at `n` samples."""
    last_digit = Decimal(str(row.p_value)).normalize().as_tuple().exponent
    half = 0.5 * 10 ** int(last_digit)
    most, least = (chi_squared_tail(n * (row.phi + e) ** 2) for e in (-5e-5, 5e-5))
    return least <= row.p_value + half and most >= row.p_value - half


@pytest.mark.parametrize("model", ["GPT-5.2", "Grok-4-Fast"])
def test_all_samples_give_the_printed_p_of_two_models(model):
    assert reachable(PRINTED[model], SAMPLES)


def test_the_printed_phi_itself_gives_p_to_its_last_digits():
    gpt, grok = PRINTED["GPT-5.2"], PRINTED["Grok-4-Fast"]
    assert chi_squared_tail(SAMPLES * gpt.phi**2) == pytest.approx(gpt.p_value, rel=0.01)
    assert round(chi_squared_tail(SAMPLES * grok.phi**2), 2) == grok.p_value


@pytest.mark.parametrize(
    "model",
    ["Gemini-3.1-Pro-Preview", "Claude-Sonnet-4-6", "Qwen3.5-397B-A17B", "InternVL3.5-14B"],
)
def test_the_other_models_were_tested_on_fewer_samples_than_there_are(model):
    fitting = [n for n in range(2000, 3000) if reachable(PRINTED[model], n)]
    assert fitting
    assert fitting[0] >= 2495
    assert fitting[-1] < SAMPLES


def test_whole_numbers_of_samples_can_have_all_figures_that_are_printed_of_claude():
    # Found by a search over the tables of 2,501 samples; the paper prints no cells.
    table = make_table(562, 615, 367, 957)
    row = PRINTED["Claude-Sonnet-4-6"]
    assert table.n == 2501
    assert round(table.phi, 4) == row.phi
    assert round(table.jaccard, 4) == row.jaccard
    assert f"{table.p_value:.2e}" == "4.31e-25"
