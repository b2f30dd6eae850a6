"""Parameters of the public release, which are free text, to typed `Params`.

The text was written by a model ("two decimal places", "N = 4 types of responses",
"final_answer_position = end", a few in Spanish). What a parser here reads is bound once, when
the sample is loaded; what none reads stays as `UnboundParams` with the reason, so that the item
is undecided and counted. Nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from ifbench.benchmarks.binding import bind_params
from ifbench.benchmarks.scimif.asked_units import asked_units
from ifbench.benchmarks.scimif.discipline_parameters import DISCIPLINE_PARSERS
from ifbench.benchmarks.scimif.option_lists import lettered_lines, listed_options
from ifbench.benchmarks.scimif.taxonomy import DISCIPLINES
from ifbench.constraints import all_constraints
from ifbench.constraints.constraint import Params
from ifbench.errors import DatasetError
from ifbench.types import UnboundParams

Parsed: TypeAlias = Mapping[str, Any] | str
"""Parameters as plain JSON, or in words why there are none."""

Parser: TypeAlias = Callable[[str, str], Parsed]
"""From the parameter text (perhaps empty) and the question that the model is asked."""


def bind_release_params(
    constraint_id: str, raw: str | None, question: str
) -> Params | UnboundParams:
    """The typed parameters of a release's checklist item, or why they stay unbound."""
    words = (raw or "").strip()
    if constraint_id not in all_constraints():
        reason = f"this version of ifbench has no verifier for {constraint_id}"
        return UnboundParams(raw=words, reason=reason)
    parsed = PARSERS[constraint_id](words, question) if constraint_id in PARSERS else NO_PARSER
    if isinstance(parsed, str):
        return UnboundParams(raw=words, reason=parsed)
    try:
        return bind_params(constraint_id, parsed)
    except DatasetError as error:
        return UnboundParams(raw=words, reason=str(error))


NO_PARSER = "no parser reads the parameters of this constraint yet"

# ── Words for numbers ────────────────────────────────────────────────────────────────

_ENGLISH = (
    ("zero",),
    ("one", "single"),
    ("two",),
    ("three",),
    ("four",),
    ("five",),
    ("six",),
    ("seven",),
    ("eight",),
    ("nine",),
    ("ten",),
    ("eleven",),
    ("twelve",),
)
_SPANISH = (
    "cero",
    "un",
    "dos",
    "tres",
    "cuatro",
    "cinco",
    "seis",
    "siete",
    "ocho",
    "nueve",
    "diez",
)
_NUMBERS: Mapping[str, int] = MappingProxyType(
    {
        **{word: value for value, words in enumerate(_ENGLISH) for word in words},
        **{word: value for value, word in enumerate(_SPANISH)},
    }
)
_WORDS = r"\d{1,3}|" + "|".join(sorted(_NUMBERS, key=len, reverse=True))
_NUMBER = rf"(?<![\w.])({_WORDS})"


def _value(word: str) -> int:
    return int(word) if word.isdecimal() else _NUMBERS[word.lower()]


def _search_numbers(pattern: str, text: str) -> set[int]:
    return {_value(match[1]) for match in re.finditer(pattern, text, re.IGNORECASE)}


# ── Precision ────────────────────────────────────────────────────────────────────────

_PLACES = (
    _NUMBER + r"(?:\s*\(\d+\))?[\s-]+(?:decimal[\s-]+)?(?:place|digit)s?\s+after\s+the\s+decimal",
    _NUMBER + r"(?:\s*\(\d+\))?[\s-]+decimals?\b(?!\s*(?:point\s+)?(?:number|value|form|notation))",
    _NUMBER + rf"\s*(?:or|to|[-–])\s*(?=(?:{_WORDS})[\s-]+decimal)",
    _NUMBER + r"(?:\s+(?:cifras|lugares|posiciones|dígitos))?\s+decimales\b",
    r"\bdecimal[\s_-]*(?:place|digit)s?\s*[:=]\s*(\d{1,2})\b",
)
_NAMED_PLACES: Mapping[str, int] = MappingProxyType(
    {
        r"\bnearest\s+(?:integer|whole)": 0,
        r"\b(?:integer|whole\s+number)s?\s*(?:only)?$": 0,
        r"\bentero\s+más\s+cercano": 0,
        r"\bnearest\s+tenth\b": 1,
        r"\bnearest\s+hundredth\b": 2,
        r"\bnearest\s+thousandth\b": 3,
    }
)


def decimal_places(text: str) -> set[int]:
    """Every number of decimal places that a text asks for."""
    found = set[int]()
    for pattern in _PLACES:
        found |= _search_numbers(pattern, text)
    for pattern, places in _NAMED_PLACES.items():
        if re.search(pattern, text, re.IGNORECASE):
            found.add(places)
    for digits in re.findall(r"\bnearest\s+0\.(0*1)\b", text):
        found.add(len(digits))
    return found


def _decimal_number(raw: str, question: str) -> Parsed:
    if re.fullmatch(r"\d{1,2}", raw):
        return {"places": int(raw)}
    asked = decimal_places(question)
    found = decimal_places(raw) if raw else asked
    if not found:
        return "no number of decimal places is stated"
    if len(found) > 1:
        return f"several numbers of decimal places are stated: {sorted(found)}"
    if asked and not found & asked:
        return f"the parameters say {min(found)} decimal places, the question {sorted(asked)}"
    return {"places": min(found)}


def _scientific_annotation(raw: str, _: str) -> Parsed:
    figures = _search_numbers(_NUMBER + r"[\s-]+significant\s+(?:figure|digit)s?", raw)
    places = decimal_places(raw) | {count - 1 for count in figures}
    if len(places) == 1 and min(places) >= 0:
        return {"mantissa_places": min(places)}
    if places or re.search(r"\d(?!\s*(?:\^|[*]{2}))", re.sub(r"10", "", raw)):
        return "the precision of the mantissa is not stated clearly"
    return {}


# ── Formats and letters ──────────────────────────────────────────────────────────────

_FILLER = re.compile(
    r"an?|the|in|as|of|is|be|to|with|and|must|should|strict(?:ly)?|only|entire|whole|all|valid"
    r"|none|n/a|us(?:e|ing)|answers?|final|output|response|format(?:ted)?|object|string|python"
    r"|style|syntax|tags?|text|letters?|enclosed|values?"
)
"""Words that a restatement of a format may be made of."""


def _restating(*names: str) -> Parser:
    """Accepts a text that only repeats what the constraint says anyway."""

    def parse(raw: str, _: str) -> Parsed:
        words = dict.fromkeys(re.findall(r"[\w/]+", raw.lower()))
        left = [word for word in words if word not in names and not _FILLER.fullmatch(word)]
        if left:
            return f"the parameters ask for more than a parser reads: {' '.join(left[:8])}"
        return {}

    return parse


def _keys(text: str) -> list[str]:
    quoted = r"['\"‘’“”`]([^'\"‘’“”`]{1,60})['\"‘’“”`]"
    after = re.search(r"\bkeys?\b(.*)", text, re.IGNORECASE | re.DOTALL)
    if after is None:
        return re.findall(quoted + r"\s*:", text)
    names = re.findall(quoted, after[1])
    if names:
        return names
    listed = re.fullmatch(r"\s*[:=]\s*(\w+(?:\s*,\s*\w+)*)\s*", after[1])
    return [name.strip() for name in listed[1].split(",")] if listed else []


def _json_constraint(raw: str, question: str) -> Parsed:
    keys = list(dict.fromkeys(_keys(raw)))
    return {"required_keys": keys} if keys else _restating("json")(raw, question)


def _letters(word: str) -> Parser:
    def parse(raw: str, _: str) -> Parsed:
        # "all uppercase, such as SEM" restates; an example sets nothing.
        return {} if not raw or re.search(word, raw, re.IGNORECASE) else f"found no `{word}case`"

    return parse


def _wrap_up(raw: str, _: str) -> Parsed:
    if not raw or "boxed" in raw or re.fullmatch(r"(?:a|the)?\s*box(?: format)?", raw.lower()):
        return {}
    return "the wrapper is not one that a parser knows"


# ── Selection, number, structure ─────────────────────────────────────────────────────

_NOTATIONS = frozenset({"selfies", "smiles", "inchi", "iupac"})


def _choose_from(raw: str, question: str) -> Parsed:
    options = listed_options(raw) if raw else lettered_lines(question)
    if len(options.texts) < 2:
        return "no list of options is stated"
    if {text.lower() for text in options.texts} <= _NOTATIONS:
        return "the options are names of notations, not answers"
    labels = {"labels": list(options.labels)} if options.labels else {}
    return {"options": list(options.texts), **labels}


_JUDGE_LABELS = (("yes", "no"), ("true", "false"))


def _judge(raw: str, question: str) -> Parsed:
    for text in (raw, question):
        words = set(re.findall(r"[a-z]+", text.lower()))
        stated = [labels for labels in _JUDGE_LABELS if words.issuperset(labels)]
        if len(stated) == 1:
            return {"labels": list(stated[0])}
        if stated:
            return "yes and no are stated, and true and false as well"
    return {} if not raw else _restating("explanation", "explanations", "without")(raw, question)


def _number_response(raw: str, question: str) -> Parsed:
    for text in (raw, question):
        found = _search_numbers(r"\bN\s*=\s*(\d{1,2})\b", text) or _search_numbers(
            _NUMBER
            + r"\s+(?:distinct\s+|different\s+|categorical\s+|tipos\s+de\s+)*"
            + r"(?:(?:type|kind|categor|class)\w*\s+of\s+)?(?:respuesta|response|answer)s?\b",
            text,
        )
        if len(found) == 1:
            return {"n": found.pop()}
        if found:
            return f"several numbers of responses are stated: {sorted(found)}"
    return {"n": int(raw)} if re.fullmatch(r"\d{1,2}", raw) else "no number of responses is stated"


def _response_structure(raw: str, _: str) -> Parsed:
    # A prefix match: "middle (the multi-step sequence appears between …)" is real.
    found = re.match(
        r"(?:final[_ ]answer[_ ]position\s*[:=]\s*)?['\"]?(beginning|middle|end)\b",
        raw,
        re.IGNORECASE,
    )
    return {"position": found[1].lower()} if found else "no position of the final answer is stated"


# ── Chemistry ────────────────────────────────────────────────────────────────────────

_ELEMENTS: Mapping[str, str] = MappingProxyType(
    {
        "hydrogen": "H",
        "carbon": "C",
        "oxygen": "O",
        "nitrogen": "N",
        "sulfur": "S",
        "sulphur": "S",
        "fluorine": "F",
        "chlorine": "Cl",
        "bromine": "Br",
        "iodine": "I",
        "phosphorus": "P",
        "boron": "B",
        "silicon": "Si",
        "selenium": "Se",
        "tellurium": "Te",
        "arsenic": "As",
        "antimony": "Sb",
        "bismuth": "Bi",
        "polonium": "Po",
    }
)
_BOUNDS = re.compile(
    r"\b(?:at (?:least|most)|up to|between|more|fewer|less|about)\b", re.IGNORECASE
)


def _notations(text: str) -> set[str]:
    return {name for name in _NOTATIONS if re.search(rf"\b{name}\b", text, re.IGNORECASE)}


def _molecular_validity(raw: str, question: str) -> Parsed:
    found = _notations(raw or question)
    if len(found) == 1:
        return {"system": found.pop()}
    return f"{len(found)} notations are stated, not one: {', '.join(sorted(found)) or 'none'}"


def _atom_count(raw: str, question: str) -> Parsed:
    text = raw or question
    if _BOUNDS.search(text):
        return "a bound is stated where exact numbers of atoms are expected"
    names = "|".join(_ELEMENTS)
    pairs = re.findall(_NUMBER + rf"\s+({names})\b(?:\s+atoms?)?", text, re.IGNORECASE)
    counts = {_ELEMENTS[name.lower()]: _value(number) for number, name in pairs}
    if not counts or len(counts) < len(pairs):
        return "no numbers of atoms are stated, or one element twice"
    return _in_notation({"atoms": counts}, raw, question)


def _in_notation(params: Mapping[str, Any], raw: str, question: str) -> Parsed:
    notations = _notations(raw) or _notations(question)
    if len(notations) > 1:
        return f"{len(notations)} notations are stated, not one: {', '.join(sorted(notations))}"
    return {**params, "system": notations.pop()} if notations else params


_BONDS = r"single|double|triple|aromatic|rotatable|chemical|total"
_GROUPS: Mapping[str, str] = MappingProxyType(
    {
        r"benzene\s+rings?": "benzene_ring",
        r"phenyl\s+rings?": "benzene_ring",
        r"carboxyl(?:ic(?:\s+acid)?)?": "carboxyl",
        r"halo(?:gen)?": "halo",
        r"nitrile|cyano": "nitrile",
        r"amin[eo]": "amine",
        **{
            name: name
            for name in (
                "hydroxyl", "anhydride", "aldehyde", "ketone", "ester", "amide", "nitro", "thiol",
                "thioether", "disulfide", "sulfide", "sulfoxide", "sulfone", "borane",
            )
        },
    }
)  # fmt: skip
"""TOMG-Bench's functional groups, as its prompts name them."""
_MODES: Mapping[str, str] = MappingProxyType(
    {
        r"\b(?:at least|no (?:fewer|less) than|a minimum of)\b": "at_least",
        r"\b(?:at most|up to|no more than|a maximum of)\b": "at_most",
    }
)


def _counted(text: str, names: str, thing: str) -> list[tuple[str, int]]:
    """`2 double bonds`, `double: 2`, `"double bonds": 2`: names with numbers, in order."""
    before = rf"{_NUMBER}\s+({names})\b(?!\s*[:=])"
    after = rf"\b({names})(?:[\s_]+{thing}s?)?[\"']?\s*[:=]\s*(\d{{1,3}})\b"
    found = [(m[2], _value(m[1])) for m in re.finditer(before, text, re.IGNORECASE)]
    return found or [(m[1], int(m[2])) for m in re.finditer(after, text, re.IGNORECASE)]


def _mode(text: str, pairs: int) -> dict[str, str] | str:
    """The bound that a text sets on each of its numbers; a reason where it sets several."""
    found, plain = [], text
    for pattern, mode in _MODES.items():
        plain, times = re.subn(pattern, "", plain, flags=re.IGNORECASE)
        found += [mode] * times
    if _BOUNDS.search(plain) or (found and len(found) != pairs) or len(set(found)) > 1:
        return "a bound is stated that holds not for all numbers, or is not exact"
    return {"mode": found[0]} if found else {}


def _bond_counts(text: str) -> dict[str, int] | str:
    pairs = [
        ("total" if kind.lower() == "chemical" else kind.lower(), count)
        for kind, count in _counted(text, _BONDS, "bond")
    ]
    if not pairs:  # "40 bonds", where no kind is named.
        pairs = [("total", count) for count in _search_numbers(_NUMBER + r"\s+bonds?\b", text)]
    return dict(pairs) if len(dict(pairs)) == len(pairs) else "one kind is stated twice"


def _group_counts(text: str) -> dict[str, int] | str:
    pairs = [(_group(name), count) for name, count in _counted(text, "|".join(_GROUPS), "group")]
    others = re.findall(
        _NUMBER + r"\s+([a-z-]+)\s+(?:functional\s+)?groups?\b", text, re.IGNORECASE
    )
    for _, name in others:
        if not _group(name):
            return f"{name} is no group of TOMG-Bench"
    return dict(pairs) if len(dict(pairs)) == len(pairs) else "one group is stated twice"


def _group(name: str) -> str:
    matching = (p for p in _GROUPS if re.fullmatch(p, name, re.IGNORECASE))
    return _GROUPS[pattern] if (pattern := next(matching, "")) else ""


def _stated(read: Callable[[str], dict[str, int] | str], raw: str, question: str) -> Parsed:
    """The counts and their bound; those of the question must not contradict the parameters'."""
    counts = read(raw or question)
    if isinstance(counts, str) or not counts:
        return counts or "no numbers are stated"
    mode = _mode(raw or question, len(counts))
    if isinstance(mode, str):
        return mode
    asked = read(question) if raw else counts
    if isinstance(asked, dict) and asked and not asked.items() & counts.items():
        return f"the parameters say {counts}, the question {asked}"
    return {"counts": counts, **mode}


def _bond_count(raw: str, question: str) -> Parsed:
    stated = _stated(_bond_counts, raw, question)
    if isinstance(stated, str):
        return stated
    counts = stated["counts"]
    # TOMG-Bench's columns hold a 0 for each kind that its prompt does not name.
    free = {"zero_means_any": True} if 0 in counts.values() and any(counts.values()) else {}
    rest = {key: value for key, value in stated.items() if key != "counts"}
    return _in_notation({"bonds": counts, **rest, **free}, raw, question)


def _group_count(raw: str, question: str) -> Parsed:
    stated = _stated(_group_counts, raw, question)
    if isinstance(stated, str):
        return stated
    rest = {key: value for key, value in stated.items() if key != "counts"}
    params = {"groups": stated["counts"], "convention": "tomg", **rest}
    return _in_notation(params, raw, question)


def _method(raw: str, _: str) -> Parsed:
    # A name is short and holds no formula; a paragraph needs a reader.
    if not raw or len(raw) > 80 or re.search(r"[=\\$^;:.]|\d|\n", raw):
        return "the parameters are no single name of a method"
    return {"methods": [{"name": raw}]}


def _steps(raw: str, _: str) -> Parsed:
    numbered = re.split(r"(?:^|\s)(?:step\s*)?\(?\d{1,2}[.):]\s+", raw, flags=re.IGNORECASE)
    arrows = re.split(r"\s*(?:->|→|=>)\s*", raw)
    lines = raw.splitlines()
    for parts in (numbered[1:] if not numbered[0].strip() else [], arrows, lines):
        steps = [part.strip(" \t\n;,") for part in parts if part.strip(" \t\n;,")]
        if len(steps) > 1:
            return {"steps": steps}
    return "no list of steps is stated"


PARSERS: Mapping[str, Parser] = MappingProxyType(
    {
        "general:decimal_number": _decimal_number,
        "general:scientific_annotation": _scientific_annotation,
        "general:all_uppercase": _letters("upper"),
        "general:all_lowercase": _letters("lower"),
        "general:wrap_up": _wrap_up,
        "general:json_constraint": _json_constraint,
        "general:list_constraint": _restating("list"),
        "general:tuple_constraint": _restating("tuple"),
        "general:dictionary_constraint": _restating("dictionary", "dict"),
        "general:markdown_constraint": _restating("markdown"),
        "general:html_constraint": _restating("html"),
        "general:xml_constraint": _restating("xml"),
        "general:csv_constraint": _restating("csv", "comma", "separated"),
        "general:choose_from": _choose_from,
        "general:judge": _judge,
        "general:response_structure": _response_structure,
        "general:number_response": _number_response,
        "chemistry:molecular_validity": _molecular_validity,
        "chemistry:atom_count_constraint": _atom_count,
        "chemistry:atom_bond_constraint": _bond_count,
        "chemistry:atom_group_constraint": _group_count,
        "chemistry:method_constraint": _method,
        "geography:method_constraint": _method,
        "biology:method_constraint": _method,
        "material:method_constraint": _method,
        "physics:method_constraint": _method,
        "chemistry:reaction_steps": _steps,
        **{f"{discipline}:unit_consistency": asked_units for discipline in DISCIPLINES},
        "geography:analysis_steps_constraint": _steps,
        "biology:analysis_steps_constraint": _steps,
        "material:analysis_steps_constraint": _steps,
        "physics:analysis_steps": _steps,
        **DISCIPLINE_PARSERS,
    }
)
