"""Which option an answer chooses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ifbench.parsing.option_words import Options, options_in
from ifbench.parsing.options import read_choice

METALS = Options(texts=("iron", "copper", "zinc"), labels=("A", "B", "C"))
BARE = Options(labels=("A", "B", "C", "D"))
PHASES = Options(texts=("stable", "unstable", "Not stable at all"))


def label(text: str, options: Options = METALS, *, allow_explanation: bool = True) -> str:
    choice = read_choice(text, options, "label", allow_explanation=allow_explanation)
    return "" if choice.option is None else options.labels[choice.option]


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("B", "B"), ("b", "B"), ("(B)", "B"), ("[B]", "B"), ("B.", "B"), ("B)", "B"), ("**B**", "B"),
        ("**B.** copper", "B"), ("B. copper", "B"), ("B) Copper.", "B"), ("B - copper", "B"),
        ("(B) copper", "B"), ("Copper", "B"), ("Option B", "B"), (r"\boxed{B}", "B"),
        (r"\boxed{\text{(B)}}", "B"), ('{"answer": "B"}', "B"), ("<answer>B</answer>", "B"),
        ("The answer is B.", "B"), ("The answer is (B) because it conducts.", "B"),
        ("The answer is A because it rusts.", "A"), ("Final answer: B", "B"),
        ("**Answer:** B. It conducts.", "B"), ("答案：B", "B"),
        ("The answer is A. Wait. The answer is C.", "C"), ("A is wrong. Answer: B", "B"),
        ("The correct option is B", "B"), ("(A) rusts. (B) is correct.", "B"),
        ("I take B, not C.", "B"), ("B\n\nIt conducts.", "B"), ("It conducts, so (B).", "B"),
        ("I choose option B, for it conducts.", "B"), ("The answer is copper, for it conducts.", "B"),
        ("选B", "B"), ("导电性好，故选：B。", "B"), ("正确选项是 B。", "B"), ("选项A不对，选B", "B"),
        ("B\n\nVitamin C and option A do not matter.", "B"), ("B. copper\n\nOption A rusts.", "B"),
        ("A. iron\nB. copper\n\nBoth conduct.", ""), ("不选B", ""),
        # Near misses: articles, words, two labels, none.
        ("A catalyst is needed.", ""), ("The answer is a catalyst.", ""),
        ("Answer: A catalyst is needed.", ""), ("Answer", ""), ("Because", ""), ("A or B", ""),
        ("Both A and B", ""), ("B and C", ""), ("(A) or (C)", ""), ("D", ""), ("The answer is D.", ""),
        ("The answer is not B.", ""), ("copperfield", ""), ("vitamin B12", ""), ("B-cells", ""),
    ],
)  # fmt: skip
def test_label_mode_reads_labels_and_not_words(text: str, chosen: str) -> None:
    assert label(text) == chosen


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("B", "B"), ("(B).", "B"), ("The answer is B.", "B"), ("B. copper", "B"),
        ("copper (B)", "B"), ("Copper [B].", "B"), ("Choice: B", "B"), ("**Option:** B", "B"),
        ("- B", "B"), ("- copper", "B"), ("• B. copper", "B"), ("copper (A)", ""), ("- A\n- B", ""),
        ("B, because it conducts well in each of these cases.", ""),
        ("B\n\nIt conducts.", ""), ("It conducts, so (B).", ""),
    ],
)  # fmt: skip
def test_without_an_explanation_the_choice_stands_alone(text: str, chosen: str) -> None:
    assert label(text, allow_explanation=False) == chosen


@pytest.mark.parametrize(("text", "chosen"), [("C", "C"), ("(d)", "D"), ("E", ""), ("C D", "")])
def test_options_may_be_labels_alone(text: str, chosen: str) -> None:
    assert label(text, BARE) == chosen


def test_labels_may_be_digits() -> None:
    digits = Options(texts=("iron", "copper"), labels=("1", "2"))
    assert label("2", digits) == "2"
    assert label("(2)", digits) == "2"
    assert label("I count 2 atoms and 1 bond.", digits) == ""


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("stable", 0), ("Stable.", 0), ("**stable**", 0), ("“stable”", 0), ("unstable", 1),
        ("not  stable\nat all", 2), ("metastable", None), ("stables", None), ("stable, yes", None),
        ("(stable)", 0), ("Stable!", 0), ("\ufeffstable\u200b", 0), ("sta\u00adble", 0),
        ("It is stable.", None), ("stable unstable", None), ("stable or unstable", None),
    ],
)  # fmt: skip
def test_exact_mode_wants_the_option_alone(text: str, chosen: int | None) -> None:
    assert read_choice(text, PHASES, "exact", allow_explanation=False).option == chosen


def test_a_bullet_is_no_word_and_a_minus_is_no_bullet() -> None:
    numbers = Options(texts=("5", "-5"))
    for text, chosen in {"-5": 1, "- 5": None, "• 5": 0, "5": 0}.items():
        assert read_choice(text, numbers, "exact", allow_explanation=False).option == chosen


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("stable", 0), ("Stable, because it melts late.", 0), ("The answer is unstable.", 1),
        ("It melts late.\n\nunstable", 1), ("stable\nNo, wait.\nunstable", None),
        ("It is stable.", 0), ("It is stable, not unstable.", 0), ("It isn't stable.", None),
        ("It is stable or unstable.", None), ("It is neither stable nor unstable.", None),
        ("Look at the stable phase.", None), ("Stability matters.", None),
    ],
)  # fmt: skip
def test_exact_mode_takes_a_stated_option_beside_an_explanation(
    text: str, chosen: int | None
) -> None:
    assert read_choice(text, PHASES, "exact", allow_explanation=True).option == chosen


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("It is stable.", 0), ("It is unstable.", 1), ("It is not stable at all.", 2),
        ("It is NOT STABLE AT ALL", 2), ("not\u00a0stable at all", 2), ("stable, very stable", 0),
        ("stable or unstable", None), ("metastable", None), ("stability", None), ("stable_phase", 0),
        ("non-stable", None), ("It is un-stable.", None), ("thermo-stable", 0), ("meta-stable", None),
        ("It is not unstable.", None), ("It is not unstable but stable.", 0),
    ],
)  # fmt: skip
def test_contains_mode_finds_whole_words_longest_first(text: str, chosen: int | None) -> None:
    assert read_choice(text, PHASES, "contains", allow_explanation=True).option == chosen


@pytest.mark.parametrize(
    ("options", "text", "chosen"),
    [
        (("稳定", "不稳定"), "该相是不稳定的", 1),
        (("C", "C++"), "It is written in C++.", 1),
        (("Köln", "Bonn"), "Ko\u0308ln liegt am Rhein", 0),
        (("α-phase", "β-phase"), "the β\u2011phase forms", 1),
    ],
)
def test_contains_mode_in_other_scripts(options: tuple[str, ...], text: str, chosen: int) -> None:
    read = read_choice(text, Options(texts=options), "contains", allow_explanation=True)
    assert read.option == chosen


def test_case_counts_where_asked() -> None:
    options = Options(texts=("Co", "CO"), ignore_case=False)
    assert read_choice("CO", options, "exact", allow_explanation=False).option == 1
    assert read_choice("co", options, "exact", allow_explanation=False).option is None


def test_two_options_are_named_in_the_problem() -> None:
    choice = read_choice("iron or zinc", METALS, "contains", allow_explanation=True)
    assert "`iron`, `zinc`" in choice.problem
    assert [mention.start for mention in choice.mentions] == [0, 8]


def test_a_denial_holds_whatever_letters_are_composed_elsewhere() -> None:
    said = "In the cafe\u0301 it is not stable but unstable."
    choice = read_choice(said, PHASES, "contains", allow_explanation=True)
    assert choice.option == 1
    assert [said[one.start : one.end] for one in choice.mentions] == ["unstable"]


@given(st.lists(st.sampled_from(("e", "\u0301", "क", "\u093c", "\u0958", "ᄒ", "ᅡ", " ", "\r\n"))))
def test_mentions_stand_where_the_text_has_them(pieces: list[str]) -> None:
    text = "".join(pieces)
    (mention,) = options_in(f"{text} copper {text}", METALS)
    assert (mention.start, mention.end) == (len(text) + 1, len(text) + 7)


def test_an_option_with_a_hyphen_is_not_the_option_inside_it() -> None:
    kinds = Options(texts=("stable", "metastable"))
    assert read_choice("It is meta-stable.", kinds, "contains", allow_explanation=True).option == 1
    assert (
        read_choice("It is meta\u2011stable.", kinds, "contains", allow_explanation=True).option
        == 1
    )
    assert (
        read_choice("It is super-stable.", kinds, "contains", allow_explanation=True).option is None
    )


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("The answer is A, B being wrong.", "A"), ("The answer is A and B is wrong.", "A"),
        ("Answer: A (and not B)", "A"), ("Answer: A, not B.", "A"), ("Answer: A, a metal", "A"),
        ("Answer: A, A", "A"), ("Answer: A\n\nB and C are wrong.", "A"), ("Answer: A) iron, as C rusts", "A"),
        ("Answer: A and B", ""), ("Answer: A, B", ""), ("Answer: A, C, and B.", ""), ("Answer: A、B", ""),
        (r"\boxed{A, B}", ""), ("The answer is (A) and (C).", ""), ("**Answer: A** and **B**", ""),
        ("The answer is A / B", ""), ("答案：A和C", ""), ("Answer: A. iron, B. copper", ""),
        ("Answer: A) iron; B) copper", ""), ("Answer: copper and zinc", ""),
    ],
)  # fmt: skip
def test_a_statement_of_two_options_chooses_none(text: str, chosen: str) -> None:
    assert label(text) == chosen


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("The answer is stable, for it lies low.", 0), ("Final answer: stable (unstable at 300 K)", 0),
        ("The answer is stable, unstable ones fall apart.", 0),
        ("The answer is stable and unstable.", None), ("Final answer: stable/unstable", None),
    ],
)  # fmt: skip
def test_so_it_is_with_the_texts_of_options(text: str, chosen: int | None) -> None:
    assert read_choice(text, PHASES, "exact", allow_explanation=True).option == chosen
