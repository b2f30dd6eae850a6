"""A run's progress is replaced as a whole, on any file system, and harms nobody when it is bad."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime

import pytest
from store_values import objects

from ifbench.store.location import Location, resolve
from ifbench.store.progress import RunProgress, load_progress, save_progress

NOW = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.fixture(params=["local", "objects"])
def place(request, tmp_path) -> Location:
    return resolve(str(tmp_path / "store")) if request.param == "local" else objects(tmp_path)


def make_progress(**fields) -> RunProgress:
    plain = {"run_id": "run1", "host": "h", "pid": 7, "started_at": NOW, "written_at": NOW}
    return RunProgress(**{**plain, "planned": 3, **fields})


def test_what_is_saved_is_loaded_again(place):
    progress = make_progress(
        candidates={"a": 2, "b/c": 1},
        steps=("generate", "judge"),
        counts=((("calls", "judge", "m", "failed:timeout"), 2.0), (("rows", "judge", "in"), 1.5)),
        recent=((("rows", "judge", "in"), 0.5),),
        window_s=60.0,
    )
    save_progress(place, progress)
    assert load_progress(place, "run1") == progress


def test_a_later_one_takes_the_place_of_an_earlier_one_and_leaves_nothing_beside(place):
    for pid in (1, 2):
        save_progress(place, make_progress(pid=pid))
    assert load_progress(place, "run1").pid == 2
    assert list(place.child("runs", "run1").files()) == ["progress.json"]


def test_without_one_there_is_none(place):
    assert load_progress(place, "run1") is None


@pytest.mark.parametrize(
    ("content", "is_told"),
    [
        (b"", True),
        (b'{"version": 1, "run_id": "ru', True),
        (b'{"version": 1}', True),
        (b"\xff\xfe", True),
        (b"[]", False),
        (b'{"version": 99, "new": true}', False),
    ],
)
def test_one_that_cannot_be_read_is_as_none(place, caplog, content, is_told):
    place.child("runs", "run1").write_whole("progress.json", content)
    with caplog.at_level(logging.WARNING, logger="ifbench"):
        assert load_progress(place, "run1") is None
    assert ("cannot be read" in caplog.text) is is_told
    assert len(caplog.text.splitlines()) <= 1


def test_it_is_small(place):
    """What is written every two seconds must not grow with the run."""
    models = [f"model-{i}" for i in range(10)]
    words = ("answered", "stored", "retried", "in_flight", "waiting", "backing_off", "limited")
    counts = tuple(
        (("calls", purpose, model, word), 1e6)
        for purpose in ("candidate", "judge")
        for model in models
        for word in words
    )
    save_progress(place, make_progress(counts=counts, recent=counts))
    (size,) = place.child("runs", "run1").files("progress.json").values()
    assert size < 32_000
    assert json.loads(place.child("runs", "run1").read_whole("progress.json"))["version"] == 1
