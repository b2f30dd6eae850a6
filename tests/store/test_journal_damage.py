"""Damage costs the rows that it hits: every cut and every flipped bit of a small file."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pyarrow as pa
import pytest
from store_values import answer, answers, key_of

from ifbench import schemas
from ifbench.store.journal import Journal
from ifbench.store.location import resolve
from ifbench.store.stream_file import END_OF_STREAM, StreamFile
from ifbench.types import Response

ROWS = {number: answer(number, f"text {number} " * 3) for number in range(3)}
BATCHES = [(0,), (1, 2)]


@pytest.fixture
def whole(tmp_path: Path) -> bytes:
    """A sealed file of two batches."""
    with Journal(str(tmp_path / "origin"), "w") as journal:
        for batch in BATCHES:
            journal.append([ROWS[number] for number in batch])
    return (tmp_path / "origin/responses/journal/w.arrow").read_bytes()


def batch_ends(data: bytes) -> list[int]:
    """Where each message ends: the schema, then the batches."""
    source = pa.BufferReader(data)
    ends = []
    while data[source.tell() : source.tell() + 8] != END_OF_STREAM:
        pa.ipc.read_message(source)
        ends.append(source.tell())
    return ends


def read(folder: Path, data: bytes) -> dict[str, Response]:
    """What a journal finds in a store whose only file holds these bytes."""
    path = folder / "responses" / "journal" / "w.arrow"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return dict(Journal(str(folder)).lookup([response.key for response in ROWS.values()]))


def scan(data: bytes, folder: Path) -> tuple[dict[str, Response], list[str]]:
    """The sound rows of a file with these bytes, and why others are lost."""
    (folder / "w.arrow").write_bytes(data)
    file = StreamFile(resolve(str(folder)), "w.arrow")
    _, damages = file.scan()
    found = [schemas.row_to_response(row) for _, row in file.read(range(file.rows)) if row]
    return {response.key: response for response in found}, [d.reason for d in damages]


def test_a_file_that_is_cut_anywhere_is_read_to_its_last_whole_batch(
    tmp_path: Path, whole: bytes
) -> None:
    ends = batch_ends(whole)
    assert len(whole) == ends[-1] + 8
    for cut in range(len(whole)):
        found, damages = scan(whole[:cut], tmp_path)
        batches = [batch for batch, end in zip(BATCHES, ends[1:], strict=True) if end <= cut]
        assert found == {ROWS[n].key: ROWS[n] for batch in batches for n in batch}, cut
        assert len(damages) == (cut not in (0, *ends)), cut


def test_a_flipped_bit_costs_at_most_its_batch_and_never_changes_an_answer(
    tmp_path: Path, whole: bytes
) -> None:
    ends = batch_ends(whole)
    for at in range(ends[0], len(whole)):
        damaged = bytearray(whole)
        damaged[at] ^= 1 << (at % 8)
        found, _ = scan(bytes(damaged), tmp_path)
        hit = next((b for b, end in zip(BATCHES, ends[1:], strict=True) if at < end), ())
        for number, response in ROWS.items():
            if response.key in found or number not in hit:
                assert found[response.key] == response, at


@pytest.mark.parametrize("message", [0, 1])
def test_a_torn_file_is_named_once_and_costs_no_neighbour(
    tmp_path: Path, whole: bytes, caplog: pytest.LogCaptureFixture, message: int
) -> None:
    store = tmp_path / "store"
    with Journal(str(store), "x") as other:
        other.append(answers("neighbour"))
    with caplog.at_level(logging.WARNING):
        found = read(store, whole[: batch_ends(whole)[message] + 100])
        journal = Journal(str(store))
        journal.refresh()
    assert len(found) == [0, 1][message]
    assert journal.stored([key_of("neighbour")])
    named = [record.message for record in caplog.records]
    assert len(named) == 1  # By the first of the two journals.
    assert all("w.arrow" in line and "cut off" in line for line in named)


def test_a_flipped_bit_in_the_text_costs_that_row_alone_and_is_named(
    tmp_path: Path, whole: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    at = whole.index(b"text 2")
    for mask in (0x01, 0x80):  # Another letter, and a byte that is no UTF-8.
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            found = read(
                tmp_path / f"{mask}", whole[:at] + bytes([whole[at] ^ mask]) + whole[at + 1 :]
            )
        assert set(found) == {key_of(n) for n in (0, 1)}
        assert ["w.arrow" in record.message for record in caplog.records] == [True]


def test_a_damaged_frame_is_named_and_the_batches_behind_it_are_read(
    tmp_path: Path, whole: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    start = batch_ends(whole)[0]
    with caplog.at_level(logging.WARNING):
        found = read(tmp_path / "store", whole[:start] + os.urandom(16) + whole[start + 16 :])
    assert set(found) == {key_of(n) for n in (1, 2)}
    assert [f"byte {start}" in record.message for record in caplog.records] == [True]


def test_a_process_that_opens_a_store_again_and_again_is_told_of_its_damage_once(
    tmp_path: Path, whole: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    at = whole.index(b"text 2")
    with caplog.at_level(logging.WARNING):
        read(tmp_path, whole[:at] + b"T" + whole[at + 1 : -20])  # A wrong sum, and a lost end.
        told = len(caplog.records)
        for _ in range(3):
            Journal(str(tmp_path)).lookup([key_of(2)])
    assert len(caplog.records) == told > 0


def test_a_damaged_answer_gives_way_to_a_sound_one_under_its_key(
    tmp_path: Path, whole: bytes
) -> None:
    at = whole.index(b"text 2")
    with Journal(str(tmp_path / "store"), "x") as other:
        other.append([answer(2, "again")])
    found = read(tmp_path / "store", whole[:at] + b"T" + whole[at + 1 :])
    assert found[key_of(2)].text == "again"


def test_what_a_living_writer_has_half_written_is_no_damage(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Journal(str(tmp_path), "w") as journal, caplog.at_level(logging.WARNING):
        journal.append(answers(1))
        path = tmp_path / "responses" / "journal" / "w.arrow"
        before = path.read_bytes()
        with path.open("ab") as half:
            half.write(before[:40])
        reader = Journal(str(tmp_path))
        assert reader.stored([key_of(1)]) == {key_of(1)}
        os.truncate(path, len(before))
        journal.append(answers(2))
        reader.refresh()
        assert reader.stored([key_of(1), key_of(2)]) == {key_of(1), key_of(2)}
    assert caplog.records == []
