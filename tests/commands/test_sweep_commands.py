"""`-m` as a user types it, on the starter set and scripted models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ifbench.cli import main
from ifbench.store import Store

RUN = ["execution=local", "candidates=[scripted]", "benchmark.limit=4"]
JUDGES = "judge=ja,jb"


@pytest.fixture(autouse=True)
def _two_judges(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("conf/model").mkdir(parents=True)
    for name in ("ja", "jb"):
        Path(f"conf/model/{name}.yaml").write_text(f"engine: scripted\nmodel: {name}\n")


def ifbench(*arguments: str) -> int:
    return main(list(arguments))


def test_several_values_without_m_are_an_error_that_names_it(capsys):
    for command in ("evaluate", "plan"):
        assert ifbench(command, *RUN, JUDGES) == 2
        assert "(a sweep), give `-m`" in capsys.readouterr().err
    assert not Path("store").exists()


def test_m_may_stand_anywhere_and_one_point_is_a_run_like_any(capsys):
    assert ifbench("evaluate", *RUN, "judge=ja", "--multirun") == 0
    last = capsys.readouterr().out.splitlines()[-1]
    (manifest,) = Store("store").list_runs()
    assert last == f"complete. More tables: ifbench report {manifest.run_id}"
    assert ifbench("plan", "-m", *RUN, JUDGES) == 0
    assert "2 runs, 8 trials: what they ask together" in capsys.readouterr().out


def test_points_that_come_to_one_run_are_one_and_it_is_said(capsys):
    assert ifbench("evaluate", "-m", *RUN, "judge=ja", "judge.limits.concurrency=2,3") == 0
    out, err = capsys.readouterr()
    assert len(Store("store").list_runs()) == 1
    assert "`judge.limits.concurrency=3` is this run, too" in err
    assert "Overview" not in out
    assert ifbench("plan", "-m", *RUN, "judge=ja", "judge.limits.concurrency=2,3") == 0
    assert "`judge.limits.concurrency=3` is this run, too" in capsys.readouterr().out


def test_runs_that_share_no_table_are_shown_at_a_glance(capsys):
    assert ifbench("evaluate", "-m", *RUN, "benchmark=scimif,videoif", JUDGES) == 0
    line = capsys.readouterr().out.splitlines()[-1]
    ids = line.partition("ifbench report ")[2].split()
    assert len(ids) == 4
    assert ifbench("status") == 0
    shown = capsys.readouterr().out
    assert all(f"run {name}: " in shown for name in ids)
    assert ifbench("report", *ids, "--only", "overview", "--format", "json") == 0
    table = json.loads(capsys.readouterr().out)
    assert [row["what differs"] for row in table["rows"]] == [
        f"benchmark {name}, judge {judge}"
        for name in ("scimif", "videoif")
        for judge in ("ja", "jb")
    ]
    assert [row["run"] for row in table["rows"]] == ids


def test_a_sweep_over_attempts_asks_only_for_the_further_ones(capsys):
    assert ifbench("plan", "-m", *RUN, "judge=ja", "attempts=1,3") == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [int(row[3]) for row in rows if row[:1] == ["candidate"]] == [12]
    shared = {row[0]: int(row[-3]) for row in rows if row and row[0].startswith("attempts=")}
    assert shared["attempts=1"] == 0
    assert shared["attempts=3"] >= 4
