"""What the workers count of a trial that has come out."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace

import pytest

from factories import make_model, make_sample, make_score, make_trial, make_verdict
from ifbench.config import load_config
from ifbench.execution.commons import Commons
from ifbench.execution.local import LocalExecutor
from ifbench.execution.step import AskKeeper, KeeperBuilder, Seat, Step
from ifbench.tally import Tally
from ifbench.types import Cause, ModelConfig, Outcome, Price, Sampling, Trial
from ifbench.workers import count_outcome, evaluation_steps


def counted(trial) -> dict[tuple[str, ...], float]:
    tally = Tally()
    count_outcome(trial, tally.of(""))
    return tally.snapshot()


def test_a_trial_counts_as_complete_with_its_verdicts():
    verdicts = (make_verdict(), make_verdict(), make_verdict(Outcome.FAIL))
    trial = replace(make_trial(), score=make_score(), verdicts=verdicts)
    assert counted(trial) == {
        ("trials", "tester", "complete"): 1,
        ("verdicts", "tester", "pass", ""): 2,
        ("verdicts", "tester", "fail", ""): 1,
    }


def test_a_trial_that_is_owed_counts_under_each_of_its_causes():
    causes = (Cause.EXTRACTOR, Cause.TIMEOUT)
    score = make_score((None,), causes=causes)
    undecided = make_verdict(Outcome.UNDECIDED, cause=Cause.TIMEOUT)
    assert counted(replace(make_trial(), score=score, verdicts=(undecided,))) == {
        ("trials", "tester", "owed"): 1,
        ("undecided", "tester", "extractor"): 1,
        ("undecided", "tester", "timeout"): 1,
        ("verdicts", "tester", "undecided", "timeout"): 1,
    }


def test_a_trial_that_was_let_go_has_not_come_out():
    assert counted(replace(make_trial(), score=None, verdicts=(make_verdict(),))) == {}


@pytest.mark.parametrize(("judge", "is_light"), [("null", True), ("scripted", False)])
def test_the_last_step_needs_workers_of_its_own_only_to_ask_a_judge(judge, is_light):
    config = load_config(["candidates=[scripted]", f"judge={judge}"])
    steps = evaluation_steps({"r": config})
    assert {step.name: step.is_light for step in steps} == {
        "generate": False,
        "verify": False,
        "judge": is_light,
    }


def capped_step(tmp_path) -> tuple[Step, ModelConfig]:
    """A first step whose calls cost a dollar each, under a cap of three."""
    price = Price(output_per_million=1_000_000.0)  # A dollar for each answer of one token.
    model = make_model(price=price, sampling=Sampling(max_tokens=1), options={"default": "word"})
    config = load_config(["candidates=[scripted]", "judge=scripted", f"store.uri={tmp_path}"])
    config = replace(config, candidates=(model,))
    return evaluation_steps({"r": config}, cap_usd=3.0)[0], model


def trials_of(model: ModelConfig, *names: str) -> list[Trial]:
    trials = [
        replace(make_trial(make_sample(id=name, instruction=name)), run="r") for name in names
    ]
    return [replace(one, item=replace(one.item, candidate=model)) for one in trials]


def failures(trials: Iterable[Trial]) -> list[str]:
    return sorted(str(one.response.failure and one.response.failure.kind.value) for one in trials)


def test_groups_of_rows_share_one_cap(tmp_path):
    step, model = capped_step(tmp_path)
    executor = LocalExecutor()
    assert failures(executor.run(trials_of(model, "a", "b"), (step,))) == ["None", "None"]
    assert failures(executor.run(trials_of(model, "c", "d"), (step,))) == ["None", "spending_cap"]


async def test_a_group_on_a_cluster_has_what_those_before_it_left_of_the_cap(tmp_path):
    """The limiter, and with it the purse, is new for each group."""
    step, model = capped_step(tmp_path)

    def find_limiter(build: KeeperBuilder) -> AskKeeper:
        keeper = build(0.0, False)

        async def ask(request):
            return keeper(request, asyncio.get_running_loop().time())

        return ask

    async with Commons() as commons:
        seat = Seat(find_limiter=find_limiter, spent_usd=2.0, commons=commons)
        async with step.build(seat) as work:
            out = [await work(trial) for trial in trials_of(model, "c", "d")]
    assert failures(out) == ["None", "spending_cap"]
