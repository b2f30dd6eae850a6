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


def said_by(path: Path, option: str) -> str:
    """What a benchmark prints that comes to its end."""
    done = subprocess.run(
        [sys.executable, path, option],
        env={**os.environ, "PYTHONPATH": str(FOLDER.parent)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_benchmark_says_what_it_measures(path):
    if path.stem == "video":
        pytest.importorskip("decord")
    assert "usage:" in said_by(path, "--help")
    assert f"python benchmarks/{path.name}" in (
        ast.get_docstring(ast.parse(path.read_text())) or ""
    )


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_the_readme_names_every_benchmark(path):
    assert f"`{path.name}`" in (FOLDER / "README.md").read_text()


def test_a_streamed_pipeline_is_measured_beside_one_with_barriers():
    """The cheapest of those that build a run by themselves, to its end."""
    said = said_by(FOLDER / "streaming.py", "--small")
    assert "| barrier |" in said
    assert "| streamed |" in said


@pytest.mark.soak
@pytest.mark.parametrize("name", ["fair", "growth", "limiter", "resume", "throughput"])
def test_a_benchmark_comes_to_its_end(name):
    said = said_by(FOLDER / f"{name}.py", "--small")
    table = [line for line in said.splitlines() if "|" in line]
    assert len(table) >= 4  # Its head, a line below it, and a baseline beside the product.
