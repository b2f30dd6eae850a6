"""Where the sentences of an answer end, by rule: no model, nothing to download.

A full stop ends none after an abbreviation, an initial or inside a number. Headings, list items
and table rows without a stop count as one each; a line break inside a paragraph ends nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ifbench.parsing.visible_text import visible_text

_ABBREVIATIONS = frozenset(
    [
        "approx",
        "ca",
        "cf",
        "co",
        "corp",
        "dr",
        "ed",
        "eds",
        "e.g",
        "eg",
        "eq",
        "eqs",
        "est",
        "etc",
        "fig",
        "figs",
        "hr",
        "hrs",
        "i.e",
        "ie",
        "inc",
        "jr",
        "ltd",
        "max",
        "min",
        "mins",
        "mr",
        "mrs",
        "ms",
        "mt",
        "no",
        "nos",
        "p",
        "pp",
        "prof",
        "ref",
        "refs",
        "rev",
        "sec",
        "secs",
        "sr",
        "st",
        "vol",
        "vols",
        "vs",
        "al",
        "u.s",
        "u.k",
        "p.m",
        "a.m",
        "jan",
        "feb",
        "mar",
        "apr",
        "jun",
        "jul",
        "aug",
        "sep",
        "sept",
        "oct",
        "nov",
        "dec",
        "mon",
        "tue",
        "wed",
        "thu",
        "fri",
        "sat",
        "sun",
    ]
)
"""Words, in lower case, whose full stop is their own."""
_OFTEN_LAST = frozenset({"etc", "a.m", "p.m", "u.s", "u.k", "al", "min", "mins", "sec", "secs",
                         "hr", "hrs", "inc", "ltd", "co", "no", "max", "sun", "sat", "mar"})  # fmt: skip
"""Those that end a sentence as well: a capital behind them begins a new one."""
_STOP = re.compile(
    r"[.!?…]++[\"'”’»)\]]*+(?=\s|\Z)|[。！？．]++[\"'”’」』）]*+|\?(?=[\u3400-\u9fff])"
)
_WORD_BEFORE = re.compile(r"[^\s(\[\"'“‘]+\Z")
_STARTS_ITEM = re.compile(
    r"[ \t]{0,80}(?:>[ \t]?){0,10}[ \t]{0,80}(?:#{1,6}[ \t]|[-*+–][ \t]|[•‣◦・▪●○■□](?![•‣◦・▪●○■□])|\(?\d{1,9}[.)][ \t]|\|)"
)


def sentences_in(text: str) -> tuple[str, ...]:
    """The sentences as a reader sees them, in order."""
    return tuple(
        sentence for block in _blocks(text) for sentence in _split(block) if _has_word(sentence)
    )


def _blocks(text: str) -> Iterator[str]:
    """Paragraphs, and each heading, list item and table row with its continuation lines."""
    block: list[str] = []
    for raw, shown in zip(text.split("\n"), visible_text(text).split("\n"), strict=True):
        starts = _STARTS_ITEM.match(raw) is not None
        if (starts or not shown.strip()) and block:
            yield " ".join(block)
            block = []
        if not shown.strip():
            continue
        block.append(shown.strip())
        if raw.lstrip().startswith(("#", "|")):
            yield " ".join(block)
            block = []
    if block:
        yield " ".join(block)


def _split(block: str) -> Iterator[str]:
    start = 0
    for stop in _STOP.finditer(block):
        if _ends_sentence(block, stop):
            yield block[start : stop.end()].strip()
            start = stop.end()
    yield block[start:].strip()


def _ends_sentence(block: str, stop: re.Match[str]) -> bool:
    follows = block[stop.end() : stop.end() + 20].lstrip(" \"'“‘(")[:1]
    if not follows:
        return True
    mark = stop[0]
    if mark[0] != ".":  # "Stop!" he said: the sentence goes on.
        return not (follows.islower() and len(mark) > 1) and not (
            mark[0] == "…" and follows.islower()
        )
    if mark.startswith(".."):
        return not follows.islower()
    before = _WORD_BEFORE.search(block, max(stop.start() - 30, 0), stop.start())
    word = before[0].lower() if before else ""
    is_initial = len(word) == 1 and word.isalpha() and before is not None and before[0].isupper()
    if is_initial and word != "i":
        return False
    if word in _ABBREVIATIONS:
        return word in _OFTEN_LAST and follows.isupper()
    return True


def _has_word(sentence: str) -> bool:
    return any(character.isalnum() for character in sentence)
