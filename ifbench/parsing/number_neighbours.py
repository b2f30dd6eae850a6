"""What the characters that touch a number say of its role: letters, signs, raised digits, units.

`role_on_the_left` and `role_on_the_right` read a few characters; `number_roles` asks them first.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

Role: TypeAlias = Literal["quantity", "label", "symbol", "index", "date", "citation", "code"]
"""`label`: list markers and ordinals (Step 2, Figure 3). `symbol`: digits of formulas, names,
versions, telephone numbers, links (H2O, sp3, 2π). `index`: exponents, sub- and superscripts."""

BLANKS = " \u00a0\u2009\u202f"
"""What parts a number from its label or unit: typeset texts have blanks that are thin or hold a line."""
_UNIT = (
    r"(?:(?:[pnumµμkMGTcdfh]?(?:mol|Pa|Hz|eV|bar|cal|Da|Wb|Sv|Bq|Gy|lm|lx|rad|[mgsLlJWVNAKMTΩΩ])"
    r"|min|h|hrs?|atm|mmHg|torr|ppm|ppb|ppt|dB|bp|kb|kbp|rpm|psi|[kMG]?Wh|mAh|wt|vol|IU|CFU|amu"
    r"|Å|Å|deg|AU|pc|Ma|Ga|ha|px|fps|[kMG]B)(?![A-Za-z]))"
)
_UNIT_AFTER = re.compile(_UNIT)
UNIT_AFTER_BLANK = re.compile(rf"[{BLANKS}](?![A-Z](?![A-Za-z/·^])){_UNIT}")
_UNIT_AFTER_HYPHEN = re.compile(
    rf"-(?:{_UNIT}|(?:second|minute|hour|day|week|month|year|met(?:er|re)|gram|lit(?:er|re)|mole"
    r"|degree|percent|volt|watt|joule|newton|kelvin|pascal|hertz|(?:kilo|centi|milli|micro|nano)"
    r"[a-z]{3,8})(?![A-Za-z]))(?!\d)"
)
_END_OF_STRAND = re.compile(r"['′’](?:-[A-Za-z(]| ?(?:ends?|UTRs?|to|→)(?![A-Za-z]))")  # 5'-ATG
_DIGITS_OF_FORMAT = re.compile(  # "Rounded to 2 decimal places" speaks of digits, not of a quantity.
    r"[ \u00a0-]?(?:decimals?(?![a-z])|d\.?p\.?(?![a-z])|significant|sig(?:\.|nificant)? ?fig|s\.?f\.?(?![a-z])"
    r"|位(?:小数|有效))"
)
_DECADE = re.compile(r"(?:1[5-9]|20)\d0s(?![A-Za-z])")
_ORBITAL = re.compile(r"[1-7][spdf](?![A-Za-z])")
FACTOR_COMMAND = re.compile(  # After the 2 of `2\pi`; `\mu`, `\Omega` and `\circ` begin units.
    r"\\(?:pi|alpha|beta|gamma|delta|epsilon|varepsilon|theta|lambda|nu|xi|rho|sigma|tau|phi"
    r"|varphi|chi|psi|omega|eta|zeta|kappa|Delta|Gamma|Phi|Psi|Sigma|Lambda|Theta|sqrt|sin|cos|tan"
    r"|ln|log|exp|hbar|vec|mathbf|left)(?![A-Za-z])"
)
_DEGREES_AFTER = re.compile(r"\^\s?\{?\s?(?:\\circ|∘|o\b)")
_KEY_AFTER = re.compile(r"[\"']\s{0,3}:")
_HYPHENS = "-−–‐‑"


def role_on_the_left(text: str, start: int, end: int, *, is_integer: bool) -> Role | None:
    if start == 0:
        return None
    before = text[start - 1]
    if before in " \n{$":  # By far the most numbers.
        return None
    if _is_spaced_letter(before):
        is_name = not _ends_command(text, start) and text[max(start - 2, 0) : start] != "pH"
        return "symbol" if is_name else None
    if before == "#":
        return "symbol" if text[start - 2 : start] == "&#" else "label"
    if before in ")]":  # (NH4)2, CC(C)1; but `\(x\) 5`, and not "a)5.00".
        return "symbol" if is_integer and text[max(start - 2, 0)] != "\\" else None
    sign = before in _HYPHENS or before == "+"
    operator = start - 1 - sign
    if operator >= 0 and text[operator] in "^_*":
        return _raised(text, operator, end)
    if sign and start > 1 and (_is_spaced_letter(text[start - 2]) or text[start - 2] == ")"):
        return None if before == "+" or _ends_command(text, start - 1) else "symbol"
    return None


def _raised(text: str, operator: int, end: int) -> Role | None:
    """Tells `x_1`, `m^-1` and `x**2` from emphasis such as `_5_` and `**5**`."""
    mark = text[operator]
    if mark == "^":
        return "index"
    base = operator
    while base >= 0 and operator - base < 3 and text[base] == mark:
        base -= 1
    has_base = base >= 0 and operator - base < 3 and (text[base].isalnum() or text[base] in "})]\\")
    if mark == "_":
        return "index" if has_base else None
    is_power = has_base and operator - base == 2 and text[end : end + 2] != "**"
    return "index" if is_power and text[base] < "\u2e80" else None


def role_on_the_right(text: str, start: int, end: int) -> Role | None:
    after = text[end : end + 1]
    if after in {" ", "-", "d", "s", "位", "\u00a0"} and _DIGITS_OF_FORMAT.match(text, end):
        return "label"
    if after in {"", " ", "\n", ".", ",", "}", "$", "%"}:
        return None
    if after in "'′’" and end - start == 1 and _END_OF_STRAND.match(text, end):
        return "symbol"
    if after in "\"'" and text[max(start - 1, 0) : start] == after:
        return "label" if _KEY_AFTER.match(text, end) else None
    if _is_spaced_letter(after):
        is_name = _ORBITAL.match(text, start) or _DECADE.match(text, start)
        is_quantity = not is_name and _UNIT_AFTER.match(text, end)
        return None if is_quantity else "symbol"
    if after == "-" and _is_spaced_letter(text[end + 1 : end + 2]):
        return None if _UNIT_AFTER_HYPHEN.match(text, end) else "symbol"
    if after == "^":  # Of `10^{-pH}`; a whole exponent made a power, and `10^\circ` is an angle.
        is_base = text[start:end] == "10" and not _DEGREES_AFTER.match(text, end)
        return "symbol" if is_base else None
    if after == "\\":
        return "symbol" if FACTOR_COMMAND.match(text, end) else None
    if after in "年月日号號":
        digits = end - start
        return "date" if digits == 4 or (digits <= 2 and after != "年") else None
    return "label" if after in "\ufe0f\u20e3" else None  # Keycaps: 1️⃣.


def _is_spaced_letter(character: str) -> bool:
    """A letter of the scripts whose words make names with digits: Latin, Greek, Cyrillic."""
    return character.isalpha() and character < "\u0530" and character not in "ªº"


def _ends_command(text: str, end: int) -> bool:
    r"""True when a LaTeX command (`\pm`, `\approx`) or a `\n` ends here."""
    start = end
    while start > 0 and end - start < 16 and text[start - 1].isalpha():
        start -= 1
    return start > 0 and text[start - 1] == "\\"
