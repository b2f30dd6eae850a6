"""What workers claim of a cluster's CPUs: all that they want, or as much as leaves room for all."""

from __future__ import annotations

import pytest

from ifbench.execution.ray_data import affordable
from ifbench.execution.step import Step


def step(workers: int, cpus: float) -> Step:
    return Step(name="s", build=lambda seat: None, workers=workers, cpus=cpus)


STEPS = (step(4, 0.25), step(1, 0.5), step(1, 0.25))


@pytest.mark.parametrize("cpus", [2.5, 4, 20])
def test_where_there_is_room_or_will_be_workers_claim_what_they_want(cpus):
    assert affordable(STEPS, cpus) == [0.25, 0.5, 0.25]


@pytest.mark.parametrize("cpus", [0, 0.5, 1, 2])
def test_on_a_cluster_that_stays_small_all_fit_and_leave_room(cpus):
    claims = affordable(STEPS, cpus)
    taken = sum(claim * one.workers for claim, one in zip(claims, STEPS, strict=True))
    assert taken <= 0.7 * (cpus or 1) + 0.02
    assert min(claims) > 0


def test_steps_that_claim_nothing_are_given_a_little():
    assert affordable((step(1, 0.0),), 4) == [0.01]
