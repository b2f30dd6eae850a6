"""Scores by their kinds are the scores, and give the tables that the scores give."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from factories import make_score
from ifbench import schemas
from ifbench.analysis.breakdown import grouped
from ifbench.benchmarks import get_benchmark
from ifbench.metrics import is_complete
from ifbench.report.overview import RunScores, overview_table
from ifbench.report.summary import summary_tables
from ifbench.score_table import PARTS, ScoreTable, changed, counted, kept, score_table
from ifbench.types import Cause, FailureKind, Score, Stop

NAMES = ("general:all_lowercase", "chemistry:reaction_steps", "general:number_response", "other")
DISCIPLINES = ("chemistry", "physics", "biology", "materials", "medicine")


def _one(drawn: random.Random, candidate: str, sample: int, attempt: int) -> Score:
    names = tuple(NAMES[(sample + step) % 4] for step in range(sample % 4))
    satisfied = tuple(drawn.choice((True, True, False, None)) for _ in names)
    tasks = tuple(drawn.choice((True, False, None)) for _ in range(sample % 3))
    undecided = None in (*satisfied, *tasks)
    correct = drawn.choice((True, False, None))
    failure = drawn.choice((None, None, None, FailureKind.EMPTY, FailureKind.TIMEOUT))
    plain = make_score(
        satisfied,
        sample_id=f"s{sample}",
        candidate=candidate,
        attempt=attempt,
        constraints=names,
        correct=correct,
        ungraded=None if correct is not None else drawn.choice((Cause.NO_GRADER, Cause.MEDIA)),
        causes=(drawn.choice((Cause.MEDIA, Cause.NOT_RUN)),) if undecided else (),
        stop=drawn.choice((Stop.STOP, Stop.LENGTH)),
        failure=failure,
        response_key=drawn.choice(("", "stored")),
        discipline=DISCIPLINES[sample % 5],
        billions=str(len(candidate)),
        **({"question": f"q{sample // 3}"} if sample % 5 else {}),
    )
    parts = tuple((value, drawn.choice((True, False, value))) for value in satisfied)
    return replace(plain, requirements=parts, tasks_done=tasks)


def _mixed(*, decided: bool = False) -> list[Score]:
    drawn = random.Random(5)
    scores = [
        _one(drawn, candidate, sample, attempt)
        for sample in range(60)
        for attempt in range(3)
        for candidate in ("one", "other")
    ]
    return [score for score in scores if score.is_complete] if decided else scores


@pytest.mark.parametrize("decided", [False, True])
@pytest.mark.parametrize("benchmark", ["scimif", "videoif"])
def test_tables_of_kinds_are_those_of_the_scores(benchmark: str, *, decided: bool) -> None:
    known, scores = get_benchmark(benchmark), _mixed(decided=decided)
    views = ["discipline", "group", "domain", "constraint", "billions", "question", "billions+kind"]
    for facets in (None, views):
        whole = summary_tables(known, scores, facets)
        assert summary_tables(known, score_table(scores), facets) == whole
    assert _overview(benchmark, score_table(scores)) == _overview(benchmark, scores)


def _overview(benchmark: str, scores: Sequence[Score]) -> object:
    run = RunScores(run_id="r", title="t", benchmark=get_benchmark(benchmark), scores=scores)
    return overview_table([run])


def test_tables_of_what_is_stored_are_those_of_the_scores() -> None:
    known, scores = get_benchmark("scimif"), _mixed()
    stored = schemas.scores_to_table(scores, run_id="r", dataset_sha256="d")
    pieces = (stored.slice(0, 100), stored.slice(100))
    read = schemas.scores_for_tables(pieces)
    assert summary_tables(known, read) == summary_tables(known, scores)


def test_a_table_is_a_sequence_of_the_scores() -> None:
    scores = _mixed()
    table = score_table(scores)
    assert list(table) == scores
    assert (len(table), table[7], list(table[3:5])) == (len(scores), scores[7], scores[3:5])
    assert list(kept(table, is_complete, "verdicts")) == [
        score for score in scores if score.is_complete
    ]
    judged = [replace(score, judge="another") for score in scores]
    assert list(changed(table, lambda score: replace(score, judge="another"), "who")) == judged
    parts = grouped(table, "discipline+question")
    assert {labels: list(own) for labels, own in parts.items()} == grouped(
        scores, "discipline+question"
    )


def test_scores_that_differ_in_their_sample_alone_are_one_kind() -> None:
    scores = [
        make_score(sample_id=f"s{at}", attempt=at % 5, question=f"q{at}") for at in range(1000)
    ]
    table = score_table(scores)
    assert isinstance(table, ScoreTable)
    ((_, count),) = counted(table, *PARTS)
    assert count == 1000


def test_numbers_that_are_put_together_by_chunks_are_the_same(monkeypatch):
    drawn = random.Random(3)
    scores = [_one(drawn, "m", sample, 0) for sample in range(400)]  # More than a byte tells apart.
    whole = score_table(scores)
    monkeypatch.setattr("ifbench.score_table._CHUNK", 7)
    assert list(score_table(scores)) == list(whole) == scores
    assert list(score_table(scores[:7])) == scores[:7]
    assert list(score_table([])) == []
