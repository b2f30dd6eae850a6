"""How long an answer is: words, characters, sentences, Chinese length units.

What is counted is what a reader sees (`visible_text`). A word is a run of letters, marks and
digits; apostrophes, inner hyphens, decimal points and the slash of a unit join. Each Han or Kana
character is one word, Hangul goes by blanks. Public scorers split at blanks or at every mark:
they make no word, or two, of what is one, and one of a whole Chinese sentence.
"""

from __future__ import annotations

import unicodedata
from typing import Literal, TypeAlias

import regex

from ifbench.parsing.sentences import sentences_in
from ifbench.parsing.visible_text import visible_text

Unit: TypeAlias = Literal["word", "character", "sentence", "zh_length"]

_IDEOGRAPH = r"[\p{Han}\p{Hiragana}\p{Katakana}]"
_PART = r"[[\p{L}\p{N}\p{M}]--[\p{Han}\p{Hiragana}\p{Katakana}]]"
_TOKEN = regex.compile(
    rf"{_IDEOGRAPH}"
    rf"|{_PART}++(?:(?:['’.‐‑_&-]|(?<=\p{{N}}),(?=\p{{N}})|/(?=\p{{L}}{{1,3}}(?!\p{{L}})))(?=[\p{{L}}\p{{N}}]){_PART}++)*+",
    regex.VERSION1,
)
_CLUSTER = regex.compile(r"\X")
_CJK_MARK = regex.compile(
    r"[\u3001-\u3003\u3008-\u301f\uff01-\uff0f\uff1a-\uff1f\uff3b-\uff40\uff5b-\uff65—…“”‘’]"
)


def count_words(text: str, *, cjk: Literal["char", "run"] = "char") -> int:
    """Words of the visible text; with `run`, ideographs side by side are one word."""
    tokens = words_of(text)
    if cjk == "char":
        return len(tokens)
    return len(regex.findall(rf"{_IDEOGRAPH}++", visible_text(text))) + sum(
        not regex.match(_IDEOGRAPH, token) for token in tokens
    )


def words_of(text: str) -> list[str]:
    """The words of the visible text, in order."""
    found: list[str] = _TOKEN.findall(visible_text(text))
    return found


def count_characters(text: str, *, count_punctuation: bool = True) -> int:
    """Characters as a reader counts them (grapheme clusters), blanks aside."""
    shown = visible_text(text)
    if shown.isascii():  # One code point each; the pattern would take a second for a megabyte.
        return sum(map(_is_visible if count_punctuation else str.isalnum, shown))
    clusters = (match[0] for match in _CLUSTER.finditer(shown))
    return sum(
        not cluster.isspace() and (count_punctuation or not _is_punctuation(cluster[0]))
        for cluster in clusters
    )


def count_chinese(text: str, *, count_punctuation: bool = True) -> int:
    """Chinese length units: each ideograph one, each word or number of another script one.

    Table 6 speaks of "project-defined Chinese length units" and defines none. Chinese word
    processors count like this; whether they count marks differs, so that it is a parameter.
    """
    marks = len(_CJK_MARK.findall(visible_text(text))) if count_punctuation else 0
    return len(words_of(text)) + marks


def count_length(
    text: str, unit: Unit, *, cjk: Literal["char", "run"] = "char", count_punctuation: bool = True
) -> int:
    """The length of an answer in a unit."""
    match unit:
        case "word":
            return count_words(text, cjk=cjk)
        case "character":
            return count_characters(text, count_punctuation=count_punctuation)
        case "sentence":
            return len(sentences_in(text))
        case "zh_length":
            return count_chinese(text, count_punctuation=count_punctuation)


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


def _is_visible(character: str) -> bool:
    return not character.isspace()
