"""Sets of options and labels, as the release reads them out of parameters and questions."""

from __future__ import annotations

import re
from collections.abc import Iterable

_READ = 20_000  # Characters of a question or a parameter that are searched; none is longer.
_BRACKETED = re.compile(r"\[([^\[\]\n]*)\]|\{([^{}:\n]*)\}")
_QUOTED = r"""["'“‘]([^"'“”‘’|\n]{1,80})["'”’]"""
_BARS = re.compile(rf"{_QUOTED}(?:\s*\|\s*{_QUOTED})+")
_CHOICES = re.compile(
    r"\bchoice list\b[^\n:]{0,40}:?(?P<list>[^\n]*(?:\n[ \t]*[-*•][^\n]*)*)", re.IGNORECASE
)
_LETTERED = re.compile(r"(?:^|\s)\(?[A-J][).:][ \t]+([^\n]+?)(?=\s+\(?[A-J][).:][ \t]|\n|$)")
_ANNOUNCED = re.compile(r"^\s*(?:options?|choices|choose from|one of)\s*[:=]?\s*", re.IGNORECASE)


def bracketed_sets(text: str) -> tuple[str, ...]:
    """Labels out of bracketed lists, `"a" | "b"` lines and a CHOICE LIST, all together."""
    text = text[:_READ]
    labels: list[str] = []
    for match in _BRACKETED.finditer(text):
        if "," in match[0]:
            labels += re.split(r"[,|]", match[1] or match[2] or "")
    for match in _BARS.finditer(text):
        labels += match[0].split("|")
    if choices := _CHOICES.search(text):
        labels += re.split(r"[,|;\n]", choices["list"])
    return _clean(labels)


def choices_in(raw: str, question: str) -> tuple[str, ...]:
    """What may be chosen: the parameter's options, else the question's lettered or bracketed ones."""
    raw, question = raw[:_READ], question[:_READ]
    return (
        bracketed_sets(raw)
        or _clean(_LETTERED.findall(raw))
        or _separated(raw)
        or _clean(_LETTERED.findall(question))
        or bracketed_sets(question)
    )


def _separated(text: str) -> tuple[str, ...]:
    body = _ANNOUNCED.sub("", text)
    for separator in (r"\|", r";", r",(?:\s*(?:or|and)\s)?", r"\sor\s"):
        parts = _clean(re.split(separator, body))
        if len(parts) > 1:
            return parts
    return ()


def _clean(parts: Iterable[str]) -> tuple[str, ...]:
    stripped = (part.strip(" \t\n\"'“”‘’`.;,-*•") for part in parts)
    return tuple(dict.fromkeys(part for part in stripped if part))
