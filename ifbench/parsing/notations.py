r"""Where an answer writes its molecule: in JSON, a tag, a box, code, behind a label, or in prose.

The notation is taken as it stands, valid or not: whether it is valid is the question that the
answer is asked, and a place that only valid notations can take would answer it beforehand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from ifbench.parsing.fences import fences_in
from ifbench.parsing.molecules import (
    MAX_CHARACTERS,
    NOTATION_NAMES,
    Molecule,
    NoMolecule,
    Readable,
    System,
    parse_molecule,
)

MAX_TRIES = 100
"""Words of one answer that are tried as a molecule before the search is given up."""

_KEYS: Mapping[System, tuple[str, ...]] = {
    "smiles": ("molecule", "smiles", "SMILES"),
    "inchi": ("molecule", "inchi", "InChI"),
    "selfies": ("molecule", "selfies", "SELFIES"),
    "iupac": ("molecule", "iupac", "iupac_name", "IUPAC", "name"),
}
_CHARACTERS: Mapping[Readable, re.Pattern[str]] = {
    "smiles": re.compile(r"[A-Za-z0-9@+\-\[\]()=#$:/\\.%*~>]+"),
    "inchi": re.compile(r"InChI=[\x21-\x7e]+"),
    "selfies": re.compile(r"(?:\[[^\[\]\s]+\]|\.)+"),
}
# The words that SMILES are made of: H2O and x=1 have its characters, but not its words.
_SMILES_WORDS = re.compile(r"(?:\[[^\[\]\s]+\]|Cl|Br|[BCNOPSFIbcnops]|[-0-9%()=#:/\\.+*~$>])+")
_UNLIKE_ENGLISH = re.compile(r"[0-9\[\]=#()@]")
_CAPITALS = re.compile(r"(?:[A-Z]|Cl|Br){2,}")
_HAN = "\u3000-\u303f\u3040-\u30ff\u3400-\u9fff\uff00-\uffef"
_UNSPACED = re.compile(rf"[{_HAN}]")  # A sentence of this script has no blanks around a notation.
_WORD = re.compile(rf"[^\s<{_HAN}]+")
_FENCES = frozenset({"", "smiles", "inchi", "selfies", "text", "txt", "plaintext"})


@lru_cache(maxsize=32)
def find_molecule(text: str, system: System = "smiles", key: str = "") -> str | None:
    r"""The notation that an answer gives as its molecule, whether it is valid or not.

    Looked for in turn: a JSON key (`key` first), a tag, `\boxed{…}`, a fence of one line, a code
    span, a label such as `SMILES:`, the whole text where it has no blank, and, for what a script
    can read, the longest word that reads as a molecule and like no English word. Of several in
    one place the last counts. `None` where none is found, or where code spans name several and
    no label picks one: that needs a reader.
    """
    explicit = _in_json(text, key, system) or _in_markup(text, system) or _in_fence(text)
    if explicit:
        return _trimmed(explicit[-1])
    spans = _in_code_spans(text, system)
    if len(set(spans)) == 1:
        return spans[0]
    labelled = _after_label(text, system)
    if labelled or spans:
        return labelled
    whole = _trimmed(_unlisted(text.strip()))
    if whole and not re.search(r"\s", whole) and not _UNSPACED.search(whole):
        return whole
    return None if system == "iupac" else _in_words(text, system)


def _in_json(text: str, key: str, system: System) -> Sequence[str]:
    """A key's strings, even where a bare backslash of a SMILES breaks the JSON around them."""
    for keys in ((key,) if key else (), _KEYS[system]):
        names = "|".join(re.escape(name) for name in keys)
        value = r"""(?:"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)')"""
        found = re.findall(rf"""["'](?:{names})["']\s*:\s*{value}""", text) if names else []
        if found:
            return [_unescaped(double) or single for double, single in found]
    return ()


def _unescaped(raw: str) -> str:
    r"""A JSON string's text. `\n` stays: in a SMILES it is a bond and an aromatic nitrogen."""
    raw = re.sub(r"\\u00([0-7][0-9a-fA-F])", lambda m: chr(int(m[1], 16)), raw)
    return re.sub(r'\\([\\/"])', r"\1", raw)


def _in_markup(text: str, system: System) -> Sequence[str]:
    names = "|".join(_KEYS[system])
    tagged = re.findall(rf"<(?:{names})>([^<]*)</(?:{names})>", text, re.IGNORECASE)
    # An answer in a tag may be a sentence; then the molecule is looked for inside it.
    tagged = tagged or re.findall(r"<((?:final_)?answer)>\s*([^<\s]+)\s*</\1>", text, re.IGNORECASE)
    tagged = [word if isinstance(word, str) else word[1] for word in tagged]
    return tagged or re.findall(r"\\boxed\{\s*(?:\\(?:text|mathrm|texttt)\{)?([^{}]*)\}", text)


def _in_fence(text: str) -> Sequence[str]:
    fences = [fence for fence in fences_in(text) if fence.language in _FENCES]
    bodies = [text[fence.body_start : fence.body_end].strip() for fence in fences]
    return [body for body in bodies if body and "\n" not in body]


def _in_code_spans(text: str, system: System) -> Sequence[str]:
    """The molecules in `code`; a single atom is a mention where there is more."""
    spans = [
        _with_reaction(text, match.start(), match.end(), match[1].strip(), system)
        for match in re.finditer(r"(?<!`)`([^`\n]+)`(?!`)", text)
        if _is_written(match[1].strip(), system)
    ]
    return [span for span in spans if len(span) > 2 or "[" in span] or spans


def _after_label(text: str, system: System) -> str | None:
    """What follows the last `SMILES:`; a name runs to the end of its line."""
    label = NOTATION_NAMES[system].replace(" ", r"\s+")
    kind = r"(?:\s*(?:string|notation|code|representation|format|字符串|表示|式))?"
    of = r"(?:\s+(?:of|for)\s[^\n:=]{1,60}?)?"
    value = r"(?:[*_]{1,3}(?=\s))?\s*" + (r"(\S.*)" if system == "iupac" else r"(\S+)")
    verb = r"(?:[\s*_`]*[:=：]|\s+is\b|\s*[为是為](?:[:：])?)"
    pattern = rf"(?<![A-Za-z0-9_]){label}{kind}{of}\)?{verb}{value}"
    for match in reversed(list(re.finditer(pattern, text, re.IGNORECASE))):
        word = _trimmed(match[1])
        if word and _is_written(word, system, labelled=True):
            return _with_reaction(text, match.start(1), match.end(1), word, system)
    return None


def _in_words(text: str, system: Readable) -> str | None:
    """The longest word that reads as a molecule; of equally long ones the last."""
    words = [
        (len(word), match.start(), match.end(), word)
        for match in _WORD.finditer(text)
        if _is_unlike_english(match.group()) and (word := _balanced(_trimmed(match.group())))
        if _CHARACTERS[system].fullmatch(word)
        if system != "smiles" or _is_unlike_english(word)
    ]
    for _, start, end, word in sorted(words, reverse=True)[:MAX_TRIES]:
        molecule = parse_molecule(word, system)
        if isinstance(molecule, NoMolecule):
            continue
        if system == "selfies" and (row := _row_of_symbols(text, start, end)) != word:
            return row
        if system != "smiles" or molecule.heavy_atoms > 1 or "[" in word:
            return _with_reaction(text, start, end, word, system)
    return None


_ONE_BEFORE = re.compile(r"\[[^\[\]\s]{1,40}\][ \t]{0,4}\Z")
_SYMBOLS_AFTER = re.compile(r"(?:[ \t]{1,4}(?:\[[^\[\]\s]{1,40}\])++)*+")
_ROW = 2000  # Characters on either side of a symbol in which its row is looked for.


def _row_of_symbols(text: str, start: int, end: int) -> str:
    """SELFIES written with blanks (`[C] [C] [O]`): all of it, whose blanks make it invalid.

    One of its symbols would be a valid molecule, and none that the answer gives.
    """
    first = start
    for _ in range(_ROW):
        opening = _ONE_BEFORE.search(text, max(first - 80, 0), first)
        if opening is None:
            break
        first = opening.start()
    after = _SYMBOLS_AFTER.match(text, end, end + _ROW)
    return text[first : after.end() if after else end].strip()


def _is_unlike_english(word: str) -> bool:
    return bool(_UNLIKE_ENGLISH.search(word) and re.search(r"[A-Za-z]", word))


@lru_cache(maxsize=4096)
def _is_written(word: str, system: System, *, labelled: bool = False) -> bool:
    """True for a word in the notation's characters that can hardly be anything else.

    Behind a label, characters that English has not, or capitals alone, are enough.
    """
    if system != "smiles":
        return system == "iupac" or bool(_CHARACTERS[system].fullmatch(word))
    if not _CHARACTERS["smiles"].fullmatch(word):
        return False
    if labelled and (_UNLIKE_ENGLISH.search(word) or _CAPITALS.fullmatch(word)):
        return True
    is_smiles = bool(_SMILES_WORDS.fullmatch(word) and _UNLIKE_ENGLISH.search(word))
    return (is_smiles and bool(re.search(r"[A-Za-z]", word))) or _reads(word, system)


def _reads(word: str, system: Readable) -> bool:
    return isinstance(parse_molecule(word, system), Molecule)


_ARROW_SIGN = r"(?:>>|=>|->|[→⟶⇒⇌⟹]|>)"
_ARROW_AFTER = re.compile(rf"[ \t`*]*{_ARROW_SIGN}[ \t`*]*(\S+)")
_ARROW_BEFORE = re.compile(rf"(?<!\S)(\S+)[ \t]*{_ARROW_SIGN}[ \t`*]*$")


def _with_reaction(text: str, start: int, end: int, word: str, system: System) -> str:
    """The word alone, or the whole step where a molecule stands across an arrow from it."""
    if system == "iupac":
        return word
    after = _ARROW_AFTER.match(text, end)
    if after and _reads(_trimmed(after[1].strip("`*")), system):
        return text[start : after.end()].strip("`*")
    line = text[max(text.rfind("\n", 0, start) + 1, start - 200) : start]
    before = _ARROW_BEFORE.search(line)
    if before and _reads(_trimmed(before[1].strip("`*")), system):
        return (line[before.start() :] + text[start:end]).strip("`*")
    return word


_WRAPPERS = (
    ("__", "__"),
    ("`", "`"),
    ('"', '"'),
    ("'", "'"),
    ("“", "”"),
    ("$", "$"),
    (r"\(", r"\)"),
    (r"\text{", "}"),
    (r"\mathrm{", "}"),
    (r"\texttt{", "}"),
    ("(", ")"),  # No notation begins with a round bracket: the pair is the sentence's.
)


def _trimmed(word: str) -> str:
    """Without what is wrapped around a notation, and without the sentence's last stop."""
    if len(word) > 2 * MAX_CHARACTERS:
        return word
    bare = ""
    while bare != word:
        bare, word = word, word.strip().rstrip(".,;:!?。，；：！？")
        # One star is SMILES for any atom; two are emphasis, though the other pair be cut off.
        word = word.removeprefix("**").removesuffix("**")
        for first, last in _WRAPPERS:
            if len(word) > len(first + last) and word.startswith(first) and word.endswith(last):
                word = word.removeprefix(first).removesuffix(last)
    return word


def _balanced(word: str) -> str:
    """Without the bracket that a sentence opened before the word, or closes behind it."""
    surplus = word.count("(") - word.count(")")
    if surplus == 1:
        return word.removeprefix("(")
    return word.removesuffix(")") if surplus == -1 else word


def _unlisted(text: str) -> str:
    """The only string of a Python or JSON list, tuple or call, without its brackets."""
    found = re.fullmatch(r"""[\[(]\s*(["'])([^"'\s]+)\1\s*,?\s*[\])]""", text)
    return found[2] if found else text
