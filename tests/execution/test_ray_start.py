"""What is kept off the user's terminal, and what is not."""

from __future__ import annotations

import re

import pytest

from ifbench.execution.ray_start import ENVIRONMENT

SKIPPED = re.compile(ENVIRONMENT["RAY_DEDUP_LOGS_SKIP_REGEX"])


@pytest.mark.parametrize(
    ("line", "is_skipped"),
    [
        ("A worker died or was killed while executing a task by an unexpected error.", True),
        ("Task MapWorker(MapBatches(generate)).submit failed. There are infinite retries left", True),
        ("Task work failed. There are 3 retries remaining, so the task will be retried.", True),
        ("3 Workers (tasks / actors) killed due to memory pressure (OOM)", False),
        ("The node with node id: 1 has been marked dead: it missed too many heartbeats.", False),
    ],
)  # fmt: skip
def test_ray_does_not_tell_of_dead_workers_beside_our_own_words(line, is_skipped):
    assert bool(SKIPPED.search(line)) == is_skipped
