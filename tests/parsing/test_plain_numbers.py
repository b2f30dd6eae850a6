"""Numbers that are read at a glance are what the rules make of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ifbench.parsing.numbers import (
    last_quantity,
    numbers_by_rules,
    numbers_in,
    quantities_in,
    quantities_of_part,
)
from ifbench.parsing.plain_numbers import plain_number

_PIECES = (
    "Step", "Figure", "May", "in", "since", "of", "mass", "is", "index", "pH", "H", "S-", "x", "Å",
    "1", "2.50", "10", "007", "3,5", "1,234", "2015", "0.5", "٣", "110", "8.05",
    " ", " ", " ", "\n", ", ", ",", ".", ". ", ":", ": ", "=", " = ", ">", "<", "<sup>", "|", "[", "]",
    "(", ")", '"', "'", "-", "−", "–", "+", "±", "×", " × 10^", "^", "_", "{", "}", "$", "\\", "\\,",
    "\\times ", "'100", "E5", "*", "**", "#", "~", "%", "°", "e3", "g", " g", " decimals", " March", "→", "/", "第",
)  # fmt: skip


@given(st.lists(st.sampled_from(_PIECES), max_size=14).map("".join))
def test_a_glance_and_the_rules_agree(text: str) -> None:
    assert numbers_in(text) == numbers_by_rules(text)


_MORE_PIECES = (*_PIECES, "stable ", "unstable, ", "Chapters ", "(1.5 ± 0.2)", "` and ", "```\n")


@given(
    st.lists(st.sampled_from(_MORE_PIECES), min_size=40, max_size=120).map("".join),
    st.integers(0, 400),
    st.integers(0, 200),
)
def test_a_part_and_the_whole_agree(text: str, start: int, length: int) -> None:
    part = (start, start + length)
    assert quantities_of_part(text, *part) == quantities_in(text, *part)
    last = quantities_in(text)[-1:]
    assert last_quantity(text) == (last[0] if last else None)


@pytest.mark.parametrize(
    ("text", "digits", "role"),
    [
        ("the mass is 4.50 kg", "4.50", "quantity"),
        ("<td>8.05</td>", "8.05", "quantity"),
        ("x = 12.", "12", "quantity"),
        ("a near 16000 K", "16000", "quantity"),
        ("row S-01, above", "01", "symbol"),
        ("and H2O boils", "2", "symbol"),
    ],
)
def test_numbers_between_harmless_neighbours_are_plain(text: str, digits: str, role: str) -> None:
    start = text.index(digits)
    integer, _, fraction = digits.partition(".")
    found = (start, start + len(digits), "", integer, fraction, "", "plain", role)
    assert plain_number(text, start) == found


@pytest.mark.parametrize(
    "text",
    [
        "in Step 2 of it", "see Fig. 3 there", "on May 4 we", "in 2015 they", "is 5 × 10^3 g",
        "is 10<sup>3</sup>", "is 1,234 g", "is 2 decimals", "at pH7 it", "v 1.2.3", "a -5 b",
        "x^2", "> 2. text", "a 5e3",
    ],
)  # fmt: skip
def test_what_a_rule_may_be_about_is_left_to_the_rules(text: str) -> None:
    start = next(place for place, character in enumerate(text) if character.isdigit())
    assert plain_number(text, start) is None
