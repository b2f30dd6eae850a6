"""One set of answers under both rule sets, as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ifbench.cli import main
from ifbench.schemas import table_to_verdicts
from ifbench.store import Store, read_scores, read_verdicts
from ifbench.types import Outcome, Verdict

RUN = ["execution=local", "candidates=[scripted]", "judge=scripted"]


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def ifbench(*arguments: str) -> int:
    return main(list(arguments))


def runs_by_rules() -> dict[str, str]:
    return {manifest.config["rules"]: manifest.run_id for manifest in Store("store").list_runs()}


def constraint_verdicts(run: str) -> list[Verdict]:
    found = table_to_verdicts(read_verdicts("store", run))
    return [verdict for verdict in found if verdict.aspect == "constraint"]


def test_the_starter_set_under_both_rule_sets_asks_each_candidate_once(capsys):
    ifbench("evaluate", *RUN)
    paper = capsys.readouterr().out
    assert ifbench("evaluate", *RUN, "rules=release") == 0
    release = capsys.readouterr().out
    runs = runs_by_rules()
    count = read_scores("store", runs["paper"]).num_rows
    assert f"asked scripted as candidate: {count} answers, 0 from the store" in paper
    assert f"asked scripted as candidate: 0 answers, {count} from the store" in release
    verdicts = constraint_verdicts(runs["release"])
    assert {verdict.rules for verdict in verdicts} == {"release"}
    assert all(":release:" in verdict.grader for verdict in verdicts)
    assert not [verdict for verdict in verdicts if verdict.outcome is Outcome.UNDECIDED]
    capsys.readouterr()

    assert ifbench("report", runs["paper"], "--against", runs["release"], "--format", "json") == 0
    metrics, *_, items = (json.loads(line) for line in capsys.readouterr().out.splitlines() if line)
    assert metrics["title"] == "rules paper against rules release (percent)"
    rows = {row["constraint"]: row for row in items["rows"]}
    # A bracket in a scripted reply is a box to the release. The name of a method, which the set's
    # records have as the release does, stands in no such reply.
    assert int(rows["general:wrap_up"]["only_second"]) > 0
    assert int(rows["chemistry:method_constraint"]["only_second"]) == 0
    assert float(rows["all"]["agreement"]) < 100


def test_the_same_command_under_the_release_rules_again_asks_nobody(capsys):
    ids = "benchmark.ids=[chemistry-steps-aspirin,chemistry-mass-glucose]"
    ifbench("evaluate", *RUN, ids, "rules=release")
    capsys.readouterr()
    assert ifbench("plan", *RUN, ids, "rules=release") == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if " scripted " in line]
    assert [row[2:5] for row in rows] == [["2", "0", "0"], ["1", "0", "0"]]


def test_an_unknown_rule_set_is_refused(capsys):
    assert ifbench("evaluate", *RUN, "rules=releases") == 2
    assert "release" in capsys.readouterr().err


ANSWERS = [
    {"constraint": "general:wrap_up", "response": "It is 4 (about)."},
    {"constraint": "general:choose_from", "raw": "stable, rigid", "response": "It is unstable."},
    {"constraint": "general:decimal_number", "raw": "2 decimal places", "response": "It is 4.5"},
    {"constraint": "general:choose_from", "raw": 5, "response": "x"},
    {"constraint": "general:wrap_up", "instruction": "x \ud800", "response": "(a) \ud800"},
]


@pytest.mark.parametrize(
    ("rules", "outcomes"),
    [
        ("paper", ["fail", "undecided", "undecided", "error", "fail"]),
        ("release", ["pass", "pass", "fail", "error", "pass"]),
    ],
)
def test_verify_decides_on_the_parameters_own_words_under_the_release_rules(rules, outcomes):
    lines = "".join(json.dumps(line) + "\n" for line in ANSWERS)
    Path("in.jsonl").write_text(lines, encoding="utf-8")
    assert ifbench("verify", "in.jsonl", "-o", "out.jsonl", f"rules={rules}") == 2
    found = [json.loads(line) for line in Path("out.jsonl").read_text("utf-8").splitlines()]
    assert [line["outcome"] for line in found] == outcomes


def test_a_record_of_the_release_is_decided_on_the_words_that_no_parser_reads(capsys):
    record = {
        "id": 7,
        "task": "formated_numerical_problem",
        "original_question": "A rod of 2 m grows by 4 mm. What is the strain?",
        "edit_question": "A rod of 2 m grows by 4 mm. Give the strain in percent, in two ways.",
        "answer": "0.2",
        "choose_instruction": ["materials_unit_consistency"],
        "instruction_list": [
            {
                "instruction_name": name,
                "source": "core_task",
                "required_parameters": words,
            }
            for name, words in (
                ("materials_unit_consistency", "the most customary one"),
                ("general_number_response", "N = 2 ways"),
            )
        ],
    }
    Path("materials.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    arguments = [*RUN, "benchmark.data=materials.jsonl"]
    assert ifbench("evaluate", *arguments, "rules=release") == 0
    capsys.readouterr()
    (run,) = runs_by_rules().values()
    unit, kinds = constraint_verdicts(run)
    assert unit.reason == "'m' stands in the parameter and in the answer"
    assert kinds.reason == "N is 2; the release gives 0 where N is not above 2"
    assert ifbench("evaluate", *arguments) == 3
    assert "parameters" in capsys.readouterr().out
