"""The commands as a user types them, on the starter set and a scripted model."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from ifbench.benchmarks.datasets import data_path
from ifbench.cli import main
from ifbench.config import load_config
from ifbench.store import Store, read_scores

RUN = ["execution=local", "candidates=[scripted]", "judge=scripted"]


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def ifbench(*arguments: str) -> int:
    return main(list(arguments))


def test_evaluate_leaves_scores_for_every_sample_and_says_what_is_next(capsys):
    code = ifbench("evaluate", *RUN, "benchmark.limit=5")
    out = capsys.readouterr().out
    assert code == 0
    assert "One failed constraint, as an example:" in out
    assert "reason: " in out
    assert out.splitlines()[-1].startswith("complete. More tables: ifbench report ")
    assert read_scores("store").num_rows == 5


def test_the_same_command_again_asks_nobody(capsys):
    ifbench("evaluate", *RUN, "benchmark.limit=5")
    before = capsys.readouterr().out
    assert ifbench("evaluate", *RUN, "benchmark.limit=5") == 0
    after = capsys.readouterr().out
    assert "0 answers, 5 from the store" in after
    assert after.split("asked")[0] == before.split("asked")[0]
    (manifest,) = Store("store").list_runs()
    assert len(manifest.invocations) == 2


def test_plan_counts_what_is_missing_and_spends_nothing(capsys):
    assert ifbench("plan", *RUN, "benchmark.limit=5") == 0
    out = capsys.readouterr().out
    assert "candidate" in out
    assert len(Store("store").journal) == 0
    ifbench("evaluate", *RUN, "benchmark.limit=5")
    capsys.readouterr()
    ifbench("plan", *RUN, "benchmark.limit=5")
    row = next(line for line in capsys.readouterr().out.splitlines() if "candidate" in line)
    assert row.split()[2:5] == ["5", "0", "0"]


def test_a_run_that_owes_samples_says_so_with_code_3(capsys):
    Path("conf/model").mkdir(parents=True)
    Path("conf/model/mute.yaml").write_text(
        "engine: scripted\nmodel: mute\noptions: {default: I would rather not say.}\n"
    )
    code = ifbench("evaluate", *RUN, "judge=mute", "benchmark.ids=[chemistry-steps-aspirin]")
    out = capsys.readouterr().out
    assert code == 3
    assert "1 of 1 trials are owed (judge_unreadable 1)" in out
    assert "judge_unreadable, for example sample chemistry-steps-aspirin: the judge's" in out
    assert "No call is missing: raise judging.attempts" in out


def test_a_check_that_comes_to_no_end_is_not_told_as_a_missing_call(capsys):
    long = ("import", "long.jsonl", "candidates=[scripted]", "benchmark.ids=[physics-momentum]")
    Path("long.jsonl").write_text(
        json.dumps({"id": "physics-momentum", "response": "a" * 2_000_001})
    )
    assert main(["answers", *long]) == 0
    assert ifbench("evaluate", "execution=local", *long[2:], "judge=null") == 3
    out = capsys.readouterr().out
    assert "1 of 1 trials are owed (verifier_error 1)" in out
    assert "the answer has 2,000,001 characters" in out
    assert "No call is missing: a check came to no end. To check again: ifbench evaluate" in out
    assert "ask for what is missing" not in out


def test_without_a_judge_judged_items_are_undecided_and_not_failed(capsys):
    ids = "benchmark.ids=[chemistry-steps-aspirin]"
    assert ifbench("evaluate", "execution=local", "candidates=[scripted]", "judge=null", ids) == 3
    out = capsys.readouterr().out
    assert "1 of 1 trials are owed (no_judge 1)" in out
    assert "To ask for what is missing" not in out, "it would be asked for in vain"
    assert out.splitlines()[-1].endswith("name one (judge=NAME), or allow for them with max_owed.")


# ── Correctness ──────────────────────────────────────────────────────────────────────

NUMERIC = "benchmark.ids=[chemistry-mass-glucose,biology-gc-atgcgcta]"


def row_of(out: str, title: str) -> list[str]:
    table = out.partition(title)[2]
    return next(line for line in table.splitlines() if line.split()[:1] == ["scripted"]).split()


def test_correctness_is_graded_by_script_without_a_call(capsys):
    answer = '{"molar mass": 180.16}'
    code = ifbench("evaluate", *RUN, NUMERIC, f"model.scripted.options.default='{answer}'")
    out = capsys.readouterr().out
    assert code == 0
    assert row_of(out, "Correctness and adherence")[1] == "2/2"
    assert row_of(out, "Correctness and adherence")[6] == "50.00"
    assert "as correctness" not in out


def test_what_no_script_can_tell_is_undecided_without_a_grader_and_not_owed(capsys):
    code = ifbench("evaluate", *RUN, NUMERIC, "model.scripted.options.default='hard to say'")
    out = capsys.readouterr().out
    assert code == 0
    assert "no_grader 2" in out


def test_the_grader_is_planned_asked_and_found_again(capsys):
    told = [*RUN, NUMERIC, "grader=scripted", "model.scripted.options.default='A'"]
    ifbench("plan", *told)
    planned = next(row for row in capsys.readouterr().out.splitlines() if "correctness" in row)
    assert planned.split()[2:6] == ["0", "0", "≤", "2"]
    assert ifbench("evaluate", *told) == 0
    out = capsys.readouterr().out
    assert "asked scripted as correctness: " in out
    assert row_of(out, "Correctness and adherence")[6] == "100.00"
    assert ifbench("evaluate", *told) == 0
    again = capsys.readouterr().out
    line = next(row for row in again.splitlines() if "as correctness" in row)
    assert "0 answers" in line
    assert ifbench("report") == 0
    assert "Correctness and adherence" in capsys.readouterr().out
    assert ifbench("show", "biology-gc-atgcgcta") == 0
    assert "decided by: grade:correctness grade/answer@" in capsys.readouterr().out


def test_an_unreadable_grader_is_owed_with_its_cause(capsys):
    told = [*RUN, NUMERIC, "grader=scripted", "model.scripted.options.default='hm'"]
    assert ifbench("evaluate", *told) == 3
    out = capsys.readouterr().out
    assert "2 of 2 trials are owed (grader_unreadable 2)" in out
    assert "No call is missing" in out


def test_without_correctness_no_table_of_it_is_shown(capsys):
    assert ifbench("evaluate", *RUN, NUMERIC, "correctness=none") == 0
    assert "Correctness and adherence" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["judge=gpt-4.2"], "gpt-4.1"),
        (["benchmark.limt=3"], "limit"),
        (["benchmark.limit=0"], "limit"),
        (["execution=kubernetes"], "local"),
        (["benchmark.data=missing.jsonl"], "missing.jsonl"),
        (["benchmark.data=builtin:scimif_start"], "scimif_starter"),
        (["benchmark.ids=[chemistry-mass-glucos]"], "chemistry-mass-glucose"),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(arguments, words, capsys):
    assert ifbench("evaluate", *RUN, *arguments) == 2
    error = capsys.readouterr().err
    assert words in error
    assert "Traceback" not in error
    assert len(Store("store").journal) == 0


def test_report_prints_the_latest_run_in_every_form(capsys):
    ifbench("evaluate", *RUN, "benchmark.limit=5")
    capsys.readouterr()
    for form, mark in (
        ("terminal", "By discipline"),
        ("markdown", "### By discipline"),
        ("csv", "model,complete,total,CSR,CSR_low_95"),
        ("json", '"title": "By discipline"'),
    ):
        assert ifbench("report", "--format", form) == 0
        assert mark in capsys.readouterr().out
    assert ifbench("report", "--list") == 0
    assert "scripted" in capsys.readouterr().out


def test_the_list_of_runs_tells_graders_and_correctness_apart(capsys):
    one = [*RUN, "benchmark.limit=1"]
    ifbench("evaluate", *one, "correctness=none")
    ifbench("evaluate", *one, "correctness=script")
    ifbench("evaluate", *one, "correctness=script", "grader=scripted")
    capsys.readouterr()
    assert ifbench("report", "--list", "--format", "csv") == 0
    lines = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    found = {(line["grader"], line["correctness"]) for line in lines}
    assert found == {("none", "none"), ("none", "script"), ("scripted", "script")}


def test_report_without_runs_or_with_a_wrong_name_says_what_there_is(capsys):
    assert ifbench("report") == 2
    assert "no runs are stored here" in capsys.readouterr().err
    ifbench("evaluate", *RUN, "benchmark.limit=1")
    assert ifbench("report", "zzz") == 2
    assert "no run starts with 'zzz'" in capsys.readouterr().err


def test_show_tells_a_sample_with_its_answer_and_verdicts(capsys):
    ifbench("evaluate", *RUN, "benchmark.limit=5")
    capsys.readouterr()
    assert ifbench("show", "chemistry-mass-glucose") == 0
    out = capsys.readouterr().out
    assert "molar mass of glucose" in out
    assert 'general:decimal_number {"places": 2}' in out
    assert "answer (" in out
    assert (
        "\n  [0] sample chemistry-mass-glucose, general:decimal_number: fail\n      reason: " in out
    )
    assert "\n      decided by: script:general:decimal_number@" in out
    assert ifbench("show", "chemistry-mass-gluco") == 2
    assert "did you mean `chemistry-mass-glucose`" in capsys.readouterr().err


def test_constraints_as_table_as_text_and_as_data(capsys):
    assert ifbench("constraints") == 0
    assert "general:json_constraint" in capsys.readouterr().out
    assert ifbench("constraints", "general:choose_from") == 0
    assert "passes: " in capsys.readouterr().out
    assert ifbench("constraints", "--json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert {"id", "group", "method", "params", "example", "description"} <= set(listed[0])
    assert ifbench("constraints", "general:chose_from") == 2
    assert "general:choose_from" in capsys.readouterr().err


def test_doctor_says_what_to_mend(capsys, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    code = ifbench(
        "doctor", "candidates=[gpt-5.2]", "candidates.gpt-5.2.base_url=http://127.0.0.1:9/v1"
    )
    out = capsys.readouterr().out
    assert code == 2
    assert "OPENAI_API_KEY is not set" in out
    assert "127.0.0.1:9 is out of reach" in out


# ── verify ───────────────────────────────────────────────────────────────────────────

LINES = [
    {"id": "a", "constraint": "general:all_lowercase", "response": "all fine"},
    {"id": "b", "constraint": "general:all_lowercase", "response": "Not fine"},
    {"id": "c", "constraint": "general:all_lowercase", "response": None},
    {"id": "d", "constraint": "general:number_response", "params": {"n": 2}, "response": "x"},
    {"id": "e", "constraint": "general:all_lowercas", "response": "x"},
    {"id": "f", "constraint": "general:decimal_number", "params": {"places": "2"}, "response": "x"},
    {"id": "g", "constraint": "general:all_lowercase"},
    {"id": "h", "constraint": "general:all_lowercase", "response": "x", "answer": "y"},
    {
        "id": "i",
        "constraint": "general:all_lowercase",
        "response": "<think>Hm</think>fine \ud83d\ude00",
    },
    {"id": 7, "constraint": "general:all_lowercase", "response": "caf\u00e9", "instruction": "i"},
]


def verified(lines: list[str], capsys, *more: str) -> tuple[int, list[dict]]:
    Path("in.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    code = ifbench("verify", "in.jsonl", "-o", "out.jsonl", *more)
    written = Path("out.jsonl").read_text(encoding="utf-8")
    return code, [json.loads(line) for line in written.splitlines()]


def test_verify_decides_each_line_in_order(capsys):
    code, found = verified([json.dumps(line) for line in LINES], capsys)
    assert [(one["id"], one["outcome"]) for one in found] == [
        ("a", "pass"),
        ("b", "fail"),
        ("c", "error"),
        ("d", "undecided"),
        ("e", "error"),
        ("f", "error"),
        ("g", "error"),
        ("h", "error"),
        ("i", "pass"),
        (7, "pass"),
    ]
    assert code == 2
    assert found[1]["evidence"][0]["text"].startswith("N")
    assert "line 3: the key `response` is null" in found[2]["reason"]
    assert "line 5" in found[4]["reason"]
    assert "general:all_lowercase" in found[4]["reason"]


def test_verify_keeps_an_empty_answer_apart_from_one_that_is_missing(capsys):
    given = [{**LINES[0], "response": response} for response in ("", None)]
    code, found = verified([json.dumps(line) for line in given], capsys)
    assert [one["outcome"] for one in found] == ["fail", "error"]
    assert "empty" in found[0]["reason"]
    assert code == 2


def test_verify_survives_lines_that_are_no_records(capsys):
    lines = ["", "nonsense", "[1]", '{"id": "z", "constraint": 5, "response": "x"}', "  ", "null"]
    code, found = verified(lines, capsys)
    assert code == 2
    assert [one["outcome"] for one in found] == ["error"] * 4
    assert [one["reason"].split(":")[0] for one in found] == [
        "in.jsonl line 2",
        "in.jsonl line 3",
        "in.jsonl line 4",
        "in.jsonl line 6",
    ]


def test_verify_ends_with_0_when_all_is_decided_and_3_when_something_is_not(capsys):
    assert verified([json.dumps(LINES[0]), json.dumps(LINES[1])], capsys)[0] == 0
    assert verified([json.dumps(LINES[0]), json.dumps(LINES[3])], capsys)[0] == 3


JUDGE = """
engine: scripted
model: two-things
options:
  default: '{"categories": ["x", "y"]}'
"""


def test_verify_asks_a_judge_only_when_one_is_named(capsys):
    Path("conf/model").mkdir(parents=True)
    Path("conf/model/two.yaml").write_text(JUDGE, encoding="utf-8")
    code, found = verified([json.dumps(LINES[3])], capsys, "judge=two")
    assert (code, found[0]["outcome"]) == (0, "pass")


def test_verify_says_so_when_the_file_is_missing(capsys):
    assert ifbench("verify", "nowhere.jsonl") == 2
    assert "nowhere.jsonl: cannot be read" in capsys.readouterr().err


def test_an_empty_file_gives_an_empty_result(capsys):
    assert verified([], capsys) == (0, [])


def test_verify_never_writes_over_what_it_reads(capsys):
    Path("same.jsonl").write_text(json.dumps(LINES[0]) + "\n", encoding="utf-8")
    assert ifbench("verify", "same.jsonl", "-o", "same.jsonl") == 2
    assert "the output is the input" in capsys.readouterr().err
    assert json.loads(Path("same.jsonl").read_text(encoding="utf-8")) == LINES[0]


def test_verify_refuses_what_is_no_json_and_params_that_are_no_object(capsys):
    head = '{"id": "x", "constraint": "general:all_lowercase", "response": "x"'
    lines = [f'{head}, "params": []}}', f'{head}, "id": "y"}}', '{"id": NaN}']
    code, found = verified(lines, capsys)
    assert code == 2
    assert [one["outcome"] for one in found] == ["error"] * 3


def test_show_does_not_pair_a_sample_with_the_answers_of_another(capsys):
    ifbench("evaluate", *RUN, "benchmark.ids=[physics-momentum]")
    lines = [
        json.loads(line)
        for line in data_path("builtin:scimif_starter").read_text(encoding="utf-8").splitlines()
    ]
    other = next(line for line in lines if line["id"] == "physics-vacuum")
    Path("other.jsonl").write_text(
        json.dumps({**other, "id": "physics-momentum"}) + "\n", encoding="utf-8"
    )
    capsys.readouterr()
    assert ifbench("show", "physics-momentum", "benchmark.data=other.jsonl") == 0
    assert "no run of this store holds this sample" in capsys.readouterr().out


def test_report_refuses_a_facet_that_no_sample_has(capsys):
    ifbench("evaluate", *RUN, "benchmark.limit=1")
    capsys.readouterr()
    assert ifbench("report", "--by", "disciplin") == 2
    assert "did you mean `discipline`" in capsys.readouterr().err


def test_there_is_no_overall_over_fewer_than_the_five_disciplines(capsys):
    ifbench("evaluate", *RUN, "benchmark.limit=4")
    out = capsys.readouterr().out
    row = next(line for line in out.splitlines() if line.strip().startswith("scripted"))
    assert row.split()[-1] == "–"
    assert "no overall, for want of samples of physics" in out


def test_plan_finds_a_mistake_in_an_engines_options(capsys):
    code = ifbench("plan", *RUN, "model.scripted.options.latncy_s=1")
    assert code == 2
    err = capsys.readouterr().err
    assert "model scripted: `options.latncy_s`: unknown key" in err
    assert "latency_s" in err


def test_verify_needs_no_store_without_a_judge(capsys):
    Path("store").write_text("a file where the store would be")
    line = {"constraint": "general:all_lowercase", "response": "all fine"}
    Path("in.jsonl").write_text(json.dumps(line) + "\n")
    assert ifbench("verify", "in.jsonl") == 0
    assert json.loads(capsys.readouterr().out)["outcome"] == "pass"


def test_a_run_of_a_newer_version_is_named_and_not_written_over(capsys):
    ifbench("evaluate", *RUN, "benchmark.limit=5")
    (path,) = Path("store").glob("runs/*/manifest.json")
    newer = json.dumps({**json.loads(path.read_text()), "version": 99})
    path.write_text(newer)
    capsys.readouterr()
    assert ifbench("evaluate", *RUN, "benchmark.limit=5") == 2
    assert "manifest version 99, this ifbench reads" in capsys.readouterr().err
    assert path.read_text() == newer
    assert ifbench("report") == 2
    assert f"no manifest can be read, of {path.parent.name}" in capsys.readouterr().err


def runs_with_two_judges(capsys) -> tuple[str, str]:
    Path("conf/model").mkdir(parents=True)
    Path("conf/model/other.yaml").write_text("engine: scripted\nmodel: other\n")
    args = ["benchmark.limit=20"]
    ifbench("evaluate", *RUN, *args)
    ifbench("evaluate", *RUN[:2], "judge=other", *args)
    out = capsys.readouterr().out
    assert "asked scripted as candidate: 0 answers, 20 from the store" in out
    first, second = Store("store").list_runs()
    return first.run_id, second.run_id


def test_a_swapped_judge_stands_beside_the_first_with_differences_and_agreement(capsys):
    first, second = runs_with_two_judges(capsys)
    assert ifbench("report", first, "--against", second, "--format", "json") == 0
    tables = [json.loads(line) for line in capsys.readouterr().out.splitlines() if line]
    assert tables[0]["title"] == "judge scripted against judge other (percent)"
    assert {row["metric"] for row in tables[0]["rows"]} == {"CSR", "ISR", "DRFR"}
    (everything,) = [row for row in tables[1]["rows"] if row["constraint"] == "all"]
    assert everything["agreement"] == 100  # both judges are the same script


def test_what_cannot_be_compared_is_said(capsys):
    first, second = runs_with_two_judges(capsys)
    assert ifbench("report", first, "--against", first) == 2
    assert "cannot be compared with itself" in capsys.readouterr().err
    assert ifbench("report", first, second, "--by", "discipline") == 2
    assert "no breakdown by discipline" in capsys.readouterr().err
    assert ifbench("report", first, second, "--against", second) == 2
    assert "one run with one other" in capsys.readouterr().err


def test_a_report_goes_into_a_file_in_any_form(capsys):
    ifbench("evaluate", *RUN, "benchmark.limit=5")
    capsys.readouterr()
    for form in ("terminal", "markdown", "csv", "json", "latex"):
        assert ifbench("report", "--format", form, "-o", f"out.{form}") == 0
        assert "scripted" in Path(f"out.{form}").read_text()
    assert capsys.readouterr().out == ""
    assert ifbench("report", "-o", "no/such/folder.txt") == 2
    assert "cannot be written" in capsys.readouterr().err


def test_data_check_lists_findings_with_their_place_and_ends_with_1(capsys):
    assert ifbench("data", "check", "builtin:scimif_starter") == 0
    assert "92 samples, 0 with findings" in capsys.readouterr().err
    record = {
        "format": "ifbench/1",
        "id": "a",
        "benchmark": "scimif",
        "instruction": "Which? In upper case and in lower case.",
        "reference": "metal",
        "checklist": [{"constraint": f"general:all_{c}case"} for c in ("upper", "lower")],
    }
    Path("mine.jsonl").write_text("\n" + json.dumps(record) + "\n")
    assert ifbench("data", "check", "mine.jsonl") == 1
    out, err = capsys.readouterr()
    assert out.startswith("mine.jsonl line 2: a: contradiction: general:all_uppercase and")
    assert "1 sample, 1 with findings" in err
    assert ifbench("data", "check", "mine.jsonl", "--json") == 1
    assert json.loads(capsys.readouterr().out)["kind"] == "contradiction"
    assert ifbench("data", "check", "nowhere.jsonl") == 2
    assert "nowhere.jsonl" in capsys.readouterr().err


def first_words(title: str, row: dict) -> str:
    """What a row is about: its first value, or its first two where the title names two facets."""
    return ", ".join([str(value) for value in row.values()][: title.count(", ") + 1])


def tables_by(capsys, *facets: str) -> dict[str, dict[str, dict[str, str]]]:
    """Tables by title, their rows by what they are about."""
    capsys.readouterr()
    words = [word for facet in facets for word in ("--by", facet)]
    assert ifbench("report", "--format", "json", *words) == 0
    tables = [json.loads(line) for line in capsys.readouterr().out.splitlines() if line]
    return {
        table["title"]: {first_words(table["title"], row): row for row in table["rows"]}
        for table in tables
    }


def test_breakdowns_by_domain_constraint_and_two_facets_at_once(capsys):
    ifbench("evaluate", *RUN)
    found = tables_by(capsys, "domain", "constraint", "discipline+modality", "domain")
    assert list(found)[1:4] == [
        "By domain of constraints",
        "By constraint",
        "By discipline, modality",
    ]
    domains = found["By domain of constraints"]
    assert {"general", "chemistry", "scientific"} <= set(domains)
    assert domains["general"]["total"] > 30
    assert "general:all_lowercase" in found["By constraint"]
    assert {"chemistry, text", "physics, multimodal"} <= set(found["By discipline, modality"])
    assert ifbench("report", "--by", "discipline+mood") == 2
    assert "`mood`" in capsys.readouterr().err


def test_the_papers_figures_stand_beside_ours_where_asked(capsys):
    Path("conf/model").mkdir(parents=True)
    Path("conf/model/gpt-5.2.yaml").write_text("engine: scripted\nmodel: gpt-5.2\n")
    ifbench("evaluate", "execution=local", "candidates=[gpt-5.2]", "judge=scripted")
    capsys.readouterr()
    assert ifbench("report", "--paper") == 0
    out = capsys.readouterr().out
    assert "gpt-5.2 (paper)" in out
    for figure in ("65.67", "72.87", "74.65", "95.91"):  # Tables 3, 3, 13 and 4
        assert figure in out
    ifbench("report")
    assert "(paper)" not in capsys.readouterr().out


def test_correctness_before_and_after_augmentation_stand_side_by_side(capsys):
    table = {"molar mass of glucose": "\\boxed{180.16}"}
    Path("conf/model").mkdir(parents=True)
    Path("conf/model/mine.yaml").write_text(
        json.dumps({"engine": "scripted", "model": "mine", "options": {"table": table}})
    )
    args = ["execution=local", "candidates=[mine]", "judge=null", "benchmark.limit=12"]
    assert ifbench("evaluate", *args, "benchmark.variant=original") in {0, 3}
    out = capsys.readouterr().out
    assert "asked mine as candidate: 12 answers" in out
    ifbench("evaluate", *args)
    capsys.readouterr()
    after, before = sorted(
        Store("store").list_runs(), key=lambda m: m.config["benchmark"]["variant"] or ""
    )
    ifbench("report", before.run_id, "--against", after.run_id, "--format", "json")
    (table,) = [json.loads(line) for line in capsys.readouterr().out.splitlines() if line]
    assert table["title"] == "Correct answers: original against augmented (percent)"
    rows = {row["discipline"]: row for row in table["rows"]}
    assert rows["all"]["total"] == 12
    assert rows["chemistry"]["first"] > 0


# ── The paper's experiments ──────────────────────────────────────────────────────────

STARTER = "benchmark.data=builtin:scimif_starter"


@pytest.fixture
def _without_keys(monkeypatch):
    for provider in ("OPENAI", "ANTHROPIC", "GEMINI", "XAI"):
        monkeypatch.delenv(f"{provider}_API_KEY", raising=False)


@pytest.mark.usefixtures("_without_keys")
def test_plan_prices_the_papers_run_without_a_key(capsys):
    command = ["plan", "experiment=scimif_main", STARTER, "benchmark.limit=2"]
    assert ifbench(*command) == 0
    out = capsys.readouterr().out
    rows = [line.split() for line in out.splitlines() if line.split()[2:3] == ["0"]]
    priced = {(row[0], row[1]): "$" in " ".join(row) for row in rows}
    assert len([name for purpose, name in priced if purpose == "candidate"]) == 11
    closed = {"gpt-5.2", "grok-4-fast", "gemini-3.1-pro-preview", "claude-sonnet-4.6"}
    assert {name for (purpose, name), is_priced in priced.items() if is_priced} >= closed
    assert not priced["candidate", "qwen3.5-397b-a17b"]
    assert not priced["correctness", "compassverifier-32b"]
    (total,) = [line for line in out.splitlines() if line.startswith("cost at the configured")]
    assert "$0.00" not in total
    assert "No price is configured for qwen3.5-27b" in total
    assert len(Store("store").journal) == 0
    # A price of one's own counts, and one that is twice as high counts twice.
    ifbench(*command, "model.grok-4-fast.price.output_per_million=1000000")
    row = next(line for line in capsys.readouterr().out.splitlines() if "grok-4-fast" in line)
    assert "$8,192.00" in row


def test_plan_says_that_a_sum_without_any_price_is_unknown(capsys):
    ifbench("plan", *RUN, "benchmark.limit=2")
    out = capsys.readouterr().out
    assert "cost: unknown. No price is configured for scripted." in out
    assert "$" not in out


def test_the_papers_run_wants_data_and_names_the_papers_roles(capsys):
    assert ifbench("plan", "experiment=scimif_main") == 2
    assert "`benchmark.data` is missing" in capsys.readouterr().err
    config = load_config(["experiment=scimif_main", STARTER])
    assert (config.judge.name, config.extractor.name) == ("gpt-4.1", "gpt-4.1")
    assert (config.grader.name, config.correctness) == ("compassverifier-32b", "model")
    assert {model.access for model in config.models} == {"closed", "open"}
    assert all(model.family for model in config.models)
    assert all(model.billions for model in config.models if model.access == "open")
    sizes = {model.media.image.long_side_px for model in config.candidates}
    assert sizes == {512}


def test_before_and_after_have_the_models_and_the_grader_of_figure_7():
    before, after = (
        load_config(["experiment=before_after", STARTER, f"benchmark.variant={variant}"])
        for variant in ("original", "null")
    )
    assert [model.name for model in before.candidates] == ["gpt-5.2", "qwen3.5-397b-a17b"]
    assert before.candidates == after.candidates
    assert before.grader == after.grader
    assert before.correctness == after.correctness == "model"
    main_run = load_config(["experiment=scimif_main", STARTER])
    assert all(
        model in main_run.candidates for model in after.candidates
    )  # its answers are found again
    assert (after.grader, after.judge) == (main_run.grader, main_run.judge)
