"""What a number is in its text: a quantity, or one of the many things that only look like one.

The rules read a few characters around the number, and spans found once for the whole text
(code, links, exponents, citations). Where two readings are open, the one is taken that holds
a writer to less: a step number must not fail an answer. English and Chinese labels are known.
"""

from __future__ import annotations

import re

from ifbench.parsing.number_neighbours import (
    BLANKS,
    UNIT_AFTER_BLANK,
    Role,
    role_on_the_left,
    role_on_the_right,
)
from ifbench.parsing.number_spans import special_spans, word_set


class RoleReader:
    """Reads the roles of one text's numbers, which are to be asked for from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._spans = special_spans(text)
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
            or role_on_the_left(self._text, start, end, is_integer=is_integer)
            or (role_on_the_right(self._text, start, end) if is_integer else None)
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
        words = text[start - _BEFORE if start > _BEFORE else 0 : start].rstrip(_BEHIND_LABEL)
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


# ── What the words around say ────────────────────────────────────────────────────────

_BEHIND_LABEL = BLANKS + "\t(*_~{"
_BEFORE = 24  # Characters read before a number; the longest label has ten.
_SINGULAR = word_set(
    "step figure table equation formula section chapter part question problem case example "
    "option method phase stage type class group period level line page note scheme appendix "
    "theorem lemma law item rule region point sample trial task day week model version row "
    "experiment exercise choice panel box reaction process stop rank grade reference column "
    "scenario condition criterion category attempt slide run compound node peak zone layer band "
    "object resistor capacitor beaker particle planet isomer exon chromosome specimen site loop "
    "branch block tube cell atom carbon residue mode panel unit assumption hypothesis observation"
)
_PLURAL = frozenset(f"{word}s" for word in _SINGULAR - {"day", "week", "point", "sample", "trial"})
_SHORT = word_set("fig figs eq eqs no nos ref refs sec secs ch vol pp tab ex")
LABELS = _SINGULAR | _PLURAL | _SHORT
"""Words whose numbers are labels, in lower case."""
DEEP_LABELS = word_set(
    "figure table equation section chapter problem example exercise version appendix theorem "
    "fig figs eq eqs sec ch tab"
)
"""Labels whose numbers may hold a point (Section 2.1)."""
_CHINESE_LABELS = ("第", "图", "表", "式", "圖", "步骤", "步驟", "例", "问题", "方法", "选项")
_ORDINAL_KEYS = word_set("id no number index step rank order step_number stepnumber")
MONTHS = word_set(
    "January February March April May June July August September October November December "
    "Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec"
)
YEAR_WORDS = word_set("in since year years during until till circa al by from")
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
    return _REFERRING.search(lead) is not None and not UNIT_AFTER_BLANK.match(text, end + 1)


def _is_label(text: str, end: int, word: str, words: str, *, is_integer: bool) -> bool:
    """True for a number after a word that labels (Step 2, Fig. 3), unless a unit follows."""
    if word in _SHORT:
        is_label = words.endswith(".") or word not in {"no", "nos", "ex", "vol", "ch", "tab"}
    else:
        is_label = not words.endswith(".") and (word in _SINGULAR or word in _PLURAL)
    if not is_label or not (is_integer or word in DEEP_LABELS):
        return False
    return UNIT_AFTER_BLANK.match(text, end) is None


def _is_dated(text: str, start: int, end: int, word: str) -> bool:
    """True for a day or year beside a month's name, and for a year after a word such as `in`."""
    if word in MONTHS or (end - start <= 2 and _MONTH_AFTER.match(text, end)):
        return True
    is_year_word = word.lower() in YEAR_WORDS or text[max(start - 6, 0) : start].lower() == "as of "
    if not is_year_word or not _YEAR.fullmatch(text, start, end):
        return False
    return UNIT_AFTER_BLANK.match(text, end) is None


def _last_word(words: str) -> str:
    """The last word, if it is made of letters only."""
    last = words[-1:]
    if not (last.isalpha() or last in {".", ","}):
        return ""
    word = words.rstrip(".,").rpartition(" ")[2].rpartition("\n")[2].rpartition("{")[2]
    if not word.isascii():
        word = _OTHER_BLANKS.split(word)[-1]
    word = word.lstrip("([*_\"'#“（")
    return word if word.isalpha() else ""


_OTHER_BLANKS = re.compile(f"[{BLANKS}]")


def _is_ordinal_key(words: str) -> bool:
    """True for `"step":` and the like, the keys of JSON that number things."""
    key = words[:-1].rstrip()
    quote = key[-1:]
    return quote in {'"', "'"} and key[:-1].rpartition(quote)[2].lower() in _ORDINAL_KEYS
