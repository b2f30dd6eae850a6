"""The store as a whole: opened, passed on, and refused where it cannot be written."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from store_values import answer, answers, key_of, make_score, objects

from ifbench.errors import StoreError
from ifbench.store import Manifest, Store, open_store, read_scores
from ifbench.store.location import Location, resolve


@pytest.fixture(params=["local", "objects", "uri"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Location:
    match request.param:
        case "local":
            return resolve(str(tmp_path / "a store"))
        case "uri":
            return resolve((tmp_path / "a store").as_uri())
        case _:
            return objects(tmp_path)


def test_one_store_holds_answers_results_and_manifests(place: Location) -> None:
    store = open_store(place)
    store.journal.append(answers(1))
    with store.results("run1", "d") as writer:
        writer.add(make_score(), ())
        writer.commit()
    store.save_manifest(Manifest(run_id="run1", identity={}, config={}, dataset_sha256="d"))
    store.close()

    again = Store(place)
    assert again.journal.lookup([key_of(1)]) == {key_of(1): answer(1)}
    assert again.compact().merged == 1
    assert read_scores(place).num_rows == 1
    assert [manifest.run_id for manifest in again.list_runs()] == ["run1"]
    assert again.load_manifest("run1").dataset_sha256 == "d"


def test_a_store_can_be_sent_to_a_worker(place: Location) -> None:
    store = open_store(place)
    store.journal.append(answers(1))
    copy = pickle.loads(pickle.dumps(store))
    copy.journal.append(answers(2))
    assert copy.journal.stored([key_of(1), key_of(2)]) == {key_of(1), key_of(2)}
    copy.close()
    store.close()


def test_opening_leaves_no_trace(place: Location) -> None:
    open_store(place).close()
    assert place.files() == {}
    assert place.folders() == []


@pytest.mark.parametrize("below", ["file", "file/deeper"])
def test_a_place_that_cannot_be_written_is_refused_with_its_name(
    tmp_path: Path, below: str
) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="the store cannot be written") as caught:
        open_store(str(tmp_path / below))
    assert str(tmp_path / below) in str(caught.value)


@pytest.mark.parametrize("name", ["responses", "responses/journal", "runs", "results"])
def test_a_folder_of_it_that_cannot_be_written_is_found_before_anybody_is_paid(
    tmp_path: Path, name: str
) -> None:
    blocked = tmp_path / "store" / name
    blocked.parent.mkdir(parents=True)
    blocked.write_text("in the way")
    with pytest.raises(StoreError, match=f"store/{name}: the store cannot be written"):
        open_store(str(tmp_path / "store"))


def test_a_relative_path_is_the_same_store_for_a_worker_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sent = pickle.dumps(open_store("runs"))
    monkeypatch.chdir("/")
    with pickle.loads(sent).journal as journal:
        journal.append(answers(1))
    assert (tmp_path / "runs" / "responses" / "journal").is_dir()


def test_messages_show_a_location_without_its_options() -> None:
    assert Store("file:///data/ifbench/?planted=1").root.uri == "file:///data/ifbench"


@pytest.mark.parametrize("scheme", ["s3", "nowhere"])
def test_an_error_names_the_location_without_its_secrets(scheme: str) -> None:
    with pytest.raises(StoreError, match=f"{scheme}://bucket/a: no store") as caught:
        Store(f"{scheme}://name:planted@bucket/a?nonsense=planted")
    assert "planted" not in str(caught.value)


@pytest.mark.parametrize("uri", ["s3://", "s3:///", "s3://?region=x"])
def test_a_store_without_a_bucket_is_refused(uri: str) -> None:
    with pytest.raises(StoreError, match="no store can be opened there"):
        Store(uri)


def test_writing_to_memory_goes_the_same_way(tmp_path: Path) -> None:
    from pyarrow import fs

    memory, path = fs.FileSystem.from_uri("mock:///store")
    store = open_store(Location(memory, path, "mock:///store"))
    store.journal.append(answers(1, 2))
    store.close()
    store.compact()
    assert len(Store(store.root).journal) == 2


def test_importing_the_package_alone_does_not_import_arrow() -> None:
    code = "import ifbench, ifbench.types, ifbench.keys, sys; sys.exit('pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_folder_that_is_made_while_it_is_listed_is_listed(tmp_path):
    """Arrow lists first and asks afterwards whether the folder exists."""
    place = resolve(str(tmp_path)).child("journal")

    def make_and_remove() -> None:
        while not is_done.is_set():
            (tmp_path / "journal").mkdir()
            (tmp_path / "journal").rmdir()

    is_done = threading.Event()
    thread = threading.Thread(target=make_and_remove)
    thread.start()
    try:
        for _ in range(3000):
            assert place.folders() == []
    finally:
        is_done.set()
        thread.join()
