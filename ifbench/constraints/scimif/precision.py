"""SciMIF's group *precision* (Table 11): how the numbers of an answer are written.

Numbers are read from the source text, never from parsed values: JSON's `7.400` has three
decimals. What only looks like a quantity (Step 2, H2O, an exponent, a date) is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, Self

from pydantic import Field, model_validator

from ifbench.constraints.constraint import Check, Example, Params, failed, passed, quote, scripted
from ifbench.parsing.answers import final_answer, values_of
from ifbench.parsing.numbers import DecimalMark, Number, quantities_in, quantities_of_part

_SHOWN = 10  # Places quoted in a verdict; the counts are in `found`.


class NumberScope(Params):
    """Which numbers a rule is about."""

    scope: Literal["all", "final", "keys"] = "all"
    """All quantities, those of the final answer, or those under the named keys."""
    keys: tuple[str, ...] = ()
    """Keys of a JSON object or dictionary, XML elements, or labels of `key: value` lines."""
    decimal_mark: DecimalMark = "."

    @model_validator(mode="after")
    def _keys_belong_to_their_scope(self) -> Self:
        if (self.scope == "keys") != bool(self.keys):
            raise ValueError("`keys` are needed by scope `keys`, and only there")
        return self


class DecimalNumber(NumberScope):
    """Parameters of `decimal_number`."""

    places: int = Field(ge=0, le=20)
    """Digits after the point, of the mantissa where there is an exponent."""


class ScientificAnnotation(NumberScope):
    """Parameters of `scientific_annotation`."""

    normalized: bool = True
    """The mantissa m holds 1 <= |m| < 10; zero may have any."""
    mantissa_places: int | None = Field(default=None, ge=0, le=20)
    """Digits after the mantissa's point; `None` leaves them open."""


@scripted(
    "general:decimal_number",
    group="precision",
    category="C1",
    params=DecimalNumber,
    example=Example(
        params={"places": 2},
        instruction="Give every numerical value with exactly two decimal places.",
        passing="The mass is 12.50 g, about 3.00% more than in Step 1.",
        failing="The mass is 12.5 g, about 3.00% more than in Step 1.",
    ),
    version=4,
)
def decimal_number(text: str, params: DecimalNumber) -> Check:
    """Every numerical quantity keeps exactly the required number of decimal places."""

    def flaw(number: Number) -> str:
        return "" if number.decimals == params.places else f"has {_places(number.decimals)}"

    return _check_numbers(text, params, flaw, wanted=f"{_places(params.places)} are asked for")


@scripted(
    "general:scientific_annotation",
    group="precision",
    category="C1",
    params=ScientificAnnotation,
    example=Example(
        params={"mantissa_places": 2},
        instruction="Write every number in scientific notation with two decimals in the mantissa.",
        passing="The density is 2.70 × 10^3 kg/m³.",
        failing="The density is 27.0 × 10^2 kg/m³, or 2700 kg/m³.",
    ),
    version=4,
)
def scientific_annotation(text: str, params: ScientificAnnotation) -> Check:
    """Every numerical quantity is written in scientific notation."""

    def flaw(number: Number) -> str:
        if not number.is_scientific:
            return "is not in scientific notation"
        if params.normalized and not (number.is_normalized or _is_uncertainty(text, number)):
            return "has a mantissa that is not from 1 to below 10"
        if params.mantissa_places not in {None, number.decimals}:
            return f"has {_places(number.decimals)} in its mantissa, not {params.mantissa_places}"
        return ""

    return _check_numbers(text, params, flaw, wanted="scientific notation is asked for")


def _is_uncertainty(text: str, number: Number) -> bool:
    """True after ±: an uncertainty is written with its value's power of ten."""
    return text[max(number.start - 8, 0) : number.start].rstrip(" \\,;~").endswith(_PLUS_MINUS)


_PLUS_MINUS = ("±", "\\pm", "+/-")


def _places(count: int) -> str:
    return "1 decimal place" if count == 1 else f"{count} decimal places"


def _check_numbers(
    text: str, params: NumberScope, flaw: Callable[[Number], str], *, wanted: str
) -> Check:
    """Pass when there are numbers in scope and none has a flaw."""
    numbers, scope, missing = _numbers_in_scope(text, params)
    if missing or not numbers:
        return failed(missing or f"there is no number {scope}; {wanted}", found={"numbers": 0})
    flaws = [(number, words) for number in numbers if (words := flaw(number))]
    found = {"numbers": len(numbers), "wrong": len(flaws)}
    if not flaws:
        count = "the number" if len(numbers) == 1 else f"all {len(numbers)} numbers"
        return passed(f"{count} {scope} as asked", found=found, extracted=_written(text, numbers))
    first, words = flaws[0]
    shown = text[first.start : first.end][:40]
    return failed(
        f"{len(flaws)} of {len(numbers)} numbers {scope} are wrong, the first: `{shown}` {words}",
        evidence=tuple(quote(text, number.start, number.end) for number, _ in flaws[:_SHOWN]),
        found=found,
        extracted=_written(text, numbers),
    )


def _written(text: str, numbers: Sequence[Number]) -> str:
    return ", ".join(text[number.start : number.end][:40] for number in numbers[:_SHOWN])


def _numbers_in_scope(text: str, params: NumberScope) -> tuple[list[Number], str, str]:
    """The numbers, the scope in words, and what is missing where the scope cannot be found."""
    mark = params.decimal_mark
    if params.scope == "all":
        return list(quantities_in(text, decimal_mark=mark)), "in the answer", ""
    if params.scope == "final":
        region = final_answer(text)
        found = list(quantities_of_part(text, region.start, region.end, mark)) if region else []
        return found, "in the final answer", ""
    regions = values_of(text, params.keys)
    if not regions:
        return [], "under the keys", f"no value stands under {', '.join(params.keys)}"
    found = [
        number
        for region in regions
        for number in quantities_in(text, region.start, region.end, decimal_mark=mark)
    ]
    return found, "under the keys", ""
