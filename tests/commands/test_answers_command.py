"""Answers in and out: an imported one is never asked again, a wrong one never stored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ifbench.cli import main
from ifbench.store import Store, read_scores

RUN = ["execution=local", "candidates=[scripted]", "judge=null", "benchmark.limit=6"]


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def exported(folder: str = "out") -> list[Path]:
    main(["evaluate", *RUN])
    assert main(["answers", "export", "-o", folder]) == 0
    return sorted(Path(folder).glob("*.jsonl"))


def test_what_is_exported_can_be_imported_and_is_not_asked_again(capsys):
    files = exported()
    lines = [json.loads(line) for path in files for line in path.read_text().splitlines()]
    assert len(lines) == 6
    assert {*lines[0]} == {"id", "edit_question", "answer", "response", "instruction_list"}
    assert {path.stem for path in files} <= {
        "chemistry", "geography", "biology", "material", "physics",
    }  # fmt: skip
    before = read_scores("store").drop_columns(["run_id"]).to_pylist()
    for path in files:
        assert main(["answers", "import", str(path), *RUN, "store.uri=other"]) == 0
    capsys.readouterr()
    main(["evaluate", *RUN, "store.uri=other"])
    assert "asked scripted as candidate: 0 answers, 6 from the store" in capsys.readouterr().out
    after = read_scores("other").drop_columns(["run_id"]).to_pylist()
    same = ("sample_id", "satisfied", "requirements", "response_key")
    assert sorted([row[name] for name in same] for row in after) == sorted(
        [row[name] for name in same] for row in before
    )
    stored = Store("other").journal.lookup([row["response_key"] for row in after]).values()
    assert {answer.endpoint for answer in stored} == {f"import:{path.name}" for path in files}


def test_an_import_says_what_it_stored_and_what_is_still_to_ask(capsys):
    (first, *_) = exported()
    lines = first.read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    Path("some.jsonl").write_text(
        json.dumps({"id": rows[0]["id"], "response": "mine"})
        + "\n"
        + "".join(json.dumps({"id": row["id"], "response": None}) + "\n" for row in rows[1:])
    )
    capsys.readouterr()
    command = ["answers", "import", "some.jsonl", *RUN, "store.uri=other"]
    assert main(command) == 0
    assert f"1 answers stored, 0 were there already, {len(rows) - 1} lines without" in (
        capsys.readouterr().err
    )
    assert main(command) == 0
    said = capsys.readouterr().err
    assert "0 answers stored, 1 were there already" in said
    assert "differ" not in said
    Path("some.jsonl").write_text(json.dumps({"id": rows[0]["id"], "response": "another"}))
    assert main(command) == 0
    said = capsys.readouterr().err
    assert f"1 of the file's answers differ from what the store has for the same prompt, the first to sample {rows[0]['id']}" in said  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"id": "nobody"}, "no sample `nobody` in the data"),
        ({"id": None}, "`id` must be a sample's id, found None"),
        ({"response": 5}, "`response` must be text or null, found 5"),
        ({"edit_question": "Another question?"}, "the answer is to another question"),
        ({"attempt": -1}, "`attempt` must be 0 or more"),
        ({"attempt": 1}, "and below 1 (`attempts`), found 1"),
        ({"id": 7}, "the subject is not in the name"),
    ],
)
def test_a_line_that_cannot_be_taken_stores_nothing(fields, words, capsys):
    (first, *_) = exported()
    good, *_ = [json.loads(line) for line in first.read_text().splitlines()]
    bad = {**good, **fields}
    Path("mine.jsonl").write_text(json.dumps(good) + "\n" + json.dumps(bad) + "\n")
    capsys.readouterr()
    assert main(["answers", "import", "mine.jsonl", *RUN, "store.uri=other"]) == 2
    err = capsys.readouterr().err
    assert "mine.jsonl line 2" in err
    assert words in err
    assert len(Store("other").journal) == 0


def test_one_sample_answered_twice_and_two_candidates_are_refused(capsys):
    (first, *_) = exported()
    line = first.read_text().splitlines()[0]
    Path("mine.jsonl").write_text(f"{line}\n{line}\n")
    assert main(["answers", "import", "mine.jsonl", *RUN]) == 2
    assert "is answered on line 1 already" in capsys.readouterr().err
    both = ["answers", "import", "mine.jsonl", *RUN, "candidates=[scripted,smollm2]"]
    assert main(both) == 2
    assert "answers are of one model" in capsys.readouterr().err


def test_a_run_whose_data_changed_is_not_exported(capsys):
    record = {
        "format": "ifbench/1", "id": "a", "benchmark": "scimif", "instruction": "Why?",
        "checklist": [{"constraint": "general:all_lowercase"}],
    }  # fmt: skip
    Path("mine.jsonl").write_text(json.dumps(record) + "\n")
    main(["evaluate", *RUN[:3], "benchmark.data=mine.jsonl"])
    Path("mine.jsonl").write_text(json.dumps({**record, "instruction": "How?"}) + "\n")
    assert main(["answers", "export", "-o", "out"]) == 2
    assert "no longer what run" in capsys.readouterr().err


def records(*fields: dict) -> None:
    plain = {
        "format": "ifbench/1", "benchmark": "scimif", "instruction": "Say 1.23",
        "checklist": [{"constraint": "general:all_lowercase"}],
    }  # fmt: skip
    Path("mine.jsonl").write_text("".join(json.dumps({**plain, **one}) + "\n" for one in fields))


OWN = [*RUN[:3], "benchmark.data=mine.jsonl"]


def test_two_answers_to_one_prompt_are_refused_and_two_alike_are_one(capsys):
    records({"id": "a"}, {"id": "b"})
    lines = [json.dumps({"id": name, "response": text}) for name, text in ("a1", "b2")]
    Path("answers.jsonl").write_text("\n".join(lines))
    assert main(["answers", "import", "answers.jsonl", *OWN]) == 2
    assert "samples a and b ask the same thing" in capsys.readouterr().err
    assert len(Store("store").journal) == 0
    Path("answers.jsonl").write_text("\n".join(lines).replace("2", "1"))
    assert main(["answers", "import", "answers.jsonl", *OWN]) == 0
    assert "1 answers stored, 0 were there already, 0 lines without an answer, 0 samples" in (
        capsys.readouterr().err
    )


def test_a_facet_never_chooses_where_a_file_is_written(capsys):
    records({"id": "a", "facets": {"discipline": "../../evil"}})
    main(["evaluate", *OWN])
    assert main(["answers", "export", "-o", "deep/er/out"]) == 0
    assert [str(path) for path in Path().rglob("*.jsonl")].count("deep/er/out/other.jsonl") == 1
    assert not list(Path().rglob("evil*"))


def test_a_run_of_original_questions_is_exported_as_it_was_asked(capsys):
    records(
        {"id": "a", "original_instruction": "What is it?"},
        {"id": "b", "instruction": "No original."},
    )
    main(["evaluate", *OWN, "benchmark.variant=original"])
    assert main(["answers", "export", "-o", "out"]) == 0
    (line,) = (Path("out") / "other.jsonl").read_text().splitlines()
    assert json.loads(line)["edit_question"] == "What is it?"


def test_a_folder_that_is_a_file_and_a_manifest_without_its_data_are_named(capsys):
    exported()
    Path("file").write_text("x")
    capsys.readouterr()
    assert main(["answers", "export", "-o", "file"]) == 2
    assert "file: cannot be written" in capsys.readouterr().err
    (path,) = Path("store").glob("runs/*/manifest.json")
    manifest = json.loads(path.read_text())
    del manifest["config"]["benchmark"]
    path.write_text(json.dumps(manifest))
    assert main(["answers", "export", "-o", "out2"]) == 2
    assert "its manifest lacks `config.benchmark.name`" in capsys.readouterr().err


def release_record(number: int, *instructions: tuple[str, str | None]) -> dict:
    return {
        "id": number,
        "task": "strain",
        "original_question": f"How large is strain number {number}?",
        "edit_question": f"How large is strain number {number}? Give it to two decimal places.",
        "answer": "0.25",
        "choose_instruction": [name for name, _ in instructions],
        "instruction_list": [
            {"instruction_name": name, "source": "added_general", "required_parameters": words}
            for name, words in instructions
        ],
    }


def test_an_imported_release_goes_out_with_its_own_parameters(capsys):
    written = [
        release_record(
            1, ("general_decimal_number", " 2 decimal places\n"), ("general_wrap_up", None)
        ),
        release_record(
            2, ("general_decimal_number", "as many as “you” like"), ("general_judge", "")
        ),
    ]
    Path("materials.jsonl").write_text("".join(json.dumps(one) + "\n" for one in written))
    main(["evaluate", *RUN[:3], "benchmark.data=materials.jsonl"])
    assert main(["answers", "export", "-o", "out"]) == 0
    lines = [json.loads(line) for line in Path("out/material.jsonl").read_text().splitlines()]

    def parameters(record: dict) -> list[str | None]:
        return [entry["required_parameters"] or None for entry in record["instruction_list"]]

    assert {line["id"]: parameters(line) for line in lines} == {
        record["id"]: parameters(record) for record in written
    }
    assert [entry["instruction_name"] for entry in lines[0]["instruction_list"]] == [
        "general_decimal_number",
        "general_wrap_up",
    ]


def test_ids_of_a_release_that_are_texts_go_out_and_come_in_as_they_are(capsys):
    names = ["007", "a b", "-3", "1.5", 4]
    written = [{**release_record(5), "id": name} for name in names]
    written = [{**one, "edit_question": f"Strain {one['id']!r}?"} for one in written]
    Path("materials.jsonl").write_text("".join(json.dumps(one) + "\n" for one in written))
    data = "benchmark.data=materials.jsonl"
    main(["evaluate", *RUN[:3], data])
    assert main(["answers", "export", "-o", "out"]) == 0
    lines = [json.loads(line) for line in Path("out/material.jsonl").read_text().splitlines()]
    assert {str(line["id"]) for line in lines} == set(map(str, names))
    assert {line["id"] for line in lines} >= {"007", "a b", "1.5", 4}
    capsys.readouterr()
    arguments = ["answers", "import", "out/material.jsonl", *RUN[:3], data, "store.uri=other"]
    assert main(arguments) == 0
    assert "5 answers stored" in capsys.readouterr().err


def test_parameters_of_ours_go_out_as_json(capsys):
    item = {"constraint": "general:decimal_number", "params": {"places": 2}}
    records({"id": "a", "checklist": [item]})
    main(["evaluate", *OWN])
    assert main(["answers", "export", "-o", "out"]) == 0
    (line,) = Path("out/other.jsonl").read_text().splitlines()
    (entry,) = json.loads(line)["instruction_list"]
    assert json.loads(entry["required_parameters"]) == {"places": 2}


def test_a_part_of_the_data_is_exported_as_it_was_asked():
    part = ["execution=local", "candidates=[scripted]", "judge=scripted"]
    some = "benchmark.where.task_type=[earth_address_format,chemistry_reaction_steps]"
    main(["evaluate", *part, some])
    assert main(["answers", "export", "-o", "out"]) == 0
    lines = [line for path in Path("out").glob("*.jsonl") for line in path.read_text().splitlines()]
    assert len(lines) == 7
