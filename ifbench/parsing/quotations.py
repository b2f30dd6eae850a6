"""Whether a quotation stands in a text, and where.

Texts are compared under NFC and with each run of whitespace as one blank, at either end none:
models re-wrap what they copy. Case, punctuation and letters must be the text's own.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from itertools import accumulate


def stands_in(quotation: str, text: str) -> bool:
    """True when the text holds the quotation; a blank quotation stands nowhere."""
    folded = _fold(quotation)
    return bool(folded) and folded in _fold(text)


def stands_whole(quotation: str, text: str) -> bool:
    """True when it stands there and, in one place at least, is not cut out of a longer word."""
    folded, whole = _fold(quotation), _fold(text)
    if not folded:
        return False
    start = whole.find(folded)
    for _ in range(_MOST_PLACES):
        if start < 0:
            return False
        is_begun = not _is_joined(whole, start)
        if is_begun and not _is_joined(whole, start + len(folded)):
            return True
        begin = start + 1 if is_begun else _word_end(whole, start)
        start = whole.find(folded, begin)
    return False


_MOST_PLACES = 1000
_NO_LETTER = re.compile(r"[^A-Za-z0-9]")


def _word_end(text: str, start: int) -> int:
    found = _NO_LETTER.search(text, start)
    return found.start() if found else len(text)


def _is_joined(text: str, place: int) -> bool:
    """Whether a word goes on at a place between two characters."""
    around = text[max(0, place - 1) : place + 1]
    return len(around) == 2 and around.isascii() and around.isalnum()


def quotation_span(quotation: str, text: str) -> tuple[int, int] | None:
    """Start and end of the first place of a quotation, in code points of the text as it is.

    `None` where it stands nowhere, or only in a text that is not in NFC: there no place of the
    original belongs to it.
    """
    words = quotation.split()
    start = text.find(quotation)
    if words and start >= 0:
        return start, start + len(quotation)
    folded = unicodedata.normalize("NFC", " ".join(words))
    if not folded or not unicodedata.is_normalized("NFC", text):
        return None
    start = _fold(text).find(folded)
    if start < 0:
        return None
    return _original(text, start), _original(text, start + len(folded) - 1) + 1


def _fold(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _original(text: str, position: int) -> int:
    """Where the character at a position of the folded text stands in the text itself."""
    words = list(re.finditer(r"\S+", text))
    starts = list(accumulate((len(word.group()) + 1 for word in words), initial=0))
    index = bisect_left(starts, position + 1) - 1
    return min(words[index].start() + position - starts[index], words[index].end())
