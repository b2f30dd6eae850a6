"""Upper and lower case, with symbols, markup and other scripts."""

from __future__ import annotations

from typing import Any

import pytest

from ifbench.constraints.constraint import Check, decide
from ifbench.constraints.scimif.letter import LetterCase, all_lowercase, all_uppercase
from ifbench.types import Outcome


def lower(text: str, **params: Any) -> Check:
    return decide(all_lowercase, text, LetterCase(**params))


def upper(text: str, **params: Any) -> Check:
    return decide(all_uppercase, text, LetterCase(**params))


@pytest.mark.parametrize(
    "text",
    [
        "the force is 5 n.", "é ñ ß", "ответ", "αβγ", r"\(f = \frac{m v}{t}\)",
        r"$1.9\,\Omega\leq r\leq 9.9\,\Omega$", "```JSON\n{}\na\n```", "温度 a", "ª ⁿ ℏ a",
        r"\begin{Bmatrix} a \end{Bmatrix}", "ﬁ",
    ],
)  # fmt: skip
def test_lower_case_passes(text: str) -> None:
    check = lower(text)
    assert check.outcome is Outcome.PASS, check.reason


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("The force", ["T"]), ("NaCl", ["N", "C"]), ("É", ["É"]), ("İ", ["İ"]), ("Ω", ["Ω"]),
        ("ǅ", ["ǅ"]), (r"\frac{A}{b}", ["A"]), ("𝐑 = 5 a", ["𝐑"]), ("```json\nA\n```", ["A"]),
        ("a `B` c", ["B"]), ("Ⅷ a", ["Ⅷ"]),
    ],
)  # fmt: skip
def test_upper_case_breaks_lower_case_and_is_quoted(text: str, wrong: list[str]) -> None:
    check = lower(text)
    assert check.outcome is Outcome.FAIL
    assert [piece.text for piece in check.evidence] == wrong
    assert check.found["wrong"] == sum(map(len, wrong))


def test_symbols_count_as_in_the_case_study_of_the_paper() -> None:
    # SciMIF, Figure 9: an otherwise lower-case derivation fails on the symbols R, E, B and L.
    text = (
        "by ohm's law the current is $I = \\frac{E}{R + r}$ and the force is $f = B I L$.\n"
        "the final result is $1.9\\,\\Omega\\leq r\\leq 9.9\\,\\Omega$."
    )
    check = lower(text)
    assert check.outcome is Outcome.FAIL
    assert [piece.text for piece in check.evidence] == ["I", "E", "R", "B", "I", "L"]
    assert lower(text.replace("I", "i").replace("E", "e").replace("R", "q").replace("B", "b")
                 .replace("L", "l")).outcome is Outcome.PASS  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["THE FORCE IS 5 N.", "É Ñ", "ОТВЕТ", r"\(F = \frac{M V}{T}\)", "```python\nA\n```", "STRAẞE"],
)
def test_upper_case_passes(text: str) -> None:
    check = upper(text)
    assert check.outcome is Outcome.PASS, check.reason


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("The FORCE", ["he"]), ("NaCl", ["a", "l"]), ("STRAßE", ["ß"]), ("ǅ", ["ǅ"]), ("5 µM", ["µ"]),
        ("Title Case", ["itle", "ase"]), (r"\frac{a}{B}", ["a"]), ("𝑚 A", ["𝑚"]), ("ﬁ A", ["ﬁ"]),
    ],
)  # fmt: skip
def test_lower_case_breaks_upper_case_and_is_quoted(text: str, wrong: list[str]) -> None:
    check = upper(text)
    assert check.outcome is Outcome.FAIL
    assert [piece.text for piece in check.evidence] == wrong


@pytest.mark.parametrize("text", ["123", "1.50 ± 0.05", "温度", "!?", r"\frac{1}{2}", "שלום"])
def test_a_text_without_cased_letters_is_of_neither_case(text: str) -> None:
    assert lower(text).outcome is Outcome.FAIL
    assert upper(text).outcome is Outcome.FAIL


def test_markup_counts_where_it_is_asked_for() -> None:
    assert lower(r"$\Omega$ a", ignore_latex_commands=False).outcome is Outcome.FAIL
    assert upper(r"$\frac{A}{B}$", ignore_latex_commands=False).outcome is Outcome.FAIL
    assert lower("```JSON\na\n```", ignore_code_info=False).outcome is Outcome.FAIL


def test_the_reason_shows_the_first_wrong_word() -> None:
    assert "`Newton's`" in lower("by Newton's law, F = ma").reason


@pytest.mark.parametrize("alphabets", ["AB", "ABÉΑΩ", "".join(map(chr, (*range(65, 91), *range(0x391, 0x3A2), *range(0x410, 0x430))))])  # fmt: skip
def test_every_wrong_letter_is_counted(alphabets: str) -> None:
    wanted = sum(letter.isupper() for letter in alphabets)
    check = lower(f"{alphabets} a {alphabets.lower()} {alphabets}")
    assert check.found["wrong"] == 2 * wanted
    assert check.reason.startswith(f"{2 * wanted} letters are not lower case")
