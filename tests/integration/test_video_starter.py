"""The video starter set from end to end: real files, an endpoint, a judge that knows the facts.

A candidate that knows every right answer scores 1; one that breaks each answer in one place fails in
that place and in no other.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from running import Place
from video_replies import chosen_wrong

from engines.endpoint import EndpointProcess
from ifbench.benchmarks.videoif.starter.checker import drafts_by_id
from ifbench.benchmarks.videoif.starter.draft import Broken, Draft, broken

DRAFTS = drafts_by_id()
MOST_WRONG = max(len(broken(draft)) for draft in DRAFTS.values())

Failing = tuple[frozenset[int], frozenset[int]]
"""The items and the tasks that fail."""


@pytest.fixture(scope="module")
def place(
    video_endpoint: EndpointProcess, video_log: Path, tmp_path_factory: pytest.TempPathFactory
) -> Place:
    """Two candidates and two judges; both judges have decided on the same answers."""
    folder = tmp_path_factory.mktemp("video")
    place = Place(folder=folder, endpoint=video_endpoint, log=video_log)
    for name in ("right", "broken", "oracle", "yes"):
        place.write_model(name)
    for judge in ("oracle", "yes"):
        run(place, "candidates=[right,broken]", f"judge={judge}")
    return place


def run(place: Place, *overrides: str) -> None:
    done = place.evaluate("benchmark=videoif", "extractor=oracle", *overrides)
    assert done.code == 0, done.err


def failing(place: Place, candidate: str, judge: str = "oracle") -> dict[str, Failing]:
    """What fails of each sample, by the stored verdicts."""
    found: dict[str, tuple[set[int], set[int]]] = {name: (set(), set()) for name in DRAFTS}
    for row in place.results(candidate=candidate, judge=judge).verdicts:
        assert row["outcome"] in {"pass", "fail"}, row
        if row["outcome"] == "fail":
            found[row["sample_id"]][row["aspect"] == "task"].add(row["item"])
    return {name: (frozenset(items), frozenset(tasks)) for name, (items, tasks) in found.items()}


def expected(draft: Draft, wrong: Broken | None) -> Failing:
    """What a wrong answer breaks; without a task what holds for that task alone is broken, too."""
    if wrong is None:
        return frozenset(), frozenset()
    local = {i for i, demand in enumerate(draft.request.demands) if demand.scope in wrong.tasks}
    return wrong.items | local, wrong.tasks


def assert_fails_where_broken(place: Place, candidate: str) -> None:
    for name, (items, tasks) in failing(place, candidate).items():
        draft, wrong = DRAFTS[name], chosen_wrong(candidate, name)
        wanted = expected(draft, wrong)
        why = f"{name}: {wrong.why if wrong else 'right'}"
        assert tasks == wanted[1], why
        if len(tasks) < len(draft.request.asks):  # Else the answer is about something else.
            assert items == wanted[0], why


def metrics(place: Place, **partition: str) -> tuple[float, float]:
    """TCSR and TISR, as equation 1 has them, from the stored scores."""
    scores = place.results(**partition).scores
    gates = [all(row["tasks_done"]) for row in scores]
    shares = [sum(row["satisfied"]) / len(row["satisfied"]) for row in scores]
    tcsr = sum(share for share, gate in zip(shares, gates, strict=True) if gate) / len(scores)
    tisr = sum(share == 1 and gate for share, gate in zip(shares, gates, strict=True)) / len(scores)
    return tcsr, tisr


def test_right_answers_score_one_on_every_sample(place: Place) -> None:
    scores = place.results(candidate="right", judge="oracle").scores
    assert sorted(row["sample_id"] for row in scores) == sorted(DRAFTS)
    assert set(failing(place, "right").values()) == {(frozenset(), frozenset())}
    assert metrics(place, candidate="right", judge="oracle") == (1, 1)


def test_broken_answers_fail_where_they_are_broken_and_nowhere_else(place: Place) -> None:
    kinds = {chosen_wrong("broken", name).why.split(":")[0].split(" ")[0] for name in DRAFTS}
    assert kinds == {"item", "task", "wrong"}
    assert_fails_where_broken(place, "broken")
    assert metrics(place, candidate="broken", judge="oracle")[1] == 0


def test_a_judge_that_always_says_yes_is_told_from_one_that_knows(place: Place) -> None:
    assert metrics(place, candidate="broken", judge="yes")[1] > 0.2
    fooled = failing(place, "broken", judge="yes")
    assert all(not tasks for _, tasks in fooled.values())
    missed = [name for name, found in failing(place, "broken").items() if found != fooled[name]]
    assert len(missed) > len(DRAFTS) // 3
    assert failing(place, "right", judge="yes") == failing(place, "right")


def test_a_second_judge_asks_no_candidate(place: Place) -> None:
    asked = [line["model"] for line in place.answered()]
    assert asked.count("right") == asked.count("broken") == len(DRAFTS)
    assert asked.count("yes") == asked.count("oracle") - extractions(place) > 0


def extractions(place: Place) -> int:
    """The oracle extracts for both judges: what it quoted for one is there for the other."""
    return sum(line["kind"] in {"spans", "mentions"} for line in place.answered("oracle"))


@pytest.mark.soak
def test_every_wrong_answer_of_every_sample_fails_where_it_is_broken(place: Place) -> None:
    names = [f"broken-{number}" for number in range(MOST_WRONG)]
    for name in names:
        place.write_model(name)
    run(place, f"candidates=[{','.join(names)}]", "judge=oracle")
    for name in names:
        assert_fails_where_broken(place, name)
