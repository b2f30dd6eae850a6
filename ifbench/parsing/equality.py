"""Whether an answer says what a reference says: yes, no, or not to be told by rules.

The third outcome is the one to fall back on. Free text, synonyms, other units, several values
where one is wanted: all of them are `None`, for a reader to decide. "No" is said only where both
sides were read as the same kind of thing and differ.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from ifbench.errors import PrerequisiteError
from ifbench.parsing.answers import final_answer, stated_answers, values_of
from ifbench.parsing.fences import fence_around
from ifbench.parsing.flaws import Flaw
from ifbench.parsing.formulas import formula_tokens
from ifbench.parsing.json_text import parse_json
from ifbench.parsing.literals import parse_literal
from ifbench.parsing.measures import (
    Asked,
    Measure,
    Tolerance,
    asked_in,
    in_range,
    read_measure,
    read_range,
    same_measure,
)
from ifbench.parsing.molecules import SYMBOLS as ELEMENTS
from ifbench.parsing.molecules import Molecule, Readable, is_same_molecule, parse_molecule
from ifbench.parsing.notations import find_molecule
from ifbench.parsing.option_words import Options
from ifbench.parsing.options import Mode, read_choice
from ifbench.parsing.text_forms import bare, comparable, fold
from ifbench.parsing.unit_table import SYMBOLS
from ifbench.parsing.yes_no import read_yes_no

SHORT = 300
"""Characters up to which a text is compared word by word; a longer one is prose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What a sample says of its reference beside the reference itself."""

    question: str = ""
    """The question that the reference answers: its units, its labels."""
    options: Options | None = None
    mode: Mode = "exact"
    system: Readable | None = None
    """The notation, where a molecule is asked for."""
    tolerance: Tolerance = field(default_factory=Tolerance)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Equal or not, with what was read from the answer."""

    is_equal: bool
    read: str
    reason: str


def compare(answer: str, reference: object, hints: Hints) -> Comparison | None:
    """Compare a final text with a reference, of any JSON type; `None` where rules cannot tell.

    A string that holds a JSON or Python object or list stands for it, as in the release.
    """
    if isinstance(reference, str):
        reference = _structure(reference)
    if isinstance(reference, Mapping):
        return _compare_fields(answer, reference, hints)
    if isinstance(reference, list | tuple):
        return _compare_list(answer, reference, hints)
    if reference is None:
        return None
    words = json.dumps(reference) if isinstance(reference, bool) else str(reference)
    return _compare_text(answer, words, hints)


def _structure(text: str) -> object:
    """What a JSON or Python object or list in a string denotes; any other string is itself."""
    if text.strip()[:1] not in {"{", "["}:
        return text
    value = _parsed(text)
    return value if isinstance(value, Mapping | list) else text


def _parsed(text: str) -> object:
    """A JSON value or Python literal that is the whole text, a fence aside; else `None`."""
    fence = fence_around(text)
    body = text if fence is None else text[fence.body_start : fence.body_end]
    body = body.strip()
    if body[:1] not in {"{", "[", "(", '"', "'"}:
        return None
    read = parse_json(body)
    if isinstance(read, Flaw):
        literal = parse_literal(body)
        return None if isinstance(literal, Flaw) else literal.value
    return read.value


# ── The pieces of an answer that may be its answer ───────────────────────────────────


@lru_cache(maxsize=64)
def _pieces(answer: str) -> tuple[str, ...]:
    """What may be the answer proper: the value of a structure, the stated answer, or else the
    whole text. `()` where several stated answers differ: hedging is for a reader.
    """
    region = final_answer(answer)
    found: list[str] = []
    leaves = tuple(_leaves(_parsed(answer)))
    if len(leaves) in {1, 2}:  # Of two, the second may be the unit of the first.
        found.append(" ".join(leaves))
    if region is not None and region.is_stated:
        stated = [one for one in stated_answers(answer) if one.found_by == region.found_by]
        forms = {comparable(bare(one.content(answer))) for one in stated}
        if len(forms) > 1:
            return ()
        found.append(region.content(answer))
    if not found:
        found += [*_row_of_table(answer), *_text_of_element(answer), answer]
    return tuple(dict.fromkeys(found))


_ELEMENT = re.compile(r"\s*<(\w+)[^<>]*>([^<>]+)</\1>\s*")


def _text_of_element(answer: str) -> Iterator[str]:
    """What one element of XML or HTML holds, where it is the whole text."""
    if match := _ELEMENT.fullmatch(answer):
        yield match[2]


def _row_of_table(answer: str) -> Iterator[str]:
    """The one row below a head of comma-separated values."""
    lines = answer.strip().splitlines()
    if len(lines) == 2 and 0 < lines[0].count(",") == lines[1].count(","):
        yield lines[1]


def _leaves(value: object) -> Iterator[str]:
    """The scalars of a structure, as text; keys are none."""
    match value:
        case Mapping():
            for inner in value.values():
                yield from _leaves(inner)
        case list() | tuple():
            for inner in value:
                yield from _leaves(inner)
        case None:
            return
        case bool():
            yield json.dumps(value)
        case _:
            yield str(value)


# ── One value ────────────────────────────────────────────────────────────────────────


def _compare_text(answer: str, reference: str, hints: Hints) -> Comparison | None:
    """The kinds of references in turn; the first that reads the reference decides alone."""
    reference = bare(reference)
    if not reference or len(reference) > SHORT:
        return None
    pieces = _pieces(answer)
    equal = next((piece for piece in pieces if _is_same_text(piece, reference)), None)
    if equal is not None:
        return Comparison(
            is_equal=True,
            read=bare(equal),
            reason=f"the answer is the reference: {_show(reference)}",
        )
    if hints.options is not None:
        chosen = _option(reference, hints.options, "exact")
        if chosen is not None:
            return _compare_choice(answer, chosen, hints.options, hints.mode)
    if _LABEL.fullmatch(reference):
        labels = _labels_of(hints.question)
        chosen = None if labels is None else _option(reference, labels, "label")
        return (
            None
            if labels is None or chosen is None
            else _compare_choice(answer, chosen, labels, "label")
        )
    for kind in (_compare_yes_no, _compare_number, _compare_range, _compare_molecule):
        if (read := kind(answer, pieces, reference, hints)) is not _OTHER_KIND:
            assert not isinstance(read, str), "a kind decides, leaves open, or does not apply"
            return read
    return _compare_sequence(pieces, reference) or _compare_parts(answer, pieces, reference)


_OTHER_KIND = "other kind"
"""The reference is not of the kind that was tried."""


def _is_same_text(piece: str, reference: str) -> bool:
    """Equal in typography's and LaTeX's eyes; `Long name (ABC)` also by name or abbreviation."""
    if len(piece) > 2 * SHORT:
        return False
    words = bare(piece)
    if any(_is_same_name(words, name) for name in _names(reference)):
        return True
    signs = formula_tokens(words).signs
    return bool(_FORMULA.search(reference) and signs and signs == formula_tokens(reference).signs)


_FORMULA = re.compile(r"[=^_\\+*/]")


def _is_same_name(one: str, other: str) -> bool:
    """Equal but for typography and case; where case tells symbols apart (Co, CO), with it.

    An en dash between figures is a hyphen: `10–20` is `10-20`.
    """
    first, second = (comparable(_RANGE_DASH.sub("-", words), ignore_case=False)
                     for words in (one, other))  # fmt: skip
    if not first or first.casefold() != second.casefold():
        return False
    pairs = zip(_TOKEN.findall(first), _TOKEN.findall(second), strict=False)
    return not any(a != b and _is_symbol(a) and _is_symbol(b) for a, b in pairs)


_RANGE_DASH = re.compile(r"(?<=\d)\s?[–—−]\s?(?=\d)")
_TOKEN = re.compile(r"[^\W_]+")
_CHEMICAL = re.compile(r"(?:[A-Z][a-z]?\d*)+")
_LONGEST_SYMBOL = 6


def _is_symbol(word: str) -> bool:
    """True for a unit and for a chemical formula, whose elements are all known."""
    if len(word) > _LONGEST_SYMBOL:
        return False
    if word in SYMBOLS:
        return True
    elements = re.findall(r"[A-Z][a-z]?", word)
    return bool(_CHEMICAL.fullmatch(word)) and all(one in ELEMENTS for one in elements)


_ABBREVIATED = re.compile(r"(?P<name>[^()]{4,}?)\s*\((?P<short>[A-Z][A-Za-z0-9-]{1,9})\)")


def _names(reference: str) -> Iterator[str]:
    yield reference
    if match := _ABBREVIATED.fullmatch(reference):
        yield from (match["name"], match["short"])


def _show(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:79] + "…")


# ── Options and labels ───────────────────────────────────────────────────────────────

_LABEL = re.compile(r"\(?[A-H]\)?\.?")


def _option(text: str, options: Options, mode: Mode) -> int | None:
    return read_choice(text, options, mode, allow_explanation=False).option


def _labels_of(question: str) -> Options | None:
    """The labels A, B, … that a question gives its options, if it gives two at least."""
    given = [label for label in "ABCDEFGH" if re.search(rf"(?<!\w)\(?{label}[.):]\s", question)]
    expected = list("ABCDEFGH"[: len(given)])
    return Options(labels=tuple(given)) if len(given) >= 2 and given == expected else None


def _compare_choice(answer: str, chosen: int, options: Options, mode: Mode) -> Comparison | None:
    choice = read_choice(answer, options, mode, allow_explanation=True)
    if choice.option is None:
        found = {_option(piece, options, mode) for piece in _pieces(answer)} - {None}
        if len(found) != 1:
            return None
        option = found.pop()
        assert option is not None
    else:
        option = choice.option
    name, wanted = options.name(option), options.name(chosen)
    return Comparison(
        is_equal=option == chosen,
        read=name,
        reason=f"the answer chooses {_show(name)}, the reference is {_show(wanted)}",
    )


# ── Yes and no ───────────────────────────────────────────────────────────────────────

_YES_NO: tuple[tuple[str, str], ...] = (("yes", "no"), ("true", "false"))
_ENDS_WORD = re.compile(r"[*_\"'`})\]]*(?:[.,;:!。，；：—–\n]|\s+[—–-]\s|\s*\Z)")


def _compare_yes_no(
    answer: str, pieces: Sequence[str], reference: str, _: Hints
) -> Comparison | str | None:
    wanted = {i for pair in _YES_NO for i, word in enumerate(pair) if comparable(reference) == word}
    if not wanted:
        return _OTHER_KIND
    said = {index for piece in (*pieces, answer) for index in _yes_no(piece)}
    if len(said) != 1:
        return None
    word = ("yes", "no")[said.pop()]
    is_equal = ("yes", "no").index(word) in wanted
    return Comparison(
        is_equal=is_equal, read=word, reason=f"the answer says {word}, the reference {reference}"
    )


def _yes_no(piece: str) -> Iterator[int]:
    for pair in _YES_NO:
        read = read_yes_no(piece, pair, explanation=True)
        # "No" in "No other gas does" answers nothing.
        if read.index is not None and _ENDS_WORD.match(piece, read.end):
            yield read.index


# ── Numbers and ranges ───────────────────────────────────────────────────────────────


def _compare_number(
    _: str, pieces: Sequence[str], reference: str, hints: Hints
) -> Comparison | str | None:
    asked = asked_in(hints.question)
    wanted = read_measure(reference, asked)
    if wanted is None or not _BEGINS_WITH_NUMBER.match(reference):
        return _OTHER_KIND
    found = _measure(pieces, asked)
    is_equal = found and same_measure(found, wanted, asked, hints.tolerance)
    if found is None or is_equal is None:
        return None
    words = "agrees with" if is_equal else "differs from"
    return Comparison(
        is_equal=bool(is_equal),
        read=found.words,
        reason=f"{found.words} {words} the reference {_show(reference)}",
    )


def _measure(pieces: Sequence[str], asked: Asked) -> Measure | None:
    return next((m for piece in pieces if (m := read_measure(piece, asked)) is not None), None)


_BEGINS_WITH_NUMBER = re.compile(r"[-+−–]?[.\d]")


def _compare_range(
    _: str, pieces: Sequence[str], reference: str, hints: Hints
) -> Comparison | str | None:
    wanted = read_range(reference)
    if wanted is None:
        return _OTHER_KIND
    asked = asked_in(hints.question)
    found = _measure(pieces, asked)
    # The bounds have no unit, so the answer's must be the one that the question asks for.
    if found is None or (found.unit and found.unit not in asked.units):
        return None
    is_equal = in_range(found, wanted, hints.tolerance)
    if is_equal is None:
        return None
    words = "lies in" if is_equal else "lies outside"
    return Comparison(
        is_equal=is_equal,
        read=found.words,
        reason=f"{found.words} {words} the range {_show(reference)}",
    )


# ── Molecules and sequences ──────────────────────────────────────────────────────────

_STEREO = re.compile(r"[@/\\]")
_LIKE_SMILES = re.compile(r"(?=.*[=#()\[\]0-9])(?=.*[A-Za-z].*[A-Za-z])\S{4,}")


def _compare_molecule(
    answer: str, pieces: Sequence[str], reference: str, hints: Hints
) -> Comparison | str | None:
    """By canonical form; sure to differ only where the atoms do.

    Two forms of the same atoms may be tautomers, salts or stereoisomers of one compound.
    """
    system = "inchi" if reference.startswith("InChI=") else hints.system
    if system is None and _LIKE_SMILES.fullmatch(reference):
        system = "smiles"
    try:
        if system is None or not isinstance(wanted := parse_molecule(reference, system), Molecule):
            return _OTHER_KIND
        notation = find_molecule(answer, system)
        found = None if notation is None else parse_molecule(notation, system)
        if notation is None or not isinstance(found, Molecule):
            return None
        is_same = is_same_molecule(notation, reference, system)
    except PrerequisiteError:  # Without the `chemistry` extra a reader is left.
        return None
    if not is_same and (found.atoms, found.hydrogens) == (wanted.atoms, wanted.hydrogens):
        return None
    # Prose may name several; one that is surely meant stands alone.
    if not is_same and notation not in {bare(piece) for piece in pieces}:
        return None
    words = "is the molecule" if is_same else "has other atoms than"
    return Comparison(
        is_equal=bool(is_same),
        read=notation,
        reason=f"{_show(notation)} {words} {_show(reference)}",
    )


_NUCLEOTIDES = re.compile(r"[ACGTU]{6,}", re.IGNORECASE)
_SEQUENCE_DRESS = re.compile(r"\b[53]['′’]|[\s\-–'′’]")


def _compare_sequence(pieces: Sequence[str], reference: str) -> Comparison | None:
    """Nucleotide sequences letter by letter; a reversed one may be another way of writing."""
    if not _NUCLEOTIDES.fullmatch(reference):
        return None
    found = {_SEQUENCE_DRESS.sub("", bare(p)).upper() for p in pieces if len(p) <= 10_000}
    found = {one for one in found if _NUCLEOTIDES.fullmatch(one)}
    wanted = reference.upper()
    if len(found) != 1 or wanted[::-1] in found - {wanted}:
        return None
    one = found.pop()
    words = "is" if one == wanted else "is not"
    return Comparison(
        is_equal=one == wanted, read=one, reason=f"{_show(one)} {words} the reference sequence"
    )


# ── Several values ───────────────────────────────────────────────────────────────────

_COMMA = re.compile(r"\s*[,;，；、]\s*(?:and\s+)?|\s+and\s+")


def _compare_parts(answer: str, pieces: Sequence[str], reference: str) -> Comparison | None:
    """A reference such as `Arden, Calder, Brook`: equal when all parts are, in this order."""
    wanted = _COMMA.split(reference)
    if len(wanted) < 2:
        return None
    for piece in (*pieces, answer):
        if _same_parts(_parts(piece), wanted):
            return _equal_parts(piece)
    return None


def _compare_list(answer: str, reference: Sequence[object], hints: Hints) -> Comparison | None:
    """A list of values: equal in order or, where all are names, in any order; else open."""
    if len(reference) == 1:
        return compare(answer, reference[0], hints)
    wanted = list(_leaves(list(reference)))
    if not wanted:
        return None
    is_named = all(read_measure(part) is None for part in wanted)
    for piece in (*_pieces(answer), answer):
        found = _parts(piece)
        if _same_parts(found, wanted) or (is_named and _same_parts(sorted(found), sorted(wanted))):
            return _equal_parts(piece)
    return None


def _equal_parts(piece: str) -> Comparison:
    return Comparison(
        is_equal=True, read=bare(piece)[:SHORT], reason="all parts are the reference's"
    )


def _parts(piece: str) -> list[str]:
    leaves = list(_leaves(_parsed(bare(piece))))
    if leaves:
        return leaves
    if len(piece) > 2 * SHORT or "\n" in bare(piece):
        return []
    return _COMMA.split(bare(piece))


def _same_parts(found: Sequence[str], wanted: Sequence[str]) -> bool:
    return len(found) == len(wanted) and all(
        _is_same_name(bare(one), bare(other)) or _same_number(one, other)
        for one, other in zip(found, wanted, strict=True)
    )


def _same_number(one: str, other: str) -> bool:
    first, second = read_measure(one), read_measure(other)
    if first is None or second is None:
        return False
    return same_measure(first, second, Asked(), Tolerance()) is True


def _compare_fields(
    answer: str, reference: Mapping[object, object], hints: Hints
) -> Comparison | None:
    """Field by field: wrong as soon as one surely is, right only when all surely are.

    A list of relations or an object within a field is left to a reader.
    """
    results: list[Comparison | None] = []
    for key, value in reference.items():
        places = values_of(answer, (str(key),))
        contents = {comparable(place.content(answer)) for place in places}
        if len(contents) != 1 or isinstance(value, Mapping | list):
            results.append(None)
            continue
        field_hints = Hints(question=hints.question, tolerance=hints.tolerance)
        results.append(compare(places[0].content(answer), value, field_hints))
    wrong = next((one for one in results if one is not None and not one.is_equal), None)
    if wrong is not None:
        return wrong
    if not results or None in results:
        return None
    read = ", ".join(one.read for one in results if one is not None)
    return Comparison(
        is_equal=True, read=fold(read)[:SHORT], reason="every field is the reference's"
    )
