import pytest
from pydantic import ValidationError

from ifbench.constraints import all_constraints
from ifbench.constraints.constraint import decide
from ifbench.constraints.scimif.unit import UnitParams, physics_unit
from ifbench.types import Outcome

pytest.importorskip("pint")


def check(text, **params):
    return decide(physics_unit, text, UnitParams(**params))


@pytest.mark.parametrize("discipline", ["chemistry", "geography", "biology", "material", "physics"])
def test_each_discipline_has_one(discipline):
    constraint = all_constraints()[f"{discipline}:unit_consistency"]
    assert constraint.group == "unit"
    assert constraint.method.params is UnitParams


@pytest.mark.parametrize("power", ["^100", "^{1000}", "^x", "⁹⁹⁹", "^12", "**500"])
def test_a_power_that_cannot_be_read_is_not_overlooked(power):
    params = UnitParams(unit="m")
    assert decide(physics_unit, f"5 m{power}", params).outcome is Outcome.FAIL
    assert decide(physics_unit, "5 m", params).outcome is Outcome.PASS


PASSING = [
    ("kJ/mol", "The answer is 12.5 kJ mol-1."),
    ("kJ/mol", r"\boxed{12.5\ \mathrm{kJ\,mol^{-1}}}"),
    ("kJ/mol", r"\boxed{12.5}\ \mathrm{kJ/mol}"),
    ("kJ/mol", r"$\boxed{12.5}$ kJ/mol"),
    ("kJ/mol", r"\SI{12.5}{kJ/mol}"),
    ("kJ/mol", "**Final Answer:** **12.5 kJ/mol**"),
    ("kJ/mol", "**12.5** kJ/mol"),
    ("kJ/mol", "First 3 kcal/mol, then converted. Final answer: 12.5 kJ/mol"),
    ("kJ/mol", "The final answer is −12.5 ± 0.3 kJ/mol."),
    ("kJ/mol", "The final answer is 12.5 kJ/mol ± 0.3."),
    ("kJ/mol", "Final answer: between 10 and 20 kJ/mol"),
    ("kJ/mol", "Final answer: 10–20 kJ/mol"),
    ("kJ/mol", '{"answer": "12.5 kJ/mol"}'),
    ("kJ/mol", '{"answer": 12.5, "unit": "kJ/mol"}'),
    ("kJ/mol", '{"unit": "kJ/mol", "answer": 12.5}'),
    ("kJ/mol", '{"answer": "12.5\\\\ \\\\mathrm{kJ/mol}"}'),
    ("kJ/mol", '["12.5", "kJ/mol"]'),
    ("kJ/mol", "(12.5, 'kJ/mol')"),
    ("kJ/mol", "value,unit\n12.5,kJ/mol"),
    ("kJ/mol", "<r><value>12.5</value><unit>kJ/mol</unit></r>"),
    ("kJ/mol", "Energy (kJ/mol): 12.5"),
    ("m/s", "| Body | Mass (kg) | Speed [m/s] |\n|---|---|---|\n| A | 2.0 | 3.0 |\n| B | 4.5 | 5.0 |"),
    ("kg", "Part | Mass in kg\n-|-\nwhole | 4.5"),
    ("kg", "| a \\| b | m / kg |\r\n|-|-|\r\n| 1 \\| 2 | 4.5 |"),
    # Other quantities of the final answer are conditions, or the same one in other words.
    ("kJ/mol", "The answer is 12.5 kJ/mol at 298 K."),
    ("kJ/mol", "It releases 12.5 kJ/mol at 298 K."),
    ("m/s", "It moves at 12.5 m/s (45 km/h)."),
    ("km", "It is 5 thousand kilometers long."),
    ("W/(m·K)", "k = 120 W/mK"),
    ("J/(kg K)", "c = 4184 J/kgK"),
    ("µM", "c = 5.0 micromolar (µM)"),
    ("m", "Final answer: n = 2 and x = 5 m"),
    ("m", "Final answer: 2.5 m (250 cm)"),
    ("m", "Final answer: 250 cm = 2.5 m"),
    ("cm-1", "The band lies at 1650 cm\u22121."),
    ("J/(mol K)", "The entropy is 69.9 J mol\u22121 K\u22121."),
    ("m/s^2", "a = 9.81 m/s2"),
    ("m/s^2", "a = 9.81 m/s<sup>2</sup>"),
    ("°C", "It melts at 25 ℃."),
    ("°C", "It melts at 25 deg C."),
    ("°C", "It melts at 25 degrees centigrade."),
    ("K", "It melts at 298 °K."),
    ("mmHg", "p = 760 mm Hg"),
    ("kDa", "It has 50 kD."),
    ("µm", r"$d = 3.5~\upmu\text{m}$"),
    ("°C", r"It melts at $25^\circ\mathrm{C}$."),
    ("Ω", "R = 5 \u2126"),
    ("Å", "a = 3.5 \u212b"),
    ("µm", "d = 3.5 \u03bcm"),
    ("bp", "It has 1250 bp."),
    ("kb", "It has 1.25 kb."),
    ("aa", "It has 350 aa."),
    ("amino acids", "It has 350 amino acids."),
    ("mL", "V = 25 ml"),
    ("%", "The yield is 75.5 percent."),
    ("percentage", r"The yield is 75.5\%."),
    ("wt%", "It holds 12.50 wt. % of it"),
    ("m/s", "It moves at 5.0 meters per second."),
    ("m", "It is 5 m in length."),
    ("degrees", "Latitude 40.7° N"),
    ("°", "40° 42′ 46″ N"),
    ("°", "Final answer: 40.7128°N, 74.0060°W"),
    ("mol/L", "c = 0.5 M"),
    ("M", "c = 1.5 × 10⁻³ mol·L⁻¹"),
    ("kg", "m = (1.50 ± 0.05) × 10^3 kg"),
    ("pH", "The pH is 7.4"),
    ("dimensionless", "The ratio is 1.62"),
    ("million years", "It is 65 Ma old."),
    ("m/s", "v = 5 [m/s]"),
    ("s", "It takes 90 s (1 min 30 s)."),
    ("s", "t = 1 min 30 s = 90 s"),
    ("s", "It falls 5 m in 30 s."),
]  # fmt: skip


@pytest.mark.parametrize(("unit", "text"), PASSING)
def test_the_final_quantity_in_the_asked_unit_passes(unit, text):
    result = check(text, unit=unit)
    assert result.outcome is Outcome.PASS, result.reason


FAILING = [
    ("kg", "| Body | Mass (kg) | Speed [m/s] |\n|---|---|---|\n| A | 2.0 | 3.0 |"),  # The other column.
    ("kg", "| Mass (kg) |\n|---|\n| 4.5 |\n\nSo it is 4.5."),  # Below the table.
    ("kg", "| Mass (kg) | Is it? |\n| 4.5 | 5.5 |"),  # No rule below the header: no table.
    ("kg", "| Choice (A) | Mass |\n|---|---|\n| 1 | 4.5 |"),
    ("kJ/mol", "The answer is 12.5."),
    ("kJ/mol", "The answer is 12.5 kcal/mol."),
    ("kJ/mol", "The answer is 12.5 kJ."),
    ("kJ/mol", "It is in kJ/mol. The answer is 12.5 J/mol."),
    ("kJ/mol", "The energy is 12.5 kJ/mol. The final answer is 12.5."),
    ("kJ/mol", "There is no number, only kJ/mol."),
    ("m", "Final answer: 2.5 m, or rather 7 cm, 8 cm"),
    ("kJ/mol", "It releases 12.5 kJ/mol. This takes 3 s."),
    ("kJ/mol", "It releases 12.5 kJ/mol, that is 3.0 kcal/mol at 298 K."),
    ("kJ/mol", "From 12.5 kJ/mol we get 7."),
    ("m/s", "It moves at 45 km/h (12.5 m/s or 41 ft/s)."),
    ("m/s", "It moves at 12.5 m/s = 45 km/h."),
    ("m", "x = 5 mm"),
    ("m", "x = 5 m/run"),
    ("m", "x = 5 m²"),
    ("m", "x = 5 m<sup>2</sup>"),
    ("m", "x = 5 m_e"),
    ("MPa", "p = 5 mPa"),
    ("cm-1", "x = 5 cm"),
    ("m/s", "v = 5 m s"),
    ("°C", "T = 298 K"),
    ("°C", "T = 25 C"),
    ("°C", "T = 25°"),
    ("bp", "It has 1.25 kb."),
    ("%", "The yield is 75.5."),
    ("%", "The yield is 0.755"),
    ("wt%", "It holds 12.5 %."),
    ("kg", "m = 5 kg CO2 per day and 3 g"),
    ("pH", "It is 7.4 mol/L"),
    ("dimensionless", "The ratio is 1.62 %"),
    ("mol/L", "c = 0.5 m"),
    ("°", "40.7 N"),
    ("s", "It takes 1 min 30 s."),
    ("s", "It takes 1 minute and 30 seconds."),
    ("in", "He is 5 ft 6 in tall."),
    ("m/s", "as was shown 5 [1]"),
    ("K", "It holds 298 Kelvins and weighs 5 g"),
]  # fmt: skip


@pytest.mark.parametrize(("unit", "text"), FAILING)
def test_another_unit_or_none_fails(unit, text):
    result = check(text, unit=unit)
    assert result.outcome is Outcome.FAIL, result.reason
    assert unit in result.reason


def test_each_quantity_wants_one_of_several_units():
    asked = {"units": ["nm", "°"]}
    assert check("Final answer: a = 0.5 nm, angle 90°", **asked).outcome is Outcome.PASS
    assert check("Final answer: a = 5 Å, angle 90°", **asked).outcome is Outcome.FAIL
    assert check("Final answer: angle 90°", **asked).outcome is Outcome.PASS


def test_scope_all_asks_it_of_every_quantity():
    text = "The sides are 3 m and 4 m long. The answer is 5 m."
    assert check(text, unit="m", scope="all").outcome is Outcome.PASS
    mixed = "After 3 s it has moved. The answer is 5 m."
    assert check(mixed, unit="m").outcome is Outcome.PASS
    result = check(mixed, unit="m", scope="all")
    assert result.outcome is Outcome.FAIL
    assert result.evidence[0].text == "3 s it has moved"


def test_a_step_number_is_no_quantity():
    assert check("Step 2: it moves. x = 5 m", unit="m", scope="all").outcome is Outcome.PASS


def test_convertible_allows_another_unit_of_the_same_dimension():
    assert check("12 kcal/mol", unit="kJ/mol", convertible=True).outcome is Outcome.PASS
    assert check("12 kcal", unit="kJ/mol", convertible=True).outcome is Outcome.FAIL
    assert check("12", unit="kJ/mol", convertible=True).outcome is Outcome.FAIL
    assert check("12 kcal/mol", unit="kJ/mol", convertible=True).found["rule"] == "dimension"


def test_aliases_say_what_a_symbol_means_here():
    assert check("0.5 m", unit="molal").outcome is Outcome.FAIL
    assert check("0.5 m", unit="molal", aliases={"m": "molal"}).outcome is Outcome.PASS
    assert check("25 C", unit="°C", aliases={"C": "°C"}).outcome is Outcome.PASS
    assert (
        check("3 sols", unit="sol", aliases={"sol": "sol", "sols": "sol"}).outcome is Outcome.PASS
    )


def test_a_decimal_comma_is_for_who_asks_for_it():
    assert check("x = 1,5 m", unit="m", decimal_mark=",").extracted == "1,5 m"


def test_verdict_shows_number_unit_and_place():
    result = check("The answer is 12.5 kcal/mol.", unit="kJ/mol")
    assert result.reason == "`12.5` is in kcal mol^-1; kJ/mol is asked for"
    assert [piece.text for piece in result.evidence] == ["12.5 kcal/mol"]
    assert result.extracted == "12.5 kcal mol^-1"
    assert result.found == {"numbers": 1, "units": ["kcal mol^-1"], "rule": "symbols"}


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"unit": ""},
        {"unit": "banana"},
        {"unit": "m", "units": ["s"]},
        {"units": ["m", "banana"]},
        {"unit": "m", "scope": "keys"},
    ],
)
def test_a_unit_that_nobody_can_read_is_refused(params):
    with pytest.raises(ValidationError):
        UnitParams(**params)


@pytest.mark.parametrize(
    ("unit", "text"),
    [
        ("rad", "2π rad"),
        ("rad", r"\frac{\pi}{2} rad"),
        ("rad", "The angle is π/2 rad."),
        ("rad", r"The final answer is $2\pi\,\text{rad}$."),
        ("rad", "With r = 2 m the angle is 2π rad."),
        ("rad", "The angle is π rad (180°)."),
        ("rad", "θ = π/2 rad ≈ 1.57 rad"),
        ("rad/s", r"\boxed{4\pi\ \mathrm{rad/s}}"),
        ("dimensionless", "0.5π"),
        ("m", r"\frac{3}{4} m"),
        ("m", r"$\frac{3}{4}\,\text{m}$"),
        ("kg", r"\dfrac{1}{2}\ \mathrm{kg}"),
    ],
)
def test_exact_values_are_quantities(unit, text):
    assert check(text, unit=unit).outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("unit", "text"),
    [
        ("rad", "0.5π"),
        ("rad", "2π"),
        ("rad", "2π°"),
        ("rad", r"\frac{\pi}{2}"),
        ("m", "2πr m"),
        ("m", r"\frac{3}{4} s"),
        ("m", r"\frac{3}{4}"),
        ("kg", r"\dfrac{1}{2}\ \mathrm{g}"),
        ("m", r"It is 5 m long, and the answer is \frac{3}{4} s."),
    ],
)
def test_exact_values_need_the_asked_unit_too(unit, text):
    assert check(text, unit=unit).outcome is Outcome.FAIL


def test_formulas_are_no_quantities_where_all_count():
    text = r"From E = \frac{1}{2} C V^2 and ω = 2πf follows E = 5 J."
    assert check(text, unit="J", scope="all").outcome is Outcome.PASS
    assert check(text + " The period is 2π s.", unit="J", scope="all").outcome is Outcome.FAIL
