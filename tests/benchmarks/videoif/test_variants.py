"""The ablations over Selection: which samples, which branches, which words, which ids."""

from __future__ import annotations

import logging

import pytest

from factories import make_sample
from ifbench.benchmarks.datasets import open_dataset
from ifbench.benchmarks.records import load_records, save_records
from ifbench.benchmarks.videoif.annotations import load_samples
from ifbench.benchmarks.videoif.tree import marked_true, parse, true_path
from ifbench.benchmarks.videoif.variants import branch_count, branch_position, is_in_subset
from ifbench.config.values import Benchmark
from ifbench.errors import DatasetError
from video_release import SELECTION, instruction, selection, video, write_release

LEAVES = ("Name its owner.", "Describe the lamp.", "Count the barks.", "Describe the room.")


def chosen(active: str = LEAVES[1], words: str = SELECTION):
    """A Selection whose true branch leads to the active instruction."""
    return make_sample(
        "s",
        benchmark="videoif",
        instruction=words,
        active_instruction=active,
        tree=marked_true(parse(words), active),
        facets={"instruction_type": "selection", "n_branches": "4", "question": "q"},
        provenance={"instruction_key": "selection_0"},
    )


def conditions(sample) -> list[str]:
    return [branch.condition for branch in sample.tree.branches]


CUP, LAMP, DOG = "the cup is red", "the lamp is on", "the dog barks"


# ── Which samples ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("active", LEAVES[:3])
def test_three_conditions_and_else_with_a_true_condition_are_in_the_subset(active):
    assert is_in_subset(chosen(active))


@pytest.mark.parametrize(
    ("active", "words"),
    [
        (LEAVES[3], SELECTION),
        ("A.", "If a, then A.\nElse if b, then B.\nElse, C."),
        ("A.", "If a, then A.\nElse if b, then B.\nElse if c, then C.\nElse if d, then D."),
        ("A.", "If a, then A.\nElse if b, then B.\nElse if c, then C.\nElse if d, then D.\nElse, E."),
        ("A.", "- If a, then\n- - If b, then A.\n- - Else, B.\n- Else if c, then C.\n- Else, E."),
    ],
    ids=["else is true", "two conditions", "no else", "four conditions", "nested"],
)  # fmt: skip
def test_other_samples_are_outside_of_the_subset(active, words):
    sample = chosen(active, words)
    assert not is_in_subset(sample)
    assert list(branch_count([sample])) == list(branch_position([sample])) == []


def test_a_sample_without_a_tree_is_outside_of_the_subset():
    assert not is_in_subset(make_sample())


# ── Branch count ─────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("active", "two", "three"),
    [
        (LEAVES[0], [CUP, ""], [CUP, LAMP, ""]),
        (LEAVES[1], [LAMP, ""], [CUP, LAMP, ""]),
        (LEAVES[2], [DOG, ""], [CUP, DOG, ""]),
    ],
)
def test_branches_are_added_in_the_order_of_reading(active, two, three):
    made = list(branch_count([chosen(active)]))
    assert [sample.id for sample in made] == ["s#2", "s#3", "s#4"]
    assert [conditions(sample) for sample in made] == [two, three, [CUP, LAMP, DOG, ""]]
    assert [sample.facets["n_branches"] for sample in made] == ["2", "3", "4"]
    for sample in made:
        assert true_path(sample.tree).instruction.casefold() == active.casefold()


def test_four_branches_are_the_very_instruction_of_the_original():
    *_, four = branch_count([chosen()])
    assert four.instruction == SELECTION
    assert four.tree == chosen().tree


def test_what_is_checked_stays_and_labels_are_renewed():
    (two, *_) = branch_count([chosen()])
    assert two.checklist == chosen().checklist
    assert two.active_instruction == LEAVES[1]
    assert two.facets["branch_position"] == "1"
    assert two.facets["question"] == "q"
    assert two.provenance == {
        "instruction_key": "selection_0#2",
        "variant": "branch_count",
        "variant_of": "s",
    }


# ── Branch position ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("active", LEAVES[:3])
def test_the_true_condition_moves_and_the_others_keep_their_order(active):
    made = list(branch_position([chosen(active)]))
    taken = {LEAVES[0]: CUP, LEAVES[1]: LAMP, LEAVES[2]: DOG}[active]
    others = [words for words in (CUP, LAMP, DOG) if words != taken]
    assert [sample.id for sample in made] == ["s@1", "s@2", "s@3"]
    assert [conditions(sample) for sample in made] == [
        [taken, *others, ""],
        [others[0], taken, others[1], ""],
        [*others, taken, ""],
    ]
    assert [sample.facets["branch_position"] for sample in made] == ["1", "2", "3"]
    assert {sample.facets["n_branches"] for sample in made} == {"4"}


@pytest.mark.parametrize(("active", "place"), [(LEAVES[0], 0), (LEAVES[1], 1), (LEAVES[2], 2)])
def test_one_of_the_three_is_the_very_instruction_of_the_original(active, place):
    made = list(branch_position([chosen(active)]))
    assert [sample.instruction == SELECTION for sample in made] == [n == place for n in range(3)]


# ── Words ────────────────────────────────────────────────────────────────────────────


def test_what_stands_before_the_branches_stays():
    words = f"<video>\nWatch it to the end.\n{SELECTION}"
    two, *_ = branch_count([chosen(words=words)])
    assert two.instruction == (
        "<video>\nWatch it to the end.\nIf the lamp is on, then describe the lamp.\n"
        "Else, describe the room."
    )


def test_branches_on_one_line_stay_on_one_line():
    words = "Watch it. " + SELECTION.replace("\n", " ")
    two, three, four = branch_count([chosen(words=words)])
    assert two.instruction == (
        "Watch it. If the lamp is on, then describe the lamp. Else, describe the room."
    )
    assert "\n" not in three.instruction
    assert four.instruction == words


def test_branches_whose_words_would_run_together_get_a_line_each():
    words = SELECTION.replace(".\nElse,", "\nElse,").replace(".\n", ". ")
    two, *_ = branch_count([chosen(words=words)])
    assert "\nElse, describe the room." in two.instruction


def test_a_variant_survives_the_way_through_a_record_file(tmp_path):
    folder = write_release(tmp_path, video(instructions=[selection()]))
    made = list(branch_position(load_samples(folder)))
    save_records(made, tmp_path / "made.jsonl")
    assert list(load_records(tmp_path / "made.jsonl")) == made


# ── benchmark.variant ────────────────────────────────────────────────────────────────


def config(data, **fields) -> Benchmark:
    return Benchmark(name="videoif", data=str(data), **fields)


@pytest.mark.parametrize("variant", ["branch_count", "branch_position"])
def test_a_data_set_is_changed_as_configured_and_what_is_left_out_is_told_once(
    tmp_path, caplog, variant
):
    caplog.set_level(logging.WARNING)
    folder = write_release(
        tmp_path,
        video(instructions=[instruction(), selection("a")]),
        video("v2", instructions=[selection("b", active_instruction="Describe the room.")]),
    )
    dataset = open_dataset(config(folder, variant=variant))
    assert dataset.count == 3
    assert {sample.id[:-2] for sample in dataset.samples()} == {"v1_a"}
    (line,) = [record.getMessage() for record in caplog.records]
    assert f"benchmark.variant={variant} is made of 1 samples; 2 that it does not fit" in line


def test_a_data_set_that_no_variant_fits_is_refused(tmp_path):
    folder = write_release(tmp_path, video())
    with pytest.raises(DatasetError, match="no sample is left to ask"):
        open_dataset(config(folder, variant="branch_count"))


@pytest.mark.parametrize(
    ("name", "variant", "words"),
    [
        ("videoif", "x", "videoif has no variant `x`; it has branch_count, branch_position"),
        ("videoif", "original", r"it has branch_count, branch_position \(`original` is one of sci"),
        ("scimif", "branch_count", r"it has original \(`branch_count` is one of videoif\)"),
    ],
)
def test_a_variant_of_another_benchmark_is_refused_with_the_known_ones(name, variant, words):
    with pytest.raises(ValueError, match=words):
        Benchmark(name=name, data="x", variant=variant)
