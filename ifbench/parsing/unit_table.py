"""The units that answers use: their symbols, prefixes, names, and what they are made of.

Symbols are case-sensitive (mPa is no MPa), names are not. Two spellings of one unit have one
canonical symbol (`ml` and `litre` are L and mL); a unit that is short for others is written out
(M is mol/L, kWh is kW h), so that `mM` and `mmol/L` compare as equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TypeAlias

Powers: TypeAlias = tuple[tuple[str, Fraction], ...]
"""Canonical symbols with their exponents."""

_ONE = Fraction(1)
_PREFIXES: Mapping[str, str] = MappingProxyType(
    {
        "Q": "quetta", "R": "ronna", "Y": "yotta", "Z": "zetta", "E": "exa", "P": "peta",
        "T": "tera", "G": "giga", "M": "mega", "k": "kilo", "h": "hecto", "da": "deca",
        "d": "deci", "c": "centi", "m": "milli", "μ": "micro", "n": "nano", "p": "pico",
        "f": "femto", "a": "atto", "z": "zepto", "y": "yocto",
    }
)  # fmt: skip
_SI = tuple(_PREFIXES)
_LARGE = ("k", "M", "G", "T")
_BYTES = (*_LARGE, "P")
_SMALL = ("m", "μ", "n", "p", "f")
_CLINICAL = ("k", "M", "m", "μ", "n")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """One unit. Prefixes go before every symbol and name of a row."""

    symbols: str
    """Parted by blanks; the first is the canonical one."""
    names: str = ""
    """Parted by commas, in the singular."""
    prefixes: tuple[str, ...] = ()
    pint: str = ""
    """The name under which pint knows its dimension, or in brackets one that pint lacks; without
    any the unit is a dimension of its own."""
    of: str = ""
    """What the unit is short for: canonical symbols with exponents, the prefix on the first."""


_SI_ROWS = (
    _Row(symbols="m", names="metre, meter", prefixes=_SI, pint="meter"),
    _Row(symbols="g gm", names="gram, gramme", prefixes=_SI, pint="gram"),
    _Row(symbols="s sec", names="second", prefixes=_SI, pint="second"),
    _Row(symbols="A", names="ampere, amp", prefixes=_SI, pint="ampere"),
    _Row(symbols="K", names="kelvin", prefixes=_SI, pint="kelvin"),
    _Row(symbols="mol", names="mole", prefixes=_SI, pint="mole"),
    _Row(symbols="cd", names="candela", prefixes=_SI, pint="candela"),
    _Row(symbols="Hz", names="hertz", prefixes=_SI, pint="hertz"),
    _Row(symbols="N", names="newton", prefixes=_SI, pint="newton"),
    _Row(symbols="Pa", names="pascal", prefixes=_SI, pint="pascal"),
    _Row(symbols="J", names="joule", prefixes=_SI, pint="joule"),
    _Row(symbols="W", names="watt", prefixes=_SI, pint="watt"),
    _Row(symbols="C", names="coulomb", prefixes=_SI, pint="coulomb"),
    _Row(symbols="V", names="volt", prefixes=_SI, pint="volt"),
    _Row(symbols="F", names="farad", prefixes=_SI, pint="farad"),
    _Row(symbols="Ω", names="ohm", prefixes=_SI, pint="ohm"),
    _Row(symbols="S", names="siemens", prefixes=_SI, pint="siemens"),
    _Row(symbols="Wb", names="weber", prefixes=_SI, pint="weber"),
    _Row(symbols="T", names="tesla", prefixes=_SI, pint="tesla"),
    _Row(symbols="H", names="henry", prefixes=_SI, pint="henry"),
    _Row(symbols="lm", names="lumen", prefixes=_SI, pint="lumen"),
    _Row(symbols="lx", names="lux", prefixes=_SI, pint="lux"),
    _Row(symbols="Bq", names="becquerel", prefixes=_SI, pint="becquerel"),
    _Row(symbols="Gy", names="gray", prefixes=_SI, pint="gray"),
    _Row(symbols="Sv", names="sievert", prefixes=_SI, pint="sievert"),
    _Row(symbols="kat", names="katal", prefixes=_SI, pint="katal"),
    _Row(symbols="L l", names="litre, liter", prefixes=_SI, pint="liter"),
)

_ROWS = (
    *_SI_ROWS,
    # ── Angles: pint's are pure numbers, and then an angle would be a percentage ──
    _Row(symbols="rad", names="radian", prefixes=_SMALL, pint="[angle]"),
    _Row(symbols="sr", names="steradian", prefixes=_SMALL),
    _Row(symbols="° deg", names="degree, arc degree, arcdegree", pint="[angle]"),
    _Row(symbols="′ arcmin '", names="arcminute, arc minute, minute of arc", pint="[angle]"),
    _Row(symbols="″ arcsec ''", names="arcsecond, arc second, second of arc", pint="[angle]"),
    _Row(symbols="mas", names="milliarcsecond", pint="[angle]"),
    # ── Temperature, time ──
    _Row(symbols="°C degC", names="celsius, degree celsius, centigrade, degree centigrade, degree c, deg c, deg celsius", pint="degC"),
    _Row(symbols="°F degF", names="fahrenheit, degree fahrenheit, degree f, deg f", pint="degF"),
    _Row(symbols="K °K", names="degree kelvin, degree k, deg k", pint="kelvin"),
    _Row(symbols="min mins", names="minute", pint="minute"),
    _Row(symbols="h hr hrs", names="hour", pint="hour"),
    _Row(symbols="d", names="day", pint="day"),
    _Row(symbols="wk", names="week", pint="week"),
    _Row(symbols="mo", names="month", pint="month"),
    _Row(symbols="yr y a yrs", names="year, annum", pint="year"),
    _Row(symbols="kyr ka kya kyrs", names="thousand year, thousand years ago", pint="year"),
    _Row(symbols="Myr Ma mya Mya", names="million year, million years ago", pint="year"),
    _Row(symbols="Gyr Ga bya Bya", names="billion year, billion years ago", pint="year"),
    # ── Chemistry and biology ──
    _Row(symbols="M", names="molar", prefixes=("m", "μ", "n", "p", "f", "d", "c"), of="mol L-1"),
    _Row(symbols="molal", of="mol kg-1"),
    _Row(symbols="eq Eq", names="equivalent", prefixes=("m", "μ"), pint="mole"),
    _Row(symbols="Da u amu", names="dalton, atomic mass unit", prefixes=("k", "M"), pint="dalton"),
    _Row(symbols="kD", of="kDa"),  # As biochemists write it.
    _Row(symbols="bp b", names="base pair, basepair, base", prefixes=("k", "M", "G")),
    _Row(symbols="nt", names="nucleotide", prefixes=("k",)),
    _Row(symbols="aa AA", names="amino acid, amino acid residue, residue", prefixes=("k",)),
    _Row(symbols="U", names="enzyme unit", prefixes=_CLINICAL),
    _Row(symbols="IU", names="international unit", prefixes=_CLINICAL),
    _Row(symbols="CFU cfu", names="colony forming unit, colony-forming unit"),
    _Row(symbols="PFU pfu", names="plaque forming unit, plaque-forming unit"),
    _Row(symbols="cM", names="centimorgan"),
    _Row(symbols="dpm", names="disintegrations per minute, disintegration per minute"),
    _Row(symbols="Ci", names="curie", prefixes=_SMALL, pint="curie"),
    _Row(symbols="D", names="debye", pint="debye"),
    _Row(symbols="cal", names="calorie", prefixes=("k", "M", "m"), pint="calorie"),
    _Row(symbols="Hartree Ha", names="hartree", prefixes=("m",), pint="hartree"),
    _Row(symbols="Ry", names="rydberg", pint="electron_volt"),
    # ── Physics and materials ──
    _Row(symbols="eV", names="electronvolt, electron volt", prefixes=_SI, pint="electron_volt"),
    _Row(symbols="Å", names="angstrom, ångström, angström", pint="angstrom"),
    _Row(symbols="μm", names="micron", pint="meter"),
    _Row(symbols="bar", names="bar", prefixes=("k", "M", "G", "m", "μ", "d"), pint="bar"),
    _Row(symbols="atm", names="atmosphere", pint="atmosphere"),
    _Row(symbols="Torr torr", prefixes=("m",), pint="torr"),
    _Row(symbols="mmHg", names="millimeter of mercury, millimetre of mercury, mm hg", pint="mmHg"),
    _Row(symbols="psi", pint="psi"),
    _Row(symbols="ksi", pint="psi"),
    _Row(symbols="erg", names="erg", pint="erg"),
    _Row(symbols="dyn", names="dyne", pint="dyne"),
    _Row(symbols="G", names="gauss", prefixes=("k", "m", "μ"), pint="gauss"),
    _Row(symbols="Oe", names="oersted", prefixes=("k",), pint="oersted"),
    _Row(symbols="P", names="poise", prefixes=("c", "m"), pint="poise"),
    _Row(symbols="St", names="stokes", prefixes=("c",), pint="stokes"),
    _Row(symbols="Wh", names="watt hour, watt-hour", prefixes=(*_LARGE, "m"), of="W h"),
    _Row(symbols="Ah", names="ampere hour, amp hour, amp-hour", prefixes=("m", "k"), of="A h"),
    _Row(symbols="VA", prefixes=("k", "M"), of="V A"),
    _Row(symbols="Nm", prefixes=("k", "M", "m"), of="N m"),
    _Row(symbols="molK", of="mol K"),  # As in J/molK and J/kgK.
    _Row(symbols="kgK", of="kg K"),
    _Row(symbols="gK", of="g K"),
    _Row(symbols="rpm RPM", names="revolutions per minute, revolution per minute", pint="rpm"),
    _Row(symbols="rev", names="revolution"),
    _Row(symbols="HV"),
    _Row(symbols="HRC"),
    _Row(symbols="dB", names="decibel"),
    _Row(symbols="dBm"),
    _Row(symbols="e", names="elementary charge", pint="elementary_charge"),
    _Row(symbols="B", names="byte", prefixes=_BYTES, pint="byte"),
    _Row(symbols="bit", names="bit", prefixes=_LARGE, pint="bit"),
    # ── Geography, astronomy ──
    _Row(symbols="ha", names="hectare", pint="hectare"),
    _Row(symbols="acre ac", names="acre", pint="acre"),
    _Row(symbols="t", names="tonne, metric ton, metric tonne", prefixes=_LARGE, pint="metric_ton"),
    _Row(symbols="AU au", names="astronomical unit", pint="astronomical_unit"),
    _Row(symbols="ly", names="light year, light-year", prefixes=("k", "M", "G"), pint="light_year"),
    _Row(symbols="pc", names="parsec", prefixes=("k", "M", "G"), pint="parsec"),
    _Row(symbols="Sverdrup", names="sverdrup", pint="meter ** 3 / second"),
    _Row(symbols="kn", names="knot", pint="knot"),
    _Row(symbols="nmi", names="nautical mile", pint="nautical_mile"),
    _Row(symbols="mGal", names="milligal", pint="meter / second ** 2"),
    _Row(symbols="DU", names="dobson unit"),
    # ── Customary units ──
    _Row(symbols="in inch", names="inch", pint="inch"),
    _Row(symbols="ft", names="foot, feet", pint="foot"),
    _Row(symbols="yd", names="yard", pint="yard"),
    _Row(symbols="mi", names="mile", pint="mile"),
    _Row(symbols="lb lbs", names="pound", pint="pound"),
    _Row(symbols="lbf", names="pound force, pound-force", prefixes=("k",), pint="force_pound"),
    _Row(symbols="kgf", names="kilogram force, kilogram-force", pint="force_kilogram"),
    _Row(symbols="oz", names="ounce", pint="ounce"),
    _Row(symbols="ton tons", names="ton", pint="short_ton"),
    _Row(symbols="gal", names="gallon", pint="gallon"),
    _Row(symbols="hp", names="horsepower", pint="horsepower"),
    _Row(symbols="BTU Btu", names="british thermal unit", pint="Btu"),
    _Row(symbols="mph", of="mi h-1"),
    _Row(symbols="kph kmh kmph", of="km h-1"),
    _Row(symbols="cc", of="cm3"),
    _Row(symbols="mcg", of="μg"),
    # ── Shares ──
    _Row(symbols="% pct", names="percent, per cent, percentage", pint="percent"),
    _Row(symbols="‰", names="permil, permille, per mil, per mille, per thousand", pint="percent"),
    _Row(symbols="wt%", pint="percent"),
    _Row(symbols="vol%", pint="percent"),
    _Row(symbols="at%", pint="percent"),
    _Row(symbols="mol%", pint="percent"),
    _Row(symbols="w/v%"),
    _Row(symbols="ppm", names="parts per million, part per million", pint="percent"),
    _Row(symbols="ppb", names="parts per billion, part per billion", pint="percent"),
    _Row(symbols="ppt", names="parts per trillion, part per trillion", pint="percent"),
    _Row(symbols="ppmv", pint="percent"),
    _Row(symbols="pH", of="-", names="ph unit, dimensionless, unitless, no unit, pure number"),
)  # fmt: skip

_COUNTED = (
    "cell", "atom", "molecule", "ion", "electron", "photon", "particle", "individual", "organism",
    "neuron", "colony", "copy", "generation", "person", "inhabitant", "event", "count", "pixel",
    "codon", "gene", "chromosome", "plant", "species", "household", "cycle", "beat",
    "breath", "site", "spike", "vehicle",
)  # fmt: skip
"""Things that are counted, as in `cells/mL` and `people/km2`; each is its own symbol."""
_IRREGULAR: Mapping[str, str] = MappingProxyType(
    {
        "people": "person", "colonies": "colony", "copies": "copy", "henries": "H",
        "inches": "in", "feet": "ft", "lumens": "lm",
    }
)  # fmt: skip


def _written_out(of: str, prefix: str) -> Powers:
    """`mol L-1` with the prefix on its first symbol; `-` is no unit at all."""
    if of == "-":
        return ()
    powers = []
    for index, factor in enumerate(of.split()):
        symbol = factor.rstrip("-0123456789")
        exponent = Fraction(factor[len(symbol) :] or "1")
        powers.append(((prefix if index == 0 else "") + symbol, exponent))
    return tuple(powers)


def _prefixed(row: _Row) -> Iterator[tuple[str, Powers]]:
    """Each symbol of a row, with each prefix, and what it stands for."""
    canonical = row.symbols.split()[0]
    for prefix in ("", *row.prefixes):
        powers = _written_out(row.of, prefix) if row.of else ((prefix + canonical, _ONE),)
        spellings = ("μ", "u") if prefix == "μ" else (prefix,)
        for symbol in row.symbols.split():
            for spelling in spellings:
                yield spelling + symbol, powers


def _named(row: _Row) -> Iterator[tuple[str, Powers]]:
    canonical = row.symbols.split()[0]
    for name in filter(None, row.names.split(", ")):
        for prefix in ("", *row.prefixes):
            powers = _written_out(row.of, prefix) if row.of else ((prefix + canonical, _ONE),)
            for spelling in _PREFIX_NAMES.get(prefix, ("",)):
                yield spelling + name, powers
                yield _plural(spelling + name), powers
                if spelling:
                    yield f"{spelling} {name}", powers
                    yield f"{spelling} {_plural(name)}", powers


_PREFIX_NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {prefix: (name,) for prefix, name in _PREFIXES.items()} | {"da": ("deca", "deka")}
)


def _plural(name: str) -> str:
    """`degrees celsius`, `feet per …` aside: the first word of `degree …`, else the last."""
    if name.startswith("degree "):
        return name.replace("degree ", "degrees ", 1)
    if " of " in name:
        return name.replace(" of ", "s of ", 1)
    return name + ("es" if name.endswith(("x", "ch")) else "s")


def _symbols() -> dict[str, Powers]:
    """Plain symbols win over prefixed ones: `min` is a minute, `cd` a candela, `Pa` a pascal."""
    table: dict[str, Powers] = {}
    plain: dict[str, Powers] = {}
    for row in _ROWS:
        own = row.symbols.split()
        for symbol, powers in _prefixed(row):
            table.setdefault(symbol, powers)
            if symbol in own:
                plain[symbol] = powers
    return table | plain


def _names() -> dict[str, Powers]:
    table: dict[str, Powers] = {}
    for row in _ROWS:
        for name, powers in _named(row):
            table.setdefault(name, powers)
    for thing in _COUNTED:
        table[thing] = table[_plural(thing)] = ((thing, _ONE),)
    table |= {
        plural: table.get(singular, ((singular, _ONE),)) for plural, singular in _IRREGULAR.items()
    }
    return table


SYMBOLS: Mapping[str, Powers] = MappingProxyType(_symbols())
"""Every symbol, prefixed ones too, to what it stands for."""

NAMES: Mapping[str, Powers] = MappingProxyType(_names())
"""Every name in lower case, singular and plural; some are of several words."""

COUNTED = frozenset(_COUNTED)

BASES: Mapping[str, str] = MappingProxyType(
    {
        prefix + row.symbols.split()[0]: row.symbols.split()[0]
        for row in reversed(_ROWS)
        if not row.of
        for prefix in (*row.prefixes, "")
    }
)
"""Canonical symbols to the row's own, the prefix taken off."""

PINT_NAMES: Mapping[str, str] = MappingProxyType(
    {row.symbols.split()[0]: row.pint for row in _ROWS if row.pint}
)
"""What pint calls a row's unit; a unit without a name here is a dimension of its own."""
