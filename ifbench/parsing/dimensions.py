"""Whether two units measure the same thing, so that a value could be converted.

The only importer of pint. Building its registry takes about a second, so it is built when the
first two units that differ are compared, and once. pint never reads what an answer wrote: it is
asked for the dimension of one unit at a time, by the name that our own table gives it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

from ifbench.errors import PrerequisiteError
from ifbench.parsing.unit_table import BASES, PINT_NAMES
from ifbench.parsing.units import Unit


def is_convertible(unit: Unit, other: Unit) -> bool:
    """True for units of one dimension: kJ/mol and kcal/mol, °C and K, % and ppm.

    A unit that pint has no dimension for (bp, aa, U, °) is convertible to itself with another
    prefix, and to nothing else.
    """
    return unit == other or _dimension(unit) == _dimension(other)


@lru_cache(maxsize=1024)
def _dimension(unit: Unit) -> Mapping[str, Fraction]:
    total: dict[str, Fraction] = {}
    for symbol, exponent in unit.powers:
        for dimension, power in _dimension_of(BASES.get(symbol, symbol)).items():
            total[dimension] = total.get(dimension, Fraction(0)) + power * exponent
    return {dimension: power for dimension, power in total.items() if power}


@cache
def _dimension_of(base: str) -> Mapping[str, Fraction]:
    name = PINT_NAMES.get(base, f"[{base}]")
    if name.startswith("["):
        return {name: Fraction(1)}
    dimensions = _registry().get_dimensionality(name)
    return {
        dimension: Fraction(power).limit_denominator(12) for dimension, power in dimensions.items()
    }


@cache
def _registry() -> Any:
    """The registry of units; it has a cache of its own, but no types that help here."""
    try:
        import pint
    except ImportError as error:
        raise PrerequisiteError("convertible units need pint: install `pint`") from error
    return pint.UnitRegistry()
