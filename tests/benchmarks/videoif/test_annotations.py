"""Video-IFBench's release: each instruction becomes a sample, each defect is named."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from ifbench.benchmarks.records import dataset_sha256, load_records, save_records
from ifbench.benchmarks.videoif.aliases import ALIASES, canonical_id
from ifbench.benchmarks.videoif.annotations import (
    DURATION_ORDER,
    duration_bin,
    is_release,
    load_annotations,
    load_samples,
    places_of,
)
from ifbench.benchmarks.videoif.constraint_types import RELEASE_ONLY, TYPES
from ifbench.benchmarks.videoif.tree import true_path
from ifbench.errors import DatasetError
from ifbench.types import Task
from video_release import (
    NESTED,
    SELECTION,
    constraint,
    instruction,
    selection,
    video,
    write_release,
)


def load(folder: Path, *instructions, **fields):
    return list(load_samples(write_release(folder, video(instructions=[*instructions], **fields))))


def load_one(folder: Path, **changes):
    (sample,) = load(folder, instruction(**changes))
    return sample


def refusal(path: Path) -> str:
    with pytest.raises(DatasetError) as error:
        load_samples(path)
    return str(error.value)


# ── What a line becomes ──────────────────────────────────────────────────────────────


def test_an_instruction_becomes_a_sample(tmp_path):
    sample = load_one(tmp_path)
    assert sample.id == "v1_single_0"
    assert sample.benchmark == "videoif"
    assert sample.instruction == instruction()["instruction"]
    assert (sample.active_instruction, sample.tree) == ("", None)
    assert sample.tasks == (Task(name="Event Recognition", description="Name the steps"),)
    assert sample.facets == {
        "benchmark": "videoif",
        "instruction_type": "single",
        "video_id": "v1",
        "domain": "cooking",
        "duration": "1-3 min",
        "language": "en",
        "modality": "multimodal",
        "n_constraints": "2",
        "n_tasks": "1",
        "question": sample.facets["question"],
    }
    assert sample.provenance == {
        "form": "Video-IFBench release",
        "instruction_key": "single_0",
        "video_path": "videos/cooking/v1.mp4",
        "duration_s": "93.2",
    }


def test_checklist_items_keep_query_and_context_word_for_word(tmp_path):
    ordered, anchor = load_one(tmp_path).checklist
    assert (ordered.constraint_id, ordered.origin) == ("videoif:ordered_list_output", "general")
    assert ordered.question == ordered.raw == "Is the answer an ordered list?"
    assert anchor.constraint_id == "videoif:temporal_anchor"
    assert anchor.evidence == "It ends at 00:41."


def test_a_constraint_that_stands_twice_makes_two_items(tmp_path):
    sample = load_one(
        tmp_path,
        constraints=[
            constraint("required_keyword_inclusion", "Is `red` in it?"),
            constraint("required_keyword_inclusion", "Is `blue` in it?"),
        ],
    )
    assert [item.question for item in sample.checklist] == ["Is `red` in it?", "Is `blue` in it?"]
    assert sample.provenance["repeated_constraints"] == "videoif:required_keyword_inclusion"


def test_every_instruction_of_every_video_is_a_sample_in_the_order_of_the_file(tmp_path):
    first = video(instructions=[instruction("a"), instruction("b")])
    second = video("v2", instructions=[instruction("a", instruction_id=None)])
    samples = list(load_samples(write_release(tmp_path, first, second)))
    assert [sample.id for sample in samples] == ["v1_a", "v1_b", "v2/a"]


@pytest.mark.parametrize(
    ("written", "kind"),
    [("single", "single"), ("compose", "multi"), ("chain", "multi"), ("Multi", "multi")],
)
def test_older_types_count_as_multi(tmp_path, written, kind):
    sample = load_one(tmp_path, instruction_type=written)
    assert sample.facets["instruction_type"] == kind
    assert sample.provenance.get("release_type", written) == written


@pytest.mark.parametrize(
    "task",
    [
        {"task_name": "counting", "task_description": "Count them"},
        {"name": "Counting", "description": "Count them"},
        {"task": "COUNTING", "task_description": "Count them"},
        {"task_name": None, "name": "Counting", "description": "Count them"},
        {"task_name": "", "task": "Counting", "description": "Count them"},
    ],
)
def test_a_task_may_stand_under_several_keys(tmp_path, task):
    assert load_one(tmp_path, tasks=[task]).tasks == (
        Task(name="Counting", description="Count them"),
    )


def test_parts_that_may_be_missing_or_null_are_empty(tmp_path):
    fields = instruction()
    for key in ("active_instruction", "constraints", "language"):
        fields[key] = None
    del fields["tasks"]
    (sample,) = load(tmp_path, fields, duration_sec=None)
    assert (sample.checklist, sample.tasks, sample.active_instruction) == ((), (), "")
    assert "language" not in sample.facets
    assert "duration" not in sample.facets


def test_the_same_text_as_active_instruction_is_none_of_its_own(tmp_path):
    words = instruction()["instruction"]
    assert load_one(tmp_path, active_instruction=f" {words}\n").active_instruction == ""
    assert load_one(tmp_path, active_instruction="List them.").active_instruction == "List them."


@pytest.mark.parametrize(
    ("seconds", "name"),
    [(10, "under 1 min"), (59.9, "under 1 min"), (60, "1-3 min"), (299, "3-5 min"),
     (599.9, "5-10 min"), (600, "10 min or more"), (3600, "10 min or more")],
)  # fmt: skip
def test_a_length_falls_into_one_bin(seconds, name):
    assert duration_bin(seconds) == name
    assert name in DURATION_ORDER


# ── Conditions ───────────────────────────────────────────────────────────────────────


def test_a_selection_gets_its_tree_and_the_branch_of_its_active_instruction(tmp_path):
    (sample,) = load(tmp_path, selection())
    assert sample.active_instruction == "Describe the lamp."
    assert true_path(sample.tree).positions == (1,)
    assert sample.facets["n_branches"] == "4"
    assert sample.facets["branch_position"] == "2"


def test_a_nested_instruction_gets_its_depth(tmp_path):
    (sample,) = load(
        tmp_path,
        selection(
            instruction_type="nested", instruction=NESTED, active_instruction="Describe the cup"
        ),
    )
    assert true_path(sample.tree).positions == (0, 1)
    assert sample.facets["depth"] == "2"
    assert "n_branches" not in sample.facets


@pytest.mark.parametrize(
    "changes",
    [
        {"active_instruction": "Sing."},
        {"active_instruction": ""},
        {"instruction": "Describe the lamp or the room, as it is."},
        {"instruction": NESTED, "active_instruction": "Describe the cup."},
        {"instruction_type": "nested"},
    ],
    ids=["stands nowhere", "not given", "no conditions", "deeper than said", "flatter than said"],
)
def test_conditions_that_cannot_be_read_leave_the_sample_without_a_tree(tmp_path, changes):
    (sample,) = load(tmp_path, selection(**changes))
    assert sample.tree is None
    assert sample.checklist
    assert "n_branches" not in sample.facets


# ── Video and subtitles ──────────────────────────────────────────────────────────────


def test_the_video_comes_first_and_its_subtitles_follow(tmp_path):
    write_release(tmp_path, video(), subtitles=("cooking/v1.srt", "cooking/v2.srt"))
    (first,) = load_samples(tmp_path / "annotations" / "annotations.jsonl")
    assert [medium.kind for medium in first.media] == ["video", "subtitles"]
    assert first.media[0].uri == str(tmp_path / "videos" / "cooking" / "v1.mp4")
    assert first.media[1].uri == str(tmp_path / "subtitles" / "cooking" / "v1.srt")


def test_without_subtitles_there_is_the_video_alone(tmp_path):
    assert [medium.kind for medium in load_one(tmp_path).media] == ["video"]


def test_a_video_that_is_not_there_is_named(tmp_path):
    folder = write_release(tmp_path, video(), video("v2", instructions=[instruction("b")]))
    (tmp_path / "videos" / "cooking" / "v2.mp4").unlink()
    words = refusal(folder)
    assert "annotations.jsonl line 2: video_path: " in words
    assert str(tmp_path / "videos" / "cooking" / "v2.mp4") in words


@pytest.mark.parametrize("path", ["/etc/hosts", "videos/../../v1.mp4"])
def test_a_video_outside_of_the_folder_is_refused(tmp_path, path):
    folder = write_release(tmp_path, video())
    file = folder / "annotations" / "annotations.jsonl"
    file.write_text(file.read_text().replace("videos/cooking/v1.mp4", path))
    assert f"a path below the data set's folder is expected, found '{path}'" in refusal(folder)


def test_a_mark_in_the_words_that_fits_no_video_is_taken_out(tmp_path):
    sample = load_one(tmp_path, instruction="<video> Compare it. <video>")
    assert sample.instruction == "Compare it."
    assert sample.provenance["media_places"] == "marks taken out"
    kept = load_one(tmp_path, instruction="<video> Describe it.")
    assert kept.instruction == "<video> Describe it."


# ── Names of constraints ─────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", TYPES)
def test_every_type_of_the_paper_is_known_by_its_words_and_its_title(name):
    words = name.removeprefix("videoif:")
    assert canonical_id(words) == canonical_id(name) == canonical_id(TYPES[name].name) == name


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("response_length", "videoif:response_length_constraint"),
        ("segment_localization_constraint", "videoif:segment_localization"),
        ("label_set_restriction", "videoif:entity_label_set_restriction"),
        ("span_localization", "videoif:segment_localization"),
        ("verbatim_speech_constraint", RELEASE_ONLY),
        ("ordered_list", None),
    ],
)
def test_other_spellings_are_known_where_they_are_certain(words, name):
    assert canonical_id(words) == name


def test_no_spelling_stands_for_two_types():
    assert set(ALIASES.values()) == {*TYPES, RELEASE_ONLY}


def test_the_type_that_only_the_release_scores_is_marked_as_such(tmp_path):
    (item,) = load_one(tmp_path, constraints=[constraint("verbatim_speech_constraint")]).checklist
    assert (item.constraint_id, item.origin) == (RELEASE_ONLY, "release")
    assert RELEASE_ONLY not in TYPES


# ── Defects ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"constraints": [constraint("table_output"), constraint("orderd_list_output")]},
            "[1]: unknown constraint `orderd_list_output`; did you mean `ordered_list_output`",
        ),
        ({"instruction_type": "selektion"}, "did you mean `selection`"),
        ({"instruction_type": "x"}, "known: single, multi, selection, nested, compose, chain"),
        ({"instruction": " "}, "instructions[0].instruction: a text that is not empty is expected"),
        ({"instruction_id": "", "instruction_key": None}, "`instruction_id` is missing, and so"),
        ({"tasks": [{"description": "x"}]}, "instructions[0].tasks[0]: the key `task_name`"),
        ({"tasks": "x"}, "instructions[0].tasks: Input should be a valid"),
        ({"constraints": [{"checklist_query": "x"}]}, "the key `constraint_id` is missing"),
    ],
)
def test_a_defect_is_named_with_line_key_and_what_is_known(tmp_path, changes, words):
    folder = write_release(tmp_path, video(instructions=[instruction(**changes)]))
    found = refusal(folder)
    assert f"{folder / 'annotations' / 'annotations.jsonl'} line 1: instructions[0]" in found
    assert words in found


def test_a_length_below_zero_is_a_defect(tmp_path):
    assert "duration_sec" in refusal(write_release(tmp_path, video(duration_sec=-3)))


def test_every_defect_of_a_file_is_reported_at_once(tmp_path):
    folder = write_release(
        tmp_path,
        video(instructions=[instruction(instruction_type="x")]),
        video("v2", instructions=[instruction("b", constraints=[constraint("y")])]),
        {**video("v3"), "instructions": 4},
    )
    assert [n for n in (1, 2, 3) if f"line {n}: " in refusal(folder)] == [1, 2, 3]


def test_an_id_that_stands_twice_is_a_defect(tmp_path):
    folder = write_release(
        tmp_path, video(instructions=[instruction(), instruction()]), video("v2")
    )
    words = refusal(folder)
    assert "line 1: instructions[1]: the id `v1_single_0` stands on line 1 already" in words
    assert "line 2: instructions[0]: the id `v1_single_0` stands on line 1 already" in words


def test_without_the_check_the_good_samples_come_before_the_error(tmp_path):
    folder = write_release(
        tmp_path, video(instructions=[instruction("a"), instruction("b", instruction_type="x")])
    )
    samples = load_annotations(folder, check=False)
    assert next(samples).id == "v1_a"
    with pytest.raises(DatasetError, match="unknown instruction_type"):
        next(samples)


def test_a_folder_without_annotations_and_a_file_without_instructions_are_refused(tmp_path):
    with pytest.raises(DatasetError, match="not the release's folder"):
        load_annotations(tmp_path)
    with pytest.raises(DatasetError, match=r"no annotations/annotations.jsonl in it"):
        load_samples(tmp_path)
    folder = write_release(tmp_path, video(instructions=[]))
    assert "holds no instruction" in refusal(folder)


def test_keys_and_tasks_that_nobody_knows_are_told_once(tmp_path, caplog):
    caplog.set_level(logging.WARNING)
    folder = write_release(
        tmp_path,
        video(facts=[], instructions=[instruction(tasks=[{"task": "Guess the price"}])]),
    )
    assert len(list(load_samples(folder))) == 1
    keys, tasks = (record.getMessage() for record in caplog.records)
    assert "keys that are not read: `facts` (the first on line 1)" in keys
    assert "`Guess the price`" in tasks


# ── Either form ──────────────────────────────────────────────────────────────────────


def test_a_release_survives_the_way_through_our_own_form(tmp_path):
    folder = write_release(
        tmp_path,
        video(instructions=[instruction(), selection(active_instruction="describe the lamp")]),
        subtitles=("cooking/v1.srt",),
    )
    samples = list(load_samples(folder))
    save_records(samples, tmp_path / "ours.jsonl")
    assert not is_release(tmp_path / "ours.jsonl")
    assert list(load_samples(tmp_path / "ours.jsonl")) == samples
    assert list(load_records(tmp_path / "ours.jsonl")) == samples
    assert dataset_sha256(samples) == dataset_sha256(load_samples(tmp_path / "ours.jsonl"))


def test_places_name_the_line_of_each_sample(tmp_path):
    folder = write_release(
        tmp_path, video(), video("v2", instructions=[selection(instruction=SELECTION)])
    )
    file = folder / "annotations" / "annotations.jsonl"
    assert places_of(folder) == {
        "v1_single_0": f"{file} line 1",
        "v1_selection_0": f"{file} line 2",
    }
