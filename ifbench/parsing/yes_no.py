"""Whether an answer says yes or no: "no" stands in "know", and in "no other gas" it denies nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ifbench.parsing.option_words import needs_boundary
from ifbench.parsing.options import bare_item
from ifbench.parsing.text_forms import bare_span, comparable, fold, lowered


@dataclass(frozen=True, slots=True, kw_only=True)
class YesNo:
    """Index of the label that the answer gives, else the problem; and the place that decided."""

    index: int | None = None
    problem: str = ""
    start: int = 0
    end: int = 0


def read_yes_no(text: str, labels: tuple[str, str], *, explanation: bool) -> YesNo:
    """Read an answer that is "yes" or "no" (or the same in other words, `labels`).

    Alone, it equals a label once emphasis, quotes, a bracket around it and the stop are gone. With an
    explanation its first word decides, and the other word must not be asserted later: as a
    sentence or clause of its own, or as the stated answer. "No" in "no other gas" asserts nothing.
    """
    start, end = _word_span(text)
    wanted = [comparable(label) for label in labels]
    if end - start <= 2 * max(map(len, labels)) and comparable(text[start:end]) in wanted:
        return YesNo(index=wanted.index(comparable(text[start:end])), start=start, end=end)
    first = _FIRST_WORD.match(text)
    begin = first.end() if first else 0
    index = next((i for i, label in enumerate(labels) if _begins(text, begin, label)), None)
    if index is None:
        shown = " or ".join(f"`{label}`" for label in labels)
        where = "does not begin with" if explanation else "is not"
        return YesNo(problem=f"the answer {where} {shown}", start=start, end=min(end, start + 60))
    if not explanation:
        problem = f"there is more than `{labels[index]}`"
        after = begin + len(labels[index])
        return YesNo(problem=problem, start=after if after < end else start, end=end)
    other = _asserted(text, begin + len(labels[index]), labels[1 - index])
    if other is not None:
        problem = f"it begins with `{labels[index]}` and then asserts `{labels[1 - index]}`"
        return YesNo(problem=problem, start=other[0], end=other[1])
    return YesNo(index=index, start=begin, end=begin + len(labels[index]))


def _word_span(text: str) -> tuple[int, int]:
    """The bare answer without an exclamation mark, a bracket or the bullet of a list of one."""
    start, end = bare_item(text, 0, len(text))
    while end > start and text[end - 1] in "!！":
        end -= 1
    if end - start > 2 and text[start] + text[end - 1] in {"()", "[]", "（）"}:
        start, end = start + 1, end - 1
    return bare_span(text, start, end)


_FIRST_WORD = re.compile(r"(?:[^\w\\]|_|\\[A-Za-z]{1,8}\s?\{|\\\()*+")


def _begins(text: str, start: int, word: str) -> bool:
    found = comparable(text[start : start + len(word)]) == comparable(word)
    after = text[start + len(word) : start + len(word) + 1]
    return found and not (after.isalnum() and needs_boundary(word[-1:]))


def _asserted(text: str, start: int, word: str) -> tuple[int, int] | None:
    plain, wanted = lowered(fold(text)), re.escape(lowered(fold(word)))
    gap = "{1,4}" if needs_boundary(word[:1]) else "{0,4}"
    clause = re.compile(
        rf"(?:[.!?;][\s*_\"']{gap}|(?:[:=\n]|答案[是为])[\s*_\"']{{0,4}}"
        rf"|(?:\bis|\bbut|\bso|\bthus|\btherefore,?)[\s*_\"']{{1,4}})"
        rf"(?P<word>{wanted})(?=[\s*_\"']{{0,4}}(?:[.,!;:\n]|\Z))"
    )
    joined = re.compile(
        rf"[\s*_]{{0,4}}(?:and|or|/|&)[\s*_]{{0,4}}(?P<word>{wanted})(?=\s*(?:[.,!;:\n]|\Z))"
    )
    found = joined.match(plain, start) or clause.search(plain, max(start - 1, 0))
    return found.span("word") if found else None
