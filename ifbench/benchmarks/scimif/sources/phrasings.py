"""How a question asks for a general constraint: several sentences each, in the check's own terms.

A sentence says all that the check decides and nothing that it does not look at, so that an
answer which follows the sentence passes. `{…}` are filled from the parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from types import MappingProxyType
from typing import Any

from ifbench.benchmarks.scimif.taxonomy import CATEGORIES

PHRASINGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "general:decimal_number": (
            "Give every number in your answer with exactly {digits} after the decimal point.",
            "Write each numerical value with {places_in_words}, no more and no fewer.",
            "All numbers in the response must have exactly {places_in_words}.",
            (
                "Round every number that you report so that it shows exactly {digits} after the "
                "decimal point."
            ),
            "Whatever numbers you state, state each with {places_in_words}.",
        ),
        "general:scientific_annotation": (
            (
                "Write every number in scientific notation, with one non-zero digit before the decimal "
                "point, for example 4.2 × 10^-3."
            ),
            (
                "Express all numerical values in scientific notation, such as 6.5 × 10^2, with a "
                "mantissa from 1 up to, but not including, 10."
            ),
            (
                "Every number in your response must stand in normalized scientific notation, like "
                "1.3e-4."
            ),
            (
                "Use normalized scientific notation (for example 7.1 × 10^5) for each number that you "
                "write."
            ),
        ),
        "general:all_uppercase": (
            "Write the whole response in capital letters.",
            "Use uppercase letters only, from the first word to the last.",
            "Every word of your answer must be written in uppercase letters.",
            "Answer in all capitals.",
        ),
        "general:all_lowercase": (
            "Write the whole response in lowercase letters.",
            "Use no capital letter anywhere in your answer.",
            "Your entire response must be in lowercase, without a single capital letter.",
            "Answer in lowercase only, also at the start of a sentence.",
        ),
        "general:wrap_up": (
            "Put your final answer inside \\boxed{{}}.",
            "Write the final answer in a box, as \\boxed{{...}}.",
            "Enclose the final answer in \\boxed{{...}}.",
            "The final answer must stand inside \\boxed{{}}.",
        ),
        "general:json_constraint": (
            'Return only a JSON object in which the key "{key}" holds the answer.',
            (
                'Your whole response must be one valid JSON object with the key "{key}" for the '
                "answer."
            ),
            (
                'Format the answer strictly as a JSON object; store it under the key "{key}" and add '
                "no text around the object."
            ),
            'Reply with nothing but a JSON object that gives the answer under "{key}".',
        ),
        "general:list_constraint": (
            "Return only a Python list that holds the answer.",
            "Your whole response must be one Python list literal, with strings in quotes.",
            "Format the answer strictly as a Python list and add no other text.",
            "Reply with nothing but a valid Python list.",
        ),
        "general:tuple_constraint": (
            "Return only a Python tuple that holds the answer.",
            "Your whole response must be one Python tuple literal, with strings in quotes.",
            "Format the answer strictly as a Python tuple and add no other text.",
            "Reply with nothing but a valid Python tuple.",
        ),
        "general:dictionary_constraint": (
            "Return only a Python dictionary that holds the answer.",
            "Your whole response must be one Python dictionary literal, with strings in quotes.",
            "Format the answer strictly as a Python dictionary and add no other text.",
            "Reply with nothing but a valid Python dictionary.",
        ),
        "general:markdown_constraint": (
            "Format the response with Markdown syntax, for example a heading, a list or bold text.",
            (
                "Write your answer in Markdown and use at least one of its elements, such as a bullet "
                "list or a heading."
            ),
            "Use Markdown formatting (headings, lists, bold text or a table) in your answer.",
            (
                "The response must be a Markdown text with at least one heading, list or piece of bold "
                "text."
            ),
        ),
        "general:html_constraint": (
            "Return only valid HTML: every part of the answer must stand inside an HTML element.",
            "Format the whole response as HTML, with all text inside properly closed tags.",
            "Your response must consist of well-formed HTML elements and of nothing outside them.",
            "Write the answer strictly in HTML tags; leave no text outside a tag.",
        ),
        "general:xml_constraint": (
            "Return only well-formed XML with the single root element <{root}>.",
            (
                "Format the whole response as one XML element <{root}>…</{root}> that holds the "
                "answer."
            ),
            (
                "Your response must be a well-formed XML document whose root is <{root}>, without any "
                "other text."
            ),
            "Write the answer strictly as XML; the one root element is called {root}.",
        ),
        "general:csv_constraint": (
            "Return only comma-separated values: the header line {header}, then one line of data.",
            "Format the whole response as CSV with the header {header} and the data below it.",
            (
                "Your response must be CSV text and nothing else; its first line is {header} and each "
                "further line has the same number of fields."
            ),
            "Write the answer strictly as CSV. Start with the header {header}, then give the data.",
        ),
        "general:choose_from": (
            (
                "Choose your answer from these options: {options}. Reply with exactly one of them and "
                "nothing else."
            ),
            "Select exactly one of the following options as your whole answer: {options}.",
            "The only permitted answers are {options}; output one of them and no other text.",
            "Pick one option out of {options} and write only that option.",
        ),
        "general:judge": (
            "Answer with yes or no only, without any explanation.",
            "Reply with a single word, yes or no.",
            "Your whole response must be either yes or no; give no reasons.",
            "Output strictly yes or no and nothing else.",
        ),
        "general:response_structure": (
            (
                "Put the final answer {place} of your response, introduced by "
                '"Final answer:"{around}.'
            ),
            (
                'The final answer must stand {place} of the response, after the words "Final '
                'answer:"{around}.'
            ),
            (
                'Structure your response so that a line beginning with "Final answer:" gives the '
                "result {place} of it{around}."
            ),
            ('Place your conclusion, marked "Final answer:", {place} of the response{around}.'),
        ),
        "general:number_response": (
            "Give exactly {n} different {items}, no more and no fewer.",
            "Your answer must contain exactly {n} distinct {items}.",
            "List {n} distinct {items}; do not repeat any and do not add others.",
            "Report exactly {n} {items}, each of them only once.",
        ),
    }
)

_PLACE: Mapping[str, str] = MappingProxyType(
    {"beginning": "at the beginning", "middle": "in the middle", "end": "at the end"}
)
_AROUND: Mapping[str, str] = MappingProxyType(
    {
        "beginning": ", and explain it afterwards",
        "middle": ", with explanation both before and after it",
        "end": ", after your explanation",
    }
)
_DIGITS = ("no digits", "one digit", "two digits", "three digits", "four digits")
_PLACES = (
    "no decimal places",
    "one decimal place",
    "two decimal places",
    "three decimal places",
    "four decimal places",
)


def phrase(constraint_id: str, params: Mapping[str, Any], answer_name: str, rng: Random) -> str:
    """A sentence that asks for a constraint, one of its phrasings at random."""
    words = _words(constraint_id, params, answer_name.replace("_", " "))
    return rng.choice(PHRASINGS[constraint_id]).format_map(words)


def _words(constraint_id: str, params: Mapping[str, Any], items: str) -> Mapping[str, str]:
    match constraint_id:
        case "general:decimal_number":
            places = params["places"]
            return {"digits": _DIGITS[places], "places_in_words": _PLACES[places]}
        case "general:json_constraint":
            return {"key": params["required_keys"][0]}
        case "general:xml_constraint":
            return {"root": params["root"]}
        case "general:csv_constraint":
            return {"header": ",".join(params["header"])}
        case "general:choose_from":
            quoted = [f'"{option}"' for option in params["options"]]
            return {"options": f"{', '.join(quoted[:-1])} and {quoted[-1]}"}
        case "general:response_structure":
            position = params["position"]
            return {"place": _PLACE[position], "around": _AROUND[position]}
        case "general:number_response":
            return {"n": str(params["n"]), "items": items}
        case _:
            return {}


assert set(PHRASINGS) == {name for members in CATEGORIES.values() for name in members}
