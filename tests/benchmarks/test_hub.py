"""Data sets on the hub: addresses, what can go wrong, and the way through the real client."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from ifbench.benchmarks.datasets import data_path, open_dataset
from ifbench.benchmarks.forms import form_of
from ifbench.benchmarks.hub import download, hub_folder
from ifbench.config.values import Benchmark
from ifbench.errors import ConfigError, DatasetError, PrerequisiteError
from video_release import instruction, video, write_release


@pytest.fixture
def local_hub(tmp_path):
    """Fetches from a folder of this machine: one folder a repository and revision."""
    write_release(tmp_path / "hub" / "lab" / "clips" / "main", video())
    write_release(
        tmp_path / "hub" / "lab" / "clips" / "v2",
        video(instructions=[instruction("a"), instruction("b")]),
    )

    def fetch(name: str, revision: str | None) -> Path:
        source = tmp_path / "hub" / name / (revision or "main")
        if not source.is_dir():
            raise DatasetError(f"hub:{name}: no such data set on the hub")
        target = tmp_path / "cache" / (revision or "main")
        shutil.copytree(source, target)
        return target

    return fetch


def test_a_data_set_of_the_hub_is_read_as_a_folder(local_hub):
    folder = hub_folder("hub:lab/clips", local_hub)
    assert [sample.id for sample in form_of(folder).load(folder)] == ["v1_single_0"]


def test_a_revision_chooses_the_state(local_hub):
    folder = hub_folder("hub:lab/clips@v2", local_hub)
    assert [sample.id for sample in form_of(folder).load(folder)] == ["v1_a", "v1_b"]


def test_a_repository_that_is_not_there_is_named(local_hub):
    with pytest.raises(DatasetError, match="hub:lab/nothing"):
        hub_folder("hub:lab/nothing", local_hub)


@pytest.mark.parametrize(
    "data", ["hub:", "hub:clips", "hub:a/b/c", "hub:lab/clips@", "hub:a/b@c@d"]
)
def test_an_address_that_is_none_is_refused_before_anything_is_fetched(data):
    with pytest.raises(ConfigError, match="`hub:OWNER/NAME` or `hub:OWNER/NAME@REVISION`"):
        data_path(data)


# ── The real client ──────────────────────────────────────────────────────────────────


@pytest.fixture
def client(tmp_path, monkeypatch):
    """The hub's client, with a cache of its own; the guard keeps it off the network."""
    hub = pytest.importorskip("huggingface_hub", reason="the extra `hub` is not installed")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    download.cache_clear()
    yield hub
    download.cache_clear()


def cached(cache: Path, name: str) -> Path:
    """A data set as the client leaves it in its cache."""
    folder = cache / f"datasets--{name.replace('/', '--')}"
    commit = "0" * 40
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text(commit)
    return write_release(folder / "snapshots" / commit, video())


def test_what_lies_in_the_cache_is_used_where_there_is_no_network(tmp_path, client):
    folder = cached(tmp_path / "cache", "lab/clips")
    assert hub_folder("hub:lab/clips") == folder
    dataset = open_dataset(Benchmark(name="videoif", data="hub:lab/clips"))
    assert [sample.id for sample in dataset.samples()] == ["v1_single_0"]


def test_without_network_and_cache_it_is_said_how_to_go_on(client):
    with pytest.raises(PrerequisiteError, match="the hub cannot be reached"):
        hub_folder("hub:lab/nothing")


def test_without_the_package_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    download.cache_clear()
    with pytest.raises(PrerequisiteError, match=r"install `ifbench\[hub\]`"):
        hub_folder("hub:lab/clips")
