"""Every executor counts rows by step and candidate, and names the row in what is logged."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from factories import make_model, make_sample
from ifbench import logs
from ifbench.execution.handling import handled
from ifbench.execution.in_hand import InHand
from ifbench.execution.local import LocalExecutor
from ifbench.execution.step import Seat, Step, Work
from ifbench.tally import Tally
from ifbench.types import Trial, WorkItem

log = logging.getLogger("ifbench.tested")


def make_trial(sample: str, candidate: str = "m", attempt: int = 0) -> Trial:
    item = WorkItem(sample=make_sample(sample), candidate=make_model(candidate), attempt=attempt)
    return Trial(item=item)


@asynccontextmanager
async def warns(seat: Seat) -> AsyncIterator[Work]:
    async def work(row: Trial) -> Trial:
        await asyncio.sleep(0.001)
        log.warning("about %s", row.item.sample.id)
        await asyncio.to_thread(log.warning, "about %s", row.item.sample.id)
        return row

    yield work


@pytest.fixture
def _json_lines():
    root, before = logging.getLogger(), logs.current()
    handlers = list(root.handlers)
    logs.start_logging(logs.Logging(form="json"))
    yield
    root.handlers[:] = handlers
    logs._now = before
    logging.captureWarnings(capture=False)


@pytest.mark.usefixtures("_json_lines")
def test_a_warning_of_a_row_carries_its_sample_candidate_and_step(capsys):
    steps = (Step(name="first", build=warns, in_flight=8), Step(name="second", build=warns))
    rows = [make_trial(f"s{i}", f"m{i % 3}", attempt=i % 2) for i in range(30)]
    assert len(list(LocalExecutor().run(rows, steps))) == 30
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert len(lines) == 30 * 2 * 2
    for line in lines:
        number = int(line["sample"][1:])
        assert line["message"] == f"about {line['sample']}"
        assert line["candidate"] == f"m{number % 3}"
        assert line["attempt"] == number % 2
    assert {line["step"] for line in lines} == {"first", "second"}


async def test_rows_are_counted_by_step_and_by_candidate():
    tally, in_hand = Tally(), InHand()

    async def work(row: Trial) -> Trial:
        return row

    for name in ("a", "a", "b"):
        await handled(make_trial("s", name), work, "judge", in_hand, tally)
    assert tally.snapshot() == {
        ("rows", "judge", "in"): 3, ("rows", "judge", "out"): 3,
        ("candidates", "a", "judge", "in"): 2, ("candidates", "a", "judge", "out"): 2,
        ("candidates", "b", "judge", "in"): 1, ("candidates", "b", "judge", "out"): 1,
    }  # fmt: skip
