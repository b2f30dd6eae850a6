"""What a sample is before it is a record: requests, conditions, and answers to test it by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ifbench.benchmarks.videoif.starter.predicates import Claim, has_words
from ifbench.benchmarks.videoif.starter.scenes import Video
from ifbench.types import Scope, Tree

InstructionType = Literal["single", "multi", "selection", "nested"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One task: a question, and how to tell that it is addressed."""

    task: str
    """By the name in Table 5."""
    words: str
    keys: tuple[str, ...]
    """Words of which one stands in every answer that attempts the task, and in no other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """One constraint, the sentence that asks for it, and how to obey and break it."""

    name: str
    """Of the type, as in `videoif:NAME`."""
    sentence: str
    question: str
    spoil: Callable[[str], str]
    """A right answer with this constraint broken, and nothing else."""
    params: Mapping[str, Any] = field(default_factory=dict)
    holds: Claim | None = None
    """What the oracle decides; `None` where a script does."""
    evidence: str = ""
    scope: Scope = "response"

    @property
    def constraint_id(self) -> str:
        return f"videoif:{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is to be carried out: tasks with their constraints, and the right answer."""

    video: Video
    asks: tuple[Ask, ...]
    demands: tuple[Demand, ...]
    answer: str

    @property
    def words(self) -> str:
        """The request on one line; constraints of one task stand behind that task."""
        numbered = len(self.asks) > 1
        said = []
        for index, ask in enumerate(self.asks):
            local = [demand.sentence for demand in self.demands if demand.scope == index]
            said.append(" ".join([f"({index + 1}) {ask.words}" if numbered else ask.words, *local]))
        common = [d.sentence for d in self.demands if not isinstance(d.scope, int)]
        return " ".join([*said, *common])

    @property
    def question(self) -> str:
        """The tasks alone."""
        return " ".join(ask.words for ask in self.asks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A wrong answer, and what exactly is wrong with it."""

    why: str
    answer: str
    items: frozenset[int] = frozenset()
    tasks: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One sample in the making."""

    id: str
    kind: InstructionType
    request: Request
    """The one that is to be carried out."""
    tree: Tree | None = None
    astray: tuple[Request, ...] = ()
    """Requests on branches that are not to be taken."""
    language: str = "en"


def broken(draft: Draft) -> tuple[Broken, ...]:
    """Every wrong answer of a draft: an item broken, a task left out, a wrong branch followed.

    Where a whole answer is off the mark only tasks are named: coverage comes before items.
    """
    request = draft.request
    found = [
        Broken(
            why=f"item {index}: {demand.name}",
            answer=demand.spoil(request.answer),
            items=frozenset({index}),
        )
        for index, demand in enumerate(request.demands)
    ]
    every = frozenset(range(len(request.asks)))
    if len(request.asks) > 1:
        blocks = request.answer.split("\n\n")
        found += [
            Broken(
                why=f"task {index} left out",
                answer="\n\n".join(b for b in blocks if not addresses(request.asks[index], b)),
                tasks=frozenset({index}),
            )
            for index in range(len(request.asks))
        ]
    else:
        found.append(Broken(why="task left out", answer="I have watched the video.", tasks=every))
    elsewhere = [
        other
        for other in draft.astray
        if not any(addresses(ask, other.answer) for ask in request.asks)
    ]
    found += [
        Broken(why="wrong branch", answer=other.answer, tasks=every) for other in elsewhere[:2]
    ]
    return tuple(found)


def addresses(ask: Ask, text: str) -> bool:
    """Whether a text attempts a task."""
    return any(has_words(text, key) for key in ask.keys)
