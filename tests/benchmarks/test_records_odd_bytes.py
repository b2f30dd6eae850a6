"""Bytes that no record should hold are defects with their line, never a traceback."""

from __future__ import annotations

import gzip
import json

import pytest

from ifbench.benchmarks.records import load_records
from ifbench.errors import DatasetError

RECORD = {
    "format": "ifbench/1",
    "id": "a",
    "benchmark": "scimif",
    "instruction": "x",
    "checklist": [{"constraint": "general:all_lowercase"}],
}


def write(path, record) -> None:
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"benchmark": "other"}, "benchmark"),
        ({"media": [{"kind": "image", "uri": "\u0000.png"}]}, "null"),
    ],
)
def test_a_record_that_would_break_later_is_refused(tmp_path, change, words):
    path = tmp_path / "r.jsonl"
    write(path, {**RECORD, **change})
    with pytest.raises(DatasetError, match=words):
        list(load_records(path))


def test_a_number_that_overflows_is_refused(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps(RECORD)[:-1] + ', "reference": 1e999}\n', encoding="utf-8")
    with pytest.raises(DatasetError, match="1e999"):
        list(load_records(path))


def test_a_damaged_gz_file_is_refused(tmp_path):
    path = tmp_path / "r.jsonl.gz"
    data = bytearray(gzip.compress((json.dumps(RECORD) + "\n").encode() * 50))
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(DatasetError, match="cannot be read"):
        list(load_records(path))
