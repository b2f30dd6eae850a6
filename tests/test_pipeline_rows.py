"""In which order the rows of several runs go in: sample by sample, so that what they share meets."""

from __future__ import annotations

from dataclasses import replace

import pytest

from factories import make_sample, make_trial
from ifbench.pipeline import in_turns


def rows(run: str, *samples: str):
    return iter([replace(make_trial(make_sample(id=sample)), run=run) for sample in samples])


@pytest.mark.parametrize(
    ("sources", "wanted"),
    [
        ([], []),
        ([("one", "a", "b")], ["one a", "one b"]),
        ([("one", "a", "b"), ("two", "a", "b")], ["one a", "two a", "one b", "two b"]),
        # Attempts at one sample stay together; a longer run goes on alone.
        (
            [("one", "a"), ("two", "a", "a", "b", "c")],
            ["one a", "two a", "two a", "two b", "two c"],
        ),
    ],
)
def test_runs_take_turns_by_sample(sources, wanted):
    found = in_turns([rows(run, *samples) for run, *samples in sources])
    assert [f"{row.run} {row.item.sample.id}" for row in found] == wanted
