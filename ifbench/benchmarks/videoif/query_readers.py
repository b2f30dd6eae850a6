"""What a checklist query says in numbers, lists and quotations, in English and in Chinese.

Each reader returns `None` or nothing where the query does not say it plainly: a parameter that is
guessed would hold every model to a rule that nobody stated.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ifbench.parsing.quoted_passages import quoted_passages

_ENGLISH = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
]
_HAN = {"零": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8,
        "九": 9, "十": 10}  # fmt: skip
_TENS = ["thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_WORDS = (
    {word: value for value, word in enumerate(_ENGLISH)}
    | {word: 10 * value for value, word in enumerate(_TENS, start=3)}
    | _HAN
    | {"a single": 1, "single": 1}
)
NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d{1,6}|" + "|".join(sorted(_WORDS, key=len, reverse=True)) + ")"


def number(word: str) -> int:
    """The value of what `NUMBER` matches."""
    digits = word.replace(",", "")
    return int(digits) if digits.isdecimal() else _WORDS[word.lower()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """Inclusive bounds that a query states."""

    min: int | None = None
    max: int | None = None
    noun: str = ""
    """What is counted, as the query calls it."""


_AT_MOST = (
    r"at most|no more than|(?:no|not) longer than|not more than|no greater than|up to|(?:a )?max(?:imum)?(?: of)?|within"
    r"|(?:does |do |must |should )?not exceed(?:ing)?|does(?:n't| not) exceed|limited to|≤"
    r"|不超过|不多于|最多|至多|不大于"
)
_BELOW = r"fewer than|less than|shorter than|under|below|<|少于|小于|不到"
_AT_LEAST = (
    r"at least|no fewer than|(?:no|not) shorter than|no less than|not fewer than|not less than"
    r"|(?:a )?min(?:imum)?(?: of)?|≥|至少|不少于|不小于|最少"
)
_ABOVE = r"more than|longer than|over|above|exceed(?:s|ing)?|>|多于|超过|大于"
_EXACTLY = r"exactly|precisely|恰好|正好|刚好|共|only"
_ADJECTIVES = (
    r"(?:(?:distinct|short|separate|bullet(?:ed)?|numbered|ordered|list|main|key|english|chinese"
    r"|total|clear|concise|different|non-empty|top-level|complete|full)[ -]){0,3}"
)


def read_range(query: str, nouns: str) -> Range | None:
    """The bounds on the number of what `nouns` matches; `None` where the query states none, several
    that differ, or one for each part ("each bullet at most ten words").
    """
    found = {
        read
        for match in _counted(nouns).finditer(query)
        if (read := _range(match, query)) is not None
    }
    return found.pop() if len(found) == 1 else None


def _counted(nouns: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?:(?P<most>{_AT_MOST})|(?P<below>{_BELOW})|(?P<least>{_AT_LEAST})|(?P<above>{_ABOVE})"
        rf"|(?P<exact>{_EXACTLY}))?[ ]{{0,2}}(?:between |from )?(?<![A-Za-z\d.:零一二三四五六七八九十百千-])"
        rf"(?P<a>{NUMBER})(?:[ ]?(?:and|to|-|–|—|~|至|到)[ ]?(?P<b>{NUMBER}))?"
        rf"(?P<mid> or (?:fewer|less|more))?[ -]?(?:个|條|条)?{_ADJECTIVES}"
        rf"(?P<noun>{nouns})(?![a-z])"
        rf"(?P<after> (?:or (?:fewer|less|more)|at most|at least|maximum|minimum)|以内|以下|之内|以上)?",
        re.IGNORECASE,
    )


_PER_PART = re.compile(
    r"(?:\b(?:each|every|per)\b[^.;?!]{0,40}|每[^，。；？]{0,8})\Z", re.IGNORECASE
)
_PER_PART_AFTER = re.compile(r"\s*(?:each|per |for each|in each|in every)\b", re.IGNORECASE)


_OTHER_BOUND = re.compile(
    r"(?:\b(?:than|about|approximately|around|roughly|nearly|almost|least|most|limit|each|every)"
    r"|约|大约|左右|近)(?: of)?\s*\Z",
    re.IGNORECASE,
)
"""Words before a number that bound it in a way that no rule here reads."""
_LOWER_BOUND = re.compile(
    rf"(?:{_AT_LEAST})\s?(?P<low>{NUMBER})(?: [a-z]+| ?[个字词段条项])? ?(?:but|and|但|且)[ ,，]*\Z",
    re.IGNORECASE,
)
"""The first half of "at least 50 but no more than 80 words"."""


def _range(match: re.Match[str], query: str) -> Range | None:
    before = query[max(match.start() - 60, 0) : match.start()]
    if _PER_PART.search(before) or _PER_PART_AFTER.match(query, match.end()):
        return None
    low, noun = number(match["a"]), match["noun"].lower()
    has_bound = any(match[name] for name in ("most", "below", "least", "above", "exact"))
    if not has_bound and _OTHER_BOUND.search(before):
        return None
    if lower := _LOWER_BOUND.search(before):
        least = number(lower["low"])
        return Range(min=least, max=low, noun=noun) if match["most"] and least <= low else None
    if match["b"]:
        return Range(min=low, max=number(match["b"]), noun=noun)
    after = f"{match['mid'] or ''}{match['after'] or ''}".lower()
    if match["most"] or re.search(r"fewer|less|most|maximum|以内|以下|之内", after):
        return Range(max=low, noun=noun)
    if match["below"]:
        return Range(max=low - 1, noun=noun) if low else None
    if match["least"] or re.search(r"more|least|minimum|以上", after):
        return Range(min=low, noun=noun)
    if match["above"]:
        return Range(min=low + 1, noun=noun)
    return Range(min=low, max=low, noun=noun)


_TWICE = {"once": 1, "twice": 2, "thrice": 3}


def read_times(query: str) -> Range | None:
    """How often something is to stand there: "exactly three times", "twice", "at least 2 times"."""
    stated = read_range(query, r"times|次|遍")
    if stated is not None:
        return stated
    match = re.search(
        r"(?P<q>at least |at most |exactly )?\b(?P<w>once|twice|thrice)\b", query, re.IGNORECASE
    )
    if match is None:
        return None
    count = _TWICE[match["w"].lower()]
    match (match["q"] or "").strip().lower():
        case "at least":
            return Range(min=count)
        case "at most":
            return Range(max=count)
        case _:
            return Range(min=count, max=count)


# ── Lists and quotations ─────────────────────────────────────────────────────────────

_CODE = re.compile(r"`([^`\n]{1,120})`")
_BRACKETS = re.compile(r"\[([^\[\]\n]{1,600})\]|\{([^{}:\n]{1,600})\}|【([^【】\n]{1,600})】")
_SEPARATOR = re.compile(r"\s*[,，、;；|]\s*(?:or |and |或|和)?|\s+(?:or|and)\s+|\s*[/]\s*|或者?|和")
_TRAILING = re.compile(r"[\s?？.。!！)）]+\Z")


def quoted(text: str) -> tuple[str, ...]:
    """What stands in quotation marks or backticks, in order, each once."""
    places = [(passage.start, passage.words) for passage in quoted_passages(text)]
    places += [(match.start(), match[1]) for match in _CODE.finditer(text)]
    words = (word.strip().strip(",") for _, word in sorted(places))
    return tuple(dict.fromkeys(word for word in words if word))


def listed(text: str) -> tuple[str, ...]:
    """A list of names: quoted, else bracketed, else parted by commas and a last "or" or "and".

    Empty where the parts are no names: longer than five words, or two words of a sentence.
    """
    if names := quoted(text):
        return names
    bracketed = _BRACKETS.search(text)
    body = next(filter(None, bracketed.groups())) if bracketed else _TRAILING.sub("", text)
    parts = [_TRAILING.sub("", part.strip()) for part in _SEPARATOR.split(body.strip())]
    parts = [part for part in parts if part]
    if any(len(part.split()) > 5 for part in parts):
        return ()
    return tuple(dict.fromkeys(parts))


def after_phrase(query: str, phrase: str) -> str:
    """What follows a phrase, up to the end of its sentence; empty where it does not stand there."""
    match = re.search(phrase, query, re.IGNORECASE)
    if match is None:
        return ""
    rest = query[match.end() :]
    end = re.search(r"[?？。\n]|\.(?:\s|\Z)|; ", rest)
    return rest[: end.start()] if end else rest


def are_even(names: Sequence[str]) -> bool:
    """Whether the last of a bare list is a name like the others, and not the rest of a sentence."""
    return len(names) > 1 and len(names[-1].split()) <= max(
        len(name.split()) for name in names[:-1]
    )
