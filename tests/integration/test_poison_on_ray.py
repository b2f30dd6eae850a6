"""A sample that takes its worker down: set apart after some tries, and nobody else pays for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import Finished, Place, assert_paid_once

from engines.endpoint import EndpointProcess

pytestmark = [pytest.mark.ray, pytest.mark.soak, pytest.mark.timeout(900)]

PROGRAM = Path(__file__).with_name("poisoned.py")
LATENCY_S = 0.2
POISON = ("chemistry-steps-ester-5", "chemistry-steps-ester-9")
ALWAYS = 1000


@pytest.fixture
def place(judged_run: object, endpoint: EndpointProcess, log: Path, tmp_path: Path) -> Place:
    found = Place(folder=tmp_path, endpoint=endpoint, log=log, execution="ray")
    (tmp_path / "deaths").mkdir()
    found.slow_down(LATENCY_S)
    return found


def evaluate(place: Place, step: str, times: int, *overrides: str) -> Finished:
    """A run in which the poison kills the step's worker, so many times in all."""
    arguments = [step, ",".join(POISON), str(times), str(place.folder / "deaths")]
    with place.start_program(str(PROGRAM), *arguments, *place.command(*overrides)) as run:
        return run.wait(400)


def deaths(place: Place) -> int:
    return len(list((place.folder / "deaths").iterdir()))


@pytest.mark.parametrize("step", ["generate", "verify", "judge"])
def test_poison_is_set_apart_with_its_cause_and_its_neighbours_are_not(
    place, judged_data, judged_run, step
):
    results, wanted = judged_run
    poisoned = evaluate(place, step, ALWAYS, f"benchmark.data={judged_data}")
    apart = {row["sample_id"] for row in place.results().scores if "crash" in row["causes"]}
    assert apart == set(POISON)
    assert poisoned.code == 3, poisoned.out
    assert f"(crash {len(POISON)})" in poisoned.out
    assert f"the worker of step {step} died 3 times with this sample in hand" in poisoned.out
    assert "worker(s) of step" in poisoned.out
    assert deaths(place) <= 3 * len(POISON)
    rows = {row["sample_id"]: row for row in place.results().scores}
    assert all(
        rows[one["sample_id"]] == one for one in results.scores if one["sample_id"] not in apart
    )
    twice = place.prompts().total() - len(place.prompts())
    assert twice <= deaths(place) * 16  # what was in flight at each death, of both models

    again = place.evaluate(f"benchmark.data={judged_data}")  # A later version decodes it.
    assert again.code == 0, again.err
    assert_paid_once(place.prompts(), wanted, twice)
    assert place.results() == results


def test_a_worker_that_dies_less_often_than_that_sets_nothing_apart(place, judged_data, judged_run):
    results, wanted = judged_run
    done = evaluate(place, "generate", 2, f"benchmark.data={judged_data}")
    assert done.code == 0, done.out
    assert deaths(place) == 2
    assert set(place.prompts()) == wanted
    assert place.results() == results
