"""Commands that only read leave nothing behind: no folder of a store that is not there, no file."""

from __future__ import annotations

from contextlib import suppress

import pytest

from ifbench.cli import main
from ifbench.errors import StoreError
from ifbench.store import check_store

RUN = ["candidates=[scripted]", "judge=scripted", "execution=local", "store.uri=none/store"]


@pytest.mark.parametrize(
    "line",
    [
        ["plan", *RUN, "benchmark.limit=2"],
        ["plan", "-m", *RUN, "benchmark.limit=2", "attempts=1,2"],
        ["doctor", *RUN],
        ["status", "--store", "none/store"],
        ["report", "--store", "none/store"],
        ["report", "--list", "--store", "none/store"],
        ["show", *RUN],
        ["show", "--run", "r1", "chemistry-mass-glucose", *RUN],
        ["verify", "missing.jsonl", *RUN],
        ["data", "check", "builtin:scimif_starter"],
        ["answers", "export", "-o", "out", "--store", "none/store", "r1"],
        ["constraints"],
        ["submit", "--image", "registry/ifbench:1", *RUN[:2], "store=s3"],
    ],
    ids=" ".join,
)
def test_a_command_that_only_reads_creates_nothing(line, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with suppress(SystemExit):
        main(line)
    said = capsys.readouterr()
    assert "usage:" not in said.err, said.err
    assert "Traceback" not in said.err
    assert list(tmp_path.rglob("*")) == []


def test_a_store_that_cannot_be_made_is_found_and_one_that_can_be_is_not_made(tmp_path):
    assert check_store(str(tmp_path / "a/b")).path == str(tmp_path / "a/b")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("no folder")
    for name in ("file", "file/store"):
        with pytest.raises(StoreError, match="the store cannot be"):
            check_store(str(tmp_path / name))


def test_a_plan_leaves_a_store_that_is_there_as_it_is(tmp_path, capsys):
    store = tmp_path / "store"
    store.mkdir()
    moment = store.stat().st_mtime_ns
    assert main(["plan", *RUN[:-1], "benchmark.limit=2", f"store.uri={store}"]) == 0
    assert store.stat().st_mtime_ns == moment
