"""`ifbench evaluate -m` as a user types it: several benchmarks and judges as one run over one store."""

from __future__ import annotations

import json
import signal
from collections import Counter
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import TypeAlias

import pytest
from running import Place, assert_paid_once, killed, wait_until

from engines.endpoint import EndpointProcess, Fault
from ifbench.commands.status import chosen
from ifbench.store import Store

pytestmark = pytest.mark.timeout(900)

CANDIDATES = ("right", "half")
JUDGES = ("oracle", "yes")
BENCHMARKS = ("scimif", "videoif")
Point: TypeAlias = tuple[str, str]
POINTS: tuple[Point, ...] = tuple(product(BENCHMARKS, JUDGES))
NAMES = f"candidates=[{','.join(CANDIDATES)}]"
SWEEP = ("-m", f"benchmark={','.join(BENCHMARKS)}", f"judge={','.join(JUDGES)}", NAMES)
FEW = "benchmark.limit=14"


def new_place(folder: Path, endpoint: EndpointProcess, log: Path, **fields) -> Place:
    found = Place(folder=folder, endpoint=endpoint, log=log, **fields)
    for name in (*CANDIDATES, *JUDGES):
        found.write_model(name)
    return found


@pytest.fixture
def place(both_endpoint: EndpointProcess, both_log: Path, tmp_path: Path) -> Place:
    return new_place(tmp_path, both_endpoint, both_log)


def alone(place: Place, points: Sequence[Point], *overrides: str) -> None:
    """Points in commands of their own."""
    for benchmark, judge in points:
        done = place.evaluate(f"benchmark={benchmark}", f"judge={judge}", NAMES, *overrides)
        assert done.code == 0, done.err


@pytest.fixture(scope="module")
def apart(
    both_endpoint: EndpointProcess, both_log: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Place, frozenset[str]]:
    """The points one by one over a few samples, and the prompts that they asked."""
    found = new_place(tmp_path_factory.mktemp("apart"), both_endpoint, both_log)
    alone(found, POINTS, FEW)
    return found, frozenset(found.prompts())


def manifests(place: Place) -> dict[tuple[str, str], dict]:
    """The manifest of each point."""
    found = [
        json.loads(path.read_text()) for path in Path(place.store).glob("runs/*/manifest.json")
    ]
    return {
        (one["config"]["benchmark"]["name"], one["config"]["judge"]["name"]): one for one in found
    }


def assert_points_are_as_alone(
    place: Place, other: Place, points: Sequence[Point] = POINTS
) -> None:
    """Each point's results, and what its manifest says of trials, are those of the point alone."""
    for benchmark, judge in points:
        partition = {"benchmark": benchmark, "judge": judge}
        assert place.results(**partition) == other.results(**partition)
        one, two = manifests(place)[benchmark, judge], manifests(other)[benchmark, judge]
        assert one["run_id"] == two["run_id"]
        for name in ("planned", "answered", "complete", "undecided"):
            assert one["counts"][name] == two["counts"][name]


def answered(manifest: dict) -> Counter[str]:
    """Calls that were made for a run, by who was asked as what."""
    counts = {f"{c['model']} {c['purpose']}": c["answered"] for c in manifest["counts"]["calls"]}
    return Counter(counts)


@pytest.mark.parametrize(
    ("some", "samples"),
    [((FEW,), 28), pytest.param((), 92 + 78, marks=pytest.mark.soak)],
)
def test_one_command_over_both_starter_sets_two_candidates_and_two_judges(
    place, some, samples, tmp_path_factory
):
    done = place.evaluate(*SWEEP, *some)
    assert done.code == 0, done.err
    asked = place.prompts()
    assert set(asked.values()) == {1}
    assert place.preflights() == 4
    kinds = Counter((line["model"], line["kind"] == "candidate") for line in place.answered())
    assert set(kinds) == {(m, True) for m in CANDIDATES} | {(m, False) for m in JUDGES}

    by_point = {point: answered(one) for point, one in manifests(place).items()}
    assert sum((Counter(n) for n in by_point.values()), Counter()).total() == asked.total()
    every = sum((Counter(n) for n in by_point.values()), Counter())
    # A call of a candidate counts for one point, and for no other.
    assert every["right candidate"] == every["half candidate"] == samples
    for point, manifest in manifests(place).items():
        models = {calls["model"] for calls in manifest["counts"]["calls"]}
        # Of a few samples a script may decide all.
        assert {*CANDIDATES} <= models <= {*CANDIDATES, point[1]}
        assert manifest["invocations"][-1]["ending"] == "complete"

    lines = done.out.splitlines()
    assert [line for line in lines if line.startswith("══ benchmark=videoif judge=yes  (run ")]
    assert done.out.count("Overview of 4 runs") == 1
    assert done.last_line.startswith("complete. Side by side again: ifbench report ")
    shown = place.run_line(f"{done.last_line.partition(': ')[2]} --store {place.store}")
    assert shown.code == 0, shown.err
    assert "benchmark videoif, judge oracle" in shown.out

    one_of_each = (("scimif", "yes"), ("videoif", "oracle"))
    place.forget()
    alone(place, one_of_each[:1], *some)
    assert place.endpoint.counts()["total"] == 0
    other = new_place(tmp_path_factory.mktemp("alone"), place.endpoint, place.log)
    alone(other, one_of_each, *some)
    assert set(other.prompts()) < set(asked)
    assert_points_are_as_alone(place, other, one_of_each)


def test_plan_counts_what_points_share_once_and_asks_nobody(place):
    done = place.run(place.command(*SWEEP, FEW, name="plan"))
    assert done.code == 0, done.err
    rows = [line.split() for line in done.out.splitlines()]
    to_ask = {row[1]: int(row[3]) for row in rows if row[:1] == ["candidate"]}
    assert to_ask == {"right": 28, "half": 28}
    points = {tuple(row[:2]): row for row in rows if row and row[0].startswith("benchmark=")}
    assert set(points) == {(f"benchmark={b}", f"judge={j}") for b, j in POINTS}
    shared = {point: int(row[-3]) for point, row in points.items()}
    assert shared["benchmark=scimif", "judge=oracle"] == 0
    assert shared["benchmark=scimif", "judge=yes"] == 28
    assert place.endpoint.counts()["total"] == 0


@pytest.mark.soak
def test_a_kill_and_a_resume_pay_nothing_twice_and_every_run_is_seen_meanwhile(place, apart):
    other, wanted = apart
    place.slow_down(0.4)
    with place.start(*SWEEP, FEW) as run:
        wait_until(lambda: len([*Path(place.store).glob("runs/*/progress.json")]) == 4, "progress")
        place.wait_for(len(wanted) // 2)
        statuses = chosen(Store(place.store), ())
        assert {status.state for status in statuses} == {"running"}
        kill = killed(place, run.kill)
        run.process.wait(10)
    assert sum(one.models != () for one in statuses) >= 2
    place.slow_down(0)
    resumed = place.evaluate(*SWEEP, FEW)
    assert resumed.code == 0, resumed.err
    assert_paid_once(place.prompts(), wanted, kill.in_flight)
    assert_points_are_as_alone(place, other)


@pytest.mark.soak
def test_ctrl_c_ends_all_points_and_the_line_that_it_prints_goes_on_with_them(place, apart):
    other, wanted = apart
    place.slow_down(0.4)
    with place.start(*SWEEP, FEW) as run:
        place.wait_for(len(wanted) // 3)
        run.kill(signal.SIGINT)
        ended = run.wait(90)
    assert ended.code == 130, ended.out
    assert {one["invocations"][-1]["ending"] for one in manifests(place).values()} == {
        "interrupted"
    }
    line = ended.last_line
    assert line.startswith("To go on: ifbench evaluate -m ")
    place.slow_down(0)
    done = place.run_line(line.partition(": ")[2])
    assert done.code == 0, done.err
    assert set(place.prompts()) == wanted
    assert set(place.prompts().values()) == {1}
    assert_points_are_as_alone(place, other)


@pytest.mark.soak
def test_a_cap_is_that_of_the_whole_command(place):
    price = {"input_per_million": 0.0, "output_per_million": 1e6}  # A dollar a token.
    for name in CANDIDATES:
        place.write_model(name, price=price, sampling={"max_tokens": 100})
    capped = place.evaluate(*SWEEP, FEW, "max_usd=300")
    assert capped.code == 3
    counts = [one["counts"] for one in manifests(place).values()]
    spent = sum(calls["cost_usd"] for one in counts for calls in (*one["calls"], *one["preflight"]))
    assert 200 < spent <= 300
    assert capped.last_line.startswith(
        "To ask for what is missing, with max_usd raised: ifbench evaluate -m "
    )
    asked = place.prompts().total()
    place.evaluate(*SWEEP, FEW, "max_usd=300")
    assert place.prompts().total() - asked <= 3  # What is left pays for a short call at most.
    assert place.evaluate(*SWEEP, FEW, "max_usd=1000000").code == 0
    assert set(place.prompts().values()) == {1}


def test_a_slow_candidate_of_one_benchmark_holds_back_no_other(place):
    place.behave(Fault(match='"model":"half"', latency_s=5.0))
    with place.start(*SWEEP, FEW) as run:
        wait_until(lambda: asked_of(place, "right") == 28, "all of the fast candidate's prompts")
        assert asked_of(place, "half") < 28
        run.kill()


def asked_of(place: Place, candidate: str) -> int:
    return sum(line["model"] == candidate for line in place.answered())


def test_a_setting_that_is_swept_puts_two_configurations_under_one_name(place):
    swept = ("-m", "judge=oracle", "candidates=[right]", "benchmark.limit=5")
    done = place.evaluate(*swept, "model.right.sampling.temperature=0,1")
    assert done.code == 0, done.err
    candidate = [line for line in place.answered() if line["model"] == "right"]
    assert len(candidate) == 10
    assert len(manifests_of(place)) == 2


def manifests_of(place: Place) -> list[Path]:
    return [*Path(place.store).glob("runs/*/manifest.json")]


def test_a_bad_point_is_told_before_anything_is_asked(place):
    done = place.evaluate(*SWEEP, "grader=oracle")
    assert done.code == 2
    assert "point `benchmark=videoif judge=oracle`: grader: " in done.err
    assert place.endpoint.counts()["total"] == 0
    assert not manifests_of(place)


@pytest.mark.ray
@pytest.mark.soak
@pytest.mark.timeout(600)
def test_on_ray_a_sweep_asks_and_scores_as_its_points_alone(
    both_endpoint, both_log, tmp_path, apart
):
    other, wanted = apart
    place = new_place(tmp_path, both_endpoint, both_log, execution="ray")
    done = place.evaluate(*SWEEP, FEW)
    assert done.code == 0, done.err
    assert set(place.prompts()) == wanted
    assert set(place.prompts().values()) == {1}
    assert_points_are_as_alone(place, other)
    total = sum((answered(one) for one in manifests(place).values()), Counter()).total()
    assert total == len(wanted)
