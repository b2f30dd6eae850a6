from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ifbench.parsing.unit_table import NAMES, SYMBOLS
from ifbench.parsing.units import MAX_CHARACTERS, leading_unit, parse_unit, unit_at, unit_form


def powers(**exponents):
    return {symbol: Fraction(exponent) for symbol, exponent in exponents.items()}


KJ_PER_MOL = powers(kJ=1, mol=-1)
J_PER_MOL_K = powers(J=1, mol=-1, K=-1)
PER_CM = powers(cm=-1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # One unit, many ways to write it.
        ("kJ mol-1", KJ_PER_MOL),
        ("kJ/mol", KJ_PER_MOL),
        ("kJ·mol⁻¹", KJ_PER_MOL),
        ("kJ⋅mol^-1", KJ_PER_MOL),
        ("kJ*mol**-1", KJ_PER_MOL),
        ("kJ mol^{-1}", KJ_PER_MOL),
        ("kJ mol\u22121", KJ_PER_MOL),
        ("kJ\u00a0mol\u20131", KJ_PER_MOL),
        ("mol-1 kJ", KJ_PER_MOL),
        ("kJ per mole", KJ_PER_MOL),
        ("kilojoules per mole", KJ_PER_MOL),
        ("Kilojoule per Mol", KJ_PER_MOL),
        (r"$\mathrm{kJ\,mol^{-1}}$", KJ_PER_MOL),
        (r"\text{kJ}\cdot\text{mol}^{-1}", KJ_PER_MOL),
        (r"\mathrm{kJ}/\mathrm{mol}", KJ_PER_MOL),
        (r"\frac{\mathrm{kJ}}{\mathrm{mol}}", KJ_PER_MOL),
        (r"\kilo\joule\per\mole", KJ_PER_MOL),
        (r"\\mathrm{kJ\\,mol^{-1}}", KJ_PER_MOL),
        # What pint reads as centimetres, and as joule mole kelvin.
        ("cm\u22121", PER_CM),
        ("cm-1", PER_CM),
        ("cm⁻¹", PER_CM),
        ("1/cm", PER_CM),
        ("/cm", PER_CM),
        ("J mol\u22121 K\u22121", J_PER_MOL_K),
        # All below the line.
        ("J/(mol·K)", J_PER_MOL_K),
        ("J/mol K", J_PER_MOL_K),
        ("J/mol·K", J_PER_MOL_K),
        ("J/mol/K", J_PER_MOL_K),
        ("J/mol K-1", J_PER_MOL_K),
        ("joules per mole kelvin", J_PER_MOL_K),
        ("m/s2", powers(m=1, s=-2)),
        ("m/s²", powers(m=1, s=-2)),
        ("m s^-2", powers(m=1, s=-2)),
        ("meters per second", powers(m=1, s=-1)),
        ("metres per second squared", powers(m=1, s=-2)),
        ("square kilometers", powers(km=2)),
        ("km²", powers(km=2)),
        ("cubic meters per second", powers(m=3, s=-1)),
        ("g/cm3", powers(g=1, cm=-3)),
        # Signs that Unicode has twice.
        ("℃", {"°C": 1}),
        ("°C", {"°C": 1}),
        ("º C", {"°C": 1}),
        (r"^\circ\mathrm{C}", {"°C": 1}),
        (r"{}^{\circ}C", {"°C": 1}),
        ("degrees Celsius", {"°C": 1}),
        ("\u2126", {"Ω": 1}),
        ("\u03a9", {"Ω": 1}),
        (r"k\Omega", {"kΩ": 1}),
        ("\u212b", {"Å": 1}),
        ("Å", {"Å": 1}),
        ("A\u030a", {"Å": 1}),
        (r"\AA", {"Å": 1}),
        ("\u00b5m", {"μm": 1}),
        ("\u03bcm", {"μm": 1}),
        ("um", {"μm": 1}),
        (r"\mu\mathrm{m}", {"μm": 1}),
        ("microns", {"μm": 1}),
        # Biology, where pint reads points, kilobars and attoyears.
        ("bp", {"bp": 1}),
        ("base pairs", {"bp": 1}),
        ("kb", {"kbp": 1}),
        ("Mb", {"Mbp": 1}),
        ("aa", {"aa": 1}),
        ("amino acids", {"aa": 1}),
        ("kDa", {"kDa": 1}),
        ("CFU/mL", powers(CFU=1, mL=-1)),
        ("cells per mL", powers(cell=1, mL=-1)),
        ("people/km²", powers(person=1, km=-2)),
        ("C", {"C": 1}),
        ("ml", {"mL": 1}),
        ("mL", {"mL": 1}),
        ("l", {"L": 1}),
        ("min", {"min": 1}),
        ("cd", {"cd": 1}),
        ("Pa", {"Pa": 1}),
        # What is short for something else.
        ("M", powers(mol=1, L=-1)),
        ("mM", powers(mmol=1, L=-1)),
        ("micromolar", {"μmol": 1, "L": -1}),
        ("kWh", powers(kW=1, h=1)),
        ("Nm", powers(N=1, m=1)),
        ("N-m", powers(N=1, m=1)),
        ("cc", powers(cm=3)),
        # Shares.
        ("%", {"%": 1}),
        ("percent", {"%": 1}),
        ("per cent", {"%": 1}),
        (r"\%", {"%": 1}),
        ("wt%", {"wt%": 1}),
        ("wt. %", {"wt%": 1}),
        ("% (w/w)", {"wt%": 1}),
        ("vol %", {"vol%": 1}),
        ("parts per million", {"ppm": 1}),
        # Angles; the hemisphere is no newton.
        ("° N", {"°": 1}),
        ("°W", {"°": 1}),
        ("degrees north", {"°": 1}),
        ("MPa·m^{1/2}", powers(MPa=1, m=Fraction(1, 2))),
        ("MPa√m", powers(MPa=1, m=Fraction(1, 2))),
        (r"MPa\sqrt{m}", powers(MPa=1, m=Fraction(1, 2))),
        ("million years ago", {"Myr": 1}),
        ("Ma", {"Myr": 1}),
        ("mg/100 mL", {"mg": 1, "mL": -1, "100": -1}),
        # No unit at all.
        ("pH", {}),
        ("dimensionless", {}),
    ],
)
def test_reads_a_unit_into_symbols_and_exponents(text, expected):
    unit = parse_unit(text)
    assert unit is not None
    assert dict(unit.powers) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("mm", "m"),
        ("MPa", "mPa"),
        ("Mb", "mb"),
        ("kJ/mol", "kcal/mol"),
        ("C", "°C"),
        ("K", "°C"),
        ("M", "m"),
        ("s", "S"),
        ("t", "T"),
        ("g", "G"),
        ("h", "H"),
        ("m/s", "m s"),
        ("cm-1", "cm"),
        ("%", "wt%"),
        ("Da", "kDa"),
        ("°", "°C"),
        ("rad", "°"),
        ("m2", "m3"),
        ("N", "° N"),
        ("mol/L", "mol/kg"),
    ],
)
def test_tells_units_apart_that_look_alike(one, other):
    assert parse_unit(one) != parse_unit(other)


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "banana", "kJ/mol of energy", "Kg", "H2O", "m_e", "CO2", "kg CO2", "5 m", "m/",
        "(m", "m)s", "^2", "10^3 m", "kJ mol -1", "1", "-", "m^^2", "m^1/0", "x" * 300,
    ],
)  # fmt: skip
def test_what_is_no_unit_as_a_whole_is_none(text):
    assert parse_unit(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" m in length", {"m": 1}),
        (" in long", {"in": 1}),
        (" g a day", {"g": 1}),
        (" kJ/mol of energy", KJ_PER_MOL),
        (" kJ mol⁻¹ at 298 K", KJ_PER_MOL),
        ("} kJ/mol", KJ_PER_MOL),
        ("}{kJ/mol}", KJ_PER_MOL),
        ("** kJ/mol", KJ_PER_MOL),
        ("` m", {"m": 1}),
        ("$ $\\mathrm{m}$", {"m": 1}),
        ("-mL flask", {"mL": 1}),
        (") × 10^3 kg", {"kg": 1}),
        (r") \times 10^{-3} kg", {"kg": 1}),
        (" (m/s)", powers(m=1, s=-1)),
        (" kg CO2", {"kg": 1}),
        (" m/run", powers(m=1, run=-1)),
        (" kg per capita", powers(kg=1, capita=-1)),
        (" mol atoms", {"mol": 1}),
        (" m_ ", {"m": 1}),
        (" metres (m)", {"m": 1}),
        (" km (kg)", {"km": 1}),
        (" kg (m s)^-1", powers(kg=1, m=-1, s=-1)),
        ("%", {"%": 1}),
        ("°N", {"°": 1}),
        (" s ", {"s": 1}),
    ],
)
def test_reads_the_unit_right_of_a_number_and_no_prose(text, expected):
    unit = leading_unit(text)
    assert unit is not None
    assert dict(unit.powers) == expected


@pytest.mark.parametrize(
    "text",
    ["", " ", " apples", " of them", " (about a third)", " and 5 m", " x m", " Kg", " H2O", " m_e"],
)
def test_a_number_before_prose_has_no_unit(text):
    assert leading_unit(text) is None


def test_an_alias_goes_before_the_table():
    assert parse_unit("m", {"m": "molal"}) == parse_unit("mol/kg")
    assert parse_unit("mm", {"m": "molal"}) == parse_unit("mm")
    assert parse_unit("C", {"C": "°C"}) == parse_unit("℃")
    assert parse_unit("furlongs", {"furlongs": "furlong"}) == parse_unit("x", {"x": "furlong"})
    assert parse_unit("furlongs") is None


def test_a_unit_shows_what_stands_above_the_line_first():
    assert str(parse_unit("J/mol K")) == "J K^-1 mol^-1"
    assert str(parse_unit("MPa m^0.5")) == "MPa m^1/2"


def test_the_micro_sign_does_not_matter():
    for symbol in ("\u00b5L", "\u03bcL", "uL"):
        assert parse_unit(symbol) == parse_unit("microliters")


def test_every_symbol_and_name_of_the_table_can_be_read():
    for symbol, powers_of in SYMBOLS.items():
        unit = parse_unit(symbol)
        assert unit is not None, symbol
        assert set(unit.powers) == set(powers_of), symbol
    for name, powers_of in NAMES.items():
        if name not in SYMBOLS:
            unit = parse_unit(name.capitalize())
            assert unit is not None, name
            assert set(unit.powers) == set(powers_of), name


@given(
    st.text(max_size=MAX_CHARACTERS + 5) | st.text(alphabet="kJmol/^-1·()√{}\\ 23°C%", max_size=60)
)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_any_text_is_a_unit_or_none(text):
    for unit in (parse_unit(text), leading_unit(text)):
        assert unit is None or list(unit.powers) == sorted(unit.powers)


@given(st.sampled_from(["kJ", "mol", "K", "m", "s", "μm", "°C", "wt%", "bp"]),
       st.sampled_from(["kJ", "mol", "K", "m", "s", "μm", "bp"]))  # fmt: skip
def test_a_product_reads_the_same_in_either_order(one, other):
    assert (
        parse_unit(f"{one} {other}^-1")
        == parse_unit(f"{other}^-1·{one}")
        == parse_unit(f"{one}/{other}")
    )


@pytest.mark.parametrize(
    ("text", "unit", "rest"),
    [
        ("kJ/mol at 298 K", "kJ/mol", " at 298 K"),
        (r"\mathrm{m\,s^{-1}}$ for", "m/s", "   for"),
        ("km (scale: 1 cm = 17 km)", "km", " (scale: 1 cm = 17 km)"),
        ("kilojoules per mole.", "kJ/mol", "."),
    ],
)
def test_a_unit_in_a_form_says_where_it_ends(text, unit, rest):
    form = unit_form(text)
    start = len(form) - len(form.lstrip())
    found, end = unit_at(form, start)
    assert found == parse_unit(unit)
    assert form[end:].split() == rest.split()


@pytest.mark.parametrize("text", ["", "dark matter", "m^x", "m^100", "(", "CO2"])
def test_what_begins_with_no_unit_has_none_in_a_form(text):
    assert unit_at(unit_form(text)) is None


@pytest.mark.parametrize(
    ("typed", "same"),
    [
        ("oC", "°C"), ("deg. C", "°C"), ("deg C", "°C"), ("mm of Hg", "mmHg"), ("mm Hg", "mmHg"),
        ("units/mL", "U/mL"), ("units per mL", "U/mL"),
    ],
)  # fmt: skip
def test_what_keyboards_and_hand_write_is_the_symbol(typed, same):
    assert parse_unit(typed) == parse_unit(same) is not None


@pytest.mark.parametrize("text", ["units", "units of charge", "oCx", "mm of H", "unit/"])
def test_what_only_begins_so_is_no_such_unit(text):
    assert parse_unit(text) is None
