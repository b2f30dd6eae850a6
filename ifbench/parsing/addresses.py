"""Addresses as rows of levels: how an answer parts them, and when two places are the same.

Knows continents and the other names of some countries, and nothing else of geography: whether
a street lies in its city is no question of form.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, pairwise
from types import MappingProxyType
from typing import Literal, TypeAlias

from ifbench.parsing.answers import final_answer, values_of
from ifbench.parsing.fences import fence_around
from ifbench.parsing.text_forms import bare_span, comparable, fold

Order: TypeAlias = Literal["large_to_small", "small_to_large"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One part of an address; `text[start:end]` is its name."""

    name: str
    start: int
    end: int
    label: str = ""
    """What the text calls the level (`city`), where it does, in lower case."""


LEVEL_SIZES: Mapping[str, int] = MappingProxyType(
    {
        word: size
        for size, words in enumerate(
            (
                ("world", "planet"),
                ("continent",),
                ("country", "nation"),
                ("region", "macroregion"),
                ("state", "province", "prefecture", "state/province", "state or province"),
                ("county", "department"),
                ("city", "town", "village", "municipality", "city/town", "city or town"),
                ("district", "borough", "ward"),
                ("neighborhood", "neighbourhood", "suburb"),
                ("street", "road", "street name"),
                ("building", "house number", "house", "street number"),
            )
        )
        for word in words
    }
)
"""Names of levels, the largest first."""


def largest_first(levels: Sequence[Level]) -> tuple[Level, ...] | None:
    """The levels by the size of what they are called; `None` where that does not tell."""
    sizes = [LEVEL_SIZES.get(level.label, -1) for level in levels]
    if -1 in sizes or len(set(sizes)) < len(sizes):
        return None
    return tuple(level for _, level in sorted(zip(sizes, levels, strict=True), key=lambda p: p[0]))


# ── Parting ──────────────────────────────────────────────────────────────────────────

_ARROWS = re.compile(r"-{1,2}>|[→>›»|⟶➔]|\\to\b|\\rightarrow\b")
_COMMAS = re.compile(r"[,，、;；\n]")
_SLASHES = re.compile(r"/")
_KEYS = ("address", "location", "place", "hierarchical address", "address hierarchy", "hierarchy")
_LEAD = re.compile(
    r"(?:the |full |complete |hierarchical |likely |correct |most )*(?:address|location|place)"
    r"(?: hierarchy)?(?: is|[*_]{0,3}\s?[:：])[:：]?[\s*_]*",
    re.IGNORECASE,
)
_LIST_MARKER = re.compile(r"[\s>]*(?:[-*+•]\s|\d{1,2}[.)]\s)?\s*")
_LEVEL_LABEL = re.compile(
    rf"[*_]{{0,3}}(?P<label>{'|'.join(map(re.escape, sorted(LEVEL_SIZES, key=len, reverse=True)))}"
    r"|post(?:al)? ?code)"
    r"[*_]{0,3}\s?[:：][*_]{0,3}\s*",
    re.IGNORECASE,
)
_JSON_VALUE = re.compile(r"\"([^\"\n]{1,60}+)\"\s{0,9}:\s{0,9}\"([^\"\n]*+)\"")
_POST_CODE = re.compile(
    r"\d{4,6}(?:-\d{3,4})?|\d{3} \d{2}|\d{4} ?[A-Z]{2}"
    r"|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d"
)
_DC = re.compile(r"d\.?\s?c\.?", re.IGNORECASE)


def address_levels(text: str, separator: str = "") -> tuple[Level, ...]:
    """The parts of the address that an answer gives, in its order, without blank ones.

    The address is the stated answer (a box, "answer: …"), the value of a key or label such as
    `address:`, or all of the text. Arrows, `>` and `|` part it where there are some, else
    commas, semicolons and line ends, else slashes; or only `separator` where one is given. Of a
    JSON object the strings are the parts. A postal code alone is no level, and "Washington,
    D.C." is one.
    """
    start, end = _address_span(text)
    if text[start : start + 1] == "{":
        return tuple(
            replace(level, label=comparable(match[1]))
            for match in _JSON_VALUE.finditer(text, start, end)
            if (level := _level(text, *match.span(2))).name
        )
    borders = _borders(text, start, end, separator)
    starts = (start, *(border.end() for border in borders))
    ends = (*(border.start() for border in borders), end)
    parts = (_level(text, *span) for span in zip(starts, ends, strict=True))
    named = [part for part in parts if part.name and not _POST_CODE.fullmatch(part.name)]
    return tuple(_joined(text, named))


def _address_span(text: str) -> tuple[int, int]:
    fence = fence_around(text)
    region = final_answer(text)
    if region is not None and region.is_stated:
        span = (region.start, region.end)
    elif labelled := [one for one in values_of(text, _KEYS) if one.start < one.end]:
        span = (labelled[-1].start, labelled[-1].end)
    else:
        span = (fence.body_start, fence.body_end) if fence else (0, len(text))
    start, end = bare_span(text, *span)
    lead = _LEAD.match(text, start, end)
    start, end = bare_span(text, lead.end() if lead else start, end)
    if text[start : start + 1] in {"[", "("} and text[end - 1 : end] in {"]", ")"}:
        return start + 1, end - 1
    return start, end


_MOST_BORDERS = 1000  # No address has so many parts; a text of commas is not read to its end.


def _borders(text: str, start: int, end: int, separator: str) -> Sequence[re.Match[str]]:
    if separator:
        pattern = re.escape(separator.strip() or separator)
        return list(islice(re.compile(pattern).finditer(text, start, end), _MOST_BORDERS))
    for kind in (_ARROWS, _COMMAS, _SLASHES):
        borders = list(islice(kind.finditer(text, start, end), _MOST_BORDERS))
        if borders:
            return borders
    return ()


def _level(text: str, start: int, end: int) -> Level:
    marker = _LIST_MARKER.match(text, start, end)
    start, end = bare_span(text, marker.end() if marker else start, end)
    label = _LEVEL_LABEL.match(text, start, end)
    start, end = bare_span(text, label.end() if label else start, end)
    called = (label["label"] or "").lower() if label else ""
    return Level(name=text[start:end], start=start, end=end, label=called)


def _joined(text: str, levels: Iterable[Level]) -> Iterator[Level]:
    """The levels, with the district put back to the Washington before it."""
    last: Level | None = None
    for level in levels:
        if last is not None and last.name.lower() == "washington" and _DC.fullmatch(level.name):
            last = replace(last, name=text[last.start : level.end], end=level.end)
            continue
        if last is not None:
            yield last
        last = level
    if last is not None:
        yield last


# ── Names of places ──────────────────────────────────────────────────────────────────

_CONTINENTS = (
    ("africa",),
    ("antarctica",),
    ("asia",),
    ("europe",),
    ("north america", "northern america"),
    ("oceania", "australia and oceania", "australasia"),
    ("south america",),
    ("latin america",),
    ("america", "americas"),
)
# Only names that are no city and no state as well: Georgia, Singapore, Luxembourg and Mexico's
# own state are left out, so that what is called a country here is one.
_COUNTRIES = (
    ("united states", "usa", "us", "u.s.", "u.s.a.", "united states of america"),
    ("united kingdom", "uk", "u.k.", "great britain", "united kingdom of great britain and northern ireland"),
    ("united arab emirates", "uae", "u.a.e."),
    ("russia", "russian federation"),
    ("south korea", "republic of korea", "korea"),
    ("north korea", "democratic people's republic of korea", "dprk"),
    ("china", "people's republic of china", "prc", "p.r. china", "mainland china"),
    ("taiwan",),
    ("czech republic", "czechia"),
    ("netherlands", "holland", "kingdom of the netherlands"),
    ("turkey", "turkiye"),
    ("ivory coast", "cote d'ivoire"),
    ("vietnam", "viet nam"),
    ("laos", "lao people's democratic republic", "lao pdr"),
    ("iran", "islamic republic of iran"),
    ("syria", "syrian arab republic"),
    ("myanmar", "burma"),
    ("eswatini", "swaziland"),
    ("north macedonia", "macedonia", "republic of north macedonia"),
    ("cape verde", "cabo verde"),
    ("east timor", "timor-leste"),
    ("tanzania", "united republic of tanzania"),
    ("bolivia", "plurinational state of bolivia"),
    ("venezuela", "bolivarian republic of venezuela"),
    ("moldova", "republic of moldova"),
    ("brunei", "brunei darussalam"),
    ("democratic republic of the congo", "dr congo", "drc", "congo-kinshasa"),
    ("republic of the congo", "congo-brazzaville"),
    ("vatican city", "holy see"),
    ("ireland", "republic of ireland", "eire"),
    ("germany", "federal republic of germany", "deutschland"),
    ("spain", "espana", "kingdom of spain"),
    ("brazil", "brasil"),
    ("japan", "nippon"),
    ("italy", "italia"),
    *(
        (name,)
        for name in (
            "afghanistan", "albania", "algeria", "angola", "argentina", "armenia", "australia",
            "austria", "azerbaijan", "bangladesh", "belarus", "belgium", "bhutan", "botswana",
            "bulgaria", "cambodia", "cameroon", "canada", "chile", "colombia", "costa rica",
            "croatia", "cuba", "cyprus", "denmark", "ecuador", "egypt", "estonia", "ethiopia",
            "finland", "france", "ghana", "greece", "hungary", "iceland", "india", "indonesia",
            "iraq", "israel", "jamaica", "jordan", "kazakhstan", "kenya", "latvia", "lithuania",
            "malaysia", "mongolia", "morocco", "mozambique", "namibia", "nepal", "new zealand",
            "nicaragua", "nigeria", "norway", "pakistan", "paraguay", "peru", "philippines",
            "poland", "portugal", "romania", "rwanda", "saudi arabia", "senegal", "serbia",
            "slovakia", "slovenia", "south africa", "sri lanka", "sudan", "sweden",
            "switzerland", "thailand", "tunisia", "uganda", "ukraine", "uruguay", "uzbekistan",
            "yemen", "zambia", "zimbabwe",
        )
    ),
)  # fmt: skip


@lru_cache(maxsize=4096)
def place_form(name: str) -> str:
    """The form in which two names of one place are equal.

    Case, accents, a leading "the", dots and a postal code carry nothing; the other names of a
    country or continent are its own.
    """
    plain = "".join(
        character
        for character in unicodedata.normalize("NFKD", fold(name))
        if not unicodedata.combining(character)
    )
    words = " ".join(_ZIP.sub(" ", plain).replace("ı", "i").casefold().split()).strip(" .,*_")
    words = words.removeprefix("the ")
    undotted = words.replace(".", "")
    return _CANONICAL.get(words) or _CANONICAL.get(undotted) or undotted


_ZIP = re.compile(r"(?<!\w)(?:\d{5}(?:-\d{4})?|[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2})(?!\w)")
_CANONICAL: Mapping[str, str] = MappingProxyType(
    {name: names[0] for names in (*_CONTINENTS, *_COUNTRIES) for name in names}
)
_SIZES: Mapping[str, int] = MappingProxyType(
    {names[0]: 3 for names in _CONTINENTS} | {names[0]: 2 for names in _COUNTRIES}
)


def order_flaw(names: Sequence[str], order: Order) -> str:
    """Why an address runs the wrong way, as far as its continents and countries tell; or nothing.

    A continent stands outside of a country, and a country is not what an address ends with at
    its small end, unless another one is at the large end ("Latin America, Peru").
    """
    outward = list(names if order == "large_to_small" else reversed(names))
    sizes = [_SIZES.get(place_form(name), 0) for name in outward]
    known = [(size, name) for size, name in zip(sizes, outward, strict=True) if size]
    for (size, name), (next_size, next_name) in pairwise(known):
        if size < next_size:
            return f"`{next_name[:40]}` contains `{name[:40]}`"
    if len(sizes) > 1 and sizes[-1] and not sizes[0]:
        return f"`{outward[-1][:40]}` stands where the smallest level belongs"
    return ""


def misplaced_country(places: Sequence[str], level_names: Sequence[str]) -> str:
    """A country that stands at another level than the one named country; or nothing.

    `places` run like `level_names`. A place that is called as its country is (Singapore, Mexico)
    is none, as long as a country stands where it belongs.
    """
    names = [place_form(name) for name in level_names]
    if "country" not in names or len(places) != len(names):
        return ""
    at = names.index("country")
    sizes = [_SIZES.get(place_form(name), 0) for name in places]
    if sizes[at] == _COUNTRY:
        return ""
    return next((places[i] for i, size in enumerate(sizes) if size == _COUNTRY and i != at), "")


_COUNTRY = 2
