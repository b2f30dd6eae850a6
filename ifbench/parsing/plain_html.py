"""HTML fragments that are read without html5lib: common elements, each closed where it should be.

Where every element stands in a place that is made for it and is closed by its own tag, the
standard's parser adds nothing, moves nothing and has no error to report; then the names of the
tags are all there is to know. Whatever else stands there (references, comments, pages, tags
left out, rarer elements and attributes) is left to html5lib. Of what is read here it would
say the same, at twenty times the cost.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

MAX_DEPTH: Final = 50
"""Deeper nesting is left to html5lib, which has a bound of its own."""

_VOID = frozenset({"br", "hr"})
_INLINE = frozenset(
    ["b", "i", "em", "strong", "code", "u", "s", "small", "span", "sub", "sup", "mark"]
)
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_FLOW = frozenset(["div", "section", "article", "main", "header", "footer", "blockquote"])
_GROUPS = frozenset({"thead", "tbody", "tfoot"})
_IN_LINES = _INLINE | {"br"}
_IN_FLOW = _IN_LINES | _HEADINGS | _FLOW | {"p", "ul", "ol", "table", "hr"}
_ROOT = ""
_CHILDREN: Final[Mapping[str, frozenset[str]]] = {
    _ROOT: _IN_FLOW,
    **dict.fromkeys(_FLOW | {"li", "td", "th"}, _IN_FLOW),
    **dict.fromkeys(_INLINE | _HEADINGS | {"p"}, _IN_LINES),
    **dict.fromkeys({"ul", "ol"}, frozenset({"li"})),
    "table": _GROUPS | {"tr"},
    **dict.fromkeys(_GROUPS, frozenset({"tr"})),
    "tr": frozenset({"td", "th"}),
}
_WITHOUT_TEXT = frozenset({_ROOT, "ul", "ol", "table", "tr"}) | _GROUPS

# Control characters and code points that are none are errors to the standard's parser.
_ODD = r"\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff\U0001fffe-\U0010ffff"
_TAG = re.compile(
    rf"([^<&{_ODD}]*+)<(?:/([a-z][a-z0-9]*+)>"
    rf"|([a-z][a-z0-9]*+)(?: (?:class|style|id)=\"[^\"<>&{_ODD}]*+\")?+( ?/)?>)"
)
_BLANKS = " \t\n"


def elements_of_plain(text: str) -> frozenset[str] | None:
    """Names of the elements of a fragment, or `None` where it is not surely without error."""
    found: set[str] = set()
    around = [_ROOT]
    position = 0
    while match := _TAG.match(text, position):
        words, closed, opened, slash = match.groups()
        parent = around[-1]
        if words and parent in _WITHOUT_TEXT and words.strip(_BLANKS):
            return None
        if closed is not None:
            if closed != parent:
                return None
            around.pop()
        elif opened not in _CHILDREN[parent] or (slash and opened not in _VOID):
            return None
        else:
            found.add(opened)
            if opened not in _VOID:
                if len(around) > MAX_DEPTH or (opened in _INLINE and opened in around):
                    return None  # Of an element inside its like, the parser keeps but a few.
                around.append(opened)
        position = match.end()
    is_whole = len(around) == 1 and not text[position:].strip(_BLANKS)
    return frozenset(found) if is_whole and found else None
