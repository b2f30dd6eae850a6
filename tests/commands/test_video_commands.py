"""Video-IFBench as a user meets it: checking, planning, showing, and what has to be installed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ifbench.cli import main

RUN = ("benchmark=videoif", "candidates=[scripted]", "judge=scripted", "execution=local")
SPEECH = "benchmark.ids=[single/newsroom-ada]"


@pytest.fixture(autouse=True)
def _there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def without(monkeypatch: pytest.MonkeyPatch, *modules: str) -> None:
    """As if these were not installed: they are not found, and importing them fails."""
    for name in modules:
        monkeypatch.setitem(sys.modules, name, None)


# ── Before a run ─────────────────────────────────────────────────────────────────────


def test_the_starter_set_has_no_quiet_defect(capsys) -> None:
    assert main(["data", "check", "builtin:videoif_starter"]) == 0
    assert "78 samples, 0 with findings" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("experiment", "models"), [("videoif_main", 38), ("branch_count", 7), ("branch_position", 7)]
)
def test_the_papers_runs_are_planned_on_the_starter_set(capsys, experiment, models):
    words = [
        f"experiment={experiment}",
        "benchmark.data=builtin:videoif_starter",
        "benchmark.limit=6",
    ]
    assert main(["plan", *words]) == 0
    out = capsys.readouterr().out
    assert f"{6 * models} trials over 6 samples" in out
    assert "qwen3.5-397b-a17b-instruct" in out
    assert "No price is configured for any of the" in out


def test_constraints_of_both_benchmarks_are_listed(capsys) -> None:
    assert main(["constraints"]) == 0
    out = capsys.readouterr().out
    assert "general:json_constraint" in out
    assert "videoif:temporal_scope" in out
    assert main(["constraints", "videoif:temporal_scope"]) == 0
    assert "the judge is told: " in capsys.readouterr().out


def test_without_the_video_extra_a_run_that_decodes_is_refused_with_its_name(monkeypatch, capsys):
    without(monkeypatch, "av", "decord")
    assert main(["evaluate", *RUN, SPEECH]) == 2
    err = capsys.readouterr().err
    assert (
        'scripted is to be shown video or sound, which needs PyAV: pip install "ifbench[video]"'
        in err
    )
    assert not list(Path("store").glob("runs/*"))
    assert main(["plan", *RUN, SPEECH]) == 2


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        (["candidates.scripted.media.video={mode: native}"], 0),
        (
            [
                "candidates.scripted.media.video={mode: native}",
                "candidates.scripted.media.sound=with",
            ],
            2,
        ),
    ],
)
def test_files_that_go_out_as_they_are_need_no_decoder(monkeypatch, settings, code):
    without(monkeypatch, "av", "decord")
    assert main(["evaluate", *RUN, SPEECH, *settings]) == code


def test_answers_that_are_stored_are_judged_without_a_decoder(monkeypatch) -> None:
    assert main(["evaluate", *RUN, SPEECH]) == 0
    without(monkeypatch, "av", "decord")
    assert main(["evaluate", *RUN, SPEECH, "judge.sampling.max_tokens=512"]) == 0


def test_doctor_names_the_extras_of_video(monkeypatch, capsys) -> None:
    main(["doctor"])
    out = capsys.readouterr().out
    for package in ("av", "decord2", "huggingface_hub"):
        assert f"ok    {package} " in out
    without(monkeypatch, "av", "huggingface_hub")
    assert main(["doctor"]) == 2
    out = capsys.readouterr().out
    assert "av is not installed (for video and sound)" in out
    assert 'pip install "ifbench[video]"' in out
    assert 'pip install "ifbench[hub]"' in out


def test_a_grader_has_nothing_to_decide_and_is_refused(capsys) -> None:
    assert main(["evaluate", *RUN, SPEECH, "grader=scripted"]) == 2
    assert "leave `grader` out, got `scripted`" in capsys.readouterr().err


# ── A run, and one sample of it ──────────────────────────────────────────────────────


def test_a_sample_is_shown_with_its_tasks_its_tree_and_the_judges_words_once(capsys) -> None:
    name = "nested/hall-switches"
    assert main(["evaluate", *RUN, f"benchmark.ids=[{name}]"]) == 0
    capsys.readouterr()
    assert main(["show", name, "benchmark=videoif"]) == 0
    out = capsys.readouterr().out
    assert "videos/hall.mp4 (sha256 " in out
    assert "task [0] Event Grounding: When was the left lamp switched?" in out
    assert "  - it happens before 00:02 that the left lamp turns on\n" in out
    assert "    + the left lamp turns on: When was the left lamp switched?" in out
    assert "to be carried out: When was the left lamp switched?" in out
    assert "    known: [00:03 - 00:04] the left lamp turns on" in out
    assert "  task [0] sample nested/hall-switches, videoif:task_coverage: pass" in out
    assert out.count('| {"items": {"1":') == 1  # One call for three items.
    assert out.count("asked together with one above") == 2
    assert "correctness" not in out


def test_what_holds_for_one_task_alone_says_so(capsys) -> None:
    assert main(["show", "multi/hall-three", "benchmark=videoif"]) == 0
    out = capsys.readouterr().out
    assert out.count("task [") >= 3
    assert ", of task [0] alone)" in out


def test_a_variant_is_shown_under_its_own_id(capsys) -> None:
    words = ["benchmark=videoif", "benchmark.variant=branch_count"]
    assert main(["show", "selection/garden-distance#2", *words]) == 0
    assert "n_branches: 2" in capsys.readouterr().out


def test_the_releases_rules_decide_on_the_same_answers(capsys) -> None:
    words = [*RUN, "benchmark.where.instruction_type=nested"]
    assert main(["evaluate", *words]) == 0
    capsys.readouterr()
    assert main(["evaluate", *words, "rules=release"]) == 0
    assert "asked scripted as candidate: 0 answers, 10 from the store" in capsys.readouterr().out
