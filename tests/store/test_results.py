"""Results stream in, appear at once when committed, and are read by partition and run."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from store_values import make_score, objects

from factories import make_verdict
from ifbench import schemas
from ifbench.errors import StoreError
from ifbench.store import results
from ifbench.store.location import Location, resolve
from ifbench.store.results import (
    ResultsWriter,
    encoded,
    iter_verdicts,
    read_scores,
    read_verdicts,
    trials_with_failed_calls,
)
from ifbench.types import Cause, Score, Verdict


@pytest.fixture(params=["local", "objects"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Location:
    return resolve(str(tmp_path / "store")) if request.param == "local" else objects(tmp_path)


def trial(
    sample_id: str = "s1", candidate: str = "tester", **fields: Any
) -> tuple[Score, list[Verdict]]:
    score = make_score(sample_id, candidate=candidate, **fields)
    return score, [make_verdict(sample_id=sample_id, candidate=candidate, rules=score.rules)]


def commit(place: Location, run_id: str, *trials: tuple[Score, list[Verdict]]) -> None:
    with ResultsWriter(place, run_id, "d" * 64) as writer:
        for score, verdicts in trials:
            writer.add(score, verdicts)
        writer.commit()


def test_a_store_without_results_gives_empty_tables(place: Location) -> None:
    assert read_scores(place).schema.equals(schemas.SCORES, check_metadata=True)
    assert read_verdicts(place, "r").num_rows == 0


def test_committed_rows_come_back_with_their_run_and_data_set(place: Location) -> None:
    trials = [trial(f"s{n}", attempt=n) for n in range(3)]
    commit(place, "run1", *trials)
    table = read_scores(place, "run1")
    assert table.schema.equals(schemas.SCORES, check_metadata=True)
    assert schemas.table_to_scores(table) == [score for score, _ in trials]
    assert set(table["dataset_sha256"].to_pylist()) == {"d" * 64}
    verdicts = read_verdicts(place, "run1")
    assert schemas.table_to_verdicts(verdicts) == [v for _, several in trials for v in several]
    assert verdicts["judge"].to_pylist() == ["judge"] * 3


def test_nothing_is_visible_before_commit_or_without_one(place: Location) -> None:
    with ResultsWriter(place, "run1", "d") as writer:
        for number in range(2000):
            writer.add(*trial(f"s{number}"))
        assert read_scores(place).num_rows == 0
    assert read_scores(place).num_rows == 0
    assert place.child("results").folders() == []


def test_a_process_that_dies_leaves_nothing_that_is_read(place: Location) -> None:
    writer = ResultsWriter(place, "run1", "d")
    for number in range(2000):
        writer.add(*trial(f"s{number}"))
    assert (read_scores(place).num_rows, read_verdicts(place).num_rows) == (0, 0)
    commit(place, "run1", trial())
    assert read_scores(place, "run1").num_rows == 1


def test_a_run_that_commits_again_replaces_its_own_results_only(place: Location) -> None:
    commit(place, "run1", trial("a", "one"), trial("a", "two"))
    commit(place, "run2", trial("b", "one"))
    commit(place, "run1", trial("c", "one"))
    assert read_scores(place, "run1")["sample_id"].to_pylist() == ["c"]
    assert Counter(read_verdicts(place)["sample_id"].to_pylist()) == {"c": 1, "b": 1}


def test_a_run_whose_publishing_was_interrupted_is_refused_until_it_commits(
    place: Location,
) -> None:
    commit(place, "run1", trial("a"))
    commit(place, "run2", trial("b"))
    place.child("results", "publishing").write_whole("run1.mark", b"")
    with pytest.raises(StoreError, match="run run1 are only half published"):
        read_scores(place, "run1")
    assert read_scores(place, "run2").num_rows == 1
    commit(place, "run1", trial("a"))
    assert read_scores(place).num_rows == 2


NAMES = ["plain", "org/model:7b", "with space", "ünï/çode 模型", "..", ".", "", "a=b", "50%", "a%2Fb", "a/b", "x" * 300, "模" * 100]  # fmt: skip


def test_any_name_can_be_a_partition_and_is_read_by_it(place: Location) -> None:
    commit(place, "run1", *(trial("s", name) for name in NAMES))
    assert sorted(read_scores(place)["candidate"].to_pylist()) == sorted(NAMES)
    for name in NAMES:
        assert read_scores(place, candidate=name)["candidate"].to_pylist() == [name]


def test_no_two_names_share_a_folder() -> None:
    folders = [encoded(name) for name in [*NAMES, "x" * 301, "\ud800", "模" * 101]]
    assert len(set(folders)) == len(folders)
    assert all("/" not in folder and len(folder) <= 200 for folder in folders)


def test_judges_and_rules_stand_side_by_side(place: Location) -> None:
    commit(place, "run1", trial(judge="a"), trial(judge="b"), trial(judge="a", rules="release"))
    assert read_scores(place, judge="a").num_rows == 2
    assert read_scores(place, judge="a", rules="paper").num_rows == 1
    assert read_verdicts(place, judge="b").num_rows == 1
    assert read_scores(place, judge="c").num_rows == 0
    folder = place.child("results", "scores", "benchmark=scimif", "candidate=tester", "judge=a")
    assert folder.folders() == ["rules=paper", "rules=release"]


def test_a_few_columns_can_be_read_without_the_texts(place: Location) -> None:
    commit(place, "run1", trial())
    assert read_scores(place, columns=["candidate", "is_complete"]).to_pylist() == [
        {"candidate": "tester", "is_complete": True}
    ]
    assert read_verdicts(place, "none", columns=["outcome"]).column_names == ["outcome"]


def test_long_tables_are_read_in_pieces(place: Location) -> None:
    commit(place, "run1", *(trial(f"s{number}") for number in range(5000)))
    pieces = list(iter_verdicts(place, "run1"))
    assert len(pieces) > 1
    assert sum(piece.num_rows for piece in pieces) == 5000


def test_a_writer_holds_few_rows_in_memory(place: Location) -> None:
    with ResultsWriter(place, "run1", "d") as writer:
        writer.add(*trial())
        (staged,) = writer._verdicts.values()
        held = []
        for number in range(2000):
            writer.add(*trial(f"s{number}"))
            held.append(len(staged._rows))
    assert max(held) < results._BUFFER_ROWS


@pytest.mark.parametrize("run_id", ["", "a/b", "..", ".hidden", "a b", "x" * 101])
def test_a_run_id_that_is_no_file_name_is_refused(tmp_path: Path, run_id: str) -> None:
    with pytest.raises(ValueError, match="run's id"):
        ResultsWriter(str(tmp_path), run_id, "d")


def test_results_of_a_newer_version_and_damaged_ones_are_errors(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    commit(resolve(str(tmp_path)), "run1", trial())
    (path,) = tmp_path.glob("results/scores/**/run1.parquet")
    newer = schemas.SCORES.with_metadata({"ifbench.table": "scores", "ifbench.version": "3"})
    pq.write_table(newer.empty_table(), path)
    with pytest.raises(StoreError, match=r"run1\.parquet: `scores` has schema version 3"):
        read_scores(str(tmp_path))
    path.write_bytes(b"PAR1")
    with pytest.raises(StoreError, match=r"run1\.parquet: the results cannot be read"):
        read_scores(str(tmp_path))


def test_other_tools_read_the_partitions(tmp_path: Path) -> None:
    import pyarrow.dataset as ds

    commit(resolve(str(tmp_path)), "run1", trial(candidate="a/b c"), trial(candidate="d"))
    table = ds.dataset(str(tmp_path / "results/scores"), partitioning="hive").to_table()
    assert sorted(table["candidate"].to_pylist()) == ["a/b c", "d"]
    assert table.schema.field("facets").type == pa.map_(pa.string(), pa.string())


def test_trials_with_failed_calls_are_named_and_no_others(place: Location) -> None:
    assert trials_with_failed_calls(place, "r", 9) == frozenset()
    commit(
        place,
        "r",
        trial("done"),
        trial("odd\x00", attempt=2, causes=(Cause.JUDGE_UNREADABLE, Cause.TIMEOUT)),
        trial("settled", causes=(Cause.JUDGE_UNREADABLE, Cause.NO_EXTRACTOR)),
        trial("graded", candidate="other", ungraded=Cause.TRANSPORT),
        trial("ungraded", ungraded=Cause.NO_GRADER),
    )
    commit(place, "another", trial("else", causes=(Cause.CRASH,)))
    found = trials_with_failed_calls(place, "r", 9)
    assert found == {("odd\x00", "tester", 2), ("graded", "other", 0)}
    commit(place, "many", *(trial(f"s{n}", causes=(Cause.TIMEOUT,)) for n in range(9)))
    assert len(trials_with_failed_calls(place, "many", 4)) == 4


def test_results_that_cannot_be_read_name_no_trial(tmp_path: Path) -> None:
    commit(resolve(str(tmp_path)), "r", trial("late", causes=(Cause.TIMEOUT,)))
    for path in tmp_path.rglob("scores/**/*.parquet"):
        path.write_bytes(b"PAR1")
    assert trials_with_failed_calls(str(tmp_path), "r", 9) == frozenset()
