"""Every record here is invented, in the data set's shape."""

from __future__ import annotations

import json
import logging

import pytest

from ifbench.benchmarks.scimif.sources import from_source
from ifbench.benchmarks.scimif.sources.mol_instructions import (
    join_question,
    parse_names,
    parse_relations,
    parse_yes_no,
    read_mol_instructions,
)
from ifbench.benchmarks.scimif.sources.source import AnswerKind, Seed, Skipped
from ifbench.errors import DatasetError

DISEASE = "Chemical-disease Interaction Extraction"
PROTEIN = "Chemical-protein Interaction Extraction"
ENTITIES = "Chemical Entity Recognition"
TRUE_FALSE = "True or False Question"


def invented(task=DISEASE, **changes):
    fields = {
        "instruction": "Extract the relations in the format of (Subject, Object).",
        "input": "Ledoxin caused hiccups in 3 of 9 volunteers.\n",
        "output": "(ledoxin, hiccups)",
        "metadata": {"task": task},
    }
    return {**fields, **changes}


def read(folder, *records, max_characters=4000, text=None):
    path = folder / "invented.json"
    path.write_text(json.dumps(list(records)) if text is None else text, encoding="utf-8")
    return list(read_mol_instructions(path, max_characters))


def refusal(folder, *records, text=None):
    with pytest.raises(DatasetError) as error:
        read(folder, *records, text=text)
    return str(error.value)


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("(a, b)", ["(a, b)"]),
        ("(a, b), (c, d)", ["(a, b)", "(c, d)"]),
        ("(a, b), (a, b)", ["(a, b)"]),
        ("(a, inhibitor, b),\n(c, part-of, d).", ["(a, inhibitor, b)", "(c, part-of, d)"]),
        ("(1,2-DMH, cancer)", ["(1,2-DMH, cancer)"]),
        ("((-)-6-(7-x)-one, inhibitor, PDE3/4)", ["((-)-6-(7-x)-one, inhibitor, PDE3/4)"]),
        ("(H(2)O(2), activator, peroxidase)", ["(H(2)O(2), activator, peroxidase)"]),
        ("(benzo[a]-pyrene, tumor)", ["(benzo[a]-pyrene, tumor)"]),
        ("(midazolam, ), (midazolam, arrest)", ["(midazolam, arrest)"]),
        ("(midazolam, )", []),
        ("(a, , b)", []),
        ("(a, b", []),
        ("a, b)", []),
        ("There are none.", []),
        ("see (a, b)", []),
        ("(a, b) and more", []),
        ("", []),
    ],
)
def test_relations_are_taken_apart_at_their_outer_brackets(output, expected):
    assert parse_relations(output) == expected


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("BPA", ["BPA"]),
        ("Glycerol, urea", ["Glycerol", "urea"]),
        ("arsenic, arsenic", ["arsenic"]),
        ("vitamin D ( 3 ), 1 , 25 dihydroxy vitamin D", ["vitamin D ( 3 )", "1 , 25 dihydroxy vitamin D"]),
        ("1,2-DMH, tin", ["1,2-DMH", "tin"]),
        ("NHn ( X3 - n ), F", ["NHn ( X3 - n )", "F"]),
        ("", []),
    ],
)  # fmt: skip
def test_names_are_split_at_joining_commas_only(output, expected):
    assert parse_names(output) == expected


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("Yes, it does.", "Yes"),
        ("no", "No"),
        ("No. It does not.", "No"),
        ("Maybe, the data say little.", None),
        ("Notably, it does.", None),
        ("Yesterday it did.", None),
        ("", None),
    ],
)
def test_the_first_word_answers_a_yes_no_question(output, expected):
    assert parse_yes_no(output) == expected


@pytest.mark.parametrize(
    ("instruction", "text", "expected"),
    [
        ("Extract (Subject, Object).", "Angiosarcoma is rare.", "Extract (Subject, Object).\n\nAngiosarcoma is rare."),
        ("Is it?", "", "Is it?"),
        (" Is it?\n", "\n", "Is it?"),
    ],
)  # fmt: skip
def test_instruction_and_input_are_two_paragraphs(instruction, text, expected):
    assert join_question(instruction, text) == expected


@pytest.mark.parametrize(
    ("task", "output", "kind", "task_type", "reference"),
    [
        (DISEASE, "(a, b)", AnswerKind.RELATIONS, "biology_entity_relationship", ["(a, b)"]),
        (PROTEIN, "(a, x, b)", AnswerKind.RELATIONS, "biology_entity_relationship", ["(a, x, b)"]),
        (ENTITIES, "tin, iron", AnswerKind.NAMES, "biology_entity_recognition", ["tin", "iron"]),
        (TRUE_FALSE, "No, never.", AnswerKind.YES_NO, "biology_true_or_false", "No"),
        (TRUE_FALSE.upper(), "No", AnswerKind.YES_NO, "biology_true_or_false", "No"),
    ],
)
def test_each_task_makes_its_kind_of_seed(tmp_path, task, output, kind, task_type, reference):
    (seed,) = read(tmp_path, invented(task, output=output))
    assert isinstance(seed, Seed)
    assert (seed.answer, seed.task_type, seed.reference) == (kind, task_type, reference)
    assert seed.id == "invented/0"
    assert seed.provenance["output"] == output


def test_a_record_without_a_clear_answer_is_left_out_with_the_reason(tmp_path):
    found = read(
        tmp_path,
        invented(TRUE_FALSE, output="Maybe."),
        invented(input="x" * 5000),
        invented(instruction="", input=""),
    )
    assert found == [
        Skipped(index=0, reason="the output is no clear answer to biology_true_or_false"),
        Skipped(index=1, reason="the question has over 4000 characters"),
        Skipped(index=2, reason="the question is empty"),
    ]


def test_what_was_left_out_is_counted_in_the_log(tmp_path, caplog):
    path = tmp_path / "invented.json"
    maybe = invented(TRUE_FALSE, output="Maybe.")
    path.write_text(json.dumps([maybe, invented(), maybe]), encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        assert len(list(from_source("mol_instructions", path))) == 1
    assert "2 left out: the output is no clear answer to biology_true_or_false" in caplog.text


def test_a_record_that_is_broken_is_named_by_its_index(tmp_path):
    broken = {"instruction": "x", "input": 3, "metadata": {"task": DISEASE}, "outptu": ""}
    message = refusal(tmp_path, invented(), broken)
    assert "invented.json record 1: " in message
    assert "the key `output` is missing" in message
    assert "unknown key `outptu`; did you mean `output`" in message
    assert "input: a text is expected, found 3" in message


def test_half_of_a_pair_is_refused_with_its_record(tmp_path):
    half = {**invented(), "input": "half \ud83d of a pair"}
    whole = {**invented(), "input": "a pair \U0001f600"}
    assert "invented.json record 1: half of a surrogate pair" in refusal(tmp_path, whole, half)


def test_a_task_that_makes_no_seeds_is_named_with_those_that_do(tmp_path):
    message = refusal(tmp_path, invented("Protein Design"))
    assert "record 0: unknown task `Protein Design`" in message
    assert "tasks that make samples: chemical-disease interaction extraction" in message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1}', "a JSON array of Mol-Instructions records is expected, found dict"),
        ("material_id,structure\n", "a JSON array of Mol-Instructions records is expected"),
        ("[]", "the array holds no record"),
        ('["x"]', "record 0: "),
    ],
)
def test_a_file_of_another_kind_is_refused(tmp_path, text, expected):
    assert expected in refusal(tmp_path, text=text)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(DatasetError, match="cannot be read"):
        list(read_mol_instructions(tmp_path / "none.json", 4000))
