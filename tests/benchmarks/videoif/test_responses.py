"""The runner's `*.response.json`: read by the case inside of them, written without clashes."""

from __future__ import annotations

import json

import pytest

from factories import make_response
from ifbench.benchmarks.videoif.annotations import load_samples
from ifbench.benchmarks.videoif.responses import file_name, read_answers, response_files
from ifbench.errors import DatasetError
from video_release import selection, video, write_release


def write(folder, name="v1__single_0", **fields):
    path = folder / f"{name}.response.json"
    form = {"case_id": "v1_single_0", "response_text": "1. Mix.", "_meta": {}, **fields}
    path.write_text(json.dumps({key: value for key, value in form.items() if value is not ...}))
    return path


def samples(folder, *videos):
    return list(load_samples(write_release(folder, *(videos or (video(),)))))


# ── In ───────────────────────────────────────────────────────────────────────────────


def test_a_file_says_its_case_its_answer_and_what_was_asked(tmp_path):
    write(tmp_path, "any name", _meta={"instruction": "List.", "runner": {"model": "m"}})
    (answer,) = read_answers(tmp_path)
    assert (answer.case_id, answer.text, answer.instruction) == ("v1_single_0", "1. Mix.", "List.")


@pytest.mark.parametrize(
    "fields",
    [
        {"error": {"type": "Timeout", "message": "300 s"}, "response_text": ""},
        {"error": {"type": "Timeout", "message": "300 s"}, "response_text": "half an ans"},
        {"response_text": " \n"},
    ],
)
def test_an_error_and_an_empty_text_are_no_answer(tmp_path, fields):
    write(tmp_path, **fields)
    (answer,) = read_answers(tmp_path)
    assert answer.text is None


def test_a_null_error_is_none(tmp_path):
    (answer,) = read_answers(write(tmp_path, error=None))
    assert answer.text == "1. Mix."


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"case_id": ...}, "the key `case_id` is missing"),
        ({"case_id": " "}, "case_id: a text that is not empty is expected"),
        ({"case_id": 5}, "case_id: a text is expected, found 5"),
        ({"response_text": None}, "response_text: a text is expected"),
        ({"response_text": "\ud800"}, "not usable JSON"),
    ],
)
def test_a_file_that_cannot_be_taken_is_named_with_the_reason(tmp_path, fields, words):
    path = write(tmp_path, **fields)
    with pytest.raises(DatasetError) as error:
        list(read_answers(tmp_path))
    assert str(error.value).startswith(f"{path}: ")
    assert words in str(error.value)


def test_every_bad_file_of_a_folder_is_named_at_once(tmp_path):
    write(tmp_path, "a", case_id=5)
    write(tmp_path, "b")
    (tmp_path / "c.response.json").write_bytes(b"\xff{}")
    (tmp_path / "d.response.json").write_text("[]")
    with pytest.raises(DatasetError, match="3 defects") as error:
        list(read_answers(tmp_path))
    assert [name for name in "abcd" if f"{name}.response.json: " in str(error.value)] == [*"acd"]


def test_a_folder_without_such_files_is_refused(tmp_path):
    (tmp_path / "deeper").mkdir()
    write(tmp_path / "deeper")
    with pytest.raises(DatasetError, match=r"ends with `.response.json`"):
        list(read_answers(tmp_path))


# ── Out ──────────────────────────────────────────────────────────────────────────────


def test_an_answer_is_written_as_the_runner_writes_it(tmp_path):
    (sample,) = samples(tmp_path, video(instructions=[selection()]))
    ((name, text),) = response_files([(sample, make_response("Off.", seconds=1.5))])
    form = json.loads(text)
    assert name == "v1__selection_0.response.json"
    assert (form["case_id"], form["response_text"]) == ("v1_selection_0", "Off.")
    meta = form["_meta"]
    assert meta["active_instruction"] == "Describe the lamp."
    assert meta["instruction_type"] == "selection"
    assert meta["constraints"] == selection()["constraints"]
    assert meta["tasks"] == selection()["tasks"]
    assert meta["runner"] == {"model": "tester", "api_base": "", "elapsed_sec": 1.5}
    assert "error" not in form


def test_what_is_written_can_be_read_again(tmp_path):
    (sample,) = samples(tmp_path)
    ((name, text),) = response_files([(sample, make_response("Größe: 1"))])
    (tmp_path / name).write_text(text, encoding="utf-8")
    (answer,) = read_answers(tmp_path)
    assert (answer.case_id, answer.text) == (sample.id, "Größe: 1")
    assert answer.instruction == sample.instruction


def test_two_samples_of_one_file_name_are_refused_with_both_ids(tmp_path):
    made = samples(
        tmp_path,
        video(instructions=[selection("über"), selection("öber")]),
    )
    assert {file_name(sample) for sample in made} == {"v1___ber.response.json"}
    with pytest.raises(DatasetError, match="samples v1_über and v1_öber would both be written"):
        list(response_files((sample, make_response()) for sample in made))
