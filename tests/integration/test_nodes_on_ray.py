"""Machines of a cluster that die, that are taken away in order, and that join late."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from nodes import Nodes, start_nodes
from running import Place, alive, assert_paid_once, killed, wait_until

from engines.endpoint import EndpointProcess
from ifbench.execution.leaving import VARIABLE

pytestmark = [pytest.mark.ray, pytest.mark.soak, pytest.mark.timeout(900)]

LATENCY_S = 0.5
SLOW_S = 6.0
BUSY_S = 3.0
"""What a busy machine may add between an answer and its being known to the other command."""
HELD_S = 0.5
"""A worker looks for the note of its node twice a second."""
WORKERS = 6
"""Of the run below: four that ask the candidate, one that verifies, one that asks the judge."""


@pytest.fixture
def nodes() -> Iterator[Nodes]:
    with start_nodes() as started:
        yield started


@pytest.fixture
def place(judged_run: object, endpoint: EndpointProcess, log: Path, tmp_path: Path) -> Place:
    found = Place(folder=tmp_path, endpoint=endpoint, log=log, execution="ray")
    found.environment |= {"RAY_AUTH_MODE": "disabled"}
    found.slow_down(LATENCY_S)
    return found


def overrides(nodes: Nodes, data: Path, *more: str) -> list[str]:
    return [
        f"benchmark.data={data}",
        f"execution.address={nodes.address}",
        "execution.workers.generate=4",
        *more,
    ]


def test_a_node_that_is_killed_costs_its_calls_in_flight_and_the_run_goes_on_elsewhere(
    nodes, place, judged_data, judged_run
):
    results, wanted = judged_run
    first, second = nodes.add(2), nodes.add(2)
    with place.start(*overrides(nodes, judged_data)) as run:
        place.wait_for(40)
        dying = max(first, second, key=lambda node: len(nodes.workers(node)))
        lost = nodes.workers(dying)
        assert lost
        kill = killed(place, lambda: nodes.kill(dying))
        assert 0 < len(kill.asked) < len(wanted)
        wait_until(lambda: not alive(lost), "the node to die", 10)
        ended = run.wait(240)
    assert ended.code == 0, ended.out
    assert_paid_once(place.prompts(), wanted, kill.in_flight)
    assert place.results() == results


def test_a_node_that_says_that_it_goes_costs_nothing(
    nodes, place, judged_data, judged_run, tmp_path
):
    results, wanted = judged_run
    note = tmp_path / "leaving"
    going = nodes.add(2, **{VARIABLE: str(note)})
    nodes.add(2, **{VARIABLE: str(tmp_path / "staying")})
    with place.start(*overrides(nodes, judged_data)) as run:
        place.wait_for(40)
        assert nodes.workers(going)
        note.touch()  # as `jobs/leave.py` does, which has 30 s for what follows
        time.sleep(HELD_S + LATENCY_S + 1.5)
        assert len(place.prompts()) < len(wanted)
        nodes.kill(going)
        ended = run.wait(240)
    assert ended.code == 0, ended.out
    assert_paid_once(place.prompts(), wanted, 0)
    assert place.results() == results


def test_workers_that_find_no_room_are_placed_on_nodes_that_join_late(
    nodes, place, judged_data, judged_run
):
    results, wanted = judged_run
    place.slow_down(SLOW_S)  # The run is to be there still when the second node is.
    with place.start(*overrides(nodes, judged_data, "execution.cpus=8")) as run:
        place.wait_for_preflight()
        time.sleep(5)
        assert place.prompts().total() == 0  # There is nobody to ask yet.
        first = nodes.add(1)
        place.wait_for(1)
        there = len(nodes.workers(first))
        assert 0 < there < WORKERS
        second = nodes.add(2)
        wait_until(
            lambda: len(nodes.workers(first)) + len(nodes.workers(second)) == WORKERS,
            "all workers to be placed",
            60,
        )
        place.slow_down(0)
        assert len(place.prompts()) < len(wanted)
        ended = run.wait(240)
    assert ended.code == 0, ended.out
    assert_paid_once(place.prompts(), wanted, 0)
    assert place.results() == results


def test_two_commands_on_one_cluster_share_a_store(nodes, place, judged_data, judged_run):
    results, wanted = judged_run
    nodes.add(4)
    two = [f"benchmark.data={judged_data}", f"execution.address={nodes.address}"]
    place.slow_down(1.0)
    with place.start(*two) as first:
        place.wait_for(12)
        with place.start(*two) as second:
            ends = [first.wait(), second.wait()]
    assert [end.code for end in ends] == [0, 0], ends
    began: dict[str, float] = {}
    for call in place.answered():
        assert call["at"] - began.setdefault(call["digest"], call["at"]) <= 1.0 + BUSY_S
    assert set(place.prompts()) == wanted
    assert place.results() == results
