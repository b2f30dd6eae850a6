"""Options that a text lists, in the forms that the public release's parameters have."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass

_LETTERS = "ABCDEFGHIJ"
_LETTER = r"\(?([A-J])[).:]\s+"

# "the correct one, clearly stated" has a comma and lists nothing.
_PROSE = re.compile(
    r"\b(?:the|this|must|should|answers?|options?|choices|given|listed|provided|one|following)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedOptions:
    """Texts of options, and their letters where they have some; no texts: no list was found."""

    texts: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()


def listed_options(text: str) -> ListedOptions:
    """A Python or JSON list, a run of `A) … B) …`, or `options: a, b`, `a | b`, `a or b`.

    Without `options:` in front, what stands between commas has to look like names: at most three
    words, none of them of a kind that only sentences have.
    """
    return _bracketed(text) or _lettered(text) or ListedOptions(texts=tuple(_separated(text)))


def lettered_lines(question: str) -> ListedOptions:
    """Options that stand in a question, a line each, with the letters A, B, …"""
    return _by_letter(re.findall(rf"^\s*{_LETTER}(\S.*?)\s*$", question, re.MULTILINE))


def _bracketed(text: str) -> ListedOptions | None:
    found = re.search(r"\[[^\[\]]+\]", text)
    if found is None:
        return None
    try:
        values = [str(value) for value in ast.literal_eval(found[0])]
    except (ValueError, SyntaxError):  # [day, night]: a list without quotes.
        values = found[0][1:-1].split(",")
    return ListedOptions(texts=tuple(_clean(values)))


def _lettered(text: str) -> ListedOptions | None:
    found = re.findall(rf"(?:^|\s){_LETTER}(.+?)(?=\s+\(?[A-J][).:]\s|\n|$)", text)
    options = _by_letter(found)
    return options if options.texts else None


def _by_letter(found: list[tuple[str, str]]) -> ListedOptions:
    letters = tuple(letter for letter, _ in found)
    if len(letters) < 2 or letters != tuple(_LETTERS[: len(letters)]):
        return ListedOptions()
    texts = tuple(_clean(text for _, text in found))
    return (
        ListedOptions(texts=texts, labels=letters)
        if len(texts) == len(letters)
        else ListedOptions()
    )


def _separated(text: str) -> list[str]:
    body = re.sub(
        r"^\s*(?:options?|choices|choose from|one of)\s*[:=]?\s*", "", text, flags=re.IGNORECASE
    )
    is_announced = body != text
    for separator in (r"\s*\|\s*", r"\s*;\s*", r"\s*,\s*(?:or\s+|and\s+)?", r"\s+or\s+"):
        parts = _clean(re.split(separator, body))
        if len(parts) > 1:
            return parts if is_announced or all(_is_name(part) for part in parts) else []
    return []


def _is_name(part: str) -> bool:
    return len(part.split()) <= 3 and not _PROSE.search(part)


def _clean(parts: Iterable[str]) -> list[str]:
    stripped = (part.strip(" \t\n'\"`.;,") for part in parts)
    return [part for part in stripped if part]
