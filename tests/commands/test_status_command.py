"""`ifbench status` as a user types it, on runs that have ended, go on, or were killed."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ifbench.cli import main
from ifbench.store import Store
from ifbench.store.manifest import Manifest
from ifbench.store.progress import load_progress, save_progress, sign_of_life

RUN = ["execution=local", "candidates=[scripted]", "judge=scripted"]


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def evaluate(limit: int) -> None:
    main(["evaluate", *RUN, f"benchmark.limit={limit}"])


def status(capsys, *arguments: str) -> str:
    capsys.readouterr()
    assert main(["status", *arguments]) == 0
    return capsys.readouterr().out


def rewind(ago_s: float, planned: int = 2, *, is_here: bool = False) -> Manifest:
    """Make a run look as if it went on, with its last progress some seconds old, on this machine
    or on another.
    """
    store = Store("store")
    (manifest,) = [run for run in store.list_runs() if run.counts.planned == planned]
    now = datetime.now(UTC)
    last = replace(
        manifest.invocations[-1],
        started_at=now - timedelta(seconds=ago_s + 60),
        finished_at=None,
        ending="running",
    )
    store.save_manifest(replace(manifest, invocations=(last,)))
    progress = load_progress("store", manifest.run_id)
    was = {"started_at": last.started_at, "written_at": now - timedelta(seconds=ago_s)}
    machine = progress.machine if is_here else ""
    save_progress("store", replace(progress, **was, is_over=False, machine=machine))
    return manifest


def test_a_run_that_has_ended_shows_its_ending_and_its_candidates(capsys):
    evaluate(5)
    out = status(capsys)
    (manifest,) = Store("store").list_runs()
    assert out.startswith(f"run {manifest.run_id}: scimif, complete, in ")
    assert "5 of 5 trials complete, 0 owed" in out
    assert "candidate scripted: 5 answered" in out
    assert any(line.split()[:2] == ["scripted", "5"] for line in out.splitlines())
    (one,) = json.loads(status(capsys, "--format", "json"))
    assert (one["state"], one["planned"], one["complete"], one["owed"]) == ("complete", 5, 5, 0)
    assert [step["name"] for step in one["steps"]] == ["generate", "verify", "judge"]
    assert one["candidates"][0]["complete"] == 5
    progress = load_progress("store", manifest.run_id)
    counts = dict(progress.counts)
    assert progress.is_over
    assert progress.steps == ("generate", "verify", "judge")
    assert progress.candidates == {"scripted": 5}
    assert counts["trials", "scripted", "complete"] == 5
    assert counts["candidates", "scripted", "judge", "out"] == 5
    outcomes = {name[2] for name in counts if name[0] == "verdicts"}
    assert outcomes <= {"pass", "fail", "undecided"}
    assert outcomes


def test_a_run_that_was_killed_is_silent(capsys):
    evaluate(2)
    rewind(45)
    out = status(capsys)
    assert "silent: last seen 45 s ago" in out
    assert "The same command goes on with it" in out
    assert main(["report", "--list"]) == 0
    assert capsys.readouterr().out.splitlines()[-2].split()[-2:] == ["silent", "2/2"]


@pytest.mark.skipif(not Path("/proc/sys/kernel/random/boot_id").exists(), reason="needs Linux")
def test_on_the_machine_of_its_driver_a_run_that_was_killed_is_known_at_once(capsys):
    evaluate(2)
    manifest = rewind(1, is_here=True)
    out = status(capsys)
    assert "killed: its process has ended, seen 1 s ago" in out
    assert "The same command goes on with it" in out
    (one,) = json.loads(status(capsys, "--format", "json"))
    assert (one["state"], one["has_died"]) == ("silent", True)
    with sign_of_life("store", manifest.run_id), sign_of_life("store", manifest.run_id):
        assert "running for" in status(capsys)
    assert "killed" in status(capsys)


def test_without_a_name_all_that_go_on_are_shown_and_no_others(capsys):
    for limit in (2, 3, 4):
        evaluate(limit)
    for planned in (2, 3):
        rewind(1, planned)
    shown = json.loads(status(capsys, "--format", "json"))
    assert sorted(one["planned"] for one in shown) == [2, 3]
    assert {one["state"] for one in shown} == {"running"}
    text = status(capsys)
    assert text.count("run ") == 2
    assert "generate" in text
    for name in Store("store").run_ids():  # Enough of an id is enough, and twice is once.
        shown = json.loads(status(capsys, name[:8], name, "--format", "json"))
        assert [one["run_id"] for one in shown] == [name]


def test_watching_gives_an_object_a_line_and_ends_with_the_run_or_its_silence(capsys, monkeypatch):
    evaluate(2)
    shown = status(capsys, "--watch", "--format", "json").splitlines()
    assert [json.loads(line)["state"] for line in shown] == ["complete"]
    manifest = rewind(1)
    naps = []

    def sleep(seconds: float) -> None:
        naps.append(seconds)
        rewind(1 if len(naps) < 3 else 60)

    monkeypatch.setattr("ifbench.commands.status.time.sleep", sleep)
    shown = status(capsys, manifest.run_id, "--watch", "--format", "json").splitlines()
    assert [json.loads(line)["state"] for line in shown] == ["running"] * 3 + ["silent"]


def test_a_store_without_runs_is_said_to_have_none(capsys):
    assert main(["status"]) == 2
    assert "no runs are stored here" in capsys.readouterr().err


def test_without_progress_a_run_shows_its_ending_and_one_that_cannot_be_written_ends_no_run(capsys):
    evaluate(2)
    (manifest,) = Store("store").list_runs()
    path = Path("store/runs") / manifest.run_id / "progress.json"
    path.unlink()
    assert "2 of 2 trials complete" in status(capsys)
    path.mkdir()  # No file can take its place.
    assert main(["evaluate", *RUN, "benchmark.limit=2"]) == 0
    assert "its progress cannot be written" in capsys.readouterr().err


def test_progress_names_no_secret_and_looking_at_it_writes_nothing(monkeypatch, capsys):
    monkeypatch.setenv("PLANTED", "sk-planted-0123456789")
    main(["evaluate", *RUN, "benchmark.limit=2", "model.scripted.api_key_env=PLANTED"])
    texts = [path.read_text() for path in Path("store/runs").rglob("*.json")]
    assert len(texts) == 2
    assert not any("sk-planted" in text for text in texts)
    before = {path: path.stat().st_mtime_ns for path in Path("store").rglob("*")}
    status(capsys)
    assert {path: path.stat().st_mtime_ns for path in Path("store").rglob("*")} == before


def test_a_manifest_from_elsewhere_is_no_crash(capsys):
    evaluate(2)
    store = Store("store")
    (manifest,) = store.list_runs()
    odd = {"benchmark": "b", "candidates": None, "judge": 3}
    store.save_manifest(replace(manifest, run_id="odd", config=odd))
    store.save_manifest(replace(manifest, run_id="never", invocations=()))
    assert f"run {manifest.run_id}: " in status(capsys)
    assert main(["report", "--list"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in (manifest.run_id, "odd", "never"))
    assert main(["report", "never"]) == 2
    assert "no run starts with 'never'" in capsys.readouterr().err
