r"""Formulas and the names of methods, found in a text however they are typeset.

A formula is a row of tokens: letters one by one, numbers whole, signs. LaTeX and Unicode give
the same row: `\frac{a}{b}` is `a/b`, `\alpha` and `alpha` are `α`, `x²` is `x^2`. Multiplication
signs, subscript marks and brackets around products carry nothing and go; brackets around sums
stay, so `a/(b+c)` is not `a/b+c`. No algebra is done: `m = F/a` is not `F = m a`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

# ── What symbols are called ──────────────────────────────────────────────────────────

_GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho "
    "sigma tau upsilon phi chi psi omega"
)
_GREEK = dict(zip(_GREEK_NAMES.split(), "αβγδεζηθικλμνξοπρστυφχψω", strict=True))
_GREEK |= {name.capitalize(): letter.upper() for name, letter in _GREEK.items()}
_NAME_OF_GREEK = {letter: name for name, letter in _GREEK.items()}
_LOOKALIKES = str.maketrans(
    "∆\u2126\u00b5ϵϕϑϱϖ−–—‐‑′’∗{}",
    "ΔΩμεφθρπ-----''*()",
)
_COMMANDS = {
    **_GREEK,
    "varepsilon": "ε",
    "vartheta": "θ",
    "varphi": "φ",
    "varrho": "ρ",
    "circ": "°",
    "approx": "≈",
    "propto": "∝",
    "neq": "≠",
    "leq": "≤",
    "le": "≤",
    "geq": "≥",
    "ge": "≥",
    "pm": "±",
    "infty": "∞",
    "partial": "∂",
    "nabla": "∇",
    "sum": "∑",
    "int": "∫",
    "hbar": "ℏ",
    "sqrt": "√",
    "to": "→",
    "rightarrow": "→",
    "longrightarrow": "→",
    "rightleftharpoons": "⇌",
}
_IGNORED_COMMANDS = frozenset(
    """left right big Big bigg Bigg bigl bigr Bigl Bigr middle displaystyle textstyle mathrm mathbf
    mathit mathsf mathcal boldsymbol bm text textrm textbf textit operatorname rm bf it quad qquad
    cdot times ast limits nolimits ce boxed tag label nonumber""".split()  # noqa: SIM905  (forty quoted words read worse)
)
_FRACTIONS = frozenset({"frac", "dfrac", "tfrac", "cfrac"})
_DROPPED = frozenset('*×·⋅∙•_$&~`"')
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", "0123456789+-=()ni")
_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₒₓₕₖₗₘₙₚₛₜ", "0123456789+-=()aeoxhklmnpst")
_SUPERSCRIPTS = "".join(map(chr, _RAISED))
_SUBSCRIPTS = "".join(map(chr, _LOWERED))

SPECIES_TOKENS = 14
"""Longest row inside square brackets that is read as a chemical species, `[H3O+]`."""


# ── Tokens ───────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """A row of tokens: letters, numbers and signs, and the pieces of text they were read from.

    Three sequences of one length, since a token object for each letter of an answer costs ten
    times as much.
    """

    signs: Sequence[str]
    starts: Sequence[int]
    ends: Sequence[int]


_LEXEME = re.compile(
    rf"""\\(?P<command>[A-Za-z]+) | (?P<escape>\\.) | (?P<number>[0-9]+(?:\.[0-9]+)?)
      | (?P<word>[A-Za-z]+) | (?P<raised>[{_SUPERSCRIPTS}]+) | (?P<lowered>[{_SUBSCRIPTS}]+)
      | (?P<sign>\S)""",
    re.VERBOSE | re.DOTALL,
)
_INNER = re.compile(r"[0-9]+|\S")


@lru_cache(maxsize=8)  # An answer is searched for one formula after another.
def formula_tokens(text: str) -> Tokens:
    """The tokens of a text in normal form; prose around a formula becomes letters."""
    return _normal(_lexed(text))


def find_formula(text: str, formula: str) -> tuple[int, int] | None:
    """Where a text writes a formula, as a whole: `E = mc` does not stand in `E = mc^2`."""
    wanted = _wanted(formula)
    if " = " in wanted and "=" not in text:  # Most prose is done with here.
        return None
    tokens = formula_tokens(text)
    row = _row(tokens)
    first = seen = 0
    position = row.find(wanted) if wanted.strip() else -1
    while position >= 0:
        first += row.count(" ", seen, position)
        start, end = tokens.starts[first], tokens.ends[first + wanted.count(" ") - 2]
        if _stands_alone(text, start, end):
            return start, end
        seen, position = position, row.find(wanted, position + 1)
    return None


@lru_cache(maxsize=1024)
def _wanted(formula: str) -> str:
    return _row(_normal(_lexed(formula)))


def _row(tokens: Tokens) -> str:
    return f" {' '.join(tokens.signs)} "


def _stands_alone(text: str, start: int, end: int) -> bool:
    before, after = text[max(start - 1, 0) : start], text[end : end + 1]
    if before.isalnum() or before == "\\":
        return False
    return not (after.isalnum() or (after and after in "^_" + _SUPERSCRIPTS))


def _lexed(text: str) -> Tokens:
    signs: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _LEXEME.finditer(text):
        start, end = match.span()
        found = _signs(match)
        signs += found
        if match.lastgroup == "word" and len(found) == end - start:
            starts += range(start, end)
            ends += range(start + 1, end + 1)
        else:
            starts += [start] * len(found)
            ends += [end] * len(found)
    return Tokens(signs=signs, starts=starts, ends=ends)


def _signs(match: re.Match[str]) -> Sequence[str]:
    raw = match.group()
    match match.lastgroup:
        case "sign":
            return _sign(raw)
        case "word":
            return _word(raw)
        case "number":
            return (raw,)
        case "command":
            return _command(match["command"])
        case "raised":
            return ("^", "(", *_INNER.findall(raw.translate(_RAISED)), ")")
        case "lowered":
            return _INNER.findall(raw.translate(_LOWERED))
        case _:  # An escape: spacing, a delimiter of mathematics, an escaped sign.
            return ("%",) if raw == r"\%" else ()


def _command(name: str) -> Sequence[str]:
    if name in _IGNORED_COMMANDS:
        return ()
    if name in _FRACTIONS:
        return ("frac",)
    return (_COMMANDS[name],) if name in _COMMANDS else _word(name)


def _word(word: str) -> Sequence[str]:
    if word == "exp":
        return ("e", "^")
    if word == "sqrt":
        return ("√",)
    return (_GREEK[word],) if word in _GREEK else word


def _sign(raw: str) -> Sequence[str]:
    raw = raw.translate(_LOOKALIKES)
    return () if raw in _DROPPED else raw


# ── The normal form ──────────────────────────────────────────────────────────────────

_STRUCTURE = frozenset({"frac", "(", ")", "[", "]", "^", "+", "-", "±", "="})


@dataclass(slots=True)
class _Open:
    """A bracket that waits for its partner."""

    index: int
    sign: str
    holds_sum: bool = False
    """Set when a sign of a sum is met directly inside."""


@dataclass(slots=True)
class _Edits:
    """What is to change in a row; collected first, for the row is long and edits are few."""

    dropped: set[int]
    added: dict[int, str]
    """Signs to put behind an index."""


def _normal(tokens: Tokens) -> Tokens:
    """Fractions as quotients, powers in brackets, and no round brackets but around sums."""
    edits = _edits(tokens.signs)
    if not edits.dropped and not edits.added:
        return tokens
    signs: list[str] = []
    origin: list[int] = []
    for index, sign in enumerate(tokens.signs):
        if index not in edits.dropped:
            signs.append(sign)
            origin.append(index)
        if index in edits.added:
            signs.append(edits.added[index])
            origin.append(index)
    return Tokens(
        signs=signs,
        starts=[tokens.starts[index] for index in origin],
        ends=[tokens.ends[index] for index in origin],
    )


def _edits(signs: Sequence[str]) -> _Edits:
    edits = _Edits(dropped=set(), added={})
    opened: list[_Open] = []
    for index, sign in enumerate(signs):
        if sign not in _STRUCTURE:
            continue
        if sign == "frac":
            edits.dropped.add(index)
        elif sign in {"(", "["}:
            opened.append(_Open(index=index, sign=sign))
        elif sign == ")" and opened and opened[-1].sign == "(":
            _close_round(signs, opened.pop(), index, edits)
        elif sign == "]" and opened and opened[-1].sign == "[":
            _close_square(signs, opened.pop().index, index, edits)
        elif sign == "^":
            _power(signs, index, edits)
        elif opened and signs[index - 1] != "^":
            opened[-1].holds_sum = True
    return edits


def _close_round(signs: Sequence[str], bracket: _Open, index: int, edits: _Edits) -> None:
    if not bracket.holds_sum:
        edits.dropped |= {bracket.index, index}
    if bracket.index and signs[bracket.index - 1] == "frac":
        edits.added[index] = "/"


def _close_square(signs: Sequence[str], start: int, end: int, edits: _Edits) -> None:
    """Inside `[Ca^{2+}]` a superscript is a charge: it is written with and without a mark."""
    if end - start <= SPECIES_TOKENS:
        inside = range(start, end)
        edits.dropped |= {index for index in inside if signs[index] in {"^", "(", ")"}}
        for index in inside:
            edits.added.pop(index, None)


def _power(signs: Sequence[str], index: int, edits: _Edits) -> None:
    """`10^-5` as `10^(-5)`, which is how its other spellings read; `G^°` as `G°`."""
    following = signs[index + 1 : index + 4]
    if following[:1] == ["°"] or following == ["(", "°", ")"]:
        edits.dropped.add(index)
    elif len(following) > 1 and following[0] in "+-" and following[1].isalnum():
        edits.added[index] = "("
        edits.added[index + 2] = ")"


# ── Names ────────────────────────────────────────────────────────────────────────────


def find_name(text: str, name: str) -> tuple[int, int] | None:
    """Where a text, in NFC, names a method, law or formula, as whole words.

    Blanks, line breaks, hyphens, dashes and emphasis between words are alike; so are straight
    and curly apostrophes, and Greek letters and their names. Case counts only for a name in
    capitals: `DFT` is no `dft`, `MO` no `mo`.
    """
    found = _name_pattern(name).search(text)
    return found.span() if found else None


@lru_cache(maxsize=4096)
def _name_pattern(name: str) -> re.Pattern[str]:
    words = re.split(r"[\s\-‐‑–—]+", unicodedata.normalize("NFC", name).strip())
    between = r"(?:[\s*_`~]|[-‐‑–—])+"
    body = between.join(_word_pattern(word) for word in words)
    before = "" if _is_unspaced(name[:1]) else r"(?<![^\W_])"
    after = "" if _is_unspaced(name[-1:]) else r"(?![^\W_])"
    flags = re.NOFLAG if name.isupper() else re.IGNORECASE
    return re.compile(before + body + after, flags)


def _word_pattern(word: str) -> str:
    letter = _GREEK.get(word, word.translate(_LOOKALIKES) if len(word) == 1 else word)
    if letter in _NAME_OF_GREEK:
        return rf"(?:{letter}|\\?{_NAME_OF_GREEK[letter]})"
    return re.sub(r"['’ʼ‘]", "['’ʼ‘]", re.escape(word))


def _is_unspaced(character: str) -> bool:
    """Letters of scripts that set no blanks between words (Han, Kana, Thai, Lao, Khmer)."""
    return bool(re.match("[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]", character))
