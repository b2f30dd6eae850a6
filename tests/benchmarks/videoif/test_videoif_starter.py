"""The starter set: it can be rebuilt, covers what it promises, and its answers say what they should.

Scripts decide what scripts can; the oracle over the drawn facts stands in for the judge.
"""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import av
import numpy as np
import pytest

from ifbench.benchmarks.datasets import data_path
from ifbench.benchmarks.records import load_records
from ifbench.benchmarks.videoif.constraint_types import TYPES
from ifbench.benchmarks.videoif.starter import checker
from ifbench.benchmarks.videoif.starter.build import RECORDS, save_annotations
from ifbench.benchmarks.videoif.starter.draft import broken
from ifbench.benchmarks.videoif.starter.drawing import (
    RATE_HZ,
    frame,
    frame_count,
    save_video,
    sound,
    subtitles,
)
from ifbench.benchmarks.videoif.starter.videos import VIDEOS
from ifbench.benchmarks.videoif.taxonomy import INSTRUCTION_TYPES, TASKS
from ifbench.benchmarks.videoif.tree import parse, paths, true_path
from ifbench.constraints import all_constraints
from ifbench.constraints.constraint import Judged, Scripted
from ifbench.constraints.running import CheckCall, run_check
from ifbench.types import ChecklistItem, Outcome, Sample, Tree

SHIPPED = data_path("builtin:videoif_starter")
SAMPLES = {sample.id: sample for sample in load_records(SHIPPED)}
DRAFTS = checker.drafts_by_id()
BROKEN = [(draft.id, wrong) for draft in DRAFTS.values() for wrong in broken(draft)]
TOLERANCE = 3.0
"""Mean absolute difference of a decoded frame from the drawn one, of 255."""


# ── Answers ──────────────────────────────────────────────────────────────────────────


def script_says(item: ChecklistItem, text: str) -> bool | None:
    """What a script decides; `None` where a judge or an extractor is asked."""
    method = all_constraints()[item.constraint_id].method
    check = None
    if isinstance(method, Scripted):
        call = CheckCall(constraint_id=item.constraint_id, params=item.params, text=text)
        check = run_check(call)
        assert check is not None
        assert check.outcome is not Outcome.UNDECIDED, check.reason
    elif isinstance(method, Judged) and method.settle is not None:
        check = method.settle(text, item.params)
    return None if check is None else check.outcome is Outcome.PASS


def decided(sample: Sample, answer: str) -> tuple[set[int], set[int]]:
    """The tasks that are not addressed, and the items that fail; both hold for the oracle and for
    every script that has a say.
    """
    findings = checker.find(sample.id, answer)
    missed = {index for index, task in enumerate(findings.tasks) if not task.is_addressed}
    failed = set()
    for index, (item, oracle) in enumerate(zip(sample.checklist, findings.items, strict=True)):
        text = findings.tasks[item.scope].quote if isinstance(item.scope, int) else answer
        if not text:
            continue
        script = script_says(item, text)
        assert script is not None or oracle is not None, f"nobody decides {item.constraint_id}"
        if False in (script, oracle):
            failed.add(index)
    return missed, failed


@pytest.mark.parametrize("sample_id", DRAFTS)
def test_the_right_answer_addresses_all_tasks_and_obeys_all_items(sample_id):
    answer = DRAFTS[sample_id].request.answer
    assert decided(SAMPLES[sample_id], answer) == (set(), set())


@pytest.mark.parametrize(
    ("sample_id", "wrong"), BROKEN, ids=[f"{sample_id}, {wrong.why}" for sample_id, wrong in BROKEN]
)
def test_a_wrong_answer_fails_exactly_where_it_was_broken(sample_id, wrong):
    assert wrong.answer != DRAFTS[sample_id].request.answer
    missed, failed = decided(SAMPLES[sample_id], wrong.answer)
    assert missed == wrong.tasks
    if len(missed) < len(SAMPLES[sample_id].tasks):  # Else coverage alone decides.
        assert failed == wrong.items


def test_a_judge_that_always_says_yes_is_caught():
    unseen = [
        (sample_id, wrong)
        for sample_id, wrong in BROKEN
        if all(
            script_says(SAMPLES[sample_id].checklist[i], wrong.answer) is None for i in wrong.items
        )
    ]
    assert len(unseen) > 150, "these would pass if a judge said yes to every task and item"
    for sample_id, wrong in unseen:
        findings = checker.find(sample_id, wrong.answer)
        tasks = [task.is_addressed for task in findings.tasks]
        assert False in (*tasks, *findings.items), f"{sample_id}: {wrong.why}"


def test_each_item_and_task_is_broken_by_some_answer():
    for sample in SAMPLES.values():
        wrong = [one for sample_id, one in BROKEN if sample_id == sample.id]
        assert set().union(*(one.items for one in wrong)) == set(range(len(sample.checklist)))
        assert set().union(*(one.tasks for one in wrong)) == set(range(len(sample.tasks)))
        if sample.tree is not None:
            assert any(one.why == "wrong branch" for one in wrong), sample.id


def test_the_oracle_decides_every_item_that_no_script_decides():
    for draft in DRAFTS.values():
        for demand in draft.request.demands:
            is_scripted = isinstance(all_constraints()[demand.constraint_id].method, Scripted)
            assert is_scripted == (demand.holds is None), f"{draft.id}: {demand.name}"


# ── What is covered ──────────────────────────────────────────────────────────────────


def test_all_templates_task_types_and_constraints_are_there():
    kinds = Counter(sample.facets["instruction_type"] for sample in SAMPLES.values())
    assert set(kinds) == set(INSTRUCTION_TYPES)
    assert len(SAMPLES) >= 44
    assert min(kinds.values()) >= 10
    assert {task.name for sample in SAMPLES.values() for task in sample.tasks} == set(TASKS)
    asked = {item.constraint_id for sample in SAMPLES.values() for item in sample.checklist}
    assert asked == set(TYPES)


def test_single_instructions_have_one_to_ten_constraints_and_one_task():
    singles = [s for s in SAMPLES.values() if s.facets["instruction_type"] == "single"]
    assert {len(sample.checklist) for sample in singles} == set(range(1, 11))
    assert {len(sample.tasks) for sample in singles} == {1}
    assert all(not sample.active_instruction and sample.tree is None for sample in singles)


def test_multi_instructions_have_constraints_of_one_task_and_of_all():
    multis = [s for s in SAMPLES.values() if s.facets["instruction_type"] == "multi"]
    assert {len(sample.tasks) for sample in multis} == {2, 3, 4, 5}
    scopes = {type(item.scope) for sample in multis for item in sample.checklist}
    assert scopes == {int, str}


def test_selections_take_every_position_and_enough_have_three_conditions_and_else():
    trees = [s.tree for s in SAMPLES.values() if s.facets["instruction_type"] == "selection"]
    assert {len(tree.branches) for tree in trees} == {2, 3, 4, 5, 6, 7}
    assert {true_path(tree).positions[0] for tree in trees} == set(range(7))
    fours = [tree for tree in trees if len(tree.branches) == 4 and not tree.branches[3].condition]
    taken = Counter(true_path(tree).positions[0] for tree in fours)
    assert min(taken[place] for place in (0, 1, 2)) >= 3
    assert taken[3] >= 1, "else is taken as well"


def test_nested_instructions_are_two_to_eight_levels_deep():
    nested = [s for s in SAMPLES.values() if s.facets["instruction_type"] == "nested"]
    assert {int(sample.facets["depth"]) for sample in nested} == set(range(2, 9))


def test_instruction_and_tree_say_the_same():
    for sample in SAMPLES.values():
        if sample.tree is None:
            continue
        read = [path.instruction for path in paths(parse(sample.instruction))]
        assert read == [path.instruction for path in paths(sample.tree)]
        assert read.count(sample.active_instruction) == 1
        words = list(_conditions(sample.tree))
        assert len(words) == len(set(words)), f"{sample.id}: a condition stands twice"


def _conditions(tree: Tree):
    for branch in tree.branches:
        if branch.condition:
            yield branch.condition
        if isinstance(branch.then, Tree):
            yield from _conditions(branch.then)


def test_what_is_also_asked_plainly_shares_its_question():
    plain = {
        s.facets["question"] for s in SAMPLES.values() if s.facets["instruction_type"] == "single"
    }
    conditional = [sample for sample in SAMPLES.values() if sample.tree is not None]
    shared = [sample for sample in conditional if sample.facets["question"] in plain]
    assert 10 <= len(shared) < len(conditional)


def test_each_sample_has_provenance_a_domain_and_a_language():
    for sample in SAMPLES.values():
        assert sample.provenance["licence"] == "Apache-2.0"
        assert sample.facets["domain"]
        assert sample.facets["language"] == "en"
        assert all(item.question for item in sample.checklist)
    assert len({sample.facets["domain"] for sample in SAMPLES.values()}) == 10


def test_videos_with_speech_come_with_their_subtitles():
    for sample in SAMPLES.values():
        video = DRAFTS[sample.id].request.video
        kinds = [medium.kind for medium in sample.media]
        assert kinds == (["video", "subtitles"] if video.lines else ["video"])


# ── What ships ───────────────────────────────────────────────────────────────────────


def test_annotations_are_built_again_bit_for_bit(tmp_path):
    for part in ("videos", "subtitles"):
        shutil.copytree(SHIPPED.parent / part, tmp_path / part)
    save_annotations(tmp_path)
    assert (tmp_path / RECORDS).read_bytes() == SHIPPED.read_bytes()


def test_the_set_is_small_enough_to_ship():
    size = sum(path.stat().st_size for path in SHIPPED.parent.rglob("*") if path.is_file())
    assert size < 3 * 2**20


def compare_frames(path: Path, video_id: str) -> None:
    video = VIDEOS[video_id]
    with av.open(str(path)) as container:
        count = 0
        for index, picture in enumerate(container.decode(video=0)):
            assert picture.time == pytest.approx(index / video.fps)
            drawn = np.asarray(frame(video, index), dtype=np.int16)
            difference = np.abs(picture.to_ndarray(format="rgb24").astype(np.int16) - drawn)
            assert difference.mean() < TOLERANCE, f"frame {index}"
            count += 1
    assert count == frame_count(video)


@pytest.mark.parametrize("video_id", VIDEOS)
def test_the_frames_of_a_shipped_video_are_those_that_are_drawn(video_id):
    compare_frames(SHIPPED.parent / "videos" / f"{video_id}.mp4", video_id)


def test_a_video_is_encoded_again_within_the_tolerance(tmp_path):
    save_video(VIDEOS["garden"], tmp_path / "garden.mp4")
    compare_frames(tmp_path / "garden.mp4", "garden")


@pytest.mark.parametrize("video_id", VIDEOS)
def test_the_sound_is_loud_when_it_is_meant_to_be(video_id):
    drawn = sound(VIDEOS[video_id])
    with av.open(str(SHIPPED.parent / "videos" / f"{video_id}.mp4")) as container:
        pieces = [piece.to_ndarray().ravel() for piece in container.decode(audio=0)]
    heard = np.concatenate(pieces)[: len(drawn)]
    half = RATE_HZ // 2
    for start in range(0, len(heard) - half, half):
        expected = np.sqrt(np.mean((drawn[start : start + half] / 32768.0) ** 2))
        level = np.sqrt(np.mean(heard[start : start + half] ** 2))
        assert level == pytest.approx(expected, abs=0.03), f"at {start / RATE_HZ} s"


@pytest.mark.parametrize("video_id", [video.id for video in VIDEOS.values() if video.lines])
def test_subtitles_are_those_that_are_written(video_id):
    path = SHIPPED.parent / "subtitles" / f"{video_id}.srt"
    assert path.read_text(encoding="utf-8") == subtitles(VIDEOS[video_id])
