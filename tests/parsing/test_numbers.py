"""The one number tokenizer: near misses in tables, and printed numbers read back."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ifbench.parsing.numbers import numbers_in, quantities_in


def quantities(text: str) -> list[str]:
    return [text[number.start : number.end] for number in quantities_in(text)]


def roles(text: str) -> list[str]:
    return [number.role for number in numbers_in(text)]


@pytest.mark.parametrize(
    ("text", "decimals"),
    [
        ("1.50", [2]),
        ("1.5", [1]),
        ("It is 10.", [0]),
        ("It is 10.\n", [0]),
        ("1,234.50", [2]),
        ("1,234,567", [0]),
        ("1'234.5", [1]),
        ("1\u202f234.50", [2]),
        ("1\u00a0234.50", [2]),
        (r"1\,234.50", [2]),
        ("1{,}234.50", [2]),
        ("12.00–15.00", [2, 2]),
        ("12.0-15.00", [1, 2]),
        ("x² = 2.25", [2]),
        (".5", [1]),
        ("(.50)", [2]),
        ("...5", [0]),
        ("3.14.", [2]),
        ("3.14, and", [2]),
        ("7.400", [3]),
        ('{"v": 7.400}', [3]),
        ("1.50e-3", [2]),
        ("2.50 × 10^{-3}", [2]),
        ("45.50%", [2]),
        ("5.00kg", [2]),
        (r"\(2.50\,\text{m}\)", [2]),
        ("٣٫١٤", [2]),
        ("３．５０", [2]),
        ("温度为25.00摄氏度", [2]),
        ("**2.50**", [2]),
        ("_2.50_", [2]),
        ("`2.50`", [2]),
        ("is**2.50**g", [2]),
        (r"\approx2.50", [2]),
        (r"\pm0.05", [2]),
        ("5.00 ± 0.05", [2, 2]),
        ("1,2345", [0, 0]),
        ("1234,567", [0, 0]),
        ("0,123", [0, 0]),
        ("[100,200]", [0, 0]),
        ("3,14", [0, 0]),
    ],
)
def test_decimals_are_the_digits_as_they_are_written(text: str, decimals: list[int]) -> None:
    assert [number.decimals for number in quantities_in(text)] == decimals


@pytest.mark.parametrize(
    ("text", "form", "exponent"),
    [
        ("1.5e-3", "e", "-3"),
        ("6.02E23", "e", "23"),
        ("1.5e+3", "e", "+3"),
        ("1.5e−3", "e", "-3"),
        ("1.5 × 10^{-3}", "sci", "-3"),
        (r"1.5\times10^{-3}", "sci", "-3"),
        (r"1.5 \times 10^{-3}", "sci", "-3"),
        (r"1.5 \cdot 10^{-3}", "sci", "-3"),
        (r"1.5\,\times\,10^{ - 3 }", "sci", "-3"),
        ("1.5·10⁻³", "sci", "-3"),
        ("1.5 x 10^5", "sci", "5"),
        ("1.5X10^5", "sci", "5"),
        ("1.5*10^5", "sci", "5"),
        ("1.5*10**-3", "sci", "-3"),
        ("1.5 × 10^(-3)", "sci", "-3"),
        ("1.5 × 10^−3", "sci", "-3"),
        ("1.5 × 10<sup>-3</sup>", "sci", "-3"),
        (r"1.5 $\times$ 10$^{-3}$", "sci", "-3"),
        (r"1.5 \times {10}^{-3}", "sci", "-3"),
        (r"1.5 \(\times\) 10\(^{-3}", "sci", "-3"),
        (r"6.62607015(81) \times 10^{-34}", "sci", "-34"),
        ("1.5×10−3", "sci", "-3"),  # Copied from print.
        ("１.５ × １０^３", "sci", "3"),
        ("１０^５", "power", "5"),
        ("3.14(2)", "plain", ""),
        ("10^5", "power", "5"),
        ("10⁻⁷", "power", "-7"),
        ("10^{-7}", "power", "-7"),
        ("1500", "plain", ""),
        ("1.5", "plain", ""),
    ],
)
def test_powers_of_ten_are_read_in_every_spelling(text: str, form: str, exponent: str) -> None:
    (number,) = numbers_in(text)
    assert (number.form, number.exponent) == (form, exponent)
    assert number.role == "quantity"
    assert (number.start, number.end) == (0, len(text)) or "$" in text


@pytest.mark.parametrize(
    "text",
    [
        "(1.50 ± 0.05) × 10^3",
        r"$(1.50 \pm 0.05) \times 10^{3}$",
        "(1.0–2.0)·10³",
        "(1.0, 2.0) × 10^3",
    ],
)
def test_a_power_behind_a_bracket_belongs_to_all_in_it(text: str) -> None:
    read = quantities_in(text)
    assert [(number.form, number.exponent) for number in read] == [("sci", "3")] * 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3 × 10 cells", ["3", "10"]),
        ("1.5 × 10-3", ["1.5", "10", "3"]),
        ("2e", []),
        ("1/2", ["1", "2"]),
        ("3-5", ["3", "5"]),
        ("10^5 alone", ["10^5"]),
        ("2.5 m s^-1", ["2.5"]),
        ("2.5 m s-1", ["2.5"]),
        ("2.5 m s−1", ["2.5"]),
        ("2.5 m s⁻¹", ["2.5"]),
        ("2.5 m/s2", ["2.5"]),
        (r"2.5\,\mathrm{m\,s^{-2}}", ["2.5"]),
        ("9.81m/s2", ["9.81"]),
        ("5m wide, 10mL, 3V", ["5", "10", "3"]),
        ("a 12-hour run in a 10-mL flask", ["12", "10"]),
    ],
)
def test_units_and_products_do_not_join_numbers(text: str, expected: list[str]) -> None:
    assert quantities(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "H2O", "sp3", "Fe2O3", "C6H12O6", "A1", "CO2", "PM2.5", "COVID-19", "U-235", "Ca(OH)2",
        "(NH4)2SO4", "Fe3+", "2,4-D", "1,2-dichloroethane", "3-methylbutane", "5-HT", "2D", "16S",
        "3d10", "1s2 2s2 2p6", "C1=CC=CC=C1", "GPT-4", r"2\pi r", r"\frac{1}{2}mv^2",
        r"\frac{4}{3}\pi r^3", "x_1 + x_{2}", "T_{298}", "x^2", "x^{2.5}", "e^{-0.5}", "x**2",
        r"\sqrt[3]{x}", "10^{-pH}", "10^{-4.74}", "H<sub>2</sub>O",
        "Step 2", "STEP 2:", "**Step 2**", "Steps 2 and 3", "Steps 1, 2 and 3", "Figure 3",
        "Figures 3–5", "Fig. 3", "Fig.3", "Fig. 3a", "Eq. (2)", "Equation (12)", "Table 1",
        "Section 2.1", "No. 5", "#5", "第3步", "图2", "步骤2", "1. First", "2) Second", "(3) Third",
        "- 4. Fourth", "**5.** Fifth", "1、首先", "1.1. Sub", "## 2.1 Methods", "(1) a and (2) b",
        "1️⃣ one", '{"step": 3}', '{"id": 7}', '{"1": "x"}',
        "January 5, 2024", "5 March 2023", "2024-05-03", "12/05/2024", "2024-05-03T12:30:00Z",
        "in 2015", "2024年5月3日", "12:30", "12:30:15", "from 1990 to 2000",
        "as shown [12].", "text[3, 4]", "shown [1–3], too", "Smith (2015)", "(Smith, 2015)",
        "1.2.3", "127.0.0.1", "7732-18-5", "+1-800-555-0199", "(555) 123-4567",
        "https://a.b/c/12.5", "10.1038/nature123", "InChI=1S/CH4/h1H4", "&#176;",
        "```python\nfor i in range(10):\n    x = 3\n```", '<td colspan="2">', "<h1>",
        "2 H2 + O2 → 2 H2O", r"$2\mathrm{H}_2 + \mathrm{O}_2 \rightarrow 2\mathrm{H}_2\mathrm{O}$",
        r"\mathrm{Fe_2O_3} + 3\,\mathrm{CO} \to 2\,\mathrm{Fe} + 3\,\mathrm{CO_2}",
        "2 Na + 2 HCl -> 2 NaCl + H2", "the (111) plane", "peaks (111), (200) and (220)",
        "Step 3 of 4", "Step 1/3", r"\text{(Eq. 2)}", r"\text{Step 2}", "compound 2", "Run 1: a",
        "from (1) and (2):", "substitute (2) into (3)", "x = y    (2)", r"x = y \quad (2)",
        "1）计算", "（1）计算", "（1）质量", "the 1970s", "3'-UTR", "5'-ATG-3'", "6061-T6 alloy",
        "rounded to 2 decimal places", "(2 d.p.)", "3 significant figures", "保留2位小数",
        "[1] Smith, J.", "As of 2023,", "see\u00a0Fig.\u00a03", "Fig.\u20093", "in\u00a0Step\u202f3",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_quantity_is_none(text: str) -> None:
    assert numbers_in(text)
    assert quantities(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Step 2: 5.00 g", ["5.00"]),
        ("1. 5.00 g", ["5.00"]),
        ("In this case 5.00 g", ["5.00"]),
        ("It follows from the table. 5 g", ["5"]),
        ("10.", ["10"]),
        ("answer:\n10.\n", ["10"]),
        ("in 2000 mL", ["2000"]),
        ("is [1, 2]", ["1", "2"]),
        ("[1.5, 2.5]", ["1.5", "2.5"]),
        ('{"answer": 5}', ["5"]),
        ('```json\n{"mass": 2.50}\n```', ["2.50"]),
        ("```python\n{'mass': 2.50}\n```", ["2.50"]),
        ("```\n2.50\n```", ["2.50"]),
        (r"\frac{1.5}{2.5}", ["1.5", "2.5"]),
        (r"90^\circ", ["90"]),
        (r"10^{\circ}C", ["10"]),
        ("共3个", ["3"]),
        ("3年", ["3"]),
        ("pH 7.4", ["7.4"]),
        ("pH7.4", ["7.4"]),
        ("3:1", ["3", "1"]),
        ("|a|1.5|", ["1.5"]),
        ("2^3", ["2"]),
        ("a)5.00", ["5.00"]),
        ("<b>6.0</b>", ["6.0"]),
        ("from 5 K → 10 K", ["5", "10"]),
        ("2 Fe weigh 111.70 g", ["2", "111.70"]),
        ("a plane under (100) kPa", ["100"]),
        ("12-T field", ["12"]),
        ("1970 s", ["1970"]),
        ("2 samples of 3", ["2", "3"]),
        ("a layer 2 nm thick", ["2"]),
        ("a layer 2\u202fnm thick", ["2"]),
        ("30′ later", ["30"]),
    ],
)  # fmt: skip
def test_quantities_near_look_alikes_are_kept(text: str, expected: list[str]) -> None:
    assert quantities(text) == expected


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("-5", ["-"]),
        ("−5", ["-"]),
        ("–5", ["-"]),
        ("+5", ["+"]),
        ("= -5", ["-"]),
        ("3-5", ["", ""]),
        ("3–5", ["", ""]),
        ("3 – 5", ["", ""]),
        ("3 –5", ["", ""]),
        ("a - 5", [""]),
        ("(-5)", ["-"]),
        ("$-5$", ["-"]),
    ],
)
def test_a_sign_needs_no_operand_before_it(text: str, signs: list[str]) -> None:
    assert [number.sign for number in numbers_in(text)] == signs


def test_comma_is_a_decimal_mark_only_for_who_asks_so() -> None:
    assert [n.decimals for n in quantities_in("3,14 und 1.234,50")] == [0, 0, 3, 0]
    read = quantities_in("3,14 und 1.234,50", decimal_mark=",")
    assert [(n.integer, n.fraction) for n in read] == [("3", "14"), ("1234", "50")]


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("5.00 m/s.", " m/s"),
        ("5.00 m/s. Next", " m/s"),
        ("5.00 kJ/mol, and", " kJ/mol"),
        (r"5.00\,\text{kg}$", r"\,\text{kg}$"),
        ("5.00 (approx.)", " (approx.)"),
        ("5.00\n kg", ""),
        ("1.5 × 10^3 J = x", " J "),
        ("5.00", ""),
    ],
)
def test_unit_text_is_what_stands_right_of_the_number(text: str, unit: str) -> None:
    assert numbers_in(text)[0].unit_text(text) == unit


def test_quantities_of_a_span_are_read_in_the_light_of_the_whole_text() -> None:
    text = "Step 2: H2O weighs 18.02 g and CO2 44.01 g"
    assert [n.integer for n in quantities_in(text, text.index("H2O"), text.index("and"))] == ["18"]
    assert quantities_in(text, 5, 6) == ()  # The step's number, though it stands there alone.


@pytest.mark.parametrize(
    ("text", "normalized"),
    [
        ("1.5e3", True), ("9.99e3", True), ("1e3", True), ("10.0e3", False), ("0.5e3", False),
        ("15 × 10^3", False), ("0.0e0", True), ("-2.5e3", True), ("01.5e3", False), ("10^4", True),
    ],
)  # fmt: skip
def test_normalized_means_one_digit_that_is_not_zero(text: str, normalized: bool) -> None:
    (number,) = numbers_in(text)
    assert number.is_normalized is normalized


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("−1,234.5", -1234.5),
        ("2.5 × 10^3", 2500.0),
        ("10^5", 1e5),
        ("10⁻²", 0.01),
        (".5", 0.5),
        ("٣", 3.0),
    ],
)
def test_values_are_those_of_the_written_number(text: str, value: float) -> None:
    assert numbers_in(text)[0].value == value


def test_digits_without_end_are_one_number() -> None:
    text = "9" * 100_000 + "." + "1" * 100_000
    (number,) = numbers_in(text)
    assert number.decimals == 100_000
    assert math.isinf(number.value)


DECIMALS = st.decimals(
    min_value=-(10**6), max_value=10**6, places=4, allow_nan=False, allow_infinity=False
)


@given(value=DECIMALS, places=st.integers(0, 4))
def test_a_printed_decimal_is_read_back(value: float, places: int) -> None:
    printed = f"{value:.{places}f}"
    (number,) = quantities_in(f"It is {printed} kg.")
    assert number.decimals == places
    assert number.value == float(printed)


@given(value=DECIMALS)
def test_a_grouped_number_is_read_back(value: float) -> None:
    (number,) = quantities_in(f"It is {value:,.2f} kg.")
    assert number.decimals == 2
    assert number.value == float(f"{value:.2f}")


@given(
    value=st.floats(allow_nan=False, allow_infinity=False),
    places=st.integers(0, 12),
    template=st.sampled_from(
        ["{m}e{e}", "{m} × 10^{{{e}}}", r"{m} \times 10^{{{e}}}", "{m}*10**{e}"]
    ),
)
def test_a_printed_scientific_number_is_read_back(value: float, places: int, template: str) -> None:
    mantissa, exponent = f"{value:.{places}e}".split("e")
    (number,) = quantities_in(f"It is {template.format(m=mantissa, e=int(exponent))} J.")
    assert number.decimals == places
    assert number.is_scientific
    assert number.is_normalized
    assert number.value == float(f"{value:.{places}e}")


@given(st.text(alphabet="0123456789.,-–eE×^{}[]() \nxHm'%/:\\", max_size=60))
def test_tokens_lie_apart_and_hold_digits(text: str) -> None:
    end = 0
    for number in numbers_in(text):
        assert end <= number.start < number.end <= len(text)
        assert any(c.isdecimal() for c in text[number.start : number.end])
        assert (number.integer + number.fraction).isdecimal()
        end = number.end
    assert sum(c.isdecimal() for c in text) == sum(
        c.isdecimal() for n in numbers_in(text) for c in text[n.start : n.end]
    )


@given(st.text(max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    for number in numbers_in(text):
        assert isinstance(number.value, float)
        assert number.unit_text(text) in text
