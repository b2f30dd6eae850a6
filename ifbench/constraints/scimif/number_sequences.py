"""The *number* group, biology: how long a sequence is (SciMIF, Table 8)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, Self

from pydantic import Field, model_validator

from ifbench.constraints.constraint import Check, Example, Params, failed, passed, quote, scripted
from ifbench.parsing.answers import final_answer, sentence_around, values_of
from ifbench.parsing.numbers import Number, quantities_in
from ifbench.parsing.sequences import Alphabet, find_sequence
from ifbench.parsing.units import leading_unit


class SequenceLength(Params):
    """How long a sequence has to be, and whether the answer writes it or states its length.

    Table 8 says "output the required length of a specified biological sequence", which can be
    read either way; many questions of the source (LAB-Bench) ask for the number.
    """

    quantity: Literal["sequence", "stated"] = "sequence"
    """`sequence`: the letters of the sequence in the answer are counted, whatever length the
    text claims. `stated`: the answer gives one integer, its length."""
    length: int | None = Field(default=None, ge=1)
    min_length: int | None = Field(default=None, ge=1)
    max_length: int | None = Field(default=None, ge=1)
    """Bounds are inclusive. A stated length may have none: then one integer is asked for."""
    alphabet: Alphabet = "protein"
    strict: bool = False
    """True: only the 20 amino acids or the four bases; else IUPAC's further letters too."""
    key: str = ""
    """Name of the JSON field or label that holds the sequence or the length."""

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        bounds = (self.min_length, self.max_length)
        if self.quantity == "sequence" and (self.length, *bounds) == (None, None, None):
            raise ValueError("a sequence needs `length`, `min_length` or `max_length`")
        if self.length is not None and bounds != (None, None):
            raise ValueError("`length` is exact: leave `min_length` and `max_length` out")
        if self.min_length and self.max_length and self.min_length > self.max_length:
            raise ValueError("min_length is above max_length: no answer could pass")
        return self


@scripted(
    "biology:protein_length",
    group="number",
    params=SequenceLength,
    version=3,
    example=Example(
        params={"length": 12},
        instruction="Design a peptide of exactly 12 amino acids.",
        passing="The peptide is `MKTAYIAKQRQI`.",
        failing="The peptide of 12 residues is `MKTAYIAKQR`.",
    ),
)
def protein_length(text: str, params: SequenceLength) -> Check:
    """The sequence in the answer has the required length, or its length is stated as a number."""
    if params.quantity == "stated":
        return _check_stated(text, params)
    sequence = find_sequence(text, params.alphabet, strict=params.strict, key=params.key)
    if sequence is None:
        return failed(f"the answer gives no {_KINDS[params.alphabet]} sequence")
    details = {
        "evidence": (quote(text, sequence.start, sequence.end),),
        "extracted": sequence.letters[:200],
        "found": {"length": len(sequence)},
    }
    if sequence.foreign:
        marks = ", ".join(f"{mark!a}" for mark in sequence.foreign[:5])
        return failed(f"no {_UNITS[params.alphabet][0]} has the letter {marks}", **details)
    return _compared(len(sequence), params, f"the sequence has {len(sequence)} letters", details)


_KINDS: Mapping[Alphabet, str] = {"protein": "protein", "dna": "DNA", "rna": "RNA"}
_UNITS: Mapping[Alphabet, tuple[str, str]] = {
    "protein": ("amino acid", r"aa|AA|amino[\s-]acids?|(?:amino[\s-]acid[\s-])?residues?"),
    "dna": ("base", r"bp|nt|nts|base[\s-]pairs?|bases?|nucleotides?"),
    "rna": ("base", r"nt|nts|bases?|nucleotides?"),
}


def _compared(
    length: int, params: SequenceLength, words: str, details: Mapping[str, object]
) -> Check:
    low = params.length or params.min_length or 0
    high = params.length or params.max_length
    if length >= low and (high is None or length <= high):
        return passed(words, **details)
    return failed(f"{words}, asked for {_asked(params)}", **details)


def _asked(params: SequenceLength) -> str:
    if params.length is not None:
        return f"exactly {params.length}"
    if params.max_length is None:
        return f"at least {params.min_length}"
    if params.min_length is None:
        return f"at most {params.max_length}"
    return f"{params.min_length} to {params.max_length}"


# ── A stated length ──────────────────────────────────────────────────────────────────


def _check_stated(text: str, params: SequenceLength) -> Check:
    """Exactly one integer in the answer span, numbers of another kind aside.

    "39 codons, so 38 amino acids": where some integers have the sequence's unit, only they count.
    """
    numbers = _in_span(text, params)
    counted = _with_unit(text, numbers, params.alphabet) or [
        number for number in numbers if leading_unit(number.unit_text(text)) is None
    ]
    lengths = list(dict.fromkeys(_integer(one) for one in counted))
    evidence = tuple(quote(text, one.start, one.end) for one in counted[:10])
    if not lengths:
        return failed("the answer states no length")
    if len(lengths) > 1 or lengths[0] is None:
        written = ", ".join(text[one.start : one.end][:20] for one in counted[:5])
        return failed(f"one integer is asked for, found {written}", evidence=evidence)
    length = lengths[0]
    details = {"evidence": evidence, "extracted": str(length), "found": {"length": length}}
    return _compared(length, params, f"the stated length is {length}", details)


def _in_span(text: str, params: SequenceLength) -> Sequence[Number]:
    """The quantities under the key, in the stated answer, or in the last sentence that has some."""
    if params.key:
        regions = values_of(text, (params.key,))
        spans = [(region.start, region.end) for region in regions[-1:]]
    else:
        region = final_answer(text)
        if region is None or region.found_by == "line":
            return ()
        inner = (region.start, region.end)
        spans = [inner if region.is_stated else sentence_around(text, *inner)]
    return [number for span in spans for number in quantities_in(text, *span)]


_ALTERNATIVE = re.compile(r"\s{0,3}(?:or|to|and|[-–—/~])\s{0,3}")


def _with_unit(text: str, numbers: Sequence[Number], alphabet: Alphabet) -> list[Number]:
    """The numbers before a unit; in "38 or 39 residues" both of them."""
    found: list[Number] = []
    for number in reversed(numbers):
        if _unit_pattern(alphabet).match(text, number.end) or (
            found and _ALTERNATIVE.fullmatch(text, number.end, found[-1].start)
        ):
            found.append(number)
    return found[::-1]


def _unit_pattern(alphabet: Alphabet) -> re.Pattern[str]:
    return re.compile(rf"[\s*_-]{{0,3}}(?:{_UNITS[alphabet][1]})(?![^\W_])")  # `re` caches it.


def _integer(number: Number) -> int | None:
    if number.form != "plain" or number.fraction or number.sign == "-" or len(number.integer) > 9:
        return None
    return int(number.integer)
