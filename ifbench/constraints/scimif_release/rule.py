"""What a rule of SciMIF's public scorer is, and the decorators that make one out of a function.

The release decides on the *free text* of a parameter and on the question, once for each answer;
the paper's constraints decide on typed parameters and never see the question. A rule is a
`Constraint` all the same, so that one machinery runs both, but it lies inside a `ReleaseRule`
and not in a module's namespace: it is no constraint of its own.

The rules are written from a description of what the scorer decides, not from its code. Where the
description leaves something open, the rule says in its docstring how it is read (`docs/rules.md`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import AfterValidator, BaseModel

from ifbench.constraints.constraint import (
    Check,
    Constraint,
    Example,
    Extracted,
    Judged,
    Method,
    Params,
    Scripted,
    failed,
)

DISCIPLINES = ("chemistry", "geography", "biology", "material", "physics")
NO_TEXT = "no parameter text"


def _sendable(text: str) -> str:
    """The text as JSON can carry it to another process: half a surrogate pair becomes U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


SourceText: TypeAlias = Annotated[str, AfterValidator(_sendable)]


class ReleaseParams(Params):
    """What the release's scorer looks at beside the answer."""

    raw: SourceText = ""
    """`required_parameters`, as a model once wrote them."""
    question: SourceText = ""
    """The question as it was sent, constraints and all."""

    @property
    def text(self) -> str:
        return self.raw.strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseRule:
    """One rule, and the canonical ids of the constraints that it decides."""

    constraint: Constraint
    decides: tuple[str, ...]


RuleCheck: TypeAlias = Callable[[str, ReleaseParams], Check]


def of_each_discipline(name: str) -> tuple[str, ...]:
    """The ids of a constraint that all five disciplines have."""
    return tuple(f"{discipline}:{name}" for discipline in DISCIPLINES)


def scripted_rule(
    name: str,
    *,
    decides: tuple[str, ...],
    group: str,
    example: Example,
    reads_text: bool = False,
    extra: str = "",
) -> Callable[[RuleCheck], ReleaseRule]:
    """Make a rule out of `check(text, params)`; its docstring is the description.

    With `reads_text` the reason says so where there is no parameter text to read.
    """

    def build(check: RuleCheck) -> ReleaseRule:
        def noted(text: str, params: ReleaseParams) -> Check:
            return with_note(check(text, params), params)

        method = Scripted(params=ReleaseParams, check=noted if reads_text else check)
        return _rule(name, decides, group, example, check, method, extra)

    return build


def extracted_rule(
    name: str,
    *,
    decides: tuple[str, ...],
    group: str,
    template: str,
    locate: Callable[[str, ReleaseParams], tuple[str, ...] | None],
    example: Example,
) -> Callable[[Callable[[tuple[str, ...], ReleaseParams], Check]], ReleaseRule]:
    """Make a rule out of `check(findings, params)`."""

    def build(check: Callable[[tuple[str, ...], ReleaseParams], Check]) -> ReleaseRule:
        method = Extracted(params=ReleaseParams, locate=locate, template=template, check=check)
        return _rule(name, decides, group, example, check, method)

    return build


R = TypeVar("R", bound=BaseModel)


def judged_rule(
    name: str,
    *,
    decides: tuple[str, ...],
    group: str,
    template: str,
    reply: type[R],
    prepare: Callable[[str, ReleaseParams], Mapping[str, Any]],
    example: Example,
    settle: RuleCheckOrNone | None = None,
) -> Callable[[Callable[[R, ReleaseParams], Check]], ReleaseRule]:
    """Make a rule out of `decide(reply, params)`. The release gives one score an instruction,
    so that each rule has one requirement.
    """

    def build(decide: Callable[[R, ReleaseParams], Check]) -> ReleaseRule:
        method = Judged(
            params=ReleaseParams,
            template=template,
            reply=reply,
            decide=decide,
            parts=_one,
            prepare=prepare,
            settle=settle,
        )
        return _rule(name, decides, group, example, decide, method)

    return build


RuleCheckOrNone: TypeAlias = Callable[[str, ReleaseParams], Check | None]


def skipped(why: str, **details: Any) -> Check:
    """What the release marks as skipped. Its score is 0, so that the item fails."""
    return failed(f"skipped by the release: {why}", **details)


def with_note(check: Check, params: ReleaseParams) -> Check:
    """The check, its reason saying so where there was no parameter text."""
    return check if params.text else check._replace(reason=f"{NO_TEXT}; {check.reason}")


def _one(_: ReleaseParams) -> int:
    return 1


def _rule(
    name: str,
    decides: tuple[str, ...],
    group: str,
    example: Example,
    function: Callable[..., Check],
    method: Method,
    extra: str = "",
) -> ReleaseRule:
    constraint = Constraint(
        id=f"release:{name}",
        group=group,
        description=" ".join((function.__doc__ or "").split("\n\n")[0].split()),
        example=example,
        category=group,
        method=method,
        extra=extra,
    )
    return ReleaseRule(constraint=constraint, decides=decides)
