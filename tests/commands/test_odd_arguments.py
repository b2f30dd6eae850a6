"""Paths that are empty and files in other encodings: an error with the place, never a guess."""

from __future__ import annotations

import json

import pytest

from ifbench.cli import main

LINE = {"id": "a", "constraint": "general:all_lowercase", "response": "café"}
RECORD = {"format": "ifbench/1", "id": "a", "benchmark": "scimif", "instruction": "é"}


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def refused(capsys, *arguments):
    """What a command that must not run says; argparse leaves by SystemExit."""
    try:
        code = main(list(arguments))
    except SystemExit as leaving:
        code = leaving.code
    assert code == 2
    return capsys.readouterr().err


@pytest.mark.parametrize("empty", ["", " "])
@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["data", "check", "{}"], "FILE"),
        (["data", "from-source", "mol_instructions", "{}", "-o", "out.jsonl"], "FILE"),
        (["data", "from-source", "mol_instructions", "in.json", "-o", "{}"], "--output"),
        (["verify", "{}"], "file"),
        (["verify", "in.jsonl", "-o", "{}"], "--output"),
        (["answers", "import", "{}", "candidates=[scripted]"], "file"),
        (["answers", "export", "-o", "{}"], "--output"),
        (["answers", "export", "-o", "out", "--store", "{}"], "--store"),
        (["report", "--store", "{}"], "--store"),
        (["report", "-o", "{}"], "--output"),
        (["plan", "candidates=[scripted]", "--config-dir", "{}"], "--config-dir"),
        (["doctor", "--config-dir", "{}"], "--config-dir"),
    ],
)
def test_an_empty_path_is_not_the_working_folder(capsys, arguments, name, empty):
    said = refused(capsys, *(word.replace("{}", empty) for word in arguments))
    assert f"{name}: a path is expected, found '{empty}'" in said


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("benchmark.data=", "`benchmark.data` must not be empty"),
        ("benchmark.data=''", "`benchmark.data` must not be empty"),
        ("store.uri=", "`store.uri` must not be empty"),
        ("model.scripted.options.table=''", "`options.table` is empty, got ''"),
        ("model.scripted.options.table=nofile", "`options.table`: nofile: No such file"),
    ],
)
def test_an_empty_path_of_a_configuration_names_its_key(capsys, override, words):
    said = refused(
        capsys, "evaluate", "candidates=[scripted]", "judge=null", "execution=local", override
    )
    assert words in said
    assert "expected" in said


def test_the_model_behind_a_missing_table_is_named(capsys):
    said = refused(
        capsys,
        "evaluate",
        "candidates=[scripted]",
        "judge=null",
        "execution=local",
        "model.scripted.options.table=nofile",
    )
    assert "model scripted (model/scripted.yaml): `options.table`: nofile" in said


ENCODINGS = [
    ("utf-16", "line 1, byte 1: the file is UTF-16; save it as UTF-8"),
    ("utf-16-le", "line 1, byte 2 is 0: UTF-8 is expected"),
    ("latin-1", "is no UTF-8 (0xe9); save the file as UTF-8"),
]


def write(path, fields, encoding):
    text = json.dumps(fields, ensure_ascii=False) + "\n"
    path.write_bytes(("\n" + text if encoding == "latin-1" else text).encode(encoding))


@pytest.mark.parametrize(("encoding", "words"), ENCODINGS)
def test_data_in_another_encoding_is_refused_with_the_place(tmp_path, capsys, encoding, words):
    write(tmp_path / "in.jsonl", RECORD, encoding)
    said = refused(capsys, "data", "check", "in.jsonl")
    assert words in said
    assert "in.jsonl line " in said


@pytest.mark.parametrize(("encoding", "words"), ENCODINGS)
def test_answers_in_another_encoding_are_refused_with_the_place(tmp_path, capsys, encoding, words):
    write(tmp_path / "in.jsonl", {"id": "a", "response": "é"}, encoding)
    said = refused(
        capsys, "answers", "import", "in.jsonl", "candidates=[scripted]", "execution=local"
    )
    assert words in said
    assert "in.jsonl line " in said


@pytest.mark.parametrize(("encoding", "words"), ENCODINGS)
def test_verify_says_where_its_file_is_no_utf8(tmp_path, capsys, encoding, words):
    write(tmp_path / "in.jsonl", LINE, encoding)
    assert main(["verify", "in.jsonl"]) == 2
    said = capsys.readouterr()
    assert words in said.out + said.err
    assert "in.jsonl line " in said.out + said.err


def test_one_line_that_is_no_utf8_does_not_stop_the_others(tmp_path, capsys):
    good = json.dumps(LINE).encode()
    bad = json.dumps(LINE, ensure_ascii=False).encode("latin-1")
    (tmp_path / "in.jsonl").write_bytes(b"\n".join((good, bad, good)))
    assert main(["verify", "in.jsonl"]) == 2
    results = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [result["outcome"] for result in results] == ["pass", "error", "pass"]
    byte = bad.index(b"\xe9") + 1
    assert f"in.jsonl line 2: byte {byte} is no UTF-8 (0xe9)" in results[1]["reason"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_utf8_is_read_with_and_without_a_byte_order_mark(tmp_path, capsys, encoding):
    write(tmp_path / "in.jsonl", LINE, encoding)
    assert main(["verify", "in.jsonl"]) == 0
    assert json.loads(capsys.readouterr().out)["outcome"] == "pass"
    write(tmp_path / "data.jsonl", RECORD, encoding)
    assert main(["data", "check", "data.jsonl"]) == 1  # It has no checklist, which is a finding.
    assert "data.jsonl line 1" in capsys.readouterr().out


@pytest.mark.parametrize("source", ["mol_instructions", "llm4mat_bench"])
def test_a_source_in_another_encoding_is_refused_with_the_place(tmp_path, capsys, source):
    (tmp_path / "in.txt").write_bytes(b'[{"a":\n "\xe9"}]')
    said = refused(capsys, "data", "from-source", source, "in.txt", "-o", "out.jsonl")
    assert "in.txt line 2: byte 3 is no UTF-8 (0xe9)" in said


def test_a_source_without_a_sample_leaves_what_stands_at_the_output(tmp_path, capsys):
    record = {
        "instruction": "Which relations?",
        "input": "",
        "output": "none",
        "metadata": {"task": "chemical-disease interaction extraction"},
    }
    (tmp_path / "in.json").write_text(json.dumps([record]))
    (tmp_path / "out.jsonl").write_text("mine")
    said = refused(capsys, "data", "from-source", "mol_instructions", "in.json", "-o", "out.jsonl")
    assert "in.json: no record of it makes a sample" in said
    assert (tmp_path / "out.jsonl").read_text() == "mine"


@pytest.mark.parametrize(
    "arguments",
    [
        ["plan", "candidates=[a\x1b[2J\rb]"],
        ["plan", "candidates=[scripted]", "benchmark.data=a\x1b[2J\rb"],
        ["plan", "\x1b[2J\rkey=1"],
        ["verify", "a\x1b[2J\rb"],
        ["report", "--store", "a\x1b[2J\rb"],
        ["show", "a\x1b[2J\rb"],
    ],
)
def test_what_would_steer_the_terminal_is_shown(capsys, arguments):
    said = refused(capsys, *arguments)
    assert "\\x1b[2J\\r" in said
    assert not {"\x1b", "\r"} & set(said)


def test_the_doctor_shows_what_would_steer_the_terminal(capsys):
    main(["doctor", "candidates=[a\x1b[2J\rb]"])
    said = capsys.readouterr().out
    assert "\\x1b[2J\\r" in said
    assert not {"\x1b", "\r"} & set(said)


def test_what_would_steer_the_terminal_is_shown_of_a_file_too(tmp_path, capsys):
    path = tmp_path / "d.jsonl"
    item = {"constraint": "c\x1b[2J", "params": {}}
    path.write_text(json.dumps({**RECORD, "id": "a\x1b[2J", "checklist": [item]}))
    main(["data", "check", str(path)])
    said = "".join(capsys.readouterr())
    assert "\\x1b[2J" in said
    assert "\x1b" not in said


def test_what_would_steer_the_terminal_is_shown_of_a_finding_too(tmp_path, capsys):
    path = tmp_path / "d.jsonl"
    both = [{"constraint": f"general:all_{case}case"} for case in ("upper", "lower")]
    path.write_text(json.dumps({**RECORD, "id": "a\x1b[2J", "checklist": both}))
    assert main(["data", "check", str(path)]) == 1
    said = "".join(capsys.readouterr())
    assert "a\\x1b[2J: contradiction" in said
    assert "\x1b" not in said
