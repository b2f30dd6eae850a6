"""Asking the extractor for what no rule could find in an answer, and reading what it quotes.

Pure on both sides. The extractor decides nothing: a script does, on what it copied. What does
not stand in the answer is rejected, so that an extractor's invention can never be held for or
against a candidate.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from ifbench.constraints.constraint import Check, Extracted, undecided
from ifbench.parsing.quotations import stands_in, stands_whole
from ifbench.parsing.replies import Reply, Unreadable, read_reply, strict_schema
from ifbench.prompts import render
from ifbench.stages.binding import bound_item
from ifbench.stages.judge import role_prompt
from ifbench.stages.verify import answer_of, asked_instruction
from ifbench.types import (
    CAUSE_OF_FAILURE,
    Cause,
    ModelConfig,
    Prompt,
    Purpose,
    Response,
    Rules,
    Stop,
    UnboundParams,
    WorkItem,
)


class MoleculeReply(Reply):
    """The reply to `molecule.j2`: one notation, empty where the answer gives none."""

    molecule: str

    @property
    def quotations(self) -> tuple[str, ...]:
        return (self.molecule.strip(),) if self.molecule.strip() else ()

    @property
    def findings(self) -> tuple[str, ...]:
        return self.quotations


class NamedPassage(Reply):
    """What was found, by its usual name, and the passage that shows it."""

    name: str
    quote: str


class MethodReply(Reply):
    """The reply to `method.j2`: the methods that the answer applies."""

    found: tuple[NamedPassage, ...]

    @property
    def quotations(self) -> tuple[str, ...]:
        return tuple(entry.quote for entry in self.found)

    @property
    def findings(self) -> tuple[str, ...]:
        """Names and passages alike: the script matches aliases and formulas on either."""
        return tuple(words for entry in self.found for words in (entry.name, entry.quote))


class EntityLabelsReply(Reply):
    """The reply to `entity_labels.j2`: what the answer calls its entities."""

    mentions: tuple[str, ...]

    @property
    def quotations(self) -> tuple[str, ...]:
        return tuple(words for words in self.mentions if words.strip())

    @property
    def findings(self) -> tuple[str, ...]:
        return self.quotations


class ReleaseMethodReply(Reply):
    """The reply to `release_method.j2`. The release compares words, and asks for no proof."""

    methods: tuple[str, ...]

    @property
    def quotations(self) -> tuple[str, ...]:
        return ()

    @property
    def findings(self) -> tuple[str, ...]:
        return self.methods


class FunctionCall(Reply):
    """One function of the release, its parameters as JSON text."""

    function_name: str
    parameters: str = "{}"


class ReleaseFunctionReply(Reply):
    """The reply to `release_function.j2`: a part of the answer, and the functions to call on it."""

    extracted_response: str = ""
    function_calls: tuple[FunctionCall, ...] = ()

    @property
    def quotations(self) -> tuple[str, ...]:
        return ()

    @property
    def findings(self) -> tuple[str, ...]:
        """The part (empty for the whole answer), and the parameters of each call."""
        return (self.extracted_response, *(call.parameters for call in self.function_calls))


Extraction: TypeAlias = (
    MoleculeReply | MethodReply | EntityLabelsReply | ReleaseMethodReply | ReleaseFunctionReply
)
"""`quotations` must stand in the answer; `findings` are what the script decides on."""

REPLIES: Mapping[str, type[Extraction]] = {
    "molecule": MoleculeReply,
    "method": MethodReply,
    "entity_labels": EntityLabelsReply,
    "release_method": ReleaseMethodReply,
    "release_function": ReleaseFunctionReply,
}
"""The shape of the reply to each template below `ifbench/prompts/extract/`."""


def ask_extractions(
    item: WorkItem,
    response: Response,
    extractor: ModelConfig,
    *,
    indices: Collection[int],
    attempt: int = 0,
    larger: bool = False,
    listed: bool = False,
    rules: Rules = "paper",
) -> Mapping[int, Prompt]:
    """One prompt for each item of `indices`, those whose target no rule could locate.

    With `listed` the reply's schema holds what can be quoted, and an extractor that is held to it
    invents nothing.
    """
    answer = answer_of(response)
    return {
        index: role_prompt(
            Purpose.EXTRACT,
            extractor,
            _words(item, index, answer, attempt, rules),
            _schema(_method(item, index, rules).template, answer if listed else ""),
            attempt=attempt,
            larger=larger,
        )
        for index in sorted(indices)
        if not isinstance(bound_item(item, index, rules).params, UnboundParams)
    }


def read_extractions(
    item: WorkItem,
    response: Response,
    replies: Mapping[int, Response],
    *,
    rules: Rules = "paper",
) -> Mapping[int, tuple[str, ...] | Check]:
    """What the script is to decide on, by checklist index; undecided where there is nothing.

    Quotations are compared with the final text under NFC and with runs of blanks as one
    (`parsing/quotations.py`); one that does not stand there rejects the whole extraction, and so
    does a molecule that is cut out of a longer word.
    """
    answer = answer_of(response)
    return {
        index: _read(_method(item, index, rules), answer, reply) for index, reply in replies.items()
    }


QUOTED: Mapping[str, tuple[str, ...]] = {
    "molecule": ("properties", "molecule"),
    "method": ("$defs", "NamedPassage", "properties", "quote"),
}
"""Where in the schema of a reply the quotation stands; the release's extractor quotes nothing."""

MOST_LISTED = 200
LONGEST_LISTED = 300
"""Characters of a word or line that is listed."""


def _schema(template: str, answer: str) -> Mapping[str, Any]:
    """The schema of a reply; with an answer, one that allows only quotations out of it."""
    schema = strict_schema(REPLIES[template])
    if not answer or template not in QUOTED:
        return schema
    return _replaced(schema, QUOTED[template], {"enum": list(quotable(answer, template))})


def quotable(answer: str, template: str) -> tuple[str, ...]:
    """What an extractor can choose from: words or lines for a molecule, or none; lines for a method."""
    if template == "method":  # Without a line that can be listed there is one endless one.
        return lines_to_choose(answer) or (answer.strip()[:LONGEST_LISTED],)
    lines = (line.strip() for line in answer.splitlines())
    return _listed(["", *_words_in(answer), *lines])


def _listed(found: Iterable[str]) -> tuple[str, ...]:
    """Each once, without those that are too long, and not too many."""
    return tuple(dict.fromkeys(w for w in found if len(w) <= LONGEST_LISTED))[:MOST_LISTED]


def lines_to_choose(answer: str) -> tuple[str, ...]:
    """The lines of an answer, those that are not too long, for an extractor that cannot copy."""
    return _listed(line.strip() for line in answer.splitlines() if line.strip())


def _words_in(answer: str) -> list[str]:
    """Each word as it stands, and without the punctuation around it."""
    return [word for raw in answer.split() for word in (raw, raw.strip(".,;:!?\"'`*"))]


def _replaced(
    schema: Mapping[str, Any], path: Sequence[str], value: Mapping[str, Any]
) -> Mapping[str, Any]:
    first, *rest = path
    return {**schema, first: _replaced(schema[first], rest, value) if rest else value}


def _method(item: WorkItem, index: int, rules: Rules) -> Extracted:
    constraint = bound_item(item, index, rules).constraint
    assert constraint is not None, "an item that nothing decides is not asked for"
    assert isinstance(constraint.method, Extracted), "only extracted items are asked for"
    return constraint.method


def _words(item: WorkItem, index: int, answer: str, attempt: int, rules: Rules) -> str:
    return render(
        "extract",
        _method(item, index, rules).template,
        instruction=asked_instruction(item.sample),
        answer=answer,
        params=bound_item(item, index, rules).params,
        attempt=attempt,
    )


R = TypeVar("R", bound=Reply)


def read_extractor(reply: Response, shape: type[R], answer: str) -> R | Check:
    """An extractor's reply about an answer; undecided where there is none that can be read."""
    if reply.failure is not None:
        cause = CAUSE_OF_FAILURE.get(reply.failure.kind, Cause.EXTRACTOR)
        failure = f"{reply.failure.kind.value}: {reply.failure.message}".rstrip(": ")
        return undecided(cause, f"the extractor gave no reply ({failure})")
    value = read_reply(answer_of(reply), shape, about=answer)
    if isinstance(value, Unreadable):
        where = "was cut off" if reply.stop is Stop.LENGTH else "cannot be read"
        return undecided(Cause.EXTRACTOR, f"the extractor's reply {where}: {value.reason}")
    return value


def not_standing(words: str) -> Check:
    """Undecided, because what was quoted is the extractor's own."""
    reason = f"what the extractor quoted does not stand in the answer: {words[:80]!r}"
    return undecided(Cause.EXTRACTOR, reason)


def _read(method: Extracted, answer: str, reply: Response) -> tuple[str, ...] | Check:
    value: Extraction | Check = read_extractor(reply, REPLIES[method.template], answer)
    if isinstance(value, Check):
        return value
    # A piece of a notation is another molecule: "CCO" is none that "CCOCC" gives.
    stands = stands_whole if isinstance(value, MoleculeReply) else stands_in
    invented = [words for words in value.quotations if not stands(words, answer)]
    if invented:
        return not_standing(invented[0])
    if isinstance(value, ReleaseFunctionReply) and not value.extracted_response.strip():
        return (answer, *value.findings[1:])  # The release falls back to the whole answer.
    return value.findings
