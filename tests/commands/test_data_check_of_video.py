"""`ifbench data check` on the layout of Video-IFBench's release."""

from __future__ import annotations

import json

from ifbench.benchmarks.forms import form_of
from ifbench.cli import main
from video_release import instruction, selection, video, write_release


def checked(capsys, *words: str) -> tuple[int, list[dict[str, str]]]:
    capsys.readouterr()
    code = main(["data", "check", *words, "--json"])
    return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_conditions_that_cannot_be_read_are_listed_with_line_and_reason(tmp_path, capsys):
    folder = write_release(
        tmp_path,
        video(instructions=[instruction(), selection()]),
        video("v2", instructions=[selection("lost", active_instruction="Sing.")]),
    )
    code, found = checked(capsys, str(folder))
    assert code == 1
    (one,) = [row for row in found if row["kind"] == "conditions"]
    assert one["sample_id"] == "v1_lost"
    assert one["place"] == f"{folder / 'annotations' / 'annotations.jsonl'} line 2"
    assert "stands on 0 branches" in one["message"]


def test_a_folder_and_its_file_are_one_data_set(tmp_path, capsys):
    folder = write_release(tmp_path, video())
    file = folder / "annotations" / "annotations.jsonl"
    assert checked(capsys, str(folder)) == checked(capsys, str(file))
    assert form_of(folder) == form_of(file)


def test_what_cannot_be_read_is_an_error(tmp_path, capsys):
    folder = write_release(tmp_path, video(instructions=[instruction(instruction_type="x")]))
    assert main(["data", "check", str(folder)]) == 2
    assert "line 1: instructions[0]: unknown instruction_type `x`" in capsys.readouterr().err
