"""What docs/configuration.md shows is what works."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
from config_files import write_model

from ifbench.config import RunConfig, load_config
from ifbench.config.check import fields_of
from ifbench.config.folders import search_folders
from ifbench.config.sweeps import expand
from ifbench.types import ModelConfig

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "configuration.md"
TEXT = GUIDE.read_text(encoding="utf-8")
BLOCKS = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
MODEL = next(block for block in BLOCKS if block.startswith("engine:"))
EXPERIMENT = next(block for block in BLOCKS if block.startswith("# @package"))
TABLE = TEXT.partition("## The command line")[2].partition("Values are written")[0]
OVERRIDES = [code.strip("'") for code in re.findall(r"`([^`]*[=~][^`]*)`", TABLE)]


SWEEPS = GUIDE.with_name("sweeps.md").read_text(encoding="utf-8")
SWEPT = [
    code.strip("'")
    for line in SWEEPS.splitlines()
    if line.startswith("| ")
    for code in re.findall(r"`([^`]*=[^`]*)`", line)
]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_model_of_the_guide_loads_and_shows_every_field(here: Path) -> None:
    write_model(here / "conf", "my-model", MODEL)

    model = load_config(["candidates=my-model"]).candidates[0]

    assert model.base_url == "http://127.0.0.1:8000/v1"
    shown = set(re.findall(r"^(\w+):", MODEL, re.MULTILINE))
    assert shown == {entry.name for entry in fields(ModelConfig)} - {"name"}


def test_the_experiment_of_the_guide_loads(here: Path) -> None:
    write_model(here / "conf", "my-model", MODEL)
    (here / "conf" / "experiment").mkdir()
    (here / "conf" / "experiment" / "mine.yaml").write_text(EXPERIMENT, encoding="utf-8")

    config = load_config(["experiment=mine", "benchmark.data=x.jsonl"])

    assert [model.name for model in config.candidates] == ["my-model", "gpt-5.2"]
    assert config.execution.name == "local"


@pytest.mark.parametrize("override", OVERRIDES)
def test_every_argument_of_the_guide_works(here: Path, override: str) -> None:
    load_config(["candidates=[gpt-5.2,smollm2]", override])


@pytest.mark.parametrize("override", SWEPT)
def test_every_sweep_of_the_guide_has_several_points(override: str) -> None:
    assert len(expand([override], folders=search_folders())) > 1


def test_the_guide_lists_every_key_of_a_run() -> None:
    def keys(kind: Any, prefix: str = "") -> set[str]:
        found: set[str] = set()
        for name, inner in fields_of(kind).items():
            nested = is_dataclass(inner) and inner is not ModelConfig
            found |= keys(inner, f"{prefix}{name}.") if nested else {f"{prefix}{name}"}
        return found

    listed = set(re.findall(r"^\| `([\w.]+)`", TEXT, re.MULTILINE))
    wanted = {
        re.sub(r"(execution\.workers)\.\w+", r"\1.STEP", key)
        for key in keys(RunConfig)
        if key not in {"execution.name", "experiment"}  # A choice of a group, not a key.
    }
    assert wanted <= listed
