"""Spans of a text whose numbers all have one role: code, links, exponents, citations, equations.

They are found once for a text, each kind only where a mark of it stands somewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from ifbench.parsing.fences import fences_in
from ifbench.parsing.number_neighbours import FACTOR_COMMAND, UNIT_AFTER_BLANK, Role


def word_set(listed: str) -> frozenset[str]:
    """The words of a list that blanks part."""
    return frozenset(listed.split())


Span: TypeAlias = tuple[int, int, Role]

_PROGRAMMING = word_set(
    "python py python3 pycon ipython java javascript js typescript ts c cpp c++ cs csharp go rust "
    "r julia matlab octave fortran perl ruby php swift kotlin scala bash sh shell sql mermaid "
    "latex tex dot verilog vhdl asm"
)
# One and two inner groups deep; each alternative begins otherwise, so nothing is read twice.
_BRACED = r"\{(?:[^{}]++|\{(?:[^{}]++|\{[^{}]*+\})*+\})*+\}"
# `_(1.5 g)_` after a blank is emphasis; `x_(12)` is an index.
_RAISED_GROUP = re.compile(
    rf"[\^_](?:[ ]?{_BRACED}|(?:(?<=\^)[ ]?|(?<=[^\W_]_)|(?<=[)\]}}]_))\([^()\n]{{0,40}}\))"
)
_RAISED_TAG = re.compile(r"<(?:su|SU|Su)[bpBP]>[^<]{0,80}</(?:su|SU|Su)[bpBP]>")
_LINK = re.compile(r"(?:https?://|www\.|InChI=|doi:)\S++|10\.\d{4,9}/\S++")
_MARKS = re.compile(
    r"\\(?:tag|label|ref|eqref|cite|hspace|vspace|begin|end|color)\*?\{[^{}\n]*+\}"
    r"|\\\\\[[^\]\n]{1,12}\]"
)
_MARKED = (
    "\\tag", "\\label", "\\ref", "\\eqref", "\\cite", "\\hspace", "\\vspace", "\\begin", "\\end", "\\color", "\\\\[",
)  # fmt: skip
_ROOT = re.compile(r"\\sqrt ?\[[^\[\]\n]{1,12}\]")
_FRACTION_FACTOR = re.compile(
    r"\\[dt]?frac ?\{\s?\d{1,3}\s?\}\s?\{\s?\d{1,3}\s?\}(?=\s?(?:[A-Za-z(]|"
    + FACTOR_COMMAND.pattern
    + "))"
)
_ATTRIBUTES = word_set(
    "id class style version colspan rowspan border width height start order index step n no"
)
_NAMED = "|".join(rf"(?<=\b{name}=)" for name in sorted(_ATTRIBUTES))
# It begins with its sign, which is searched for at once.
_ATTRIBUTE = re.compile(rf"=(?:{_NAMED})(?:\"[^\"\n]*+\"|'[^'\n]*+')")
_CITATION = re.compile(r"\[[1-9]\d{0,2}(?:\s?[,;–-]\s?[1-9]\d{0,2})*+\]")
_REFERENCE_AFTER = re.compile(r"[ \t]+[^\W\d_]{2}")  # `[1] Smith`, a line of a reference list.
_LIST_WORDS = word_set(
    "is are be in list vector array tuple interval range answer output set from values value to "
    "equals gives returns coordinates coordinate point points position pair matrix row column box "
    "bbox indices sequence list lists arrays between of with as by or and"
)


def special_spans(text: str) -> list[Span]:
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
    ("^_", ("^{", "_{", "^(", "_(", "^ {", "_ {", "^ ("), _RAISED_GROUP, "index"),
    ("<", ("<su", "<SU", "<Su"), _RAISED_TAG, "index"),
    (":.=", ("://", "www.", "InChI=", "doi:", "10."), _LINK, "symbol"),
    ("\\", _MARKED, _MARKS, "label"),
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
        if is_plane and not UNIT_AFTER_BLANK.match(text, end):
            yield start, end, "symbol"


def _apart(spans: list[Span]) -> list[Span]:
    kept: list[Span] = []
    for span in sorted(spans):
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept
