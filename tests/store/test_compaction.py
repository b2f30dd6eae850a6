"""Compaction keeps every answer, whatever interrupts it, and leaves living writers alone."""

from __future__ import annotations

import itertools
import logging
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from store_values import answer, answers, key_of, objects

from factories import make_failure
from ifbench.errors import StoreError
from ifbench.store import Store
from ifbench.store.compaction import compact
from ifbench.store.journal import Journal
from ifbench.store.location import Location, lock, resolve
from ifbench.types import FailureKind, Response


@pytest.fixture(params=["local", "objects"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Location:
    return resolve(str(tmp_path / "store")) if request.param == "local" else objects(tmp_path)


def write(place: Location, writer: str, *responses: Response) -> None:
    with Journal(place, writer) as journal:
        journal.append(responses)


def files(place: Location) -> tuple[int, int]:
    """The numbers of journal files and of parts."""
    responses = place.child("responses")
    return len(responses.child("journal").files()), len(responses.child("parts").files())


def contents(place: Location, *numbers: object) -> dict[object, str]:
    found = Journal(place).lookup(map(key_of, numbers))
    return {n: found[key_of(n)].text for n in numbers if key_of(n) in found}


def test_many_files_become_one_part_with_every_answer(place: Location) -> None:
    refusal = make_failure(FailureKind.REFUSAL, key=key_of("refusal"))
    for number in range(20):
        write(place, f"w{number:02}", *answers(number, f"second {number}"))
    write(place, "x", refusal, answer("odd", "\ud83d\x10 and \x00"))
    done = compact(place)
    assert (done.merged, done.parts, done.rows, done.damaged) == (21, 1, 42, 0)
    assert files(place) == (0, 1)
    journal = Journal(place)
    assert len(journal) == 42
    assert journal.lookup([refusal.key])[refusal.key] == refusal
    assert contents(place, 7, "second 19", "odd") == {
        7: "answer 7",
        "second 19": "answer second 19",
        "odd": "\ud83d\x10 and \x00",
    }


def test_nothing_to_do_changes_nothing(place: Location) -> None:
    assert compact(place).merged == 0
    write(place, "a", *answers(1))
    compact(place)
    before = place.child("responses", "parts").files()
    assert compact(place).merged == 0
    assert place.child("responses", "parts").files() == before


def test_the_first_answer_still_counts_after_compaction(place: Location) -> None:
    write(place, "b", answer(1, "late"))
    compact(place)
    write(place, "a", answer(1, "first"), answer(1, "second"))
    assert contents(place, 1) == {1: "first"}
    compact(place)
    assert contents(place, 1) == {1: "first"}
    assert len(Journal(place)) == 1


def test_parts_are_sorted_by_key_and_hold_each_key_once(tmp_path: Path) -> None:
    place = resolve(str(tmp_path))
    for writer in "abc":
        write(place, writer, *answers(*range(300)))
    compact(place)
    (name,) = place.child("responses", "parts").files()
    keys = pq.read_table(place.child("responses", "parts").file(name))["key"].to_pylist()
    assert keys == sorted({key_of(n) for n in range(300)})


def test_large_stores_are_split_and_large_parts_left_alone(place: Location) -> None:
    texts = {n: f"{n} " * 300 for n in range(400)}
    write(place, "a", *(answer(n, text) for n, text in texts.items()))
    first = compact(place, size=100_000)
    assert first.parts > 2
    before = place.child("responses", "parts").files()
    write(place, "b", answer(3, "later"), answer("new"))
    second = compact(place, size=100_000)
    assert second.rows < 100
    after = place.child("responses", "parts").files()
    assert len(before.keys() & after.keys()) >= len(before) - 1
    assert contents(place, *texts) == texts
    assert len(Journal(place)) == 401


class Killed(BaseException):
    """Stands for a kill: nobody catches it."""


def killer(steps: int) -> Callable[[str], None]:
    """Lets a number of steps happen and then ends the compaction."""
    left = [steps]

    def before(name: str) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise Killed(name)

    return before


def test_a_kill_between_any_two_steps_loses_nothing_and_a_rerun_finishes(place: Location) -> None:
    numbers = range(4)
    expected = {n: f"answer {n}" for n in numbers}
    for number in numbers:
        write(place, f"w{number}", *answers(number))
    kills = 0
    for steps in itertools.count():
        try:
            compact(place, size=5_000, before=killer(steps))
        except Killed:
            kills += 1
            assert contents(place, *numbers) == expected
            continue
        break
    assert kills > 5
    assert contents(place, *numbers) == expected
    assert files(place)[0] == 0
    assert len(Journal(place)) == 4


def test_what_a_killed_compaction_published_is_not_kept_twice(place: Location) -> None:
    write(place, "a", *(answer(n, "x" * 1000) for n in range(100)))

    def before(name: str) -> None:
        if name == "delete":
            raise Killed(name)

    with pytest.raises(Killed):
        compact(place, size=50_000, before=before)
    assert len(Journal(place)) == 200
    compact(place, size=50_000)
    assert len(Journal(place)) == 100


def test_a_process_that_is_killed_in_the_middle_loses_nothing(tmp_path: Path) -> None:
    place = resolve(str(tmp_path))
    for number in range(30):
        write(place, f"w{number}", *answers(number))
    code = f"""
import os, signal
from ifbench.store.compaction import compact
left = 10
def before(name):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
compact({str(tmp_path)!r}, before=before)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    assert len(contents(place, *range(30))) == 30
    compact(place)
    assert contents(place, *range(30)) == {n: f"answer {n}" for n in range(30)}
    assert files(place) == (0, 1)


def test_the_file_of_a_living_writer_is_left_alone(tmp_path: Path) -> None:
    place = resolve(str(tmp_path))
    write(place, "ended", *answers(1))
    with Journal(place, "living") as journal:
        journal.append(answers(2))
        assert compact(place).merged == 1
        assert list(place.child("responses", "journal").files()) == ["living.arrow"]
        journal.append(answers(3))
    assert compact(place).merged == 2
    assert contents(place, 1, 2, 3) == {n: f"answer {n}" for n in (1, 2, 3)}


def test_an_unsealed_object_is_left_alone_until_it_is_old(tmp_path: Path) -> None:
    place = objects(tmp_path)
    write(place, "a", *answers(1))
    (path,) = (tmp_path / "store/responses/journal").iterdir()
    path.write_bytes(path.read_bytes()[:-8])
    assert compact(place).merged == 0
    os.utime(path, (0, 0))
    assert compact(place).merged == 1
    assert contents(place, 1) == {1: "answer 1"}


def test_damaged_files_are_moved_aside_and_their_sound_rows_kept(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    place = resolve(str(tmp_path))
    write(place, "sound", *answers(0))
    write(place, "flipped", *answers(1, 2))
    write(place, "torn", *answers(3))
    folder = tmp_path / "responses" / "journal"
    data = (folder / "flipped.arrow").read_bytes()
    (folder / "flipped.arrow").write_bytes(data.replace(b"answer 2", b"answer!2"))
    (folder / "torn.arrow").write_bytes((folder / "torn.arrow").read_bytes()[:-20])
    (folder / "garbage.arrow").write_bytes(b"garbage")
    with caplog.at_level(logging.WARNING):
        done = compact(place)
    assert done.damaged == 3
    assert contents(place, *range(4)) == {0: "answer 0", 1: "answer 1"}
    assert sorted(place.child("responses", "damaged").files()) == [
        "flipped.arrow",
        "garbage.arrow",
        "torn.arrow",
    ]
    for name in ("flipped", "torn", "garbage"):
        assert any(f"{name}.arrow" in record.message for record in caplog.records)


def test_a_reader_that_was_open_before_finds_everything_afterwards(place: Location) -> None:
    for number in range(10):
        write(place, f"w{number}", *answers(number))
    reader = Journal(place)
    compact(place)
    found = reader.lookup(map(key_of, range(10)))
    assert {response.text for response in found.values()} == {f"answer {n}" for n in range(10)}
    assert len(reader) == 10


def test_readers_and_writers_go_on_while_compaction_runs(place: Location) -> None:
    numbers = range(40)
    errors: list[BaseException] = []

    def compact_often() -> None:
        try:
            while not is_done.is_set():
                compact(place)
        except BaseException as error:
            errors.append(error)

    is_done = threading.Event()
    thread = threading.Thread(target=compact_often)
    thread.start()
    reader = Journal(place)
    for number in numbers:
        write(place, f"w{number}", *answers(number))
        reader.refresh()
        wanted = random.sample(range(number + 1), min(number + 1, 5))
        assert len(reader.lookup(map(key_of, wanted))) == len(wanted)
    is_done.set()
    thread.join()
    assert errors == []
    assert len(contents(place, *numbers)) == 40


def test_two_compactions_do_not_run_at_once_where_locks_are(tmp_path: Path) -> None:
    write(resolve(str(tmp_path)), "a", *answers(1))
    handle = os.open(tmp_path / "responses" / ".compaction.lock", os.O_RDWR | os.O_CREAT)
    try:
        assert lock(handle)
        with pytest.raises(StoreError, match="another compaction is at work"):
            compact(str(tmp_path))
    finally:
        os.close(handle)
    assert compact(str(tmp_path)).merged == 1


def test_a_flipped_bit_in_a_part_never_changes_an_answer(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    place = resolve(str(tmp_path))
    rng = random.Random(7)
    texts = {n: rng.randbytes(200).hex() for n in range(4)}
    write(place, "a", *(answer(n, text) for n, text in texts.items()))
    compact(place)
    (path,) = (tmp_path / "responses" / "parts").iterdir()
    whole = path.read_bytes()
    lost = 0
    for at in range(4, len(whole) - 8, 29):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
        try:
            found = contents(place, *texts)
        except StoreError:
            continue
        assert found.items() <= texts.items(), at
        lost += len(found) < len(texts)
    assert lost > 10
    assert any(path.name in record.message for record in caplog.records)


def test_a_store_is_tidied_once_its_journal_has_many_files(tmp_path):
    store = Store(str(tmp_path))
    for number in range(3):
        with Journal(str(tmp_path)) as journal:
            journal.append([answer(number)])
    assert store.tidy(files=4) is None
    assert store.tidy(files=3).merged == 3
    assert len(Store(str(tmp_path)).journal) == 3
