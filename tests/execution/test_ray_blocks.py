"""Blocks give back the rows that went in, whatever values these carry."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, fields, is_dataclass, replace

import pytest

from factories import make_model, make_sample
from ifbench import types
from ifbench.benchmarks.datasets import data_path
from ifbench.benchmarks.records import load_records
from ifbench.execution.ray_blocks import block_of, blocks_of, trials_of
from ifbench.types import (
    Cause,
    Evidence,
    Failure,
    FailureKind,
    Outcome,
    Purpose,
    Response,
    Score,
    Stop,
    Trial,
    Usage,
    Verdict,
    WorkItem,
)


def rows(*samples) -> list[Trial]:
    return [Trial(item=WorkItem(sample=one, candidate=make_model("c"))) for one in samples]


def answered(row: Trial) -> Trial:
    """A row as full as it can be."""
    name = row.item.sample.id
    return replace(
        row,
        run="r1",
        response=Response(
            key="k",
            purpose=Purpose.CANDIDATE,
            model="m",
            text="x² = 2.25 \N{GRINNING FACE}",
            stop=Stop.STOP,
            usage=Usage(input_tokens=3),
            failure=Failure(kind=FailureKind.TIMEOUT, message="late"),
        ),
        verdicts=(
            Verdict(
                sample_id=name,
                candidate="c",
                item=0,
                constraint_id="general:decimal_number",
                outcome=Outcome.UNDECIDED,
                cause=Cause.TIMEOUT,
                requirements=(None, True),
                grader="script",
                evidence=(Evidence(start=0, end=1, text="x"),),
            ),
        ),
        score=Score(
            sample_id=name,
            benchmark="scimif",
            candidate="c",
            judge="",
            extractor="",
            grader="",
            constraints=("general:decimal_number",),
            satisfied=(None,),
            requirements=((None, True),),
        ),
    )


@pytest.mark.parametrize("name", ["builtin:scimif_starter", "builtin:videoif_starter"])
def test_rows_come_out_as_they_went_in(name):
    plain = rows(*load_records(data_path(name)))
    whole = [*plain, *map(answered, plain)]
    assert trials_of(block_of(whole)) == tuple(whole)


def test_what_comes_out_is_as_frozen_as_what_went_in():
    (row,) = trials_of(block_of([answered(*rows(make_sample("s")))]))
    with pytest.raises(FrozenInstanceError):
        row.run = "other"
    with pytest.raises(FrozenInstanceError):
        row.response.text = "other"


def test_a_value_that_stands_in_every_row_is_sent_once():
    model = make_model("c", options={"words": "x" * 10_000})
    sent = [replace(row, item=replace(row.item, candidate=model)) for row in rows(*samples(8))]
    assert block_of(sent).nbytes < 20_000
    assert len({id(row.item.candidate) for row in trials_of(block_of(sent))}) == 1


def test_every_value_that_flows_can_be_pickled_by_its_fields():
    kinds = [kind for kind in vars(types).values() if isinstance(kind, type)]
    frozen = [kind for kind in kinds if is_dataclass(kind)]
    assert {Trial, WorkItem, Verdict, Score} <= set(frozen)
    for kind in frozen:
        assert kind.__dataclass_params__.frozen, kind
        assert set(kind.__slots__) == {field.name for field in fields(kind)}, kind


def test_a_block_is_a_plain_pickle_to_whoever_reads_it():
    (cell,) = block_of(rows(make_sample("s")))["trials"]
    assert pickle.loads(cell.as_py()) == tuple(rows(make_sample("s")))


@pytest.mark.parametrize(
    ("size", "expected"), [(1, [2, 2, 2]), (2, [2, 2, 2]), (3, [4, 2]), (9, [6])]
)
def test_the_trials_of_a_sample_are_never_parted(size, expected):
    every = [row for sample in samples(3) for row in rows(sample, sample)]
    found = [trials_of(block) for block in blocks_of(every, size)]
    assert [len(block) for block in found] == expected
    assert [row for block in found for row in block] == every


def samples(count: int):
    return [make_sample(f"s{number}") for number in range(count)]
