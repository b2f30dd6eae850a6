"""The *terminology* group, biology: relations between entities, in the asked form (Table 8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Self

from pydantic import Field, model_validator

from ifbench.constraints.constraint import Check, Example, Params, failed, passed, quote, scripted
from ifbench.parsing.relations import Relation, RelationForm, find_relations
from ifbench.parsing.text_forms import comparable

_SHOWN = 10  # Relations that a verdict quotes.

Name = Annotated[str, Field(min_length=1, pattern=r"\w")]


class RelationParams(Params):
    """How relations are written, and which ones may stand there."""

    form: RelationForm = "tuple"
    slots: tuple[Name, ...] = Field(default=("head", "relation", "tail"), min_length=2)
    """Names of the slots, in order; in JSON its keys. Two of them make pairs."""
    allowed: Mapping[str, Annotated[tuple[Name, ...], Field(min_length=1)]] = {}
    """The only values of a slot, by the slot's name: kinds of relation, types of entities. Case
    does not count, and `_` is a blank."""
    min_count: int = Field(default=1, ge=1)
    max_count: int | None = Field(default=None, ge=1)
    """Bounds on the number of different relations; a repeated one counts once."""

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if len({comparable(name) for name in self.slots}) < len(self.slots):
            raise ValueError("two slots have one name")
        unknown = sorted(set(self.allowed) - set(self.slots))
        if unknown:
            raise ValueError(f"`allowed` names {', '.join(unknown)}, which is no slot")
        if self.max_count is not None and self.max_count < self.min_count:
            raise ValueError("max_count is below min_count: no answer could pass")
        return self

    @property
    def pattern(self) -> str:
        """The form as it is shown to people."""
        match self.form:
            case "tuple":
                return f"({', '.join(self.slots)})"
            case "arrow":
                return " -> ".join(self.slots)
            case "json":
                return f"{{{', '.join(f'“{name}”: …' for name in self.slots)}}}"


@scripted(
    "biology:entity_relationship_format_validity",
    group="terminology",
    params=RelationParams,
    example=Example(
        params={"slots": ["chemical", "disease"]},
        instruction="List each relation as (chemical, disease).",
        passing="(2,4-D, neuropathy), (lithium, polyuria)",
        failing="Lithium causes polyuria (and 2,4-D neuropathy).",
    ),
)
def entity_relationships(text: str, params: RelationParams) -> Check:
    """The answer lists entity relations in the asked form, with no slot missing or empty."""
    relations = find_relations(text, params.form, params.slots)
    different = {tuple(map(comparable, relation.slots)) for relation in relations}
    found = {"relations": len(relations), "different": len(different)}
    evidence = tuple(quote(text, one.start, one.end) for one in relations[:_SHOWN])
    if not relations:
        return failed(f"no relation stands in the form {params.pattern}", found=found)
    flaws = [(one, flaw) for one in relations if (flaw := next(_flaws(one, params), ""))]
    if flaws:
        first, flaw = flaws[0]
        shown = text[first.start : first.end][:60]
        reason = f"{len(flaws)} of {len(relations)} relations wrong, the first: `{shown}` {flaw}"
        places = tuple(quote(text, one.start, one.end) for one, _ in flaws[:_SHOWN])
        return failed(reason, evidence=places, found=found)
    wrong = _wrong_count(len(different), params)
    if wrong:
        return failed(wrong, evidence=evidence, found=found)
    return passed(
        f"{len(different)} different relations in the form {params.pattern}",
        evidence=evidence,
        found=found,
    )


def _flaws(relation: Relation, params: RelationParams) -> Iterator[str]:
    if len(relation.slots) != len(params.slots):
        yield f"has {len(relation.slots)} slots, not {len(params.slots)}"
        return
    for name, value in zip(params.slots, relation.slots, strict=True):
        allowed = params.allowed.get(name, ())
        if not value:
            yield f"has an empty {name}"
        elif allowed and comparable(value) not in {comparable(one) for one in allowed}:
            yield f"has “{value[:40]}” as {name}; allowed: {', '.join(allowed[:_SHOWN])}"


def _wrong_count(count: int, params: RelationParams) -> str:
    if count < params.min_count:
        return f"{count} different relations, asked for at least {params.min_count}"
    if params.max_count is not None and count > params.max_count:
        return f"{count} different relations, asked for at most {params.max_count}"
    return ""
