"""The user's own configuration files, on their way to a machine that lacks them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ifbench.config.folders import packaged_folder
from ifbench.config.shipping import own_files
from ifbench.errors import ConfigError

KEY = "sk-" + "abcdefghijklmnop1234"


def write(folder: Path, name: str, text: str = "engine: scripted\n") -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


def test_the_first_file_of_a_name_wins_and_the_shipped_ones_stay(tmp_path):
    write(tmp_path / "mine", "model/a.yaml", "engine: scripted\nmodel: first\n")
    write(tmp_path / "mine", "experiment/e.yaml", "# @package _global_\nseed: 1\n")
    write(tmp_path / "conf", "model/a.yaml", "engine: scripted\nmodel: second\n")
    write(tmp_path / "conf", "model/b.yaml")
    write(tmp_path / "conf", "notes.txt", "no YAML")
    found = own_files(tmp_path / "mine", cwd=tmp_path)
    assert set(found) == {"model/a.yaml", "model/b.yaml", "experiment/e.yaml"}
    assert "first" in found["model/a.yaml"]
    assert found["experiment/e.yaml"].startswith("# @package _global_")


def test_without_own_files_there_are_none(tmp_path):
    assert own_files(cwd=tmp_path) == {}
    assert own_files(cwd=packaged_folder().parent) == {}


@pytest.mark.parametrize(
    "text", [f"api_key: {KEY}\n", f"engine: scripted  # {KEY}\n", "base_url: https://u:p@host/v1\n"]
)
def test_a_file_with_a_secret_is_refused_and_the_secret_not_repeated(tmp_path, text):
    write(tmp_path / "conf", "model/a.yaml", text)
    with pytest.raises(ConfigError, match=r"conf/model/a\.yaml: holds what looks like") as caught:
        own_files(cwd=tmp_path)
    assert KEY not in str(caught.value)
