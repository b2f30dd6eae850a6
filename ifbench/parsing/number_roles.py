"""What a number is in its text: a quantity, or one of the many things that only look like one.

The rules read a few characters around the number, and spans found once for the whole text
(code, links, exponents, citations). Where two readings are open, the one is taken that holds
a writer to less: a step number must not fail an answer. English and Chinese labels are known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from ifbench.parsing.fences import fences_in

Role: TypeAlias = Literal["quantity", "label", "symbol", "index", "date", "citation", "code"]
"""`label`: list markers and ordinals (Step 2, Figure 3). `symbol`: digits of formulas, names,
versions, telephone numbers, links (H2O, sp3, 2π). `index`: exponents, sub- and superscripts."""


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


class RoleReader:
    """Reads the roles of one text's numbers, which are to be asked for from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._spans = _special_spans(text)
        self.has_spans = bool(self._spans)
        self._next_span = 0
        self._joins: tuple[int, Role] = (-1, "label")
        """Where a label or date ended that further numbers may join ("Figures 3 and 4")."""

    def may_go_on(self, start: int) -> bool:
        """True when a number at `start` is near enough to join a list of labels, or a date."""
        return 0 <= self._joins[0] <= start <= self._joins[0] + _LONGEST_GAP

    def compound_at(self, start: int, digits_end: int) -> tuple[int, Role] | None:
        """End and role of what joins several runs of digits: dates, versions, locants."""
        text = self._text
        follower = text[digits_end : digits_end + 1]
        if follower not in _COMPOUND_FOLLOWERS:
            return None
        if text[max(start - 1, 0)] == "+" and (call := _CALLING_CODE.match(text, start)):
            return call.end(), "symbol"
        match = _COMPOUND.match(text, start) if follower != " " else None
        if match is None or self.role_of_span(start) is not None:
            return None
        if match["date"]:
            self._joins = (match.end(), "date")
        return match.end(), "date" if match["date"] else "symbol"

    def role_of(self, start: int, end: int, *, is_integer: bool) -> Role:
        """The role of the number whose digits are `text[start:end]`.

        `is_integer` says that it is written without point and exponent, as most look-alikes.
        """
        return (
            (self.role_of_span(start) if self._spans else None)
            or _touching_left(self._text, start, end, is_integer=is_integer)
            or (_touching_right(self._text, start, end) if is_integer else None)
            or self._role_by_words(start, end, is_integer=is_integer)
            or "quantity"
        )

    def role_of_span(self, start: int) -> Role | None:
        """The one role of all numbers in the span that `start` is in, if it is in one."""
        spans = self._spans
        while self._next_span < len(spans) and spans[self._next_span][1] <= start:
            self._next_span += 1
        if self._next_span < len(spans) and spans[self._next_span][0] <= start:
            return spans[self._next_span][2]
        return None

    def _role_by_words(self, start: int, end: int, *, is_integer: bool) -> Role | None:
        text = self._text
        if _is_list_marker(text, start, end, is_integer=is_integer):
            return "label"
        if is_integer and (role := self._joined(start, end) or _in_brackets(text, start, end)):
            return role
        words = text[start - _BEFORE if start > _BEFORE else 0 : start].rstrip(" \t\u00a0(*_~{")
        word = _last_word(words)
        if is_integer:
            if (words.endswith(":") and _is_ordinal_key(words)) or words.endswith(_CHINESE_LABELS):
                return "label"
            if _is_dated(text, start, end, word):
                self._joins = (end, "date")
                return "date"
        if not word or not _is_label(text, end, word.lower(), words, is_integer=is_integer):
            return None
        if word[-1] in "sS" or _MORE_OF_LABEL.match(text, end):
            self._joins = (end, "label")
        return "label"

    def _joined(self, start: int, end: int) -> Role | None:
        """The role of a number that goes on with a list of labels, or with a date."""
        if not self.may_go_on(start):
            return None
        joins_at, role = self._joins
        if role == "date" and not _YEAR.fullmatch(self._text, start, end):
            return None
        if (_DATE_GAP if role == "date" else _LABEL_GAP).fullmatch(self._text, joins_at, start):
            self._joins = (end, role)
            return role
        return None


# ── What touches the number ──────────────────────────────────────────────────────────

_UNIT = (
    r"(?:(?:[pnumµμkMGTcdfh]?(?:mol|Pa|Hz|eV|bar|cal|Da|Wb|Sv|Bq|Gy|lm|lx|rad|[mgsLlJWVNAKMTΩΩ])"
    r"|min|h|hrs?|atm|mmHg|torr|ppm|ppb|ppt|dB|bp|kb|kbp|rpm|psi|[kMG]?Wh|mAh|wt|vol|IU|CFU|amu"
    r"|Å|Å|deg|AU|pc|Ma|Ga|ha|px|fps|[kMG]B)(?![A-Za-z]))"
)
_UNIT_AFTER = re.compile(_UNIT)
_UNIT_AFTER_BLANK = re.compile(rf"[ \u00a0](?![A-Z](?![A-Za-z/·^])){_UNIT}")
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
_FACTOR_COMMAND = re.compile(  # After the 2 of `2\pi`; `\mu`, `\Omega` and `\circ` begin units.
    r"\\(?:pi|alpha|beta|gamma|delta|epsilon|varepsilon|theta|lambda|nu|xi|rho|sigma|tau|phi"
    r"|varphi|chi|psi|omega|eta|zeta|kappa|Delta|Gamma|Phi|Psi|Sigma|Lambda|Theta|sqrt|sin|cos|tan"
    r"|ln|log|exp|hbar|vec|mathbf|left)(?![A-Za-z])"
)
_DEGREES_AFTER = re.compile(r"\^\s?\{?\s?(?:\\circ|∘|o\b)")
_KEY_AFTER = re.compile(r"[\"']\s{0,3}:")
_COMPOUND_FOLLOWERS = frozenset("-/.:,'′) ")
_COMPOUND = re.compile(
    r"""(?P<date> \d{4}([-/.])\d{1,2}\2\d{1,2}(?!\d)
            (?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?
          | \d{1,2}([-/.])\d{1,2}\3\d{4}(?!\d) | \d{1,2}/\d{1,2}/\d\d(?!\d)
          | \d{1,2}:[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?![:.]?\d))
      | \d++(?:\.\d++){2,}+                                                # versions
      | \d{1,7}(?:-\d{1,7}){2,6}+(?!\d) | \d{3}\)[ -]?\d{3}-\d{4}(?!\d)     # CAS, telephones
      | \d{1,2}['′]?(?:,\d{1,2}['′]?){1,8}+-(?=[A-Za-z])                       # locants""",
    re.VERBOSE,
)
_CALLING_CODE = re.compile(r"\d{1,3}[ -]\(?\d{2,4}\)?[ -]\d{3,4}[ -]\d{3,4}(?!\d)")
_HYPHENS = "-−–‐‑"


def _touching_left(text: str, start: int, end: int, *, is_integer: bool) -> Role | None:
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


def _touching_right(text: str, start: int, end: int) -> Role | None:
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
        return "symbol" if _FACTOR_COMMAND.match(text, end) else None
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


# ── What the words around say ────────────────────────────────────────────────────────

_BEFORE = 24  # Characters read before a number; the longest label has ten.
_SINGULAR = _words(
    "step figure table equation formula section chapter part question problem case example "
    "option method phase stage type class group period level line page note scheme appendix "
    "theorem lemma law item rule region point sample trial task day week model version row "
    "experiment exercise choice panel box reaction process stop rank grade reference column "
    "scenario condition criterion category attempt slide run compound node peak zone layer band "
    "object resistor capacitor beaker particle planet isomer exon chromosome specimen site loop "
    "branch block tube cell atom carbon residue mode panel unit assumption hypothesis observation"
)
_PLURAL = frozenset(f"{word}s" for word in _SINGULAR - {"day", "week", "point", "sample", "trial"})
_SHORT = _words("fig figs eq eqs no nos ref refs sec secs ch vol pp tab ex")
LABELS = _SINGULAR | _PLURAL | _SHORT
"""Words whose numbers are labels, in lower case."""
DEEP_LABELS = _words(
    "figure table equation section chapter problem example exercise version appendix theorem "
    "fig figs eq eqs sec ch tab"
)
"""Labels whose numbers may hold a point (Section 2.1)."""
_CHINESE_LABELS = ("第", "图", "表", "式", "圖", "步骤", "步驟", "例", "问题", "方法", "选项")
_ORDINAL_KEYS = _words("id no number index step rank order step_number stepnumber")
MONTHS = _words(
    "January February March April May June July August September October November December "
    "Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec"
)
YEAR_WORDS = _words("in since year years during until till circa al by from")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_MONTH_AFTER = re.compile(
    r"(?:st|nd|rd|th)?[ \u00a0](?:of )?(?:January|February|March|April|May|June|July|August"
    r"|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)(?![a-z])"
)
_LABEL_GAP = re.compile(r"\)?\s?(?:,|;|and|&|to|or|of|[-–—/]|, and|, or)\s?\(?")
_LONGEST_GAP = 8  # Characters between the numbers of a list of labels.
_DATE_GAP = re.compile(r"(?:,|,? | to | and | ?[-–] ?)")
_MORE_OF_LABEL = re.compile(r"\s?[-–—/]\s?\d| of \d++(?![.,]\d)")  # Figures 3–5, step 3 of 4.
_MARKER_BEFORE = re.compile(r"[ \t>]*+(?:[-*+•]\s++)?(?:#{1,6}\s++)?(?:\*\*|__)?[(（]?")
_MARKER_AFTER = re.compile(
    r"(?:[.)．]|\\\.)(?:\*\*|__)?[ \t]+\S|[.)]\*\*|\*\*[.)]|[)）][ \t]*[^\W\d]|、"
)
_HEADING_AFTER = re.compile(r"[.):]?[ \t]+(?:\*\*)?[^\W\d_]{2}")
_LINE_ENDS = re.compile(r"[ \t$\]*]*(?:\\\\|\\\])?[ \t]*(?:\n|\Z)")
_GAP_BEFORE = re.compile(r"[^\s(](?:[ \t]{2,}|\t|\s?\\q?quad\s?)\Z")
_REFERRING = re.compile(
    r"(?<![^\W_])(?:from|into|using|combining|substituting|and|via|in)[ \u00a0]\Z", re.IGNORECASE
)
_ENUMERATOR_AFTER = re.compile(r"\)[ \u00a0]+[^\W\d_]")


def _is_list_marker(text: str, start: int, end: int, *, is_integer: bool) -> bool:
    """True for the number that opens a line: `2.`, `(2)`, `- 2)`, `1.1.`, `## 2.1 Methods`."""
    after = text[end : end + 1]
    if after not in ".)）、．*\\: \t" or (
        after in ": \t" and "#" not in text[max(start - 12, 0) : start]
    ):
        return False
    line = text.rfind("\n", start - 16 if start > 16 else 0, start) + 1
    if (line == 0 and start > 16) or not _MARKER_BEFORE.fullmatch(text, line, start):
        return False
    if text.find("#", line, start) >= 0 and _HEADING_AFTER.match(text, end):
        return True
    is_short = end - start <= 3 and (is_integer or text[end - 1] != "0")
    return is_short and _MARKER_AFTER.match(text, end) is not None


def _in_brackets(text: str, start: int, end: int) -> Role | None:
    """`(2) text` inside a line enumerates; `Smith (2015)` and `(Smith, 2015)` cite."""
    if text[end : end + 1] not in {")", "）"}:
        return None
    if _YEAR.fullmatch(text, start, end):
        lead = text[max(start - 3, 0) : start].rstrip("( ,（")
        return "citation" if lead and (lead[-1].isalpha() or lead[-1] == ".") else None
    opens = text[max(start - 1, 0) : start] == "("
    if opens and end - start <= 2 and _is_equation_number(text, start, end):
        return "label"
    is_apart = start < 2 or text[start - 2].isspace()
    is_enumerator = opens and is_apart and end - start <= 2 and _ENUMERATOR_AFTER.match(text, end)
    return "label" if is_enumerator else None


def _is_equation_number(text: str, start: int, end: int) -> bool:
    r"""`x = 4 \quad (2)` at the end of a line; `from (1) and (2)`, `substituting (2) into (1)`."""
    lead = text[max(start - 16, 0) : start - 1]
    ends_line = _LINE_ENDS.match(text, end + 1) is not None
    if ends_line and _GAP_BEFORE.search(lead):
        return True
    return _REFERRING.search(lead) is not None and not _UNIT_AFTER_BLANK.match(text, end + 1)


def _is_label(text: str, end: int, word: str, words: str, *, is_integer: bool) -> bool:
    """True for a number after a word that labels (Step 2, Fig. 3), unless a unit follows."""
    if word in _SHORT:
        is_label = words.endswith(".") or word not in {"no", "nos", "ex", "vol", "ch", "tab"}
    else:
        is_label = not words.endswith(".") and (word in _SINGULAR or word in _PLURAL)
    if not is_label or not (is_integer or word in DEEP_LABELS):
        return False
    return _UNIT_AFTER_BLANK.match(text, end) is None


def _is_dated(text: str, start: int, end: int, word: str) -> bool:
    """True for a day or year beside a month's name, and for a year after a word such as `in`."""
    if word in MONTHS or (end - start <= 2 and _MONTH_AFTER.match(text, end)):
        return True
    is_year_word = word.lower() in YEAR_WORDS or text[max(start - 6, 0) : start].lower() == "as of "
    if not is_year_word or not _YEAR.fullmatch(text, start, end):
        return False
    return _UNIT_AFTER_BLANK.match(text, end) is None


def _last_word(words: str) -> str:
    """The last word, if it is made of letters only."""
    last = words[-1:]
    if not (last.isalpha() or last in {".", ","}):
        return ""
    word = words.rstrip(".,").rpartition(" ")[2].rpartition("\n")[2].rpartition("{")[2]
    word = word.lstrip("([*_\"'#“（")
    return word if word.isalpha() else ""


def _is_ordinal_key(words: str) -> bool:
    """True for `"step":` and the like, the keys of JSON that number things."""
    key = words[:-1].rstrip()
    quote = key[-1:]
    return quote in {'"', "'"} and key[:-1].rpartition(quote)[2].lower() in _ORDINAL_KEYS


# ── Spans of the whole text ──────────────────────────────────────────────────────────

Span: TypeAlias = tuple[int, int, Role]

_PROGRAMMING = _words(
    "python py python3 pycon ipython java javascript js typescript ts c cpp c++ cs csharp go rust "
    "r julia matlab octave fortran perl ruby php swift kotlin scala bash sh shell sql mermaid "
    "latex tex dot verilog vhdl asm"
)
# One and two inner groups deep; each alternative begins otherwise, so nothing is read twice.
_BRACED = r"\{(?:[^{}]++|\{(?:[^{}]++|\{[^{}]*+\})*+\})*+\}"
_RAISED_GROUP = re.compile(rf"[\^_]\s?(?:{_BRACED}|\([^()\n]{{0,40}}\))")
_RAISED_TAG = re.compile(r"<su[bp]>[^<]{0,80}</su[bp]>", re.IGNORECASE)
_LINK = re.compile(r"(?:https?://|www\.|InChI=|doi:)\S++|10\.\d{4,9}/\S++")
_MARKS = re.compile(
    r"\\(?:tag|label|ref|eqref|cite|hspace|vspace|begin|end|color)\*?\{[^{}\n]*+\}"
    r"|\\\\\[[^\]\n]{1,12}\]"
)
_ROOT = re.compile(r"\\sqrt\s?\[[^\[\]\n]{1,12}\]")
_FRACTION_FACTOR = re.compile(
    r"\\[dt]?frac\s?\{\s?\d{1,3}\s?\}\s?\{\s?\d{1,3}\s?\}(?=\s?(?:[A-Za-z(]|"
    + _FACTOR_COMMAND.pattern
    + "))"
)
_ATTRIBUTES = _words(
    "id class style version colspan rowspan border width height start order index step n no"
)
_NAMED = "|".join(rf"(?<=\b{name}=)" for name in sorted(_ATTRIBUTES))
# It begins with its sign, which is searched for at once.
_ATTRIBUTE = re.compile(rf"=(?:{_NAMED})(?:\"[^\"\n]*+\"|'[^'\n]*+')")
_CITATION = re.compile(r"\[[1-9]\d{0,2}(?:\s?[,;–-]\s?[1-9]\d{0,2})*+\]")
_REFERENCE_AFTER = re.compile(r"[ \t]+[^\W\d_]{2}")  # `[1] Smith`, a line of a reference list.
_LIST_WORDS = _words(
    "is are be in list vector array tuple interval range answer output set from values value to "
    "equals gives returns coordinates coordinate point points position pair matrix row column box "
    "bbox indices sequence list lists arrays between of with as by or and"
)


def _special_spans(text: str) -> list[Span]:
    """Spans whose numbers have one role, in order and apart; the first that begins wins."""
    found: list[Span] = []
    if "```" in text or "~~~" in text:
        found.extend(_code(text))
    for first, marks, pattern, role in _SPAN_PATTERNS:
        # To look for one character takes a tenth of the time that a longer mark takes.
        if _holds_any(text, first) and _holds_any(text, marks):
            found.extend((*match.span(), role) for match in pattern.finditer(text))
    if "[" in text:
        found.extend(_citations(text))
    if _holds_any(text, _ARROW_SIGNS) or ("\\" in text and _holds_any(text, _ARROW_COMMANDS)):
        found.extend(_coefficients(text))
    if "(" in text:
        found.extend(_planes(text))
    return _apart(found)


_SPAN_PATTERNS: tuple[tuple[str, tuple[str, ...], re.Pattern[str], Role], ...] = (
    ("^_", ("^{", "_{", "^ {", "_ {", "^("), _RAISED_GROUP, "index"),
    ("<", ("<su", "<SU"), _RAISED_TAG, "index"),
    (":.=", ("://", "www.", "InChI=", "doi:", "10."), _LINK, "symbol"),
    ("\\", ("\\tag", "\\ref", "\\eqref", "\\cite", "space{", "\\label", "\\\\["), _MARKS, "label"),
    ("\\", ("\\sqrt[", "\\sqrt ["), _ROOT, "index"),
    ("\\", ("frac{", "frac "), _FRACTION_FACTOR, "symbol"),
    ("=", ('="', "='"), _ATTRIBUTE, "label"),
)
"""Characters of which one stands in every span of a kind, marks alike, its pattern and role."""


def _holds_any(text: str, marks: Iterable[str]) -> bool:
    # A generator inside `any` takes twice as long, for marks so few.
    for mark in marks:  # noqa: SIM110
        if mark in text:
            return True
    return False


def _code(text: str) -> Iterator[Span]:
    """Fenced programs. A literal in a fence (`{"mass": 2.50}` under `python`) is an answer."""
    for fence in fences_in(text):
        body = text[fence.body_start : fence.body_start + 200].lstrip()
        if fence.language in _PROGRAMMING and body[:1] not in tuple("{[('\"-0123456789"):
            yield fence.body_start, fence.body_end, "code"


def _citations(text: str) -> Iterator[Span]:
    """`[12]` and `[3, 4]` after words; `x[0]` is an index, and `is [1, 2]` a list."""
    last_end = -1
    for match in _CITATION.finditer(text):
        start, end = match.span()
        before = text[max(start - 16, 0) : start]
        touches = before[-1:]
        if start == last_end or touches.isalnum() or (touches and touches in '.)"”’*}'):
            is_citation = not (touches == "}" or before[-2:] == "\\\\")
        elif not touches or touches == "\n":
            is_citation = _REFERENCE_AFTER.match(text, end) is not None
        else:
            word = before[:-1].rpartition(" ")[2].rpartition("\n")[2]
            is_gap = touches in {" ", "\u00a0"} and word[-1:].isalpha()
            is_citation = is_gap and word.lower() not in _LIST_WORDS
        if is_citation:
            last_end = end
            yield start, end, "citation"


_ARROW_SIGNS = ("→", "->", "⟶", "⇌", "⇄")
_ARROW_COMMANDS = ("\\to", "arrow", "harpoons")
_ARROW = re.compile(r"→|->|⟶|⇌|⇄|\\to(?![A-Za-z])|\\[a-z]*(?:arrow|harpoons)", re.IGNORECASE)
_ELEMENT = r"(?:A[cglmrstu]|B[aeir]?|C[adelorsu]?|F[er]?|Ga|Ge|H[efgo]?|I[nr]?|K[r]?|L[aiu]|M[gno]|N[abei]?|O|P[bdt]?|R[bu]|S[bceinr]?|T[ail]|U|V|W|Xe|Y|Z[nr])"
_FORMULA = re.compile(rf"(?<![a-z\\]){_ELEMENT}\}}?(?:[₀-₉]|_?\{{?[2-9])")
_COEFFICIENT = re.compile(
    r"(?<![\w.=,])\d{1,2}(?=(?:[ \u00a0]|\\[,;: ]|\\?(?:mathrm|text|ce|rm)\s?\{|\{){1,4}"
    rf"(?:e(?:\^|⁻)|[(\[]?{_ELEMENT}(?:[A-Z(\[)\]}}₀-₉0-9⁺⁻^_+\s$\\.,;·]|[a-z]?[A-Z₀-₉0-9(]|\Z)))"
)


def _coefficients(text: str) -> Iterator[Span]:
    """The 2 of `2 H2 + O2 → 2 H2O`: it counts formula units in an equation, exactly."""
    line_end = -1
    for arrow in _ARROW.finditer(text):
        if arrow.start() < line_end:
            continue
        line_start = text.rfind("\n", 0, arrow.start()) + 1
        line_end = text.find("\n", arrow.end())
        line_end = len(text) if line_end < 0 else line_end
        if _FORMULA.search(text, line_start, line_end):  # `5 K → 10 K` is about temperatures.
            for match in _COEFFICIENT.finditer(text, line_start, line_end):
                yield *match.span(), "symbol"


_PLANE_WORDS = re.compile(
    r"(?<![^\W_])(?:planes?|peaks?|reflections?|facets?|faces?|surfaces?|orientations?|directions?"
    r"|diffraction|Miller|lattice|XRD|d-spacings?)(?![^\W_])|晶面|衍射"
)
# It begins with its bracket, which is searched for at once.
_PLANE = re.compile(r"\((?<![\w=×*)/]\()\d{3}\)(?!\s?[(×*/^=])")


def _planes(text: str) -> Iterator[Span]:
    """Miller indices: `(111)` with a word for planes or peaks nearby, and without a unit."""
    for match in _PLANE.finditer(text):
        start, end = match.span()
        is_plane = _PLANE_WORDS.search(text, max(start - 40, 0), end + 40)
        if is_plane and not _UNIT_AFTER_BLANK.match(text, end):
            yield start, end, "symbol"


def _apart(spans: list[Span]) -> list[Span]:
    kept: list[Span] = []
    for span in sorted(spans):
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept
