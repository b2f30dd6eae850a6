import subprocess
import sys

import pytest

from ifbench.parsing.dimensions import _dimension_of, is_convertible
from ifbench.parsing.unit_table import PINT_NAMES
from ifbench.parsing.units import parse_unit

pytest.importorskip("pint")


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("kJ/mol", "kcal/mol", True),
        ("mm", "m", True),
        ("°C", "K", True),
        ("%", "ppm", True),
        ("J", "kWh", True),
        ("J", "N m", True),
        ("M", "mol dm-3", True),
        ("mL", "cm3", True),
        ("m/s", "km/h", True),
        ("yr", "Ma", True),
        ("bp", "kb", True),
        ("°", "rad", True),
        ("MPa m^0.5", "ksi in^0.5", True),
        ("lbf", "N", True),
        ("kJ/mol", "kJ", False),
        ("m", "m2", False),
        ("M", "molal", False),
        ("bp", "nt", False),
        ("°", "%", False),
        ("°", "°C", False),
        ("cm-1", "cm", False),
        ("bp", "Pa", False),
        ("U", "kat", False),
        ("lb", "N", False),
    ],
)
def test_units_of_one_dimension_are_convertible(one, other, expected):
    assert is_convertible(parse_unit(one), parse_unit(other)) is expected
    assert is_convertible(parse_unit(other), parse_unit(one)) is expected


@pytest.mark.parametrize("base", sorted(PINT_NAMES))
def test_pint_knows_each_name_that_the_table_gives(base):
    assert _dimension_of(base) is not None


def test_reading_and_comparing_units_imports_no_pint():
    code = (
        "import sys, ifbench.constraints as c; c.all_constraints();"
        "import ifbench.parsing.dimensions; print('pint' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
