"""One endpoint for all, in a process that outlives what the tests kill; a folder for each."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from running import BOTH_REPLIES, LOG, REPLIES, VIDEO_REPLIES, Place, Results

from engines.endpoint import EndpointProcess
from ifbench.benchmarks.datasets import data_path

JUDGED = {"general:number_response", "chemistry:reaction_steps"}
VARIANTS = 12


@contextmanager
def noting_endpoint(replies: Path, log: Path) -> Iterator[EndpointProcess]:
    """An endpoint that says what a file of replies says, and notes its answers in `log`."""
    log.touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(LOG, str(log))
        with EndpointProcess(reply=f"{replies}:reply") as started:
            yield started


@pytest.fixture(scope="session")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the endpoint notes its answers."""
    return tmp_path_factory.mktemp("endpoint") / "answers.jsonl"


@pytest.fixture(scope="session")
def endpoint(log: Path) -> Iterator[EndpointProcess]:
    with noting_endpoint(REPLIES, log) as started:
        yield started


@pytest.fixture(scope="session")
def whole(
    endpoint: EndpointProcess, log: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Place, frozenset[str]]:
    """An undisturbed run of the whole starter set, and the prompts that it asked."""
    place = Place(folder=tmp_path_factory.mktemp("undisturbed"), endpoint=endpoint, log=log)
    done = place.evaluate()
    assert done.code == 0, done.err
    assert place.preflights() == 2
    assert set(place.prompts().values()) == {1}
    return place, frozenset(place.prompts())


@pytest.fixture
def undisturbed(whole: tuple[Place, frozenset[str]]) -> Results:
    return whole[0].results()


@pytest.fixture
def wanted(whole: tuple[Place, frozenset[str]]) -> frozenset[str]:
    return whole[1]


@pytest.fixture
def place(whole: object, endpoint: EndpointProcess, log: Path, tmp_path: Path) -> Place:
    """A folder of its own; made after the undisturbed run, whose counts it forgets."""
    return Place(folder=tmp_path, endpoint=endpoint, log=log)


@pytest.fixture
def finished(place: Place, whole: tuple[Place, frozenset[str]]) -> Place:
    """A folder whose store holds the undisturbed run already."""
    shutil.copytree(whole[0].store, place.store)
    return place


@pytest.fixture(scope="session")
def judged_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Samples that ask the judge about as much as the candidate; no two prompts are equal."""
    lines = data_path("builtin:scimif_starter").read_text().splitlines()
    records = [record for record in map(json.loads, lines) if not record["media"]]
    judged = [r for r in records if JUDGED & {item["constraint"] for item in r["checklist"]}]
    others = [record for record in records if record not in judged][:20]
    variants = [variant(record, n) for n in range(VARIANTS) for record in judged]
    path = tmp_path_factory.mktemp("data") / "judged.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in [*variants, *others]))
    return path


def variant(record: dict, number: int) -> dict:
    return {
        **record,
        "id": f"{record['id']}-{number}",
        "instruction": f"(Case {number}.) {record['instruction']}",
    }


@pytest.fixture(scope="session")
def judged_run(
    judged_data: Path,
    endpoint: EndpointProcess,
    log: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Results, frozenset[str]]:
    """What an undisturbed run over them gives without Ray, and the prompts that it asks."""
    place = Place(folder=tmp_path_factory.mktemp("local"), endpoint=endpoint, log=log)
    assert place.evaluate(f"benchmark.data={judged_data}").code == 0
    return place.results(), frozenset(place.prompts())


@pytest.fixture(scope="session")
def video_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the endpoint of the video tests notes its answers."""
    return tmp_path_factory.mktemp("video_endpoint") / "answers.jsonl"


@pytest.fixture(scope="session")
def video_endpoint(video_log: Path) -> Iterator[EndpointProcess]:
    """The endpoint that knows the video starter set; see `video_replies.py`."""
    with noting_endpoint(VIDEO_REPLIES, video_log) as started:
        yield started


@pytest.fixture(scope="session")
def both_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the endpoint of the sweeps notes its answers."""
    return tmp_path_factory.mktemp("both_endpoint") / "answers.jsonl"


@pytest.fixture(scope="session")
def both_endpoint(both_log: Path) -> Iterator[EndpointProcess]:
    """The endpoint that knows both starter sets; see `both_replies.py`."""
    with noting_endpoint(BOTH_REPLIES, both_log) as started:
        yield started
