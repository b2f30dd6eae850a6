"""Forms under which texts are compared, so that typography decides nothing.

Folding keeps the length: a place in the folded text is the same place in the text itself.
Answers are never folded as a whole before numbers are read: ² must not become 2.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_BLANKS = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f"
_FOLDED: Final = (
    dict.fromkeys(map(ord, _BLANKS + "\u205f\u3000\r"), " ")
    | dict.fromkeys(map(ord, "‘’‚‛′ʼ`´"), "'")
    | dict.fromkeys(map(ord, "“”„‟″«»"), '"')
    | dict.fromkeys(map(ord, "‐‑﹣"), "-")
    | {0xFF01 + offset: chr(0x21 + offset) for offset in range(94)}  # Full-width ASCII.
    | {ord("。"): ".", ord("．"): ".", ord("、"): ","}
)


_FOLDABLE = re.compile(f"[{re.escape(''.join(map(chr, _FOLDED)))}]")


def fold(text: str) -> str:
    """Plain quotes, hyphens, blanks and full-width forms; as many characters as before."""
    if text.isascii() and "\r" not in text and "`" not in text:
        return text
    # `translate` looks each character up; most texts hold few that are folded, or none.
    return _FOLDABLE.sub(lambda match: _FOLDED[ord(match[0])], text)


_INVISIBLE = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Marks of no width: soft hyphen, joiners, marks of direction, byte-order mark."""
_UNSEEN = dict.fromkeys(map(ord, _INVISIBLE))


def without_unseen(text: str) -> str:
    """The text without marks of no width, which nobody can see."""
    return text if text.isascii() else text.translate(_UNSEEN)


def comparable(text: str, *, ignore_case: bool = True) -> str:
    """The form in which two short texts are equal: NFC, folded, single blanks, `_` as a blank.

    What nobody can see (marks of no width) is left out.
    """
    seen = text if text.isascii() else unicodedata.normalize("NFC", without_unseen(text))
    words = " ".join(fold(seen).replace("_", " ").split())
    return words.casefold() if ignore_case else words


def lowered(text: str) -> str:
    """Lower case without a change of length, for finding English words by their place."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(map(_lower_one, text))


def _lower_one(character: str) -> str:
    lower = character.lower()
    return lower if len(lower) == 1 else character


_PAIRS = (
    ("**", "**"), ("__", "__"), ("*", "*"), ("_", "_"), ("``", "``"), ("`", "`"), ("~~", "~~"),
    ('"', '"'), ("'", "'"), ("“", "”"), ("‘", "’"), ("«", "»"), ("「", "」"), ("『", "』"),
    ("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]"),
)  # fmt: skip
_OPENINGS = frozenset(opening[0] for opening, _ in _PAIRS)
_STOPS = ".。．"
_COMMAND = re.compile(
    r"\\+(?:boxed|fbox|text|textbf|textit|textrm|mathrm|mathbf|emph|underline)\s{0,3}\{"
)


def bare_span(text: str, start: int = 0, end: int | None = None) -> tuple[int, int]:
    r"""Where the words stand once blanks, emphasis, quotes, math marks and a final stop are gone.

    Marks of no width count as blanks.

    `\boxed{…}` and `\text{…}` are dress as well. Works from outside inwards, in linear time.
    """
    last = len(text) if end is None else end
    while start < last:
        inner = _undressed(text, start, last)
        if inner == (start, last):
            break
        start, last = inner
    return start, last


def bare(text: str) -> str:
    """The words alone; see `bare_span`."""
    start, end = bare_span(text)
    return text[start:end]


def _undressed(text: str, start: int, end: int) -> tuple[int, int]:
    if text[start].isspace() or text[start] in _INVISIBLE:
        return start + 1, end
    if text[end - 1].isspace() or text[end - 1] in _INVISIBLE:
        return start, end - 1
    for opening, closing in _PAIRS if text[start] in _OPENINGS else ():
        is_opened = text.startswith(opening, start, end)
        if is_opened and text.endswith(closing, start + len(opening) + 1, end):
            return start + len(opening), end - len(closing)
    if text[end - 1] == "}" and (command := _COMMAND.match(text, start, end)):
        return command.end(), end - 1
    while end > start and text[end - 1] in _STOPS:  # A run at once; dress never ends in a stop.
        end -= 1
    return start, end
