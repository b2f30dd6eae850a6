"""Which samples of a file a run is about."""

from __future__ import annotations

import json
import re

import pytest

from ifbench.benchmarks.datasets import open_dataset
from ifbench.benchmarks.records import FORMAT
from ifbench.config.values import Benchmark
from ifbench.errors import DatasetError


def narrowed(**changes):
    return open_dataset(Benchmark(name="scimif", data="builtin:scimif_starter", **changes))


def facets(dataset, name):
    return {sample.facets[name] for sample in dataset.samples()}


def test_samples_are_taken_by_one_facet():
    dataset = narrowed(where={"modality": "multimodal"})
    assert all(sample.media for sample in dataset.samples())
    assert dataset.count == 23


def test_a_facet_may_have_one_of_several_values():
    dataset = narrowed(where={"discipline": ("physics", "biology")})
    assert facets(dataset, "discipline") == {"physics", "biology"}


def test_facets_narrow_together_and_with_the_limit():
    dataset = narrowed(where={"modality": "text", "n_constraints": 3}, limit=2)
    assert facets(dataset, "modality") == {"text"}
    assert facets(dataset, "n_constraints") == {"3"}
    assert dataset.count == 2


def test_only_what_is_taken_makes_the_hash():
    text, pictures = (narrowed(where={"modality": kind}) for kind in ("text", "multimodal"))
    assert len({text.sha256, pictures.sha256, narrowed().sha256}) == 3
    assert text.count + pictures.count == narrowed().count


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"where": {"modalty": "text"}}, "did you mean `modality`"),
        ({"where": {"colour": "red"}}, "unknown facet `colour`; known: benchmark, discipline"),
        ({"where": {"modality": "txt"}}, "no sample has `modality` = `txt`; found: multimodal, text"),
        ({"where": {"modality": ("text", "txt")}}, "`txt`"),
        ({"where": {"discipline": "physics", "task_type": "biology_sequence_qa"}}, "no sample is left"),
        ({"where": {"question": "x"}}, "…"),
    ],
)  # fmt: skip
def test_a_choice_that_finds_nothing_is_told(changes, words):
    with pytest.raises(DatasetError, match=re.escape(words)):
        narrowed(**changes)


def write_records(path, *questions):
    lines = (
        {
            "format": FORMAT,
            "id": f"s{at}",
            "benchmark": "scimif",
            "instruction": question,
            "checklist": [{"constraint": "general:all_lowercase", "params": {}}],
        }
        for at, question in enumerate(questions)
    )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def instructions(dataset):
    return [sample.instruction for sample in dataset.samples()]


def test_a_file_that_is_another_than_before_is_not_read_on(tmp_path):
    file, other = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    write_records(file, "one?", "two?")
    write_records(other, "six?", "ten?")
    dataset = open_dataset(Benchmark(name="scimif", data=str(file)))
    assert instructions(dataset) == instructions(dataset) == ["one?", "two?"]
    other.rename(file)
    with pytest.raises(DatasetError, match=re.escape(f"{file}: the file is another than when")):
        next(dataset.samples())
    assert instructions(open_dataset(dataset.config)) == ["six?", "ten?"]


def test_a_file_that_changes_while_it_is_read_ends_the_reading_with_an_error(tmp_path):
    file = tmp_path / "a.jsonl"
    write_records(file, "one?", "two?")
    dataset = open_dataset(Benchmark(name="scimif", data=str(file), limit=2))
    samples = dataset.samples()
    assert next(samples).instruction == "one?"
    write_records(file, "one?", "two?", "three?")
    with pytest.raises(DatasetError, match="is another than when the run began"):
        list(samples)


@pytest.mark.parametrize("change", ["rewritten", "gone", "new"])
def test_a_folder_is_as_good_as_its_files(tmp_path, change):
    record = {
        "id": "1",
        "task": "unit_conversion_qa",
        "edit_question": "one?",
        "answer": "1",
        "instruction_list": [],
    }
    file = tmp_path / "physics.jsonl"
    file.write_text(json.dumps(record) + "\n")
    dataset = open_dataset(Benchmark(name="scimif", data=str(tmp_path)))
    assert instructions(dataset) == ["one?"]
    match change:
        case "rewritten":
            file.write_text(json.dumps(record | {"edit_question": "eleven?"}) + "\n")
        case "gone":
            file.unlink()
        case "new":
            (tmp_path / "biology.jsonl").write_text(json.dumps(record) + "\n")
    with pytest.raises(DatasetError, match="is another than when the run began"):
        instructions(dataset)
