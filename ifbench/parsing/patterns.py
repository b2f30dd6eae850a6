"""Patterns that records bring: whether one compiles, and cannot take time without end."""

from __future__ import annotations

import re

MAX_LENGTH = 500


def check_pattern(pattern: str) -> str:
    """The pattern itself. Raises `ValueError` for one that does not compile, or in which a
    repeated group holds a repetition: such patterns can take exponential time on a short text.
    """
    if len(pattern) > MAX_LENGTH:
        raise ValueError(f"a pattern of more than {MAX_LENGTH} characters")
    try:
        re.compile(pattern, re.ASCII)
    except re.error as error:
        raise ValueError(f"the pattern `{pattern}` does not compile: {error}") from error
    if _repeats_a_repetition(pattern):
        raise ValueError(f"the pattern `{pattern}` repeats a group that holds a repetition")
    return pattern


_TOKEN = re.compile(
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|(?P<open>\()|(?P<close>\))|(?P<repeat>[*+]|\{\d+,\d*\})|(?P<once>\{\d+\}|\?)|.",
    re.DOTALL,
)


def _repeats_a_repetition(pattern: str) -> bool:
    groups = [False]  # Whether each open group holds a repetition.
    closed: bool | None = None  # The same of a group that ended right before.
    for token in _TOKEN.finditer(pattern):
        if token["open"]:
            groups.append(False)
            closed = None
        elif token["close"] and len(groups) > 1:
            closed = groups.pop()
            groups[-1] = groups[-1] or closed
        elif token["repeat"]:
            if closed:
                return True
            groups[-1], closed = True, None
        else:
            closed = None
    return False
