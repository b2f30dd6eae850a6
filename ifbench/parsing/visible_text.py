"""What a reader sees of an answer: the words, without the marks that lay them out.

Counting and matching need the words alone: a list number is no word, a link's address is not
read. Line ends stay where they are, so that a line here is a line of the answer. Done by line
and with bounded patterns, because a Markdown parser is too dear for a text of a megabyte.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ifbench.parsing.fences import fences_in

_LEAD = re.compile(
    r"[ \t]{0,80}(?:>[ \t]?){0,10}[ \t]{0,80}"
    r"(?:#{1,6}(?:[ \t]+|\Z)|(?:(?:[-*+–][ \t]+|[•‣◦・▪●○■□](?![•‣◦・▪●○■□])[ \t]*)|\(?\d{1,9}[.)][ \t]+)(?:\[[ xX]\][ \t]+)?)?"
)
_MARKS_ALONE = frozenset("|:-*_=~+ \t")
_LINK = re.compile(
    r"!?\[([^\[\]\n]{0,500})\]\([ \t]?(?:<[^<>\n]{0,1000}>|[^()\s<>]{0,1000})"
    r"(?:[ \t]+\"[^\"\n]{0,200}\")?[ \t]?\)"
)
_AUTOLINK = re.compile(r"<((?:https?|mailto):[^<>\s]{1,1000})>")
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,300}>")
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+.!|>~-])")
_UNDERSCORES = re.compile(r"_+")
_EMPHASIS = str.maketrans("", "", "*`")


@lru_cache(maxsize=8)
def visible_text(text: str) -> str:
    """The words of an answer in their lines; code keeps its lines, fences lose their marks."""
    lines = text.split("\n")
    is_code, is_fence = _code_lines(text, len(lines))
    shown = (
        "" if is_fence[number] else line if is_code[number] else visible_line(line)
        for number, line in enumerate(lines)
    )
    return "\n".join(shown)


def visible_line(line: str) -> str:
    """The same of one line outside code."""
    if _MARKS_ALONE.issuperset(line.rstrip("\r")):
        return ""
    lead = _LEAD.match(line)
    words = line[lead.end() :] if lead else line
    if "|" in words:
        words = words.replace("\\|", "/").replace("|", " ")
    if "[" in words:
        words = _LINK.sub(r"\1", words)
    if "<" in words:
        words = _TAG.sub("", _AUTOLINK.sub(r"\1", words))
    words = words.translate(_EMPHASIS).replace("~~", "")
    if "_" in words:
        words = _UNDERSCORES.sub(_inside_word, words)
    return _ESCAPED.sub(r"\1", words) if "\\" in words else words


def _inside_word(run: re.Match[str]) -> str:
    """Underscores between letters belong to a name; at a word's edge they are emphasis."""
    before = run.string[run.start() - 1 : run.start()] if run.start() else ""
    after = run.string[run.end() : run.end() + 1]
    return run[0] if before.isalnum() and after.isalnum() else ""


def _code_lines(text: str, count: int) -> tuple[list[bool], list[bool]]:
    """For each line whether it stands in a fence, and whether it is a fence's own mark."""
    is_code, is_fence = [False] * count, [False] * count
    line = position = 0
    for fence in fences_in(text):
        line += text.count("\n", position, fence.start)
        position = fence.start
        is_fence[line] = True
        inner = text.count("\n", fence.start, fence.body_end)
        for number in range(line + 1, min(line + inner + (not fence.is_closed), count - 1) + 1):
            is_code[number] = True
        if fence.is_closed:
            closing = line + inner
            is_code[closing], is_fence[closing] = False, True
    return is_code, is_fence
