"""Where the release looks in an answer: after an answer phrase, in a box, a fence, the last block."""

from __future__ import annotations

import re

from ifbench.parsing.boxes import boxes_in
from ifbench.parsing.fences import fence_around, fences_in

ANSWER_PHRASE = re.compile(r"\bfinal answer\b|\bthe answer is\b|\bresult is\b", re.IGNORECASE)
"""The phrases that announce an answer; no others count."""

_LEAD = re.compile(r"(?:\s*(?:is|are)\b)?[\s:=*_\"'`]*", re.IGNORECASE)
_LAST_TAG = re.compile(r"<([A-Za-z][\w.-]*)(?:\s[^<>]*)?>")


def after_phrase(text: str) -> str | None:
    """All that follows the last answer phrase; `None` where there is none."""
    end = -1
    for match in ANSWER_PHRASE.finditer(text):
        end = match.end()
    if end < 0:
        return None
    lead = _LEAD.match(text, end)
    return text[lead.end() if lead else end :].strip()


def boxed(text: str) -> str | None:
    r"""What the last closed `\boxed{}` or `\fbox{}` holds."""
    closed = [box for box in boxes_in(text) if box.is_closed]
    return closed[-1].content(text).strip() if closed else None


def without_fence(text: str) -> str:
    """The text, without the one code fence that is around all of it."""
    fence = fence_around(text)
    return (text if fence is None else text[fence.body_start : fence.body_end]).strip()


def final_part(text: str) -> str:
    """The final answer, by the first of these that there is: an answer phrase, a box, the last
    code fence, markup at the end, the last block.
    """
    for part in (after_phrase(text), boxed(text), _last_fence(text), _final_markup(text)):
        if part:
            return without_fence(part)
    return re.split(r"\n[ \t]*\n", text.strip())[-1].strip()


def asked_part(text: str, question: str) -> str:
    """The final answer where the question speaks of one, else the whole answer."""
    if re.search(r"\bfinal answer\b", question, re.IGNORECASE):
        return final_part(text)
    return without_fence(text)


def _last_fence(text: str) -> str | None:
    closed = [fence for fence in fences_in(text) if fence.is_closed]
    return text[closed[-1].body_start : closed[-1].body_end].strip() if closed else None


def _final_markup(text: str) -> str | None:
    """From the first tag of the last element's name to the end, where the text ends in that tag."""
    tail = re.search(r"</([A-Za-z][\w.-]*)>\s*\Z", text[-1_000:])
    if tail is None:
        return None
    for tag in _LAST_TAG.finditer(text):
        if tag[1] == tail[1]:
            return text[tag.start() :].strip()
    return None
