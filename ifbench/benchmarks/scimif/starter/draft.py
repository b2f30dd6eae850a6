"""What a sample is before it is a record: the question, its demands, and answers to test it by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from PIL import Image

from ifbench.benchmarks.scimif.sources.phrasings import PHRASINGS, phrase
from ifbench.types import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """One constraint with its parameters and the sentence that asks for it."""

    constraint_id: str
    params: Mapping[str, Any] = field(default_factory=dict)
    sentence: str = ""
    """Empty where one of the stock phrasings says it."""

    @property
    def origin(self) -> str:
        return "general" if self.constraint_id.startswith("general:") else "scientific"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One sample in the making."""

    id: str
    discipline: str
    task_type: str
    question: str
    reference: Json
    demands: tuple[Demand, ...]
    good: str
    """Obeys every demand that a script decides, and is right."""
    bad: str
    """Breaks at least one demand that a script decides."""
    picture: Callable[[], Image.Image] | None = None

    @property
    def instruction(self) -> str:
        """The question with a sentence for each demand; a picture stands first."""
        rng = Random(self.id)  # noqa: S311 - no secret, and the same on every machine
        sentences = [demand.sentence or _stock(demand, rng) for demand in self.demands]
        place = "<image>\n" if self.picture else ""
        return f"{place}{self.question}\n\n{' '.join(sentences)}"

    @property
    def original_instruction(self) -> str:
        """The question alone."""
        return f"<image>\n{self.question}" if self.picture else self.question


def demand(name: str, sentence: str = "", /, **params: Any) -> Demand:
    """A demand; a name without a domain is a general constraint."""
    constraint_id = name if ":" in name else f"general:{name}"
    return Demand(constraint_id=constraint_id, params=params, sentence=sentence)


def _stock(one: Demand, rng: Random) -> str:
    assert one.constraint_id in PHRASINGS, f"{one.constraint_id} needs a sentence"
    return phrase(one.constraint_id, one.params, "answers", rng)
