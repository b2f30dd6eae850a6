"""What a source is: something that reads a data set's own files into seeds.

A seed is a question with a known answer, before any constraint is added (SciMIF, 3.2 and B.1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias

from ifbench.types import Json, Media


class AnswerKind(StrEnum):
    """What an answer consists of; decides which general constraints it can carry."""

    YES_NO = "yes_no"
    NUMBER = "number"
    NAMES = "names"
    """A list of names; the reference is a list of strings."""
    RELATIONS = "relations"
    """A list of relations, each written `(Subject, Object)`; the reference is a list of strings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """One question of a source, as it came."""

    id: str
    """Unique in the source."""
    question: str
    image: Media | None = None
    reference: Json
    answer: AnswerKind
    answer_name: str
    """What the answer is called: `entities`, `band_gap`; a key for structured answers."""
    task_type: str
    discipline: str
    source: str
    """The data set's name as the paper writes it."""
    provenance: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A record that is sound but makes no seed."""

    index: int
    reason: str
    """The same words for the same cause, so that they can be counted."""


Read: TypeAlias = Callable[[Path, int], Iterator[Seed | Skipped]]
"""From a file and the most characters that a question may have. Raises `DatasetError`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A data set that samples can be built from."""

    name: str
    title: str
    """As the paper writes it."""
    licence: str
    files: str
    """Which files it reads, in words."""
    read: Read
