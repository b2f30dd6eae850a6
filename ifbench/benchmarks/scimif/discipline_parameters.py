"""The release's parameter texts of geography, biology and materials, to plain JSON.

The general and chemical ones, and what is common to all, stand in `parameters.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ifbench.benchmarks.scimif.option_lists import listed_options
from ifbench.parsing.addresses import LEVEL_SIZES
from ifbench.parsing.techniques import techniques_in

if TYPE_CHECKING:  # `parameters.py` brings the parsers together, this one among them.
    from ifbench.benchmarks.scimif.parameters import Parsed, Parser

# ── Geography ────────────────────────────────────────────────────────────────────────

_COUNTED_LEVELS = re.compile(r"\b(\d{1,2})[\s-]+levels?\b", re.IGNORECASE)


def _address_hierarchy(raw: str, question: str) -> Parsed:
    for text in (raw, question):
        keys = _level_keys(text)
        names = keys or _level_names(text)
        sizes = [LEVEL_SIZES[name.replace("_", " ")] for name in names]
        if keys and len(sizes) == len(set(sizes)):  # An object has no order.
            return {"level_names": [key for _, key in sorted(zip(sizes, keys, strict=True))]}
        if len(names) > 1 and sizes == sorted(set(sizes)):
            return {"level_names": names, "order": "large_to_small"}
        if len(names) > 1 and sizes == sorted(set(sizes), reverse=True):
            return {"level_names": names[::-1], "order": "small_to_large"}
    counts = {int(count) for count in _COUNTED_LEVELS.findall(raw)}
    return {"levels": counts.pop()} if len(counts) == 1 else "no hierarchy of levels is stated"


_ROW_FORMS = tuple(
    (re.compile(rf"{name}(?:\s{{0,3}}(?:{separator})\s{{0,3}}{name})+"), separator)
    for name, separator in ((r"[a-z_/ ]{3,40}", ",|->|→|>"), (r"[a-z_]{3,20}", "/"))
)


def _level_keys(text: str) -> list[str]:
    """Level names that are an object's keys."""
    keys = re.findall(r"['\"“”]([a-z_ /]{3,30})['\"“”]\s*:", text.lower())
    named = [key.strip() for key in keys if key.strip().replace("_", " ") in LEVEL_SIZES]
    return list(dict.fromkeys(named)) if len(named) > 1 else []


def _level_names(text: str) -> list[str]:
    """Level names that stand in a row."""
    for form, separator in _ROW_FORMS:
        for row in form.findall(text.lower()):
            parts = [
                re.sub(r"^(?:and|then|the)\s+", "", p.strip()) for p in re.split(separator, row)
            ]
            if parts[0] not in LEVEL_SIZES:  # "in the order continent, country"
                parts[0] = parts[0].rpartition(" ")[2]
            if all(part.replace("_", " ") in LEVEL_SIZES for part in parts):
                return parts
    return []


_NAMED_LIST = re.compile(
    r"[\"'*_`]{0,3}\b([A-Za-z][A-Za-z _-]{1,30}?)[\"'*_`]{0,3}\s*[:=]?\s*[\[{(]([^\[\]{}()]{3,300})[\]})]"
)
_NAMED_ALTERNATIVES = re.compile(
    r"[\"'*_`]{0,3}\b([A-Za-z][A-Za-z _-]{1,30}?)[\"'*_`]{0,3}\s*[:=]\s*"
    r"([^\n|;:]{1,40}(?:\s\|\s[^\n|;:]{1,40}){1,12})"
)


def _scene_options(raw: str, question: str) -> Parsed:
    for text in (raw, question):
        for pattern in (_NAMED_ALTERNATIVES, _NAMED_LIST):
            fields = _named_options(pattern.findall(text))
            if fields:
                return {"fields": fields}
        options = listed_options(text) if text == raw else None
        if options is not None and len(options.texts) > 1:
            return {"fields": {"": list(options.texts)}}
    return "no options of a scene are stated"


_NO_FIELD = frozenset({"options", "choices", "list", "labels", "format", "example", "e.g", "scene"})


def _named_options(found: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    fields: dict[str, list[str]] = {}
    for name, listed in found:
        parts = re.split(r"\s\|\s|," if "|" not in listed else r"\s*\|\s*", listed)
        options = [part.strip(" \t\"'`“”{}.") for part in parts]
        is_list = len(options) > 1 and all(0 < len(one) <= 30 for one in options)
        if is_list and name.strip().lower() not in _NO_FIELD:
            fields[name.strip()] = list(dict.fromkeys(options))
    return fields


# ── Biology ──────────────────────────────────────────────────────────────────────────

_SLOTS = r"[A-Za-z][A-Za-z _/-]{0,40}"
_TUPLE = re.compile(rf"\(\s*({_SLOTS}(?:,\s*{_SLOTS}){{1,4}})\s*\)")
_ASKED_TUPLE = re.compile(
    rf"\b(?:format|form|as|tuples?|triples?|pairs?)\b[^()\n]{{0,60}}\(\s*({_SLOTS}(?:,\s*{_SLOTS}){{1,4}})\s*\)",
    re.IGNORECASE,
)
_ARROWS = re.compile(rf"({_SLOTS}(?:\s*(?:->|→)\s*{_SLOTS}){{1,4}})")
_JSON_KEY = re.compile(r"['\"“]([A-Za-z][A-Za-z _-]{0,40})['\"”]\s*:")


def _entity_relationship(raw: str, question: str) -> Parsed:
    for text, tuples in ((raw, _TUPLE), (question, _ASKED_TUPLE)):
        found = {tuple(_parts(row, ",")) for row in tuples.findall(text)}
        if len(found) > 1:
            return "several forms of a relation are stated"
        if found:
            return {"form": "tuple", "slots": list(found.pop())}
        keys = list(dict.fromkeys(_JSON_KEY.findall(text)))
        if text == raw and len(keys) > 1:
            return {"form": "json", "slots": keys}
        arrows = _ARROWS.search(text) if text == raw else None
        if arrows is not None:
            return {"form": "arrow", "slots": _parts(arrows[1], r"->|→")}
    return "no form of a relation is stated"


def _parts(row: str, separator: str) -> list[str]:
    return [part.strip() for part in re.split(separator, row)]


_UNIT = r"(?:amino[\s-]acids?|residues?|aa|base[\s-]pairs?|bp|nucleotides?|nt|bases?|letters?)\b"
_LENGTH = re.compile(
    rf"(?:\b(at least|at most|no more than|no fewer than|up to|minimum(?: of)?|maximum(?: of)?)\s+)?"
    rf"(?<![\w.,])(\d{{1,6}})(?:\s*(?:-|–|to|and)\s*(\d{{1,6}}))?[\s-]*{_UNIT}",
    re.IGNORECASE,
)
_BASES = re.compile(
    r"\b(?:dna|bp|base[\s-]pairs?|nucleotides?|nt|primers?|amplicon)\b", re.IGNORECASE
)
_ASKS_FOR_A_NUMBER = re.compile(
    r"\bhow (?:many|long)\b|\bwhat is the (?:\w+ ){0,3}(?:length|number|size)\b|\bnumber of\b"
    r"|\b(?:state|give|report|output) the (?:\w+ ){0,3}length\b",
    re.IGNORECASE,
)
_ASKS_FOR_LETTERS = re.compile(
    r"\b(?:design|generate|write|propose|create|output|give|provide) (?:\w+ ){0,3}"
    r"(?:sequence|peptide|protein|primer)s?\b|\bwhat is the (?:\w+ ){0,3}sequence\b",
    re.IGNORECASE,
)


def _sequence_length(raw: str, question: str) -> Parsed:
    """Whether letters or a number are asked for is the question's to say; the bound is `raw`'s."""
    number, letters = (p.search(question) for p in (_ASKS_FOR_A_NUMBER, _ASKS_FOR_LETTERS))
    if bool(number) == bool(letters):
        return "it is not clear whether a sequence or its length is asked for"
    bounds = [_bounds(match) for match in _LENGTH.finditer(raw)]
    if len(bounds) > 1:
        return "several lengths are stated"
    if not bounds and (letters or re.search(r"\d", raw)):
        return "no length with a unit is stated"
    alphabet = "rna" if re.search(r"\bm?RNA\b", raw) else "dna" if _BASES.search(raw) else "protein"
    kind = "stated" if number else "sequence"
    return {"quantity": kind, "alphabet": alphabet, **(bounds[0] if bounds else {})}


def _bounds(match: re.Match[str]) -> dict[str, Any]:
    word, low, high = (match[1] or "").lower(), int(match[2]), match[3]
    if high:
        return {"min_length": low, "max_length": int(high)}
    if word in {"at least", "no fewer than"} or word.startswith("minimum"):
        return {"min_length": low}
    return {"max_length": low} if word else {"length": low}


# ── Materials ────────────────────────────────────────────────────────────────────────

_EXAMPLE = re.compile(r"\b(?:e\.g\.|i\.e\.|such as|for example|for instance|like)", re.IGNORECASE)
_SHORT = re.compile(r"\b(?:abbreviat\w+|acronyms?|short form)\b", re.IGNORECASE)
_LONG = re.compile(
    r"\b(?:full|complete|unabbreviated) (?:name|term|technique name)s?\b", re.IGNORECASE
)


def _technique(raw: str, _: str) -> Parsed:
    rules = _EXAMPLE.split(raw)[0]  # What follows "such as" sets nothing.
    is_short, is_long = _SHORT.search(rules), _LONG.search(rules)
    form = {} if bool(is_short) == bool(is_long) else {"form": "acronym" if is_short else "name"}
    named = list(dict.fromkeys(place.technique.label for place in techniques_in(rules)))
    if named:
        return {"allowed": named, **form}
    if (
        not raw
        or form
        or is_short
        or re.search(r"\btechniques?\b|\bstandard\b", rules, re.IGNORECASE)
    ):
        return form
    return "the parameters name no technique and no form of its name"


_LABEL_SETS = (
    ("Direct", "Indirect"),
    ("True", "False"),
    ("Yes", "No"),
    ("Stable", "Unstable"),
    ("Metallic", "Non-metallic"),
    ("High", "Medium", "Low"),
)
_CONTINUOUS = re.compile(
    r"\b(?:continuous|numeric(?:al)?|number|float(?:ing)?|real|scalar|decimal)\b", re.IGNORECASE
)
_DISCRETE = re.compile(
    r"\b(?:discrete|categor\w+|boolean|binary|class(?:es)?|label)\b", re.IGNORECASE
)
_PROPERTY_UNIT = re.compile(
    r"(?:\bin\s+(?:units? of\s+)?|\bunits?\s*[:=]?\s*|\()(eV/atom|meV|eV|GPa|MPa|kPa|g/cm\^?[3³]|Å\^?[3³]|Å|nm|K|S/m)"
    r"(?![\w/])"
)
_JSON_TYPED = re.compile(
    r"\{\s*['\"]?([A-Za-z][\w ]{0,40})['\"]?\s*:\s*<?['\"]?(float|number|int|integer|bool|boolean|str|string)\b"
)
_JSON_TYPES = {
    "float": "number",
    "number": "number",
    "int": "integer",
    "integer": "integer",
    "bool": "boolean",
    "boolean": "boolean",
    "str": "string",
    "string": "string",
}


def _property_type(raw: str, question: str) -> Parsed:
    typed = _JSON_TYPED.search(raw)
    if typed is not None:
        return {"kind": "json", "key": typed[1].strip(), "json_type": _JSON_TYPES[typed[2]]}
    is_number, is_label = _CONTINUOUS.search(raw), _DISCRETE.search(raw)
    if is_number and not is_label:
        unit = _PROPERTY_UNIT.search(raw)
        return {"kind": "number", **({"unit": unit[1]} if unit else {})}
    if is_number:
        return "the property is called continuous and discrete"
    for text in (raw, question) if is_label else (raw,):
        words = set(re.findall(r"[a-z]+(?:-[a-z]+)?", text.lower()))
        stated = [labels for labels in _LABEL_SETS if words.issuperset(map(str.lower, labels))]
        if len(stated) == 1:
            return {"kind": "label", "labels": list(stated[0])}
    options = listed_options(raw.partition(":")[2]) if ":" in raw else None
    if is_label and options is not None and len(options.texts) > 1:
        return {"kind": "label", "labels": list(options.texts)}
    return "neither a closed set of labels nor a number is stated"


DISCIPLINE_PARSERS: Mapping[str, Parser] = MappingProxyType(
    {
        "geography:address_hierarchy": _address_hierarchy,
        "geography:scene_option_constraint": _scene_options,
        "biology:entity_relationship_format_validity": _entity_relationship,
        "biology:protein_length": _sequence_length,
        "material:characterization_technique": _technique,
        "material:property_type": _property_type,
    }
)
