"""A demand's parameters in words, as the public release's records have them.

Under `rules=release` the words decide, not the typed parameters, and without words its scorer
skips or passes what it cannot know. The words are of the kinds that were seen in the release
("two decimal places", "N = 4 types of responses", "final_answer_position = end"); formats, cases
and the like have none there. `parameters.py` reads them back to the typed ones, as far as the
release's words go: they name no header, no length of a list, no alias of a method.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

Words: TypeAlias = Callable[[Mapping[str, Any]], str]

_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six")
_ELEMENTS: Mapping[str, str] = MappingProxyType(
    {"C": "carbon", "O": "oxygen", "N": "nitrogen", "Cl": "chlorine", "H": "hydrogen"}
)


def release_words(constraint_id: str, params: Mapping[str, Any]) -> str:
    """`required_parameters` of a demand; empty where the release's records give none."""
    domain, _, name = constraint_id.partition(":")
    words = _WORDS.get(name) or (_steps if "steps" in name else None)
    assert words or domain == "general" or not params, f"{constraint_id} has no words"
    return words(params) if words else ""


def _places(params: Mapping[str, Any]) -> str:
    places = params["places"]
    if places == 0:
        return "nearest integer"
    return f"{_NUMBERS[places]} decimal place{'s' if places > 1 else ''}"


def _counts(names: Mapping[str, str], thing: str, key: str) -> Words:
    def words(params: Mapping[str, Any]) -> str:
        return ", ".join(
            f"{count} {names.get(kind, kind)} {thing}{'s' if count > 1 else ''}"
            for kind, count in params[key].items()
        )

    return words


def _keys(params: Mapping[str, Any]) -> str:
    keys = [repr(key) for key in params.get("required_keys", ())]
    return f"keys: {', '.join(keys)}" if keys else ""


def _length(params: Mapping[str, Any]) -> str:
    return f"exactly {params['length']} amino acids"


def _property(params: Mapping[str, Any]) -> str:
    if params["kind"] == "label":
        return f"discrete: {', '.join(params['labels'])}"
    return f"continuous, in {params['unit']}"


def _levels(params: Mapping[str, Any]) -> str:
    """A row where the order counts, else an object's keys, which have none."""
    names = params["level_names"]
    if params.get("order"):
        return f"hierarchy format: {', '.join(names)}"
    return "{" + ", ".join(f'"{name}": "..."' for name in names) + "}"


def _scene(params: Mapping[str, Any]) -> str:
    return "; ".join(f"{name}: [{', '.join(labels)}]" for name, labels in params["fields"].items())


def _steps(params: Mapping[str, Any]) -> str:
    return " ".join(f"{number}. {step}" for number, step in enumerate(params["steps"], start=1))


_WORDS: Mapping[str, Words] = MappingProxyType(
    {
        "decimal_number": _places,
        "json_constraint": _keys,
        "choose_from": lambda params: f"options: {', '.join(params['options'])}",
        "number_response": lambda params: f"N = {params['n']} types of responses",
        "response_structure": lambda params: f"final_answer_position = {params['position']}",
        "unit_consistency": lambda params: str(params["unit"]),
        "method_constraint": lambda params: str(params["methods"][0]["name"]),
        "molecular_validity": lambda params: str(params.get("system", "smiles")).upper(),
        "atom_count_constraint": _counts(_ELEMENTS, "atom", "atoms"),
        "atom_bond_constraint": _counts({}, "bond", "bonds"),
        "atom_group_constraint": _counts({}, "group", "groups"),
        "address_hierarchy": _levels,
        "scene_option_constraint": _scene,
        "entity_relationship_format_validity": lambda params: (
            f"Format: ({', '.join(params['slots'])})"
        ),
        "protein_length": _length,
        "characterization_technique": lambda params: ", ".join(params["allowed"]),
        "property_type": _property,
    }
)
"""By the constraint's name without its domain; what is not here has no words in the release."""
