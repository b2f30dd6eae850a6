"""Several runs at a glance, of unlike benchmarks and judges."""

from __future__ import annotations

import pytest

from factories import make_score
from ifbench.benchmarks import get_benchmark
from ifbench.report.identities import differences
from ifbench.report.overview import RunScores, overview_table
from ifbench.types import Cause


def test_each_run_and_model_has_a_row_with_what_is_undecided():
    whole, partial = make_score(), make_score((None,), causes=(Cause.TIMEOUT,))
    table = overview_table(
        [
            RunScores(
                run_id="r1",
                title="judge a",
                benchmark=get_benchmark("scimif"),
                scores=[whole, partial],
            ),
            RunScores(
                run_id="r2", title="judge b", benchmark=get_benchmark("videoif"), scores=[whole]
            ),
        ]
    )
    first, second = table.data
    assert (first["complete"], first["total"], first["undecided"]) == (1, 2, {"timeout": 1})
    assert (first["what differs"], second["what differs"]) == ("judge a", "judge b")
    assert first["CSR"] is not None
    assert first["TCSR"] is None
    assert second["CSR"] is None
    assert second["TCSR"] is not None
    row = dict(zip(table.columns, table.texts[0], strict=True))
    assert row["TCSR"] == "–"
    assert row["undecided"] == "timeout 1"


def identity(benchmark="scimif", judge="a", temperature=0.0, candidates=("m",), attempts=1):
    return {
        "benchmark": {"name": benchmark, "data": f"sha of {benchmark}"},
        "candidates": [{"name": name, "sampling": {"seed": len(benchmark)}} for name in candidates],
        "judge": {"name": judge, "sampling": {"temperature": temperature, "top_p": judge}},
        "extractor": None,
        "attempts": attempts,
    }


@pytest.mark.parametrize(
    ("identities", "titles"),
    [
        ([identity(), identity(judge="b")], ("judge a", "judge b")),
        (
            [identity(), identity("videoif"), identity("videoif", "b")],
            (
                "benchmark scimif, judge a",
                "benchmark videoif, judge a",
                "benchmark videoif, judge b",
            ),
        ),
        (
            [identity(), identity(temperature=0.5)],
            ("judge.sampling.temperature 0.0", "judge.sampling.temperature 0.5"),
        ),
        ([identity(), identity(candidates=("m", "n"))], ("candidates m", "candidates m+n")),
        ([identity(attempts=1), identity(attempts=3)], ("attempts 1", "attempts 3")),
    ],
)
def test_runs_are_told_apart_by_names_first_and_by_nothing_that_follows(identities, titles):
    assert differences(identities) == titles
