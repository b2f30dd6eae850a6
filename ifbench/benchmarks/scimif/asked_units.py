"""The unit that a release's free text asks for: "micro molar (µM)", "lengths in nm".

A name and the symbol in its brackets must be one unit. A text of which any part stays unread
gives a reason in place of parameters: half a list of units would fail right answers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ifbench.parsing.units import Unit, parse_unit

_LONGEST = 60  # Characters of one unit; a longer piece is a sentence.
_PARTS = re.compile(r"[,;\n]|\s(?:and|or|y|o)\s(?![^()]*\))", re.IGNORECASE)
_ROUNDING = re.compile(
    r"round|decimal|significant|digits|nearest|scientific notation", re.IGNORECASE
)
_LEAD = re.compile(
    r"^\s*(?:(?:the|final|numerical|answers?|results?|values?|must|should|be|is|are|use|using|given"
    r"|expressed|reported|report|express|stated|written|output|in|as|with|standard|units?|unit of"
    r"|of|unidades?|en)\b[\s:=]*)+",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^[\w\s-]{1,40}(?:[:=]|\s(?:in|as|en)\s)\s*(?=\S)")
_PURPOSE = re.compile(r"\s(?:for|para)\s[\w\s-]{1,60}$|\s(?:units?|only)$", re.IGNORECASE)
_BRACKETED = re.compile(
    r"^(.*?\S)\s*\(\s*(?:i\.e\.,?\s*|symbol:?\s*)?([^()]*(?:\([^()]*\)[^()]*)*)\)$"
)
_SYMBOL_OF = {"molal": "m", "celsius": "C", "fahrenheit": "F"}
"""Symbols that mean another unit unless the name beside them says so: `molal (m)`."""


def asked_units(raw: str, question: str) -> Mapping[str, Any] | str:
    """Parameters of `unit_consistency`, or in words why there are none.

    The question is not searched: it names units of what is given as well.
    """
    del question
    units: dict[Unit, str] = {}
    aliases: dict[str, str] = {}
    for piece in _pieces(raw):
        text, unit = _piece(piece)
        if unit is None:
            return text or f"no unit is read in {piece!r}"
        units.setdefault(unit, text)
        aliases |= _aliases(piece, text)
    if not units:
        return "no unit is stated"
    more = {"aliases": aliases} if aliases else {}
    if len(units) == 1:
        return {"unit": next(iter(units.values())), **more}
    return {"units": list(units.values()), **more}


def _pieces(raw: str) -> list[str]:
    """The parts of a list; what only speaks of rounding belongs to another constraint."""
    if parse_unit(raw) is not None:
        return [raw]
    pieces = (piece.strip(" .\"'`") for piece in _PARTS.split(raw[:2000]))
    return [piece for piece in pieces if piece and not _ROUNDING.search(piece)]


def _piece(piece: str) -> tuple[str, Unit | None]:
    """The words that are a unit, with the unit; a reason and `None` where two disagree."""
    for words in _readings(piece):
        if len(words) <= _LONGEST and (unit := parse_unit(words)) is not None:
            return words, unit
        bracketed = _BRACKETED.match(words)
        if bracketed is None or max(map(len, bracketed.groups())) > _LONGEST:
            continue
        name, symbol = bracketed.groups()
        unit, other = parse_unit(name), parse_unit(symbol)
        is_contradicted = unit is not None and other is not None and unit != other
        if is_contradicted and not _aliases(piece, name):
            return f"two units are stated: {name} and {symbol}", None
        if unit is not None or other is not None:
            return (symbol, other) if unit is None else (name, unit)
    return "", None


def _readings(piece: str) -> list[str]:
    """The piece as it stands, then without what stands around a unit in a sentence."""
    words = [piece]
    for pattern in (_PURPOSE, _LEAD, _LABEL):
        words.append(pattern.sub("", words[-1]).strip())
    return list(dict.fromkeys(word for word in words if word))


def _aliases(piece: str, name: str) -> dict[str, str]:
    """`molal (m)`, `degrees Celsius (C)`: the text itself says what the symbol means."""
    return {
        symbol: name
        for word, symbol in _SYMBOL_OF.items()
        if word in name.lower() and piece.endswith(f"({symbol})")
    }
