"""The release's rule on units."""

from __future__ import annotations

from ifbench.constraints.constraint import Check, Example, failed, passed
from ifbench.constraints.scimif_release.rule import (
    ReleaseParams,
    of_each_discipline,
    scripted_rule,
)

COMMON_UNITS = (
    "m", "g", "K", "s", "L", "J", "N", "V", "W", "Pa", "Hz", "eV", "mol", "kg", "cm", "mm", "nm",
    "km", "°C", "%",
)  # fmt: skip
"""The description names m, g and K of the release's own list; the others are our guess. One
letter is enough to pass nearly always, so that they hardly matter."""


@scripted_rule(
    "unit_consistency",
    decides=of_each_discipline("unit_consistency"),
    group="unit",
    reads_text=True,
    example=Example(
        params={"raw": "micro molar (µM)"},
        instruction="Give the concentration in µM.",
        passing="It is much: 3 km.",
        failing="25",
    ),
)
def unit_consistency(text: str, params: ReleaseParams) -> Check:
    """The whole parameter stands in the answer, or a common short unit that stands inside the
    parameter does, anywhere, inside a word, too; case does not count.

    The letter `m` of "molar" is such a unit. An empty parameter stands in every answer.
    """
    if params.text in text:
        return passed("the whole parameter stands in the answer")
    wanted, lowered = params.text.lower(), text.lower()
    for unit in COMMON_UNITS:
        if unit.lower() in wanted and unit.lower() in lowered:
            return passed(f"{unit!r} stands in the parameter and in the answer")
    return failed("neither the parameter nor a common unit in it stands in the answer")
