"""What is appended is found again, by this process and by others, on every kind of disk."""

from __future__ import annotations

import asyncio
import logging
import pickle
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pytest
from store_values import answer, answers, key_of, objects

from factories import make_failure
from ifbench import schemas
from ifbench.errors import StoreError
from ifbench.store.journal import FOLLOW_S, Journal
from ifbench.store.location import Location, resolve
from ifbench.store.writer import LINGER_S
from ifbench.types import FailureKind


@pytest.fixture(params=["local", "objects"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Location:
    return resolve(str(tmp_path / "store")) if request.param == "local" else objects(tmp_path)


def journal_files(place: Location) -> list[str]:
    return sorted(place.child("responses", "journal").files())


def test_an_empty_store_holds_nothing_and_makes_no_file(place: Location) -> None:
    with Journal(place) as journal:
        assert journal.lookup([key_of(1)]) == {}
        assert journal.lookup([]) == {}
        journal.append([])
    assert journal_files(place) == []


def test_what_is_appended_is_found_at_once_and_by_the_next_process(place: Location) -> None:
    with Journal(place) as journal:
        journal.append(answers(1, 2))
        journal.append(answers(3))
        wanted = [key_of(n) for n in (1, 2, 3, 4)]
        expected = {key_of(n): answer(n) for n in (1, 2, 3)}
        assert journal.lookup(wanted) == expected
    assert Journal(place).lookup(wanted) == expected
    assert Journal(place).stored(wanted) == expected.keys()


def test_a_whole_response_comes_back_as_it_was(place: Location) -> None:
    refusal = make_failure(FailureKind.REFUSAL, key=key_of("r"), seconds=1.25, tries=3)
    odd = answer(
        "o", "lone \ud83d surrogate\x10 and \x00", reasoning="because", endpoint="http://x"
    )
    with Journal(place) as journal:
        journal.append([refusal, odd])
    assert Journal(place).lookup([refusal.key, odd.key]) == {refusal.key: refusal, odd.key: odd}


def test_keys_may_be_any_text(place: Location) -> None:
    texts = ["", "k", "ü\ud800", "0" * 63, "0" * 64, "g" * 64, "A" * 64]
    with Journal(place) as journal:
        journal.append([answer(1, text, key=text) for text in texts])
    found = Journal(place).lookup(texts)
    assert {key: response.key for key, response in found.items()} == {t: t for t in texts}


def test_a_long_text_comes_back_and_its_neighbours_with_it(place: Location) -> None:
    long = answer("long", "αβ" * 6_000_000)
    with Journal(place) as journal:
        journal.append([answer(1), long, answer(2)])
        journal.append(answers(3))
    found = Journal(place).lookup([long.key, key_of(3)])
    assert found == {long.key: long, key_of(3): answer(3)}


@pytest.mark.parametrize("kind", [k for k in FailureKind if k.name in {"TRANSPORT", "TIMEOUT"}])
def test_a_call_that_is_owed_is_refused(tmp_path: Path, kind: FailureKind) -> None:
    with Journal(str(tmp_path)) as journal:
        with pytest.raises(ValueError, match="only answered calls"):
            journal.append([answer(1), make_failure(kind)])
        with pytest.raises(ValueError, match="only answered calls"):
            journal.append_soon(make_failure(kind))
        assert len(journal) == 0


def test_the_first_answer_under_a_key_counts_for_every_reader(place: Location) -> None:
    with Journal(place, "b") as late, Journal(place, "a") as early:
        late.append([answer(1, "late")])
        early.append([answer(1, "first"), answer(1, "second")])
        late.refresh()
        readers = [early, late, Journal(place)]
        assert [r.lookup([key_of(1)])[key_of(1)].text for r in readers] == ["first"] * 3


def test_a_refresh_finds_what_others_have_stored_since(place: Location) -> None:
    reader = Journal(place)
    with Journal(place) as writer:
        for number in range(3):
            writer.append(answers(number))
            assert reader.stored([key_of(number)]) == frozenset()
            reader.refresh()
            assert reader.lookup([key_of(number)]) == {key_of(number): answer(number)}
    reader.refresh()
    assert len(reader) == 3


def test_a_look_up_that_misses_looks_for_what_others_stored(tmp_path: Path) -> None:
    reader = Journal(str(tmp_path))
    with Journal(str(tmp_path)) as writer:
        for number in range(3):
            writer.append(answers(number))
            time.sleep(3 * FOLLOW_S)
            assert reader.lookup([key_of(number)]) == {key_of(number): answer(number)}


def test_a_copy_is_a_new_writer(place: Location) -> None:
    with Journal(place) as journal:
        journal.append(answers(1))
        with pickle.loads(pickle.dumps(journal)) as copy:
            assert copy.lookup([key_of(1)]) == {key_of(1): answer(1)}
            copy.append(answers(2))
    assert len(journal_files(place)) == 2
    assert len(Journal(place)) == 2


def test_a_writers_name_is_never_used_twice(tmp_path: Path) -> None:
    with Journal(str(tmp_path), "w") as journal:
        journal.append(answers(1))
    with Journal(str(tmp_path), "w") as again, pytest.raises(StoreError, match="used once"):
        again.append(answers(2))
    assert Journal(str(tmp_path)).stored([key_of(1), key_of(2)]) == {key_of(1)}


def test_rows_that_are_queued_together_share_a_commit(tmp_path: Path) -> None:
    with Journal(str(tmp_path), "w") as journal:
        futures = [journal.append_soon(answer(number)) for number in range(2000)]
        for future in futures:
            future.result(timeout=60)
    with pa.ipc.open_stream(str(tmp_path / "responses/journal/w.arrow")) as stream:
        sizes = [batch.num_rows for batch in stream]
    assert sum(sizes) == 2000
    assert len(sizes) < 1000


def test_many_threads_append_and_look_up_at_once(place: Location) -> None:
    with Journal(place) as journal, ThreadPoolExecutor(16) as pool:

        def work(number: int) -> bool:
            journal.append(answers(number))
            return journal.lookup([key_of(number)]) == {key_of(number): answer(number)}

        assert all(pool.map(work, range(200)))
    assert len(Journal(place)) == 200


async def test_a_cancelled_wait_still_stores_the_answer(tmp_path: Path) -> None:
    with Journal(str(tmp_path)) as journal:
        waiting = asyncio.wrap_future(journal.append_soon(answer(1)))
        waiting.cancel()
        await asyncio.wrap_future(journal.append_soon(answer(2)))
        assert journal.stored([key_of(1), key_of(2)]) == {key_of(1), key_of(2)}


def test_closing_writes_what_is_queued_and_ends_writing(place: Location) -> None:
    journal = Journal(place)
    futures = [journal.append_soon(answer(number)) for number in range(100)]
    journal.close()
    journal.close()
    assert all(future.done() for future in futures)
    with pytest.raises(StoreError, match="closed"):
        journal.append(answers(1))
    assert len(Journal(place)) == 100
    assert journal.lookup([key_of(1)])


def test_a_row_that_no_column_holds_fails_alone(tmp_path: Path) -> None:
    with Journal(str(tmp_path)) as journal:
        futures = [
            journal.append_soon(answer(number, tries=2**70 if number == 50 else 1))
            for number in range(100)
        ]
        errors = [future.exception(timeout=60) for future in futures]
        assert [n for n, error in enumerate(errors) if error] == [50]
        assert isinstance(errors[50], ValueError)
    assert len(Journal(str(tmp_path))) == 99


# ── Files that are not as they should be ─────────────────────────────────────────────


def put(tmp_path: Path, name: str, data: bytes) -> Path:
    folder = tmp_path / "responses" / "journal"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)
    return folder / name


@pytest.mark.parametrize(
    "data", [b"", b"\x00" * 100, b"not arrow at all " * 99, b"\xff\xff\xff\xff" * 64, b"\xff" * 7]
)
def test_garbage_is_named_once_and_costs_no_neighbour(
    tmp_path: Path, data: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with Journal(str(tmp_path), "w") as journal:
        journal.append(answers(1))
    put(tmp_path, "garbage.arrow", data)
    with caplog.at_level(logging.WARNING):
        reader = Journal(str(tmp_path))
        reader.refresh()
    assert reader.lookup([key_of(1)]) == {key_of(1): answer(1)}
    # An empty file holds nothing that could be lost.
    expected = ["garbage.arrow"] if data else []
    assert [r.message.split("/")[-1].split(":")[0] for r in caplog.records] == expected


def test_a_file_of_a_newer_version_is_an_error(tmp_path: Path) -> None:
    newer = schemas.RESPONSES.with_metadata({"ifbench.table": "responses", "ifbench.version": "2"})
    put(tmp_path, "newer.arrow", newer.serialize().to_pybytes())
    with pytest.raises(StoreError, match=r"newer\.arrow: `responses` has schema version 2"):
        Journal(str(tmp_path))


def test_an_unreadable_part_is_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "responses" / "parts"
    folder.mkdir(parents=True)
    (folder / "p.parquet").write_bytes(b"PAR1 and nothing more")
    with pytest.raises(StoreError, match=r"p\.parquet: the part cannot be read"):
        Journal(str(tmp_path))


def test_a_file_that_is_deleted_under_its_writer_stops_the_writer(tmp_path: Path) -> None:
    with Journal(str(tmp_path), "w") as journal:
        journal.append(answers(1))
        (tmp_path / "responses" / "journal" / "w.arrow").unlink()
        with pytest.raises(StoreError, match="was deleted while it was written"):
            journal.append(answers(2))
        with pytest.raises(StoreError, match="can no longer be stored"):
            journal.append(answers(3))


@pytest.mark.parametrize("uri", ["", "nowhere://x/y", "s3://"])
def test_a_location_that_is_none_is_a_clear_error(uri: str) -> None:
    with pytest.raises(StoreError):
        Journal(uri)


def test_answers_that_nobody_stands_and_waits_for_share_commits(tmp_path: Path) -> None:
    began = time.monotonic()
    with Journal(str(tmp_path)) as journal:
        written = []
        for number in range(60):
            written.append(journal.append_soon(answer(number)))
            time.sleep(0.001)
        for one in written:
            one.result(10)
        seconds = time.monotonic() - began
    (file,) = (tmp_path / "responses" / "journal").glob("*.arrow")
    with pa.ipc.open_stream(file.read_bytes()) as stream:
        commits = sum(1 for _ in stream)
    assert commits <= seconds / LINGER_S + 2
    assert len(Journal(str(tmp_path))) == 60
