r"""Where a word or phrase stands in a text.

A boundary is the absence of a letter, digit or mark, not `\b`: that takes `_` for a letter, so
that `_he_` hides "he", and fails at `C++`. Scripts without blanks (Han, Kana, Thai and the like)
are searched as substrings: there a boundary hides every word.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

import regex

from ifbench.parsing.text_forms import fold, without_unseen
from ifbench.parsing.visible_text import visible_text

MAX_PLACES = 10_000
"""More of them decide nothing; a text of a megabyte may hold half a million."""

_UNSPACED = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]", regex.VERSION1
)
_LETTER = r"[\p{L}\p{N}\p{M}]"


def keyword_places(
    text: str,
    keyword: str,
    *,
    whole_word: bool = True,
    ignore_case: bool = True,
    inflections: bool = False,
) -> tuple[tuple[int, int], ...]:
    """The places of a keyword, none over another, in code points of the text as it is.

    Blanks inside a phrase match any run of white space; quotes, hyphens and full-width forms are
    folded, accents are kept. Of a text that is not in NFC the places are those of its NFC form.
    """
    pattern = _pattern(
        keyword, whole_word=whole_word, ignore_case=ignore_case, inflections=inflections
    )
    plain = fold(unicodedata.normalize("NFC", text))
    found: list[tuple[int, int]] = []
    for match in pattern.finditer(plain):
        found.append(match.span())
        if len(found) == MAX_PLACES:
            break
    return tuple(found)


def keyword_count(text: str, keyword: str, **options: bool) -> int:
    """How often a reader sees the keyword: marks inside a word (`**sh**e`), and those of no width, do
    not count.
    """
    seen = without_unseen(visible_text(text))
    return len(keyword_places(seen, without_unseen(keyword), **options))


@lru_cache(maxsize=1024)
def _pattern(
    keyword: str,
    *,
    whole_word: bool,
    ignore_case: bool,
    inflections: bool,
) -> regex.Pattern[str]:
    plain = fold(unicodedata.normalize("NFC", keyword)).strip()
    words = [regex.escape(word) for word in plain.split()]
    if inflections and plain[-1:].isalpha() and not _UNSPACED.match(plain[-1]):
        words[-1] = _inflected(plain.split()[-1])
    body = r"\s+".join(words)
    if whole_word:
        before = "" if _is_open(plain[:1]) else f"(?<!{_LETTER})"
        after = "" if _is_open(plain[-1:]) else f"(?!{_LETTER})"
        body = before + f"(?:{body})" + after
    flags = regex.VERSION1 | (regex.IGNORECASE if ignore_case else 0)
    return regex.compile(body, flags)


def _is_open(edge: str) -> bool:
    """Whether anything may stand beside this edge of a keyword: marks, and scripts without blanks."""
    return _UNSPACED.match(edge) is not None or not regex.match(_LETTER, edge)


def _inflected(word: str) -> str:
    """The regular forms of an English word: plural, past, participle, comparison, adverb.

    Irregular ones ("went") and derivations ("movement" of "move") are not among them.
    """
    stem = regex.escape(word)
    lower = word.lower()
    if lower.endswith("y") and len(word) > 2 and lower[-2] not in "aeiou":
        return f"{regex.escape(word[:-1])}(?:y(?:'s|ing)?|ies|ied|ier|iest|ily)"
    if lower.endswith("e"):
        return f"{regex.escape(word[:-1])}(?:e(?:s|d|r|st|'s|ly)?|ing)"
    double = regex.escape(word[-1]) + "?" if lower[-1] in "bdgklmnprt" else ""
    return f"{stem}(?:s|es|'s|{double}(?:ed|ing|er|est)|ly)?"
