"""Strict JSON (RFC 8259) out of a text, with a reason and a place where it is not.

Python's own reader takes NaN, Infinity and repeated names; none of them is JSON that
another program would read alike. A number is kept as Python reads it, so the trailing
zeros of `7.400` are lost: read those from the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from ifbench.parsing.brackets import MAX_NESTING, nests_too_deeply
from ifbench.parsing.flaws import Flaw, excerpt
from ifbench.types import Json

_HINTS: Sequence[tuple[re.Pattern[str], str]] = tuple(
    (re.compile(pattern), hint)
    for pattern, hint in (
        (r"'", "strings need double quotes"),
        (r"[“”„«‘’]", "typographic quotes are not JSON; strings need straight double quotes"),
        (r"//|/\*|#", "JSON has no comments"),
        (r"(?:True|False|None)\b", "JSON writes true, false and null"),
        (r"(?:nan|inf|undefined)", "JSON has no such value"),
        (r"[+.]\d", "a JSON number begins with a digit or a minus sign"),
        (r"[A-Za-z_]\w*\s*:", "names need double quotes"),
        (r"\\[^\"\\/bfnrtu]", r"a backslash in a string is written \\"),
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonText:
    """What was read; wrapped, because `null` is a value too."""

    value: Json


def parse_json(text: str, *, unique_keys: bool = True) -> JsonText | Flaw:
    """Read one JSON value, blanks around it allowed."""
    if nests_too_deeply(text):
        return Flaw(reason=f"the structure is nested deeper than {MAX_NESTING} levels")
    try:
        return JsonText(value=_decode(text, unique_keys=unique_keys))
    except _NotJsonError as error:
        return _located(text, error)
    except json.JSONDecodeError as error:
        return _explained(text, error)
    except RecursionError:
        return Flaw(reason=f"the structure is nested deeper than {MAX_NESTING} levels")


def _decode(text: str, *, unique_keys: bool) -> Any:
    pairs = _unique if unique_keys else None
    try:
        return json.loads(text, parse_constant=_refuse, object_pairs_hook=pairs)
    except json.JSONDecodeError:
        raise
    except ValueError:  # An integer of more digits than Python turns into an int; it is JSON.
        return json.loads(
            text, parse_constant=_refuse, object_pairs_hook=pairs, parse_int=_long_integer
        )


class _NotJsonError(Exception):
    """Something that Python reads and JSON has not: a constant, or a name that stands twice."""

    def __init__(self, reason: str, needle: str) -> None:
        super().__init__(reason)
        self.needle = needle
        """A pattern for the place."""


def _refuse(constant: str) -> NoReturn:
    # Not the first hit inside a string: a constant follows a comma, a colon or a bracket.
    needle = rf"(?:^|[\[,:])\s*(?P<place>{re.escape(constant)})"
    raise _NotJsonError(f"{constant} is not a JSON number", needle)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                needle = rf"{re.escape(json.dumps(name, ensure_ascii=False))}\s*:"
                raise _NotJsonError(
                    f"the name “{excerpt(name)}” stands twice in one object", needle
                )
            seen.add(name)
    return value


def _long_integer(digits: str) -> int | float:
    return int(digits) if len(digits) < 4_000 else float(digits)


def _located(text: str, error: _NotJsonError) -> Flaw:
    places = list(re.finditer(error.needle, text))
    if not places:
        return Flaw(reason=str(error))
    last = places[-1]
    group = "place" if "place" in last.re.groupindex else 0
    return Flaw(reason=str(error), start=last.start(group), end=last.end(group))


def _explained(text: str, error: json.JSONDecodeError) -> Flaw:
    start = error.pos
    words = error.msg[0].lower() + error.msg[1:]
    if error.msg == "Extra data":
        reason = f"more follows after the value: “{excerpt(text[start:])}”"
        return Flaw(reason=reason, start=start, end=len(text))
    if start >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
        words = "it ends before it is complete"
    hint = _hint(text, start)
    place = f" at line {error.lineno}, column {error.colno}"
    return Flaw(
        reason=words.removesuffix(" at") + place + (f" ({hint})" if hint else ""),
        start=start,
        end=min(start + 20, len(text)),
    )


def _hint(text: str, position: int) -> str:
    rest = text[position : position + 200]
    if rest[:1] in {"}", "]"} or _is_after_comma(text, position):
        return "a comma stands before a closing bracket"
    if rest[:1] in {"\n", "\r", "\t"}:
        return r"a line break or tab in a string is written \n or \t"
    return next((hint for pattern, hint in _HINTS if pattern.match(rest)), "")


def _is_after_comma(text: str, position: int) -> bool:
    # Python 3.13 names the comma itself, earlier ones the bracket behind it.
    return text[position : position + 1] == "," and text[position + 1 :].lstrip()[:1] in {"}", "]"}
