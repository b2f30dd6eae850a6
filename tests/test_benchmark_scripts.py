"""Every benchmark starts, and says what it measures and beside what. None is timed here."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "benchmarks"
MODULES = {"command_runs.py", "process_memory.py"}
SCRIPTS = sorted(path for path in FOLDER.glob("*.py") if path.name not in MODULES)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_benchmark_says_what_it_measures(path):
    if path.stem == "video":
        pytest.importorskip("decord")
    done = subprocess.run(
        [sys.executable, path, "--help"],
        env={**os.environ, "PYTHONPATH": str(FOLDER.parent)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "usage:" in done.stdout
    assert f"python benchmarks/{path.name}" in (
        ast.get_docstring(ast.parse(path.read_text())) or ""
    )


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_the_readme_names_every_benchmark(path):
    assert f"`{path.name}`" in (FOLDER / "README.md").read_text()


def test_a_streamed_pipeline_is_measured_beside_one_with_barriers():
    """The cheapest of those that build a run by themselves, to its end."""
    done = subprocess.run(
        [sys.executable, FOLDER / "streaming.py", "--small"],
        env={**os.environ, "PYTHONPATH": str(FOLDER.parent)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "| barrier |" in done.stdout
    assert "| streamed |" in done.stdout
