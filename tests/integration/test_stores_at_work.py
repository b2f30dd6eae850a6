"""A store under a run: shared by two drivers, on S3, failing for a while, and full."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import Place, assert_paid_once

sys.path.append(str(Path(__file__).parents[1] / "store"))
from s3_server import ENVIRONMENT, Broken, S3Server, serve

pytestmark = pytest.mark.soak

LATENCY_S = 0.3
BUSY_S = 1.5
"""What a busy machine may add between an answer and its being known to the other driver."""


class PlaceOnS3(Place):
    """One user's folder whose store is in a bucket, named as `store=s3` has it."""

    @property
    def store(self) -> str:
        return self.environment["IFBENCH_STORE_URI"]

    def command(self, *overrides: str, name: str = "evaluate") -> list[str]:
        words = super().command(*overrides, name=name)
        return [word for word in words if not word.startswith("store.uri=")] + ["store=s3"]


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    pytest.importorskip("moto.server", reason="needs moto's S3 server: uv sync --extra dev")
    yield from serve()


@pytest.fixture
def on_s3(place: Place, server: S3Server, monkeypatch: pytest.MonkeyPatch) -> Place:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    server.fail()
    uri = server.uri(server.make_bucket())
    return PlaceOnS3(
        folder=place.folder,
        endpoint=place.endpoint,
        log=place.log,
        environment={"IFBENCH_STORE_URI": uri},
    )


def assert_shared(place: Place, *, known_after_s: float) -> None:
    """Two drivers work at once; a prompt is asked twice only where neither could know better."""
    place.slow_down(LATENCY_S)
    with place.start() as first:
        place.wait_for(40)
        with place.start() as second:
            ends = [first.wait(), second.wait()]
    assert [end.code for end in ends] == [0, 0], ends
    firsts: dict[str, float] = {}
    for call in place.answered():
        first_at = firsts.setdefault(call["digest"], call["at"])
        assert call["at"] - first_at <= LATENCY_S + known_after_s
    assert set(place.prompts().values()) <= {1, 2}


def test_two_drivers_share_a_local_store(place, undisturbed, wanted):
    assert_shared(place, known_after_s=BUSY_S)
    assert set(place.prompts()) == wanted
    assert place.results() == undisturbed
    place.forget()
    assert place.evaluate().code == 0
    assert place.endpoint.counts()["total"] == 0


def test_two_drivers_share_a_store_on_s3_that_fails_for_a_while(on_s3, server, undisturbed, wanted):
    server.fail(
        Broken(method="PUT", path="journal", status=503, code="SlowDown", times=6),
        Broken(method="PUT", path="journal", drop=True, times=2),
    )
    # Puts are late by their tries; then the other looks around every 5 s.
    assert_shared(on_s3, known_after_s=3 + 5 + 2 * BUSY_S)
    assert set(on_s3.prompts()) == wanted
    assert on_s3.results() == undisturbed


def test_a_disk_that_fills_up_stops_the_asking_and_keeps_what_was_answered(
    place, undisturbed, wanted
):
    line = f"ulimit -f 60; exec {sys.executable} -m ifbench.cli"  # 30 KB a file.
    full = place.run_line(" ".join([line, *map(_quoted, place.command())]))
    assert full.code != 0
    assert "answers can no longer be stored" in full.err
    assert "mend the disk and give the same command again" in full.err
    assert "Traceback" not in full.err
    asked = place.prompts()
    assert 0 < len(asked) < len(wanted)
    assert place.stored() > 0
    resumed = place.evaluate()
    assert resumed.code == 0
    assert_paid_once(place.prompts(), wanted, allowed=16)  # Those in flight, of both models.
    assert place.results() == undisturbed


def _quoted(word: str) -> str:
    return f"'{word}'"
