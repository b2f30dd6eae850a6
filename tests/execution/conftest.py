"""One cluster for the tests of this folder that start Ray."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="package", autouse=True)
def _no_cluster_is_left() -> Iterator[None]:
    """A cluster takes ten seconds to start, so tests join the one that is there. One that idles
    beside later tests takes a fifth of a small machine from them.
    """
    yield
    ray = sys.modules.get("ray")
    if ray is not None and ray.is_initialized():
        ray.shutdown()
