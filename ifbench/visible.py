"""Text of others on a terminal: what would steer it is shown, and not done."""

from __future__ import annotations

from unicodedata import category


def visible(text: str) -> str:
    """The text on one line: line ends, control characters and the like as Python spells them."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or category(c) == "Zs" else c.encode("unicode_escape").decode()
        for c in text
    )


def visible_lines(text: str) -> str:
    """The same for a text of several lines, which stay so."""
    return "\n".join(map(visible, text.split("\n")))
