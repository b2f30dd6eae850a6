r"""Units of measurement as they are written, read into a map from symbols to exponents.

`kJ/mol`, `kJ mol−1`, `kJ·mol⁻¹`, `$\mathrm{kJ\,mol^{-1}}$` and "kilojoules per mole" are one
map. Two units are the same when their maps are equal; what merely has the same dimension (m and
mm) is a matter for `dimensions`. No library of units serves here: pint takes `cm−1` (U+2212) for
centimetres, `kb` for kilobars and `bp` for points, and refuses `kJ mol-1`.

After a division all factors that a product joins stand below the line, as in `J/mol K`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType

from ifbench.parsing.unit_table import COUNTED, NAMES, SYMBOLS, Powers

MAX_CHARACTERS = 200
"""Longest text that is read as a unit."""

NO_ALIASES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Unit:
    """Symbols with their exponents, sorted; no symbol at all for a pure number."""

    powers: Powers

    def __str__(self) -> str:
        shown = sorted(self.powers, key=lambda power: (power[1] < 0, power))
        return " ".join(
            symbol if exponent == 1 else f"{symbol}^{exponent}" for symbol, exponent in shown
        )

    @property
    def is_dimensionless(self) -> bool:
        return not self.powers


def parse_unit(text: str, aliases: Mapping[str, str] = NO_ALIASES) -> Unit | None:
    """The unit that a whole text is; `None` where anything in it is no unit."""
    if len(text) > MAX_CHARACTERS:
        return None
    return _read(text, tuple(sorted(aliases.items())), is_whole=True)


def leading_unit(text: str, aliases: Mapping[str, str] = NO_ALIASES) -> Unit | None:
    """The unit at the beginning of what stands right of a number, the longest that can be read.

    `None` where the text begins with something else: then the number has no unit. A word below a
    division that is no known unit (`m/run`) stays in the map as it is, so that it cannot be
    overlooked.
    """
    return _read(text[:MAX_CHARACTERS], tuple(sorted(aliases.items())), is_whole=False)


def unit_form(text: str) -> str:
    """A text as `unit_at` reads it: no LaTeX, ASCII operators, `^` before each exponent."""
    return _normalized(text)


def unit_at(form: str, start: int = 0) -> tuple[Unit, int] | None:
    """The longest unit that begins at a place of a unit form, and where it ends.

    For who reads on behind the unit, or looks for units all over a text. It spans 64 characters
    at most.
    """
    found = _leading(form[start : start + _WINDOW])
    return None if found is None else (found[0], start + found[1])


@lru_cache(maxsize=4096)
def _leading(window: str) -> tuple[Unit, int] | None:
    reader = _Reader(window, {})
    powers = reader.expression()
    rest = reader.rest()
    if powers is None or _RAISED_FURTHER.match(rest):
        return None
    return Unit(_merged(powers)), len(window) - len(rest)


_WINDOW = 64

_RAISED_FURTHER = re.compile(r"\s?\^")


@lru_cache(maxsize=4096)
def _read(text: str, aliases: tuple[tuple[str, str], ...], *, is_whole: bool) -> Unit | None:
    words = _normalized(text)
    if not is_whole:
        words = _LEAD.sub("", words, count=1)
    elif not words.strip():
        return None
    reader = _Reader(words.strip(), _aliased(aliases))
    powers = reader.expression()
    if powers is None and not is_whole and (scale := _SCALE_WORD.match(words)):
        powers = _Reader(words[scale.end() :], _aliased(aliases)).expression()
    if powers is None or (is_whole and reader.rest().strip(" .)")):
        return None
    if _RAISED_FURTHER.match(reader.rest()):  # `m^x`, `m^100`: a power that nobody can read.
        return None
    return Unit(_merged(powers))


def _aliased(aliases: tuple[tuple[str, str], ...]) -> Mapping[str, Powers]:
    """What each further spelling stands for; a unit that nobody knows stands for itself."""
    read = {}
    for spelling, meaning in aliases:
        unit = _read(meaning, (), is_whole=True)
        read[_normalized(spelling).strip()] = unit.powers if unit else ((meaning, Fraction(1)),)
    return read


def _merged(powers: Powers) -> Powers:
    total: dict[str, Fraction] = {}
    for symbol, exponent in powers:
        total[symbol] = total.get(symbol, Fraction(0)) + exponent
    return tuple(sorted((symbol, power) for symbol, power in total.items() if power))


# ── One spelling for all ways of typesetting ─────────────────────────────────────────

_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻"
_PLAIN = str.maketrans(_SUPERSCRIPTS, "0123456789+-")
_LETTERS = str.maketrans(
    {
        "µ": "μ", "\u2126": "Ω", "\u212b": "Å", "\u2113": "L", "\u212a": "K", "℃": "°C", "℉": "°F",
        "˚": "°", "º": "°", "−": "-", "–": "-", "‐": "-", "‑": "-", "－": "-", "﹣": "-",
        "⋅": "·", "•": "·", "×": "·", "∙": "·", "・": "·", "∕": "/", "⁄": "/", "÷": "/", "／": "/",
        "％": "%", "’": "'", "\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2006": " ",
        "\u200a": " ", "\u3000": " ", "~": " ", "$": " ", "`": " ", "\t": " ", "′": "'", "‴": " ",
        "″": "''", "（": "(", "）": ")",
    }
)  # fmt: skip
_COMPOSED = (("A\u030a", "Å"), ("㎜", "mm"), ("㎝", "cm"), ("㎞", "km"), ("㎎", "mg"), ("㎏", "kg"),
             ("㎡", "m^2"), ("㎥", "m^3"))  # fmt: skip
_ESCAPED = re.compile(r"\\{2,8}(?=[A-Za-z%,;:! ])")  # A formula inside a JSON string.
_MU = re.compile(
    r"\\(?:mu|upmu|textmu|micro)(?![A-Za-z])(?:\s|\{\}|\}?\s{0,2}\\(?:mathrm|text|textrm|rm)\s?\{?)*"
)
_DEGREE = re.compile(
    r"\^\s?\{?\s?(?:\\circ|∘|o(?![A-Za-z]))\s?\}?|\^\s?o(?=[CF](?![A-Za-z]))"
    r"|\\(?:degree|textdegree|deg|circ)(?![A-Za-z])|∘"
)
_FRACTION = re.compile(
    r"\\[dt]?frac\s?\{((?:[^{}]|\{[^{}]*\}){0,80})\}\s?\{((?:[^{}]|\{[^{}]*\}){0,80})\}"
)
_ROOT = re.compile(r"(?:\\sqrt|√)\s?[({]([^(){}]{1,40})[)}]")
_RAISED = re.compile(rf"[{_SUPERSCRIPTS}]+")
_GROUP = re.compile(r"(\^|\*\*)\s?[{(]\s?([^{}()]{1,8}?)\s?[)}]")
_COMMANDS = (
    (re.compile(r"\\celsius(?![A-Za-z])"), "°C"),
    (re.compile(r"\\(?:Omega|ohm)(?![A-Za-z])"), "Ω"),
    (re.compile(r"\\(?:AA|angstrom)(?![A-Za-z])|\\mathring\s?\{(?:\\mathrm\s?\{)?A\}"), "Å"),
    (re.compile(r"\\ell(?![A-Za-z])"), "L"),
    (re.compile(r"\\(?:cdot|times|ast|bullet)(?![A-Za-z])"), "·"),
    (re.compile(r"\\per(?![A-Za-z])"), "/"),
    (re.compile(r"\\prime(?![A-Za-z])"), "'"),
    (re.compile(r"\\%"), "%"),
    (re.compile(r"\\(?:[,;:! ()\\\[\]]|q?quad(?![A-Za-z]))"), " "),
    (re.compile(r"\\(?:mathrm|mathit|mathbf|mathsf|text\w{0,4}|operatorname|rm|left|right|unit|si|big"
                r"|boldsymbol|bf|it|displaystyle|boxed|ensuremath)(?![A-Za-z])\*?"), ""),
    (re.compile(r"\\(?=[A-Za-z])"), ""),  # siunitx: \kilo\joule.
)  # fmt: skip
_SHARES = (
    (re.compile(r"(?<![\w/])(?:wt|w|mass|weight)\.?[ -]?(?:%|per ?cent(?:age)?\b)"), "wt%"),
    (re.compile(r"(?<![\w/])(?:vol(?:ume)?|v)\.?[ -]?(?:%|per ?cent(?:age)?\b)"), "vol%"),
    (re.compile(r"(?<![\w/])(?:at|atom(?:ic)?)\.?[ -]?(?:%|per ?cent(?:age)?\b)"), "at%"),
    (re.compile(r"(?<![\w/])(?:mol|mole|molar)\.?[ -]?(?:%|per ?cent(?:age)?\b)"), "mol%"),
    (re.compile(r"(?:%|\bper ?cent) ?(?:\(w/w\)|w/w\b|\(m/m\)|by (?:mass|weight)\b)"), "wt%"),
    (re.compile(r"(?:%|\bper ?cent) ?(?:\(v/v\)|v/v\b|by volume\b)"), "vol%"),
    (re.compile(r"(?:%|\bper ?cent) ?(?:\([wm]/v\)|[wm]/v\b)"), "w/v%"),
)


_PER_METRE_KELVIN = re.compile(r"(?<![A-Za-z])W ?/ ?mK(?![A-Za-z])")  # Never watts per millikelvin.


_TYPED_DEGREE = re.compile(r"(?<![A-Za-z])(?:o|deg\.?\s?)(?=[CF](?![A-Za-z]))")
"""`oC` and `deg. C`, from keyboards without the sign."""
_MERCURY = re.compile(r"(?<![A-Za-z])mm (?:of )?Hg(?![A-Za-z])")
_ACTIVITY = re.compile(r"(?<![A-Za-z])[Uu]nits?(?=\s?/\s?[A-Za-zμ]|\sper\s)")
"""Alone, "units" are of whatever the sentence is about; by volume or mass they are of activity."""


def _normalized(text: str) -> str:
    """ASCII operators, `^` before each exponent, no LaTeX; a few characters aside, as written."""
    words = text
    if not words.isascii():
        for composed, plain in _COMPOSED:
            words = words.replace(composed, plain)
        words = _RAISED.sub(lambda raised: "^" + raised[0].translate(_PLAIN), words)
    words = _DEGREE.sub("°", words.translate(_LETTERS))
    if "\\" in words:
        words = _MU.sub("μ", _ESCAPED.sub(r"\\", words))
        for _ in range(2):
            words = _FRACTION.sub(r"(\1)/(\2)", words)
    words = _ROOT.sub(r"√(\1)", words)
    if "\\" in words:
        for command, plain in _COMMANDS:
            words = command.sub(plain, words)
    words = _GROUP.sub(lambda group: "^" + group[2].replace(" ", ""), words)
    words = re.sub(r"\*\*(?=-?\d)", "^", words).replace("**", " ")
    words = _PER_METRE_KELVIN.sub("W/(m K)", words)
    words = _TYPED_DEGREE.sub("°", words)
    words = _MERCURY.sub("mmHg", words)
    words = _ACTIVITY.sub("U", words)
    words = words.replace("_{", "_").replace("{", " ").replace("}", " ")
    if "%" in words or "cent" in words.lower():
        for share, symbol in _SHARES:
            words = share.sub(symbol, words)
    return words


# What may stand between a number and its unit: a power of ten that a whole bracket shares, closing
# marks, and the hyphen of "a 5-mL flask".
_LEAD = re.compile(
    r"\s{0,8}[)*_]{0,4}\s{0,8}(?:[·*x]\s{0,4}10\s{0,2}\^\s{0,2}[-+]?\d{1,3})?\s{0,8}[)*]{0,3}\s{0,8}"
    r"(?:-(?=[A-Za-zμΩÅ]))?"
)

_SCALE_WORD = re.compile(
    r"\s{0,8}(?:hundred|thousand|million|billion|trillion)s?\s{1,4}", re.IGNORECASE
)

# ── Reading ──────────────────────────────────────────────────────────────────────────

_LETTER = r"A-Za-zμΩÅåöÖ°%‰"
_WORD = re.compile(rf"[wv]/v%|[{_LETTER}]+|''|'")
_EXPONENT = re.compile(
    r"\s?\^\s?([+-]?\d{1,2}(?:[./]\d{1,2})?)(?![\d.]*\d)|([+-]?[1-9])(?![\d.]*[\dA-Za-z])"
)
_PRODUCT = re.compile(r"\s{0,4}(?:[·*.](?=\s{0,4}[\w°(])|-(?=[A-Za-zμΩÅ]))\s{0,4}|\s{1,8}|(?=√)")
_DIVISION = re.compile(r"\s{0,4}(?:/|(?<![A-Za-z])per(?![A-Za-z-]))\s{0,4}", re.IGNORECASE)
_PHRASE = re.compile(r"[A-Za-z°ö]+(?:[ -][A-Za-z]+){1,3}")
_NUMBER = re.compile(r"1?0{0,6}(?=[ A-Za-zμΩÅ(])|[1-9]\d{0,5}(?=\s?[A-Za-zμΩÅ(])")
_HEMISPHERE = re.compile(
    r"\s{0,3}(?:(?:[NSEWnsew]|[nN]orth|[sS]outh|[eE]ast|[wW]est)(?![\w/^·*])"
    r"(?:\s(?:latitude|longitude))?)"
)
_MODIFIER = re.compile(r"(square|cubic|sq|cu)\.?\s", re.IGNORECASE)
_SUFFIX = re.compile(r"\s(squared|cubed)(?![A-Za-z])", re.IGNORECASE)
_POWER_WORDS: Mapping[str, int] = MappingProxyType(
    {"square": 2, "sq": 2, "squared": 2, "cubic": 3, "cu": 3, "cubed": 3}
)
_PROSE = frozenset({"in", "a", "as", "am", "pm", "at", "an", "is", "are", "second", "degree", "e"})
"""Symbols and names that are English words first: after a blank they want an exponent."""
_MOST_FACTORS = 8  # Behind the first one; no unit has more.
_DEPTH = 4  # Brackets within brackets; no unit needs more.


class _Reader:
    """Reads one unit from left to right; knows how far it could follow."""

    def __init__(self, words: str, aliases: Mapping[str, Powers]) -> None:
        self._words = words
        self._aliases = aliases
        self._at = 0

    def rest(self) -> str:
        return self._words[self._at :]

    def expression(self, depth: int = 0) -> Powers | None:
        """Factors joined by products and divisions; `None` where not even one begins here."""
        start = self._at
        first: Powers | None = ()
        if not (depth == 0 and self._opens_with_division()):
            first = self._factor(depth, after="")
        if first is None:
            self._at = start
            return None
        powers, is_below = list(first), False
        for _ in range(_MOST_FACTORS):
            end = self._at
            if division := _DIVISION.match(self._words, end):
                self._at, is_below = division.end(), True
                factor = self._factor(depth, after="/") or self._unknown()
            elif product := _PRODUCT.match(self._words, end):
                self._at = product.end()
                after = " " if product[0].isspace() else "·"
                factor = self._factor(depth, after=after)
            else:
                factor = None
            if factor is None:
                self._at = end
                return tuple(powers)
            powers += _inverted(factor) if is_below else factor
        return tuple(powers)

    def _opens_with_division(self) -> bool:
        """True at `/s`, `1/s` and `per mole`, a unit that has nothing above its line."""
        begun = self._at + self._words.startswith("1", self._at)
        division = _DIVISION.match(self._words, begun)
        if division is None:
            return False
        self._at = division.end()
        is_unit = self._factor(0, after="/") is not None
        self._at = begun
        return is_unit

    def _factor(self, depth: int, *, after: str) -> Powers | None:
        """A bracket, a root, a count below a line, or one unit, with its exponent."""
        words, start = self._words, self._at
        if words.startswith("(", start):
            return self._bracket(depth, after)
        if words.startswith("√", start):
            self._at += 1
            root = self._factor(depth, after="·")
            return None if root is None else _raised(root, Fraction(1, 2))
        if after == "/" and (count := _NUMBER.match(words, start)) and count[0].strip("1") != "":
            self._at = count.end()
            return ((count[0], Fraction(1)),)
        if modifier := _MODIFIER.match(words, start):
            self._at = modifier.end()
            unit = self._factor(depth, after="·")
            if unit is not None:
                return _raised(unit, Fraction(_POWER_WORDS[modifier[1].lower()]))
            self._at = start
            return None
        return self._unit(after)

    def _bracket(self, depth: int, after: str) -> Powers | None:
        """A bracket; after a blank only one with an exponent, for `metres (m)` is said twice."""
        start = self._at
        self._at += 1
        self._skip_blanks()
        inner = self.expression(depth + 1) if depth < _DEPTH else None
        self._skip_blanks()
        if inner is None or not self._words.startswith(")", self._at):
            self._at = start
            return None
        self._at += 1
        exponent = self._exponent()
        if after == " " and exponent == 1:
            self._at = start
            return None
        return _raised(inner, exponent)

    def _skip_blanks(self) -> None:
        while self._words.startswith(" ", self._at):
            self._at += 1

    def _unit(self, after: str) -> Powers | None:
        for end, powers, name in self._candidates():
            begun, self._at = self._at, end
            exponent = self._exponent()
            is_bare = exponent == 1 and self._at == end
            if powers in _ANGLES and (hemisphere := _HEMISPHERE.match(self._words, self._at)):
                self._at = hemisphere.end()
            if (after == " " and is_bare and self._is_prose(name)) or self._continues():
                self._at = begun
                continue
            return _raised(powers, exponent)
        return None

    def _is_prose(self, name: str) -> bool:
        return name in _PROSE or name in COUNTED or name.removesuffix("s") in COUNTED

    def _continues(self) -> bool:
        """True inside a word: `CO` of `CO2`, `m` of `m_e`; not before an emphasis that ends."""
        follower = self._words[self._at : self._at + 2]
        return follower[:1].isalnum() or (follower[:1] == "_" and follower[1:].isalnum())

    def _candidates(self) -> list[tuple[int, Powers, str]]:
        """What could begin here, the longest first: an alias, a phrase, a word."""
        words, start = self._words, self._at
        found = [
            (start + len(spelling), powers, spelling)
            for spelling, powers in self._aliases.items()
            if spelling and words.startswith(spelling, start)
        ]
        found.sort(key=lambda candidate: -candidate[0])
        if phrase := _PHRASE.match(words, start):
            parts = re.split(r"(?<=[ -])", phrase[0])
            for count in range(len(parts), 1, -1):
                written = "".join(parts[:count]).rstrip(" -")
                if (powers := NAMES.get(written.lower())) is not None:
                    found.append((start + len(written), powers, written))
        if degrees := _DEGREE_SCALE.match(words, start):
            found.append((degrees.end(), SYMBOLS["°" + degrees[1]], degrees[0]))
        if words.startswith("°", start):
            found.append((start + 1, SYMBOLS["°"], "°"))
        if word := _WORD.match(words, start):
            name = word[0]
            powers = SYMBOLS.get(name, NAMES.get(name.lower()))
            if powers is not None:
                found.append((word.end(), powers, name))
        return found

    def _exponent(self) -> Fraction:
        if match := _EXPONENT.match(self._words, self._at):
            written = match[1] or match[2]
            if not written.endswith(("/0", "/00")):
                self._at = match.end()
                return Fraction(written)
        if suffix := _SUFFIX.match(self._words, self._at):
            self._at = suffix.end()
            return Fraction(_POWER_WORDS[suffix[1].lower()])
        return Fraction(1)

    def _unknown(self) -> Powers | None:
        """A word below a division line that no table knows, taken as its own unit."""
        word = re.compile(r"[^\W\d_]+").match(self._words, self._at)
        if word is None:
            return None
        self._at = word.end()
        return ((word[0].lower(), Fraction(1)),)


_ANGLES: tuple[Powers, ...] = (SYMBOLS["°"], SYMBOLS["'"], SYMBOLS["''"])
_DEGREE_SCALE = re.compile(r"° ?([CFK])(?![A-Za-z])")


def _inverted(powers: Powers) -> Powers:
    """Below a division line; an exponent that is negative already says so by itself."""
    return tuple((symbol, -abs(exponent)) for symbol, exponent in powers)


def _raised(powers: Powers, exponent: Fraction) -> Powers:
    return tuple((symbol, power * exponent) for symbol, power in powers)
