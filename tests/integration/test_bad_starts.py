"""What is wrong before a run ends it with exit code 2, a clear word and nothing spent."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

import pytest
from running import Place

from engines.endpoint import Fault, completion, error_body
from ifbench.store import Store, read_scores, read_verdicts

KEY = "sk-planted-0123456789abcdef"


@pytest.fixture
def keyed(place: Place) -> Place:
    """Both models need a key, which the environment holds."""
    place.environment = {"PLANTED_KEY": KEY}
    for name in ("candidate", "judge"):
        place.write_model(name, api_key_env="PLANTED_KEY", limits={"attempts": 1})
    return place


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (401, error_body(f"Incorrect API key provided: {KEY}"), "Check the key in PLANTED_KEY"),
        (404, error_body("The model `candidate` does not exist"), "Check the model id"),
        (400, error_body("Unknown field: temperature"), "Check the fields of `sampling`"),
        (503, error_body("overloaded"), "Is http://127.0.0.1:"),
    ],
)
def test_an_endpoint_that_does_not_work_is_found_before_anything_is_asked(
    keyed, status, body, words
):
    keyed.endpoint.behave(Fault(status=status, body=body))
    done = keyed.evaluate()
    assert done.code == 2
    assert words in done.err
    assert "candidate" in done.err
    assert "judge" in done.err
    assert "Traceback" not in done.err
    assert not keyed.prompts()
    assert keyed.preflights() == 2
    assert_key_is_nowhere(keyed, done.out + done.err)


def test_a_key_stands_in_nothing_that_a_run_prints_or_stores(keyed):
    keyed.behave(
        Fault(match="glucose", body=completion({}, f"you sent {KEY}")),
        Fault(match="Nile", status=500, body=error_body(f"cannot reach the host as {KEY}")),
    )
    done = keyed.evaluate("benchmark.ids=[chemistry-mass-glucose,geography-continent]")
    assert done.code == 3
    assert_key_is_nowhere(keyed, done.out + done.err)
    assert "you sent [key]" in stored_text(keyed)


def assert_key_is_nowhere(place: Place, printed: str) -> None:
    """Neither on the screen nor in any file of the store, packed or not."""
    assert KEY not in printed
    assert KEY not in stored_text(place)
    for path in Path(place.store).rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes()


def stored_text(place: Place) -> str:
    """All that is stored, unpacked."""
    journal = Store(place.store).journal
    keys = [row["response_key"] for row in read_scores(place.store).to_pylist()]
    return repr(
        (
            list(journal.lookup([key for key in keys if key]).values()),
            read_scores(place.store).to_pylist(),
            read_verdicts(place.store).to_pylist(),
        )
    )


def test_a_key_that_is_not_set_is_said_by_its_name(keyed):
    keyed.environment = {}
    done = keyed.evaluate()
    assert done.code == 2
    assert "the environment variable PLANTED_KEY (`api_key_env`) is not set" in done.err
    assert keyed.endpoint.counts()["total"] == 0


# ── The store ────────────────────────────────────────────────────────────────────────


def test_a_store_that_cannot_be_written_is_found_before_anything_is_asked(place):
    Path(place.store).write_text("a file where the folder should be")
    done = place.evaluate()
    assert done.code == 2
    assert f"{place.store}: the store cannot be written" in done.err
    assert "Traceback" not in done.err
    assert place.endpoint.counts()["total"] == 0


def test_a_disk_that_is_full_in_the_middle_ends_the_run_and_keeps_what_it_took(
    place, undisturbed, wanted
):
    place.slow_down(0.05)
    full = run_with_largest_file(place, blocks=24)
    assert full.code == 2
    assert "answers can no longer be stored" in full.err
    assert "mend the disk and give the same command again" in full.err
    assert "Traceback" not in full.err
    assert [one["ending"] for one in place.invocations()] == ["failed"]
    kept = place.stored()
    assert 0 < kept < len(wanted)
    assert place.evaluate().code == 0
    # What was in flight came in, was set aside beside the full disk, and is not asked again.
    assert place.prompts().total() == len(wanted)
    assert place.results() == undisturbed


@pytest.mark.soak
def test_results_that_find_no_room_leave_the_answers_and_a_clear_word(finished, undisturbed):
    shutil.rmtree(Path(finished.store) / "results")
    full = run_with_largest_file(finished, blocks=2)
    assert full.code == 2
    assert "Traceback" not in full.err
    assert "cannot be written" in full.err
    assert finished.evaluate().code == 0
    assert finished.endpoint.counts()["total"] == 0
    assert finished.results() == undisturbed


def run_with_largest_file(place: Place, *, blocks: int):
    """Evaluate where no file may grow past so many KiB: a full disk, without one."""
    words = shlex.join([sys.executable, "-m", "ifbench.cli", *place.command()])
    return place.run_line(f"bash -c {shlex.quote(f'ulimit -f {blocks}; exec {words}')}")
