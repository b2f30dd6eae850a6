"""What the workers count of a trial that has come out."""

from __future__ import annotations

from dataclasses import replace

from factories import make_score, make_trial, make_verdict
from ifbench.tally import Tally
from ifbench.types import Cause, Outcome
from ifbench.workers import count_outcome


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
