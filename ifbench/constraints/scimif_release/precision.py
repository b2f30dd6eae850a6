"""The release's rules on numbers: how many decimal places, and scientific notation."""

from __future__ import annotations

import re

from ifbench.constraints.constraint import Check, Example, failed, passed, quote
from ifbench.constraints.scimif_release.amounts import first_amount
from ifbench.constraints.scimif_release.regions import ANSWER_PHRASE
from ifbench.constraints.scimif_release.rule import ReleaseParams, scripted_rule, skipped

_NAMED = {
    r"\bnearest\s+(?:integer|whole)": 0,
    r"\bnearest\s+tenth\b": 1,
    r"\bnearest\s+hundredth\b": 2,
    r"\bnearest\s+thousandth\b": 3,
}
_AFTER = r"(?:\s*\([0-9]+\))?[\s-]+(?:decimals?\b|(?:digits?|places?)\s+after\b)"
_FIELD = re.compile(r"""["']final[_ ]answer["']\s*:""", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.])[-+]?[0-9][0-9,]*(?:\.[0-9]+)?")
_NUMBERING = re.compile(r"^[ \t>]*[0-9]{1,3}[.)](?=\s)", re.MULTILINE)
_EVERY = re.compile(r"\b(?:all|intermediate)\b", re.IGNORECASE)


@scripted_rule(
    "decimal_annotation",
    decides=("general:decimal_number",),
    group="precision",
    reads_text=True,
    example=Example(
        params={"raw": "two decimal places"},
        instruction="Give the result with two decimal places.",
        passing="From 3 m and 1.5 m the final answer is 4.50 m.",
        failing="The final answer is 4.5 m, or 4.50 m.",
    ),
)
def decimal_annotation(text: str, params: ReleaseParams) -> Check:
    """One number has the wanted digits after its point: the first after the last answer phrase
    or in a JSON field `final_answer`, else the last of all. Each number where the question says
    "all" or "intermediate".

    Which number of the region counts is open; we take the first.
    """
    places = _wanted_places(params.text, params.question)
    if places is None:
        return skipped("neither the parameter nor the question states a number of places")
    numbers = _looked_at(text, params.question)
    if not numbers:
        return failed("there is no number")
    wrong = [number for number in numbers if _places(number[0]) != places]
    found = {"places": places, "numbers": len(numbers), "wrong": len(wrong)}
    if wrong:
        first = wrong[0]
        return failed(
            f"{first[0][:40]} has {_places(first[0])} decimal places, wanted are {places}",
            evidence=(quote(text, *first.span()),),
            found=found,
        )
    return passed(f"{len(numbers)} number(s) looked at, {places} decimal places", found=found)


def _wanted_places(raw: str, question: str) -> int | None:
    if re.fullmatch(r"[0-9]{1,2}", raw):
        return int(raw)
    for words in (raw, question):
        for pattern, places in _NAMED.items():
            if re.search(pattern, words, re.IGNORECASE):
                return places
        if (found := first_amount("", _AFTER, words)) is not None:
            return found
    return None


def _looked_at(text: str, question: str) -> list[re.Match[str]]:
    numbering = {match.end() - 1 for match in _NUMBERING.finditer(text)}  # Where its mark stands.
    numbers = [match for match in _NUMBER.finditer(text) if match.end() not in numbering]
    if _EVERY.search(question):
        return numbers
    start = max((m.end() for p in (ANSWER_PHRASE, _FIELD) for m in p.finditer(text)), default=-1)
    after = [number for number in numbers if start >= 0 and number.start() >= start]
    return after[:1] or numbers[-1:]


def _places(number: str) -> int:
    return len(number.partition(".")[2])


_POWER = re.compile(
    r"(?<=[0-9])\s{0,3}(?:×|x|\*|·|\\times|\\cdot)\s{0,3}10\s{0,3}(?:\^|\*\*)\s{0,3}"
    r"\{?\s{0,3}(?P<exponent>[-+−]?[0-9]+)\s{0,3}\}?",
)
_TOKEN = re.compile(r"(?<![A-Za-z0-9_.])[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_SCIENTIFIC = re.compile(r"[0-9](?:\.[0-9]+)?[eE][-+]?[0-9]+")


@scripted_rule(
    "scientific_annotation",
    decides=("general:scientific_annotation",),
    group="precision",
    example=Example(
        params={},
        instruction="Write all numbers in scientific notation.",
        passing="The speed of light is 2.998 × 10^8 m/s.",
        failing="The speed of light is 2.998 × 10^8 m/s in 1 medium.",
    ),
)
def scientific_annotation(text: str, params: ReleaseParams) -> Check:
    """Every number of the answer is one digit, perhaps a point and digits, `e` and an exponent;
    `× 10^n` is read as `e`. List numbers and counts are numbers, too.
    """
    del params
    written = _POWER.sub(lambda match: "e" + match["exponent"].replace("−", "-"), text)
    tokens = [match[0] for match in _TOKEN.finditer(written)]
    if not tokens:
        return failed("there is no number")
    wrong = [token for token in tokens if not _SCIENTIFIC.fullmatch(token)]
    found = {"numbers": len(tokens), "wrong": len(wrong)}
    if wrong:
        return failed(f"{wrong[0][:40]} is not in scientific notation", found=found)
    return passed(f"all {len(tokens)} numbers are in scientific notation", found=found)
