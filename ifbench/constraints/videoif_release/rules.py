"""The release's rules: eleven types by an extraction and a function, the other 29 by its judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from ifbench.constraints import all_constraints
from ifbench.constraints.constraint import Check, Example, failed, passed
from ifbench.constraints.scimif_release.rule import (
    ReleaseParams,
    ReleaseRule,
    extracted_rule,
    judged_rule,
)
from ifbench.constraints.videoif_release import functions
from ifbench.constraints.videoif_release.functions import MAX_ANSWER, Given, read_given
from ifbench.parsing.flaws import excerpt
from ifbench.parsing.replies import Flag, Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function of the release, and the parameters that it takes."""

    given: type[Given]
    decide: Callable[[str, Any], bool]


FUNCTIONS: Mapping[str, Function] = MappingProxyType(
    {
        function.__name__: Function(given=given, decide=function)
        for given, function in (
            (functions.ValueGiven, functions.normalized_value_format),
            (functions.JsonGiven, functions.structured_json_output),
            (functions.TableGiven, functions.table_output),
            (functions.ListGiven, functions.ordered_list_output),
            (functions.OptionGiven, functions.closed_set_option_output),
            (functions.LengthGiven, functions.response_length_constraint),
            (functions.CountGiven, functions.paragraph_count_constraint),
            (functions.CountGiven, functions.list_item_count_constraint),
            (functions.RequiredGiven, functions.required_keyword_inclusion),
            (functions.ForbiddenGiven, functions.forbidden_keyword_exclusion),
            (functions.VerbatimGiven, functions.verbatim_speech_constraint),
        )
    }
)
"""By the name of the type."""


def _function_rule(name: str) -> ReleaseRule:
    function = FUNCTIONS[name]

    def check(findings: tuple[str, ...], params: ReleaseParams) -> Check:
        del params
        if len(findings) < 2:
            return failed("the extraction calls no function; a missing answer counts as no")
        part, *calls = findings
        if len(part) > MAX_ANSWER:
            return failed(f"a part of {len(part):,} characters is no answer")
        for call in calls:
            if not function.decide(part, read_given(function.given, call)):
                return failed(f"{name} says no to “{excerpt(part)}” with {excerpt(call, 200)}")
        return passed(f"{name} says yes with {excerpt(calls[0], 200)}")

    check.__doc__ = function.decide.__doc__
    example = all_constraints()[f"videoif:{name}"].example
    return extracted_rule(
        name,
        decides=(f"videoif:{name}",),
        group=all_constraints()[f"videoif:{name}"].group,
        template="release_function",
        locate=lambda _text, _params: None,
        example=Example(
            params={"raw": example.instruction},
            instruction=example.instruction,
            passing=example.passing,
            failing=example.failing,
        ),
    )(check)


class ReleaseItemReply(Reply):
    """The release's judge on one item."""

    rationale: str
    answer: Flag


def _decide(reply: ReleaseItemReply, params: ReleaseParams) -> Check:
    """The judge says yes to the checklist question, with the judge's context as its only facts."""
    del params
    reason = " ".join(reply.rationale.split())[:500]
    return passed(reason) if reply.answer else failed(reason or "the judge says no")


def _nothing(text: str, params: ReleaseParams) -> Mapping[str, Any]:
    del text, params
    return {}


def _judge_rule() -> ReleaseRule:
    types = tuple(
        name
        for name in all_constraints()
        if name.startswith("videoif:") and name.removeprefix("videoif:") not in FUNCTIONS
    )
    return judged_rule(
        "videoif_item",
        decides=types,
        group="judge",
        template="release_item",
        reply=ReleaseItemReply,
        prepare=_nothing,
        example=Example(
            params={"raw": "Is only what happens before the door opens mentioned?"},
            instruction="Mention only what happens before the door opens.",
            passing="A lamp goes on.",
            failing="The door opens and a dog runs in.",
        ),
    )(_decide)


@cache
def all_rules() -> tuple[ReleaseRule, ...]:
    """The rules; made when asked for, since they take their examples from the registry."""
    return (*map(_function_rule, FUNCTIONS), _judge_rule())
