"""Every value comes back out of its table as it went in."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factories import make_score
from ifbench import schemas
from ifbench.errors import StoreError
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
    Usage,
    Verdict,
)

# Every code point there is: lone surrogates, NUL and the escape's own character included.
texts = st.text(st.characters(exclude_categories=()), max_size=30) | st.sampled_from(
    ["\x10", "\x10d83d", "\ud83d", "\ud83d\ude00", "😀", "a\x00b", "\\ud83d", "\x1f"]
)
counts = st.integers(0, 2**40)
yes_no = st.lists(st.none() | st.booleans(), max_size=4).map(tuple)
usages = st.builds(
    Usage,
    input_tokens=counts,
    output_tokens=counts,
    reasoning_tokens=counts,
    cached_tokens=counts,
)
responses = st.builds(
    Response,
    key=texts,
    purpose=st.sampled_from(Purpose),
    model=texts,
    text=texts,
    reasoning=texts,
    stop=st.sampled_from(Stop),
    usage=usages,
    seconds=st.floats(0, 1e6),
    tries=st.integers(1, 100),
    returned_model=texts,
    fingerprint=texts,
    endpoint=texts,
    failure=st.none() | st.builds(Failure, kind=st.sampled_from(FailureKind), message=texts),
)
verdicts = st.builds(
    Verdict,
    sample_id=texts,
    candidate=texts,
    attempt=counts,
    aspect=st.sampled_from(["constraint", "task", "correctness"]),
    item=counts,
    constraint_id=texts,
    outcome=st.sampled_from(Outcome),
    cause=st.none() | st.sampled_from(Cause),
    requirements=yes_no,
    grader=texts,
    rules=st.sampled_from(["paper", "release"]),
    reason=texts,
    evidence=st.lists(st.builds(Evidence, start=counts, end=counts, text=texts), max_size=3).map(
        tuple
    ),
    extracted=st.none() | texts,
    asked=st.lists(texts, max_size=3).map(tuple),
    grade=st.none() | st.sampled_from(["A", "B", "C"]),
)
scores = st.builds(
    Score,
    sample_id=texts,
    benchmark=texts,
    candidate=texts,
    attempt=counts,
    judge=texts,
    extractor=texts,
    grader=texts,
    rules=st.sampled_from(["paper", "release"]),
    constraints=st.lists(texts, max_size=3).map(tuple),
    satisfied=yes_no,
    requirements=st.lists(yes_no, max_size=3).map(tuple),
    tasks_done=yes_no,
    correct=st.none() | st.booleans(),
    grade=st.none() | st.sampled_from(["A", "B", "C"]),
    graded_by=st.none() | st.sampled_from(["script", "model"]),
    ungraded=st.none() | st.sampled_from(Cause),
    causes=st.lists(st.sampled_from(Cause), max_size=3).map(tuple),
    response_key=texts,
    stop=st.sampled_from(Stop),
    failure=st.none() | st.sampled_from(FailureKind),
    usage=usages,
    facets=st.dictionaries(texts, texts, max_size=3),
)


@given(texts)
def test_every_text_comes_back_and_can_be_stored(text: str) -> None:
    stored = schemas.escape(text)
    assert pa.scalar(stored, pa.string()).as_py() == stored
    assert schemas.unescape(stored) == text


@given(texts, texts)
def test_two_texts_are_never_stored_alike(one: str, other: str) -> None:
    assert (schemas.escape(one) == schemas.escape(other)) == (one == other)


@pytest.mark.parametrize("text", ["", "plain", "tabs\tand\nlines", "\x00", "x² ≤ 3 😀", "\\ud83d"])
def test_ordinary_texts_are_stored_as_they_are(text: str) -> None:
    assert schemas.escape(text) == text


@given(responses)
def test_a_response_comes_back_from_its_row(response: Response) -> None:
    batch = schemas.rows_to_batch([schemas.response_to_row(response, "w", 7)])
    (row,) = batch.to_pylist()
    assert schemas.row_to_response(row) == response
    assert row["crc32"] == schemas.row_crc(row)


@given(st.lists(verdicts, max_size=4))
def test_verdicts_come_back_from_their_table(several: list[Verdict]) -> None:
    table = schemas.verdicts_to_table(
        several, benchmark="b", judge="j", run_id="r", dataset_sha256="d"
    )
    assert table.schema.equals(schemas.VERDICTS, check_metadata=True)
    assert table.equals(pa.Table.from_pylist(table.to_pylist(), schema=schemas.VERDICTS))
    table.validate(full=True)
    assert schemas.table_to_verdicts(table) == several


@given(st.lists(scores, max_size=4))
def test_scores_come_back_from_their_table(several: list[Score]) -> None:
    table = schemas.scores_to_table(several, run_id="r", dataset_sha256="d")
    assert table.schema.equals(schemas.SCORES, check_metadata=True)
    assert table.equals(pa.Table.from_pylist(table.to_pylist(), schema=schemas.SCORES))
    table.validate(full=True)
    assert schemas.table_to_scores(table) == several
    assert table["is_complete"].to_pylist() == [score.is_complete for score in several]
    assert table["undecided"].to_pylist() == [score.undecided for score in several]


def test_equal_parts_of_scores_are_held_once() -> None:
    scores = [make_score((True, False), attempt=number) for number in range(3)]
    table = schemas.scores_to_table(scores, run_id="r", dataset_sha256="d")
    first, *others = schemas.tables_to_scores((table.slice(0, 1), table.slice(1)))
    for other in others:
        assert other.facets is first.facets
        assert other.satisfied is first.satisfied
        assert other.usage is first.usage


def test_scores_for_reports_tell_whether_there_was_an_answer() -> None:
    scores = [make_score(response_key="k" * 64), make_score(response_key="")]
    table = schemas.scores_to_table(scores, run_id="r", dataset_sha256="d")
    found = schemas.scores_for_tables((table,))
    assert [bool(score.response_key) for score in found] == [True, False]
    assert [score.satisfied for score in found] == [score.satisfied for score in scores]


def test_a_text_of_several_megabytes_comes_back() -> None:
    text = "αβγ \ud800 " * 700_000
    row = schemas.response_to_row(
        Response(key="k", purpose=Purpose.CANDIDATE, model="m", text=text), "w", 0
    )
    (back,) = schemas.rows_to_batch([row]).to_pylist()
    assert schemas.row_to_response(back).text == text


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("text", "answes"),
        ("failure_kind", "refusal"),
        ("input_tokens", 11),
        ("seconds", 0.5),
        ("row", 8),
    ],
)
def test_the_sum_covers_every_column(column: str, value: object) -> None:
    response = Response(key="k", purpose=Purpose.CANDIDATE, model="m", text="answer")
    row = schemas.response_to_row(response, "w", 7)
    assert schemas.row_crc({**row, column: value}) != row["crc32"]


# ── Versions ─────────────────────────────────────────────────────────────────────────


def _labelled(table: str, version: str) -> pa.Schema:
    return schemas.RESPONSES.with_metadata({"ifbench.table": table, "ifbench.version": version})


def test_a_newer_version_is_refused_with_file_found_and_expected() -> None:
    with pytest.raises(
        StoreError, match=r"a/b\.arrow: `responses` has schema version 9, .*reads 1"
    ):
        schemas.file_version(_labelled("responses", "9"), "responses", "a/b.arrow")


@pytest.mark.parametrize(
    "schema",
    [
        _labelled("scores", "1"),
        _labelled("responses", "one"),
        _labelled("responses", ""),
        schemas.RESPONSES.remove_metadata(),
        pa.schema([("key", pa.string())], metadata=schemas.RESPONSES.metadata),
    ],
)
def test_a_schema_that_is_not_of_the_table_is_told_apart_from_a_newer_one(
    schema: pa.Schema,
) -> None:
    with pytest.raises(schemas.UnlabelledError, match="x"):
        schemas.file_version(schema, "responses", "x")


@pytest.mark.parametrize(
    ("table", "added"), [("verdicts", {"grade"}), ("scores", {"grade", "graded_by", "ungraded"})]
)
def test_results_of_version_1_are_read_as_ungraded(
    table: schemas.TableName, added: set[str]
) -> None:
    now = schemas.SCHEMAS[table]
    values = {
        pa.string(): "paper",
        pa.int64(): 0,
        pa.bool_(): True,
        schemas.SCORES.field("facets").type: [],
    }
    row = {field.name: values.get(field.type, []) for field in now}
    row |= {"outcome": "pass", "stop": "stop", "cause": None, "failure": None}
    old = pa.Table.from_pylist(
        [{name: row[name] for name in now.names if name not in added}],
        schema=pa.schema([field for field in now if field.name not in added]).with_metadata(
            {"ifbench.table": table, "ifbench.version": "1"}
        ),
    )
    new = schemas.upgraded(old, table, "x")
    assert new.schema.equals(now)
    read = schemas.table_to_scores if table == "scores" else schemas.table_to_verdicts
    (value,) = read(new)
    assert value.grade is None


def test_an_older_version_is_upgraded_by_its_reader() -> None:
    old = pa.table({"key": ["k"]}).replace_schema_metadata(
        {"ifbench.table": "responses", "ifbench.version": "0"}
    )
    readers = {"responses": {0: lambda table: table.rename_columns(["name"]), 1: lambda t: t}}
    assert schemas.upgraded(old, "responses", "x", readers).column_names == ["name"]
