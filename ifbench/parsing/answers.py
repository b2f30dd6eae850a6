"""Where an answer's final answer stands: in a box, after a marker, under a key, or last.

Knows nothing of what the answer should be. Positions are code points of the given text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias, TypeVar

from ifbench.parsing.boxes import LATEX_BOXES, Wrapper, boxes_in
from ifbench.parsing.fences import fence_around
from ifbench.parsing.numbers import last_quantity
from ifbench.parsing.text_forms import lowered

# ── The final answer ─────────────────────────────────────────────────────────────────

FoundBy: TypeAlias = Literal["box", "marker", "key", "number", "line"]


class Region(NamedTuple):
    """`text[start:end]` is the answer; with its box or marker it is `text[outer_start:outer_end]`."""

    start: int
    end: int
    outer_start: int
    outer_end: int
    found_by: FoundBy

    def content(self, text: str) -> str:
        """The answer's words."""
        return text[self.start : self.end]

    @property
    def is_stated(self) -> bool:
        """True where the writer marked the answer, rather than it being the last to stand there."""
        return self.found_by in {"box", "marker", "key"}


@lru_cache(maxsize=32)
def final_answer(text: str) -> Region | None:
    r"""Where the final answer stands; `None` only in a blank text.

    The first of these that there is, and of several the last one:

    1. an answer key, where the whole text (a fence aside) is an object or markup:
       `{"answer": …}`, `<answer>…</answer>`;
    2. a closed, non-blank `\boxed{…}` or `\fbox{…}` that is in no other, or `<answer>…</answer>`;
    3. what follows an answer marker ("final answer", "answer is", "answer:", 答案, a heading
       "Final Answer") up to the end of its sentence or line, or the paragraph below it;
    4. the value of an answer key anywhere;
    5. the last quantity, without its unit (`Number.unit_text` gives that);
    6. the last line that is not blank.
    """
    if not text.strip():
        return None
    keys = _key_regions(text)
    if keys and _is_object(text):
        return keys[-1]
    for regions in (_box_regions(text), _marker_regions(text), keys):
        if regions:
            return regions[-1]
    return what_stands_last(text)


def what_stands_last(text: str) -> Region:
    """The answer of a text in which none is stated: its last quantity, or else its last line."""
    return _last_quantity(text) or _last_line(text)


@lru_cache(maxsize=32)
def stated_answers(text: str) -> tuple[Region, ...]:
    """All boxes, markers and keys, by where they begin; of very many the first and last ones."""
    regions = (*_box_regions(text), *_marker_regions(text), *_key_regions(text))
    return tuple(sorted(regions, key=lambda region: (region.outer_start, region.start)))


_MANY = 20  # Regions are built for this many first and last marks, so that time stays linear.
_ANSWER_BOXES: tuple[Wrapper, ...] = (
    *LATEX_BOXES,
    ("<answer>", "</answer>"),
    ("<final_answer>", "</final_answer>"),
)


def _box_regions(text: str) -> list[Region]:
    regions: list[Region] = []
    closed_until = -1
    for box in boxes_in(text, _ANSWER_BOXES):
        if box.is_closed and box.start >= closed_until:
            closed_until = box.end
            if text[box.inner_start : box.inner_end].strip():
                inner = _trimmed(text, box.inner_start, box.inner_end)
                regions.append(_region("box", inner, (box.start, box.end)))
    return _first_and_last(regions)


def _region(found_by: FoundBy, inner: tuple[int, int], outer: tuple[int, int]) -> Region:
    return Region(*inner, *outer, found_by)


def _trimmed(text: str, start: int, end: int, dress: str = "") -> tuple[int, int]:
    """The span without blanks, and without the characters of `dress`, at its ends."""
    while start < end and (text[start].isspace() or text[start] in dress):
        start += 1
    while start < end and (text[end - 1].isspace() or text[end - 1] in dress):
        end -= 1
    return start, end


# ── Markers ──────────────────────────────────────────────────────────────────────────

_MARKER_WORD = re.compile(r"答案|(?<![^\W_])(?:answers?|final (?:result|value)s?)(?![^\W_])")
_MARKER_BEGINNINGS = ("answer", "final ", "答案")
"""One of these stands where a marker's word begins."""
_MARKER_LEAD = re.compile(r"(?:the|final|correct|best|my|our|最终|正确)\s*\Z")
_MARKER_TAIL = re.compile(
    r"(?: (?:choice|option|value|here))?(?: (?:to|for|of)\b[^\n.:=]{0,60}?)?[*_`\])]{0,4}\s{0,2}"
    r"(?:(?:is|are|would be|will be)\b(?: that\b)?|=|:|：|是|为|為)[:：]?(?!\s*not\b)"
    r"(?!\s*(?:obtained|found|derived|calculated|computed|determined|explained|shown|given) "
    r"(?:as follows|below|above|using|from|by \w+ing)\b)"
)
_HEADING_TAIL = re.compile(r"[*_:：#\s]*?\n")
_HEADING_LEAD = re.compile(r"[ \t>#*_\d.)]*(?:(?:the|my|our) )?(?:(?:final|correct|最终) ?)?")


def _marker_regions(text: str) -> list[Region]:
    plain = lowered(text)
    marks = []
    for start in _places(plain, _MARKER_BEGINNINGS):
        word = _MARKER_WORD.match(plain, start)
        if word is None:
            continue
        tail = _MARKER_TAIL.match(plain, word.end())
        if tail is None and _stands_alone(plain, word):
            tail = _HEADING_TAIL.match(plain, word.end())
        if tail is not None:
            marks.append((_lead_start(plain, word.start()), tail.end()))
    regions = (_after_marker(text, *mark) for mark in _first_and_last(marks))
    return [region for region in regions if region is not None]


def _places(text: str, words: tuple[str, ...]) -> list[int]:
    """Where the words stand, in order: to look for each is quicker than a pattern of them all."""
    found: list[int] = []
    for word in words:
        place = text.find(word)
        while place >= 0:
            found.append(place)
            place = text.find(word, place + len(word))
    found.sort()
    return found


def regions_after(text: str, marker: str) -> tuple[Region, ...]:
    """What follows each place of a marker that the user gave, whatever its case."""
    plain, wanted = lowered(text), lowered(marker)
    marks = [match.span() for match in _marker_pattern(wanted).finditer(plain)]
    regions = (_after_marker(text, *mark) for mark in _first_and_last(marks))
    return tuple(region for region in regions if region is not None)


@lru_cache(maxsize=128)
def _marker_pattern(marker: str) -> re.Pattern[str]:
    """The marker with any blanks between its words, and emphasis that ends before its colon."""
    words = r"\s+".join(map(re.escape, marker.split()))
    return re.compile(re.sub(r"[:：]", r"[*_]{0,3}\\s?[:：]", words))


_T = TypeVar("_T")


def _first_and_last(marks: list[_T]) -> list[_T]:
    return marks if len(marks) <= 2 * _MANY else marks[:_MANY] + marks[-_MANY:]


def _stands_alone(plain: str, word: re.Match[str]) -> bool:
    """True when nothing but the marker and its dress stands before it on the line."""
    line = plain.rfind("\n", max(word.start() - 40, 0), word.start()) + 1
    if line == 0 and word.start() > 40:
        return False
    return _HEADING_LEAD.fullmatch(plain, line, word.start()) is not None


def _lead_start(plain: str, start: int) -> int:
    """Where "the final" before "answer" begins."""
    for _ in range(3):
        window = plain[max(start - 12, 0) : start]
        lead = _MARKER_LEAD.search(window)
        if lead is None:
            break
        start -= len(window) - lead.start()
    return start


_MARKER_DRESS = "*_:：=`~"
_ABBREVIATION = re.compile(
    r"(?:\b(?:approx|ca|e\.g|i\.e|vs|fig|eq|no|dr|etc|cf|resp|al))\Z", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"[.!?。！？](?:(?<=[。！？])|(?=[\s\"”*_)]|\Z))")


def _after_marker(text: str, start: int, tail_end: int) -> Region | None:
    """The rest of the sentence or line, or else the paragraph below."""
    begin, _ = _trimmed(text, tail_end, len(text), _MARKER_DRESS)
    if begin == len(text):
        return None
    line_end = text.find("\n", begin)
    line_end = len(text) if line_end < 0 else line_end
    if "\n" in text[start:begin]:
        end = _paragraph_end(text, begin)
    else:
        end = _sentence_end(text, begin, line_end)
    inner = _trimmed(text, begin, end, "*_")
    return _region("marker", inner, (start, end)) if inner[0] < inner[1] else None


def _paragraph_end(text: str, begin: int) -> int:
    """The end of the paragraph, or of the list whose items are parted by blank lines."""
    is_list = _ITEM.match(text, begin) is not None
    for blank_line in _BLANK_LINE.finditer(text, begin):
        if not (is_list and _ITEM.match(text, blank_line.end())):
            return blank_line.start()
    return len(text)


_ITEM = re.compile(r"[ \t]*(?:[-+•]|\*|\(?(?:\d{1,2}|[a-z])[.)])[ \t]")
_BLANK_LINE = re.compile(r"\n[ \t\r]*+\n")


def _sentence_end(text: str, start: int, line_end: int) -> int:
    for stop in _SENTENCE_END.finditer(text, start, line_end):
        words = text[max(start, stop.start() - 8) : stop.start()]
        if stop[0] != "." or not _ABBREVIATION.search(words) or stop.end() == line_end:
            return stop.start()
    return line_end


def sentence_around(text: str, start: int, end: int) -> tuple[int, int]:
    """The sentence, or the line where it has no stops, that holds `text[start:end]`."""
    line_start = text.rfind("\n", 0, start) + 1
    window = max(line_start, start - _SENTENCE)
    begin = line_start if window == line_start else window
    for stop in _stops_before(text, window, start):
        words = text[max(window, stop.start() - 8) : stop.start()]
        if stop[0] != "." or not (_ABBREVIATION.search(words) or _is_marker_stop(text, stop)):
            begin = stop.end()
            break
    while begin < start and text[begin].isspace():
        begin += 1
    line_end = text.find("\n", end)
    return begin, _sentence_end(text, end, len(text) if line_end < 0 else line_end)


def _stops_before(text: str, window: int, end: int) -> Iterator[re.Match[str]]:
    """The stops of sentences in `text[window:end]`, the last one first."""
    signs = ".!?" if text.isascii() else ".!?。！？"
    place = end
    while (place := max([text.rfind(sign, window, place) for sign in signs])) >= 0:
        if stop := _SENTENCE_END.match(text, place, end):
            yield stop


_SENTENCE = 600  # Characters before a place in which its sentence begins.


def _is_marker_stop(text: str, stop: re.Match[str]) -> bool:
    """True for the stop of `1.` at the beginning of a line."""
    line_start = text.rfind("\n", max(stop.start() - 8, 0), stop.start()) + 1
    return text[line_start : stop.start()].strip(" \t>*#(").isdigit()


# ── Keys of objects ──────────────────────────────────────────────────────────────────

_ANSWER_KEY = re.compile(r"([\"'])(?:final[ _-]?)?(?:answer|result)\1\s{0,8}:\s{0,8}")
_STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'", re.DOTALL)
_BRACKET = re.compile(r"\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|[\[\](){}]", re.DOTALL)
_SCALAR = re.compile(r"[^,}\]\n]*")


def _key_regions(text: str) -> list[Region]:
    plain = lowered(text)
    if "answer" not in plain and "result" not in plain:
        return []
    keys = [match.span() for match in _ANSWER_KEY.finditer(plain)]
    return [_region("key", _value(text, end), (start, end)) for start, end in _first_and_last(keys)]


def values_of(text: str, keys: tuple[str, ...]) -> tuple[Region, ...]:
    """The values of named keys: of JSON and Python objects, XML elements, `key: value` lines.

    Values are spans of the text, so that `7.400` keeps its zeros. Case of keys does not count.
    """
    regions = []
    for match in _first_and_last(list(_named_keys(keys).finditer(lowered(text)))):
        if match["line"]:
            end = text.find("\n", match.end())
            span = _trimmed(text, match.end(), len(text) if end < 0 else end, "*_")
        elif match["element"]:
            end = lowered(text).find(f"</{match['element']}>", match.end())
            span = (match.end(), len(text) if end < 0 else end)
        else:
            span = _value(text, match.end())
        regions.append(_region("key", span, (match.start(), max(match.end(), span[1]))))
    return tuple(regions)


@lru_cache(maxsize=64)
def _named_keys(keys: tuple[str, ...]) -> re.Pattern[str]:
    names = "|".join(re.escape(lowered(key)) for key in sorted(keys, key=len, reverse=True))
    return re.compile(
        rf"[\"'](?:{names})[\"']\s{{0,8}}:\s{{0,8}}|<(?P<element>{names})>"
        rf"|^(?P<line>[ \t>#*_•-]*+(?:{names})[*_]*\s?[:：=])",
        re.MULTILINE,
    )


def _value(text: str, start: int) -> tuple[int, int]:
    """The span of the value that begins here: a string's inside, brackets and all, or a scalar."""
    if text[start : start + 1] in {'"', "'"} and (string := _STRING.match(text, start)):
        return start + 1, string.end() - 1
    if text[start : start + 1] in {"{", "[", "("}:
        depth = 0
        for token in _BRACKET.finditer(text, start):
            depth += (token[0] in "{[(") - (token[0] in "}])")
            if depth == 0:
                return start, token.end()
        return start, len(text)
    scalar = _SCALAR.match(text, start)
    return _trimmed(text, start, scalar.end() if scalar else start)


def _is_object(text: str) -> bool:
    fence = fence_around(text)
    body = text if fence is None else text[fence.body_start : fence.body_end]
    return body.lstrip()[:1] in {"{", "[", "<"}


# ── What stands last ─────────────────────────────────────────────────────────────────


def _last_quantity(text: str) -> Region | None:
    number = last_quantity(text)
    return _region("number", number[:2], number[:2]) if number else None


def _last_line(text: str) -> Region:
    end = len(text.rstrip())
    start = text.rfind("\n", 0, end) + 1
    span = _trimmed(text, start, end)
    return _region("line", span, span)
