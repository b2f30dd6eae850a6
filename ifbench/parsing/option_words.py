"""Options, and where their texts stand in an answer as whole words.

Substrings decide nothing: "stable" stands in "unstable", and "metal" in "non-metal".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import regex

from ifbench.parsing.text_forms import fold, lowered


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What may be chosen. Of labels and texts one may be empty, else they stand side by side."""

    texts: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    ignore_case: bool = True

    def name(self, index: int) -> str:
        """How a message calls an option."""
        return self.texts[index] if self.texts else self.labels[index]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """An option named at a place of the text."""

    option: int
    start: int
    end: int


def options_in(text: str, options: Options) -> Iterator[Mention]:
    composed = text if unicodedata.is_normalized("NFC", text) else _nfc(text)
    plain = lowered(fold(composed)) if options.ignore_case else fold(composed)
    place = _same_place if len(composed) == len(text) else _places_before_composing(text)
    for match in _whole_words(plain, options):
        start, end = map(place, match.span())
        yield Mention(option=int((match.lastgroup or "o0")[1:]), start=start, end=end)


def _same_place(place: int) -> int:
    return place


# What ASCII alone stands among composes with nothing.
_CLUSTER = regex.compile(r"[\x00-\x7f]+(?=[\x00-\x7f]|\Z)|\X", regex.VERSION1)


def _places_before_composing(text: str) -> Callable[[int], int]:
    """From a place in the NFC form to the same place in the text itself."""
    places = [0]
    for cluster in _CLUSTER.finditer(text):
        start, end = cluster.span()
        width = len(_nfc(cluster[0]))
        places += [min(start + offset, end) for offset in range(1, width)]
        places.append(end)
    return lambda place: places[min(place, len(places) - 1)]


def _whole_words(plain: str, options: Options) -> Iterator[re.Match[str]]:
    """Options that begin as words do, from left to right; where one does not, the next letter.

    The look at what stands before is taken apart from the search, which it would slow tenfold.
    """
    search, position = searched_words(options).search, 0
    while match := search(plain, position):
        start = match.start()
        if not needs_boundary(plain[start]) or _WORD_BEGINS.match(plain, start):
            yield match
            position = match.end()
        else:
            position = start + 1


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


@lru_cache(maxsize=256)
def searched_words(options: Options) -> re.Pattern[str]:
    """Options as whole words, the longest first, so that "stable" is not found in "not stable"."""
    texts = options.texts or options.labels
    order = sorted(range(len(texts)), key=lambda index: len(texts[index]), reverse=True)
    plain = [_plain(text, options) for text in texts]
    if any(not words or words[0].isspace() or words[0] == "_" for words in plain):
        return re.compile(
            "|".join(f"(?P<o{index}>{_word(plain[index], plain)})" for index in order)
        )
    # The set of first letters stands in front, for which a search skips ahead.
    letters = "".join(sorted({re.escape(words[0]) for words in plain}))
    names = "|".join(
        f"(?<={re.escape(plain[index][0])})(?P<o{index}>{_word(plain[index], plain, start=1)})"
        for index in order
    )
    return re.compile(f"[{letters}](?:{names})")


def _plain(option: str, options: Options) -> str:
    words = fold(_nfc(option)).strip()
    return lowered(words) if options.ignore_case else words


def _word(plain: str, all_plain: Sequence[str], start: int = 0) -> str:
    words = r"[\s_]+".join(map(re.escape, re.split(r"[\s_]+", plain[start:])))
    # "meta-stable" is "metastable" where "stable" is another option.
    inner = max((other for other in all_plain if _is_prefixed(plain, other)), key=len, default="")
    if inner:
        words = re.escape(plain[start : -len(inner)]) + "-?" + re.escape(inner)
    return words + (r"(?![^\W_])" if needs_boundary(plain[-1:]) else "")


def _is_prefixed(plain: str, other: str) -> bool:
    prefix = plain.removesuffix(other)
    return plain.isalpha() and other.isalpha() and 2 < len(prefix) < len(plain) and prefix != "non"


# "non-metal" names no metal.
_WORD_BEGINS = re.compile(
    r"(?<![^\W_])"
    + "".join(
        rf"(?<!\b{prefix}-)"
        for prefix in (
            "non",
            "un",
            "in",
            "anti",
            "semi",
            "quasi",
            "half",
            "pseudo",
            "meta",
            "bi",
            "super",
            "para",
            "dia",
            "ferro",
            "ferri",
        )
    )
)


def needs_boundary(character: str) -> bool:
    """Chinese and Japanese words stand without blanks."""
    return character.isalnum() and not "\u2e80" <= character <= "\u9fff"
