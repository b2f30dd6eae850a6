"""Points and spans of time that an answer names, in seconds.

Times are compared as numbers, never as text: "9:58" comes before "10:02". A dash between two
times may be `-`, `–`, `—` or `~`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from ifbench.parsing.text_forms import fold

TimeForm: TypeAlias = Literal["clock", "seconds", "minutes", "hours", "shot"]

MAX_POINTS = 5_000
"""No answer names more; what follows is not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimePoint:
    """One time, or one shot number (then `seconds` is `None`), and its place."""

    seconds: float | None
    form: TimeForm
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSpan:
    """From one time to another; `end_s` below `begin_s` is what the answer says, not mended."""

    begin_s: float
    end_s: float
    start: int
    end: int

    @property
    def length_s(self) -> float:
        return self.end_s - self.begin_s


_NUMBER = r"\d{1,6}(?:\.\d{1,3})?"
_POINT = re.compile(
    r"(?<![^\W\u3040-\u9fff])(?<![:.])(?:"
    r"(?:(?P<h>\d{1,2}):)?(?P<m>\d{1,3}):(?P<s>[0-5]\d(?:[.,]\d{1,3})?)(?![\w:])"
    r"|(?P<minutes>"
    + _NUMBER
    + r")[ -]?(?:minutes?|mins?|m(?= ?\d{1,2} ?s)|分钟?|分鐘?)(?![^\W\d_\u3040-\u9fff])"
    r"(?:[ ,]{0,2}(?:and )?(?P<rest>\d{1,2}(?:\.\d{1,3})?)[ -]?(?:seconds?|secs?|s|秒)(?![^\W\d_\u3040-\u9fff]))?"
    r"|(?P<hours>" + _NUMBER + r")[ -]?(?:hours?|hrs?|小时|小時)(?![^\W\d_\u3040-\u9fff])"
    r"|(?P<seconds>" + _NUMBER + r")[ -]?(?:seconds?|secs?|s|秒)(?![^\W\d_\u3040-\u9fff])"
    r"|(?:(?:at |the )?seconds? |t ?= ?)(?P<second>" + _NUMBER + r")(?![\w:]))"
    r"|(?<![^\W\d_])(?:shots?|scene shot) ?#?(?P<shot>\d{1,4})(?!\d)|第(?P<shot_zh>\d{1,4})(?:个)?镜头"
    r"|第(?P<second_zh>" + _NUMBER + r")秒",
    re.IGNORECASE,
)
_JOIN = re.compile(
    r"[\])\"']{0,2}\s{0,3}(?:-{1,2}>?|–|—|~|～|→|to|until|till|through|and|,|到|至|和)\s{0,3}[\[(\"']{0,2}"
)
_FROM = re.compile(r"(?:between|从|從)\s{0,3}[\[(]?\Z", re.IGNORECASE)
_JSON_BEGIN = re.compile(
    r"[\"']?(?:start|begin|from)(?:[_ ]?(?:time(?:stamp)?|s|sec|seconds|ts))?[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?P<a>[\d:.]{1,12})s?[\"']?"
    r"\s{0,3}[,;|]?\s{0,8}[\"']?(?:end|stop|to)(?:[_ ]?(?:time(?:stamp)?|s|sec|seconds|ts))?[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?P<b>[\d:.]{1,12})",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"(?<![^\W\u3040-\u9fff])(?<![:.])(?P<a>" + _NUMBER + r")\s{0,2}(?:-|–|—|~|to)\s{0,2}\Z",
    re.IGNORECASE,
)


@lru_cache(maxsize=8)
def time_points(text: str) -> tuple[TimePoint, ...]:
    """The times that a text names, in order; durations ("for 5 seconds") are among them."""
    found: list[TimePoint] = []
    for match in _POINT.finditer(fold(text)):
        seconds, form = _value(match)
        found.append(TimePoint(seconds=seconds, form=form, start=match.start(), end=match.end()))
        if len(found) == MAX_POINTS:
            break
    return tuple(found)


def _value(match: re.Match[str]) -> tuple[float | None, TimeForm]:
    if match["m"]:
        whole = int(match["h"] or 0) * 3600 + int(match["m"]) * 60
        return whole + float(match["s"].replace(",", ".")), "clock"
    if match["minutes"]:
        return float(match["minutes"]) * 60 + float(match["rest"] or 0), "minutes"
    if match["hours"]:
        return float(match["hours"]) * 3600, "hours"
    seconds = match["seconds"] or match["second"] or match["second_zh"]
    return (float(seconds), "seconds") if seconds else (None, "shot")


def time_spans(text: str) -> tuple[TimeSpan, ...]:
    """The spans that a text names: "00:05 - 00:09", "from 5 s to 9 s", "between … and …", "3-7 s",
    and neighbouring `start` and `end` of a record.
    """
    plain = fold(text)
    points = [point for point in time_points(text) if point.seconds is not None]
    found: dict[int, TimeSpan] = {}
    skip = -1
    for index, point in enumerate(points):
        assert point.seconds is not None, "shots are left out"
        if index > skip and index + 1 < len(points):
            after = points[index + 1]
            joint = _JOIN.fullmatch(plain, point.end, after.start)
            if joint and _joins(plain, point, joint) and after.seconds is not None:
                found[point.start] = TimeSpan(
                    begin_s=point.seconds, end_s=after.seconds, start=point.start, end=after.end
                )
                skip = index + 1
                continue
        bare = _BARE.search(plain, max(point.start - 14, 0), point.start)
        if bare and index > skip and point.form in {"seconds", "minutes"}:  # "3-7 s"
            factor = 60.0 if point.form == "minutes" else 1.0
            found[bare.start()] = TimeSpan(
                begin_s=float(bare["a"]) * factor,
                end_s=point.seconds,
                start=bare.start(),
                end=point.end,
            )
    for match in _JSON_BEGIN.finditer(plain):
        begin, end = seconds_of(match["a"]), seconds_of(match["b"])
        if begin is not None and end is not None:
            found[match.start()] = TimeSpan(
                begin_s=begin, end_s=end, start=match.start(), end=match.end()
            )
    return tuple(found[start] for start in sorted(found))


def _joins(plain: str, point: TimePoint, joint: re.Match[str]) -> bool:
    """A comma joins inside brackets, "and" after "between"; elsewhere both only list times."""
    word = joint[0].strip(" \n\t[]()\"'").lower()
    if word == ",":
        return plain[max(point.start - 2, 0) : point.start].strip(" \"'")[-1:] in {"[", "("}
    if word in {"and", "和"}:
        return _FROM.search(plain, max(point.start - 12, 0), point.start) is not None
    return True


def seconds_of(words: str) -> float | None:
    """A time alone (`75`, `75.5`, `1:15`, `0:01:15`) in seconds; `None` for anything else."""
    match = re.fullmatch(
        r"\s*(?:(?:(\d{1,2}):)?(\d{1,3}):)?(\d{1,6}(?:[.,]\d{1,3})?)\s*s?\s*", words, re.ASCII
    )
    if match is None or (match[2] and float(match[3].replace(",", ".")) >= 60):
        return None
    return int(match[1] or 0) * 3600 + int(match[2] or 0) * 60 + float(match[3].replace(",", "."))
