"""Twelve samples of the video starter set on Ray: killed, resumed, counted by hand, judged again."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from running import Place, alive, ray_workers, wait_until

from engines.endpoint import EndpointProcess
from ifbench.cli import main

pytestmark = [pytest.mark.ray, pytest.mark.timeout(600)]

SAMPLES = (
    "single/stage-opening", "single/hall-switches", "single/hall-sounds", "single/newsroom-signs",
    "multi/stage-four", "multi/hall-three", "multi/match-two",
    "selection/hall-lamps", "selection/garden-distance", "selection/street-spanish",
    "nested/hall-switches", "nested/journey-places",
)  # fmt: skip
"""What `broken` does to them, in this order. Single: breaks the one item; one of 4; one of 6; leaves
the task out. Multi: leaves out one task of 4, and one of 3; breaks one item of 3, with 2 tasks.
Selection: follows a wrong branch; breaks one of 3; one of 3. Nested: follows a wrong branch; breaks
one of 4. `half` gives the right answer to the 1st, 5th, 7th, 9th, 10th and 12th, and else the same.
"""

METRICS = ("TCSR", "TISR", "TPR", "ATP")
SHARES = {
    ("single", "half"): ((1 + 3 / 4 + 5 / 6 + 0) / 4, 1 / 4, 3 / 4, 3 / 4),
    ("multi", "half"): ((1 + 0 + 1) / 3, 2 / 3, (4 + 2 + 2) / 9, 2 / 3),
    ("selection", "half"): ((0 + 1 + 1) / 3, 2 / 3, 2 / 3, 2 / 3),
    ("nested", "half"): ((0 + 1) / 2, 1 / 2, 1 / 2, 1 / 2),
    ("single", "broken"): ((0 + 3 / 4 + 5 / 6 + 0) / 4, 0, 3 / 4, 3 / 4),
    ("multi", "broken"): ((0 + 0 + 2 / 3) / 3, 0, (3 + 2 + 2) / 9, 1 / 3),
    ("selection", "broken"): ((0 + 2 / 3 + 2 / 3) / 3, 0, 2 / 3, 2 / 3),
    ("nested", "broken"): ((0 + 3 / 4) / 2, 0, 1 / 2, 1 / 2),
}
"""By hand, from the above: a sample with a task left out counts 0 in TCSR and TISR."""
OVERALL = {
    "half": ((31 / 12 + 2 + 2 + 1) / 12, 6 / 12, 14 / 18, 8 / 12),
    "broken": ((19 / 12 + 2 / 3 + 4 / 3 + 3 / 4) / 12, 0, 13 / 18, 7 / 12),
}

MODELS = ("half", "broken")
WIDTH = 2
"""Calls at once for each model."""


@pytest.fixture
def place(video_endpoint: EndpointProcess, video_log: Path, tmp_path: Path) -> Place:
    found = Place(folder=tmp_path, endpoint=video_endpoint, log=video_log, execution="ray")
    for name in MODELS:
        found.write_model(name, limits={"concurrency": WIDTH})
    for name in ("oracle", "yes"):
        found.write_model(name)
    return found


def command(judge: str) -> tuple[str, ...]:
    names = f"candidates=[{','.join(MODELS)}]"
    ids = f"benchmark.ids=[{','.join(SAMPLES)}]"
    return "benchmark=videoif", ids, names, f"judge={judge}", "extractor=oracle"


@pytest.mark.soak
def test_a_killed_run_resumes_to_the_tables_made_by_hand_and_a_second_judge_asks_no_candidate(
    place: Place,
) -> None:
    lost = start_and_kill(place)
    done = place.evaluate(*command("oracle"))
    assert done.code == 0, done.err
    assert place.prompts().total() - place.stored() == lost
    assert len(candidate_prompts(place)) == len(MODELS) * len(SAMPLES)
    assert_tables_are_those_made_by_hand(place)

    asked = candidate_prompts(place)
    swapped = place.evaluate(*command("yes"), "execution=local")
    assert swapped.code == 0, swapped.err
    assert candidate_prompts(place) == asked
    assert_second_judge_has_a_column_of_its_own(place)


def start_and_kill(place: Place) -> int:
    """Kill the driver in the middle of the answers; returns how many calls were asked in vain."""
    place.slow_down(0.7)
    with place.start(*command("oracle")) as run:
        place.wait_for(10)
        workers = ray_workers(run.process.pid)
        run.process.kill()
        run.process.wait(10)
        wait_until(lambda: not alive(workers), "the workers to end", 60)
    place.slow_down(0)
    stored = place.stored()
    assert stored > 0
    assert len(candidate_prompts(place)) < len(MODELS) * len(SAMPLES)
    lost = place.prompts().total() - stored
    assert lost <= place.endpoint.counts()["most_in_flight"]
    return lost


def candidate_prompts(place: Place) -> Counter[str]:
    """How often each prompt of a candidate was answered."""
    return Counter(line["digest"] for line in place.answered() if line["kind"] == "candidate")


def report(place: Place, *words: str) -> list[dict[str, Any]]:
    path = place.folder / "table.json"
    arguments = ["--store", place.store, *words, "--format", "json", "-o", str(path)]
    assert main(["report", *arguments]) == 0
    rows: list[dict[str, Any]] = json.loads(path.read_text())["rows"]
    return rows


def percents(shares: tuple[float, ...]) -> list[str]:
    return [f"{100 * share:.2f}" for share in shares]


def shown(row: dict[str, Any]) -> list[str]:
    return [f"{row[name]:.2f}" for name in METRICS]


def assert_tables_are_those_made_by_hand(place: Place) -> None:
    overall = {row["model"]: shown(row) for row in report(place, "--only", "overall")}
    assert overall == {name: percents(shares) for name, shares in OVERALL.items()}
    by_type = {
        (row["instruction_type"], row["model"]): shown(row)
        for row in report(place, "--only", "instruction_type")
    }
    assert by_type == {key: percents(shares) for key, shares in SHARES.items()}


def assert_second_judge_has_a_column_of_its_own(place: Place) -> None:
    runs = {row["judge"]: row["run"] for row in report(place, "--list")}
    assert set(runs) == {"oracle", "yes"}
    rows = report(place, runs["oracle"], "--against", runs["yes"], "--only", "difference")
    found = {(row["model"], row["metric"]): row for row in rows}
    attempted = found["broken", "TPR"]
    assert f"{attempted['first']:.2f}" == "72.22"
    assert f"{attempted['second']:.2f}" == "100.00"
    assert f"{attempted['difference']:+.2f}" == "+27.78"
