from __future__ import annotations

import gzip
import hashlib
import json
import re
import time
from dataclasses import replace
from pathlib import Path

import pytest

from factories import make_sample
from ifbench.benchmarks.json_lines import parse_strict
from ifbench.benchmarks.records import (
    FORMAT,
    dataset_sha256,
    load_records,
    save_records,
)
from ifbench.constraints import all_constraints
from ifbench.errors import DatasetError
from ifbench.types import ChecklistItem, Media, Sample, Task, UnboundParams

PICTURE = b"no real picture, but bytes with a hash"


def record(**changes):
    """A sound record; `None` takes a key out."""
    fields = {
        "format": FORMAT,
        "id": "a",
        "benchmark": "scimif",
        "instruction": "How heavy is it? Put the answer into a box.",
        "checklist": [{"constraint": "general:wrap_up", "params": {"count": 1}}],
        "facets": {"discipline": "physics"},
    }
    return {key: value for key, value in {**fields, **changes}.items() if value is not None}


def write(folder: Path, *records, name="data.jsonl") -> Path:
    path = folder / name
    lines = [r if isinstance(r, str) else json.dumps(r) for r in records]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def refusal(path: Path) -> str:
    with pytest.raises(DatasetError) as error:
        list(load_records(path))
    return str(error.value)


# ── What a record becomes ────────────────────────────────────────────────────────────


def test_params_become_the_constraints_own_type(tmp_path):
    (sample,) = load_records(write(tmp_path, record()))
    params_type = all_constraints()["general:wrap_up"].params
    assert sample.checklist[0].params == params_type(count=1)


def test_derived_facets_are_filled_in(tmp_path):
    (sample,) = load_records(write(tmp_path, record()))
    assert sample.facets == {
        "discipline": "physics",
        "benchmark": "scimif",
        "modality": "text",
        "n_constraints": "1",
        "question": sample.facets["question"],
    }


def test_samples_of_one_question_share_its_name_and_a_given_name_stays(tmp_path):
    alike = {"original_instruction": "How much?", "checklist": []}
    lines = [
        record(id="a", instruction="How much? In lower case.", **alike),
        record(id="b", instruction="How much? In a box.", **alike),
        record(id="c", instruction="How many?", original_instruction="How many?"),
        record(id="d", instruction="How many?", facets={"question": "mine"}),
    ]
    names = [s.facets["question"] for s in load_records(write(tmp_path, *lines))]
    assert names[0] == names[1] != names[2]
    assert names[3] == "mine"


def test_media_get_an_absolute_path_and_their_hash(tmp_path):
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "a b.png").write_bytes(PICTURE)
    path = write(
        tmp_path,
        record(instruction="See <image>", media=[{"kind": "image", "uri": "pictures/a b.png"}]),
    )
    (sample,) = load_records(path)
    assert sample.media == (
        Media(
            kind="image",
            uri=str(tmp_path / "pictures" / "a b.png"),
            sha256=hashlib.sha256(PICTURE).hexdigest(),
        ),
    )
    assert sample.facets["modality"] == "multimodal"


def test_a_remote_medium_is_taken_at_its_word(tmp_path):
    media = [{"kind": "image", "uri": "s3://bucket/a.png", "sha256": "0" * 64}]
    (sample,) = load_records(write(tmp_path, record(media=media)))
    assert sample.media[0].uri == "s3://bucket/a.png"


def test_one_constraint_may_stand_twice(tmp_path):
    item = {"constraint": "general:wrap_up"}
    (sample,) = load_records(write(tmp_path, record(checklist=[item, item])))
    assert len(sample.checklist) == 2


# ── Round trip ───────────────────────────────────────────────────────────────────────


def full_sample(folder: Path) -> Sample:
    picture = folder / "a.png"
    picture.write_bytes(PICTURE)
    box = all_constraints()["general:wrap_up"].params
    json_object = all_constraints()["general:json_constraint"].params
    return Sample(
        id="x/1",
        benchmark="scimif",
        instruction="Ünïcode <image> \u2028 and\nlines",
        original_instruction="Ünïcode",
        active_instruction="the branch",
        media=(
            Media(kind="image", uri=str(picture), sha256=hashlib.sha256(PICTURE).hexdigest()),
            Media(kind="audio", uri="s3://b/c.wav", sha256="1" * 64),
        ),
        checklist=(
            ChecklistItem(constraint_id="general:wrap_up", params=box(count=2), scope="answer"),
            ChecklistItem(
                constraint_id="general:json_constraint",
                params=json_object.model_validate(
                    {"required_keys": ["a"], "schema": {"type": "object"}}
                ),
                origin="original",
                scope=0,
                question="Is it JSON?",
                evidence="Nothing.",
            ),
            ChecklistItem(
                constraint_id="physics:unit_consistency",
                params=UnboundParams(raw="nm", reason="no verifier"),
                origin="scientific",
            ),
        ),
        tasks=(Task(name="Count", description="how many"),),
        reference={"value": [1.5, None, "x"]},
        facets={
            "benchmark": "scimif",
            "modality": "multimodal",
            "n_constraints": "3",
            "discipline": "physics",
            "question": "x",
        },
        provenance={"by": "test"},
    )


def test_saving_and_loading_gives_the_same_sample(tmp_path):
    sample = full_sample(tmp_path)
    (tmp_path / "out").mkdir()
    path = tmp_path / "out" / "data.jsonl"
    assert save_records([sample], path) == 1
    assert list(load_records(path)) == [sample]


def with_raw(sample, *texts):
    items = zip(sample.checklist, texts, strict=True)
    return replace(sample, checklist=tuple(replace(item, raw=text) for item, text in items))


def test_the_parameters_own_words_are_saved_letter_by_letter(tmp_path):
    sample = with_raw(full_sample(tmp_path), " a box\n", "", "nm ")
    save_records([sample], tmp_path / "data.jsonl")
    assert list(load_records(tmp_path / "data.jsonl")) == [sample]


def test_a_record_without_the_parameters_words_is_written_as_ever(tmp_path):
    save_records([full_sample(tmp_path)], tmp_path / "data.jsonl")
    line = json.loads((tmp_path / "data.jsonl").read_text(encoding="utf-8"))
    assert not any("raw" in item for item in line["checklist"])


def test_an_unbound_item_of_an_older_file_still_has_its_words(tmp_path):
    box, _, unit = full_sample(tmp_path).checklist
    assert (box.parameter_text, unit.parameter_text) == ("", "nm")
    assert replace(unit, raw="nanometers (nm)").parameter_text == "nanometers (nm)"


def test_saving_twice_gives_the_same_bytes(tmp_path):
    save_records([full_sample(tmp_path)], tmp_path / "one.jsonl")
    save_records(load_records(tmp_path / "one.jsonl"), tmp_path / "two.jsonl")
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()


def test_saved_media_are_relative_to_the_file(tmp_path):
    (tmp_path / "out").mkdir()
    save_records([full_sample(tmp_path)], tmp_path / "out" / "data.jsonl")
    line = json.loads((tmp_path / "out" / "data.jsonl").read_text(encoding="utf-8"))
    assert line["media"][0]["uri"] == "../a.png"


def test_a_save_that_breaks_off_leaves_the_old_file(tmp_path):
    def broken():
        yield full_sample(tmp_path)
        raise RuntimeError

    path = tmp_path / "data.jsonl"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(RuntimeError):
        save_records(broken(), path)
    assert path.read_text(encoding="utf-8") == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.png", "data.jsonl"]


# ── Files as people make them ────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff{0}\n",
        "{0}\r\n",
        "\n\n  \n{0}\n\n",
        "{0}",
    ],
    ids=["byte-order mark", "CRLF", "blank lines", "no last line end"],
)
def test_harmless_forms_of_a_file_are_read(tmp_path, text):
    path = tmp_path / "data.jsonl"
    path.write_bytes(text.replace("{0}", json.dumps(record())).encode("utf-8"))
    assert [sample.id for sample in load_records(path)] == ["a"]


def test_a_gz_file_is_unpacked(tmp_path):
    path = tmp_path / "data.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(record()).encode()))
    assert [sample.id for sample in load_records(path)] == ["a"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"[\n{}\n]", "this is a JSON array; one object a line is expected"),
        (b"", "the file holds no record"),
        (b"\n  \n", "the file holds no record"),
        ("{}".encode("utf-16"), " line 1, byte 1: the file is UTF-16; save it as UTF-8"),
        ("{}".encode("utf-32"), " line 1, byte 1: the file is UTF-32; save it as UTF-8"),
        ("{}".encode("utf-16-le"), " line 1, byte 2 is 0: UTF-8 is expected"),
        ("{}".encode("utf-16-be"), " line 1, byte 1 is 0: UTF-8 is expected"),
        (b"PAR1...", "this is a Parquet file"),
        (b'{\n"id": 1\n}', "line 1: no JSON at character 3"),
        (b'{"id": "\xff"}', "line 1: byte 9 is no UTF-8 (0xff); save the file as UTF-8"),
        (b'"text"', "line 1: an object is expected, found str"),
        (b'{"reference": NaN}', "`NaN` is no JSON number"),
        (b'{"id": "a", "id": "b"}', "the key `id` stands twice in one object"),
        (b'{"id": "\\ud800"}', "half of a surrogate pair"),
        (b"[" * 100_000, "this is a JSON array"),
        (b'{"a":' * 100_000, "line 1: "),
    ],
)
def test_other_files_are_named_for_what_they_are(tmp_path, content, expected):
    path = tmp_path / "data.jsonl"
    path.write_bytes(content)
    message = refusal(path)
    assert str(path) in message
    assert expected in message


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    assert "cannot be read: No such file" in refusal(tmp_path / "none.jsonl")
    assert "a folder; a file of records is expected" in refusal(tmp_path)


def test_a_gz_file_that_is_cut_off_is_refused(tmp_path):
    path = tmp_path / "data.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(record()).encode())[:-12])
    assert "cannot be read" in refusal(path)


# ── Defects ──────────────────────────────────────────────────────────────────────────

ITEM = "general:wrap_up"

DEFECTS = [
    ({"format": None}, "the key `format` is missing; `ifbench/1` is expected"),
    ({"format": "ifbench/2"}, "`ifbench/2` was written by a newer ifbench; this one reads up to"),
    ({"format": "ifbench/0"}, "format: `ifbench/1` is expected, found 'ifbench/0'"),
    ({"format": 1}, "format: `ifbench/1` is expected, found 1"),
    ({"id": None}, "the key `id` is missing"),
    ({"id": " "}, 'id: a text that is not empty is expected, found " "'),
    ({"id": ""}, 'id: a text that is not empty is expected, found ""'),
    ({"id": 7}, "id: a text is expected, found 7"),
    ({"instruction": ""}, "instruction: "),
    ({"refrence": 1}, "unknown key `refrence`; did you mean `reference`?"),
    ({"zzz": 1}, "unknown key `zzz`; known: format, id"),
    ({"facets": {"depth": 3}}, "facets.depth: a text is expected, found 3"),
    ({"facets": {"n_constraints": "9"}}, "facets.n_constraints: found `9`, the record has 1"),
    (
        {"checklist": [{"constraint": "general:wrapup"}]},
        "checklist[0]: unknown constraint `general:wrapup`; did you mean `general:wrap_up`",
    ),
    (
        {"checklist": [{"constraint": ITEM}, {"constraint": ITEM, "params": {"coutn": 1}}]},
        "checklist[1]: general:wrap_up: unknown key `coutn`; did you mean `count`?",
    ),
    (
        {"checklist": [{"constraint": ITEM, "params": {"count": "2"}}]},
        'general:wrap_up: count: Input should be a valid integer, found "2"',
    ),
    (
        {"checklist": [{"constraint": ITEM, "params": {"count": True}}]},
        "general:wrap_up: count: Input should be a valid integer, found true",
    ),
    (
        {"checklist": [{"constraint": ITEM, "params": {"count": 0}}]},
        "general:wrap_up: count: Input should be greater than or equal to 1, found 0",
    ),
    (
        {"checklist": [{"constraint": ITEM, "param": {}}]},
        "checklist[0]: unknown key `param`; did you mean `params`?",
    ),
    ({"checklist": [{"constraint": ITEM, "origin": "llm"}]}, "checklist[0].origin: "),
    ({"checklist": [{"constraint": ITEM, "scope": "all"}]}, "checklist[0].scope: "),
    (
        {"checklist": [{"constraint": ITEM, "scope": 1}], "tasks": [{"name": "one"}]},
        "checklist[0].scope: there is no task 1; the record has 1 tasks, counted from 0",
    ),
    (
        {
            "checklist": [
                {"constraint": ITEM, "params": {"count": 1}, "unbound": {"raw": "", "reason": ""}}
            ]
        },
        "checklist[0]: `params` and `unbound` exclude each other",
    ),
    ({"media": [{"kind": "image", "uri": "none.png"}]}, "media[0]: "),
    (
        {"media": [{"kind": "image", "uri": "a.png", "sha256": "0" * 64}]},
        f"has the SHA-256 {hashlib.sha256(PICTURE).hexdigest()}, the record says {'0' * 64}",
    ),
    ({"media": [{"kind": "image", "uri": "s3://x/a.png"}]}, "its `sha256` must be given"),
    ({"media": [{"kind": "picture", "uri": "a.png"}]}, "media[0].kind: "),
    ({"instruction": "See <image>."}, "instruction: "),
    (
        {"instruction": "<image> <image>", "media": [{"kind": "image", "uri": "a.png"}]},
        "instruction: ",
    ),
]


@pytest.mark.parametrize(("changes", "expected"), DEFECTS)
def test_a_defect_is_named_with_file_line_and_key(tmp_path, changes, expected):
    (tmp_path / "a.png").write_bytes(PICTURE)
    path = write(tmp_path, record(id="good"), record(**changes))
    message = refusal(path)
    assert message.startswith(f"{path} line 2: ")
    assert expected in message


def test_an_id_that_is_null_is_told_in_words(tmp_path):
    line = json.dumps({**record(), "id": None})
    (tmp_path / "data.jsonl").write_text(line + "\n")
    path = tmp_path / "data.jsonl"
    assert refusal(path) == f"{path} line 1: id: a text is expected, found null"


def test_a_repeated_id_names_both_lines(tmp_path):
    path = write(tmp_path, record(), record(id="b"), record())
    assert refusal(path) == f"{path} line 3: the id `a` stands on line 1 already"


def test_an_id_may_stand_again_where_the_first_line_was_unsound(tmp_path):
    path = write(tmp_path, record(benchmark=None), record())
    assert refusal(path) == f"{path} line 1: the key `benchmark` is missing"


def test_all_defects_are_reported_at_once(tmp_path):
    path = write(tmp_path, record(id=None, zzz=1), record(), "{", record(id="b", benchmark=None))
    message = refusal(path)
    assert message.splitlines()[0] == "4 defects:"
    assert re.findall(r"line (\d+)", message) == ["1", "1", "3", "4"]


def test_only_twenty_defects_are_spelled_out(tmp_path):
    path = write(tmp_path, *[record(id=None) for _ in range(30)])
    lines = refusal(path).splitlines()
    assert lines[0] == "30 defects; the first 20:"
    assert len(lines) == 21


def test_no_sample_comes_out_of_a_file_with_a_defect_at_its_end(tmp_path):
    path = write(tmp_path, record(), record(id=None))
    with pytest.raises(DatasetError):
        load_records(path)


# ── Hashes ───────────────────────────────────────────────────────────────────────────


def test_the_hash_of_a_data_set_knows_no_place_and_no_order(tmp_path):
    sample = full_sample(tmp_path)
    other = replace(sample, id="x/2", media=())
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    moved_sample = replace(full_sample(moved), provenance=sample.provenance, facets=sample.facets)
    assert dataset_sha256([sample, other]) == dataset_sha256([other, moved_sample])


HASH_OF_300 = "a90c34f2f47c81b9844c39b4b12a5ab258a1c6248bc85588d19b169d8bf831e5"


def test_the_hash_of_a_data_set_is_what_it_was():
    """Run ids rest on it."""
    samples = [make_sample(f"s{number}") for number in range(300)]
    assert dataset_sha256(samples) == HASH_OF_300


def test_the_hash_of_a_data_set_sees_every_change(tmp_path):
    sample = full_sample(tmp_path)
    changed = [
        replace(sample, instruction="other <image>"),
        replace(sample, reference=None),
        replace(sample, checklist=sample.checklist[:2]),
        replace(sample, media=(replace(sample.media[0], sha256="2" * 64), sample.media[1])),
        with_raw(sample, "", "", "nm"),  # It decides under `rules=release`.
    ]
    assert len({dataset_sha256([s]) for s in (sample, *changed)}) == 6


# ── Documentation ────────────────────────────────────────────────────────────────────

DOCS = Path(__file__).parents[2] / "docs" / "records.md"


def test_the_documented_example_loads_and_names_every_field(tmp_path):
    example = re.search(r"```json\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    fields = json.loads(example[1])
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "plate.png").write_bytes(PICTURE)
    (sample,) = load_records(write(tmp_path, fields))
    save_records([sample], tmp_path / "saved.jsonl")
    saved = json.loads((tmp_path / "saved.jsonl").read_text(encoding="utf-8"))
    assert list(saved) == list(fields)
    assert [list(item) for item in saved["checklist"]] == [list(i) for i in fields["checklist"]]


def test_the_documentation_names_the_version_that_is_written():
    assert f"| `{FORMAT}` |" in DOCS.read_text(encoding="utf-8")


def test_a_key_that_stands_twice_among_many_is_found_in_little_time():
    words = ",".join(f'"k{number}": 1' for number in range(60_000))
    start = time.process_time()
    with pytest.raises(ValueError, match="the key `k5` stands twice"):
        parse_strict(f'{{{words}, "k5": 2}}')
    assert time.process_time() - start < 2
