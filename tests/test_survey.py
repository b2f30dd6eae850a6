"""What a run would do, over stored answers: counted, and put in order, without a call."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engines.engine_factories import MemoryJournal
from factories import make_item, make_model, make_sample
from ifbench.config.values import Benchmark, Execution, RunConfig, StoreConfig
from ifbench.engines.scripted import default_reply
from ifbench.keys import prompt_key
from ifbench.stages.judge import ask_judge
from ifbench.stages.prepare import prepare
from ifbench.survey import asking_first, survey
from ifbench.types import Prompt, Purpose, Response, Stop, Trial, WorkItem


class ReadJournal(MemoryJournal):
    """Counts the answers that are read."""

    read = 0

    def lookup(self, keys):
        found = super().lookup(keys)
        self.read += len(found)
        return found

    def hold(self, prompt: Prompt) -> Response:
        """Store an answer to a prompt."""
        response = Response(
            key=prompt_key(prompt),
            purpose=prompt.purpose,
            model=prompt.model.model,
            text=default_reply(prompt),
            stop=Stop.STOP,
        )
        self.rows[response.key] = response
        return response


def config_of(**roles) -> RunConfig:
    return RunConfig(
        benchmark=Benchmark(name="scimif", data="samples.jsonl"),
        candidates=(make_model(),),
        correctness="none",
        execution=Execution(name="local"),
        store=StoreConfig(uri="store"),
        **roles,
    )


def trials(count: int = 4) -> list[Trial]:
    from ifbench.constraints import all_constraints

    params = all_constraints()["physics:analysis_steps"].params(steps=("weigh", "read"))
    item = make_item("physics:analysis_steps", params=params)
    return [
        Trial(
            item=WorkItem(
                sample=make_sample(f"s{n}", instruction=f"Question {n}?", checklist=(item,)),
                candidate=make_model(),
            )
        )
        for n in range(count)
    ]


def hold_answer(journal: ReadJournal, trial: Trial, judge=None) -> None:
    answer = journal.hold(prepare(trial.item))
    for prompt in () if judge is None else ask_judge(trial.item, answer, judge).values():
        journal.hold(prompt)


def sums(found) -> dict[Purpose, tuple[int, int, int]]:
    return {one.purpose: (one.stored, one.missing, one.expected) for one in found.calls}


def test_stored_answers_that_nobody_is_asked_about_are_not_read():
    journal, rows = ReadJournal(), trials()
    hold_answer(journal, rows[1])
    found = survey(config_of(), lambda: rows, journal)
    assert sums(found) == {Purpose.CANDIDATE: (1, 3, 0)}
    assert found.asking == bytes([1, 0, 1, 1])
    assert found.owing == {"tester"}
    assert journal.read == 0


def test_a_judge_that_has_not_said_all_is_asked():
    judge = make_model("judge")
    journal, rows = ReadJournal(), trials(3)
    hold_answer(journal, rows[0], judge)
    hold_answer(journal, rows[1])
    hold_answer(journal, rows[2], judge)
    found = survey(config_of(judge=judge), lambda: rows, journal)
    assert sums(found) == {Purpose.CANDIDATE: (3, 0, 0), Purpose.JUDGE: (2, 1, 0)}
    assert found.asking == bytes([0, 1, 0])
    assert found.owing == {"judge"}


def test_no_answer_is_read_where_all_models_will_be_asked_anyway():
    judge = make_model("judge")
    journal, rows = ReadJournal(), trials()
    hold_answer(journal, rows[0], judge)
    found = survey(config_of(judge=judge), lambda: rows, journal, exact=False)
    assert found.owing == {"tester", "judge"}
    assert not found.is_exact
    assert journal.read == 0


def test_answers_are_read_where_only_they_tell_who_will_be_asked():
    judge = make_model("judge")
    journal, rows = ReadJournal(), trials()
    for trial in rows:
        hold_answer(journal, trial, judge)
    found = survey(config_of(judge=judge), lambda: rows, journal, exact=False)
    assert found.is_exact
    assert not found.owing
    assert sums(found)[Purpose.JUDGE] == (4, 0, 0)


@pytest.mark.parametrize(
    ("unjudged", "first"), [((38, 39), (38, 39)), ((*range(8, 20), 39), (8, 12, 16, 39))]
)
def test_some_of_many_answers_tell_who_will_be_asked(unjudged, first):
    judge = make_model("judge")
    journal, rows = ReadJournal(), trials(40)
    for at, trial in enumerate(rows):
        hold_answer(journal, trial, None if at in unjudged else judge)
    found = survey(config_of(judge=judge), lambda: rows, journal, exact=False, glance=5)
    assert found.owing == {"judge"}
    assert not found.is_exact
    assert found.trials == 40
    assert journal.read < 2 * 15  # Of 15 trials at most, an answer and a judge's reply.
    assert [at for at, is_asking in enumerate(found.asking) if is_asking] == list(first)
    assert sums(found)[Purpose.CANDIDATE] == (40, 0, 0)
    assert sums(found)[Purpose.JUDGE][0] == 0


def test_keys_tell_who_will_be_asked_where_some_answers_do_not():
    judge = make_model("judge")
    journal, rows = ReadJournal(), trials(40)
    for at, trial in enumerate(rows):
        hold_answer(journal, trial, None if at in (21, 30) else judge)
    found = survey(config_of(judge=judge), lambda: rows, journal, exact=False, glance=5)
    assert found.owing == {"judge"}
    assert not found.is_exact
    assert found.at_hand == {21: rows[21], 30: rows[30]}
    assert journal.read < 2 * 15 + 40 + 2 * 2  # One answer a trial, and the two that owe in full.


def test_trials_behind_the_first_that_owes_come_before_those_that_were_looked_at(monkeypatch):
    monkeypatch.setattr("ifbench.survey._AT_ONCE", 4)
    judge = make_model("judge")
    journal, rows = ReadJournal(), trials(40)
    for at, trial in enumerate(rows):
        hold_answer(journal, trial, None if at in (21, 30) else judge)
    found = survey(config_of(judge=judge), lambda: rows, journal, exact=False, glance=5)
    assert found.at_hand == {21: rows[21]}
    names = [row.item.sample.id for row in asking_first(lambda: rows, found.asking, found.at_hand)]
    assert names == [f"s{at}" for at in (21, *range(24, 40), *range(21), 22, 23)]


def test_a_judge_that_has_said_all_is_not_asked_however_many_trials_there_are():
    judge = make_model("judge")
    journal, rows = ReadJournal(), trials(40)
    for trial in rows:
        hold_answer(journal, trial, judge)
    found = survey(config_of(judge=judge), lambda: rows, journal, exact=False, glance=5)
    assert not found.owing
    assert not any(found.asking)


def test_whether_a_server_of_ours_is_needed_is_found_out_to_the_end():
    judge = make_model("judge", engine="vllm")
    journal, rows = ReadJournal(), trials(40)
    for at, trial in enumerate(rows):
        hold_answer(journal, trial, None if at == 21 else judge)
    found = survey(config_of(judge=judge), lambda: rows, journal, exact=False, glance=5)
    assert found.is_exact
    assert found.owing == {"judge"}
    assert found.asking == bytes(at == 21 for at in range(40))


@pytest.mark.parametrize(
    ("asking", "order"),
    [([0, 0, 0], "abc"), ([1, 1, 1], "abc"), ([0, 0, 1], "cab"), ([1, 0, 1], "acb")],
)
def test_what_is_owed_comes_first_and_the_rest_in_order(asking, order):
    def rows() -> Iterator[str]:
        yield from "abc"

    assert "".join(asking_first(rows, bytes(asking))) == order


def test_what_is_owed_and_at_hand_comes_before_what_is_owed():
    asked = bytes([0, 1, 1, 0, 1])
    assert "".join(asking_first(lambda: "abcde", asked, {4: "e", 1: "b"})) == "ebcad"
    assert "".join(asking_first(lambda: "abcde", asked, {1: "b", 2: "c", 4: "e"})) == "bcead"
    assert "".join(asking_first(lambda: "abcde", asked, {0: "a", 4: "e"})) == "aebcd"  # Each once.


def test_trials_that_owed_calls_before_are_looked_at_first():
    judge = make_model("judge")
    journal, rows = ReadJournal(), trials(40)
    for at, trial in enumerate(rows):
        hold_answer(journal, trial, None if at in (21, 30) else judge)
    doubted = {("s30", "tester", 0), ("s9", "tester", 0), ("s21", "tester", 1)}
    found = survey(
        config_of(judge=judge), lambda: rows, journal, exact=False, doubted=doubted, glance=5
    )
    assert found.owing == {"judge"}
    assert found.at_hand == {30: rows[30]}
    assert journal.read <= 2 * (15 + 2)


def test_trials_that_owe_no_more_send_nobody_astray():
    judge = make_model("judge")
    journal, rows = ReadJournal(), trials(40)
    for at, trial in enumerate(rows):
        hold_answer(journal, trial, None if at == 21 else judge)
    found = survey(
        config_of(judge=judge),
        lambda: rows,
        journal,
        exact=False,
        doubted={("s30", "tester", 0), ("gone", "tester", 0)},
        glance=5,
    )
    assert found.at_hand == {21: rows[21]}
