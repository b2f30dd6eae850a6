"""Constraints that no answer can obey together, and those that the question itself contradicts.

Only what is certain: for each pair the checks themselves have been tried on the nearest answer
that one might think of. A spelling as a LaTeX command, which the letter case does not read, is no
way out that a writer would take.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from ifbench.parsing.unit_table import NAMES, SYMBOLS, Powers
from ifbench.parsing.units import parse_unit
from ifbench.types import ChecklistItem

WHOLE_FORMATS = (
    "general:json_constraint", "general:list_constraint", "general:tuple_constraint",
    "general:dictionary_constraint", "general:html_constraint", "general:xml_constraint",
    "general:csv_constraint",
)  # fmt: skip
_STEPS = re.compile(r":(?:analysis|reaction)_steps|:number_response$")


def contradiction(one: ChecklistItem, two: ChecklistItem) -> str:
    """Why no answer obeys both; empty where one may."""
    a, b = one.constraint_id, two.constraint_id
    if one.scope != two.scope:
        return ""
    if a == b:
        # A video's checklist may name one type twice, each time about something else.
        is_same = one.params == two.params or a.startswith("videoif:")
        return "" if is_same else "asked twice, with different parameters"
    if {a, b} == {"general:all_uppercase", "general:all_lowercase"}:
        return "no text is both"
    if a in WHOLE_FORMATS and b in WHOLE_FORMATS and _is_whole(one) and _is_whole(two):
        return "" if _share_a_form(one, two) else "the whole answer cannot be both"
    if a in _BRACKETED and _is_whole(one) and (words := _edge_words(one, two)):
        return (
            f"an answer that is {a.partition(':')[2].partition('_')[0]} as a whole cannot {words}"
        )
    if _is_bare_verdict(one) and (b in _NUMERIC or b.endswith(":unit_consistency")):
        return "an answer that is yes or no and nothing else has no number"
    if {a, b} == {"general:decimal_number", "general:scientific_annotation"}:
        return _against_places(one, two)
    if a.endswith(":unit_consistency") and b.endswith(":unit_consistency"):
        return _against_units(one, two)
    if _is_bare_choice(one) and (_STEPS.search(b) or _has_sections(two)):
        return "an answer that is a choice and nothing else leaves no room for the other"
    if a.startswith("general:all_") and (name := _cased_name(two, a.endswith("lowercase"))):
        case = "lower" if a.endswith("lowercase") else "upper"
        return f"`{name}` has to be written, and is not in {case} case"
    if a.startswith("general:all_") and (why := _caseless(two, a.endswith("lowercase"))):
        return why
    if (a, b) == ("general:judge", "general:choose_from") and not _is_yes_no(two):
        return "the answer cannot be yes or no and one of the options"
    return ""


def _is_whole(item: ChecklistItem) -> bool:
    return getattr(item.params, "scope", "whole") == "whole"


def _is_bare_choice(item: ChecklistItem) -> bool:
    if item.constraint_id == "general:judge":
        return not getattr(item.params, "explanation", False)
    params = item.params
    return (
        item.constraint_id == "general:choose_from"
        and not getattr(params, "allow_explanation", False)
        and getattr(params, "mode", "") != "contains"
    )


def _has_sections(item: ChecklistItem) -> bool:
    return bool(getattr(item.params, "sections", ()))


def _is_yes_no(item: ChecklistItem) -> bool:
    options = {str(option).strip().casefold() for option in getattr(item.params, "options", ())}
    return options <= {"yes", "no", "true", "false"}


def _cased_name(item: ChecklistItem, lower: bool) -> str:  # noqa: FBT001 - the two cases
    """A name that the item has the answer write, and that the case forbids."""
    params = item.params
    names: Sequence[Any] = ()
    if item.constraint_id == "general:json_constraint":
        names = getattr(params, "required_keys", ())
    elif item.constraint_id == "general:choose_from" and not getattr(params, "ignore_case", True):
        names = getattr(params, "options", ())
    elif item.constraint_id == "general:xml_constraint":
        names = (getattr(params, "root", None),)
    elif item.constraint_id == "general:csv_constraint":
        names = getattr(params, "header", None) or ()
    return next((str(name) for name in names if name and not _is_in_case(str(name), lower)), "")


def _is_in_case(name: str, lower: bool) -> bool:  # noqa: FBT001 - the two cases
    return not any(map(str.isupper if lower else str.islower, name))


def _caseless(item: ChecklistItem, lower: bool) -> str:  # noqa: FBT001 - the two cases
    """Why what the item asks for has no spelling in the case; empty where it has one."""
    params, case = item.params, "lower" if lower else "upper"
    if item.constraint_id.endswith(":unit_consistency"):
        asked = getattr(params, "asked", ())
        is_free = getattr(params, "aliases", None) or getattr(params, "convertible", False)
        if asked and not is_free and not any(_is_unit_in_case(unit, lower) for unit in asked):
            return f"no spelling of `{asked[0]}` is in {case} case"
    if item.constraint_id == "chemistry:molecular_validity":
        system = getattr(params, "system", "")
        if system == "inchi" or (system == "selfies" and lower):
            return f"no {system.upper() if system == 'selfies' else 'InChI'} is in {case} case"
    if item.constraint_id == "material:characterization_technique":
        is_exact = getattr(params, "form", "") == "acronym" and not getattr(
            params, "ignore_case", False
        )
        allowed = getattr(params, "techniques", ())
        written = [one.acronyms for one in allowed]
        if is_exact and written and all(written):
            flat = [acronym for acronyms in written for acronym in acronyms]
            if not any(_is_in_case(acronym, lower) for acronym in flat):
                return f"acronyms keep their case, and `{flat[0]}` is not in {case} case"
    return ""


def _is_unit_in_case(text: str, lower: bool) -> bool:  # noqa: FBT001 - the two cases
    """Whether a unit can be written in the case: `kg` cannot as `KG`, but as `KILOGRAMS`.

    Names are read in any case, symbols in their own.
    """
    unit = parse_unit(text)
    if unit is None or _is_in_case(text, lower):
        return True
    whole = {powers for _, powers in _spellings(lower)}
    if unit.powers in whole:
        return True
    return all(((symbol, Fraction(1)),) in whole for symbol, _ in unit.powers)


@cache
def _spellings(lower: bool) -> frozenset[tuple[str, Powers]]:  # noqa: FBT001 - the two cases
    symbols = {(name, powers) for name, powers in SYMBOLS.items() if _is_in_case(name, lower)}
    return frozenset(symbols | set(NAMES.items()))


# A text that is two of these at once: a JSON object without true, false and null is a Python
# dictionary, and well-formed markup may be HTML.
_SHARED_FORMS = frozenset(
    {
        frozenset({"general:html_constraint", "general:xml_constraint"}),
        frozenset({"general:json_constraint", "general:dictionary_constraint"}),
        frozenset({"general:json_constraint", "general:list_constraint"}),
    }
)


def _share_a_form(one: ChecklistItem, two: ChecklistItem) -> bool:
    pair = frozenset({one.constraint_id, two.constraint_id})
    if pair not in _SHARED_FORMS:
        return False
    levels = {getattr(item.params, "top_level", "any") for item in (one, two)}
    wanted = "array" if "general:list_constraint" in pair else "object"
    return levels <= {"any", wanted}


_BRACKETED = (
    "general:json_constraint", "general:dictionary_constraint", "general:list_constraint",
    "general:html_constraint", "general:xml_constraint",
)  # fmt: skip
"""Formats with a mark at either end; a fence around it aside, which has no letters at its ends."""


def _edge_words(whole: ChecklistItem, other: ChecklistItem) -> str:
    """What the structure asks of the answer's beginning that its format does not let stand there.

    Only letters are looked at: brackets, quotes and emphasis may be read past.
    """
    if other.constraint_id != "general:response_structure":
        return ""
    if getattr(whole.params, "allow_assignment", False):  # `Answer = {…}`
        return ""
    if getattr(whole.params, "top_level", "object") == "any":  # `true`, in JSON.
        return ""
    first = getattr(other.params, "starts_with", "").strip()
    return f"start with `{first}`" if first[:1].isalpha() else ""


_NUMERIC = ("general:decimal_number", "general:scientific_annotation")


def _is_bare_verdict(item: ChecklistItem) -> bool:
    labels = getattr(item.params, "labels", ())
    is_plain = not any(any(map(str.isnumeric, label)) for label in labels)
    return item.constraint_id == "general:judge" and is_plain and _is_bare_choice(item)


def _against_places(one: ChecklistItem, two: ChecklistItem) -> str:
    """Mantissas have the places that are counted, so both numbers of places are to be one."""
    if {getattr(item.params, "scope", "") for item in (one, two)} != {"all"}:
        return ""
    if len({getattr(item.params, "decimal_mark", "") for item in (one, two)}) > 1:
        return ""
    decimals = one if one.constraint_id == "general:decimal_number" else two
    mantissa = two if decimals is one else one
    asked = (
        getattr(decimals.params, "places", None),
        getattr(mantissa.params, "mantissa_places", None),
    )
    if None in asked or asked[0] == asked[1]:
        return ""
    return f"no number has {asked[0]} decimal places and {asked[1]} in its mantissa"


def _against_units(one: ChecklistItem, two: ChecklistItem) -> str:
    """Two sets of units for every quantity of the answer that have none in common."""
    asked = []
    for item in (one, two):
        params = item.params
        is_free = getattr(params, "aliases", None) or getattr(params, "convertible", False)
        if getattr(params, "scope", "") != "all" or is_free:
            return ""
        asked.append({parse_unit(unit) for unit in getattr(params, "asked", ())})
    if asked[0] & asked[1]:
        return ""
    return "no quantity is in both of their units, and each is asked of every quantity"


_WHOLE_NUMBER = re.compile(r"\bnearest (?:integer|whole number)\b", re.IGNORECASE)


def against_words(item: ChecklistItem, instruction: str) -> str:
    """Why the question asks for something else than the item; empty where it does not."""
    places = getattr(item.params, "places", None)
    if item.constraint_id == "general:decimal_number" and places:
        match = _WHOLE_NUMBER.search(instruction)
        if match is not None:
            return f"{places} decimal places are checked, and the question asks for the {match[0]}"
    return ""
