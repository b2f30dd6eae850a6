from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from ifbench.benchmarks.records import load_records, save_records
from ifbench.benchmarks.scimif.sources import SOURCES, from_source
from ifbench.benchmarks.scimif.sources.compatibility import clash
from ifbench.benchmarks.scimif.taxonomy import category_of
from ifbench.errors import ConfigError, DatasetError

SHARED = Path(os.environ.get("IFBENCH_SHARED") or Path(__file__).parents[5] / "shared")
REAL = SHARED / "data" / "sources"
NEEDS_REAL = pytest.mark.skipif(
    not REAL.is_dir(), reason=f"the real files are not at {REAL} (IFBENCH_SHARED names their place)"
)


@pytest.fixture
def invented(tmp_path) -> Path:
    """Twelve invented records in the shape of Mol-Instructions."""
    records = [
        {
            "instruction": f"Does compound {i} cause hiccups?",
            "input": "",
            "output": "Yes, it does.",
            "metadata": {"task": "True or False Question"},
        }
        for i in range(12)
    ]
    path = tmp_path / "invented.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


def test_a_sample_holds_the_question_and_a_sentence_for_each_constraint(invented):
    for sample in from_source("mol_instructions", invented):
        question, _, demands = sample.instruction.partition("\n\n")
        assert question == sample.original_instruction
        assert demands.count(".") >= len(sample.checklist) >= 1
        assert sample.facets["n_constraints"] == str(len(sample.checklist))
        assert {item.origin for item in sample.checklist} == {"general"}


def test_samples_repeat_under_one_seed_and_differ_under_another(invented):
    first = list(from_source("mol_instructions", invented, seed=1))
    assert first == list(from_source("mol_instructions", invented, seed=1))
    assert first != list(from_source("mol_instructions", invented, seed=2))


def test_a_limit_takes_the_first_samples_and_leaves_them_as_they_are(invented):
    every = list(from_source("mol_instructions", invented))
    assert list(from_source("mol_instructions", invented, limit=5)) == every[:5]


def test_per_sample_bounds_the_number_of_constraints(invented):
    for sample in from_source("mol_instructions", invented, per_sample=1):
        assert len(sample.checklist) == 1


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"per_sample": 0}, "`per_sample` must be from 1 to 6"),
        ({"per_sample": 7}, "`per_sample` must be from 1 to 6"),
        ({"limit": 0}, "`limit` must be at least 1"),
        ({"limit": -1}, "`limit` must be at least 1"),
        ({"max_characters": 10}, "`max_characters` must be at least 200"),
    ],
)
def test_arguments_that_cannot_be_are_refused(invented, arguments, expected):
    with pytest.raises(ConfigError, match=expected):
        from_source("mol_instructions", invented, **arguments)


def test_an_unknown_source_is_refused_with_the_known_ones(invented):
    with pytest.raises(ConfigError, match=r"did you mean `mol_instructions`.*llm4mat_bench"):
        from_source("mol-instructions", invented)


@pytest.mark.parametrize("name", SOURCES)
def test_a_file_of_another_source_is_refused(tmp_path, name):
    path = tmp_path / "file"
    path.write_text("idx,question\n1,why\n", encoding="utf-8")
    with pytest.raises(DatasetError, match=str(path)):
        list(from_source(name, path))


# ── Real files ───────────────────────────────────────────────────────────────────────

# One of the 70 protein records has a bracket too few and is left out.
REAL_FILES = [
    ("mol_instructions", "mol_instructions/chemical_disease_interaction_extraction.json", 70),
    ("mol_instructions", "mol_instructions/chemical_protein_interaction_extraction.json", 69),
    ("mol_instructions", "mol_instructions/chemical_entity_recognition.json", 25),
    ("mol_instructions", "mol_instructions/true_or_false_question.json", 25),
    ("llm4mat_bench", "llm4mat_bench/train.csv", 30),
    ("llm4mat_bench", "llm4mat_bench/validation.csv", 30),
    ("llm4mat_bench", "llm4mat_bench/test.csv", 30),
]


@NEEDS_REAL
@pytest.mark.parametrize(("name", "file", "count"), REAL_FILES)
def test_real_records_make_sound_samples(tmp_path, name, file, count):
    samples = list(from_source(name, REAL / file))
    assert len(samples) == count
    assert len({sample.id for sample in samples}) == count
    for sample in samples:
        ids = [item.constraint_id for item in sample.checklist]
        assert ids
        assert len({category_of(constraint) for constraint in ids}) == len(ids)
        assert not [(a, b) for a in ids for b in ids if clash(a, b)]
        assert len(sample.original_instruction) <= 4000
        assert sample.reference not in (None, "", [])
    save_records(samples, tmp_path / "out.jsonl")
    assert list(load_records(tmp_path / "out.jsonl")) == samples


@NEEDS_REAL
def test_every_general_constraint_is_used_on_the_real_files():
    used = Counter(
        item.constraint_id
        for name, file, _ in REAL_FILES
        for sample in from_source(name, REAL / file)
        for item in sample.checklist
    )
    assert len(used) == 17
