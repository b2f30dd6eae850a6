"""The whole starter set: its pictures through the scripted engine, its texts through a model."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from ifbench.benchmarks.datasets import data_path
from ifbench.benchmarks.records import load_records
from ifbench.cli import main
from ifbench.media.view_cache import load_rendering
from ifbench.store import Store, read_scores

SAMPLES = {sample.id: sample for sample in load_records(data_path("builtin:scimif_starter"))}
PICTURED = {name for name, sample in SAMPLES.items() if sample.media}


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("IFBENCH_CACHE", str(tmp_path / "cache"))


def scripted(*overrides: str) -> int:
    run = ["execution=local", "candidates=[scripted]", "judge=scripted"]
    return main(["evaluate", *run, *overrides])


def causes() -> Counter[str]:
    (manifest,) = Store("store").list_runs()
    return Counter(manifest.counts.undecided)


def test_every_image_sample_is_complete_and_its_picture_was_loaded(tmp_path):
    assert scripted("benchmark.where.modality=multimodal") == 0
    scores = read_scores("store").to_pylist()
    assert {row["sample_id"] for row in scores} == PICTURED
    assert all(row["is_complete"] for row in scores)
    assert causes() == Counter()
    views = [path for path in (tmp_path / "cache" / "views").rglob("*") if path.is_file()]
    contents = {medium.sha256 for name in PICTURED for medium in SAMPLES[name].media}
    assert len(views) == len(contents) > 0  # Some samples share a picture.
    for view in views:
        (blob,) = load_rendering(tmp_path / "cache" / "views", view.name).blobs
        assert blob.mime == "image/jpeg"
        assert blob.data.startswith(b"\xff\xd8")


def test_every_text_sample_is_complete_with_a_judge_that_keeps_to_its_schema():
    assert scripted("benchmark.where.modality=text", "extractor=quotes_nothing",
                    "--config-dir", write_extractor()) == 0  # fmt: skip
    assert {row["sample_id"] for row in read_scores("store").to_pylist()} == (
        set(SAMPLES) - PICTURED
    )
    assert causes() == Counter()


def write_extractor() -> str:
    """A scripted extractor that finds nothing, in either form of reply."""
    folder = Path("conf/model")
    folder.mkdir(parents=True)
    (folder / "quotes_nothing.yaml").write_text(
        "engine: scripted\nmodel: quotes_nothing\n"
        'options: {default: \'{"molecule": "", "found": []}\'}\n'
    )
    return "conf"


FEW = (
    "chemistry-atoms-C5O1",  # Its molecule is extracted.
    "chemistry-steps-ester",  # Four steps are judged.
    "geography-erosion",  # Responses are counted.
)
SHORT_REPLIES = ("string_characters=12", "list_items=2")


@pytest.mark.ray
@pytest.mark.model
@pytest.mark.timeout(600)
def test_text_samples_are_complete_on_ray_with_the_embedded_model_in_every_role():
    command = [
        *(sys.executable, "-m", "ifbench.cli", "evaluate", "experiment=starter_text"),
        *(f"benchmark.ids=[{','.join(FEW)}]", "candidates.smollm2.sampling.max_tokens=24"),
        *(f"model.smollm2.options.{option}" for option in SHORT_REPLIES),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=540, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(row["is_complete"] for row in read_scores("store").to_pylist())
    assert causes() == Counter()
