"""The release's rule on methods."""

from __future__ import annotations

from ifbench.constraints.constraint import Check, Example, failed, passed
from ifbench.constraints.scimif_release.rule import (
    ReleaseParams,
    extracted_rule,
    of_each_discipline,
    with_note,
)


def locate_parameter(text: str, params: ReleaseParams) -> tuple[str, ...] | None:
    """The parameter, where it stands in the answer letter by letter; else a model must read.

    An empty one stands in every answer.
    """
    return (params.text,) if params.text in text else None


@extracted_rule(
    "method_constraint",
    decides=of_each_discipline("method_constraint"),
    group="method",
    template="release_method",
    locate=locate_parameter,
    example=Example(
        params={"raw": "ideal gas law"},
        instruction="Use the ideal gas law.",
        passing="By the ideal gas law, n = 0.04 mol.",
        failing="From pV = nRT, n = 0.04 mol.",
    ),
)
def method_constraint(findings: tuple[str, ...], params: ReleaseParams) -> Check:
    """The entire parameter stands letter by letter in the answer, or in what a model names as the
    methods of the answer. A long parameter almost never does.
    """
    listed = "\n".join(findings)
    if params.text in listed:
        return with_note(passed("the entire parameter was found", extracted=listed), params)
    return failed(
        f"the entire parameter ({len(params.text)} characters) stands neither in the answer nor in "
        "the methods that were read out of it",
        extracted=listed,
    )
