r"""SciMIF's group *letter* (Table 11): the case of all that is written.

Symbols count as the paper's case study counts them (Figure 9: R, E, B and L break a
lower-case rule); no language is guessed. Markup that a writer cannot spell otherwise is left
out: LaTeX commands (`\frac`, not its arguments) and the info string of a code fence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from string import ascii_lowercase, ascii_uppercase
from typing import NamedTuple

from ifbench.constraints.constraint import Check, Example, Params, failed, passed, quote, scripted
from ifbench.parsing.fences import fences_in

_SHOWN = 10  # Places quoted in a verdict; the counts are in `found`.


class LetterCase(Params):
    """What of the text is no text."""

    ignore_latex_commands: bool = True
    ignore_code_info: bool = True


@scripted(
    "general:all_uppercase",
    group="letter",
    category="C1",
    params=LetterCase,
    example=Example(
        params={},
        instruction="Answer in capital letters only.",
        passing="THE TECHNIQUE IS XRD.",
        failing="THE TECHNIQUE IS XRD (X-ray diffraction).",
    ),
)
def all_uppercase(text: str, params: LetterCase) -> Check:
    """All letters of the answer are upper case, and there is at least one."""
    return _check_case(text, params, wanted=_UPPER, unwanted=_LOWER)


@scripted(
    "general:all_lowercase",
    group="letter",
    category="C1",
    params=LetterCase,
    example=Example(
        params={},
        instruction="Write the whole answer in lowercase letters.",
        passing="the force is \\(f = \\frac{m v}{t}\\).",
        failing="the force is \\(F = \\frac{m v}{t}\\).",
    ),
)
def all_lowercase(text: str, params: LetterCase) -> Check:
    """All letters of the answer are lower case, and there is at least one."""
    return _check_case(text, params, wanted=_LOWER, unwanted=_UPPER)


def _check_case(text: str, params: LetterCase, *, wanted: _Case, unwanted: _Case) -> Check:
    masked = _masked(text, params)
    letters = set(masked)  # A long text has few different characters.
    wrong = unwanted.of(letters)
    if not wrong:
        if wanted.of(letters):
            return passed(f"all letters are {wanted.name} case", found={"wrong": 0})
        reason = f"the answer has no letter that could be {wanted.name} case"
        return failed(reason, found={"wrong": 0})
    places = list(islice(_runs(masked, wrong), _SHOWN))
    count = _count(masked, wrong)
    first = _word_around(text, places[0][0])
    are = "s are" if count > 1 else " is"
    return failed(
        f"{count} letter{are} not {wanted.name} case, the first in `{first}`",
        evidence=tuple(quote(text, *place) for place in places),
        found={"wrong": count},
    )


_FEW = 64


def _count(text: str, characters: frozenset[str]) -> int:
    """How many of these stand in a text; few of them are sooner counted one after the other."""
    if len(characters) <= _FEW:
        return sum(map(text.count, characters))
    return len(text) - len(text.translate(dict.fromkeys(map(ord, characters))))


def _runs(text: str, characters: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Spans of nothing but these characters. A pattern would be compiled anew for each text."""
    start = None
    for position, character in enumerate(text):
        if character in characters:
            start = position if start is None else start
        elif start is not None:
            yield start, position
            start = None
    if start is not None:
        yield start, len(text)


def _word_around(text: str, position: int) -> str:
    window_start = max(position - 20, 0)
    start = text.rfind(" ", window_start, position) + 1 or window_start
    return (text[start : position + 20].split(maxsplit=1) or [text[position]])[0]


# `c.upper()` leaves ª, ⁿ and ℏ alone: they have no other case, so they break no rule. Title-case
# letters (ǅ) are of neither case. Mathematical alphanumerics have a case and no counterpart.


@lru_cache(maxsize=1024)
def _is_lower_letter(character: str) -> bool:
    return character != character.upper() or (_is_mathematical(character) and character.islower())


@lru_cache(maxsize=1024)
def _is_upper_letter(character: str) -> bool:
    return character != character.lower() or (_is_mathematical(character) and character.isupper())


def _is_mathematical(character: str) -> bool:
    return "\U0001d400" <= character <= "\U0001d7ff"


class _Case(NamedTuple):
    """Lower or upper case."""

    name: str
    is_letter: Callable[[str], bool]
    ascii_letters: frozenset[str]

    def of(self, characters: set[str]) -> frozenset[str]:
        """Those that are letters of this case."""
        others = characters - _ASCII
        return (self.ascii_letters & characters).union(filter(self.is_letter, others))


_ASCII = frozenset(map(chr, range(128)))
_LOWER = _Case("lower", _is_lower_letter, frozenset(ascii_lowercase))
_UPPER = _Case("upper", _is_upper_letter, frozenset(ascii_uppercase))

_LATEX_MARKUP = re.compile(r"\\(?:begin|end)\{[A-Za-z*]{1,20}\}|\\[A-Za-z]++")


def _masked(text: str, params: LetterCase) -> str:
    """The text with its markup blanked out, each character in its place."""
    spans: list[tuple[int, int]] = []
    if params.ignore_code_info and ("```" in text or "~~~" in text):
        spans += [(fence.start, fence.body_start) for fence in fences_in(text)]
    if params.ignore_latex_commands and "\\" in text:
        spans += [match.span() for match in _LATEX_MARKUP.finditer(text)]
    pieces, position = [], 0
    for start, end in sorted(spans):
        pieces += [text[position:start], " " * (end - max(start, position))]
        position = max(end, position)
    return "".join((*pieces, text[position:]))
