"""Options, and where their texts stand in an answer as whole words.

Substrings decide nothing: "stable" stands in "unstable", and "metal" in "non-metal".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

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
    """An option named at a place of the text; an empty place could not be told."""

    option: int
    start: int
    end: int


def options_in(text: str, options: Options) -> Iterator[Mention]:
    plain = fold(text if unicodedata.is_normalized("NFC", text) else _nfc(text))
    plain = lowered(plain) if options.ignore_case else plain
    is_placed = len(plain) == len(text)
    for match in _whole_words(plain, options):
        start, end = match.span() if is_placed else (0, 0)
        yield Mention(option=int((match.lastgroup or "o0")[1:]), start=start, end=end)


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
        return re.compile("|".join(f"(?P<o{index}>{_word(plain[index])})" for index in order))
    # The set of first letters stands in front, for which a search skips ahead.
    letters = "".join(sorted({re.escape(words[0]) for words in plain}))
    names = "|".join(
        f"(?<={re.escape(plain[index][0])})(?P<o{index}>{_word(plain[index], start=1)})"
        for index in order
    )
    return re.compile(f"[{letters}](?:{names})")


def _plain(option: str, options: Options) -> str:
    words = fold(_nfc(option)).strip()
    return lowered(words) if options.ignore_case else words


def _word(plain: str, start: int = 0) -> str:
    words = r"[\s_]+".join(map(re.escape, re.split(r"[\s_]+", plain[start:])))
    return words + (r"(?![^\W_])" if needs_boundary(plain[-1:]) else "")


# "non-metal" names no metal.
_WORD_BEGINS = re.compile(
    r"(?<![^\W_])"
    + "".join(
        rf"(?<!\b{prefix}-)"
        for prefix in ("non", "un", "in", "anti", "semi", "quasi", "half", "pseudo")
    )
)


def needs_boundary(character: str) -> bool:
    """Chinese and Japanese words stand without blanks."""
    return character.isalnum() and not "\u2e80" <= character <= "\u9fff"
