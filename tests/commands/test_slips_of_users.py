"""What a user is told after a slip: what is wrong, what there is, and the spelling that works."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ifbench.cli import main
from ifbench.store import Store

QUIET = ["execution=local", "candidates=[scripted]", "judge=null"]


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def refused(capsys, *arguments: str) -> str:
    capsys.readouterr()
    assert main(list(arguments)) == 2
    return capsys.readouterr().err


def record(name: str, **fields) -> dict:
    whole = {
        "format": "ifbench/1", "id": name, "benchmark": "scimif", "instruction": "What is it?",
        "checklist": [{"constraint": "general:all_lowercase", "params": {}}],
        "facets": {"discipline": "physics"},
    }  # fmt: skip
    return {**whole, **fields}


def write_records(*records: dict) -> str:
    Path("mine.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    return "benchmark.data=mine.jsonl"


PICTURED = {"instruction": "<image> What is it?", "media": [{"kind": "image", "uri": "bad.png"}]}


def test_a_picture_that_cannot_be_read_is_named_with_its_sample(capsys):
    Path("bad.png").write_bytes(b"no picture")
    data = write_records(record("good"), record("odd", **PICTURED), record("later", **PICTURED))
    assert main(["evaluate", *QUIET, data]) == 3
    out = capsys.readouterr().out.partition("2 of 3 trials are owed (media 2).")[2]
    assert "the first is of sample odd: " in out
    assert "bad.png: the picture cannot be decoded: cannot identify image file\n" in out
    assert "mend the file" in out
    assert "Once mended: ifbench evaluate" in out
    assert "later" not in out
    assert "To ask for what is missing" not in out


def test_where_calls_are_missing_too_the_command_is_said_to_help(capsys):
    Path("bad.png").write_bytes(b"no picture")
    Path("conf/model").mkdir(parents=True)
    Path("conf/model/cut.yaml").write_text(
        "engine: scripted\nmodel: cut\noptions: {failures: {lost: rejected}}\n"
    )
    data = write_records(record("odd", **PICTURED), record("gone", instruction="What is lost?"))
    assert main(["evaluate", *QUIET, "candidates=[cut]", data]) == 3
    out = capsys.readouterr().out
    assert "the first is of sample odd: " in out
    assert "cut rejected calls, and will again until what it says is mended." in out
    assert "To ask for what is missing: ifbench evaluate" in out


def test_what_nobody_is_named_to_decide_is_not_asked_for_again(capsys):
    Path("bad.png").write_bytes(b"no picture")
    steps = {"constraint": "chemistry:reaction_steps", "params": {"steps": ["one"]}}
    data = write_records(record("odd", **PICTURED), record("judged", checklist=[steps]))
    assert main(["evaluate", *QUIET, data]) == 3
    out = capsys.readouterr().out
    assert "name one (judge=NAME), or allow for them with max_owed." in out
    assert "Once mended: ifbench evaluate" in out
    assert "No call is missing" not in out


def test_a_cap_that_pays_for_nothing_asks_nobody_and_says_what_to_raise(capsys):
    Path("conf/model").mkdir(parents=True)
    Path("conf/model/dear.yaml").write_text(
        "engine: scripted\nmodel: dear\nprice: {input_per_million: 9, output_per_million: 9}\n"
    )
    capped = [*QUIET, "candidates=[dear]", "benchmark.limit=2", "max_usd=0.00001"]
    assert main(["plan", *capped]) == 0
    assert "max_usd leaves $0.00: what it does not pay for is owed." in capsys.readouterr().out
    assert main(["evaluate", *capped]) == 3
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1].startswith("To ask for what is missing, with max_usd raised: ifbench evaluate")
    assert any("0 answers, 0 from the store, 0 failed, 2 not asked" in line for line in lines)
    assert any("of max_usd is left, and a call may cost $0.0" in line for line in lines)
    (manifest,) = Store("store").list_runs()
    assert not manifest.counts.preflight
    assert main(["plan", *capped[:-1], "max_usd=100"]) == 0
    assert "max_usd" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--only", "overal"], ["did you mean `overall`?"]),
        (["--only", "dicipline"], ["did you mean `discipline`?"]),
        (["--by", "foo"], ["unknown table or facet `foo`"]),
        (["--by", "overall"], ["`overall` is a table", "report --only overall"]),
        (["--by", "discipline+mod"], ["`mod`"]),
    ],
)
def test_an_unknown_table_is_told_with_the_tables_and_the_facets(capsys, arguments, words):
    main(["evaluate", *QUIET, "benchmark.limit=1"])
    said = refused(capsys, "report", *arguments)
    assert all(word in said for word in words)
    if "is a table" not in said:
        assert "tables (--only): overall, attempts, correctness" in said
        assert "facets (--by or --only): access" in said
        assert "discipline" in said


def test_a_table_and_a_facet_in_one_report_are_found(capsys):
    main(["evaluate", *QUIET, "benchmark.limit=1"])
    assert main(["report", "--only", "overall", "--only", "discipline"]) == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "the id of a sample is needed, as in `ifbench show ID`; builtin:scimif_starter has"),
        (["benchmark.data=builtin:videoif_starter"], "builtin:videoif_starter has"),
        (["nope"], "unknown sample `nope`; builtin:scimif_starter has"),
        (["chemistry-mass-glucos"], "did you mean `chemistry-mass-glucose`"),
        (["aspirin"], "did you mean `chemistry-steps-aspirin`?"),
    ],
)
def test_show_says_which_samples_there_are(capsys, arguments, words):
    assert words in refused(capsys, "show", *arguments)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nope", "unknown constraint `nope`; all of them: ifbench constraints"),
        ("GENERAL:DECIMAL_NUMBER", "did you mean `general:decimal_number`?"),
        ("decimal", "did you mean `general:decimal_number`?"),
        ("general:decimal_numbers", "did you mean `general:decimal_number`"),
    ],
)
def test_constraints_suggests_the_nearest_id(capsys, name, words):
    assert words in refused(capsys, "constraints", name)


@pytest.mark.parametrize(
    ("written", "facet", "value"),
    [
        ("[discipline=biology]", "discipline", "biology"),
        ("discipline=biology", "discipline", "biology"),
        ("discipline:biology", "discipline", "biology"),
        ("'modality=text'", "modality", "text"),
        ("biology", "FACET", "VALUE"),
    ],
)
def test_facets_that_are_no_mapping_get_the_spelling_that_works(capsys, written, facet, value):
    said = refused(capsys, "plan", *QUIET, f"benchmark.where={written}")
    assert f"`benchmark.where.{facet}={value}`" in said


@pytest.mark.parametrize(
    "override",
    [
        "benchmark.where.discipline=biology",
        "benchmark.where={discipline: biology}",
        "benchmark.where.discipline=[biology,physics]",
        "benchmark.where={}",
    ],
)
def test_facets_in_a_right_spelling_are_taken(override):
    assert main(["plan", *QUIET, override]) == 0


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("starter", "`builtin:scimif_starter` or `builtin:videoif_starter`"),
        ("scimif_starter", "`builtin:scimif_starter`"),
        ("builtin:starter", "did you mean `scimif_starter`"),
        ("nope.jsonl", "nope.jsonl: cannot be read"),
    ],
)
def test_a_short_name_of_a_built_in_set_is_told_whole(capsys, data, words):
    assert words in refused(capsys, "plan", *QUIET, f"benchmark.data={data}")


def test_a_file_of_such_a_name_is_the_file(capsys):
    Path("mine.jsonl").write_text("")
    write_records(record("a"))
    Path("mine.jsonl").rename("starter")
    assert main(["plan", *QUIET, "benchmark.data=starter"]) == 0


def test_a_run_of_original_questions_shows_correctness_and_nothing_empty(capsys):
    run = [*QUIET, "benchmark.limit=4", "model.scripted.options.default='180.16'"]
    assert main(["evaluate", *run, "benchmark.variant=original"]) in {0, 3}
    out = capsys.readouterr().out
    titles = ("all samples", "By discipline", "group of constraints", "95 % intervals", "adherence")
    assert not [title for title in titles if title in out]
    assert "Correctness (percent of what is graded)" in out
    assert "so only correctness counts" in out
    assert main(["report", "--format", "json", "--only", "correctness"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["total"] == 4
    assert row["correct"] == pytest.approx(100 / row["graded"])  # the molar mass of glucose
    assert main(["report", "--only", "overall"]) == 0  # who asks for a table gets it


def test_a_run_of_augmented_questions_shows_every_table(capsys):
    main(["evaluate", *QUIET, "benchmark.limit=4"])
    out = capsys.readouterr().out
    assert "By discipline" in out
    assert "95 % intervals" in out
    assert "only correctness counts" not in out
