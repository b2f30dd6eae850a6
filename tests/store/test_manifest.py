"""A manifest says what a run was, survives its process, and never holds a secret."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from store_values import objects

from ifbench.errors import StoreError
from ifbench.store.location import Location, resolve
from ifbench.store.manifest import (
    Calls,
    Counts,
    Environment,
    Manifest,
    current_environment,
    finished,
    list_runs,
    load_manifest,
    run_id,
    save_manifest,
    started,
)

NOW = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)
SOMEWHERE = Environment(ifbench="1", python="3.11", platform="p", host="h", packages={"ray": "2"})


@pytest.fixture(params=["local", "objects"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Location:
    return resolve(str(tmp_path / "store")) if request.param == "local" else objects(tmp_path)


def make_manifest(run: str = "run1", **fields: object) -> Manifest:
    plain = Manifest(
        run_id=run,
        identity={"benchmark": "scimif"},
        config={"judge": {"name": "j", "api_key_env": "PLANTED_KEY"}, "seeds": [1, 2.5, None]},
        dataset_sha256="d" * 64,
        templates={"judge/steps": "t" * 64},
        seeds={"order": 7},
    )
    return replace(plain, **fields)  # type: ignore[arg-type]


CALLS = Calls(
    purpose="judge",
    model="j",
    stored=3,
    answered=4,
    retried=1,
    failed={"timeout": 2},
    input_tokens=100,
    output_tokens=20,
    cost_usd=0.5,
)


def test_a_manifest_comes_back_as_it_was(place: Location) -> None:
    counts = Counts(planned=9, answered=8, complete=7, undecided={"timeout": 2}, calls=(CALLS,))
    manifest = started(make_manifest(), NOW, SOMEWHERE)
    manifest = finished(
        manifest, NOW + timedelta(seconds=5), "owed", counts, calls=(CALLS,), preflight=(CALLS,)
    )
    save_manifest(place, manifest)
    assert load_manifest(place, "run1") == manifest


def test_each_invocation_leaves_an_entry_and_a_kill_leaves_it_open() -> None:
    killed = started(make_manifest(), NOW, SOMEWHERE)
    again = started(killed, NOW + timedelta(hours=1), replace(SOMEWHERE, ifbench="2"))
    done = finished(again, NOW + timedelta(hours=2), "complete", Counts(planned=1))
    assert [(i.ending, i.finished_at) for i in done.invocations] == [
        ("running", None),
        ("complete", NOW + timedelta(hours=2)),
    ]
    assert done.started_at == NOW
    assert done.finished_at == NOW + timedelta(hours=2)
    assert done.environment == replace(SOMEWHERE, ifbench="2")


def test_runs_are_listed_by_age_and_a_damaged_one_is_named(
    place: Location, caplog: pytest.LogCaptureFixture
) -> None:
    for name, hours in (("b", 0), ("a", 1), ("c", 2)):
        save_manifest(place, started(make_manifest(name), NOW + timedelta(hours=hours), SOMEWHERE))
    place.child("runs", "broken").write_whole("manifest.json", b"{")
    with caplog.at_level(logging.WARNING):
        assert [manifest.run_id for manifest in list_runs(place)] == ["b", "a", "c"]
    assert ["broken/manifest.json" in record.message for record in caplog.records] == [True]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "cannot be read"),
        (b"{", "cannot be read"),
        (b"\xff\xfe", "cannot be read"),
        (b"[]", "manifest version None"),
        (b'{"version": 2}', "manifest version 2, this ifbench reads 1"),
        (b'{"version": 1, "run_id": 3}', "is damaged"),
    ],
)
def test_a_damaged_manifest_is_a_clear_error(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "runs" / "r").mkdir(parents=True)
    (tmp_path / "runs" / "r" / "manifest.json").write_bytes(content)
    with pytest.raises(StoreError, match=message) as caught:
        load_manifest(str(tmp_path), "r")
    assert "manifest.json" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_run_that_is_not_there_is_a_clear_error(place: Location) -> None:
    with pytest.raises(StoreError, match="there is no run r9"):
        load_manifest(place, "r9")
    assert list_runs(place) == []


def test_a_runs_id_depends_on_its_identity_alone() -> None:
    one = {"benchmark": "scimif", "candidates": ["a", "b"]}
    assert run_id(one) == run_id(dict(reversed(one.items())))
    assert run_id(one) != run_id({**one, "candidates": ["b", "a"]})
    code = f"from ifbench.store import run_id; print(run_id({one!r}))"
    for seed in ("0", "1"):
        child = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert child.stdout.strip() == run_id(one)


SECRET = "planted-1f0c-secret"


@pytest.mark.parametrize(
    "config",
    [
        {"api_key": SECRET},
        {"deep": [{"url": f"http://x/?key={SECRET}"}]},
        {SECRET: 1},
    ],
)
def test_a_manifest_that_holds_a_secret_is_never_written(
    place: Location, monkeypatch: pytest.MonkeyPatch, config: dict[str, object]
) -> None:
    monkeypatch.setenv("PLANTED_KEY", SECRET)
    manifest = make_manifest(config={"judge": {"api_key_env": "PLANTED_KEY"}, **config})
    with pytest.raises(StoreError, match="value of the secret PLANTED_KEY at") as caught:
        save_manifest(place, manifest)
    assert SECRET not in str(caught.value)
    assert list_runs(place) == []


def test_short_values_are_looked_for_as_whole_texts(
    place: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLANTED_KEY", "none")
    save_manifest(place, make_manifest(templates={"nonesuch": "x"}))
    with pytest.raises(StoreError, match="PLANTED_KEY"):
        save_manifest(place, make_manifest(templates={"judge": "none"}))


def test_names_of_secrets_are_kept_and_values_elsewhere_do_not_matter(
    place: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLANTED_KEY", SECRET)
    monkeypatch.setenv("UNRELATED", "scimif")
    save_manifest(place, make_manifest())
    assert load_manifest(place, "run1").config["judge"]["api_key_env"] == "PLANTED_KEY"


def test_the_environment_names_code_and_libraries() -> None:
    import pyarrow as pa

    environment = current_environment()
    assert environment.packages["pyarrow"] == pa.__version__
    assert environment.python == sys.version.split()[0]
    assert json.dumps(dict(environment.packages))
    top = Path(__file__).parents[2]
    if (top / ".git").exists():
        head = subprocess.run(
            ["git", "-C", str(top), "rev-parse", "HEAD"], capture_output=True, text=True, check=True
        )
        assert environment.commit == head.stdout.strip()
