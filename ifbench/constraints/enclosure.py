"""Where in an answer a construct (JSON, a list, HTML, …) is looked for, shared by formats.

*Strictly* (SciMIF, Table 11) means that the answer is the construct: nothing stands around
it but one code fence, which chat models add by habit. A part of a longer answer is read
with `scope: embedded`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from ifbench.constraints.constraint import Check, Params, failed, passed, quote
from ifbench.parsing.fences import fence_around, fences_of
from ifbench.parsing.flaws import Flaw, excerpt

T = TypeVar("T")

_FENCE_BEFORE = re.compile(r"(?:`{3,}|~{3,})[^\n`]*\n\s*\Z")
_FENCE_AFTER = re.compile(r"\A\s*(?:`{3,}|~{3,})")


class Enclosure(Params):
    """Where the construct may stand."""

    scope: Literal["whole", "embedded"] = "whole"
    """`whole`: the answer is the construct. `embedded`: the last fenced block of its language,
    else the first balanced construct that can be read."""
    allow_fence: bool = True
    """With `whole`: one code fence around everything is let pass."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Form(Generic[T]):
    """A kind of construct: its name for reasons, its reader, and where it may begin."""

    name: str
    languages: frozenset[str]
    """Info strings of fences that hold it."""
    read: Callable[[str], T | Flaw]
    spans: Callable[[str], Iterable[tuple[int, int]]]
    """Candidates in running text, in order."""
    stands_alone: bool = True
    """False where several may come in a row (HTML): then one of them is not the whole of it."""
    blank: str | None = None
    """Characters that may be taken off both ends; `None` means all white space."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken(Generic[T]):
    """A construct that was read, and its place in the answer."""

    value: T
    start: int
    end: int
    note: str = ""
    """How it was chosen, where there was a choice."""


def take(text: str, enclosure: Enclosure, form: Form[T]) -> Taken[T] | Check:
    """Read the construct out of the answer, or say why it fails."""
    if enclosure.scope == "embedded":
        return _take_embedded(text, form)
    return _take_whole(text, enclosure, form)


def _take_whole(text: str, enclosure: Enclosure, form: Form[T]) -> Taken[T] | Check:
    fence = fence_around(text)
    if fence and not enclosure.allow_fence:
        return failed(
            f"a code fence stands around {form.name}",
            evidence=(quote(text, fence.start, fence.end),),
        )
    start, end = (fence.body_start, fence.body_end) if fence else (0, len(text))
    start, end = _trimmed(text, start, end, form.blank)
    value = form.read(text[start:end])
    if not isinstance(value, Flaw):
        return Taken(value=value, start=start, end=end)
    surrounded = None if value.is_readable else _surrounded(text, start, end, form, value)
    return surrounded or _flawed(text, value.moved(start), form)


def _take_embedded(text: str, form: Form[T], known: Flaw | None = None) -> Taken[T] | Check:
    """`known` is what is wrong with the text as a whole, so that it need not be read again."""
    fences = fences_of(text, form.languages)
    if fences:
        last = fences[-1]
        start, end = _trimmed(text, last.body_start, last.body_end, form.blank)
        value = form.read(text[start:end])
        if isinstance(value, Flaw):
            return _flawed(text, value.moved(start), form)
        note = f"the last of {len(fences)} fenced blocks was read" if len(fences) > 1 else ""
        return Taken(value=value, start=start, end=end, note=note)
    found, flaw = _first_readable(text, form, known)
    if found is not None:
        return found
    if flaw is not None:
        return _flawed(text, flaw, form)
    return failed(f"{form.name} stands nowhere in the answer")


def _first_readable(
    text: str, form: Form[T], known: Flaw | None
) -> tuple[Taken[T] | None, Flaw | None]:
    """The first candidate that can be read; else what is wrong with the first."""
    first: Flaw | None = None
    for start, end in form.spans(text):
        is_whole = end - start == len(text)
        value = known if known and is_whole else form.read(text[start:end])
        if not isinstance(value, Flaw):
            return Taken(value=value, start=start, end=end), None
        first = first or value.moved(start)
    return None, first


def _surrounded(text: str, start: int, end: int, form: Form[T], flaw: Flaw) -> Check | None:
    """The failure of an answer that holds the construct, but other text beside it."""
    if not form.stands_alone and not fences_of(text[start:end], form.languages):
        return None
    found = _take_embedded(text[start:end], form, flaw)
    if isinstance(found, Check):
        return None
    before = _FENCE_BEFORE.sub("", text[start : start + found.start]).strip()
    after = _FENCE_AFTER.sub("", text[start + found.end : end]).strip()
    if not before and not after:
        return None
    side, words = ("before", before) if before else ("after", after)
    place = text.find(words, start if before else start + found.end)
    return failed(
        f"text stands {side} {form.name}: “{excerpt(words)}”",
        evidence=(quote(text, place, place + len(words)),),
    )


def _flawed(text: str, flaw: Flaw, form: Form[T]) -> Check:
    evidence = (quote(text, flaw.start, flaw.end),) if flaw.end > flaw.start else ()
    return failed(f"not {form.name}: {flaw.reason}", evidence=evidence)


def _trimmed(text: str, start: int, end: int, blank: str | None) -> tuple[int, int]:
    words = text[start:end]
    left = len(words) - len(words.lstrip(blank))
    return start + left, start + left + len(words.strip(blank))


def concluded(text: str, taken: Taken[Any], problem: str, praise: str) -> Check:
    """The check of a construct that was read: failed where there is a problem with it."""
    note = f" ({taken.note})" if taken.note else ""
    conclude: Callable[..., Check] = failed if problem else passed
    return conclude(
        (problem or praise) + note,
        evidence=(quote(text, taken.start, taken.end),),
    )
