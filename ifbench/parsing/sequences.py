"""Where an answer writes a sequence of residues or bases, and the letters of it.

The sequence is taken as it stands: letters that its alphabet lacks are reported, not left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ifbench.parsing.answers import final_answer, values_of
from ifbench.parsing.fences import fences_in
from ifbench.parsing.text_forms import bare_span

Alphabet: TypeAlias = Literal["protein", "dna", "rna"]

STANDARD: Mapping[Alphabet, str] = {
    "protein": "ACDEFGHIKLMNPQRSTVWY",
    "dna": "ACGT",
    "rna": "ACGU",
}
"""The 20 amino acids, and the four bases."""

EXTENDED: Mapping[Alphabet, str] = {
    "protein": STANDARD["protein"] + "BJOUXZ",
    "dna": STANDARD["dna"] + "RYSWKMBDHVN",
    "rna": STANDARD["rna"] + "RYSWKMBDHVN",
}
"""With pyrrolysine, selenocysteine and the letters for what is not known (IUPAC)."""

SHORTEST_RUN = 5
"""Letters of a sequence in running text; a shorter one cannot be told from a word, unless the
sentence says what it is ("The peptide is RGD.") or it is spelled out in three-letter code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sequence:
    """A sequence in a text: `text[start:end]`, its letters in upper case without blanks."""

    letters: str
    start: int
    end: int
    foreign: str = ""
    """The characters that are no letters of the alphabet, each once, in order."""

    def __len__(self) -> int:
        return len(self.letters)


def find_sequence(
    text: str, alphabet: Alphabet = "protein", *, strict: bool = False, key: str = ""
) -> Sequence | None:
    r"""The sequence that an answer gives, or `None` where there is none.

    Looked for in turn: the value of `key`; FASTA records (their header dropped); GenBank's
    numbered lines; fences; the stated answer (`\boxed{…}`, "answer: …"); the value of a key or
    label such as `sequence:`; the whole text; code spans; "the peptide is …"; and the longest
    run of letters in prose, acronyms (`ELISA`) aside. Of several in one place the last counts. A
    `*` at the end is a stop and no residue. Proteins may be in three-letter code: `Arg-Gly-Asp`,
    `H-Arg-Gly-Asp-OH`.
    """
    letters = (STANDARD if strict else EXTENDED)[alphabet]
    span = _explicit_span(text, key, alphabet) or _longest_run(text, alphabet, letters)
    return _sequence(text, *span, letters) if span else None


def _sequence(text: str, start: int, end: int, letters: str) -> Sequence:
    words = text[start:end]
    if residues := _RESIDUES.fullmatch(words):
        one_letter = (THREE_LETTERS[code.title()] for code in _CODE.findall(residues["chain"]))
        words = "".join(one_letter)
    elif _DASHED.fullmatch(words):
        words = re.sub(r"[-‐‑–]", "", words)
    if _NUMBERED_LINES.fullmatch(words):
        words = re.sub(r"\d", "", words)
    word = re.sub(r"\s", "", words).removesuffix("*").upper()
    foreign = "".join(dict.fromkeys(c for c in word if c not in letters))
    return Sequence(letters=word, start=start, end=end, foreign=foreign)


# ── Three-letter code ────────────────────────────────────────────────────────────────

THREE_LETTERS: Mapping[str, str] = {
    "Ala": "A", "Arg": "R", "Asn": "N", "Asp": "D", "Cys": "C", "Gln": "Q", "Glu": "E",
    "Gly": "G", "His": "H", "Ile": "I", "Leu": "L", "Lys": "K", "Met": "M", "Phe": "F",
    "Pro": "P", "Ser": "S", "Thr": "T", "Trp": "W", "Tyr": "Y", "Val": "V",
    "Sec": "U", "Pyl": "O", "Asx": "B", "Glx": "Z", "Xle": "J", "Xaa": "X",
}  # fmt: skip
"""IUPAC's codes of residues to their letters."""

_CODE = re.compile("|".join((*THREE_LETTERS, *(code.upper() for code in THREE_LETTERS))))
_RESIDUES = re.compile(
    r"(?<![^\W_])(?<![-‐‑–])(?:(?:H2N|NH2|H₂N|NH₂|H|Ac|Boc|Fmoc)[-‐‑–])?+"
    rf"(?P<chain>(?:{_CODE.pattern})(?:[-‐‑–]\s{{0,2}}(?:{_CODE.pattern})(?![^\W_]))++)"
    r"(?:[-‐‑–](?:COOH|CO2H|CO₂H|OH|NH2|NH₂|OMe)(?![^\W_]))?+(?![-‐‑–]?[^\W_])"
)
"""Two residues at least, joined by dashes, and the marks of the ends, which are no residues."""

# ── Places that are made for a sequence ──────────────────────────────────────────────

# Nothing here is read twice: quantifiers are possessive, and each line belongs to one record.
_FASTA = re.compile(r"^>[^\n]*+\n((?:[A-Za-z][^\s`>]*+[^\S\n]*+(?:\n|\Z))++)", re.MULTILINE)
_NUMBERED_LINES = re.compile(
    r"(?:^[ \t]*+\d{1,9}(?:[ \t]++[A-Za-z]{10}(?![A-Za-z])){2,9}+(?:[ \t]++[A-Za-z*]{1,10})?+[ \t]*+(?:\n|\Z))++"
    r"(?:^[ \t]*+\d{1,9}(?:[ \t]++[A-Za-z*]{1,10}(?![A-Za-z*])){1,9}+[ \t]*+(?:\n|\Z))?+",
    re.MULTILINE,
)
_CODE_SPAN = re.compile(r"(?<!`)`([^`\n]++)`(?!`)")
_FENCES = frozenset({"", "fasta", "text", "txt", "plaintext", "protein", "dna", "rna", "seq"})
_KEYS = tuple(
    f"{kind}{gap}{word}".strip(" _")
    for word in ("sequence", "seq")
    for kind in ("", "protein", "peptide", "amino acid", "amino_acid", "dna", "rna", "nucleotide")
    for gap in (" ", "_")
)
_NAMES = (*dict.fromkeys(_KEYS), "protein", "peptide", "fasta", "dna", "rna")


def _explicit_span(text: str, key: str, alphabet: Alphabet) -> tuple[int, int] | None:
    finds: tuple[Callable[[], Iterable[tuple[int, int]]], ...] = (
        lambda: _values(text, (key,)) if key else (),
        lambda: (match.span(1) for match in _FASTA.finditer(text)),
        lambda: (match.span() for match in _NUMBERED_LINES.finditer(text)),
        lambda: _fenced(text),
        lambda: _stated(text),
        lambda: _values(text, _NAMES),
        lambda: _written(text, [(0, len(text))]),
        lambda: _no_acronyms(text, _written(text, (m.span(1) for m in _CODE_SPAN.finditer(text)))),
        lambda: _no_acronyms(text, _said(text, alphabet)),
    )
    for find in finds:
        spans = list(find())
        if spans:
            return spans[-1]
    return None


def _values(text: str, keys: tuple[str, ...]) -> list[tuple[int, int]]:
    return _written(text, [(region.start, region.end) for region in values_of(text, keys)])


_SAID = re.compile(
    r"\b(?:(?:di|tri|tetra|penta|hexa|hepta|octa|nona|deca|oligo)?peptide|sequence|primer|strand"
    r"|oligo(?:nucleotide)?|motif)(?: sequence)?(?: (?:is|reads|would be|will be)(?: as follows)?:?|:) "
    r"[*_`\"'“‘]{0,3}([A-Z][A-Za-z₂‐‑–-]{1,400}+)(?=[*_`\"'”’]{0,3}(?:[.,;:)]|\s*\n|\s*\Z| \())",
    re.IGNORECASE,
)
_CAPITALS = re.compile(r"[A-Z]{2,}")


def _said(text: str, alphabet: Alphabet) -> list[tuple[int, int]]:
    """What a sentence says the peptide or the sequence is, however short."""
    spans = [bare_span(text, *match.span(1)) for match in _SAID.finditer(text)]
    kinds = (_CAPITALS, _RESIDUES) if alphabet == "protein" else (_CAPITALS,)
    return [span for span in spans if any(kind.fullmatch(text, *span) for kind in kinds)]


_ACRONYMS = frozenset(
    {
        "ADP", "AMP", "ATP", "CAMP", "CDNA", "CGMP", "CTP", "DNA", "DSDNA", "DSRNA", "EGFP", "ELISA",
        "FASTA", "GDP", "GFP", "GMP", "GTP", "HPLC", "LNCRNA", "MIRNA", "MRNA", "NAD", "NADH", "NADP",
        "NADPH", "NMR", "NTP", "PAGE", "PCR", "PDB", "QPCR", "RNA", "RRNA", "SDS", "SIRNA", "SNRNA",
        "SSDNA", "SSRNA", "TRNA", "UTP", "UDP", "NA", "YES", "NONE", "UNKNOWN", "ANSWER", "FINAL",
    }
)  # fmt: skip
"""Words in capitals that biologists write and that letters of residues spell too."""


def _no_acronyms(text: str, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    return [span for span in spans if text[slice(*span)] not in _ACRONYMS]


def _fenced(text: str) -> list[tuple[int, int]]:
    fences = [fence for fence in fences_in(text) if fence.language in _FENCES]
    return _written(text, [(fence.body_start, fence.body_end) for fence in fences])


def _stated(text: str) -> list[tuple[int, int]]:
    region = final_answer(text)
    if region is None or not region.is_stated:
        return []
    return _written(text, [(region.start, region.end)])


def _written(text: str, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans, without their dress, that hold one sequence and nothing else."""
    bare = (_within_termini(text, *bare_span(text, start, end)) for start, end in spans)
    return [span for span in bare if _is_sequence(text[slice(*span)])]


_TERMINI = (
    (re.compile(r"5\s?['′’]\s{0,2}-?\s{0,2}"), re.compile(r"\s{0,2}-?\s{0,2}3\s?['′’]")),
    (re.compile(r"3\s?['′’]\s{0,2}-?\s{0,2}"), re.compile(r"\s{0,2}-?\s{0,2}5\s?['′’]")),
    (re.compile(r"(?:H2N|NH2|H₂N|NH₂|H)-"), re.compile(r"-(?:COOH|CO2H|CO₂H|OH)")),
)


def _within_termini(text: str, start: int, end: int) -> tuple[int, int]:
    """Without the marks of both ends: 5'-…-3', H2N-…-COOH. They are no residues."""
    for first, last in _TERMINI:
        opening = first.match(text, start, end)
        tail = max(start, end - 12)
        closing = next((m for m in last.finditer(text, tail, end) if m.end() == end), None)
        if opening and closing and opening.end() < closing.start():
            return opening.end(), closing.start()
    return start, end


def _is_sequence(words: str) -> bool:
    """Three-letter code, or one case, and blanks only between blocks or lines of one length, the last one aside.

    Words of a language are no blocks: a single one may be a sequence, a phrase may not. Blocks of
    nothing but bases may be short: `ATG CAT GCA` is written by codons.
    """
    if _RESIDUES.fullmatch(words) or _DASHED.fullmatch(words):
        return True
    if not re.search("[A-Za-z]", words) or words not in {words.upper(), words.lower()}:
        return False
    blocks = [len(block) for block in words.split()]
    # Two words of five capitals may be a phrase; three blocks of one length hardly are.
    least = _SMALL_BLOCK if words == words.upper() and len(blocks) > 2 else _BLOCK
    shortest = _CODON if _BASES.fullmatch(words) else least
    return len(blocks) == 1 or (
        blocks[0] >= shortest and set(blocks[:-1]) == {blocks[0]} and blocks[-1] <= blocks[0]
    )


_CODON = 3
_BASES = re.compile(r"[ACGTUNacgtun\s]++\*?")
_BLOCK = 10
"""Letters of a block, and the fewest of a line, when a sequence is written in several."""


_SMALL_BLOCK = 5
_DASHED = re.compile(r"[A-Z](?:[-‐‑–][A-Z]){2,}+")
"""One-letter code with a dash between all residues."""


# ── Running text ─────────────────────────────────────────────────────────────────────


def _longest_run(text: str, alphabet: Alphabet, letters: str) -> tuple[int, int] | None:
    """The last of the longest runs. Small letters are words of English, unless all are bases."""
    small = "" if alphabet == "protein" else f"|[{STANDARD[alphabet].lower()}]{{{SHORTEST_RUN},}}+"
    pattern = rf"(?<![^\W_])(?:[{letters}]{{1,}}+{small})(?![^\W_])"
    runs = (run for run in re.finditer(pattern, text) if run[0] not in _ACRONYMS)
    best, length = None, SHORTEST_RUN
    for start, end, count in _joined(text, runs):
        if count >= length:
            best, length = (start, end), count
    spelled = _longest_chain(text) if alphabet == "protein" else None
    if spelled is not None and (best is None or spelled[1] >= length):
        return spelled[0]
    return best


def _longest_chain(text: str) -> tuple[tuple[int, int], int] | None:
    """The last of the longest chains in three-letter code, and its number of residues."""
    chains = (
        (match.span(), len(_CODE.findall(match["chain"]))) for match in _RESIDUES.finditer(text)
    )
    long = [chain for chain in chains if chain[1] >= _SHORTEST_CHAIN]
    return max(reversed(long), key=lambda chain: chain[1]) if long else None


_SHORTEST_CHAIN = 3
"""Residues; two with a dash between are a bond or a site of cleavage as often."""


def _joined(text: str, runs: Iterable[re.Match[str]]) -> Iterator[tuple[int, int, int]]:
    """Start, end and number of letters of each run, blocks of ten and equal lines as one."""
    start = end = count = block = 0
    for run in runs:
        size = run.end() - run.start()
        gap = text[end : run.start()] if 0 < run.start() - end <= _WIDEST_GAP else "."
        if gap.isspace() and size <= block and (block == _BLOCK or "\n" in gap):
            end, count = run.end(), count + size
            block = size if size == block else 0  # A shorter block is the last one.
            continue
        if count:
            yield start, end, count
        (start, end), count = run.span(), size
        block = size if size >= _BLOCK else 0
    if count:
        yield start, end, count


_WIDEST_GAP = 8
