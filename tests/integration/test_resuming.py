"""What is answered is stored: a run that was killed, or given again, asks for the rest alone."""

from __future__ import annotations

import shutil
from pathlib import Path

from running import alive, assert_paid_once, descendants, killed, wait_until

from ifbench.store import Store


def test_the_same_command_again_asks_nobody_and_gives_the_same_results(finished, undisturbed):
    again = finished.evaluate()
    assert again.code == 0
    assert finished.endpoint.counts()["total"] == 0
    assert finished.results() == undisturbed


def test_plan_finds_nothing_to_ask_after_a_run_and_asks_nobody_before_one(finished, wanted):
    rows = planned(finished.run(finished.command(name="plan")).out)
    assert set(rows) == {"candidate", "extract", "judge"}
    assert sum(stored for stored, _ in rows.values()) == len(wanted)
    assert all(to_ask == 0 for _, to_ask in rows.values())
    shutil.rmtree(finished.store)
    assert planned(finished.run(finished.command(name="plan")).out)["candidate"] == (0, 92)
    assert finished.endpoint.counts()["total"] == 0


def planned(text: str) -> dict[str, tuple[int, int]]:
    """Answers stored and calls to make, by purpose, out of what `plan` prints."""
    words = [line.split() for line in text.splitlines()]
    return {
        row[0]: (int(row[2]), int(row[3]))
        for row in words
        if row and row[0] in {"candidate", "extract", "judge"}
    }


def test_after_a_kill_each_prompt_is_asked_once_but_those_in_flight(place, undisturbed, wanted):
    place.slow_down(0.4)
    with place.start() as run:
        place.wait_for(len(wanted) // 2)
        children = list(descendants(run.process.pid))
        kill = killed(place, run.kill)
        run.process.wait(10)
    wait_until(lambda: not alive(children), "the process for checks to end", 10)
    kept = place.stored()
    assert len(kill.asked) - kill.in_flight <= kept <= len(kill.asked) < len(wanted)
    place.slow_down(0)
    resumed = place.evaluate()
    assert resumed.code == 0
    assert f"{kept} answers stored already" in resumed.err
    assert_paid_once(place.prompts(), wanted, kill.in_flight)
    assert place.prompts().total() == len(wanted) + len(kill.asked) - kept
    assert place.results() == undisturbed


def test_results_that_were_deleted_come_back_without_a_call(finished, undisturbed):
    shutil.rmtree(Path(finished.store) / "results")
    missing = finished.run(["report", "--store", finished.store])
    assert missing.code == 2
    assert "has no results yet; the same `evaluate` command" in missing.err
    assert finished.evaluate().code == 0
    assert finished.endpoint.counts()["total"] == 0
    assert finished.results() == undisturbed


def test_a_journal_that_was_merged_answers_like_the_one_that_was_appended(finished, undisturbed):
    assert Store(finished.store).compact().parts == 1
    assert finished.evaluate().code == 0
    assert finished.endpoint.counts()["total"] == 0
    assert finished.results() == undisturbed
