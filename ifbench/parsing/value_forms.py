"""Values in a normalized form: dates, times, numbers, parsed and not only matched.

A pattern alone lets 2023-02-29 pass. A date is read and written again in its format: what differs
(no padding, the 30th of February, a thirteenth month) is not in the format.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Literal, TypeAlias

ValueKind: TypeAlias = Literal[
    "date", "time", "integer", "decimal", "percent", "range", "word", "letter"
]

_TOKENS = (
    ("YYYY", "%Y"), ("MMMM", "%B"), ("MMM", "%b"), ("MM", "%m"), ("DD", "%d"), ("YY", "%y"),
    ("HH", "%H"), ("hh", "%I"), ("mm", "%M"), ("SS", "%S"), ("ss", "%S"),
)  # fmt: skip
_TIMES = {
    "MM:SS": r"(?P<m>\d{2,3}):(?P<s>\d{2})",
    "M:SS": r"(?P<m>\d{1,3}):(?P<s>\d{2})",
    "HH:MM:SS": r"(?P<h>\d{2}):(?P<m>\d{2}):(?P<s>\d{2})",
    "H:MM:SS": r"(?P<h>\d{1,2}):(?P<m>\d{2}):(?P<s>\d{2})",
    "HH:MM": r"(?P<h>\d{2}):(?P<m>\d{2})",
    "MM:SS.mmm": r"(?P<m>\d{2,3}):(?P<s>\d{2})\.\d{3}",
    "HH:MM:SS.mmm": r"(?P<h>\d{2}):(?P<m>\d{2}):(?P<s>\d{2})\.\d{3}",
}
_PLAIN = {
    "integer": r"[+-]?\d+",
    "decimal": r"[+-]?\d+\.\d+",
    "percent": r"[+-]?\d+(?:\.\d+)?%",
    "range": r"\d+(?:\.\d+)?\s?[-–]\s?\d+(?:\.\d+)?",
    "letter": r"[A-Z]",
}


def is_date(value: str, format: str) -> bool:
    """Whether a value is a date in a format such as `YYYY-MM-DD` or `%d.%m.%Y`."""
    if not value.isascii() or len(value) > 60:
        return False
    written = format if "%" in format else _directives(format)
    try:
        return datetime.strptime(value, written).strftime(written) == value  # noqa: DTZ007
    except ValueError:
        return False


def _directives(format: str) -> str:
    """`YYYY-MM-DD HH:MM` as `strptime` takes it; a MM behind hours is of minutes."""
    written, has_hours = "", False
    position = 0
    while position < len(format):
        for token, directive in _TOKENS:
            if format.startswith(token, position):
                is_minutes = token == "MM" and has_hours
                written += "%M" if is_minutes else directive
                has_hours = has_hours or directive in {"%H", "%I"}
                position += len(token)
                break
        else:
            written += format[position]
            position += 1
    return written


def is_time(value: str, format: str) -> bool:
    """Whether a value is a time in one of the formats `TIME_FORMATS`, its fields in range."""
    match = re.fullmatch(_TIMES[format], value, re.ASCII)
    if match is None:
        return False
    fields = match.groupdict()
    if fields.get("s") and int(fields["s"]) > 59:
        return False
    return not (fields.get("h") and int(fields["m"]) > 59)


TIME_FORMATS = frozenset(_TIMES)


def is_of_kind(value: str, kind: ValueKind) -> bool:
    """Whether a value is a number, percentage, range, single word or capital letter.

    Thousands groups, ordinals (1st) and Arabic-Indic digits are none of them.
    """
    if kind == "word":
        return re.fullmatch(r"[^\W_]+(?:['’-][^\W_]+)*", value) is not None
    return re.fullmatch(_PLAIN[kind], value, re.ASCII) is not None


_DIGITAL = re.compile(
    r"(?<![\w.])(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{4}年\d{1,2}月\d{1,2}日"
    r"|\d{1,2}\s(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?,?\s\d{4}"
    r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?\s\d{1,2}(?:st|nd|rd|th)?,?\s\d{4})(?![\w-])"
)
_CLOCK = re.compile(r"(?<![\w:.])\d{1,3}(?::\d{1,2}){1,2}(?:\.\d{1,6})?(?![\w:])")
_AMOUNT = re.compile(r"(?<![\w.])[+-]?\d[\d,]{0,40}(?:\.\d{1,40})?%?(?![\w])")


def values_in(text: str, kind: str) -> tuple[tuple[int, int], ...]:
    """The places of what looks like a date, time or number in running text, in any form."""
    pattern = {"date": _DIGITAL, "time": _CLOCK}.get(kind, _AMOUNT)
    return tuple(match.span() for match in pattern.finditer(text))
