"""Many scores in some thirty bytes each, for tables over a million of them.

Scores have few values for most of their parts: who judged, how the items came out, the facets. A
`ScoreTable` holds each value of a part once, and of a score only the numbers of its values. The
functions here take any sequence of scores, and with it the parts that a decision hangs on: of a
table they look at one score for each combination of values of these parts.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from ifbench.types import Score

Part: TypeAlias = Literal["who", "items", "verdicts", "facets", "grade", "answer"]
"""Fields of a score that stand together."""

PARTS: Final[Mapping[Part, tuple[str, ...]]] = MappingProxyType({
    "who": ("benchmark", "candidate", "judge", "extractor", "grader", "rules"),
    "items": ("constraints",),
    "verdicts": ("satisfied", "requirements", "tasks_done"),
    "facets": ("facets",),
    "grade": ("correct", "grade", "graded_by", "ungraded"),
    "answer": ("causes", "response_key", "stop", "failure", "usage"),
})  # fmt: skip
"""All fields but a sample's id, the attempt and the facet `question`: these differ in each score."""

_NAMES: Final = tuple(name for names in PARTS.values() for name in names)

QUESTION = "question"
"""The facet that names what a sample was made from; often each sample has a value of its own."""

Numbers: TypeAlias = npt.NDArray[np.integer[Any]]
Fields: TypeAlias = tuple[Any, ...]
"""The values of a part's fields, in the order of `PARTS`: a quarter of what a dictionary takes."""


def question_of(score: Score) -> str:
    """What a sample was made from: samples of one question are drawn together."""
    return score.facets.get(QUESTION) or score.sample_id


# ── Over any scores ──────────────────────────────────────────────────────────────────


def counted(scores: Sequence[Score], *parts: Part) -> Iterator[tuple[Score, int]]:
    """The first score of each kind, in their order, and how many are of that kind.

    Scores are of one kind that are alike in the parts. Of a plain sequence each is one.
    """
    if not isinstance(scores, ScoreTable):
        return ((score, 1) for score in scores)
    firsts, which = scores.kinds(*parts)
    return zip(firsts, np.bincount(which).tolist(), strict=True)


def by_kind(scores: Sequence[Score], *parts: Part) -> tuple[Sequence[Score], Numbers]:
    """The first score of each kind, and for each score the place of its kind among them."""
    if isinstance(scores, ScoreTable):
        firsts, kinds = scores.kinds(*parts)
        return list(firsts), kinds
    return scores, np.arange(len(scores), dtype=np.int32)


def kept(scores: Sequence[Score], which: Callable[[Score], bool], *parts: Part) -> Sequence[Score]:
    """The scores for which something holds that hangs on the parts."""
    if not isinstance(scores, ScoreTable):
        return [score for score in scores if which(score)]
    firsts, kinds = scores.kinds(*parts)
    return scores.at(np.array([which(score) for score in firsts], dtype=bool)[kinds])


def changed(
    scores: Sequence[Score], how: Callable[[Score], Score], *parts: Part
) -> Sequence[Score]:
    """The scores with the parts changed, in a way that hangs on nothing else."""
    if not isinstance(scores, ScoreTable):
        return [how(score) for score in scores]
    firsts, kinds = scores.kinds(*parts)
    return scores.with_parts(parts, map(how, firsts), kinds)


def parted(
    scores: Sequence[Score], label: Callable[[Score], str], *parts: Part
) -> Mapping[str, Sequence[Score]]:
    """The scores by a label that hangs on the parts, the labels in the order of their first."""
    if not isinstance(scores, ScoreTable):
        found: dict[str, list[Score]] = {}
        for score in scores:
            found.setdefault(label(score), []).append(score)
        return found
    firsts, kinds = scores.kinds(*parts)
    names = list(map(label, firsts))
    numbers = {name: at for at, name in enumerate(dict.fromkeys(names))}
    places = np.array([numbers[name] for name in names], dtype=np.int32)[kinds]
    return {name: scores.at(places == number) for name, number in numbers.items()}


def questions(scores: Sequence[Score]) -> Iterator[str]:
    """The question of each score."""
    if isinstance(scores, ScoreTable):
        return scores.questions()
    return map(question_of, scores)


def tries(scores: Sequence[Score]) -> Iterator[tuple[str, int]]:
    """The sample's id and the attempt of each score."""
    if isinstance(scores, ScoreTable):
        return scores.tries()
    return ((score.sample_id, score.attempt) for score in scores)


# ── The table ────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Column:
    """One part of all scores: the values that it has, and for each score the number of its own."""

    numbers: Numbers
    values: Sequence[Fields]


class ScoreTable(Sequence[Score]):
    """Scores by their parts. A sequence of whole scores, each made when it is looked at."""

    def __init__(
        self,
        columns: Mapping[Part, _Column],
        samples: Sequence[tuple[str, str | None]],
        identities: tuple[Numbers, Numbers],
        rows: Numbers,
    ) -> None:
        """`samples` are ids, each with its question; `identities` are for each row of the columns
        the number of its sample, and its attempt. `rows` says which rows are in the table.
        """
        self._columns, self._samples, self._identities = columns, samples, identities
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, at: int) -> Score: ...
    @overload
    def __getitem__(self, at: slice) -> ScoreTable: ...
    def __getitem__(self, at: int | slice) -> Score | ScoreTable:
        return self.at(at) if isinstance(at, slice) else self._score(self._rows[at])

    def __iter__(self) -> Iterator[Score]:
        return map(self._score, self._rows.data)

    def at(self, which: slice | npt.NDArray[np.bool_ | np.intp]) -> ScoreTable:
        """Some of the scores."""
        return ScoreTable(self._columns, self._samples, self._identities, self._rows[which])

    def kinds(self, *parts: Part) -> tuple[ScoreTable, Numbers]:
        """See `by_kind`."""
        codes = np.zeros(len(self), dtype=np.int64)
        for column in (self._columns[part] for part in parts):
            codes = codes * len(column.values) + column.numbers[self._rows]
            _, codes = np.unique(codes, return_inverse=True)  # So that they stay small.
        _, firsts = np.unique(codes, return_index=True)
        order = np.argsort(firsts)
        places = np.empty(len(order), dtype=np.int32)
        places[order] = np.arange(len(order), dtype=np.int32)
        return self.at(firsts[order]), places[codes]

    def with_parts(
        self, parts: Sequence[Part], scores: Iterable[Score], which: Numbers
    ) -> ScoreTable:
        """The table with each row's parts taken from one of some scores."""
        values = {part: _Values() for part in parts}
        new = {part: array("i") for part in parts}
        for score in scores:
            for part in parts:
                new[part].append(values[part].number_of(score, part))
        columns = {
            part: _Column(_packed(new[part])[which], values[part].found)
            if part in values
            else _Column(column.numbers[self._rows], column.values)
            for part, column in self._columns.items()
        }
        samples, attempts = (one[self._rows] for one in self._identities)
        rows = np.arange(len(self), dtype=np.int32)
        return ScoreTable(columns, self._samples, (samples, attempts), rows)

    def questions(self) -> Iterator[str]:
        """See `questions`."""
        names = [question or name for name, question in self._samples]
        return map(names.__getitem__, self._identities[0][self._rows].data)

    def tries(self) -> Iterator[tuple[str, int]]:
        """See `tries`."""
        samples, attempts = (one[self._rows].data for one in self._identities)
        return (
            (self._samples[sample][0], at) for sample, at in zip(samples, attempts, strict=True)
        )

    def _score(self, row: int) -> Score:
        sample, attempt = (one[row] for one in self._identities)
        name, question = self._samples[sample]
        values: list[Any] = []
        for column in self._columns.values():
            values += column.values[column.numbers[row]]
        fields = dict(zip(_NAMES, values, strict=True))
        if question is not None:
            fields["facets"] = {**fields["facets"], QUESTION: question}
        return Score(sample_id=name, attempt=int(attempt), **fields)


# ── Filling it ───────────────────────────────────────────────────────────────────────


class _Values:
    """The values that a part has, each once."""

    def __init__(self) -> None:
        self.found: list[Fields] = []
        self._known: dict[Hashable, int] = {}

    def number(self, likeness: Hashable, value: Callable[[], Fields]) -> int:
        """The number of a value, by what tells values apart; `value` gives its fields."""
        number = self._known.setdefault(likeness, len(self.found))
        if number == len(self.found):
            self.found.append(value())
        return number

    def number_of(self, score: Score, part: Part) -> int:
        """The number of a score's own value."""
        fields = _fields(score, part)
        return self.number(_likeness(fields), lambda: fields)


_CHUNK = 65_536


class _Numbering:
    """Numbers that are added one by one, held in as few bytes as the largest of each chunk needs."""

    def __init__(self) -> None:
        self._last = array("i")
        self._chunks: list[Numbers] = []

    def append(self, number: int) -> None:
        self._last.append(number)
        if len(self._last) == _CHUNK:
            self._chunks.append(_packed(self._last))
            self._last = array("i")

    def whole(self) -> Numbers:
        """All of them, in as few bytes as the largest needs."""
        return np.concatenate([*self._chunks, _packed(self._last)])


class Filling:
    """Takes scores one by one, and makes a table of them."""

    def __init__(self) -> None:
        self._values: Mapping[Part, _Values] = {part: _Values() for part in PARTS}
        self._numbers = {part: _Numbering() for part in PARTS}
        self._samples: dict[tuple[str, str | None], int] = {}
        self._identities = _Numbering(), _Numbering()

    def add(
        self,
        sample: tuple[str, str | None],
        attempt: int,
        parts: Iterable[Hashable],
        read: Callable[[Part, Any], Fields],
    ) -> None:
        """Add a score: its sample's id and question, its attempt, and its parts in the order of
        `PARTS`, in any form of which `read` makes fields.
        """
        for part, likeness in zip(PARTS, parts, strict=True):
            number = self._values[part].number(likeness, partial(read, part, likeness))
            self._numbers[part].append(number)
        self._identities[0].append(self._samples.setdefault(sample, len(self._samples)))
        self._identities[1].append(attempt)

    def table(self) -> ScoreTable:
        """What was added, in its order."""
        columns = {
            part: _Column(self._numbers[part].whole(), values.found)
            for part, values in self._values.items()
        }
        samples, attempts = (one.whole() for one in self._identities)
        rows = np.arange(len(samples), dtype=np.int32)
        return ScoreTable(columns, list(self._samples), (samples, attempts), rows)


def score_table(scores: Iterable[Score]) -> ScoreTable:
    """The scores as a table."""
    filling = Filling()
    for score in scores:
        sample = (score.sample_id, score.facets.get(QUESTION))
        fields = {part: _fields(score, part) for part in PARTS}
        likenesses = map(_likeness, fields.values())
        filling.add(sample, score.attempt, likenesses, partial(_given, fields))
    return filling.table()


def _given(fields: Mapping[Part, Fields], part: Part, _: object) -> Fields:
    return fields[part]


def _fields(score: Score, part: Part) -> Fields:
    if part == "facets":
        return ({name: own for name, own in score.facets.items() if name != QUESTION},)
    return tuple(getattr(score, name) for name in PARTS[part])


def _likeness(fields: Fields) -> Hashable:
    """What tells the values apart: themselves, where they can be told apart as they are."""
    if any(isinstance(value, Mapping) for value in fields):
        return tuple(tuple(v.items()) if isinstance(v, Mapping) else v for v in fields)
    return fields


def _packed(numbers: array[int]) -> Numbers:
    """The numbers in as few bytes as the largest needs."""
    plain = np.frombuffer(numbers, dtype=np.int32)
    return plain.astype(np.min_scalar_type(plain.max(initial=0)))
