"""What a constraint is, and the decorators that make one out of a function.

A decorator only builds a value; `ifbench.constraints.all_constraints` finds the values by
walking the packages. A check is pure: the same text and parameters give the same `Check`
on every machine. It reads the *final text* (reasoning removed) and never the question.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict

from ifbench.parsing.quotations import quotation_span
from ifbench.types import Cause, Evidence, Outcome


class Params(BaseModel):
    """Typed parameters of one constraint: frozen, and unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class NoParams(Params):
    """For constraints that have nothing to set."""


P = TypeVar("P", bound=Params)


_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Check(NamedTuple):
    """What a check found. Use `passed`, `failed` and `undecided` to build one.

    A tuple for the same reason as `Evidence`: each is built twice, on both sides of a sandbox.
    """

    outcome: Outcome
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()
    extracted: str | None = None
    found: Mapping[str, Any] = _NOTHING
    """Counts and parsed values, as plain JSON."""
    requirements: tuple[bool | None, ...] = ()
    """Decomposed parts; empty means one part that equals the outcome."""
    cause: Cause | None = None
    """Set exactly when undecided."""


def passed(reason: str = "", **details: Any) -> Check:
    """The answer obeys the constraint."""
    return Check(outcome=Outcome.PASS, reason=reason, **details)


def failed(reason: str, **details: Any) -> Check:
    """The answer breaks the constraint; the reason says how, in words a user can act on."""
    return Check(outcome=Outcome.FAIL, reason=reason, **details)


def undecided(cause: Cause, reason: str, **details: Any) -> Check:
    """No verdict can be had; the cause is counted and shown."""
    return Check(outcome=Outcome.UNDECIDED, reason=reason, cause=cause, **details)


def quote(text: str, start: int, end: int, limit: int = 120) -> Evidence:
    """Evidence for `text[start:end]`, its quotation shortened to `limit` characters."""
    words = text[start:end]
    return Evidence(start, end, words if len(words) <= limit else words[: limit - 1] + "…")


# ── Methods: how a constraint is decided ─────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Scripted:
    """A script decides on the final text."""

    params: type[Params]
    check: Callable[[str, Any], Check]
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """A script decides on quotations from the final text.

    `locate` returns them where a rule finds them; `None` where it does not, and only then is
    the extractor asked, with `template`. A quotation that does not stand in the answer is
    rejected. `check` gets the quotations, `()` when the answer holds none.
    """

    params: type[Params]
    locate: Callable[[str, Any], tuple[str, ...] | None]
    template: str
    """Name of the prompt below `ifbench/prompts/extract/`, without its ending."""
    check: Callable[[tuple[str, ...], Any], Check]
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A model reads, a script decides: the reply is structured, `decide` turns it into a check."""

    params: type[Params]
    template: str
    """Name of the prompt below `ifbench/prompts/judge/`, without its ending."""
    reply: type[BaseModel]
    """The structured reply; its JSON Schema goes out with the prompt."""
    decide: Callable[[Any, Any], Check]
    """From the reply and the params. Raises `ValueError` when the reply does not fit the
    params (a step left out, a number out of range): then it is unreadable."""
    parts: Callable[[Any], int]
    """Number of requirements that the params ask for, known before any reply."""
    prepare: Callable[[str, Any], Mapping[str, Any]] | None = None
    """Script evidence (a pre-count, say) for the template, from the final text and params."""
    schema: Callable[[Any], Mapping[str, Any]] | None = None
    """The JSON Schema that goes out, from the params; `None`: that of `reply`, whatever they are."""
    settle: Callable[[str, Any], Check | None] | None = None
    """What is decided without a judge, from the final text and params; `None` where one is asked."""
    is_listed: bool = False
    """True for one of a list of yes-or-no questions: the template takes `entries`, as many as are
    asked at once, and `reply` is one entry of the reply (`constraints.listed`)."""
    rubric: str = ""
    """What the judge is told to look for, whatever the item's own question is."""
    version: int = 1


Method: TypeAlias = Scripted | Extracted | Judged


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One use of a constraint, shown in the docs and checked by the contract suite."""

    params: Mapping[str, Any]
    instruction: str
    """How a question could ask for it, one sentence."""
    passing: str
    failing: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """One kind of requirement, under its canonical id (`domain:name`)."""

    id: str
    group: str
    """The functional group (SciMIF, section 3.1) or category (Video-IFBench, Table 6)."""
    description: str
    """The docstring of the function that decides."""
    example: Example
    category: str
    """At most one constraint of a category is injected into one instruction."""
    method: Method
    extra: str = ""
    """The optional dependencies that its check needs (`chemistry`); empty for none."""

    @property
    def domain(self) -> str:
        """`general`, the discipline that the constraint belongs to, or `videoif`."""
        return self.id.partition(":")[0]

    @property
    def benchmark(self) -> str:
        """The benchmark whose paper defines it, by the name that records use."""
        return "videoif" if self.domain == "videoif" else "scimif"

    @property
    def params(self) -> type[Params]:
        return self.method.params

    @property
    def grader(self) -> str:
        """Who decides, with the version of the rule; stored with each verdict."""
        kind = {Scripted: "script", Extracted: "extract", Judged: "judge"}[type(self.method)]
        return f"{kind}:{self.id}@{self.method.version}"


def _describe(function: Callable[..., Any]) -> str:
    lines = (function.__doc__ or "").strip().split("\n\n")
    return " ".join(lines[0].split())


def scripted(
    id: str,
    *,
    group: str,
    params: type[P],
    example: Example,
    category: str = "",
    version: int = 1,
) -> Callable[[Callable[[str, P], Check]], Constraint]:
    """Make a constraint out of `check(text, params)`; its docstring is the description."""

    def build(check: Callable[[str, P], Check]) -> Constraint:
        return Constraint(
            id=id,
            group=group,
            description=_describe(check),
            example=example,
            category=category or group,
            method=Scripted(params=params, check=check, version=version),
        )

    return build


def extracted(
    id: str,
    *,
    group: str,
    params: type[P],
    locate: Callable[[str, P], tuple[str, ...] | None],
    template: str,
    example: Example,
    category: str = "",
    version: int = 1,
    extra: str = "",
) -> Callable[[Callable[[tuple[str, ...], P], Check]], Constraint]:
    """Make a constraint out of `check(quotations, params)`."""

    def build(check: Callable[[tuple[str, ...], P], Check]) -> Constraint:
        return Constraint(
            id=id,
            group=group,
            description=_describe(check),
            example=example,
            category=category or group,
            method=Extracted(
                params=params, locate=locate, template=template, check=check, version=version
            ),
            extra=extra,
        )

    return build


R = TypeVar("R", bound=BaseModel)


def judged(
    id: str,
    *,
    group: str,
    params: type[P],
    template: str,
    reply: type[R],
    parts: Callable[[P], int],
    example: Example,
    prepare: Callable[[str, P], Mapping[str, Any]] | None = None,
    schema: Callable[[P], Mapping[str, Any]] | None = None,
    category: str = "",
    version: int = 1,
) -> Callable[[Callable[[R, P], Check]], Constraint]:
    """Make a constraint out of `decide(reply, params)`."""

    def build(decide: Callable[[R, P], Check]) -> Constraint:
        return Constraint(
            id=id,
            group=group,
            description=_describe(decide),
            example=example,
            category=category or group,
            method=Judged(
                params=params,
                template=template,
                reply=reply,
                decide=decide,
                parts=parts,
                prepare=prepare,
                schema=schema,
                version=version,
            ),
        )

    return build


# ── Deciding, with the ground rules that hold for every constraint ───────────────────

MAX_CHARACTERS = 2_000_000
"""Checks read no more than this; a longer answer is undecided, cause *verifier error*."""


def decide(constraint: Constraint, text: str | None, params: Params) -> Check:
    """Run the script of a scripted constraint on a final text.

    An empty answer fails every constraint, exclusions included, and so does one that is nested
    deeper than a check can follow.
    """
    method = constraint.method
    if not isinstance(method, Scripted):
        raise TypeError(f"{constraint.id} is not decided by a script alone")
    return _guarded(lambda words: method.check(words, params), text)


def locate(constraint: Constraint, text: str | None, params: Params) -> Check | None:
    """Run an extracted constraint as far as rules go; `None` when the extractor must be asked."""
    method = constraint.method
    if not isinstance(method, Extracted):
        raise TypeError(f"{constraint.id} needs no extraction")

    def run(words: str) -> Check:
        quotations = method.locate(words, params)
        if quotations is None:
            raise _NotLocatedError
        return _with_places(method.check(quotations, params), quotations, words)

    try:
        return _guarded(run, text)
    except _NotLocatedError:
        return None


def decide_extracted(
    constraint: Constraint, quotations: Sequence[str], params: Params, *, text: str = ""
) -> Check:
    """Decide on what the extractor quoted; the caller has seen that it stands in the answer.

    Where `text`, the answer, is given, the check's evidence says where the quotations stand.
    """
    method = constraint.method
    if not isinstance(method, Extracted):
        raise TypeError(f"{constraint.id} needs no extraction")
    return _guarded(
        lambda _: _with_places(method.check(tuple(quotations), params), quotations, text), "quoted"
    )


def _with_places(check: Check, quotations: Sequence[str], text: str) -> Check:
    spans = (quotation_span(words, text) for words in quotations)
    places = tuple(quote(text, *span) for span in spans if span is not None)
    return check._replace(evidence=check.evidence or places)


class _NotLocatedError(Exception):
    """No rule found what the script needs."""


def _guarded(run: Callable[[str], Check], text: str | None) -> Check:
    if not text or text.isspace():
        return failed("the answer is empty")
    if len(text) > MAX_CHARACTERS:
        return undecided(
            Cause.VERIFIER_ERROR,
            f"the answer has {len(text):,} characters; checks read at most {MAX_CHARACTERS:,}",
        )
    try:
        return run(text)
    except RecursionError:
        return failed("the answer is nested too deeply to be read")
