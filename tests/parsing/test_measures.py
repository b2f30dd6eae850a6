"""One value out of a short text, and when two values are the same: sure, or not at all."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ifbench.parsing.measures import (
    Asked,
    Measure,
    Tolerance,
    asked_in,
    in_range,
    read_measure,
    read_range,
    same_measure,
    same_value,
)

QUESTION = asked_in("How many dark particles are there in 4 s? Give the speed in m/s.")


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("46.8", 46.8, ()),
        ("v = 2.02 s.", 2.02, (("s", 1),)),
        ("about 51 km", 51, (("km", 1),)),
        ("the density is 8.94 g/cm³", 8.94, (("cm", -3), ("g", 1))),
        (r"$58.44\ \mathrm{g\,mol^{-1}}$", 58.44, (("g", 1), ("mol", -1))),
        ("8.314 J/(mol K)", 8.314, (("J", 1), ("K", -1), ("mol", -1))),
        ("8.314 J mol-1 K-1", 8.314, (("J", 1), ("K", -1), ("mol", -1))),
        ("v = d/t = 96/10 = 9.6 m/s", 9.6, (("m", 1), ("s", -1))),
        ("0.5 * 9.81 * 4 = 19.6 m", 19.6, (("m", 1),)),
        ("46.8 ± 0.2 J", 46.8, (("J", 1),)),
        (r"4.5 \times 10^4", 45000, ()),
        ("7 dark particles", 7, (("dark", 1),)),
        ("5 hours at the equator", 5, (("h", 1),)),
        ("12 metres per second", 12, (("m", 1), ("s", -1))),
        (r"3 \pm 0.1 kJ", 3, (("kJ", 1),)),
        ("4 kiloohms", 4, (("kΩ", 1),)),
        ("9 wt.%", 9, (("wt%", 1),)),
        ("7 wibbles at rest", 7, (("wibbles", 1),)),
        ("62.5 %", 62.5, (("%", 1),)),
        (r"25 ^\circ C", 25, (("°C", 1),)),
        ("1/2", 0.5, ()),
        (r"\frac{1}{2}", 0.5, ()),
        (r"-\dfrac{3}{4}", -0.75, ()),
        ("-1/4", -0.25, ()),
        ("−7.35 eV", -7.35, (("eV", 1),)),
        ("(5)", 5, ()),
    ],
)
def test_a_value_is_read_with_its_unit(text, value, unit):
    read = read_measure(text, QUESTION)
    assert read is not None
    assert read.value == pytest.approx(value)
    assert read.unit == unit


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no idea",
        "three",
        "three, since there are 2 cuts",
        "three (n = 2)",
        "2 times three",
        "5 or 6",
        "between 5",
        "not equal to 5",
        "at least 5",
        "< 5",
        "x = 3, y = 4",
        "x = 3 and y = 4",
        "51 km (scale: 1 cm = 17 km)",
        "20% higher than before",
        "5 bright particles",
        "5 million",
        r"2\pi",
        r"\sqrt{5}",
        r"\frac{1}{x}",
        r"1\frac{1}{2}",
        "5^2",
        "(a) 5",
        "1e400",
    ],
)
def test_what_is_not_one_value_alone_is_not_read(text):
    read = read_measure(text, QUESTION)
    # Letters behind a number pass for a unit; as one that nobody asked for, it decides nothing.
    assert read is None or (read.unit and read.unit not in QUESTION.units)


def test_precision_is_that_of_the_last_digit_written():
    assert read_measure("2.50").half_digit == pytest.approx(0.005)
    assert read_measure("4.5e4").half_digit == pytest.approx(500)
    assert read_measure("120").is_integer
    assert not read_measure("1.2e2").is_integer


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("g/mol", r"\mathrm{g \cdot mol^{-1}}"),
        ("g per mol", "g mol−1"),
        ("m/s²", "m s^-2"),
        ("µm", "μm"),
        ("℃", "°C"),
        ("seconds", "s"),
        ("kilojoules per mole", "kJ/mol"),
        (r"\frac{\mathrm{m}}{\mathrm{s}}", "m/s"),
    ],
)
def test_spellings_of_one_unit_are_one(one, other):
    assert read_measure(f"3 {one}").unit == read_measure(f"3 {other}").unit != ()


def test_the_unit_that_a_question_asks_for_is_told_from_those_that_it_names():
    asked = asked_in("A stone falls 20 m. How long does it fall, in s? Take g = 9.81 m/s².")
    assert (("s", 1),) in asked.units
    assert (("m", 1),) not in asked.units
    assert (("m", 1), ("s", -2)) in asked.words


@pytest.mark.parametrize(
    ("answer", "reference", "same"),
    [
        ("2.02", "2.02", True),
        ("2.0193", "2.02", True),
        ("2.02", "2.0193", True),
        ("23", "22.7", True),
        ("2.04", "2.02", True),  # 1 %
        ("2.09", "2.02", None),  # 3 %
        ("2.30", "2.02", False),
        ("0.24", "0.2", None),  # Rounds to it, but is 20 % off.
        ("5.1", "5", None),  # One digit: it may be a count.
        ("6", "5", False),
        ("121", "120", None),  # Two whole numbers, nearly equal.
        ("10008", "10008", True),
        ("0.02", "2", None),  # A power of ten: percent, a prefix.
        ("375", "375000", None),
        ("-5", "5", None),
        ("0", "0", True),
        ("0.3", "0", None),
        ("8", "0", False),
    ],
)
def test_values_are_equal_different_or_not_sure(answer, reference, same):
    first, second = read_measure(answer), read_measure(reference)
    assert same_measure(first, second, Asked(), Tolerance()) is same


@pytest.mark.parametrize(
    ("answer", "reference", "question", "same"),
    [
        ("51 km", "51", "How far is it, in km?", True),
        ("60 km", "51", "How far is it, in km?", False),
        ("51 miles", "51", "How far is it, in km?", None),
        ("60 miles", "51", "How far is it, in km?", None),
        ("2 min", "2", "How long, in h? The run takes 30 min.", None),
        ("120 min", "2", "How long, in h? The run takes 30 min.", None),
        ("2.02 s", "2.02 s", "How long?", True),
        ("2.02", "2.02 s", "How long?", True),
        ("3.5 s", "2.02 s", "How long?", False),
        ("121 ms", "0.121 s", "How long?", None),
        ("46.8 m/s", "46.8", "How fast?", True),
        ("46.8 km", "46.8", "How far?", None),
        ("46.8 kilometres", "46.8", "How far?", None),
        ("46.8 metres", "46.8", "How far, in m?", True),
        ("46.8 mm", "46.8", "How far, in m?", None),
        ("5 m", "5", "How far?", None),
        ("62.5 %", "0.625", "Which share, as a decimal?", True),
        ("62.5 %", "62.5", "Which share?", None),
        ("62.5 %", "62.5", "Which share, in percent?", True),
    ],
)
def test_units_are_compared_by_symbol_and_nothing_is_converted(answer, reference, question, same):
    asked = asked_in(question)
    first, second = read_measure(answer, asked), read_measure(reference, asked)
    assert same_measure(first, second, asked, Tolerance()) is same


def test_the_tolerances_are_parameters():
    reference = read_measure("100.0")
    assert same_value(103.0, reference, Tolerance(equal=0.05), 0.05) is True
    assert same_value(103.0, reference, Tolerance(equal=0.001, different=0.02), 0.05) is False


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("4232 to 4249", 4232, 4249),
        ("1.059 TO 1.071", 1.059, 1.071),
        ("6.00 : 7.30", 6.0, 7.3),
        ("-3 to 5", -3, 5),
        ("0.1–0.2", 0.1, 0.2),
    ],
)
def test_ranges_as_the_sources_write_them(text, low, high):
    found = read_range(text)
    assert (found.low.value, found.high.value) == (low, high)


@pytest.mark.parametrize(
    "text", ["1:2", "12:30", "2024", "5 - 3", "3, 5", "1 : 10", "from 3 to 5 m"]
)
def test_ratios_times_and_lists_are_no_ranges(text):
    assert read_range(text) is None


@pytest.mark.parametrize(
    ("answer", "inside"),
    [("4240", True), ("4232", True), ("4250", None), ("5000", False), ("42.4", None)],
)
def test_a_value_just_outside_a_range_is_not_surely_outside(answer, inside):
    assert in_range(read_measure(answer), read_range("4232 to 4249"), Tolerance()) is inside


@given(st.text(max_size=60))
def test_any_text_can_be_read(text):
    read = read_measure(text, asked_in(text))
    assert read is None or isinstance(read, Measure)
    read_range(text)


@pytest.mark.parametrize(
    "text", ["1 " + "a·" * 100_000, "= " * 100_000 + "5", "5" + " m" * 100_000]
)
def test_long_texts_take_linear_time(text):
    begun = time.process_time()
    read_measure(text, asked_in(text))
    assert time.process_time() - begun < 5
